//! Both clocks of a game: what may be used for a move, what is left after it, and what an engine is told.

use std::time::Duration;

use kiki_board::{ByColor, COLORS, Color, opponent};
use kiki_usi::Clocks;

use crate::time_control::TimeControl;

/// What an engine is given for a move of a game without clocks.
const WITHOUT_CLOCK: Duration = Duration::from_secs(10);

/// The clocks of both sides, as the server counts them.
#[derive(Clone, Copy, Debug)]
pub struct GameClocks {
    controls: ByColor<TimeControl>,
    left: ByColor<Duration>,
}

impl GameClocks {
    /// The clocks at the beginning of a game.
    #[must_use]
    pub fn new(controls: ByColor<TimeControl>) -> Self {
        let left = ByColor::new(controls[Color::Black].total, controls[Color::White].total);
        Self { controls, left }
    }

    /// The time control of a side.
    #[must_use]
    pub fn control(&self, side: Color) -> &TimeControl {
        &self.controls[side]
    }

    /// What a side has left of the time for the game, before the increment of its next move.
    #[must_use]
    pub fn left(&self, side: Color) -> Duration {
        self.left[side]
    }

    /// Sets what a side has left, as the server tells it.
    pub fn set_left(&mut self, side: Color, left: Duration) {
        self.left[side] = left;
    }

    /// Counts a move: the increment is added and the time that the server names is taken off. A free delay is counted as if it were not
    /// free, as servers may or may not have taken it off: what is left is then never thought to be more than it is.
    pub fn spend(&mut self, side: Color, used: Duration) {
        self.left[side] = (self.left[side] + self.controls[side].increment).saturating_sub(used);
    }

    /// Counts a move of a game that goes on, told by the summary. Servers differ in whether they add increments and take off times for
    /// such moves, so that no more than the time for the game is thought to be left.
    pub fn spend_before(&mut self, side: Color, used: Duration) {
        self.spend(side, used);
        self.left[side] = self.left[side].min(self.controls[side].total);
    }

    /// A move must be with the server before this time has passed; `None` without a limit. Servers round down, and a move that takes all
    /// that there is loses; where they round up, one unit less may be used. Of a last unit, which any move costs, all may be.
    #[must_use]
    pub fn allowance(&self, side: Color) -> Option<Duration> {
        let control = &self.controls[side];
        let all = self.left[side] + control.byoyomi + control.increment + control.delay;
        let rounding = if control.round_up { control.unit } else { Duration::ZERO };
        control.is_limited().then(|| all.saturating_sub(rounding).max(rounding.min(all)))
    }

