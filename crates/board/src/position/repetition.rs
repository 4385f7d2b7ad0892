//! Repetition: the verdict of the rules, and what the search may conclude from a first recurrence.

use super::Position;
use super::history::State;

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
    /// The board has not occurred before.
    None,
    /// Same board, same hands: going on like this is a draw.
    Draw,
    /// The opponent checked all the way round: going on like this the side to move wins.
    Win,
    /// The side to move checked all the way round: going on like this it loses.
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
        let (now, states) = (self.state(), self.history.states());
        let same = |at: &State| at.rest.board_key == now.board_key && at.rest.hands == now.hands;
        let Some(fourth) = (0..states.len()).rev().filter(|&i| same(&states[i])).nth(3) else {
            return GameRepetition::None;
        };
        // Earlier occurrences only lengthen the lap: the first one of all counts.
        let first = (0..=fourth).find(|&i| same(&states[i])).unwrap_or(fourth);
        let moves = states.len() - 1 - first;
        match (self.checked_always(self.side, moves), self.checked_always(1 - self.side, moves)) {
            (true, false) => GameRepetition::SideToMoveLoses,
            (false, true) => GameRepetition::SideToMoveWins,
            _ => GameRepetition::Draw,
        }
    }

    /// Whether each of the latest `moves` moves gave check, as far as it was this side's.
    fn checked_always(&self, side: usize, moves: usize) -> bool {
        // The current state was made by the side that now waits; from there every other one is of the same side.
        let skipped = usize::from(side == self.side);
        self.history.states().iter().rev().take(moves).skip(skipped).step_by(2).all(|state| state.in_check(1 - side))
    }

    /// What the search may conclude if the board stands as it stood before. Null moves are not looked across.
    #[must_use]
    #[inline(always)]
    pub fn search_repetition(&self) -> SearchRepetition {
        if self.state().since_null < 4 || !self.history.may_recur() {
            return SearchRepetition::None;
        }
        self.look_back()
    }

    #[cold]
    fn look_back(&self) -> SearchRepetition {
        let (now, states) = (self.state(), self.history.states());
        let last = states.len() - 1;
        let furthest = usize::from(now.since_null).min(last);
        for distance in (4..=furthest).step_by(2) {
            let then = &states[last - distance].rest;
            if then.board_key != now.board_key {
                continue;
            }
            let (us, them) = (self.side, 1 - self.side);
            if then.hands == now.hands {
                return match (self.checked_always(us, distance), self.checked_always(them, distance)) {
                    (true, false) => SearchRepetition::Loss,
                    (false, true) => SearchRepetition::Win,
                    _ => SearchRepetition::Draw,
                };
            }
            if now.hands[us].covers(then.hands[us]) {
                return SearchRepetition::Superior;
            }
            if then.hands[us].covers(now.hands[us]) {
                return SearchRepetition::Inferior;
            }
        }
        SearchRepetition::None
    }
}
