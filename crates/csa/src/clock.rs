//! The clocks of a game: the time for a move, the reserve that is kept back, the times for the
//! engine, and the time that a move took.

use std::time::Duration;

use kiki_board::{ByColor, COLORS, Color};
use kiki_usi::Clocks;

use crate::time_control::ServerTimeControl;

/// Time for a move of the engine in a game without clocks.
const WITHOUT_CLOCK: Duration = Duration::from_secs(10);

/// The clocks of both sides, as the server counts them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameClocks {
    pub(crate) controls: ByColor<ServerTimeControl>,
    /// The time for the game that a side has left, without the increment of its next move.
    pub(crate) left: ByColor<Duration>,
}

impl GameClocks {
    pub(crate) fn new(controls: ByColor<ServerTimeControl>) -> Self {
        let left = ByColor::from_fn(|side| controls[side].total);
        Self { controls, left }
    }

    /// Counts a move: adds the increment and takes off the time that the server states. Servers may
    /// or may not have taken off a free delay, so it counts as used. The time left is then never
    /// overestimated.
    pub(crate) fn spend(&mut self, side: Color, used: Duration) {
        self.left[side] = (self.left[side] + self.controls[side].increment).saturating_sub(used);
    }

    /// Counts a move that the summary of an interrupted game lists. Servers differ in whether they
    /// add increments and take off times for such moves, so the time left never exceeds the time
    /// for the game.
    pub(crate) fn spend_before(&mut self, side: Color, used: Duration) {
        self.spend(side, used);
        self.left[side] = self.left[side].min(self.controls[side].total);
    }

    /// The time within which a move has to reach the server; `None` without a limit. Using all of
    /// it loses. Servers that round times up leave one unit less, except that the last unit, which
    /// any move costs, may be used whole.
    pub(crate) fn allowance(&self, side: Color) -> Option<Duration> {
        let control = &self.controls[side];
        let all = self.left[side] + control.byoyomi + control.increment + control.delay;
        let rounding = if control.round_up { control.unit } else { Duration::ZERO };
        control.is_limited().then(|| all.saturating_sub(rounding).max(rounding.min(all)))
    }

    /// The times of `go` for an engine that plays `side` and has used `spent` of its time for this
    /// move. They add up to the allowance without `kept_back`, and increments are not yet added. If
    /// the server counts whole seconds, the time left is in whole seconds. Engines recognise such
    /// clocks by that, and use every second that has begun.
    pub(crate) fn for_engine(&self, side: Color, kept_back: Duration, spent: Duration) -> Clocks {
        let control = &self.controls[side];
        let Some(allowance) = self.allowance(side) else { return without_clock() };
        let mut rest = allowance.saturating_sub(kept_back).saturating_sub(spent);
        // Time that is renewed with every move is sent as increment and byoyomi, while the rest
        // suffices. With times rounded up, no step is free.
        let has_free_step = control.granularity > Duration::from_secs(1) && !control.round_up;
        let step = if has_free_step { control.granularity } else { Duration::ZERO };
        let mut take = |most: Duration| {
            let taken = most.min(rest);
            rest -= taken;
            taken
        };
        let increment = take(control.increment);
        let byoyomi = take(control.byoyomi + control.delay + step.min(self.left[side]));
        let left = if spent.is_zero() { whole_seconds(control, rest, increment + byoyomi) } else { rest };
        let times = ByColor::from_fn(|color| if color == side { left } else { self.left[color] });
        let increments =
            ByColor::from_fn(|color| if color == side { increment } else { self.controls[color].increment });
        let has_increment = COLORS.into_iter().any(|color| !self.controls[color].increment.is_zero());
        let told_increment = |color: Color| has_increment.then(|| milliseconds(increments[color]));
        Clocks {
            btime: Some(milliseconds(times[Color::Black])),
            wtime: Some(milliseconds(times[Color::White])),
            byoyomi: (!has_increment || !byoyomi.is_zero()).then(|| milliseconds(byoyomi)),
            binc: told_increment(Color::Black),
            winc: told_increment(Color::White),
        }
    }
}

