//! How a game of self-play ends.

use kiki_board::{Color, GameRepetition, opponent};

/// How a game of self-play ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SelfPlayEnding {
    /// A side was mated, or the search saw a forced mate.
    Mate {
        /// Who mates.
        winner: Color,
    },
    /// The value stayed beyond the limit.
    Adjudication {
        /// Whom it favoured.
        winner: Color,
    },
    /// The win of an entered king was declared.
    Declaration {
        /// By whom.
        winner: Color,
    },
    /// Perpetual check.
    PerpetualCheck {
        /// Who did not give it.
        winner: Color,
    },
    /// The position occurred for the fourth time.
    Repetition,
    /// The game reached the longest length.
    MaxPlies,
}

impl SelfPlayEnding {
    /// Who has won; `None` after a draw.
    #[must_use]
    pub fn winner(self) -> Option<Color> {
        match self {
            Self::Mate { winner }
            | Self::Adjudication { winner }
            | Self::Declaration { winner }
            | Self::PerpetualCheck { winner } => Some(winner),
            Self::Repetition | Self::MaxPlies => None,
        }
    }

    /// The result for a side: 1, 0 or -1.
    #[must_use]
    pub fn result_for(self, side: Color) -> i8 {
        self.winner().map_or(0, |winner| if winner == side { 1 } else { -1 })
    }

    /// The ending that a repetition brings, if it brings one.
    #[must_use]
    pub fn of_repetition(repetition: GameRepetition, side_to_move: Color) -> Option<Self> {
        match repetition {
            GameRepetition::None => None,
            GameRepetition::Draw => Some(Self::Repetition),
            GameRepetition::SideToMoveWins => Some(Self::PerpetualCheck { winner: side_to_move }),
            GameRepetition::SideToMoveLoses => Some(Self::PerpetualCheck { winner: opponent(side_to_move) }),
        }
    }
}

/// Watches for values that stay beyond a limit for the same side.
pub(super) struct Adjudicator {
    score: i32,
    plies: u32,
    leader: Option<Color>,
    /// For how many plies.
    streak: u32,
}

impl Adjudicator {
    /// A side wins after so many plies with such a value, in centipawns.
    pub(super) fn new(score: i32, plies: u32) -> Self {
        Self { score, plies, leader: None, streak: 0 }
    }

    /// Takes the value of the next ply, for the side to move. Returns who has won.
    pub(super) fn observe(&mut self, score: i32, side_to_move: Color) -> Option<Color> {
        let leader = (score.abs() >= self.score).then(|| if score > 0 { side_to_move } else { opponent(side_to_move) });
        self.streak = if leader == self.leader { self.streak + 1 } else { 1 };
        self.leader = leader;
        leader.filter(|_| self.streak >= self.plies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_wins_after_so_many_plies_for_the_same_side() {
        let mut adjudicator = Adjudicator::new(1000, 3);
        let mut scores = [1000, -1200, 999, -1500, 1500, 1600, -1700].into_iter().zip([
            Color::Black,
            Color::White,
            Color::Black,
            Color::White,
            Color::Black,
            Color::Black,
            Color::White,
        ]);
        let winners: Vec<_> = scores.by_ref().map(|(score, side)| adjudicator.observe(score, side)).collect();
        // The value of 999 begins the count anew.
        assert_eq!(winners[..5], [None; 5]);
        assert_eq!(winners[5..], [Some(Color::Black); 2]);
    }

    #[test]
    fn a_change_of_the_leader_begins_anew() {
        let mut adjudicator = Adjudicator::new(100, 2);
        assert_eq!(adjudicator.observe(100, Color::Black), None);
        assert_eq!(adjudicator.observe(100, Color::White), None);
        assert_eq!(adjudicator.observe(-100, Color::Black), Some(Color::White));
    }
}
