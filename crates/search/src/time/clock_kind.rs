//! Which kind of clock the game is played with: whether the time that it shows is without the increment of the move to be played.
//!
//! USI texts, shogi servers and most shogi programs show the time before the increment, which may then be used for this move; clocks of
//! chess add it after the move. The protocol does not say which, but the numbers may show it.

use std::time::Duration;

use kiki_board::Color;

use crate::limits::TimeControl;

/// One move of a game, as far as its clock is concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockReading {
    /// Number of the move to be played.
    pub(crate) ply: u32,
    /// Of the side to move.
    pub(crate) remaining: Duration,
    pub(crate) increment: Duration,
}

impl ClockReading {
    pub(crate) fn new(time_control: &TimeControl, color: Color, ply: u32) -> Self {
        Self { ply, remaining: time_control.remaining[color], increment: time_control.increment[color] }
    }
}

/// Learns the kind of clock within a game.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct ClockKind {
    increment_comes_first: bool,
    last: Option<ClockReading>,
}

impl ClockKind {
    /// The clock before a move; `used` is how long the answer to the last one took.
    pub(crate) fn observe(&mut self, now: ClockReading, used: Duration) {
        // A clock that has been given its increment shows at least that.
        let below = now.remaining < now.increment;
        // Nor does it fall by all that was used. Only readings of two moves in succession can be compared.
        let fell = self.last.is_some_and(|last| {
            let without = last.remaining.saturating_sub(used);
            last.ply + 2 == now.ply
                && last.increment == now.increment
                && used <= last.remaining
                && now.remaining.abs_diff(without) < now.increment / 4
        });
        self.increment_comes_first |= below || fell;
        self.last = Some(now);
    }

    /// Whether the increment of a move is known to be there for the move itself.
    pub(crate) fn increment_comes_first(&self) -> bool {
        self.increment_comes_first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game of moves that take so many milliseconds on a clock that shows what `clock` says, given the time before all increments of
    /// the game so far, how many there were, and the increment. Whether the kind is known after each move.
    fn learned(used: &[u64], clock: impl Fn(u64, u64, u64) -> u64) -> Vec<bool> {
        let (bank, increment) = (20_000, 5_000);
        let mut kind = ClockKind::default();
        let (mut spent, mut last) = (0, 0);
        let mut known = Vec::new();
        for (move_number, &time) in used.iter().enumerate() {
            let remaining = Duration::from_millis(clock(bank - spent, move_number as u64, increment));
            let reading = ClockReading {
                ply: 1 + 2 * move_number as u32,
                remaining,
                increment: Duration::from_millis(increment),
            };
            kind.observe(reading, Duration::from_millis(last));
            known.push(kind.increment_comes_first());
            spent = (spent + time).min(bank);
            last = time;
        }
        known
    }

    #[test]
    fn a_clock_that_adds_after_the_move_is_never_taken_for_the_other_kind() {
        let chess = |bank: u64, moves: u64, increment: u64| bank + moves * increment;
        for used in [[100; 8], [4_900; 8], [7_000; 8], [12_000, 9_000, 300, 4_000, 6_000, 5_000, 100, 100]] {
            assert_eq!(learned(&used, chess), [false; 8], "{used:?}");
        }
    }

    #[test]
    fn a_clock_below_its_increment_has_not_been_given_it() {
        // 20 s, and once the bank is used up 5 s a move.
        let known = learned(&[10_000, 20_000, 5_000], |_, moves, _| [20_000, 15_000, 0][moves as usize]);
        assert_eq!(known, [false, false, true]);
    }

    #[test]
    fn a_clock_that_falls_by_all_that_was_used_has_not_been_given_its_increment() {
        // The first increment comes with the second move.
        let known = learned(&[3_000, 3_000], |bank, moves, increment| bank + moves.saturating_sub(1) * increment);
        assert_eq!(known, [false, true]);
    }

    #[test]
    fn readings_that_do_not_follow_each_other_prove_nothing() {
        let increment = Duration::from_secs(5);
        let mut kind = ClockKind::default();
        kind.observe(ClockReading { ply: 1, remaining: Duration::from_secs(60), increment }, Duration::ZERO);
        kind.observe(ClockReading { ply: 31, remaining: Duration::from_secs(57), increment }, Duration::from_secs(3));
        assert!(!kind.increment_comes_first());
    }
}
