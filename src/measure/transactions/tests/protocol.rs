//! How much is measured in which order: the article's protocol, further macro-iterations, and the
//! check of the oplog.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::dbpath::DataFolder;
use crate::measure::transactions::{Measured, measure};
use crate::model::TransactionProfile as Profile;
use crate::model::results::Article;
use crate::model::workload::{Arm, Workload};
use crate::plan::macros::{Layout, Plan};
use crate::stats::{tukey_fences, welch};
use mongodb::bson::doc;

use super::{ask, few, start};
use crate::testing::{folder, launch, mongod};

/// The article's protocol with fewer documents and iterations.
fn small_article() -> Plan {
    Plan {
        single: 30,
        many: 4,
        kept: Some(10..20),
        layout: Layout { documents: 1_600, indexed: false },
        ..Profile::Article.plan(3).with_macros(3)
    }
}

fn articles_protocol(version: &str) {
    let base = folder();
    let folder = DataFolder::new(base.path()).unwrap();
    let set = start(&launch(&mongod(version), "wiredTiger", &folder));
    let plan = small_article();
    // Writes of an iteration, and documents that it concerns.
    for (name, written, concerned) in [
        ("insertOne", 1, 1),
        ("updateOne", 1, 1),
        ("updateOne-no-match", 0, 0),
        ("insertOne+updateOne+deleteOne+findOne", 3, 6),
    ] {
        let workload = Workload::named(name).unwrap();
        let mut heard = Vec::new();
        let measured = measure(set.member.port, workload, &plan, |n| heard.push(n), |_| true);
        let measured = measured.unwrap_or_else(|e| panic!("{version} {name}: {e}"));
        // No macro-iteration warms up.
        assert_eq!(heard, [1, 2, 3]);
        assert_eq!(measured.checks.committed, 3 * 30, "{version} {name}");
        assert_eq!(measured.checks.matched, 2 * 3 * 30 * concerned);
        let letters: Vec<_> = measured.arms.iter().map(|m| m.arm.letter).collect();
        assert_eq!(letters, ["A0", "E0"]);
        for arm in &measured.arms {
            assert_eq!((arm.macros.len(), arm.iterations_us.len()), (3, 3 * 10));
            assert_eq!(arm.work.iterations, 3 * 30);
            let entries = arm.work.entries;
            let transaction = arm.arm.transaction;
            let meant = match (transaction, written) {
                (true, 0) => [0, 0, 90],
                (true, _) => [0, 90, 0],
                (false, n) => [90 * n, 0, 0],
            };
            assert_eq!(
                [entries.writes, entries.transactions, entries.noops],
                meant,
                "{version} {name} {}",
                arm.arm.letter
            );
            for (number, one) in arm.macros.iter().enumerate() {
                let kept = &arm.iterations_us[10 * number..10 * (number + 1)];
                let mean = kept.iter().sum::<f64>() / 10.0;
                assert!((one.mean_us / mean - 1.0).abs() < 1e-9);
                let below = kept.iter().filter(|t| **t <= one.median.total_us).count();
                assert!(below >= 5, "{kept:?}");
            }
        }
        agrees_with_the_statistics(&Article::of(&measured).unwrap(), &measured);
        // The data of the last block: what it did and no more, since each block finds all documents
        // new.
        let inserts = if name.starts_with("insertOne") { 30 } else { 0 };
        let count = ask(&set.member, "mongate", doc! { "count": "first" });
        assert_eq!(count.get_i32("n").unwrap(), 1_600 + inserts, "{name}");
    }
    let no_index = ask(&set.member, "mongate", doc! { "listIndexes": "first" });
    let indexes = no_index.get_document("cursor").unwrap();
    assert_eq!(indexes.get_array("firstBatch").unwrap().len(), 1, "_id");
    set.member.stop().unwrap();
}

