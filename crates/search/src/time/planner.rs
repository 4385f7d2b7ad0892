//! Plans the time of each move by what the game has shown about its clock and this machine.

use std::time::Duration;

use kiki_board::Position;

use super::PlannedTime;
use super::budget::{Budget, ClockFacts, budget, fixed_budget};
use crate::limits::{Limits, TimeOptions};

/// One planner for all searches of a process.
#[derive(Clone, Default)]
pub(crate) struct TimePlanner {
    clock_kind: ClockKind,
    lateness: Lateness,
    /// How long the clock of the side to move ran for the last answer.
    used: Duration,
}

impl TimePlanner {
    /// Begins a new game, perhaps with another clock. Keeps the lateness of answers, which depends
    /// on the machine.
    pub(crate) fn new_game(&mut self) {
        self.clock_kind = ClockKind::default();
    }

    /// Plans the time for one move; `None` without a time limit.
    pub(crate) fn plan(&mut self, limits: &Limits, position: &Position, options: &TimeOptions) -> Option<Budget> {
        let (color, ply) = (position.side_to_move(), position.ply());
        let clocks = limits.clocks.as_ref();
        // A pondering move will be played with other times than the given ones.
        if let Some(clocks) = clocks.filter(|clock| !limits.ponder && !clock.estimated) {
            let reading = ClockReading { ply, remaining: clocks.remaining[color], increment: clocks.increment[color] };
            self.clock_kind.observe(reading, self.used);
        }
        let learned = self.clock_kind.increment_comes_first;
        let facts = ClockFacts {
            increment_before_move: options.increment_before_move.unwrap_or(learned),
            late: self.lateness.margin(),
        };
        match limits.movetime {
            Some(movetime) => Some(fixed_budget(movetime, clocks, color, options, facts)),
            None => Some(budget(clocks?, color, ply, options, facts)),
        }
    }

    /// Learns from an answer to a search with this plan, `now` after the search began.
    pub(crate) fn answered(&mut self, plan: &PlannedTime, now: Duration) {
        self.used = now.saturating_sub(plan.started);
        if let Some(late) = now.checked_sub(plan.maximum()) {
            self.lateness.observe(late);
        }
    }
}

/// The clock before one move of a game.
#[derive(Clone, Copy, Debug)]
struct ClockReading {
    ply: u32,
    /// Remaining time of the side to move.
    remaining: Duration,
    increment: Duration,
}

/// Learns the kind of clock within a game.
#[derive(Clone, Copy, Default, Debug)]
struct ClockKind {
    /// Whether a move may use its own increment.
    increment_comes_first: bool,
    /// The first reading of the game.
    first: Option<ClockReading>,
}

impl ClockKind {
    /// Observes the clock before a move; `used` is the time of the previous answer.
    fn observe(&mut self, now: ClockReading, used: Duration) {
        // A clock that includes the increment shows at least the increment.
        let below = now.remaining < now.increment;
        // Nor does it fall by all the time used. A clock that adds the increment before a move does so
        // between the first two moves, as it adds none before the first. Later a delay of about an
        // increment looks the same.
        let fell = self.first.is_some_and(|first| {
            let without = first.remaining.saturating_sub(used);
            first.ply + 2 == now.ply
                && first.increment == now.increment
                && used <= first.remaining
                && now.remaining.abs_diff(without) < now.increment / 4
        });
        self.increment_comes_first |= below || fell;
        self.first.get_or_insert(now);
    }
}

/// An estimate of how much later than planned answers are given on this machine. It is the second
/// greatest lateness seen, and decays slowly if that does not recur. The greatest may be an
/// outlier, as after a freeze: a margin for it would cost more games than it saves. An unknown
/// machine is assumed to be busy; punctual answers let that assumption decay faster.
#[derive(Clone, Copy, Debug)]
struct Lateness {
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
    /// Every answer takes one part in this many off the assumption: half is left after 44.
    const ASSUMED_FORGOTTEN: u32 = 64;

    /// Every answer takes one part in this many off what was seen: half is left after 355, some six
    /// games. A faster decay would forget a lateness that occurs a few times in a thousand answers.
    const SEEN_FORGOTTEN: u32 = 512;

    /// The greatest lateness that counts. An answer later than this means a suspended process or
    /// machine, and no margin prevents that.
    const MOST: Duration = Duration::from_millis(200);

