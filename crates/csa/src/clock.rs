//! The clocks of a game: the time for a move, the reserve that is kept back, the times for the engine, and the time that a move took.

use std::time::Duration;

use kiki_board::{ByColor, COLORS, Color, opponent};
use kiki_usi::Clocks;

use crate::time_control::ServerTimeControl;

/// Time for a move of the engine in a game without clocks.
const WITHOUT_CLOCK: Duration = Duration::from_secs(10);

/// The clocks of both sides, as the server counts them.
#[derive(Clone, Copy, Debug)]
pub struct GameClocks {
    controls: ByColor<ServerTimeControl>,
    left: ByColor<Duration>,
}

impl GameClocks {
    #[must_use]
    pub fn new(controls: ByColor<ServerTimeControl>) -> Self {
        let left = ByColor::new(controls[Color::Black].total, controls[Color::White].total);
        Self { controls, left }
    }

    #[must_use]
    pub fn control(&self, side: Color) -> &ServerTimeControl {
        &self.controls[side]
    }

    /// The time for the game that a side has left, without the increment of its next move.
    #[must_use]
    pub fn left(&self, side: Color) -> Duration {
        self.left[side]
    }

    /// Sets the time that a side has left, as the server states it.
    pub fn set_left(&mut self, side: Color, left: Duration) {
        self.left[side] = left;
    }

    /// Counts a move: adds the increment and takes off the time that the server states. Servers may or may not have taken off a free delay,
    /// so it counts as used. The time left is then never overestimated.
    pub fn spend(&mut self, side: Color, used: Duration) {
        self.left[side] = (self.left[side] + self.controls[side].increment).saturating_sub(used);
    }

    /// Counts a move that the summary of an interrupted game lists. Servers differ in whether they add increments and take off times for
    /// such moves, so the time left never exceeds the time for the game.
    pub fn spend_before(&mut self, side: Color, used: Duration) {
        self.spend(side, used);
        self.left[side] = self.left[side].min(self.controls[side].total);
    }

    /// The time within which a move has to reach the server; `None` without a limit. Using all of it loses. Servers that round times up leave
    /// one unit less, except that the last unit, which any move costs, may be used whole.
    #[must_use]
    pub fn allowance(&self, side: Color) -> Option<Duration> {
        let control = &self.controls[side];
        let all = self.left[side] + control.byoyomi + control.increment + control.delay;
        let rounding = if control.round_up { control.unit } else { Duration::ZERO };
        control.is_limited().then(|| all.saturating_sub(rounding).max(rounding.min(all)))
    }

    /// The times of `go` for an engine that plays `side` and has used `spent` of its time for this move. They add up to the allowance without
    /// `kept_back`, and increments are not yet added. If the server counts whole seconds, the time left is in whole seconds. Engines recognise
    /// such clocks by that, and use every second that has begun.
    #[must_use]
    pub fn for_engine(&self, side: Color, kept_back: Duration, spent: Duration) -> Clocks {
        let control = &self.controls[side];
        let Some(allowance) = self.allowance(side) else { return without_clock() };
        let mut rest = allowance.saturating_sub(kept_back).saturating_sub(spent);
        // Time that is renewed with every move is sent as increment and byoyomi, while the rest suffices. With times rounded up, no step is free.
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
        let theirs = opponent(side);
        let mut times = ByColor::new(left, left);
        times[theirs] = self.left[theirs];
        let mut increments = ByColor::new(increment, increment);
        increments[theirs] = self.controls[theirs].increment;
        let has_increment = COLORS.into_iter().any(|color| !self.controls[color].increment.is_zero());
        let increment_of = |color: Color| has_increment.then(|| milliseconds(increments[color]));
        Clocks {
            btime: Some(milliseconds(times[Color::Black])),
            wtime: Some(milliseconds(times[Color::White])),
            byoyomi: (!has_increment || !byoyomi.is_zero()).then(|| milliseconds(byoyomi)),
            binc: increment_of(Color::Black),
            winc: increment_of(Color::White),
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

/// Times before the end of the time for a move. They cover the round trip to the server, and a margin for the unforeseen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reserve {
    /// The end of the time sent to the engine.
    pub search_end: Duration,
    /// When an engine that has not answered gets `stop`.
    pub stop: Duration,
    /// When a move is sent without it.
    pub give_up: Duration,
}

impl Reserve {
    /// `allowance` is the time for the move by the server's clock, which also runs during the measured `round_trip`. An engine is never
    /// stopped before the end of the time sent to it.
    #[must_use]
    pub fn of(allowance: Duration, margin: Duration, round_trip: Duration) -> Self {
        let margin = margin.min(allowance / LARGEST_MARGIN);
        let way = round_trip.min(allowance / LONGEST_WAY);
        Self { search_end: margin.max(way + margin * 3 / 4), stop: way + margin / 2, give_up: way + margin / 4 }
    }

    /// Longest delay from the beginning of the turn to sending the times. A later engine could not answer before it is stopped.
    #[must_use]
    pub fn lateness(&self) -> Duration {
        self.search_end.saturating_sub(self.stop)
    }
}

/// Accepted difference between the server's time of a move and the measured one.
const TOLERANCE: Duration = Duration::from_millis(100);

/// How long a move took by the client's own measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct MeasuredTime {
    /// From the line that began the turn to the sending of the own move, which is the least that the server's clock counts. `None` for a move
    /// of the other side.
    pub thought: Option<Duration>,
    /// From the line that began the turn to the line that ended it.
    pub whole: Duration,
}

/// Compares a server's times of moves with the measured ones. Some servers announce milliseconds and send seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TimeCheck {
    tells_seconds: bool,
    has_warned: bool,
}