fn agrees_with_the_statistics(article: &Article, measured: &Measured) {
    let means = |letter| -> Vec<f64> {
        let macros = &measured.arm(letter).unwrap().macros;
        macros.iter().map(|m| m.mean_us).collect()
    };
    let (plain, transaction) = (means("A0"), means("E0"));
    assert_eq!(article.plain.means_us, plain);
    let (plain, transaction) = (tukey_fences(&plain).unwrap(), tukey_fences(&transaction).unwrap());
    assert_eq!(article.plain.removed_high, plain.removed_high);
    let test = welch(&transaction.kept, &plain.kept).unwrap();
    assert_eq!(article.p, Some(test.p));
    assert_eq!(article.significant, test.p < 0.05);
    assert!((article.difference_us - test.difference).abs() < 1e-6 * article.plain.mean_us);
    assert_eq!(article.medians_percent.len(), 3);
}

#[test]
fn the_articles_protocol_keeps_what_it_says_on_4_2() {
    articles_protocol("4.2");
}

#[test]
fn the_articles_protocol_keeps_what_it_says_on_6_0() {
    articles_protocol("6.0");
}

/// Without a write concern, 4.2 waits for no sync of the journal, and 6.0 for one each time.
#[test]
fn the_default_arm_is_w1_on_4_2_and_majority_on_6_0() {
    let base = folder();
    let insert = Workload::named("insertOne").unwrap();
    for (version, waits) in [("4.2", false), ("6.0", true)] {
        let folder = DataFolder::new(base.path()).unwrap();
        let set = start(&launch(&mongod(version), "wiredTiger", &folder));
        let plan =
            Plan { single: 60, arms: vec![Arm::DEFAULT], ..Profile::Quick.plan(1).with_macros(2) };
        let measured = measure(set.member.port, insert, &plan, |_| (), |_| true).unwrap();
        let work = measured.arm("A0").unwrap().work;
        assert_eq!(work.iterations, 180);
        assert_eq!(work.syncs >= work.iterations, waits, "{version}: {work:?}");
        set.member.stop().unwrap();
    }
}

#[test]
fn only_the_headline_and_its_sentinel_go_on_until_it_is_enough() {
    let base = folder();
    let folder = DataFolder::new(base.path()).unwrap();
    let set = start(&launch(&mongod("6.0"), "wiredTiger", &folder));
    let insert = Workload::named("insertOne").unwrap();
    let plan = Plan {
        max_macros: 12,
        // No interval is as narrow.
        within: Some(0.0),
        single: 2,
        arms: vec![Arm::DEFAULT, Arm::B, Arm::SENTINEL, Arm::E],
        ..Profile::Fair.plan(1).with_macros(2)
    };
    let macros = |plan: &Plan, enough: bool| -> Vec<usize> {
        let measured = measure(set.member.port, insert, plan, |_| (), |_| enough).unwrap();
        measured.arms.iter().map(|arm| arm.macros.len()).collect()
    };
    assert_eq!(macros(&plan, true), [2, 12, 12, 12]);
    let any_width = Plan { within: None, ..plan };
    assert_eq!(macros(&any_width, true), [2; 4]);
    assert_eq!(macros(&any_width, false), [2, 12, 12, 12]);
    set.member.stop().unwrap();
}

/// Another client's writes get into the oplog, as an arm's own would that wrote more than it says.
#[test]
fn the_oplog_shows_a_write_too_many() {
    let base = folder();
    let folder = DataFolder::new(base.path()).unwrap();
    let set = start(&launch(&mongod("6.0"), "wiredTiger", &folder));
    let stop = AtomicBool::new(false);
    let error = thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let insert = doc! { "insert": "other", "documents": [{}] };
                ask(&set.member, "mongate", insert);
            }
        });
        let find = Workload::named("findOne").unwrap();
        let plan = Plan { single: 200, arms: vec![Arm::A], ..Profile::Quick.plan(1) };
        let error = measure(set.member.port, find, &plan, |_| (), |_| true);
        stop.store(true, Ordering::Relaxed);
        error.unwrap_err().to_string()
    });
    let says = "entries of writes and 0 of transactions, and 0 entries of writes and 0 of \
        transactions were meant";
    assert!(error.contains("arm A (plain, w:1): the oplog has "), "{error}");
    assert!(error.contains(says), "{error}");
    // The same alone.
    few(set.member.port, Workload::named("findOne").unwrap(), &[Arm::A]).unwrap();
    set.member.stop().unwrap();
}
