//! Sessions resampled from a record, and the gate's rule applied to them.
//!
//! A session is a window of consecutive blocks, so that drift and bad minutes stay as they were;
//! which arm is called A is drawn too. A change is injected virtually: B's times grow by x, which
//! adds ln(1 + x) to every log difference.
//!
//! Windows overlap, so a thousand of them are not a thousand independent sessions: the record holds
//! only `blocks / n` that share no block, and its own length bounds what can be known. [`Rate`]
//! therefore carries both bounds.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::judge::Tolerance;
use crate::judge::calibrate::record::Arms;
use crate::stats;
use crate::stats::Decision;

/// Where a session lies in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The first block, counted from 0.
    pub start: usize,
    /// Arm b is called A, and a is called B.
    pub swapped: bool,
}

/// So many windows of `span` blocks in a record of `blocks`, drawn with replacement: every start
/// and both names of the arms are equally probable. Other spans draw from other streams of the
/// seed. Empty when the record is shorter than the span.
pub fn windows(seed: u64, sessions: usize, blocks: usize, span: usize) -> Vec<Window> {
    let Some(last) = blocks.checked_sub(span) else {
        return Vec::new();
    };
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(span as u64);
    let draw = |_| Window { start: random.random_range(0..=last), swapped: random.random() };
    (0..sessions).map(draw).collect()
}

impl Window {
    /// The times of A and of B in `n` blocks, in ms: A's from the window's start, B's `later`
    /// blocks after it; `None` beyond the record's end.
    pub fn cut<'a>(&self, arms: &'a Arms, n: usize, later: usize) -> Option<[&'a [f64]; 2]> {
        let (a, b) = if self.swapped { (&arms.b, &arms.a) } else { (&arms.a, &arms.b) };
        let from = self.start + later;
        Some([a.get(self.start..self.start + n)?, b.get(from..from + n)?])
    }
}

/// What a session would see at each of its looks, before any change is injected.
#[derive(Clone, Debug)]
pub struct Session(Vec<Look>);

#[derive(Clone, Copy, Debug)]
struct Look {
    blocks: usize,
    /// The median of A so far, in ms.
    median_ms: f64,
    /// The 95 % interval of ln(B) - ln(A); none below 6 blocks.
    ci95: Option<[f64; 2]>,
}

impl Session {
    /// Looks at A and B, block by block in ms, after `min` blocks and at the further
    /// [`stats::looks`] up to all of them.
    ///
    /// `None` when the lengths differ, or a time is not above 0 and finite.
    pub fn of([a, b]: [&[f64]; 2], min: usize) -> Option<Self> {
        let differences = stats::log_differences(b, a)?;
        let look = |blocks: usize| {
            Some(Look {
                blocks,
                median_ms: stats::quantile(&a[..blocks], 0.5)?,
                ci95: stats::hodges_lehmann(&differences[..blocks])?.ci95,
            })
        };
        let looks = stats::looks(min, a.len());
        looks.into_iter().map(look).collect::<Option<_>>().map(Self)
    }

    /// What the gate says when B takes longer by `effect` as a fraction, and after how many blocks:
    /// at the first look whose outcome is final, else at the last.
    ///
    /// The Hodges-Lehmann interval moves with its differences, so one computation serves every
    /// effect.
    pub fn judge(&self, effect: f64, tolerance: Tolerance) -> (Decision, usize) {
        let mut last = (Decision::Inconclusive, 0);
        for look in &self.0 {
            let outcome = look.ci95.map_or(Decision::Inconclusive, |ci| {
                let ratio = ci.map(|end| end.exp() * (1.0 + effect));
                stats::classify(ratio, tolerance.over(look.median_ms))
            });
            last = (outcome, look.blocks);
            if outcome.is_final() {
                break;
            }
        }
        last
    }
}

/// How often sessions ended in each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcomes {
    /// How much longer B was made, as a fraction; at 0 both arms are identical.
    pub effect: f64,
    /// Sessions in all.
    pub sessions: usize,
    /// Said to be slower: caught when there is an effect, a false alarm when there is none.
    pub regressed: usize,
    /// Said to be faster, which is always false here.
    pub improved: usize,
    /// Said to be within the tolerance.
    pub ok: usize,
    /// Undecided after the last look.
    pub inconclusive: usize,
    /// How many blocks a session took on average.
    pub mean_blocks: f64,
}

impl Outcomes {
    /// Judges all `sessions` with one effect.
    pub fn count(sessions: &[Session], effect: f64, tolerance: Tolerance) -> Self {
        let mut counts = Self { effect, sessions: sessions.len(), ..Self::default() };
        let mut blocks = 0;
        for session in sessions {
            let (outcome, stopped) = session.judge(effect, tolerance);
            blocks += stopped;
            *match outcome {
                Decision::Regressed => &mut counts.regressed,
                Decision::Improved => &mut counts.improved,
                Decision::Ok => &mut counts.ok,
                Decision::Inconclusive => &mut counts.inconclusive,
            } += 1;
        }
        counts.mean_blocks = blocks as f64 / sessions.len().max(1) as f64;
        counts
    }

    /// The share of sessions that said slower.
    pub fn caught(&self) -> f64 {
        self.regressed as f64 / self.sessions.max(1) as f64
    }
}

/// How often something happened among resampled sessions, and how often it may happen at most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// How often.
    pub events: usize,
    /// Among so many sessions.
    pub sessions: usize,
    /// The 95 % Clopper-Pearson upper bound of the probability, as if the sessions were
    /// independent. They overlap: too optimistic.
    pub upper95: f64,
    /// How many sessions of this length the record holds that share no block.
    pub disjoint: usize,
    /// The same bound as if there were only those: what the record alone can vouch for. Rather
    /// pessimistic.
    pub upper95_disjoint: f64,
}

impl Rate {
    /// `events` among `sessions` that were drawn from a record with room for `disjoint` ones.
    pub fn new(events: usize, sessions: usize, disjoint: usize) -> Self {
        let share = events as f64 / sessions.max(1) as f64;
        let bound = |trials: usize| {
            let trials = trials as f64;
            stats::upper_bound(share * trials, trials).unwrap_or(1.0)
        };
        Self {
            events,
            sessions,
            upper95: bound(sessions),
            disjoint,
            upper95_disjoint: bound(disjoint),
        }
    }
}