impl TimeCheck {
    /// The time that a move took. `stated` is the server's time in thousandths of its unit, and `most` the time that the side had. The first
    /// time that is missing or too short comes with a warning.
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

    fn clocks(control: ServerTimeControl) -> GameClocks {
        GameClocks::new(ByColor::new(control, control))
    }

    fn engine_clocks(clocks: &GameClocks, kept_back: u64, spent: u64) -> String {
        clocks.for_engine(Color::White, MS(kept_back), MS(spent)).to_string()
    }

    #[test]
    fn clocks_that_count_seconds_are_in_whole_seconds_for_the_engine() {
        let seconds = control(60, 0, 1);
        assert!(seconds.counts_whole_seconds());
        assert_eq!(engine_clocks(&clocks(seconds), 300, 0), " btime 60000 wtime 59000 binc 1000 winc 1000");
        // A search after a failed one begins in the middle of a second.
        assert_eq!(engine_clocks(&clocks(seconds), 300, 1500), " btime 60000 wtime 58200 binc 1000 winc 1000");
        let fine = ServerTimeControl { unit: MS(1), granularity: MS(1), ..seconds };
        assert!(!fine.counts_whole_seconds());
        assert_eq!(engine_clocks(&clocks(fine), 300, 0), " btime 60000 wtime 59700 binc 1000 winc 1000");
        // The last second of a clock without increment.
        assert_eq!(engine_clocks(&clocks(control(1, 0, 0)), 200, 0), " btime 1000 wtime 800 byoyomi 0");
    }

    #[test]
    fn fischer_times_are_sent_before_their_increment() {
        let mut clocks = clocks(control(300, 0, 10));
        assert_eq!(clocks.allowance(Color::White), Some(SECOND(310)));
        assert_eq!(engine_clocks(&clocks, 500, 0), " btime 300000 wtime 299000 binc 10000 winc 10000");
        clocks.spend(Color::White, SECOND(309));
        assert_eq!(clocks.left(Color::White), SECOND(1));
        assert_eq!(engine_clocks(&clocks, 500, 0), " btime 300000 wtime 0 binc 10000 winc 10000");
        assert_eq!(engine_clocks(&clocks, 500, 4000), " btime 300000 wtime 0 binc 10000 winc 6500");
        clocks.spend(Color::White, SECOND(3));
        assert_eq!(clocks.left(Color::White), SECOND(8));
    }

    #[test]
    fn byoyomi_is_whole_at_every_move() {
        let mut clocks = clocks(control(5, 3, 0));
        assert_eq!(engine_clocks(&clocks, 200, 0), " btime 5000 wtime 4000 byoyomi 3000");
        clocks.spend(Color::White, SECOND(7));
        assert_eq!(clocks.left(Color::White), SECOND(0));
        assert_eq!(clocks.allowance(Color::White), Some(SECOND(3)));
        assert_eq!(engine_clocks(&clocks, 200, 0), " btime 5000 wtime 0 byoyomi 2800");
        assert_eq!(engine_clocks(&clocks, 200, 9000), " btime 5000 wtime 0 byoyomi 0");
    }

