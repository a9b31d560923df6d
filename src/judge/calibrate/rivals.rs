//! The same record judged by the rules of other tools.
//!
//! Both run one command to its end and then the other, so what they meet in practice is
//! [`Order::InSequence`]; interleaved, they are given what they do not do themselves. Both count
//! launches, so a sample here is as long as a session has blocks.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::judge::calibrate::record::Arms;
use crate::judge::calibrate::resample::windows;
use crate::stats::{Summary, quantile};

/// Whose rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rival {
    /// criterion.rs: [`Criterion`].
    Criterion,
    /// hyperfine: [`hyperfine`].
    Hyperfine,
}

/// In which order the launches were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// A and B from the same blocks.
    Interleaved,
    /// A from one window, B from the one right after it.
    InSequence,
}

/// What a tool says of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Claim {
    Slower,
    Faster,
    Nothing,
}

/// How often a rival said what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Claims {
    /// How much longer B was made, as a fraction; at 0 every claim is a false alarm.
    pub effect: f64,
    /// Sessions in all.
    pub sessions: usize,
    /// B is slower.
    pub slower: usize,
    /// B is faster.
    pub faster: usize,
}

/// One rival in one order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RivalRow {
    /// Whose rule.
    pub rival: Rival,
    /// In which order.
    pub order: Order,
    /// Launches of each arm.
    pub blocks: usize,
    /// For each effect.
    pub claims: Vec<Claims>,
}

/// Judges windows of a record by both rules in both orders; `resamples` is criterion's number of
/// bootstrap resamples.
///
/// In sequence a session takes 2 `blocks` of the record; a record shorter than that gives no
/// sessions.
pub fn compare(
    arms: &Arms,
    blocks: usize,
    effects: &[f64],
    sessions: usize,
    seed: u64,
    resamples: usize,
) -> Vec<RivalRow> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut rows = Vec::new();
    for (order, later) in [(Order::Interleaved, 0), (Order::InSequence, blocks)] {
        let windows = windows(seed, sessions, arms.a.len(), blocks + later);
        let none = |rival| RivalRow {
            rival,
            order,
            blocks,
            claims: effects.iter().map(|&effect| Claims { effect, ..Claims::default() }).collect(),
        };
        let (mut by_criterion, mut by_hyperfine) = (none(Rival::Criterion), none(Rival::Hyperfine));
        for window in windows {
            let Some([a, b]) = window.cut(arms, blocks, later) else {
                continue;
            };
            let Some(criterion) = Criterion::new(a, b, resamples, &mut random) else {
                continue;
            };
            for claims in &mut by_criterion.claims {
                claims.add(criterion.judge(claims.effect, &mut random));
            }
            for claims in &mut by_hyperfine.claims {
                claims.add(hyperfine(a, &scaled(b, claims.effect)));
            }
        }
        rows.extend([by_criterion, by_hyperfine]);
    }
    rows
}

impl Claims {
    fn add(&mut self, claim: Claim) {
        self.sessions += 1;
        match claim {
            Claim::Slower => self.slower += 1,
            Claim::Faster => self.faster += 1,
            Claim::Nothing => {}
        }
    }
}

fn scaled(times: &[f64], effect: f64) -> Vec<f64> {
    times.iter().map(|time| time * (1.0 + effect)).collect()
}

/// hyperfine's rule, as its users read it: it prints the ratio r of the slower mean to the faster
/// one, plus or minus r sqrt((sd_a / mean_a)² + (sd_b / mean_b)²), and where 1 lies outside, the
/// commands differ.
///
/// hyperfine 1.20, src/benchmark/relative_speed.rs. Its spread is that of single launches, not of
/// the means, so more launches do not sharpen it.
pub fn hyperfine(a: &[f64], b: &[f64]) -> Claim {
    let (Some(a), Some(b)) = (Summary::of(a), Summary::of(b)) else {
        return Claim::Nothing;
    };
    let (Some(sd_a), Some(sd_b)) = (a.sd, b.sd) else {
        return Claim::Nothing;
    };
    let ratio = (b.mean / a.mean).max(a.mean / b.mean);
    let spread = ratio * (sd_a / a.mean).hypot(sd_b / b.mean);
    match ratio - spread > 1.0 {
        true if b.mean > a.mean => Claim::Slower,
        true => Claim::Faster,
        false => Claim::Nothing,
    }
}