    /// The words of `go` for an engine that plays `side`, when `spent` of its time for this move is gone already. What it may use by
    /// them is the allowance without what is kept back. Increments are told as not yet added. Where the server counts whole seconds so
    /// does the time left, as engines know such clocks by it: they think to the end of a second that has begun.
    #[must_use]
    pub fn told(&self, side: Color, kept_back: Duration, spent: Duration) -> Clocks {
        let control = &self.controls[side];
        let Some(allowance) = self.allowance(side) else { return without_clock() };
        let mut rest = allowance.saturating_sub(kept_back).saturating_sub(spent);
        // What every move has again is told as such as long as there is enough for it. Where times are rounded up no step is free.
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

/// The time left in whole seconds, if those are what the server counts and there is time to think beside what is cut off.
fn whole_seconds(control: &TimeControl, left: Duration, beside: Duration) -> Duration {
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

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: fn(u64) -> Duration = Duration::from_secs;
    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn control(total: u64, byoyomi: u64, increment: u64) -> TimeControl {
        let (total, byoyomi, increment) = (SECOND(total), SECOND(byoyomi), SECOND(increment));
        TimeControl { total, byoyomi, increment, ..TimeControl::default() }
    }

    fn clocks(control: TimeControl) -> GameClocks {
        GameClocks::new(ByColor::new(control, control))
    }

    fn told(clocks: &GameClocks, kept_back: u64, spent: u64) -> String {
        clocks.told(Color::White, MS(kept_back), MS(spent)).to_string()
    }

    #[test]
    fn clocks_that_count_seconds_are_told_in_whole_seconds() {
        let seconds = control(60, 0, 1);
        assert!(seconds.counts_whole_seconds());
        assert_eq!(told(&clocks(seconds), 300, 0), " btime 60000 wtime 59000 binc 1000 winc 1000");
        // What is left after a search that has failed begins in the middle of a second.
        assert_eq!(told(&clocks(seconds), 300, 1500), " btime 60000 wtime 58200 binc 1000 winc 1000");
        let fine = TimeControl { unit: MS(1), granularity: MS(1), ..seconds };
        assert!(!fine.counts_whole_seconds());
        assert_eq!(told(&clocks(fine), 300, 0), " btime 60000 wtime 59700 binc 1000 winc 1000");
        // The last second of a clock that nothing is added to.
        assert_eq!(told(&clocks(control(1, 0, 0)), 200, 0), " btime 1000 wtime 800 byoyomi 0");
    }

    #[test]
    fn fischer_times_are_told_before_their_increment() {
        let mut clocks = clocks(control(300, 0, 10));
        assert_eq!(clocks.allowance(Color::White), Some(SECOND(310)));
        assert_eq!(told(&clocks, 500, 0), " btime 300000 wtime 299000 binc 10000 winc 10000");
        clocks.spend(Color::White, SECOND(309));
        assert_eq!(clocks.left(Color::White), SECOND(1));
        assert_eq!(told(&clocks, 500, 0), " btime 300000 wtime 0 binc 10000 winc 10000");
        assert_eq!(told(&clocks, 500, 4000), " btime 300000 wtime 0 binc 10000 winc 6500");
        clocks.spend(Color::White, SECOND(3));
        assert_eq!(clocks.left(Color::White), SECOND(8));
    }

    #[test]
    fn byoyomi_is_whole_at_every_move() {
        let mut clocks = clocks(control(5, 3, 0));
        assert_eq!(told(&clocks, 200, 0), " btime 5000 wtime 4000 byoyomi 3000");
        clocks.spend(Color::White, SECOND(7));
        assert_eq!(clocks.left(Color::White), SECOND(0));
        assert_eq!(clocks.allowance(Color::White), Some(SECOND(3)));
        assert_eq!(told(&clocks, 200, 0), " btime 5000 wtime 0 byoyomi 2800");
        assert_eq!(told(&clocks, 200, 9000), " btime 5000 wtime 0 byoyomi 0");
    }

    #[test]
    fn what_rounding_down_to_minutes_gives_is_byoyomi() {
        let watch = TimeControl { granularity: SECOND(60), ..control(600, 0, 0) };
        let mut clocks = clocks(watch);
        assert_eq!(told(&clocks, 0, 0), " btime 600000 wtime 540000 byoyomi 60000");
        clocks.spend(Color::White, SECOND(540));
        assert_eq!(clocks.allowance(Color::White), Some(SECOND(60)));
        assert_eq!(told(&clocks, 0, 0), " btime 600000 wtime 0 byoyomi 60000");
    }

    #[test]
    fn rounding_up_and_delay_are_on_the_safe_side() {
        let strict = TimeControl { round_up: true, ..control(10, 0, 0) };
        assert_eq!(clocks(strict).allowance(Color::Black), Some(SECOND(9)));
        let minutes = TimeControl { unit: SECOND(60), granularity: SECOND(60), ..strict };
        let minutes = TimeControl { total: SECOND(600), ..minutes };
        assert_eq!(told(&clocks(minutes), 0, 0), " btime 600000 wtime 540000 byoyomi 0", "no minute is free");
        let mut clocks = clocks(TimeControl { delay: SECOND(2), ..control(10, 0, 0) });
        assert_eq!(clocks.allowance(Color::White), Some(SECOND(12)));
        assert_eq!(told(&clocks, 0, 0), " btime 10000 wtime 10000 byoyomi 2000");
        clocks.spend(Color::White, SECOND(3));
        assert_eq!(clocks.left(Color::White), SECOND(7));
    }

    #[test]
    fn the_last_unit_may_be_used_although_it_is_rounded_up() {
        let strict = TimeControl { round_up: true, ..control(3, 0, 0) };
        let mut clocks = clocks(strict);
        for (spent, allowance) in [(0, 2), (1, 1), (1, 1), (1, 0)] {
            clocks.spend(Color::White, SECOND(spent));
            assert_eq!(clocks.allowance(Color::White), Some(SECOND(allowance)), "{:?}", clocks.left(Color::White));
        }
    }

    #[test]
    fn the_two_sides_may_have_different_clocks() {
        let mut clocks = GameClocks::new(ByColor::new(control(60, 0, 5), control(0, 10, 0)));
        assert_eq!(told(&clocks, 0, 0), " btime 60000 wtime 0 byoyomi 10000 binc 5000 winc 0");
        assert_eq!(
            clocks.told(Color::Black, MS(0), MS(0)).to_string(),
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
        assert_eq!(told(&clocks, 500, 0), " btime 0 wtime 0 byoyomi 10000");
    }
}
