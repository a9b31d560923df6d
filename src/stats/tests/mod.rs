//! The statistics: against SciPy's values and by their properties; `simulated` has what is known by
//! simulation.

mod modes;
mod simulated;

use crate::stats::holm::holm;
use crate::stats::signed_rank::{Shift, signed_rank_p};
use crate::stats::{
    Ratio, Summary, classify, hodges_lehmann, log_differences, prediction_interval, quantile,
    sentinel_invalid, tukey_fences, welch,
};
use proptest::prelude::*;
use serde_json::Value;

// -- against SciPy
// ----------------------------------------------------------------------------------

/// The entries of one table in the fixture; fixtures/stats/generate.py made them.
fn table(name: &str) -> Vec<Value> {
    let fixture: Value = serde_json::from_str(include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/stats/scipy.json"
    )))
    .unwrap();
    let entries = fixture[name].as_array().unwrap().clone();
    assert!(!entries.is_empty());
    entries
}

fn numbers(value: &Value) -> Vec<f64> {
    let values = value.as_array().unwrap().iter();
    values.map(|number| number.as_f64().unwrap()).collect()
}

fn ends(value: &Value) -> Option<[f64; 2]> {
    (!value.is_null()).then(|| numbers(value).try_into().unwrap())
}

/// Equal to ten significant digits.
#[track_caller]
fn assert_close(actual: f64, expected: &Value, entry: &Value) {
    assert_near(actual, expected.as_f64().unwrap(), entry);
}

#[track_caller]
fn assert_near(actual: f64, expected: f64, entry: &Value) {
    let error = (actual - expected).abs();
    assert!(
        error <= 1e-10 * expected.abs().max(1e-6),
        "{actual} instead of {expected} for {entry}"
    );
}

#[track_caller]
fn assert_ends(actual: Option<[f64; 2]>, expected: &Value, entry: &Value) {
    let expected = ends(expected);
    assert_eq!(actual.is_some(), expected.is_some(), "{entry}");
    for (actual, expected) in actual.iter().flatten().zip(expected.iter().flatten()) {
        assert_near(*actual, *expected, entry);
    }
}

#[test]
fn quantiles_are_numpys() {
    for entry in table("quantile") {
        let q = entry["q"].as_f64().unwrap();
        assert_close(quantile(&numbers(&entry["x"]), q).unwrap(), &entry["value"], &entry);
    }
}

#[test]
fn summaries_are_scipys() {
    for entry in table("summary") {
        let (x, value) = (numbers(&entry["x"]), &entry["value"]);
        let summary = Summary::of(&x).unwrap();
        assert_eq!(summary.n, x.len());
        assert_close(summary.median, &value["median"], &entry);
        assert_ends(summary.ci95, &value["ci95"], &entry);
        assert_close(summary.mean, &value["mean"], &entry);
        assert_eq!(summary.sd.is_none(), value["sd"].is_null(), "{entry}");
        if let Some(sd) = summary.sd {
            assert_close(sd, &value["sd"], &entry);
        }
        assert_close(summary.min, &value["min"], &entry);
        assert_close(summary.p95, &value["p95"], &entry);
    }
}

#[test]
fn signed_rank_p_values_are_scipys() {
    for entry in table("signed_rank_p") {
        let p = signed_rank_p(&numbers(&entry["d"])).unwrap();
        assert_close(p, &entry["value"], &entry);
    }
}

#[test]
fn hodges_lehmann_is_the_enumerated_one() {
    for entry in table("hodges_lehmann") {
        let d = numbers(&entry["d"]);
        let shift = hodges_lehmann(&d).unwrap();
        assert_eq!(shift.n, d.len());
        assert_close(shift.estimate, &entry["value"]["estimate"], &entry);
        assert_ends(shift.ci95, &entry["value"]["ci95"], &entry);
    }
}

#[test]
fn welch_is_scipys() {
    for entry in table("welch") {
        let value = &entry["value"];
        let test = welch(&numbers(&entry["a"]), &numbers(&entry["b"])).unwrap();
        assert_close(test.t, &value["t"], &entry);
        assert_close(test.df, &value["df"], &entry);
        assert_close(test.p, &value["p"], &entry);
        assert_close(test.difference, &value["difference"], &entry);
        assert_ends(Some(test.ci95), &value["ci95"], &entry);
    }
}