/// criterion's rule with its defaults, for a base A and a new sample B. It claims a change where
/// both hold:
///
/// - the bootstrapped t-test says p < 0.05: Welch's t among those of resamples of both samples
///   mixed, two-sided as 2 min(share below, share not below);
/// - the 95 % percentile interval of mean(B) / mean(A) - 1, each sample resampled by itself, lies
///   beyond 1 % on one side.
///
/// criterion 0.7, src/analysis/compare.rs, src/stats/univariate/mixed.rs, src/stats/mod.rs
/// (`p_value`), src/report.rs (`compare_to_threshold`). It differs from the original in the number
/// of resamples (100,000 there), and in that every resample of B meets one of A of its own, where
/// criterion combines 317 of A with 316 of B each.
#[derive(Debug)]
pub struct Criterion<'a> {
    a: &'a [f64],
    b: &'a [f64],
    resamples: usize,
    /// The 95 % interval of mean(B) / mean(A).
    ratio95: [f64; 2],
}

/// The smallest relative change that criterion calls one.
const NOISE: f64 = 0.01;

/// Below this p criterion calls a difference significant.
const SIGNIFICANCE: f64 = 0.05;

impl<'a> Criterion<'a> {
    /// Bootstraps the ratio of means. `None` for an empty sample and for values that are not above
    /// 0.
    pub fn new(
        a: &'a [f64],
        b: &'a [f64],
        resamples: usize,
        random: &mut ChaCha8Rng,
    ) -> Option<Self> {
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let ratios: Vec<f64> = (0..resamples)
            .map(|_| mean(draw(b, b.len(), random)) / mean(draw(a, a.len(), random)))
            .collect();
        Some(Self {
            a,
            b,
            resamples,
            ratio95: [quantile(&ratios, 0.025)?, quantile(&ratios, 0.975)?],
        })
    }

    /// The 95 % interval of the relative change of the means, when B takes longer by `effect`: a
    /// factor on B is one on every resample's ratio.
    pub fn change95(&self, effect: f64) -> [f64; 2] {
        self.ratio95.map(|end| end * (1.0 + effect) - 1.0)
    }

    /// The p of the bootstrapped t-test, when B takes longer by `effect`.
    pub fn p(&self, effect: f64, random: &mut ChaCha8Rng) -> f64 {
        let b = scaled(self.b, effect);
        let mut mixed: Vec<f64> = b.iter().chain(self.a).copied().collect();
        // t does not depend on where 0 is.
        let center = mean(mixed.iter().copied());
        mixed.iter_mut().for_each(|time| *time -= center);
        let (new, base) = mixed.split_at(b.len());
        let moments = |values: &[f64]| Moments::of(values.iter().copied());
        let t = moments(new).t(&moments(base));
        let ts: Vec<f64> = (0..self.resamples)
            .map(|_| {
                let new = Moments::of(draw(&mixed, new.len(), random));
                new.t(&Moments::of(draw(&mixed, base.len(), random)))
            })
            .filter(|t| t.is_finite())
            .collect();
        let below = ts.iter().filter(|resampled| **resampled < t).count();
        2.0 * below.min(ts.len() - below) as f64 / ts.len().max(1) as f64
    }

    /// What criterion says when B takes longer by `effect`. The t-test is made only where the
    /// interval leaves something to decide.
    pub fn judge(&self, effect: f64, random: &mut ChaCha8Rng) -> Claim {
        let [lower, upper] = self.change95(effect);
        let claim = if lower > NOISE {
            Claim::Slower
        } else if upper < -NOISE {
            Claim::Faster
        } else {
            return Claim::Nothing;
        };
        match self.p(effect, random) < SIGNIFICANCE {
            true => claim,
            false => Claim::Nothing,
        }
    }
}

struct Moments {
    mean: f64,
    /// The variance of the mean: that of the sample, with divisor n - 1, over n.
    squared_error: f64,
}

impl Moments {
    /// In one pass, which is exact enough for values near 0.
    fn of(values: impl ExactSizeIterator<Item = f64>) -> Self {
        let n = values.len() as f64;
        let (sum, squares) =
            values.fold((0.0, 0.0), |(sum, squares), value| (sum + value, squares + value * value));
        Self { mean: sum / n, squared_error: (squares - sum * sum / n).max(0.0) / (n - 1.0) / n }
    }

    fn t(&self, other: &Self) -> f64 {
        (self.mean - other.mean) / (self.squared_error + other.squared_error).sqrt()
    }
}

/// `n` values drawn from `values` with replacement.
fn draw(values: &[f64], n: usize, random: &mut ChaCha8Rng) -> impl ExactSizeIterator<Item = f64> {
    // 32 bits are plenty for an index, and half the work.
    let len = values.len() as u32;
    (0..n).map(move |_| values[random.random_range(0..len) as usize])
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.sum::<f64>() / n
}
