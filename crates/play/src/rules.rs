//! What ends a game: the rules of shogi, its length, and the scores of the engines.

use kiki_board::{DeclarationRule, Position};
use kiki_record::{EndReason, GameEnd};
use serde::{Deserialize, Serialize};
use shogi_core::Color;

/// The referee applies these rules, never the engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MatchRules {
    /// Number of plies after which a game is a draw, including the opening.
    pub max_plies: usize,
    pub declaration: EnteringKingRule,
    /// Milliseconds that a move may take beyond its time.
    pub tolerance: u64,
    /// Milliseconds to wait for an engine that no clock limits.
    pub patience: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<ResignRule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawRule>,
}

/// Which declarations of an entered king win.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnteringKingRule {
    None,
    /// 31 points win, 24 to 30 draw.
    Csa24,
    /// Black wins with 28 points, White with 27.
    Csa27,
    /// Reaching the home of the other king wins.
    Try,
}

impl EnteringKingRule {
    #[must_use]
    pub fn board_rule(self) -> DeclarationRule {
        match self {
            Self::None => DeclarationRule::None,
            Self::Csa24 => DeclarationRule::Points24,
            Self::Csa27 => DeclarationRule::Points27,
            Self::Try => DeclarationRule::Try,
        }
    }
}

/// A side loses if its own score was at most `-score` at each of its last `moves` moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    /// Moves of the side in succession. With 0 the rule would end every game.
    pub moves: usize,
    /// Centipawns, above 0: with less the winner would lose.
    pub score: i32,
}

/// A game is drawn from ply `from` on, if each side's last `moves` scores were within `score` of 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// The first ply at which the game may be a draw.
    pub from: usize,
    /// Moves of each side in succession. With 0 the rule would end every game.
    pub moves: usize,
    /// Centipawns, from 0 on: with less the rule would end no game.
    pub score: i32,
}

/// Number of latest successive moves with hopeless or level scores.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoreStreaks {
    hopeless: [usize; 2],
    level: usize,
}

impl ScoreStreaks {
    pub fn record(&mut self, rules: &MatchRules, side: Color, score: Option<i32>) {
        let hopeless = |rule: ResignRule| score.is_some_and(|score| score <= -rule.score);
        let streak = &mut self.hopeless[side.array_index()];
        *streak = if rules.resign.is_some_and(hopeless) { *streak + 1 } else { 0 };
        let level = |rule: DrawRule| score.is_some_and(|score| score.abs() <= rule.score);
        self.level = if rules.draw.is_some_and(level) { self.level + 1 } else { 0 };
    }

    /// How the score rules end the game after `plies`; `None` if they do not.
    #[must_use]
    pub fn end(&self, rules: &MatchRules, plies: usize) -> Option<GameEnd> {
        let is_lost = |side: &Color| rules.resign.is_some_and(|rule| self.hopeless[side.array_index()] >= rule.moves);
        if let Some(side) = Color::all().into_iter().find(is_lost) {
            return Some(GameEnd::loss_of(side, EndReason::ResignRule));
        }
        let level = |rule: DrawRule| plies >= rule.from && self.level >= 2 * rule.moves;
        rules.draw.is_some_and(level).then_some(GameEnd::draw(EndReason::DrawRule))
    }
}

/// How mate, repetition or length ends the game before the next move; `None` if they do not.
#[must_use]
pub fn end_of_position(position: &Position, plies: usize, max_plies: usize) -> Option<GameEnd> {
    let by_length = || (plies >= max_plies).then_some(GameEnd::draw(EndReason::MaxPlies));
    GameEnd::of_position(position).or_else(by_length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> MatchRules {
        MatchRules {
            max_plies: 320,
            declaration: EnteringKingRule::Csa27,
            tolerance: 100,
            patience: 1000,
            resign: Some(ResignRule { moves: 2, score: 1000 }),
            draw: Some(DrawRule { from: 10, moves: 2, score: 20 }),
        }
    }

    #[test]
    fn a_side_loses_by_its_own_hopeless_scores_in_succession() {
        let mut streaks = ScoreStreaks::default();
        for (side, score) in
            [(Color::Black, Some(-1500)), (Color::White, Some(1500)), (Color::Black, None), (Color::Black, Some(-1000))]
        {
            streaks.record(&rules(), side, score);
            assert_eq!(streaks.end(&rules(), 5), None);
        }
        streaks.record(&rules(), Color::Black, Some(-99_990));
        assert_eq!(streaks.end(&rules(), 7), Some(GameEnd::loss_of(Color::Black, EndReason::ResignRule)));
    }

    #[test]
    fn a_level_game_is_drawn_late_enough() {
        let mut streaks = ScoreStreaks::default();
        for plies in 0..10 {
            streaks.record(&rules(), if plies % 2 == 0 { Color::Black } else { Color::White }, Some(20));
            assert_eq!(streaks.end(&rules(), plies), None);
        }
        assert_eq!(streaks.end(&rules(), 10), Some(GameEnd::draw(EndReason::DrawRule)));
        streaks.record(&rules(), Color::White, Some(21));
        assert_eq!(streaks.end(&rules(), 11), None);
    }

    #[test]
    fn the_board_ends_games() {
        let mated = Position::from_sfen("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1").unwrap();
        assert_eq!(end_of_position(&mated, 5, 320), Some(GameEnd::win_of(Color::Black, EndReason::Checkmate)));
        // Mate on the very last ply is mate.
        assert_eq!(end_of_position(&mated, 320, 320), Some(GameEnd::win_of(Color::Black, EndReason::Checkmate)));
        assert_eq!(end_of_position(&Position::startpos(), 320, 320), Some(GameEnd::draw(EndReason::MaxPlies)));
        assert_eq!(end_of_position(&Position::startpos(), 319, 320), None);
        let mut position = Position::startpos();
        for mv in ["5i5h", "5a5b", "5h5i", "5b5a"].iter().cycle().take(12) {
            assert_eq!(end_of_position(&position, 0, 320), None);
            position.make(position.parse_move(mv).unwrap());
        }
        assert_eq!(end_of_position(&position, 0, 320), Some(GameEnd::draw(EndReason::Sennichite)));
    }
}
