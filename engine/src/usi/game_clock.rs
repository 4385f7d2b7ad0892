//! The clock of the game. It goes on if a `go` or `ponderhit` has no times, as some GUIs send them
//! after the engine's own move.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use kiki_board::Color;
use kiki_search::ClockTimes;

/// The time for a move without a known clock: less than any game gives, but enough for a move.
const TIME_WITHOUT_CLOCK: Duration = Duration::from_millis(100);

/// The last known clocks, less the time used since.
#[derive(Default)]
pub(super) struct GameClock {
    known: Option<ClockTimes>,
    running: Option<RunningClock>,
}

/// The clock of the side that the engine plays.
struct RunningClock {
    color: Color,
    since: Instant,
    /// When the answer was given.
    answered: Arc<OnceLock<Instant>>,
}

impl GameClock {
    pub(super) fn set(&mut self, clocks: ClockTimes) {
        *self = Self { known: Some(clocks), running: None };
    }

    /// Starts the clock of a side at a past moment; it runs until the answer is given.
    pub(super) fn run(&mut self, color: Color, since: Instant, answered: Arc<OnceLock<Instant>>) {
        self.subtract_used_time();
        self.running = Some(RunningClock { color, since, answered });
    }

    /// The least that the clocks can show, if known. Increments since then do not count: the known
    /// clock may already include one.
    pub(super) fn now(&mut self) -> Option<ClockTimes> {
        self.subtract_used_time();
        self.known.map(|clocks| ClockTimes { estimated: true, ..clocks })
    }

    pub(super) fn without_clock() -> ClockTimes {
        ClockTimes { byoyomi: TIME_WITHOUT_CLOCK, estimated: true, ..ClockTimes::default() }
    }

    fn subtract_used_time(&mut self) {
        let (Some(known), Some(RunningClock { color, since, answered })) = (&mut self.known, self.running.take())
        else {
            return;
        };
        let used = answered.get().copied().unwrap_or_else(Instant::now).saturating_duration_since(since);
        known.remaining[color] = known.remaining[color].saturating_sub(used);
    }
}

#[cfg(test)]
mod tests {
    use kiki_board::ByColor;

    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn what_was_used_is_gone_and_nothing_else() {
        let mut clock = GameClock::default();
        assert_eq!(clock.now(), None);
        let clocks = ClockTimes {
            remaining: ByColor::both(seconds(10)),
            increment: ByColor::both(seconds(5)),
            byoyomi: seconds(1),
            ..ClockTimes::default()
        };
        clock.set(clocks);
        let mut left = clocks;
        left.estimated = true;
        assert_eq!(clock.now(), Some(left));
        for (color, used, rest) in [(Color::White, 4, 6), (Color::Black, 1, 9), (Color::White, 7, 0)] {
            let since = Instant::now() - seconds(60);
            clock.run(color, since, Arc::new(OnceLock::from(since + seconds(used))));
            left.remaining[color] = seconds(rest);
            assert_eq!([clock.now(), clock.now()], [Some(left); 2], "once");
        }
        // Without an answer the clock runs until now.
        clock.set(clocks);
        clock.run(Color::Black, Instant::now() - seconds(60), Arc::default());
        assert_eq!(clock.now().map(|left| left.remaining), Some(ByColor::new(seconds(0), seconds(10))));
        // New clocks replace the old ones.
        clock.run(Color::Black, Instant::now(), Arc::default());
        clock.set(clocks);
        assert_eq!(clock.now().map(|left| left.remaining), Some(clocks.remaining));
    }
}
