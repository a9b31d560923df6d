//! Each rule over windows of a real record, against counts by Python 3.11, NumPy 2.4.6 and SciPy
//! 1.17.1.

use crate::judge::Tolerance;
use crate::judge::calibrate::{Arms, Outcomes, Session, Window, rivals};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{EPHEMERAL, WIRED_TIGER, real};

/// Blocks of a session, and of each rival's sample.
const N: usize = 30;

/// Every third window of `span` blocks, with both names of the arms.
fn windows(arms: &Arms, span: usize) -> impl Iterator<Item = Window> {
    let starts = (0..=arms.a.len() - span).step_by(3);
    starts.flat_map(|start| [false, true].map(|swapped| Window { start, swapped }))
}

/// Effect, then sessions that regressed, improved, were ok and stayed inconclusive, and the blocks
/// that all of them took together.
type Counts = (f64, [usize; 4], usize);

#[track_caller]
fn assert_counts(sessions: &[Session], floor_ms: f64, expected: [Counts; 4]) {
    for (effect, counts, blocks) in expected {
        let tolerance = Tolerance { share: 0.05, floor_ms };
        let o = Outcomes::count(sessions, effect, tolerance);
        let all = [o.regressed, o.improved, o.ok, o.inconclusive];
        assert_eq!(all, counts, "+{effect}, floor {floor_ms}");
        let taken = (o.mean_blocks * o.sessions as f64).round() as usize;
        assert_eq!(taken, blocks, "+{effect}, floor {floor_ms}");
    }
}

fn sessions_of(id: &str) -> Vec<Session> {
    let record = real();
    let arms = &record.cases[id];
    windows(arms, N)
        .map(|window| Session::of(window.cut(arms, N, 0).unwrap(), 10).unwrap())
        .collect()
}

// Per window: d = np.log(b) - np.log(a); i, j = np.triu_indices(n); w = np.sort((d[i] + d[j]) / 2);
// the interval is w[k], w[-1 - k] with the largest k that has 40 * sum(counts[:k + 1]) <= 2**n,
// counts of signed-rank sums in whole numbers; at n of 10, 20, 30 np.exp of its ends times 1 + x
// against 1 + t, where t = max(.05, floor / np.median(a[:n])).

#[test]
fn the_gate_on_wired_tiger_is_pythons() {
    let expected = [
        (0.0, [0, 0, 348, 6], 5210),
        (0.05, [21, 0, 21, 312], 10080),
        (0.1, [347, 0, 0, 7], 5450),
        (0.2, [354, 0, 0, 0], 3570),
    ];
    assert_counts(&sessions_of(WIRED_TIGER), 5.0, expected);
}

#[test]
fn the_gate_on_ephemeral_for_test_is_pythons_with_and_without_a_floor() {
    let without = [
        (0.0, [6, 6, 151, 191], 9010),
        (0.05, [34, 0, 34, 286], 9740),
        (0.1, [147, 0, 6, 201], 9110),
        (0.2, [328, 0, 0, 26], 5590),
    ];
    let with = [
        (0.0, [0, 0, 300, 54], 6270),
        (0.05, [2, 0, 196, 156], 8490),
        (0.1, [16, 0, 60, 278], 9740),
        (0.2, [214, 0, 1, 139], 8420),
    ];
    let sessions = sessions_of(EPHEMERAL);
    assert_counts(&sessions, 0.0, without);
    assert_counts(&sessions, 5.0, with);
}