#[test]
fn tukey_removes_what_numpys_quartiles_say() {
    for entry in table("tukey") {
        let value = &entry["value"];
        let tukey = tukey_fences(&numbers(&entry["x"])).unwrap();
        assert_eq!(tukey.kept, numbers(&value["kept"]), "{entry}");
        assert_eq!(tukey.removed_low, value["removed_low"], "{entry}");
        assert_eq!(tukey.removed_high, value["removed_high"], "{entry}");
    }
}

#[test]
fn holm_is_that_of_statsmodels() {
    for entry in table("holm") {
        let adjusted = holm(&numbers(&entry["p"])).unwrap();
        let expected = numbers(&entry["value"]);
        assert_eq!(adjusted.len(), expected.len());
        for (adjusted, expected) in adjusted.into_iter().zip(expected) {
            assert_near(adjusted, expected, &entry);
        }
    }
}

#[test]
fn prediction_intervals_are_scipys() {
    for entry in table("prediction") {
        let x = numbers(&entry["x"]);
        let prediction = prediction_interval(&x).unwrap();
        assert_eq!(prediction.sessions, x.len());
        assert_ends(Some(prediction.interval95), &entry["value"], &entry);
    }
}

// -- by hand
// ----------------------------------------------------------------------------------------

#[test]
fn log_differences_pair_what_can_be_paired() {
    let ratio = Ratio::of(&log_differences(&[220.0; 6], &[200.0; 6]).unwrap()).unwrap();
    assert!((ratio.estimate - 1.1).abs() < 1e-12);
    assert_eq!(ratio.ci95, Some([ratio.estimate; 2]));
    assert_eq!(log_differences(&[1.0], &[1.0, 2.0]), None);
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(log_differences(&[value], &[1.0]), None);
        assert_eq!(log_differences(&[1.0], &[value]), None);
    }
}

#[test]
fn what_cannot_be_computed_is_none() {
    for bad in [&[] as &[f64], &[1.0, f64::NAN], &[f64::INFINITY, 1.0]] {
        assert_eq!(Summary::of(bad), None);
        assert_eq!(quantile(bad, 0.5), None);
        assert_eq!(hodges_lehmann(bad), None);
        assert_eq!(signed_rank_p(bad), None);
        assert_eq!(welch(bad, &[1.0, 2.0]), None);
        assert_eq!(welch(&[1.0, 2.0], bad), None);
        assert_eq!(tukey_fences(bad), None);
        assert_eq!(prediction_interval(bad), None);
    }
    assert_eq!(quantile(&[1.0], 1.1), None);
    assert_eq!(welch(&[1.0], &[1.0, 2.0]), None);
    assert_eq!(prediction_interval(&[0.1]), None);
    assert_eq!(holm(&[0.1, f64::NAN]), None);
    assert_eq!(holm(&[1.1]), None);
    assert_eq!(holm(&[]), Some(vec![]));
    assert_eq!(signed_rank_p(&[0.0; 8]), Some(1.0));
    // 0.1 is no binary fraction: a mean by plain summing differs from it, and that difference is no
    // variance.
    assert_eq!(welch(&[0.1; 3], &[0.1; 7]), None);
}

// -- by property
// ------------------------------------------------------------------------------------

/// Differences of any sign and a size that sessions show, without ties.
fn differences() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0_f64, 1..=60)
}

