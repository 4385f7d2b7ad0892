//! Plans the time of each move with what the game so far has shown about its clock and this machine.

use std::time::Duration;

use kiki_board::{Color, Position};

use super::budget::{Budget, ClockFacts, budget, fixed_budget};
use super::deadline::PlannedTime;
use crate::limits::{ClockTimes, Limits, TimeOptions};

/// One for all searches of a process.
#[derive(Clone, Default)]
pub(crate) struct TimePlanner {
    clock_kind: ClockKind,
    lateness: Lateness,
    /// How long the clock of the side to move ran for the last answer.
    used: Duration,
}

impl TimePlanner {
    /// A new game begins, perhaps with another clock. How late answers are depends on the machine and stays known.
    pub(crate) fn new_game(&mut self) {
        self.clock_kind = ClockKind::default();
    }

    /// The time for one move; `None` if no limit of time is given.
    pub(crate) fn plan(&mut self, limits: &Limits, position: &Position, options: &TimeOptions) -> Option<Budget> {
        let (color, ply) = (position.side_to_move(), position.ply());
        let clocks = limits.clocks.as_ref();
        // While pondering the clock shown is not the one that the move will be played on.
        if let Some(clocks) = clocks.filter(|clock| !limits.ponder && !clock.estimated) {
            self.clock_kind.observe(ClockReading::new(clocks, color, ply), self.used);
        }
        let learned = self.clock_kind.increment_comes_first();
        let facts = ClockFacts {
            increment_before_move: options.increment_before_move.unwrap_or(learned),
            late: self.lateness.margin(),
        };
        match limits.movetime {
            Some(movetime) => Some(fixed_budget(movetime, clocks, color, options, facts)),
            None => Some(budget(clocks?, color, ply, options, facts)),
        }
    }

    /// The answer of a search with this plan was given at `now` on its stopwatch.
    pub(crate) fn answered(&mut self, plan: &PlannedTime, now: Duration) {
        self.used = now.saturating_sub(plan.started);
        if let Some(late) = now.checked_sub(plan.maximum()) {
            self.lateness.observe(late);
        }
    }
}

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
    pub(crate) fn new(clocks: &ClockTimes, color: Color, ply: u32) -> Self {
        Self { ply, remaining: clocks.remaining[color], increment: clocks.increment[color] }
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

/// An estimate of the lateness to be expected: the second greatest that was seen, and slowly less if it is not seen again. The greatest alone may be an
/// outlier, as when the machine stood still: a margin against that would cost more games than it saves. A machine of which nothing is known may be
/// busy; that assumption is given up faster, as every punctual answer speaks against it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lateness {
    assumed: Duration,
    greatest: Duration,
    second: Duration,
}

impl Default for Lateness {
    fn default() -> Self {
        Self { assumed: Duration::from_millis(4), greatest: Duration::ZERO, second: Duration::ZERO }
    }
}

impl Lateness {
    /// A part of this size of the assumption is given up with every answer: half of it after 44.
    const ASSUMED_FORGOTTEN: u32 = 64;

    /// A part of this size of what was seen is forgotten with every answer: half of it after 355, some six games. What a machine does a few times in a
    /// thousand answers would otherwise be met unprepared every time.
    const SEEN_FORGOTTEN: u32 = 512;

    /// An answer was given so much after the moment planned for it.
    pub(crate) fn observe(&mut self, late: Duration) {
        self.assumed -= self.assumed / Self::ASSUMED_FORGOTTEN;
        let less = |seen: Duration| seen - seen / Self::SEEN_FORGOTTEN;
        self.second = less(self.second).max(late.min(self.greatest));
        self.greatest = less(self.greatest).max(late);
    }

    /// What may pass unseen on both sides of the clock: the answer's way out has been measured, the command's way in is as long.
    pub(crate) fn margin(self) -> Duration {
        2 * self.assumed.max(self.second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_board::ByColor;

    #[test]
    fn only_a_clock_that_was_told_shows_its_kind() {
        for (estimated, known) in [(true, false), (false, true)] {
            let mut planner = TimePlanner::default();
            let clock = |remaining| ClockTimes {
                remaining: ByColor::both(Duration::from_secs(remaining)),
                increment: ByColor::both(Duration::from_secs(10)),
                estimated,
                ..ClockTimes::default()
            };
            for remaining in [60, 5] {
                let limits = Limits { clocks: Some(clock(remaining)), ..Limits::default() };
                planner.plan(&limits, &Position::startpos(), &TimeOptions::default());
            }
            assert_eq!(planner.clock_kind.increment_comes_first(), known);
        }
    }

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

    fn after(mut lateness: Lateness, answers: usize, late: Duration) -> Lateness {
        (0..answers).for_each(|_| lateness.observe(late));
        lateness
    }

    #[test]
    fn what_was_seen_twice_counts_at_once_and_is_forgotten_over_games() {
        let ms = Duration::from_millis;
        let seen = after(Lateness::default(), 2, ms(10));
        assert!((ms(19)..=ms(20)).contains(&seen.margin()), "{seen:?}");
        assert!(after(seen, 60, ms(1)).margin() > ms(17), "a game later");
        assert!((ms(9)..ms(11)).contains(&after(seen, 355, ms(1)).margin()), "six games later");
        assert_eq!(after(seen, 3000, ms(1)).margin(), ms(2));
    }

    #[test]
    fn one_outlier_does_not_count_and_a_second_one_a_game_later_does() {
        let ms = Duration::from_millis;
        let usual = after(Lateness::default(), 500, ms(3));
        assert_eq!(usual.margin(), ms(6));
        let outlier = after(after(usual, 1, ms(90)), 100, ms(3));
        assert_eq!(outlier.margin(), ms(6));
        assert!(after(outlier, 1, ms(90)).margin() > ms(140));
        assert!(after(outlier, 1, ms(40)).margin() >= ms(80), "as late as it was this time");
    }

    #[test]
    fn what_is_assumed_of_an_unknown_machine_is_forgotten_within_games() {
        let ms = Duration::from_millis;
        assert_eq!(Lateness::default().margin(), ms(8));
        assert!((ms(3)..ms(5)).contains(&after(Lateness::default(), 44, ms(0)).margin()));
        assert!(after(Lateness::default(), 300, ms(0)).margin() < Duration::from_micros(100));
    }
}
