//! How the sides of a game played, by the values of one engine.

use kiki_board::Color;
use serde::Serialize;

use crate::phase::Phase;
use kiki_judgement::{Judgement, SideSummary, Thresholds};

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct JudgedMove {
    pub side: Color,
    /// The phase of the position before it.
    pub phase: Phase,
    pub judgement: Judgement,
    /// Whether it is the engine's own choice.
    pub is_best: bool,
}

/// How both sides played.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EngineSummary {
    pub engine: String,
    /// Number of positions that it searched without reporting a value.
    pub without_value: usize,
    pub black: SideReport,
    pub white: SideReport,
}

/// How one side played, in the whole game and in its parts.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SideReport {
    /// The whole game.
    #[serde(flatten)]
    pub game: SideSummary,
    pub phases: PhaseSummaries,
    /// Judged moves by the size of their loss.
    pub losses: [LossClass; LOSSES.len()],
}

/// How one side played in each phase.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PhaseSummaries {
    pub opening: SideSummary,
    pub middle_game: SideSummary,
    pub end_game: SideSummary,
}

/// A class of losses; it ends where the next one begins.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct LossClass {
    /// The least loss.
    pub from: f64,
    pub moves: usize,
}

/// The least losses of the classes.
const LOSSES: [f64; 7] = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];

impl SideReport {
    /// Sums up the moves of one side.
    #[must_use]
    pub fn new(side: Color, moves: &[JudgedMove], thresholds: &Thresholds) -> Self {
        let summary = |is_counted: &dyn Fn(Phase) -> bool| {
            let counted = moves.iter().filter(|found| found.side == side && is_counted(found.phase));
            SideSummary::new(counted.map(|found| (found.judgement, found.is_best)), thresholds)
        };
        let [opening, middle_game, end_game] = Phase::ALL.map(|phase| summary(&|found| found == phase));
        let judged = || moves.iter().filter(|found| found.side == side && found.judgement.unjudged.is_none());
        let class = |loss: f64| LOSSES.iter().rposition(|&least| loss >= least);
        let losses = std::array::from_fn(|place| LossClass {
            from: LOSSES[place],
            moves: judged().filter(|found| class(found.judgement.loss) == Some(place)).count(),
        });
        Self { game: summary(&|_| true), phases: PhaseSummaries { opening, middle_game, end_game }, losses }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_judgement::Unjudged;

    #[test]
    fn moves_are_counted_by_side_phase_and_loss() {
        let judged = |side, phase, loss| {
            let judgement = Judgement { loss, mark: None, unjudged: None };
            JudgedMove { side, phase, judgement, is_best: loss == 0.0 }
        };
        let decided = Judgement { loss: 0.3, mark: None, unjudged: Some(Unjudged::Decided) };
        let moves = [
            judged(Color::Black, Phase::Opening, 0.0),
            judged(Color::White, Phase::Opening, 0.02),
            judged(Color::Black, Phase::MiddleGame, 0.2),
            judged(Color::Black, Phase::MiddleGame, 0.019),
            JudgedMove { judgement: decided, ..judged(Color::Black, Phase::EndGame, 0.0) },
        ];
        let SideReport { game, phases, losses } = SideReport::new(Color::Black, &moves, &Thresholds::default());
        assert_eq!((game.judged, game.best_moves), (3, 1));
        assert_eq!((phases.opening.judged, phases.opening.accuracy), (1, Some(100.0)));
        assert_eq!((phases.middle_game.judged, phases.end_game.judged, phases.end_game.accuracy), (2, 0, None));
        assert_eq!(losses.map(|class| class.moves), [1, 1, 0, 0, 0, 1, 0]);
        assert_eq!(losses.map(|class| class.from), LOSSES);
    }
}
