//! Sessions in which the cases that show what a flag does go on longer than the rest.

use serde_json::Value;
use statrs::distribution::{ContinuousCDF, Normal};

use super::{FAST, advice, blocks_of, id};

/// A flag without effect, whose difference from the start without it varies by 15 % from block to
/// block: the quantiles of a normal distribution, in an order in which also the first ten are its
/// quantiles.
fn without_effect(blocks: u32) -> Vec<Value> {
    let mut flag = blocks_of(&id("wiredTiger::disk::ftdc-off"), 250.0, 0.0, blocks);
    for (block, sample) in (0..).zip(flag["samples"].as_array_mut().unwrap()) {
        let at = (f64::from(block * 7 % 30) + 0.5) / 30.0;
        let difference = 0.15 * Normal::standard().inverse_cdf(at);
        sample["ready_ms"] = (250.0 * difference.exp()).into();
    }
    vec![blocks_of(&id("wiredTiger::disk"), 250.0, 0.0, blocks), flag]
}

#[test]
fn more_blocks_show_that_there_is_no_effect() {
    let (few, text) = advice(&without_effect(10));
    assert!(!few.servers[0].effects[0].is_none());
    assert!(text.contains("ftdc-off undecided, up to 13 %"), "{text}");
    let (many, text) = advice(&without_effect(30));
    assert!(many.servers[0].effects[0].is_none());
    assert!(text.contains("ftdc-off no effect larger than 6 %:"), "{text}");
}

#[test]
fn medians_are_of_the_same_blocks_and_differences_of_all_that_both_have() {
    let plain = id("wiredTiger::disk");
    let fast = id(&format!("wiredTiger::disk::{FAST}"));
    let template = id("wiredTiger::disk::template");
    let mut cases = vec![
        blocks_of(&plain, 200.0, 0.03, 30),
        blocks_of(&fast, 160.0, 0.03, 30),
        blocks_of(&template, 120.0, 0.03, 10),
        blocks_of(&id("wiredTiger::ramdisk"), 200.0, 0.03, 10),
        blocks_of(&id("wiredTiger::disk::cold"), 300.0, 0.03, 10),
        blocks_of(&id("wiredTiger::disk::x2"), 300.0, 0.03, 10),
    ];
    // When the others have ended the machine is twice as fast, so that over all blocks the template
    // would be the slowest of the three.
    for case in &mut cases[..2] {
        for sample in &mut case["samples"].as_array_mut().unwrap()[10..] {
            sample["ready_ms"] = (sample["ready_ms"].as_f64().unwrap() / 2.0).into();
        }
        case["summary"]["median_ms"] =
            (case["summary"]["median_ms"].as_f64().unwrap() / 2.0).into();
    }
    let (advice, text) = advice(&cases);
    let server = &advice.servers[0];
    assert_eq!((advice.blocks, server.blocks), (30, 10));
    let need = &server.needs[0];
    assert_eq!((&need.fastest, &need.recommended.id), (&template, &template));
    for other in &need.alternatives {
        assert_eq!((other.figures.blocks, other.against.blocks), (10, 10));
    }
    let of_plain = need.alternatives.iter().find(|o| o.figures.id == plain);
    assert!(of_plain.unwrap().figures.median_ms > 190.0, "{need:?}");
    // Both go on.
    assert_eq!(server.effects[0].against.blocks, 30);
    let cold = &server.cold.as_ref().unwrap().starts[0];
    assert!(cold.warm_ms > 190.0 && cold.against.blocks == 10, "{cold:?}");
    let alone = &server.together[0].alone;
    assert!(alone.median_ms > 190.0 && alone.blocks == 10, "{alone:?}");
    for words in [
        "(30 blocks in one session)",
        "The first 10 blocks have every configuration, the later ones those that show what a flag \
            does.",
        "Over 10 blocks. In ms and MiB.",
        "Over 10 blocks. Why: an fsync",
        "Over 10 blocks. In ms. A job pays",
        "Over 10 blocks. each: ms until",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("Over 30 blocks"), "the head says so: {text}");
}

#[test]
fn a_difference_that_has_more_blocks_than_its_table_is_told() {
    let cases = [
        blocks_of(&id("wiredTiger::disk"), 200.0, 0.03, 30),
        blocks_of(&id(&format!("wiredTiger::disk::{FAST}")), 160.0, 0.03, 30),
        blocks_of(&id("wiredTiger::ramdisk"), 200.0, 0.03, 10),
    ];
    let (advice, text) = advice(&cases);
    let others = advice.servers[0].needs[0].alternatives.iter();
    let blocks: Vec<usize> = others.map(|other| other.against.blocks).collect();
    assert_eq!(blocks, [30, 10]);
    let note = "Over 10 blocks; a difference over 30 where both have these. In ms and MiB.";
    assert!(text.contains(note), "{text}");
    let same = cases.iter().map(|case| {
        let mut case = case.clone();
        case["samples"].as_array_mut().unwrap().truncate(10);
        case
    });
    let (_, text) = super::advice(&same.collect::<Vec<_>>());
    assert!(text.contains("(10 blocks in one session)") && !text.contains("Over "), "{text}");
}