    #[test]
    fn what_rounding_down_to_minutes_gives_is_byoyomi() {
        let watch = ServerTimeControl { granularity: SECOND(60), ..control(600, 0, 0) };
        let mut clocks = clocks(watch);
        assert_eq!(engine_clocks(&clocks, 0, 0), " btime 600000 wtime 540000 byoyomi 60000");
        clocks.spend(Color::White, SECOND(540));
        assert_eq!(clocks.allowance(Color::White), Some(SECOND(60)));
        assert_eq!(engine_clocks(&clocks, 0, 0), " btime 600000 wtime 0 byoyomi 60000");
    }

    #[test]
    fn rounding_up_and_delay_are_on_the_safe_side() {
        let strict = ServerTimeControl { round_up: true, ..control(10, 0, 0) };
        assert_eq!(clocks(strict).allowance(Color::Black), Some(SECOND(9)));
        let minutes = ServerTimeControl { unit: SECOND(60), granularity: SECOND(60), ..strict };
        let minutes = ServerTimeControl { total: SECOND(600), ..minutes };
        assert_eq!(engine_clocks(&clocks(minutes), 0, 0), " btime 600000 wtime 540000 byoyomi 0", "no minute is free");
        let mut clocks = clocks(ServerTimeControl { delay: SECOND(2), ..control(10, 0, 0) });
        assert_eq!(clocks.allowance(Color::White), Some(SECOND(12)));
        assert_eq!(engine_clocks(&clocks, 0, 0), " btime 10000 wtime 10000 byoyomi 2000");
        clocks.spend(Color::White, SECOND(3));
        assert_eq!(clocks.left(Color::White), SECOND(7));
    }

    #[test]
    fn the_last_unit_may_be_used_although_it_is_rounded_up() {
        let strict = ServerTimeControl { round_up: true, ..control(3, 0, 0) };
        let mut clocks = clocks(strict);
        for (spent, allowance) in [(0, 2), (1, 1), (1, 1), (1, 0)] {
            clocks.spend(Color::White, SECOND(spent));
            assert_eq!(clocks.allowance(Color::White), Some(SECOND(allowance)), "{:?}", clocks.left(Color::White));
        }
    }

    #[test]
    fn the_two_sides_may_have_different_clocks() {
        let mut clocks = GameClocks::new(ByColor::new(control(60, 0, 5), control(0, 10, 0)));
        assert_eq!(engine_clocks(&clocks, 0, 0), " btime 60000 wtime 0 byoyomi 10000 binc 5000 winc 0");
        assert_eq!(
            clocks.for_engine(Color::Black, MS(0), MS(0)).to_string(),
            " btime 60000 wtime 0 binc 5000 winc 0",
            "Black has no byoyomi"
        );
        clocks.set_left(Color::Black, SECOND(1));
        assert_eq!(clocks.allowance(Color::Black), Some(SECOND(6)));
    }

    #[test]
    fn moves_before_never_leave_more_than_there_was() {
        let mut clocks = clocks(control(300, 0, 10));
        clocks.spend_before(Color::White, SECOND(1));
        assert_eq!(clocks.left(Color::White), SECOND(300));
        clocks.spend_before(Color::White, SECOND(60));
        assert_eq!(clocks.left(Color::White), SECOND(250));
    }

    #[test]
    fn a_game_without_clocks_has_no_limit_but_the_engine_has() {
        let clocks = clocks(control(0, 0, 0));
        assert_eq!(clocks.allowance(Color::White), None);
        assert_eq!(engine_clocks(&clocks, 500, 0), " btime 0 wtime 0 byoyomi 10000");
    }

    /// The times before the end, in milliseconds: end of the search, stop, give up.
    fn reserve(allowance: u64, margin: u64, round_trip: u64) -> [u128; 3] {
        let [allowance, margin, round_trip] = [allowance, margin, round_trip].map(Duration::from_millis);
        let reserve = Reserve::of(allowance, margin, round_trip);
        [reserve.search_end, reserve.stop, reserve.give_up].map(|time| time.as_millis())
    }