    /// Notes an answer `late` after its planned time.
    fn observe(&mut self, late: Duration) {
        let late = late.min(Self::MOST);
        self.assumed -= self.assumed / Self::ASSUMED_FORGOTTEN;
        let less = |seen: Duration| seen - seen / Self::SEEN_FORGOTTEN;
        self.second = less(self.second).max(late.min(self.greatest));
        self.greatest = less(self.greatest).max(late);
    }

    /// Time to allow for both ways: the answer's way was measured, the command's way takes as long.
    fn margin(self) -> Duration {
        2 * self.assumed.max(self.second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::ClockTimes;
    use kiki_board::ByColor;

    #[test]
    fn only_a_clock_of_the_command_shows_its_kind() {
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
            assert_eq!(planner.clock_kind.increment_comes_first, known);
        }
    }

    /// Whether the kind of clock is known after each move of a game with moves of `used`
    /// milliseconds. `clock` computes the shown time from the time without increments, the number
    /// of increments and the increment.
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
            known.push(kind.increment_comes_first);
            spent = (spent + time).min(bank);
            last = time;
        }
        known
    }

    #[test]
    fn a_clock_shows_by_its_readings_whether_the_increment_comes_first() {
        let chess = |bank: u64, moves: u64, increment: u64| bank + moves * increment;
        for used in [[100; 8], [4_900; 8], [7_000; 8], [12_000, 9_000, 300, 4_000, 6_000, 5_000, 100, 100]] {
            assert_eq!(learned(&used, chess), [false; 8], "{used:?}");
        }
        // 20 s, and 5 s a move once the bank is used up: it shows less than the increment.
        let known = learned(&[10_000, 20_000, 5_000], |_, moves, _| [20_000, 15_000, 0][moves as usize]);
        assert_eq!(known, [false, false, true]);
        // The first increment comes with the second move: the clock falls by all the time used.
        let known = learned(&[3_000, 3_000], |bank, moves, increment| bank + moves.saturating_sub(1) * increment);
        assert_eq!(known, [false, true]);
    }

    /// A delay of about an increment makes the clock of chess fall by all that was used, too.
    #[test]
    fn a_delay_later_in_a_game_proves_nothing() {
        let late = |bank: u64, moves: u64, increment: u64| bank + moves * increment - if moves < 3 { 0 } else { 5_000 };
        assert_eq!(learned(&[1_000; 8], late), [false; 8]);
    }

    #[test]
    fn readings_of_moves_far_apart_prove_nothing() {
        let increment = Duration::from_secs(5);
        let mut kind = ClockKind::default();
        kind.observe(ClockReading { ply: 1, remaining: Duration::from_secs(60), increment }, Duration::ZERO);
        kind.observe(ClockReading { ply: 31, remaining: Duration::from_secs(57), increment }, Duration::from_secs(3));
        assert!(!kind.increment_comes_first);
    }

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn after(mut lateness: Lateness, answers: usize, late: Duration) -> Lateness {
        (0..answers).for_each(|_| lateness.observe(late));
        lateness
    }

    #[test]
    fn a_repeated_lateness_counts_at_once_and_is_forgotten_over_games() {
        let seen = after(Lateness::default(), 2, ms(10));
        assert!((ms(19)..=ms(20)).contains(&seen.margin()), "{seen:?}");
        assert!(after(seen, 60, ms(1)).margin() > ms(17), "a game later");
        assert!((ms(9)..ms(11)).contains(&after(seen, 355, ms(1)).margin()), "six games later");
        assert_eq!(after(seen, 3000, ms(1)).margin(), ms(2));
    }

    #[test]
    fn one_outlier_does_not_count_and_a_second_one_a_game_later_does() {
        let usual = after(Lateness::default(), 500, ms(3));
        assert_eq!(usual.margin(), ms(6));
        let outlier = after(after(usual, 1, ms(90)), 100, ms(3));
        assert_eq!(outlier.margin(), ms(6));
        assert!(after(outlier, 1, ms(90)).margin() > ms(140));
        assert!(after(outlier, 1, ms(40)).margin() >= ms(80), "as late as it was this time");
    }

    #[test]
    fn a_suspended_process_costs_later_moves_little() {
        let suspended = after(Lateness::default(), 2, Duration::from_secs(3));
        assert_eq!(suspended.margin(), 2 * Lateness::MOST);
    }

    #[test]
    fn the_assumption_about_an_unknown_machine_is_forgotten_within_games() {
        assert_eq!(Lateness::default().margin(), ms(8));
        assert!((ms(3)..ms(5)).contains(&after(Lateness::default(), 44, ms(0)).margin()));
        assert!(after(Lateness::default(), 300, ms(0)).margin() < Duration::from_micros(100));
    }
}