/// The time left in whole seconds, if the server counts those and some time to think remains.
fn whole_seconds(control: &ServerTimeControl, left: Duration, beside: Duration) -> Duration {
    let whole = Duration::from_secs(left.as_secs());
    let is_enough = !(whole + beside).is_zero();
    if control.counts_whole_seconds() && is_enough { whole } else { left }
}

fn without_clock() -> Clocks {
    Clocks { btime: Some(0), wtime: Some(0), byoyomi: Some(milliseconds(WITHOUT_CLOCK)), binc: None, winc: None }
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Divisor: the margin is at most a quarter of the time for a move.
const LARGEST_MARGIN: u32 = 4;

/// Divisor: the round trip counts as at most half of the time for a move, so that a wild
/// measurement leaves time to think.
const LONGEST_WAY: u32 = 2;

/// Times before the end of the time for a move. They cover the round trip to the server, and a
/// margin for the unforeseen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Reserve {
    /// The end of the time sent to the engine.
    pub(crate) search_end: Duration,
    /// When an engine that has not answered gets `stop`.
    pub(crate) stop: Duration,
    pub(crate) move_without: Duration,
}

impl Reserve {
    /// `allowance` is the time for the move by the server's clock, which also runs during the
    /// measured `round_trip`. An engine is never stopped before the end of the time sent to it.
    pub(crate) fn of(allowance: Duration, margin: Duration, round_trip: Duration) -> Self {
        let margin = margin.min(allowance / LARGEST_MARGIN);
        let way = round_trip.min(allowance / LONGEST_WAY);
        Self { search_end: margin.max(way + margin * 3 / 4), stop: way + margin / 2, move_without: way + margin / 4 }
    }

    /// Longest delay from the beginning of the turn to sending the times. A later engine could not
    /// answer before it is stopped.
    pub(crate) fn lateness(&self) -> Duration {
        self.search_end.saturating_sub(self.stop)
    }
}

/// Accepted difference between the server's time of a move and the measured one.
const TOLERANCE: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct MeasuredTime {
    /// From the line that began the turn to the sending of the own move, which is the least that
    /// the server's clock counts. `None` for a move of the other side.
    pub(crate) thought: Option<Duration>,
    /// From the line that began the turn to the line that ended it.
    pub(crate) whole: Duration,
}

/// Compares a server's times of moves with the measured ones. Some servers announce milliseconds
/// and send seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TimeCheck {
    tells_seconds: bool,
    has_warned: bool,
}

impl TimeCheck {
    /// The time that a move took. `stated` is the server's time in thousandths of its unit, and
    /// `most` the time that the side had. The first time that is missing or too short comes with a
    /// warning.
    pub(crate) fn used(
        &mut self,
        control: &ServerTimeControl,
        stated: Option<u64>,
        most: Option<Duration>,
        measured: MeasuredTime,
    ) -> (Duration, Option<String>) {
        let Some(count) = stated else {
            return (
                measured.whole,
                self.warning(|| "the server does not send the times of moves; the client measures them".to_owned()),
            );
        };
        let literal = control.of_thousandths(count);
        // A unit of milliseconds is never minutes.
        let in_seconds = Duration::from_millis(count);
        let thought = measured.thought.unwrap_or_default();
        let is_too_short = thought > literal + control.granularity + control.delay + TOLERANCE;
        if is_too_short && control.unit < Duration::from_secs(1) && in_seconds >= Duration::from_secs(1) {
            self.tells_seconds |= in_seconds.abs_diff(thought) <= Duration::from_secs(1) + TOLERANCE;
        }
        let mut used = literal;
        if self.tells_seconds && most.is_none_or(|most| in_seconds <= most) {
            used = used.max(in_seconds);
        }
        if !is_too_short {
            return (used, None);
        }
        let seconds = count as f64 / 1000.0;
        let warning = self.warning(|| {
            format!(
                "the server says T{seconds} for a move that took {:.1} s here: its times are not in the unit that it has announced, or not \
                 true; the longer time counts",
                thought.as_secs_f64()
            )
        });
        (used.max(thought), warning)
    }

