//! Servers on a copy of a template, on real mongods.

use mongodb::bson::{Document, doc};
use mongodb::options::WriteConcern;

use crate::dbpath::DataFolder;
use crate::launch::{Launch, Launcher, Running, Template};
use crate::model::Topology;
use crate::testing::{data_folders, folder, launch, mongod, processes_naming};

const SMALL: [&str; 2] =
    ["--wiredTigerEngineConfigString", "log=(prealloc=false,file_max=1MB),session_max=200"];

/// Adds a document with w:majority and returns how many there are in the collections that show
/// where the data came from: a document for each start of a mongod on this data, and one for each
/// time that a replica set became ready.
fn write_and_count(member: &Running) -> (u64, u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let url = format!("mongodb://127.0.0.1:{}/?directConnection=true", member.port);
        let client = mongodb::Client::with_uri_str(url).await.unwrap();
        let own = client.database("test").collection::<Document>("own");
        let written = own.insert_one(doc! { "x": 1 });
        written.write_concern(WriteConcern::majority()).await.unwrap();
        let count = |database: &str, name: &str| {
            let collection = client.database(database).collection::<Document>(name);
            async move { collection.count_documents(doc! {}).await.unwrap() }
        };
        (count("local", "startup_log").await, count("mongate", "ready").await)
    })
}

fn small(version: &str, folder: &DataFolder) -> Launch {
    Launch {
        arguments: SMALL.map(str::to_owned).to_vec(),
        ..launch(&mongod(version), "wiredTiger", folder)
    }
}

#[test]
fn a_server_on_a_copy_of_a_template_has_its_data_and_takes_majority_writes() {
    let base = folder();
    let launcher = Launcher::new().unwrap();
    for version in ["4.2", "6.0"] {
        for (topology, ready) in [(Topology::Standalone, 0), (Topology::ReplicaSet, 2)] {
            let name = format!("{version} {topology}");
            let nowhere = DataFolder::new(base.path()).unwrap();
            let launch = small(version, &nowhere);
            let template = Template::prepare(&launcher, &launch, topology, base.path())
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(processes_naming(base.path()), [0; 0], "{name}");
            // The second copy is as good as the first: no launch changes the template. Both are
            // there at once.
            let mut servers = Vec::new();
            for _ in 0..2 {
                let folder = DataFolder::new(base.path()).unwrap();
                template.copy_to(&folder).unwrap();
                let launch = Launch { db_path: folder.db(), ..launch.clone() };
                let server =
                    template.serve(&launcher, &launch).unwrap_or_else(|e| panic!("{name}: {e}"));
                let counts = write_and_count(&server.running);
                assert_eq!(counts, (2, ready), "{name}");
                assert_eq!(server.set.is_some(), topology == Topology::ReplicaSet);
                servers.push((server, folder));
            }
            let ports: Vec<u16> = servers.iter().map(|(s, _)| s.running.port).collect();
            assert_ne!(ports[0], ports[1], "{name}");
            for (server, _folder) in servers {
                server.running.stop().unwrap();
            }
        }
    }
    assert_eq!(data_folders(base.path()), [""; 0]);
}

#[test]
fn a_template_that_would_be_slower_than_an_empty_folder_is_refused() {
    let base = folder();
    let launcher = Launcher::new().unwrap();
    let nowhere = DataFolder::new(base.path()).unwrap();
    let launch = launch(&mongod("6.0"), "wiredTiger", &nowhere);
    let topology = Topology::Standalone;
    let error = Template::prepare(&launcher, &launch, topology, base.path()).unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("a template with a journal of "), "{message}");
    assert!(message.contains("help: add `--wiredTigerEngineConfigString`"), "{message}");
    drop(nowhere);
    assert_eq!(processes_naming(base.path()), [0; 0]);
    assert_eq!(data_folders(base.path()), [""; 0]);
}
