//! When a game is over, beyond the rules of shogi: by length, by what the engines themselves think of it, by declaration.

use kiki_board::{DeclarationRule, GameRepetition, Position};
use serde::{Deserialize, Serialize};

use super::game::{Reason, Verdict};

/// What ends games and how strictly. The board decides, never the players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Rules {
    /// The plies after which a game is a draw, those of the opening included.
    pub(crate) max_plies: usize,
    /// Which declarations win.
    pub(crate) declaration: Declaration,
    /// What a move may take beyond its time, in milliseconds.
    pub(crate) tolerance: u64,
    /// How long to wait for an engine whose thinking no clock bounds, in milliseconds.
    pub(crate) patience: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) resign: Option<ResignRule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) draw: Option<DrawRule>,
}

/// Which declarations of an entered king win.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Declaration {
    /// None.
    None,
    /// 31 points win, 24 to 30 draw.
    Csa24,
    /// Black wins with 28 points, White with 27.
    Csa27,
    /// Reaching the home of the other king wins.
    Try,
}

impl Declaration {
    pub(crate) fn rule(self) -> DeclarationRule {
        match self {
            Self::None => DeclarationRule::None,
            Self::Csa24 => DeclarationRule::Points24,
            Self::Csa27 => DeclarationRule::Points27,
            Self::Try => DeclarationRule::Try,
        }
    }
}

/// A side loses whose own score was at most `-score` at each of its last `moves` moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ResignRule {
    pub(crate) moves: usize,
    pub(crate) score: i32,
}

/// A game is a draw from ply `from` on when all scores of the last `moves` moves of each side were within `score` of zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct DrawRule {
    pub(crate) from: usize,
    pub(crate) moves: usize,
    pub(crate) score: i32,
}

/// The scores of the latest moves, as runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Runs {
    hopeless: [usize; 2],
    level: usize,
}

impl Runs {
    /// Notes the score of a side's move.
    pub(crate) fn note(&mut self, rules: &Rules, side: usize, score: Option<i32>) {
        let hopeless = |rule: ResignRule| score.is_some_and(|score| score <= -rule.score);
        self.hopeless[side] = if rules.resign.is_some_and(hopeless) { self.hopeless[side] + 1 } else { 0 };
        let level = |rule: DrawRule| score.is_some_and(|score| score.abs() <= rule.score);
        self.level = if rules.draw.is_some_and(level) { self.level + 1 } else { 0 };
    }

    /// How the rules on scores end the game after so many plies.
    pub(crate) fn end(&self, rules: &Rules, plies: usize) -> Option<(Verdict, Reason)> {
        let gave_up = |side: &usize| rules.resign.is_some_and(|rule| self.hopeless[*side] >= rule.moves);
        if let Some(side) = [0, 1].iter().find(|side| gave_up(side)) {
            return Some((Verdict::win_of(1 - side), Reason::ResignRule));
        }
        let level = |rule: DrawRule| plies >= rule.from && self.level >= 2 * rule.moves;
        rules.draw.is_some_and(level).then_some((Verdict::Draw, Reason::DrawRule))
    }
}

/// How the position itself ends the game before its side to move does anything.
pub(crate) fn end(position: &Position, plies: usize, max_plies: usize) -> Option<(Verdict, Reason)> {
    let mover = position.side_to_move().array_index();
    if position.legal_moves().is_empty() {
        return Some((Verdict::win_of(1 - mover), Reason::Checkmate));
    }
    match position.game_repetition() {
        GameRepetition::None => {}
        GameRepetition::Draw => return Some((Verdict::Draw, Reason::Sennichite)),
        GameRepetition::SideToMoveLoses => return Some((Verdict::win_of(1 - mover), Reason::PerpetualCheck)),
        GameRepetition::SideToMoveWins => return Some((Verdict::win_of(mover), Reason::PerpetualCheck)),
    }
    (plies >= max_plies).then_some((Verdict::Draw, Reason::MaxPlies))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        Rules {
            max_plies: 320,
            declaration: Declaration::Csa27,
            tolerance: 100,
            patience: 1000,
            resign: Some(ResignRule { moves: 2, score: 1000 }),
            draw: Some(DrawRule { from: 10, moves: 2, score: 20 }),
        }
    }

    #[test]
    fn a_side_loses_by_its_own_hopeless_scores_in_succession() {
        let mut runs = Runs::default();
        for (side, score) in [(0, Some(-1500)), (1, Some(1500)), (0, None), (0, Some(-1000))] {
            runs.note(&rules(), side, score);
            assert_eq!(runs.end(&rules(), 5), None);
        }
        runs.note(&rules(), 0, Some(-99_990));
        assert_eq!(runs.end(&rules(), 7), Some((Verdict::White, Reason::ResignRule)));
    }

    #[test]
    fn a_level_game_is_drawn_late_enough() {
        let mut runs = Runs::default();
        for plies in 0..10 {
            runs.note(&rules(), plies % 2, Some(20));
            assert_eq!(runs.end(&rules(), plies), None);
        }
        assert_eq!(runs.end(&rules(), 10), Some((Verdict::Draw, Reason::DrawRule)));
        runs.note(&rules(), 1, Some(21));
        assert_eq!(runs.end(&rules(), 11), None);
    }

    #[test]
    fn the_board_ends_games() {
        let mated = Position::from_sfen("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1").unwrap();
        assert_eq!(end(&mated, 5, 320), Some((Verdict::Black, Reason::Checkmate)));
        // Mate on the very last ply is mate.
        assert_eq!(end(&mated, 320, 320), Some((Verdict::Black, Reason::Checkmate)));
        assert_eq!(end(&Position::startpos(), 320, 320), Some((Verdict::Draw, Reason::MaxPlies)));
        assert_eq!(end(&Position::startpos(), 319, 320), None);
        let mut position = Position::startpos();
        for mv in ["5i5h", "5a5b", "5h5i", "5b5a"].iter().cycle().take(12) {
            assert_eq!(end(&position, 0, 320), None);
            position.make(position.parse_move(mv).unwrap());
        }
        assert_eq!(end(&position, 0, 320), Some((Verdict::Draw, Reason::Sennichite)));
    }
}
