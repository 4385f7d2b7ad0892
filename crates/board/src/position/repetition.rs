//! Repetition: the result by the rules, and what the search may conclude from the first repetition.

use super::Position;
use super::state::StateInfo;
use crate::{Color, opponent};

/// The result by the rules when a position (board, hands and side to move) occurs for the fourth time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameRepetition {
    /// The position has occurred fewer than four times.
    None,
    /// Sennichite: a draw.
    Draw,
    /// Every move of the side to move since the first occurrence gave check: it loses.
    SideToMoveLoses,
    /// Every move of the opponent since the first occurrence gave check: the side to move wins.
    SideToMoveWins,
}

/// What a repetition of the board means for the side to move, within a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchRepetition {
    /// No repetition that counts.
    None,
    /// Same board and hands: a draw.
    Draw,
    /// The opponent has given check with every move since the first occurrence (perpetual check): the side to move wins.
    Win,
    /// The side to move has given check with every move since the first occurrence (perpetual check): it loses.
    Loss,
    /// Same board, but the side to move has more in hand than before, and the opponent less.
    Superior,
    /// Same board, but the side to move has less in hand than before.
    Inferior,
}

impl Position {
    /// The result by the rules for the current position. The start position counts as an occurrence. A side that has given check with
    /// every move since the first occurrence loses.
    #[must_use]
    pub fn game_repetition(&self) -> GameRepetition {
        let (now, states) = (self.state(), self.states.states());
        let same = |at: &StateInfo| at.fields.board_key == now.board_key && at.fields.hands == now.hands;
        let Some(fourth) = (0..states.len()).rev().filter(|&i| same(&states[i])).nth(3) else {
            return GameRepetition::None;
        };
        // With more than four occurrences, the first of all counts.
        let first = (0..=fourth).find(|&i| same(&states[i])).unwrap_or(fourth);
        let moves = states.len() - 1 - first;
        match (self.checked_always(self.side, moves), self.checked_always(opponent(self.side), moves)) {
            (true, false) => GameRepetition::SideToMoveLoses,
            (false, true) => GameRepetition::SideToMoveWins,
            _ => GameRepetition::Draw,
        }
    }

    /// Whether all moves of a side among the latest `moves` moves gave check.
    fn checked_always(&self, side: Color, moves: usize) -> bool {
        // The current state was reached by a move of the side that is not to move; every other one before it by the same side.
        let skipped = usize::from(side == self.side);
        self.states
            .states()
            .iter()
            .rev()
            .take(moves)
            .skip(skipped)
            .step_by(2)
            .all(|state| state.in_check(opponent(side)))
    }

    /// What the search may conclude from earlier occurrences of the board, `ply` plies after the root of the search. Occurrences before
    /// the last null move do not count.
    ///
    /// One repetition of a position within the tree, the root included, is enough: a side that can repeat once can repeat again.
    /// Occurrences before the root count by the rules: only the fourth ends the game, and they are never [`SearchRepetition::Superior`]
    /// or [`SearchRepetition::Inferior`].
    #[must_use]
    #[inline(always)]
    pub fn search_repetition(&self, ply: usize) -> SearchRepetition {
        if self.state().since_null < 4 || !self.states.may_have_occurred() {
            return SearchRepetition::None;
        }
        self.look_back(ply)
    }

    #[cold]
    fn look_back(&self, ply: usize) -> SearchRepetition {
        let (now, states) = (self.state(), self.states.states());
        let (us, them) = (self.side, opponent(self.side));
        let last = states.len() - 1;
        let furthest = usize::from(now.since_null).min(last);
        let (mut occurrences, mut within_tree, mut first) = (1, false, 0);
        for distance in (4..=furthest).step_by(2) {
            let then = &states[last - distance].fields;
            if then.board_key != now.board_key {
                continue;
            }
            if then.hands == now.hands {
                occurrences += 1;
                within_tree |= distance <= ply;
                first = distance;
            } else if occurrences == 1 && distance <= ply {
                if now.hands[us].covers(then.hands[us]) {
                    return SearchRepetition::Superior;
                }
                if then.hands[us].covers(now.hands[us]) {
                    return SearchRepetition::Inferior;
                }
            }
        }
        if !within_tree && occurrences < 4 {
            return SearchRepetition::None;
        }
        // All moves since the first occurrence count, so a single move without check among them makes it a draw.
        match (self.checked_always(us, first), self.checked_always(them, first)) {
            (true, false) => SearchRepetition::Loss,
            (false, true) => SearchRepetition::Win,
            _ => SearchRepetition::Draw,
        }
    }
}
