//! Repetition: the verdict of the rules, and what the search may conclude from a first recurrence.

use super::Position;
use super::state::StateInfo;
use crate::{Color, opponent};

/// The verdict of the rules on the fourth occurrence of a position (same board, hands and side to move).
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

/// What a recurrence of the board means to the side to move, within a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchRepetition {
    /// No recurrence that counts.
    None,
    /// Same board, same hands: going on like this is a draw.
    Draw,
    /// The opponent has checked with every move since the first occurrence: going on like this the side to move wins.
    Win,
    /// The side to move has checked with every move since the first occurrence: going on like this it loses.
    Loss,
    /// Same board, but the side to move holds more than before (and the opponent less): the opponent has gone wrong.
    Superior,
    /// Same board, but the side to move holds less than before.
    Inferior,
}

impl Position {
    /// The verdict of the rules on the current position: the start position counts as an occurrence, and a side whose every move
    /// between the first and the fourth occurrence gave check loses.
    #[must_use]
    pub fn game_repetition(&self) -> GameRepetition {
        let (now, states) = (self.state(), self.states.states());
        let same = |at: &StateInfo| at.fields.board_key == now.board_key && at.fields.hands == now.hands;
        let Some(fourth) = (0..states.len()).rev().filter(|&i| same(&states[i])).nth(3) else {
            return GameRepetition::None;
        };
        // Earlier occurrences only lengthen the lap: the first one of all counts.
        let first = (0..=fourth).find(|&i| same(&states[i])).unwrap_or(fourth);
        let moves = states.len() - 1 - first;
        match (self.checked_always(self.side, moves), self.checked_always(opponent(self.side), moves)) {
            (true, false) => GameRepetition::SideToMoveLoses,
            (false, true) => GameRepetition::SideToMoveWins,
            _ => GameRepetition::Draw,
        }
    }

    /// Whether each of the latest `moves` moves gave check, as far as it was this side's.
    fn checked_always(&self, side: Color, moves: usize) -> bool {
        // The current state was made by the side that now waits; from there every other one is of the same side.
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

    /// What the search may conclude if the board stands as it stood before, `ply` plies after the root of the search. Null moves are
    /// not looked across.
    ///
    /// Within the tree, the root included, one recurrence is enough: whoever can bring a position about once can do so again. What
    /// was on the board before the root counts as the rules count it: only the fourth occurrence ends the game, and one that lies
    /// before the root makes nothing better or worse.
    #[must_use]
    #[inline(always)]
    pub fn search_repetition(&self, ply: usize) -> SearchRepetition {
        if self.state().since_null < 4 || !self.states.may_recur() {
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
        // The rules look at all moves since the first occurrence: one quiet lap long ago makes it a draw.
        match (self.checked_always(us, first), self.checked_always(them, first)) {
            (true, false) => SearchRepetition::Loss,
            (false, true) => SearchRepetition::Win,
            _ => SearchRepetition::Draw,
        }
    }
}
