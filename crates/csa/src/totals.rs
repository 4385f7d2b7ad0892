//! How many games ended how.

use std::fmt;

use kiki_board::Color;
use kiki_record::GameOutcome;

/// The games of a client so far. Its `Display` is `3 games: 2 won, 0 drawn, 1 lost`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Won.
    pub won: u32,
    /// Drawn.
    pub drawn: u32,
    /// Lost.
    pub lost: u32,
    /// Begun and without a result: broken off, or the connection was lost.
    pub without_result: u32,
}

impl Totals {
    /// Adds a game in which the client played `side`.
    pub fn add(&mut self, outcome: GameOutcome, side: Color) {
        let count = match outcome.winner() {
            Some(winner) if winner == side => &mut self.won,
            Some(_) => &mut self.lost,
            None if outcome == GameOutcome::Draw => &mut self.drawn,
            None => &mut self.without_result,
        };
        *count += 1;
    }

    /// All games that have begun.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.won + self.drawn + self.lost + self.without_result
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} games: {} won, {} drawn, {} lost", self.games(), self.won, self.drawn, self.lost)?;
        if self.without_result > 0 {
            write!(f, ", {} without a result", self.without_result)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_counted_from_the_clients_side() {
        let mut totals = Totals::default();
        for outcome in [GameOutcome::BlackWins, GameOutcome::WhiteWins, GameOutcome::Draw, GameOutcome::BlackWins] {
            totals.add(outcome, Color::White);
        }
        assert_eq!(totals.to_string(), "4 games: 1 won, 1 drawn, 2 lost");
        totals.add(GameOutcome::Unknown, Color::White);
        assert_eq!(totals.to_string(), "5 games: 1 won, 1 drawn, 2 lost, 1 without a result");
    }
}
