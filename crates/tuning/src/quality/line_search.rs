//! One search of one position: its principal variation, and the static values at both ends of it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kiki_board::{Move, Position, SearchRepetition};
use kiki_eval::{Evaluator as _, SelectedEvaluator, SelectedWeights};
use kiki_search::{Limits, Options, ResourceError, RootScore};

use kiki_run::position_search::PositionSearcher;

/// What a search says of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineOutcome {
    /// Both ends have a static value.
    Compared(LineValues),
    /// They cannot be compared.
    LeftOut(LeftOut),
}

/// Values in centipawns for the side to move at the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LineValues {
    /// The static value of the root.
    pub(crate) root: i32,
    /// The static value at the end of the principal variation.
    pub(crate) leaf: i32,
    /// What the search found.
    pub(crate) searched: i32,
    /// The length of the principal variation.
    pub(crate) plies: usize,
}

/// Why a position is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LeftOut {
    /// The side to move is in check: the search asks for no static value there.
    InCheck,
    /// The search found a mate, a win by declaration, or no legal move.
    Mate,
    /// The line ends in a repetition, which has a value by the rules.
    Repetition,
    /// The line ends in a position in check.
    EndsInCheck,
}

impl LeftOut {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::InCheck, Self::Mate, Self::Repetition, Self::EndsInCheck];

    /// Its key in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::InCheck => "in_check",
            Self::Mate => "mate",
            Self::Repetition => "repetition",
            Self::EndsInCheck => "ends_in_check",
        }
    }
}

/// Searches positions one by one on a single thread.
pub(crate) struct LineSearcher {
    searcher: PositionSearcher,
    weights: Arc<SelectedWeights>,
    limits: Limits,
}

impl LineSearcher {
    /// # Errors
    /// If the system refuses threads or memory.
    pub(crate) fn new(
        weights: &SelectedWeights,
        limits: Limits,
        table_mebibytes: usize,
    ) -> Result<Self, ResourceError> {
        // Only the last line counts, which is whole and exact.
        let options = Options {
            threads: 1,
            table_mebibytes,
            pv_interval: Duration::from_secs(3600),
            report_bounds: false,
            ..Options::default()
        };
        let searcher = PositionSearcher::new(weights, options)?;
        Ok(Self { searcher, weights: Arc::new(weights.clone()), limits })
    }

    /// Searches a position without knowledge of earlier ones; `None` if `stop` was set meanwhile.
    pub(crate) fn look(&mut self, position: &Position, stop: &AtomicBool) -> Option<LineOutcome> {
        if position.in_check() {
            return Some(LineOutcome::LeftOut(LeftOut::InCheck));
        }
        let searched = self.searcher.search_anew(position, &self.limits, stop)?;
        Some(match searched.result.score {
            RootScore::Mate(_) => LineOutcome::LeftOut(LeftOut::Mate),
            RootScore::Centipawns(value) => {
                let line = searched.infos.last().map_or(&[][..], |info| &info.pv);
                compare(&self.weights, position, line, value)
            }
        })
    }
}

/// The static values at both ends of a line whose searched value is known.
fn compare(weights: &Arc<SelectedWeights>, root: &Position, line: &[Move], searched: i32) -> LineOutcome {
    let mut position = root.clone();
    line.iter().for_each(|&mv| {
        position.make(mv);
    });
    let plies = line.len();
    if position.search_repetition(plies) != SearchRepetition::None {
        return LineOutcome::LeftOut(LeftOut::Repetition);
    }
    if position.in_check() {
        return LineOutcome::LeftOut(LeftOut::EndsInCheck);
    }
    let of_side_to_move = |position: &Position| SelectedEvaluator::new(weights, position).evaluate(position);
    let leaf = of_side_to_move(&position);
    // After an odd number of plies the other side is to move.
    let leaf = if plies.is_multiple_of(2) { leaf } else { -leaf };
    LineOutcome::Compared(LineValues { root: of_side_to_move(root), leaf, searched, plies })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_eval::Weights;

    /// Nothing but material counts, and as much on the board as in hand.
    fn material() -> SelectedWeights {
        let mut weights = Weights::default();
        for name in ["own_effect", "enemy_effect", "board_discount"] {
            assert!(weights.set(name, 0), "{name}");
        }
        assert!(weights.set("material_pawn", 100));
        SelectedWeights::Formula(Arc::new(weights))
    }

    fn look(sfen: &str, depth: u32) -> LineOutcome {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let mut searcher = LineSearcher::new(&material(), limits, 1).unwrap();
        searcher.look(&Position::from_sfen(sfen).unwrap(), &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn values_at_the_end_are_those_of_the_side_that_moved_first() {
        // A pawn takes a pawn, and there is nothing else to take: a pawn ahead before, three after.
        for sfen in ["4k4/9/9/4p4/4P4/9/9/9/4K4 b P 1", "4k4/9/9/9/4p4/4P4/9/9/4K4 w p 1"] {
            let values = LineValues { root: 100, leaf: 300, searched: 300, plies: 1 };
            assert_eq!(look(sfen, 1), LineOutcome::Compared(values), "{sfen}");
        }
    }

    #[test]
    fn both_ends_of_a_longer_line_belong_to_the_same_side() {
        // Two plies on, the side that has lost a pawn is to move again or not: the value stays that of the first side.
        let LineOutcome::Compared(values) = look("4k4/9/9/4p4/4P4/9/9/9/4K4 w - 1", 2) else { panic!("compared") };
        assert_eq!((values.root, values.leaf), (0, values.searched), "{values:?}");
    }

    #[test]
    fn what_has_no_static_value_is_left_out() {
        let left_out = |sfen, depth| match look(sfen, depth) {
            LineOutcome::LeftOut(reason) => reason,
            LineOutcome::Compared(values) => panic!("{sfen}: {values:?}"),
        };
        // A rook gives check; a gold mates.
        assert_eq!(left_out("4k4/9/9/4R4/9/9/9/9/4K4 w - 1", 2), LeftOut::InCheck);
        assert_eq!(left_out("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 2), LeftOut::Mate);
    }

    #[test]
    fn a_line_back_to_the_root_ends_in_a_repetition() {
        let root = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 1").unwrap();
        let mut position = root.clone();
        let line = ["5i4i", "5a4a", "4i5i", "4a5a"].map(|text| {
            let mv = position.parse_move(text).unwrap();
            position.make(mv);
            mv
        });
        let weights = Arc::new(material());
        assert_eq!(compare(&weights, &root, &line, 0), LineOutcome::LeftOut(LeftOut::Repetition));
        let values = LineValues { root: 0, leaf: 0, searched: 0, plies: 3 };
        assert_eq!(compare(&weights, &root, &line[..3], 0), LineOutcome::Compared(values));
        assert_eq!(LeftOut::ALL.map(LeftOut::name).len(), 4);
    }

    #[test]
    fn a_search_that_is_stopped_says_nothing() {
        let mut searcher = LineSearcher::new(&material(), Limits { depth: Some(60), ..Limits::default() }, 1).unwrap();
        assert_eq!(searcher.look(&Position::startpos(), &AtomicBool::new(true)), None);
    }
}
