//! A case against earlier sessions.

use crate::config::{Baseline, Policy};
use crate::judge::Rules;
use crate::judge::baseline::{Document, Session};
use crate::measure::Measured;
use crate::model::results::Results;
use crate::model::{Outcome, Verdict};

use super::{CASE, REFERENCE, around, config, judged, rules, samples, session, steady};

/// A baseline "main" from sessions in which the case took these times beside a reference of 150 ms.
fn baseline(times: &[f64]) -> Document {
    let sessions = times.iter().map(|&time| {
        let session =
            session(&[(REFERENCE, around(150.0, 0)), (CASE, around(time, 1))], &around(150.0, 3));
        Session::of(&judged(&session, &rules(&config(""))), "main").unwrap()
    });
    let document = Document { sessions: sessions.collect(), ..Document::default() };
    Document::parse(&document.text(), "baseline.json").unwrap()
}

/// The results for a case of `time` against a baseline, with the floor out of the way.
fn against(
    document: &Document,
    time: f64,
    settings: &Baseline,
    change: impl Fn(&mut Measured),
) -> Results {
    let config = config("[gate]\nfloor = \"0ms\"");
    let mut session =
        session(&[(REFERENCE, around(150.0, 0)), (CASE, around(time, 1))], &around(150.0, 3));
    change(&mut session);
    let rules = Rules { baseline: Some((document, settings)), ..rules(&config) };
    judged(&session, &rules)
}

fn verdict_against(document: &Document, time: f64) -> Verdict {
    against(document, time, &Baseline::default(), |_| ()).startup[1].verdict.clone()
}

#[test]
fn a_baseline_of_six_sessions_decides() {
    let document = baseline(&[29.8, 30.0, 30.1, 30.3, 29.9, 30.0]);
    for (time, outcome) in [
        (30.1, Outcome::Ok),
        (34.2, Outcome::Regressed),
        (25.0, Outcome::Improved),
        (31.6, Outcome::Inconclusive),
    ] {
        let verdict = verdict_against(&document, time);
        assert_eq!(verdict.outcome, outcome, "{time}: {verdict:?}");
    }
    // numpy: l = log([29.8, 30, 30.1, 30.3, 29.9, 30]); s = l.std(ddof=1); h =
    // scipy.stats.t(5).ppf(.975) * s * sqrt(1 + 1/6); exp(log(34.2) - l.mean() + [-h, 0, h]) =
    // 1.12214, 1.13956, 1.15726
    let detail = verdict_against(&document, 34.2).detail.unwrap();
    assert_eq!(
        detail,
        "start-up of startup::6.0::ephemeralForTest::ramdisk is 14 % slower than its baseline (95 \
            %: 12 to 16 %), tolerance 5 %"
    );
}

#[test]
fn sessions_that_scatter_leave_it_open() {
    let document = baseline(&[27.0, 33.0, 30.0, 26.0, 34.0, 30.0]);
    assert_eq!(verdict_against(&document, 34.2).outcome, Outcome::Inconclusive);
}

#[test]
fn fewer_than_six_sessions_are_advice() {
    let verdict = verdict_against(&baseline(&[30.0; 5]), 60.0);
    assert_eq!((verdict.outcome, verdict.fails), (Outcome::Measured, false));
    let detail = verdict.detail.unwrap();
    assert!(detail.contains("100 % slower than its baseline"), "{detail}");
    assert!(
        detail.ends_with("advice only: 5 of the 6 sessions that a verdict needs are stored"),
        "{detail}"
    );
}

#[test]
fn a_missing_baseline_is_told_and_fails_where_it_must() {
    let document = baseline(&[30.0; 6]);
    let other_name = Baseline { name: "release".to_owned(), ..Baseline::default() };
    let detail = |results: &Results| results.startup[1].verdict.detail.clone().unwrap();
    let results = against(&document, 60.0, &other_name, |_| ());
    assert!(detail(&results).contains("the baseline \"release\" has no session with it"));
    assert_eq!(results.failure(), None);

    let strict = Baseline { missing: Policy::Fail, ..other_name };
    let results = against(&document, 60.0, &strict, |_| ());
    assert_eq!(results.failure(), Some(Outcome::Invalid));
    assert!(results.is_decided(), "more blocks bring no baseline");

    // Another mongod as the reference: its ratio means something else.
    let newer = |session: &mut Measured| session.arms[0].version = Some("6.0.28".parse().unwrap());
    let results = against(&document, 60.0, &Baseline::default(), newer);
    assert!(
        detail(&results)
            .contains("compares it with another reference: startup::6.0::wiredTiger::disk 6.0.27"),
        "{}",
        detail(&results)
    );

    let mut elsewhere = document.clone();
    for session in &mut elsewhere.sessions {
        session.machine.cores = 64;
    }
    let results = against(&elsewhere, 60.0, &Baseline::default(), |_| ());
    assert!(
        detail(&results).contains(
            "is of another machine (a processor, 64 cores, kernel 6; \
        this one: a processor, 2 cores, kernel 6)"
        ),
        "{}",
        detail(&results)
    );
}

#[test]
fn a_reference_is_told_that_no_baseline_judges_it() {
    let results = against(&baseline(&[30.0; 6]), 30.0, &Baseline::default(), |_| ());
    assert_eq!(results.startup[0].verdict, Verdict::measured());
    let [notice] = &results.notices[..] else { panic!("{:?}", results.notices) };
    assert!(notice.starts_with("no baseline judges startup::6.0::wiredTiger::disk: "), "{notice}");
}

#[test]
fn only_sound_sessions_become_a_baseline() {
    let config = config("");
    let results = |session: &Measured| judged(session, &rules(&config));
    assert!(Session::of(&results(&steady()), "main").is_some());
    let interrupted = Measured { interrupted: true, ..steady() };
    assert!(Session::of(&results(&interrupted), "main").is_none());
    let unsteady = Measured { sentinel: Some((0, samples(&around(160.0, 3)))), ..steady() };
    assert!(Session::of(&results(&unsteady), "main").is_none());
}

#[test]
fn a_broken_baseline_is_an_error_with_a_remedy() {
    let text = baseline(&[30.0]).text();
    for (broken, message) in [
        ("{".to_owned(), "b.json cannot be read: EOF"),
        ("{}".to_owned(), "it is not a baseline"),
        (
            text.replace("mongate-baseline/1", "mongate-baseline/2"),
            "has the schema mongate-baseline/2, and this mongate reads mongate-baseline/1",
        ),
        (text.replace("\"log_ratio\"", "\"ratio\""), "missing field `log_ratio`"),
        (text.replacen("148.65", "0.0", 1), "has a number that is not a time"),
    ] {
        let error = Document::parse(&broken, "b.json").unwrap_err().to_string();
        assert!(error.contains(message) && error.contains("help: "), "{error}");
    }
}
