//! Where ProbCut takes its margins from.

use std::sync::Arc;

use kiki_board::Position;
use kiki_eval::{PairModel, SigmaModel, progress_elements};

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
    /// The margin of check searches in hundredths of sigma.
    pub k: i32,
    /// How nodes themselves are searched less deep.
    pub checks: CheckOptions,
}

impl Default for ProbCutOptions {
    fn default() -> Self {
        Self { mode: ProbCutMode::default(), k: 100, checks: CheckOptions::default() }
    }
}

/// Check searches: of a node itself, less deep. One whose value lies far enough outside the window cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckOptions {
    /// The least depth of nodes that have them, in plies.
    pub min_depth: i32,
    /// The greatest; none have them if it is less.
    pub max_depth: i32,
    /// How many plies less deep they are.
    pub reduction: i32,
    /// How many centipawns outside the window their values must lie where margins do not follow from sigma; 0 for no check searches there.
    pub margin: Value,
    /// How many plies less deep a first, cheaper one is; there is none unless it is more than that of the other.
    pub first_reduction: i32,
    /// The margin of the first one in percent of the other's.
    pub first_percent: i32,
    /// The margins for cuts below alpha in percent of those above beta; 0 for no such cuts.
    pub low_percent: i32,
    /// How many check searches a check search may stand in.
    pub most_nested: i32,
}

impl Default for CheckOptions {
    /// The numbers that the engine plays with.
    fn default() -> Self {
        Self {
            min_depth: params::probcut_search_min(),
            max_depth: params::probcut_search_max(),
            reduction: params::probcut_search_reduction(),
            margin: params::probcut_search_margin(),
            first_reduction: params::probcut_first_reduction(),
            first_percent: params::probcut_first_percent(),
            low_percent: params::probcut_low_percent(),
            most_nested: params::probcut_nested(),
        }
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

/// A check search.
#[derive(Clone)]
struct CheckSearch {
    /// How many plies less deep.
    reduction: i32,
    /// In percent of the usual one.
    margin_percent: i32,
    pairs: PairOfDepth,
}

impl CheckSearch {
    fn new(model: &SigmaModel, reduction: i32, margin_percent: i32) -> Self {
        Self { reduction, margin_percent, pairs: pairs_of(model, reduction) }
    }
}

/// A node that a shallow search may cut, and the bound that it must reach.
#[derive(Clone, Copy)]
pub(crate) struct CutNode<'a> {
    /// In plies.
    pub(crate) depth: i32,
    pub(crate) position: &'a Position,
    /// Before corrections.
    pub(crate) static_value: Value,
    /// Beta for [`Bound::Lower`], alpha for [`Bound::Upper`].
    pub(crate) value: Value,
    /// On which side of the window the cut is.
    pub(crate) bound: Bound,
}

/// The margins of a search.
#[derive(Clone)]
pub(crate) struct ProbCutMargins {
    options: ProbCutOptions,
    model: Arc<SigmaModel>,
    captures: PairOfDepth,
    /// The cheapest first.
    checks: Vec<CheckSearch>,
    observer: Option<ProbCutObserver>,
}

impl Default for ProbCutMargins {
    fn default() -> Self {
        Self::new(ProbCutOptions::default(), Arc::default(), None)
    }
}

impl ProbCutMargins {
    pub(crate) fn new(options: ProbCutOptions, model: Arc<SigmaModel>, observer: Option<ProbCutObserver>) -> Self {
        let checks = options.checks;
        let last = CheckSearch::new(&model, checks.reduction, 100);
        let first = CheckSearch::new(&model, checks.first_reduction, checks.first_percent);
        Self {
            options,
            captures: pairs_of(&model, params::probcut_reduction()),
            checks: if first.reduction > last.reduction { vec![first, last] } else { vec![last] },
            model,
            observer,
        }
    }

    /// Whether ProbCut is tried at all.
    pub(crate) fn is_on(&self) -> bool {
        self.options.mode != ProbCutMode::Off
    }

    /// How many check searches a node of this depth has on this side of the window, itself inside so many others.
    pub(crate) fn check_searches(&self, depth: i32, outer: usize, bound: Bound) -> usize {
        let CheckOptions { min_depth, max_depth, low_percent, most_nested, .. } = self.options.checks;
        let has_margin = self.options.mode != ProbCutMode::Constant || self.options.checks.margin > 0;
        let has_some = self.is_on()
            && has_margin
            && (min_depth..=max_depth).contains(&depth)
            && outer <= most_nested as usize
            && (bound != Bound::Upper || low_percent > 0);
        if has_some { self.checks.len() } else { 0 }
    }

    /// The depth of a check search, and the value that it must reach for a cut, from above if the bound is an upper one. `None` where the margin
    /// is to follow from sigma and the model has no such pair of depths.
    pub(crate) fn check_search(&self, index: usize, node: &CutNode<'_>) -> Option<(i32, Value)> {
        let check = &self.checks[index];
        let side = match node.bound {
            Bound::Lower | Bound::Exact => 100,
            Bound::Upper => -self.options.checks.low_percent,
        };
        let share = (side * check.margin_percent) as f32 / 10_000.0;
        let threshold = if self.options.mode == ProbCutMode::Constant {
            node.value + (share * self.options.checks.margin as f32) as Value
        } else {
            self.threshold(pair_at(&check.pairs, node.depth), node, share * self.options.k as f32 / 100.0)?
        };
        Some((node.depth - check.reduction, threshold))
    }

    /// What a capture must be worth in a shallow search for a cut.
    pub(crate) fn of_capture(&self, node: &CutNode<'_>) -> Value {
        self.threshold(pair_at(&self.captures, node.depth), node, params::probcut_capture_k() as f32 / 100.0)
            .unwrap_or(node.value + params::probcut_margin())
    }

    /// Tells who wants to know that a cut is made.
    #[inline(always)]
    pub(crate) fn observe(&self, position: &Position, claim: &ProbCutClaim) {
        if let Some(observer) = &self.observer {
            observer(position, claim);
        }
    }

    /// The shallow value for which the deep one is expected to lie so many sigma above the bound; `None` if margins do not follow from sigma.
    fn threshold(&self, pair: Option<u8>, node: &CutNode<'_>, deviations: f32) -> Option<Value> {
        if matches!(self.options.mode, ProbCutMode::Off | ProbCutMode::Constant) {
            return None;
        }
        let index = usize::from(pair?);
        let elements = progress_elements(node.position);
        let line = self.model.value_line(index, &elements);
        // The shallow value that the bound itself is expected for.
        let level = (node.value as f32 - line.offset) / line.slope;
        let sigma = match self.options.mode {
            ProbCutMode::Off | ProbCutMode::Constant => return None,
            ProbCutMode::Progress => self.model.sigma_of_progress(index, &elements),
            ProbCutMode::Features => self.model.sigma_of_features(index, node.position),
            ProbCutMode::Sigma => self.model.sigma_of_values(index, &elements, node.static_value, level as Value),
        };
        Some((level + deviations * sigma * line.share / line.slope) as Value)
    }
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