fn assert_same(a: Shift, b: Shift) -> Result<(), TestCaseError> {
    prop_assert!((a.estimate - b.estimate).abs() < 1e-12);
    prop_assert_eq!(a.ci95.is_some(), b.ci95.is_some());
    for (a, b) in a.ci95.iter().flatten().zip(b.ci95.iter().flatten()) {
        prop_assert!((a - b).abs() < 1e-12);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn adding_a_constant_shifts_the_estimate_by_it(d in differences(), c in -2.0..2.0_f64) {
        let before = hodges_lehmann(&d).unwrap();
        let moved: Vec<f64> = d.iter().map(|d| d + c).collect();
        let expected = Shift {
            estimate: before.estimate + c,
            ci95: before.ci95.map(|ends| ends.map(|end| end + c)),
            ..before
        };
        assert_same(hodges_lehmann(&moved).unwrap(), expected)?;
    }

    #[test]
    fn exchanging_case_and_reference_turns_the_sign(d in differences()) {
        let before = hodges_lehmann(&d).unwrap();
        let turned: Vec<f64> = d.iter().map(|d| -d).collect();
        let expected = Shift {
            estimate: -before.estimate,
            ci95: before.ci95.map(|[lower, upper]| [-upper, -lower]),
            ..before
        };
        assert_same(hodges_lehmann(&turned).unwrap(), expected)?;
        prop_assert_eq!(signed_rank_p(&turned), signed_rank_p(&d));
    }

    #[test]
    fn an_interval_needs_six_and_contains_its_estimate(d in differences()) {
        let shift = hodges_lehmann(&d).unwrap();
        let summary = Summary::of(&d).unwrap();
        for (ci95, estimate) in [(shift.ci95, shift.estimate), (summary.ci95, summary.median)] {
            prop_assert_eq!(ci95.is_some(), d.len() >= 6);
            if let Some([lower, upper]) = ci95 {
                prop_assert!(lower <= estimate && estimate <= upper);
            }
        }
    }

    #[test]
    fn the_interval_excludes_0_where_the_test_rejects_it(d in differences(), c in -0.5..0.5_f64) {
        let d: Vec<f64> = d.iter().map(|d| d + c).collect();
        let excludes = hodges_lehmann(&d).unwrap().ci95.is_some_and(|[lower, upper]| lower > 0.0 || upper < 0.0);
        prop_assert_eq!(excludes, signed_rank_p(&d).unwrap() <= 0.05);
    }

    #[test]
    fn the_order_of_blocks_does_not_matter(
        (d, shuffled) in differences().prop_flat_map(|d| (Just(d.clone()), Just(d).prop_shuffle())),
    ) {
        prop_assert_eq!(hodges_lehmann(&d), hodges_lehmann(&shuffled));
        prop_assert_eq!(signed_rank_p(&d), signed_rank_p(&shuffled));
        let (a, b) = (Summary::of(&d).unwrap(), Summary::of(&shuffled).unwrap());
        prop_assert_eq!((a.median, a.ci95, a.min, a.p95), (b.median, b.ci95, b.min, b.p95));
        prop_assert!((a.mean - b.mean).abs() < 1e-12);
    }

    #[test]
    fn holm_raises_p_values_and_keeps_their_order(p in prop::collection::vec(0.0..=1.0_f64, 0..30)) {
        let adjusted = holm(&p).unwrap();
        prop_assert_eq!(adjusted.len(), p.len());
        for (i, a) in adjusted.iter().enumerate() {
            prop_assert!(*a >= p[i] && *a <= 1.0);
            prop_assert!((0..p.len()).all(|j| p[i] > p[j] || *a <= adjusted[j]));
        }
    }

    #[test]
    fn exchanging_the_samples_turns_welchs_sign(
        a in prop::collection::vec(1.0..9.0_f64, 2..20), b in prop::collection::vec(1.0..9.0_f64, 2..20),
    ) {
        if let (Some(one), Some(other)) = (welch(&a, &b), welch(&b, &a)) {
            prop_assert_eq!((one.t, one.difference), (-other.t, -other.difference));
            prop_assert!((one.p - other.p).abs() < 1e-12);
            prop_assert!(one.ci95[0] <= one.difference && one.difference <= one.ci95[1]);
        }
    }

    #[test]
    fn a_final_outcome_is_an_interval_on_one_side(lower in 0.8..1.2_f64, width in 0.0..0.3_f64) {
        let ci = [lower, lower + width];
        prop_assert_eq!(classify(ci, 0.05).is_final(), ci[0] > 1.05 || ci[1] < 1.05);
    }

    #[test]
    fn no_input_panics(
        a in prop::collection::vec(any::<f64>(), 0..9), b in prop::collection::vec(any::<f64>(), 0..9), t: f64,
    ) {
        let _ = (Summary::of(&a), quantile(&a, t), Ratio::of(&a));
        let _ = (signed_rank_p(&a), welch(&a, &b), log_differences(&a, &b), holm(&a), prediction_interval(&a));
        let _ = (classify([t, t], t), sentinel_invalid([t, t], t, t));
        if let Some(tukey) = tukey_fences(&a) {
            prop_assert_eq!(tukey.kept.len() + tukey.removed_low + tukey.removed_high, a.len());
        }
    }
}
