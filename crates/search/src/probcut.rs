//! Where ProbCut takes its margins from.

use std::ops::RangeInclusive;
use std::sync::Arc;

use kiki_board::Position;
use kiki_eval::{PairModel, SigmaModel, SigmaSource};

use crate::params;
use crate::value::{Bound, Value};

/// Where ProbCut takes its margins from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ProbCutMode {
    /// It is not tried.
    Off,
    /// A margin is the same everywhere.
    #[default]
    Constant,
    /// A margin is a multiple of the sigma that the progress of the game foretells.
    Progress,
    /// A margin is a multiple of the sigma that all features of the position foretell.
    Features,
    /// A margin is a multiple of the sigma that the progress and the values foretell.
    Sigma,
}

/// How ProbCut is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbCutOptions {
    /// Where its margins come from.
    pub mode: ProbCutMode,
    /// The margin in hundredths of sigma.
    pub k: u32,
}

impl Default for ProbCutOptions {
    fn default() -> Self {
        Self { mode: ProbCutMode::default(), k: 100 }
    }
}

/// What a cut by ProbCut claims of a position: that a search to this depth would find a value of at least, or at most, this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbCutClaim {
    /// The depth in plies.
    pub depth: i32,
    /// [`Bound::Lower`] for at least, [`Bound::Upper`] for at most.
    pub bound: Bound,
    /// In centipawns, for the side to move.
    pub value: Value,
    /// Whether a capture made the claim; else it was a search of the position itself.
    pub by_capture: bool,
}

/// Is told of each cut, from the searching threads, so that it can be verified.
pub type ProbCutObserver = Arc<dyn Fn(&Position, &ProbCutClaim) + Send + Sync>;

/// Depths have pairs of their own up to this; greater ones have that of the last.
const DEPTHS: usize = 32;

/// For each depth the number of the model's pair that stands for it, if there is one.
type PairOfDepth = [Option<u8>; DEPTHS];

/// The margins of a search.
#[derive(Clone)]
pub(crate) struct ProbCutMargins {
    options: ProbCutOptions,
    model: Arc<SigmaModel>,
    captures: PairOfDepth,
    searches: PairOfDepth,
    /// The depths of nodes that are searched less deep for it.
    pub(crate) search_depths: RangeInclusive<i32>,
    observer: Option<ProbCutObserver>,
}

impl Default for ProbCutMargins {
    fn default() -> Self {
        Self::new(ProbCutOptions::default(), Arc::default(), None)
    }
}

impl ProbCutMargins {
    pub(crate) fn new(options: ProbCutOptions, model: Arc<SigmaModel>, observer: Option<ProbCutObserver>) -> Self {
        let captures = pairs_of(&model, params::probcut_reduction());
        let searches = pairs_of(&model, params::probcut_search_reduction());
        let search_depths = params::probcut_search_min()..=params::probcut_search_max();
        Self { options, model, captures, searches, search_depths, observer }
    }

    /// Whether ProbCut is tried at all.
    pub(crate) fn is_on(&self) -> bool {
        self.options.mode != ProbCutMode::Off
    }

    /// What a capture must be worth in a shallow search for a cut at a node of this depth.
    pub(crate) fn of_capture(&self, depth: i32, position: &Position, static_value: Value, beta: Value) -> Value {
        let threshold = Threshold { bound: beta, deviations: params::probcut_capture_k() as f32 / 100.0 };
        self.threshold(pair_at(&self.captures, depth), position, static_value, threshold)
            .unwrap_or(beta + params::probcut_margin())
    }

    /// The least value of a shallow search of the node itself that allows a cut above beta.
    pub(crate) fn above(&self, depth: i32, position: &Position, static_value: Value, beta: Value) -> Value {
        let threshold = Threshold { bound: beta, deviations: self.options.k as f32 / 100.0 };
        self.threshold(pair_at(&self.searches, depth), position, static_value, threshold)
            .unwrap_or(beta + params::probcut_search_margin())
    }

    /// The greatest value of a shallow search of the node itself that allows a cut below alpha.
    pub(crate) fn below(&self, depth: i32, position: &Position, static_value: Value, alpha: Value) -> Value {
        let threshold = Threshold { bound: alpha, deviations: -(self.options.k as f32) / 100.0 };
        self.threshold(pair_at(&self.searches, depth), position, static_value, threshold)
            .unwrap_or(alpha - params::probcut_search_margin())
    }

    /// Tells who wants to know that a cut is made.
    #[inline(always)]
    pub(crate) fn observe(&self, position: &Position, claim: &ProbCutClaim) {
        if let Some(observer) = &self.observer {
            observer(position, claim);
        }
    }

    /// The shallow value for which the deep one is expected to lie so many sigma beyond a bound; `None` if margins do not follow from sigma.
    fn threshold(
        &self,
        pair: Option<u8>,
        position: &Position,
        static_value: Value,
        threshold: Threshold,
    ) -> Option<Value> {
        let index = usize::from(pair?);
        let pair = &self.model.pairs[index];
        // The shallow value that the bound itself is expected for.
        let level = (threshold.bound as f32 - pair.offset) / pair.slope;
        let sigma = match self.options.mode {
            ProbCutMode::Off | ProbCutMode::Constant => return None,
            ProbCutMode::Progress => self.model.sigma(index, SigmaSource::Progress, position),
            ProbCutMode::Features => self.model.sigma(index, SigmaSource::Features, position),
            ProbCutMode::Sigma => self.model.sigma_of_value(index, position, static_value, level as Value),
        };
        Some((level + threshold.deviations * sigma / pair.slope) as Value)
    }
}

/// A bound of the deep value, and how many sigma beyond it.
#[derive(Clone, Copy)]
struct Threshold {
    bound: Value,
    deviations: f32,
}

/// The pairs whose shallow search is so many plies less deep. A depth without one has the nearest: sigma changes little from depth to depth.
fn pairs_of(model: &SigmaModel, reduction: i32) -> PairOfDepth {
    let fits = |pair: &PairModel| i32::from(pair.deep - pair.shallow) == reduction;
    std::array::from_fn(|depth| {
        let fitting = model.pairs.iter().enumerate().filter(|(_, pair)| fits(pair));
        let (index, _) = fitting.min_by_key(|(_, pair)| usize::from(pair.deep).abs_diff(depth))?;
        u8::try_from(index).ok()
    })
}

fn pair_at(pairs: &PairOfDepth, depth: i32) -> Option<u8> {
    pairs[(depth.max(0) as usize).min(DEPTHS - 1)]
}