// r = max(ma / mb, mb / ma); s = r * math.sqrt((a.std(ddof=1) / ma)**2 + (b.std(ddof=1) / mb)**2);
// a claim where r - s > 1.
#[test]
fn hyperfines_claims_are_pythons() {
    let expected = [
        (WIRED_TIGER, 0, 0.0, 0, 0),
        (WIRED_TIGER, 0, 0.1, 293, 0),
        (WIRED_TIGER, 30, 0.0, 21, 4),
        (WIRED_TIGER, 30, 0.1, 199, 0),
        (EPHEMERAL, 0, 0.0, 0, 0),
        (EPHEMERAL, 0, 0.1, 7, 0),
        (EPHEMERAL, 30, 0.0, 0, 0),
        (EPHEMERAL, 30, 0.1, 46, 0),
    ];
    let record = real();
    for (id, later, effect, slower, faster) in expected {
        let arms = &record.cases[id];
        let claims: Vec<_> = windows(arms, N + later)
            .map(|window| {
                let [a, b] = window.cut(arms, N, later).unwrap();
                let b: Vec<f64> = b.iter().map(|time| time * (1.0 + effect)).collect();
                rivals::hyperfine(a, &b)
            })
            .collect();
        let count = |claim| claims.iter().filter(|made| **made == claim).count();
        let counts = (count(rivals::Claim::Slower), count(rivals::Claim::Faster));
        assert_eq!(counts, (slower, faster), "{id}, {later} blocks later, +{effect}");
    }
}

// With 100,000 resamples: scipy.stats.bootstrap((b, a), lambda x, y, axis: np.mean(x, axis) /
// np.mean(y, axis) - 1, method='percentile'); and m = np.r_[b, a][rng.integers(0, 60, (100000,
// 60))]; ts = ttest_ind(m[:, :30], m[:, 30:], axis=1, equal_var=False).statistic; hits = (ts <
// ttest_ind(b, a, equal_var=False).statistic).sum(); p = 2 * min(hits, 100000 - hits) / 100000.
#[test]
fn criterions_interval_and_p_are_scipys() {
    let expected = [
        (WIRED_TIGER, 0, 0, [-0.0409, 0.0770], 0.816),
        (WIRED_TIGER, 100, 0, [-0.0086, 0.0392], 0.225),
        (WIRED_TIGER, 200, 30, [-0.0844, -0.0348], 0.000),
        (WIRED_TIGER, 400, 0, [-0.0421, 0.0161], 0.389),
        (WIRED_TIGER, 500, 30, [-0.0442, 0.0086], 0.199),
        (EPHEMERAL, 0, 0, [-0.0609, 0.0194], 0.312),
        (EPHEMERAL, 100, 0, [-0.0714, 0.0776], 0.992),
        (EPHEMERAL, 200, 30, [-0.2337, -0.1153], 0.000),
        (EPHEMERAL, 400, 0, [-0.0738, 0.0720], 0.906),
        (EPHEMERAL, 500, 30, [-0.0310, 0.0668], 0.524),
    ];
    let record = real();
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for (id, start, later, change95, p) in expected {
        let window = Window { start, swapped: false };
        let [a, b] = window.cut(&record.cases[id], N, later).unwrap();
        // Both bootstraps scatter: with 5,000 resamples an end by 0.1 to 0.2 % here, and p by at
        // most 0.014.
        let criterion = rivals::Criterion::new(a, b, 5000, &mut random).unwrap();
        for (end, expected) in criterion.change95(0.0).into_iter().zip(change95) {
            assert!((end - expected).abs() < 0.006, "{id} {start}: {end} for {expected}");
        }
        let ours = criterion.p(0.0, &mut random);
        assert!((ours - p).abs() < 0.045, "{id} {start}: p {ours} for {p}");
    }
}

#[test]
fn a_factor_on_one_arm_moves_criterions_interval_by_that_factor() {
    let record = real();
    let window = Window { start: 40, swapped: false };
    let [a, b] = window.cut(&record.cases[WIRED_TIGER], N, 0).unwrap();
    let slower: Vec<f64> = b.iter().map(|time| time * 1.1).collect();
    let bootstrap = |b| {
        let mut random = ChaCha8Rng::seed_from_u64(9);
        rivals::Criterion::new(a, b, 500, &mut random).unwrap()
    };
    let (injected, real) = (bootstrap(b).change95(0.1), bootstrap(&slower).change95(0.0));
    for (injected, real) in injected.into_iter().zip(real) {
        assert!((injected - real).abs() < 1e-12, "{injected} for {real}");
    }
}