    fn warning(&mut self, text: impl FnOnce() -> String) -> Option<String> {
        (!std::mem::replace(&mut self.has_warned, true)).then(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: fn(u64) -> Duration = Duration::from_secs;
    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn control(total: u64, byoyomi: u64, increment: u64) -> ServerTimeControl {
        let (total, byoyomi, increment) = (SECOND(total), SECOND(byoyomi), SECOND(increment));
        ServerTimeControl { total, byoyomi, increment, ..ServerTimeControl::default() }
    }

    #[test]
    fn the_engine_gets_the_times_of_the_server_without_the_reserve() {
        let (seconds, watch) = (control(60, 0, 1), ServerTimeControl { granularity: SECOND(60), ..control(600, 0, 0) });
        let fine = ServerTimeControl { unit: MS(1), granularity: MS(1), ..seconds };
        let strict = |total| ServerTimeControl { round_up: true, ..control(total, 0, 0) };
        let minutes = ServerTimeControl { unit: SECOND(60), granularity: SECOND(60), ..strict(600) };
        let delay = ServerTimeControl { delay: SECOND(2), ..control(10, 0, 0) };
        // Seconds that White has used; milliseconds of the reserve and of this turn; the seconds
        // for the next move; the times.
        for (control, used, reserve, spent, allowance, times) in [
            // Clocks that count seconds have whole seconds, except in the middle of a second.
            (seconds, 0, 300, 0, 61, " btime 60000 wtime 59000 binc 1000 winc 1000"),
            (seconds, 0, 300, 1500, 61, " btime 60000 wtime 58200 binc 1000 winc 1000"),
            (fine, 0, 300, 0, 61, " btime 60000 wtime 59700 binc 1000 winc 1000"),
            // The last second of a clock without increment.
            (control(1, 0, 0), 0, 200, 0, 1, " btime 1000 wtime 800 byoyomi 0"),
            // Fischer times are sent before their increment.
            (control(300, 0, 10), 0, 500, 0, 310, " btime 300000 wtime 299000 binc 10000 winc 10000"),
            (control(300, 0, 10), 309, 500, 0, 11, " btime 300000 wtime 0 binc 10000 winc 10000"),
            (control(300, 0, 10), 309, 500, 4000, 11, " btime 300000 wtime 0 binc 10000 winc 6500"),
            (control(300, 0, 10), 312, 500, 0, 10, " btime 300000 wtime 0 binc 10000 winc 9500"),
            // Byoyomi is whole at every move.
            (control(5, 3, 0), 0, 200, 0, 8, " btime 5000 wtime 4000 byoyomi 3000"),
            (control(5, 3, 0), 7, 200, 0, 3, " btime 5000 wtime 0 byoyomi 2800"),
            (control(5, 3, 0), 7, 200, 9000, 3, " btime 5000 wtime 0 byoyomi 0"),
            // What rounding down to minutes gives is byoyomi. With rounding up no minute is free.
            (watch, 0, 0, 0, 600, " btime 600000 wtime 540000 byoyomi 60000"),
            (watch, 540, 0, 0, 60, " btime 600000 wtime 0 byoyomi 60000"),
            (minutes, 0, 0, 0, 540, " btime 600000 wtime 540000 byoyomi 0"),
            // The last unit that is rounded up may be used.
            (strict(3), 1, 0, 0, 1, " btime 3000 wtime 1000 byoyomi 0"),
            (strict(3), 2, 0, 0, 1, " btime 3000 wtime 1000 byoyomi 0"),
            (strict(3), 3, 0, 0, 0, " btime 3000 wtime 0 byoyomi 0"),
            (ServerTimeControl { byoyomi: SECOND(1), ..strict(0) }, 0, 250, 0, 1, " btime 0 wtime 0 byoyomi 750"),
            (delay, 0, 0, 0, 12, " btime 10000 wtime 10000 byoyomi 2000"),
            (delay, 3, 0, 0, 9, " btime 10000 wtime 7000 byoyomi 2000"),
        ] {
            let mut clocks = GameClocks::new(ByColor::new(control, control));
            if used > 0 {
                clocks.spend(Color::White, SECOND(used));
            }
            assert_eq!(clocks.allowance(Color::White), Some(SECOND(allowance)), "{control:?} {used}");
            assert_eq!(
                clocks.for_engine(Color::White, MS(reserve), MS(spent)).to_string(),
                times,
                "{control:?} {used}"
            );
        }
    }

    #[test]
    fn the_two_sides_may_have_different_clocks_or_none() {
        let clocks = GameClocks::new(ByColor::new(control(60, 0, 5), control(0, 10, 0)));
        let none = GameClocks::new(ByColor::new(control(0, 0, 0), control(0, 0, 0)));
        for (clocks, side, allowance, times) in [
            (clocks, Color::White, Some(SECOND(10)), " btime 60000 wtime 0 byoyomi 10000 binc 5000 winc 0"),
            (clocks, Color::Black, Some(SECOND(65)), " btime 60000 wtime 0 binc 5000 winc 0"),
            // A game without clocks has no limit, but the engine has.
            (none, Color::White, None, " btime 0 wtime 0 byoyomi 10000"),
        ] {
            assert_eq!(clocks.allowance(side), allowance);
            assert_eq!(clocks.for_engine(side, MS(0), MS(0)).to_string(), times);
        }
    }

    #[test]
    fn a_margin_is_at_most_a_quarter_of_the_time_and_a_long_way_is_kept_beside_it() {
        // Milliseconds before the end: those of the end of the search, of `stop` and of giving up.
        for (allowance, margin, round_trip, expected) in [
            (60_000, 500, 0, [500, 250, 125]),
            (60_000, 500, 100, [500, 350, 225]),
            (60_000, 500, 300, [675, 550, 425]),
            (60_000, 0, 300, [300, 300, 300]),
            (1000, 2000, 0, [250, 125, 62]),
            // The way is at most half of the time.
            (1000, 2000, 30_000, [687, 625, 562]),
            (0, 500, 300, [0, 0, 0]),
        ] {
            let reserve = Reserve::of(MS(allowance), MS(margin), MS(round_trip));
            let times = [reserve.search_end, reserve.stop, reserve.move_without].map(|time| time.as_millis());
            assert_eq!(times, expected, "{allowance} {margin} {round_trip}");
        }
    }

    #[test]
    fn what_a_server_tells_counts_as_long_as_it_can_be_true() {
        let seconds = ServerTimeControl::default();
        let fine = ServerTimeControl { unit: MS(1), granularity: MS(1), ..seconds };
        let minutes = ServerTimeControl { unit: SECOND(60), granularity: SECOND(60), ..seconds };
        let delay = ServerTimeControl { delay: SECOND(5), ..seconds };
        /// A move: its time in units as the server says it, the measured time in milliseconds if it
        /// is an own move, the time that counts, and whether there is a warning.
        type Told = (u64, Option<u64>, u64, bool);
        let games: [(ServerTimeControl, &[Told]); 6] = [
            (seconds, &[(0, Some(1050), 0, false), (1, Some(1999), 1000, false), (50, Some(7), 50_000, false)]),
            (fine, &[(400, Some(450), 400, false), (3, None, 3, false)]),
            (minutes, &[(0, Some(59_000), 0, false)]),
            (delay, &[(0, Some(5900), 0, false)]),
            // Seconds in place of milliseconds are known by a move that took as many.
            (
                fine,
                &[
                    (2, Some(2700), 2700, true),
                    (3, Some(2700), 3000, false),
                    (4, None, 4000, false),
                    (0, Some(400), 400, false),
                    // Neither side had 900 seconds.
                    (900, None, 900, false),
                ],
            ),
            // A time that is too short is the measured one, with one warning. Nothing tells that
            // these are seconds.
            (fine, &[(0, Some(400), 400, true), (3, None, 3, false), (1, Some(9000), 9000, false)]),
        ];
        for (control, moves) in games {
            let mut check = TimeCheck::default();
            for &(told, thought, expected, warns) in moves {
                let measured = MeasuredTime { thought: thought.map(MS), whole: MS(thought.unwrap_or(0) + 20) };
                let (used, warning) = check.used(&control, Some(1000 * told), Some(SECOND(60)), measured);
                assert_eq!((used, warning.is_some()), (MS(expected), warns), "{control:?} {told}");
            }
        }
    }
}
