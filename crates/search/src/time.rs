//! How long to think: pure arithmetic on clocks.

use std::time::Duration;

use crate::limits::{Clocks, TimeOptions};

/// The plan for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Where a calm search ends. Iterations are not begun beyond it.
    pub optimum: Duration,
    /// Where any search ends, in mid-iteration.
    pub maximum: Duration,
}

/// Below this a clock is fast play, between programs on one machine.
const FAST: Duration = Duration::from_millis(1000);
/// Below this no server is far away.
const NEAR: Duration = Duration::from_millis(5000);
const SECOND: Duration = Duration::from_millis(1000);

/// Plans one move of `color` (an index) at move number `ply`.
///
/// The hard stop is what the clock shows plus the byoyomi (plus the increment if the clock gets it first), less a margin. The
/// margin is [`TimeOptions::network_delay2`], but shrinks by itself when that would eat the time of fast play.
/// The plan spreads the main time over the moves to come and adds what each move brings.
#[must_use]
pub fn budget(clocks: &Clocks, color: usize, ply: u32, options: &TimeOptions) -> Budget {
    let remaining = clocks.remaining[color];
    let increment = clocks.increment[color];
    let usable_increment = if options.increment_before_move { increment } else { Duration::ZERO };
    let available = remaining + clocks.byoyomi + usable_increment;
    let hard = available.saturating_sub(margin(available, options.network_delay2)).max(Duration::from_millis(1));
    if remaining <= increment.min(clocks.byoyomi) || remaining.is_zero() {
        // The main time is used up, or as good as that: nothing can be saved for later.
        if increment.is_zero() {
            return rounded(Budget { optimum: hard, maximum: hard }, hard, clocks, options);
        }
    }
    let horizon = moves_to_go(ply);
    let bank = remaining + increment * (horizon - 1);
    let mut optimum = bank / horizon * options.slow_mover / 100 + clocks.byoyomi;
    // On a comfortable clock there is no hurry.
    if remaining > options.minimum_thinking_time * horizon {
        optimum = optimum.max(options.minimum_thinking_time);
    }
    optimum = optimum.saturating_sub(options.network_delay.min(optimum / 10)).min(hard);
    // Without byoyomi behind it, one move never takes more than a good part of the bank.
    let share = remaining * 2 / 5 + clocks.byoyomi + usable_increment;
    let maximum = (optimum * 5).min(hard).min(share.max(optimum));
    rounded(Budget { optimum, maximum }, hard, clocks, options)
}

/// The moves of one side that the main time should last for.
fn moves_to_go(ply: u32) -> u32 {
    // Games take 110 to 120 plies; near and beyond that, keep going as if 20 moves were left.
    (60_u32.saturating_sub(ply / 3)).clamp(20, 50)
}

/// What is left unused before the flag: all of the network delay on slow clocks, a few milliseconds and some percent on fast ones.
fn margin(available: Duration, delay: Duration) -> Duration {
    let fast = Duration::from_millis(5) + available.min(FAST) * 7 / 200;
    let near = available.min(NEAR).saturating_sub(FAST) / 10;
    let far = available.saturating_sub(NEAR) * 2 / 5;
    delay.min(fast + near + far)
}

/// If the clock counts whole seconds, uses up the second that is begun.
fn rounded(plan: Budget, hard: Duration, clocks: &Clocks, options: &TimeOptions) -> Budget {
    let whole = |time: Duration| time.subsec_nanos() == 0;
    let seconds = clocks.remaining.into_iter().chain(clocks.increment).all(whole) && whole(clocks.byoyomi);
    if !options.round_up_to_full_second || !seconds {
        return plan;
    }
    let up = |time: Duration| {
        let begun = SECOND * (time + options.network_delay).as_millis().div_ceil(1000) as u32;
        begun.saturating_sub(options.network_delay).min(hard).max(time.min(hard))
    };
    Budget { optimum: up(plan.optimum), maximum: up(plan.maximum) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn clocks(remaining: u64, byoyomi: u64, increment: u64) -> Clocks {
        Clocks { remaining: [ms(remaining); 2], increment: [ms(increment); 2], byoyomi: ms(byoyomi) }
    }

    #[test]
    fn no_plan_oversteps_the_clock_and_every_plan_is_positive() {
        for remaining in [0, 1, 50, 99, 100, 500, 1000, 5000, 60_000, 900_000, 36_000_000] {
            for byoyomi in [0, 1, 50, 100, 200, 1000, 2000, 3000, 10_000, 60_000] {
                for increment in [0, 1, 100, 1000, 10_000] {
                    for ply in [1, 40, 100, 300, 1000] {
                        for before in [false, true] {
                            let options = TimeOptions { increment_before_move: before, ..TimeOptions::default() };
                            let plan = budget(&clocks(remaining, byoyomi, increment), 0, ply, &options);
                            let available = remaining + byoyomi + if before { increment } else { 0 };
                            assert!(
                                plan.maximum <= ms(available.max(1)),
                                "{remaining} {byoyomi} {increment}: {plan:?}"
                            );
                            assert!(plan.optimum <= plan.maximum, "{remaining} {byoyomi} {increment}: {plan:?}");
                            assert!(plan.optimum > Duration::ZERO);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn byoyomi_is_used_nearly_to_its_end() {
        for (byoyomi, least) in [(100, 91), (200, 187), (1000, 955), (3000, 2750), (10_000, 8500)] {
            let plan = budget(&clocks(0, byoyomi, 0), 0, 50, &TimeOptions::default());
            assert!(plan.optimum >= ms(least), "{byoyomi}: {plan:?}");
            assert_eq!(plan.optimum, plan.maximum);
        }
    }

    #[test]
    fn a_bank_lasts_the_whole_game() {
        for (bank, increment) in [(5000, 100), (300_000, 10_000), (900_000, 0), (60_000, 0)] {
            let (mut left, options) = (bank, TimeOptions::default());
            for ply in (1..300).step_by(2) {
                let plan = budget(&clocks(left, 0, increment), 0, ply, &options);
                let used = plan.optimum.as_millis() as u64;
                assert!(used <= left, "flag fell at ply {ply} of {bank}+{increment}");
                left = left - used + increment;
            }
        }
    }

    #[test]
    fn whole_seconds_are_used_up_on_clocks_that_count_them() {
        let plan = budget(&clocks(0, 10_000, 0), 0, 50, &TimeOptions::default());
        assert_eq!(plan.maximum, ms(8880));
        let plan = budget(&clocks(600_000, 0, 0), 0, 20, &TimeOptions::default());
        assert_eq!(plan.optimum.as_millis() % 1000, 880, "{plan:?}");
    }
}
