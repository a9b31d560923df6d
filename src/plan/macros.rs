//! How much is measured, and in which manner.

use std::ops::Range;

use crate::config::{MacroIterations, Transactions};
use crate::model::TransactionProfile;
use crate::model::workload::Arm;
use crate::model::workload::Workload;
use crate::stats;

/// How often what is run, and on which documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Macro-iterations of every arm that count, before the first look at them.
    pub macros: u32,
    /// At most so many of [`HEADLINE`] and its sentinel, where the looks before them decide
    /// nothing.
    pub max_macros: u32,
    /// How far from the headline's ratio both ends of its 95 % interval may be, as a share of it,
    /// before a look decides; any distance where nothing is said.
    ///
    /// It is asked for the interval's width, never for what it says of 1, so that looks find no
    /// difference more often where there is none (Chow and Robbins, Annals of Mathematical
    /// Statistics 36, 1965). So it may be asked often.
    pub within: Option<f64>,
    /// Whether one more macro-iteration comes first, which does not count.
    pub warm_up: bool,
    /// Iterations of a macro-iteration of a workload whose calls concern single documents.
    pub single: usize,
    /// The same for [`Operation::MANY`](super::Operation::MANY) documents a call.
    pub many: usize,
    /// Which iterations of a macro-iteration count, from 0; all where nothing is said.
    pub kept: Option<Range<usize>>,
    /// The documents.
    pub layout: Layout,
    /// The arms: each macro-iteration has every one, in random order.
    pub arms: Vec<Arm>,
    /// Decides the order.
    pub seed: u64,
}

/// What is loaded, and how it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Documents of a collection before each macro-iteration of an arm.
    pub documents: usize,
    /// Whether their ids have a unique index. Without one every filter scans, and then a
    /// macro-iteration of an arm finds its collections new, as in the article; with one only as
    /// many are deleted and inserted as it inserted and deleted.
    pub indexed: bool,
}

/// The letters of the arms whose ratio is the headline: the same durability on both sides.
pub const HEADLINE: [&str; 2] = [Arm::E.letter, Arm::B.letter];

/// Of `quick` and `fair`: enough for all iterations, and few enough to be loaded in a moment.
const INDEXED: Layout = Layout { documents: 6_000, indexed: true };

impl TransactionProfile {
    /// What it means.
    pub fn plan(self, seed: u64) -> Plan {
        match self {
            Self::Quick => Plan {
                macros: 10,
                max_macros: 30,
                within: None,
                warm_up: true,
                single: 20,
                many: 3,
                kept: None,
                layout: INDEXED,
                arms: vec![Arm::A, Arm::B, Arm::SENTINEL, Arm::D, Arm::E],
                seed,
            },
            Self::Fair => Plan {
                max_macros: 150,
                within: Some(0.05),
                single: 10,
                many: 2,
                arms: Arm::ALL.into_iter().filter(|arm| *arm != Arm::NEW_SESSION).collect(),
                ..Self::Quick.plan(seed)
            },
            Self::Article => Plan {
                macros: 100,
                max_macros: 100,
                within: None,
                warm_up: false,
                single: 300,
                many: 300,
                kept: Some(100..200),
                layout: Layout { documents: 100_000, indexed: false },
                arms: vec![Arm::DEFAULT, Arm::NEW_SESSION],
                seed,
            },
        }
    }
}

/// Macro-iterations from one look at the width to the next.
const WIDTH_LOOK: u32 = 5;

impl Plan {
    /// Whether the measurement may end after so many macro-iterations: at a usual look; and where
    /// the width of an interval ends it, at every fifth, too.
    pub fn is_look(&self, number: u32) -> bool {
        let of_width = self.within.is_some() && number >= self.macros;
        of_width && number.is_multiple_of(WIDTH_LOOK) || self.is_usual_look(number)
    }

    /// Whether a limit may be said to be exceeded after so many macro-iterations. More looks than
    /// the usual ones would say so too often of one that is just kept.
    pub fn is_usual_look(&self, number: u32) -> bool {
        stats::looks(self.macros as usize, self.max_macros as usize).contains(&(number as usize))
    }

    /// Iterations of this workload in a macro-iteration of one arm: half of them, rounded up, where
    /// one is several operations and nothing has to be as in the article.
    pub fn iterations(&self, workload: &Workload) -> usize {
        let iterations = if workload.size() > 1 { self.many } else { self.single };
        if self.layout.indexed && workload.steps.len() > 1 {
            iterations.div_ceil(2)
        } else {
            iterations
        }
    }

    /// The same plan with exactly so many macro-iterations of every arm.
    pub fn with_macros(self, macros: u32) -> Self {
        Self { macros, max_macros: macros, ..self }
    }
}

impl Transactions {
    /// How often what is run, with this seed.
    pub fn plan(&self, seed: u64) -> Plan {
        let plan = self.profile.plan(seed);
        match self.macro_iterations {
            Some(MacroIterations(macros)) => plan.with_macros(macros),
            None => plan,
        }
    }
}
