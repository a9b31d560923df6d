//! When a server is ready: the first `ping` that succeeds through the official driver.

use std::time::{Duration, Instant};

use mongodb::Client;
use mongodb::bson::doc;
use mongodb::error::{Error, ErrorKind};
use mongodb::options::{ClientOptions, ServerAddress};

/// Pings the mongod on `port` of the loopback interface once, with a client of its own, and returns
/// when the answer was there.
///
/// # Errors
/// The driver found no server that it can speak to within `timeout`, or the command failed: in the
/// driver's own words.
pub async fn ping(port: u16, timeout: Duration) -> Result<Instant, Error> {
    let client = Client::with_options(options(port, timeout))?;
    client.database("admin").run_command(doc! { "ping": 1 }).await?;
    let ready = Instant::now();
    client.shutdown().immediate(true).await;
    Ok(ready)
}

/// Whether the server closed the connection, so that another one may do better: 4.2 closes all of
/// them when it finds a replica set in its dbPath of which it is no member.
pub fn is_cut(error: &Error) -> bool {
    matches!(*error.kind, ErrorKind::Io(_) | ErrorKind::ConnectionPoolCleared { .. })
}

/// What a client of the mongod on `port` of the loopback interface needs: that one server and no
/// other, and an error after `timeout`.
pub fn options(port: u16, timeout: Duration) -> ClientOptions {
    ClientOptions::builder()
        .hosts(vec![ServerAddress::Tcp { host: "127.0.0.1".into(), port: Some(port) }])
        .direct_connection(true)
        .connect_timeout(timeout)
        .server_selection_timeout(timeout)
        .app_name("mongate".to_owned())
        .build()
}
