//! How long to think: pure arithmetic on clocks.

use std::time::Duration;

use kiki_board::{COLORS, Color};

use super::margin::{SELDOM_LATE, UNSEEN, fast_margin, margin, usual_margin};
use crate::limits::{TimeControl, TimeOptions};

/// The plan for one move. All times count from the moment at which the clock of the side to move began to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Up to here nothing is saved by answering: byoyomi that is not used is lost.
    pub least: Duration,
    /// What the move should take on average. A search that has settled ends earlier, one that loses ground later.
    pub optimum: Duration,
    /// Where any search ends, in mid-iteration.
    pub maximum: Duration,
    /// On clocks that count whole seconds: how long before the full second an answer must be given to count as within it.
    pub second_margin: Option<Duration>,
    /// How long after the end of the search the answer may wait for threads that have lost their processors; not at all if answers are late.
    pub grace: Duration,
}

/// What is known of the clock apart from the times that it shows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ClockFacts {
    /// The increment of this move may be used for it: the time shown is without it.
    pub increment_before_move: bool,
    /// How much earlier to answer than the margins say, because answers have been late.
    pub late: Duration,
}

const SECOND: Duration = Duration::from_millis(1000);
const MILLISECOND: Duration = Duration::from_millis(1);
/// The longest that an answer waits for threads that have been told to stop. They look at every node, so that only those without a processor are
/// later; of these the last completed iteration counts.
pub(crate) const GRACE: Duration = Duration::from_millis(8);

impl Budget {
    /// All of a fixed time, no less and no more; after it the answer may wait for `grace`.
    #[must_use]
    pub fn exactly(time: Duration, grace: Duration) -> Self {
        Self { least: time, optimum: time, maximum: time, second_margin: None, grace }
    }

    /// The plan if so much of the time has passed before the search begins. A search that begins after its end has a millisecond: any move that was
    /// searched is better than one that was not.
    #[must_use]
    pub fn begun_after(self, elapsed: Duration) -> Self {
        let shortest = elapsed + MILLISECOND;
        if self.maximum < shortest { Self::exactly(shortest, Duration::ZERO) } else { self }
    }

    /// The latest moment that costs no more than answering at `time`: the end of the second that has begun, if the clock counts whole
    /// seconds.
    #[must_use]
    pub fn free_until(&self, time: Duration) -> Duration {
        let Some(margin) = self.second_margin else { return time };
        let end_of_second = SECOND * (time + margin).as_millis().div_ceil(1000) as u32;
        end_of_second.saturating_sub(margin).max(time)
    }
}

/// Plans one move of `color` at move number `ply`.
///
/// The hard stop is what the clock shows plus the byoyomi (plus the increment if the clock gets it first), less a margin.
/// The plan spreads the main time over the moves to come and adds what each move brings.
#[must_use]
pub fn budget(time_control: &TimeControl, color: Color, ply: u32, options: &TimeOptions, facts: ClockFacts) -> Budget {
    let (remaining, increment, byoyomi) =
        (time_control.remaining[color], time_control.increment[color], time_control.byoyomi);
    let usable_increment = usable_increment(time_control, color, facts);
    let available = remaining + byoyomi + usable_increment;
    let margin = clock_margin(available, options, facts);
    let Budget { maximum, grace, .. } = all_but(margin, available, facts.late);
    let second_margin = counts_seconds(time_control, options).then_some(options.network_delay);
    let least = byoyomi.saturating_sub(margin).min(maximum);
    if remaining.is_zero() && increment.is_zero() {
        // Nothing but byoyomi.
        return Budget { least: maximum, optimum: maximum, maximum, second_margin, grace };
    }
    let horizon = moves_to_go(ply);
    let bank = remaining + increment * (horizon - 1) + usable_increment;
    let mut optimum = bank / horizon * options.slow_mover / 100 + byoyomi;
    // On a comfortable clock there is no hurry.
    if remaining > options.minimum_thinking_time * horizon {
        optimum = optimum.max(options.minimum_thinking_time);
    }
    optimum = optimum.saturating_sub(options.network_delay.min(optimum / 10)).min(maximum).max(MILLISECOND);
    // One move never takes more than a good part of the bank.
    let share = remaining / 4 + byoyomi + usable_increment;
    let maximum = maximum.min(optimum * 5).min(share.max(optimum));
    Budget { least: least.min(maximum), optimum, maximum, second_margin, grace }
}

/// Plans a move that is given a fixed time: nearly all of it, and no more than the clock has, if there is one.
pub(crate) fn fixed_budget(
    time: Duration,
    clock: Option<&TimeControl>,
    color: Color,
    options: &TimeOptions,
    facts: ClockFacts,
) -> Budget {
    // A fixed time is not that of a server far away.
    let by_time = all_but(margin(time, fast_margin(time), options, facts.late), time, facts.late);
    let Some(clock) = clock else { return by_time };
    let available = clock.remaining[color] + clock.byoyomi + usable_increment(clock, color, facts);
    let by_clock = all_but(clock_margin(available, options, facts), available, facts.late);
    if by_clock.maximum < by_time.maximum { by_clock } else { by_time }
}

/// What of the increment may be used for this move.
fn usable_increment(time_control: &TimeControl, color: Color, facts: ClockFacts) -> Duration {
    let all = if facts.increment_before_move { time_control.increment[color] } else { Duration::ZERO };
    all.saturating_sub(time_control.overdrawn[color])
}

/// What is left unused of all that the clock has for this move.
fn clock_margin(available: Duration, options: &TimeOptions, facts: ClockFacts) -> Duration {
    margin(available, usual_margin(available), options, facts.late)
}

/// All of a time but the margin.
fn all_but(margin: Duration, available: Duration, late: Duration) -> Budget {
    // Of what the margin has to spare beside the lateness that is expected and the one that is seldom but never impossible.
    let grace = GRACE.min(margin.min(available).saturating_sub(SELDOM_LATE.max(UNSEEN + late)) / 2);
    Budget::exactly(available.saturating_sub(margin).max(MILLISECOND), grace)
}

/// The moves of one side that the main time should last for.
fn moves_to_go(ply: u32) -> u32 {
    // Games take 110 to 120 plies; near and beyond that, keep going as if some more moves were left.
    (45_u32.saturating_sub(ply / 4)).clamp(18, 45)
}

/// Whether the clock counts whole seconds, so that the rest of a second that has begun is free.
fn counts_seconds(time_control: &TimeControl, options: &TimeOptions) -> bool {
    let whole = |time: Duration| time.subsec_nanos() == 0;
    options.round_up_to_full_second
        && COLORS.into_iter().all(|color| {
            let TimeControl { remaining, overdrawn, increment, .. } = time_control;
            [remaining, overdrawn, increment].into_iter().all(|times| whole(times[color]))
        })
        && whole(time_control.byoyomi)
}

#[cfg(test)]
mod tests;
