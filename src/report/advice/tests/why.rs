//! The reasons: flags, versions, cold starts, several servers at once.

use crate::advise::Sharing;

use super::{advice, case, id, rendered, unavailable};

#[test]
fn flags_have_an_effect_or_none_or_are_undecided() {
    let with = |variant: &str, ready, noise| {
        case(&id(&format!("wiredTiger::disk::{variant}")), ready, noise)
    };
    let (advice, text) = rendered(&[
        case(&id("wiredTiger::disk"), 158.0, 0.02),
        with("small-journal", 130.0, 0.02),
        with("ftdc-off", 158.1, 0.02),
        with("small-cache", 160.0, 0.4),
        case(&id("wiredTiger::disk::replica_set"), 214.0, 0.02),
        with("replica_set::small-oplog", 215.0, 0.02),
    ]);
    let effects = &advice.servers[0].effects;
    let found: Vec<_> = effects
        .iter()
        .map(|effect| (effect.variant.as_str(), effect.against.shown, effect.is_none()))
        .collect();
    assert_eq!(
        found,
        [
            ("small-journal", true, false),
            ("ftdc-off", false, true),
            ("small-cache", false, false),
            ("small-oplog", false, true)
        ]
    );
    // The bound is the end of the interval that is further from 1.
    let [lower, upper] = effects[1].against.ratio.ci95.unwrap();
    assert_eq!(effects[1].at_most(), Some((1.0 - lower).max(upper - 1.0)));
    let title = "flags by themselves, against the same start without";
    let lines = text.lines().skip_while(|line| *line != title);
    let table: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let rule = "─".repeat(73);
    assert_eq!(
        table,
        [
            title,
            "flag                        effect",
            &rule,
            "small-journal               17 % faster: 0.83 [0.81-0.83]",
            "ftdc-off                    no effect larger than 1.4 %: 1.01 [0.99-1.01]",
            "small-cache                 undecided, up to 21 %: 0.98 [0.81-1.21]",
            "small-oplog (replica_set)   no effect larger than 2.3 %: 1.00 [0.98-1.02]",
            &rule,
            "No use for the start here, as far as the intervals reach: ftdc-off, small-oplog.",
            "undecided: no effect is shown, and one of more than 10 % is not ruled out; more",
            "    blocks (--blocks) or a quieter machine may tell.",
        ]
    );
}

#[test]
fn versions_are_compared_or_said_to_be_missing() {
    let of_six = || {
        vec![
            case(&id("wiredTiger::disk"), 158.0, 0.03),
            case(&id("ephemeralForTest::disk"), 30.0, 0.05),
        ]
    };
    let why = "no mongod 7.0 on this machine";
    let missing = unavailable("startup::7.0::wiredTiger::disk", why);
    let (missed, text) = advice(&[of_six(), vec![missing]].concat());
    assert_eq!(missed.versions.missing, ["7.0"]);
    assert!(missed.versions.others.is_empty() && !missed.versions.unasked);
    assert!(text.contains("Not measured: 7.0") && text.contains(&format!("7.0: {why}")), "{text}");

    let seven = vec![
        case("startup::7.0::wiredTiger::disk", 190.0, 0.03),
        unavailable("startup::7.0::ephemeralForTest::disk", "mongod 7.0.27: unknown"),
    ];
    let (both, text) = advice(&[of_six(), seven].concat());
    let [other] = &both.versions.others[..] else { panic!("{both:?}") };
    let fastest = other.fastest.as_ref().unwrap();
    assert_eq!(
        (fastest.case.as_str(), fastest.against.clone()),
        ("startup::7.0::wiredTiger::disk", id("ephemeralForTest::disk"))
    );
    assert_eq!(other.alike.len(), 1);
    assert!((other.alike[0].ratio.estimate - 190.0 / 158.0).abs() < 0.03, "{other:?}");
    assert!(
        text.contains(
            "=> 7.0.27 against 6.0.27, each on the fastest standalone that it can \
        have (wiredTiger disk and ephemeralForTest disk): 6.3"
        ),
        "{text}"
    );
}

#[test]
fn cold_starts_shrink_a_lead() {
    let (advice, text) = advice(&[
        case(&id("wiredTiger::disk"), 151.0, 0.03),
        case(&id("ephemeralForTest::disk"), 26.0, 0.05),
        case(&id("wiredTiger::disk::cold"), 216.0, 0.03),
        case(&id("ephemeralForTest::disk::cold"), 96.0, 0.05),
    ]);
    let cold = advice.servers[0].cold.as_ref().unwrap();
    assert_eq!((cold.starts.len(), cold.leads.len()), (2, 1));
    assert!(
        cold.starts[0].against.shown
            && (cold.starts[0].against.ratio.estimate - 216.0 / 151.0).abs() < 0.03
    );
    assert!(cold.leads[0].warm.ratio.estimate < cold.leads[0].cold.ratio.estimate);
    assert!(
        text.contains(
            "ephemeralForTest disk against the default arguments: warm 83 % faster: 0.17 ["
        ),
        "{text}"
    );
    // A cold start is no candidate, and neither are several servers.
    assert_eq!(advice.servers[0].needs[0].alternatives.len(), 1);
}

#[test]
fn scaling_decides_how_many_start_at_once_and_the_cost_who_shares() {
    let several = |engine: &str, alone: f64, times: [f64; 3]| {
        let with =
            |(count, ms): (&str, f64)| case(&id(&format!("{engine}::disk::{count}")), ms, 0.02);
        let mut cases = vec![case(&id(&format!("{engine}::disk")), alone, 0.02)];
        cases.extend(["x2", "x4", "x8"].into_iter().zip(times).map(with));
        cases
    };
    // Two cores: two at once are free, and from there on it takes twice as long each time.
    let (advice, text) = advice(
        &[
            several("wiredTiger", 158.0, [162.0, 322.0, 646.0]),
            several("ephemeralForTest", 27.0, [28.0, 55.0, 112.0]),
        ]
        .concat(),
    );
    let [tiger, ephemeral] = &advice.servers[0].together[..] else { panic!("{advice:?}") };
    assert_eq!((tiger.best, tiger.sharing), (2, Sharing::Shared));
    assert_eq!((ephemeral.best, ephemeral.sharing), (2, Sharing::Each));
    let servers: Vec<u32> = tiger.steps.iter().map(|step| step.servers).collect();
    assert_eq!(servers, [1, 2, 4, 8]);
    assert!(
        (tiger.steps[3].server_ms - 646.0 * 1.02 / 8.0).abs() < 1.0
            && tiger.steps[3].total_rss_mb == 640.0,
        "{tiger:?}"
    );
    for words in [
        "let the suite share one, with a database for each test",
        "each test can have its own, which costs it 14.3 ms [",
        "Let parallel tests start 2 at once on these 2 cores",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}