    #[test]
    fn the_margin_covers_a_short_way_for_the_engine_and_a_long_one_is_kept_beside_it() {
        assert_eq!(reserve(60_000, 500, 0), [500, 250, 125]);
        assert_eq!(reserve(60_000, 500, 100), [500, 350, 225]);
        assert_eq!(reserve(60_000, 500, 300), [675, 550, 425]);
        assert_eq!(reserve(60_000, 0, 300), [300, 300, 300]);
    }

    #[test]
    fn a_margin_is_at_most_a_quarter_of_the_time_and_the_way_at_most_half() {
        assert_eq!(reserve(1000, 2000, 0), [250, 125, 62]);
        assert_eq!(reserve(1000, 2000, 30_000), [687, 625, 562]);
        assert_eq!(reserve(0, 500, 300), [0, 0, 0]);
    }

    fn in_milliseconds() -> ServerTimeControl {
        ServerTimeControl { unit: MS(1), granularity: MS(1), total: MS(60_000), ..ServerTimeControl::default() }
    }

    /// The time of an own move in milliseconds, and whether there is a warning. `stated` is in units.
    fn own(check: &mut TimeCheck, control: &ServerTimeControl, stated: u64, thought: u64) -> (u128, bool) {
        let measured = MeasuredTime { thought: Some(MS(thought)), whole: MS(thought + 20) };
        let (used, warning) = check.used(control, Some(1000 * stated), Some(MS(60_000)), measured);
        (used.as_millis(), warning.is_some())
    }

    fn theirs(check: &mut TimeCheck, stated: u64) -> u128 {
        let (used, warning) =
            check.used(&in_milliseconds(), Some(1000 * stated), Some(MS(60_000)), MeasuredTime::default());
        assert_eq!(warning, None);
        used.as_millis()
    }

    #[test]
    fn what_a_server_tells_counts_as_long_as_it_can_be_true() {
        let (mut check, seconds) = (TimeCheck::default(), ServerTimeControl::default());
        for (stated, thought) in [(0, 1050), (1, 1999), (3, 100), (50, 7)] {
            assert_eq!(own(&mut check, &seconds, stated, thought), (1000 * u128::from(stated), false));
        }
        assert_eq!(own(&mut check, &in_milliseconds(), 400, 450), (400, false));
        let minutes = ServerTimeControl { unit: MS(60_000), granularity: MS(60_000), ..seconds };
        assert_eq!(own(&mut check, &minutes, 0, 59_000), (0, false));
        let delay = ServerTimeControl { delay: MS(5000), ..seconds };
        assert_eq!(own(&mut check, &delay, 0, 5900), (0, false));
        assert_eq!(theirs(&mut check, 3), 3);
    }

    #[test]
    fn seconds_in_place_of_milliseconds_are_known_by_a_move_that_took_as_many() {
        let mut check = TimeCheck::default();
        assert_eq!(own(&mut check, &in_milliseconds(), 2, 2700), (2700, true));
        assert_eq!((own(&mut check, &in_milliseconds(), 3, 2700), theirs(&mut check, 4)), ((3000, false), 4000));
        assert_eq!(own(&mut check, &in_milliseconds(), 0, 400), (400, false));
        assert_eq!(theirs(&mut check, 900), 900, "neither side had 900 seconds");
    }

    #[test]
    fn a_time_that_is_too_short_is_the_measured_one_with_one_warning() {
        let (mut check, seconds) = (TimeCheck::default(), ServerTimeControl::default());
        assert_eq!(own(&mut check, &in_milliseconds(), 0, 400), (400, true));
        assert_eq!(theirs(&mut check, 3), 3, "nothing tells that these are seconds");
        assert_eq!(own(&mut check, &seconds, 1, 9000), (9000, false));
    }

    #[test]
    fn a_missing_time_is_measured() {
        let mut check = TimeCheck::default();
        let measured = MeasuredTime { thought: Some(MS(100)), whole: MS(150) };
        let (used, warning) = check.used(&ServerTimeControl::default(), None, None, measured);
        assert_eq!((used, warning.is_some()), (MS(150), true));
        assert_eq!(check.used(&ServerTimeControl::default(), None, None, measured), (MS(150), None));
    }
}
