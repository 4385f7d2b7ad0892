//! How long to think: pure arithmetic on clocks.

use std::time::Duration;

use kiki_board::{COLORS, Color};

use crate::limits::{ClockTimes, TimeOptions};

/// The plan for one move. All times count from when the clock of the side to move started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Budget {
    /// An earlier answer saves nothing: unused byoyomi is lost.
    pub(crate) least: Duration,
    /// Average time of the move. A search that has settled ends earlier, one that loses value
    /// later.
    pub(crate) optimum: Duration,
    /// When every search ends, in mid-iteration.
    pub(crate) maximum: Duration,
    /// On clocks that count whole seconds: how long before a full second an answer must be given to
    /// count within it.
    pub(crate) second_margin: Option<Duration>,
    /// Whether the time is given for this move alone, whatever the clock.
    pub(crate) fixed: bool,
    /// How long the answer may wait after the end of the search for threads without processors;
    /// zero if answers are late.
    pub(crate) grace: Duration,
}

/// Facts about the clock besides its times.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct ClockFacts {
    /// Whether this move may use its own increment: the clock does not show it yet.
    pub(crate) increment_before_move: bool,
    /// How much earlier than the margins to answer, because answers have been late.
    pub(crate) late: Duration,
}

const SECOND: Duration = Duration::from_millis(1000);
const MILLISECOND: Duration = Duration::from_millis(1);
/// Longest wait of an answer for stopping threads. They read the signal at every node, so only
/// threads without a processor are later. Then their last completed iteration counts.
pub(crate) const GRACE: Duration = Duration::from_millis(8);

impl Budget {
    /// A plan of exactly `time`; the answer may wait for `grace` after it.
    pub(crate) fn exactly(time: Duration, grace: Duration) -> Self {
        Self { least: time, optimum: time, maximum: time, second_margin: None, fixed: true, grace }
    }

    /// The plan if `elapsed` has passed before the search begins. A search that begins after its
    /// end gets a millisecond: any searched move is better than an unsearched one.
    pub(crate) fn begun_after(self, elapsed: Duration) -> Self {
        let shortest = elapsed + MILLISECOND;
        if self.maximum < shortest { Self::exactly(shortest, Duration::ZERO) } else { self }
    }

    /// The latest moment that costs no more than `time`: the end of the current second, if the
    /// clock counts whole seconds.
    pub(crate) fn free_until(&self, time: Duration) -> Duration {
        let Some(margin) = self.second_margin else { return time };
        let end_of_second = SECOND * (time + margin).as_millis().div_ceil(1000) as u32;
        end_of_second.saturating_sub(margin).max(time)
    }
}

/// Plans one move of `color` at move number `ply`.
///
/// The hard stop is what the clock shows plus the byoyomi (plus the increment if the clock gets it
/// first), less a margin. The plan spreads the main time over the moves to come and adds what each
/// move brings.
pub(crate) fn budget(clocks: &ClockTimes, color: Color, ply: u32, options: &TimeOptions, facts: ClockFacts) -> Budget {
    let (remaining, increment, byoyomi) = (clocks.remaining[color], clocks.increment[color], clocks.byoyomi);
    let usable_increment = usable_increment(clocks, color, facts);
    let available = remaining + byoyomi + usable_increment;
    let margin = clock_margin(available, options, facts);
    let second_margin = counts_seconds(clocks, options).then_some(options.network_delay);
    let all = Budget { second_margin, fixed: false, ..all_but(margin, available, facts.late) };
    if remaining.is_zero() && increment.is_zero() {
        // Byoyomi only.
        return all;
    }
    let horizon = moves_to_go(ply);
    let bank = remaining + increment * (horizon - 1) + usable_increment;
    let usual = bank / horizon * options.slow_mover / 100 + byoyomi;
    // What an early move saves is there for later ones, unless the byoyomi begins soon.
    let percent = if remaining >= 2 * byoyomi { early_percent(ply) } else { 100 };
    let mut optimum = usual * percent / 100;
    if options.ponders {
        optimum += optimum / 4;
    }
    // A clock with plenty of time allows the minimum.
    if remaining > options.minimum_thinking_time * horizon {
        optimum = optimum.max(options.minimum_thinking_time);
    }
    optimum = optimum.saturating_sub(options.network_delay.min(optimum / 10)).min(all.maximum).max(MILLISECOND);
    // One move never takes more than a fraction of the bank.
    let share = remaining / 4 + byoyomi + usable_increment;
    let maximum = all.maximum.min(optimum * 5).min(share.max(optimum));
    let least = (byoyomi.saturating_sub(margin) * percent / 100).min(maximum);
    Budget { least, optimum, maximum, ..all }
}

/// Plans a move with a fixed time: nearly all of it, and no more than the clock has, if any.
pub(crate) fn fixed_budget(
    time: Duration,
    clock: Option<&ClockTimes>,
    color: Color,
    options: &TimeOptions,
    facts: ClockFacts,
) -> Budget {
    // A fixed time never comes from a distant server.
    let by_time = all_but(margin(time, fast_margin(time), options, facts.late), time, facts.late);
    let Some(clock) = clock else { return by_time };
    let available = clock.remaining[color] + clock.byoyomi + usable_increment(clock, color, facts);
    let by_clock = all_but(clock_margin(available, options, facts), available, facts.late);
    if by_clock.maximum < by_time.maximum { by_clock } else { by_time }
}

/// Part of the increment that this move may use.
fn usable_increment(clocks: &ClockTimes, color: Color, facts: ClockFacts) -> Duration {
    let all = if facts.increment_before_move { clocks.increment[color] } else { Duration::ZERO };
    all.saturating_sub(clocks.overdrawn[color])
}

/// Unused part of all that the clock has for this move.
fn clock_margin(available: Duration, options: &TimeOptions, facts: ClockFacts) -> Duration {
    margin(available, usual_margin(available), options, facts.late)
}

/// A plan of the available time less the margin.
fn all_but(margin: Duration, available: Duration, late: Duration) -> Budget {
    // Half of the margin that exceeds the expected and the rare lateness.
    let grace = GRACE.min(margin.min(available).saturating_sub(SELDOM_LATE.max(UNSEEN + late)) / 2);
    Budget::exactly(available.saturating_sub(margin).max(MILLISECOND), grace)
}

/// Number of moves of one side to spread the main time over.
fn moves_to_go(ply: u32) -> u32 {
    // Games take 110 to 120 plies. Near and beyond that, plan for some more moves.
    (45_u32.saturating_sub(ply / 4)).clamp(18, 45)
}

/// Percent of its usual time that a move takes: less in the opening, so that no early move takes
/// longer than those of the middle game.
fn early_percent(ply: u32) -> u32 {
    ply.saturating_add(40).min(100)
}

/// Whether the clock counts whole seconds, so that the rest of a second is free.
fn counts_seconds(clocks: &ClockTimes, options: &TimeOptions) -> bool {
    let whole = |time: Duration| time.subsec_nanos() == 0;
    options.round_up_to_full_second
        && COLORS.into_iter().all(|color| {
            let ClockTimes { remaining, overdrawn, increment, .. } = clocks;
            [remaining, overdrawn, increment].into_iter().all(|times| whole(times[color]))
        })
        && whole(clocks.byoyomi)
}

/// Clocks below this are fast games between programs on one machine.
const FAST: Duration = Duration::from_millis(1000);
/// Clocks below this do not belong to a distant server.
const NEAR: Duration = Duration::from_millis(5000);
/// Time always lost between the clock and this program and back.
pub(super) const UNSEEN: Duration = Duration::from_millis(2);
/// How long a thread may wait for its processor on a busy machine: about the scheduler's period.
const SCHEDULER_TICK: Duration = Duration::from_millis(5);
/// How long a thread sometimes waits for its processor on an overloaded machine: a little more than
/// two ticks of a scheduler with 250 a second. It happens even after hundreds of punctual answers.
pub(super) const SELDOM_LATE: Duration = Duration::from_millis(9);

/// Shortest time worth a search. This much of a clock, or a quarter of the shortest times, is used
/// whatever the margins.
const LEAST_USEFUL: Duration = Duration::from_millis(10);

/// Time left unused before the flag on clocks without a server: a few milliseconds and some
/// percent, up to half of the shortest times.
pub(super) fn fast_margin(available: Duration) -> Duration {
    let usual = Duration::from_millis(5) + available.min(FAST) * 7 / 200;
    usual.max(SELDOM_LATE.min(available / 2))
}

/// Time left unused before the flag: more on slow clocks, which may belong to distant servers.
pub(super) fn usual_margin(available: Duration) -> Duration {
    let near = available.min(NEAR).saturating_sub(FAST) / 10;
    let far = available.saturating_sub(NEAR) * 2 / 5;
    fast_margin(available) + near + far
}

/// Time left unused before the flag. The default of `NetworkDelay2` is for slow clocks and distant
/// servers: it shrinks to the usual margin on fast ones. A delay chosen by the user is kept, as far
/// as [`LEAST_USEFUL`] allows. `NetworkDelay` counts above its default: the usual delay is lost at
/// the last moment too.
pub(super) fn margin(available: Duration, usual: Duration, options: &TimeOptions, late: Duration) -> Duration {
    let TimeOptions { network_delay, network_delay2, .. } = *options;
    let default = TimeOptions::default();
    let raised = if network_delay > default.network_delay { network_delay } else { Duration::ZERO };
    let (automatic, chosen) = if network_delay2 == default.network_delay2 {
        (network_delay2.min(usual), raised)
    } else {
        (Duration::ZERO, network_delay2.max(raised))
    };
    let most = available.saturating_sub(LEAST_USEFUL.min(available / 4));
    // Lateness that the margin covers adds nothing. Half of the time, or a quarter of the shortest
    // times, is left to think.
    let against_lateness = (UNSEEN + late).min(available / 2 + SCHEDULER_TICK.min(available / 4));
    automatic.max(chosen.min(most)).max(against_lateness)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_board::ByColor;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn clocks(remaining: u64, byoyomi: u64, increment: u64) -> ClockTimes {
        ClockTimes {
            remaining: ByColor::both(ms(remaining)),
            increment: ByColor::both(ms(increment)),
            byoyomi: ms(byoyomi),
            ..ClockTimes::default()
        }
    }

    /// The plan of a move in the middle of a game.
    fn planned(clocks: ClockTimes, options: TimeOptions, facts: ClockFacts) -> Budget {
        budget(&clocks, Color::Black, 60, &options, facts)
    }

    fn plan(remaining: u64, byoyomi: u64, increment: u64) -> Budget {
        planned(clocks(remaining, byoyomi, increment), TimeOptions::default(), ClockFacts::default())
    }

    #[test]
    fn no_plan_oversteps_the_clock_and_every_plan_is_positive() {
        for remaining in [0, 1, 50, 99, 100, 500, 1000, 5000, 60_000, 900_000, 36_000_000] {
            for byoyomi in [0, 1, 50, 100, 200, 1000, 2000, 3000, 10_000, 60_000] {
                for increment in [0, 1, 100, 1000, 10_000] {
                    for (ply, late, before) in [(1, 0, false), (40, 30, true), (100, 3, true), (1000, 900, false)] {
                        let facts = ClockFacts { increment_before_move: before, late: ms(late) };
                        let clocks = clocks(remaining, byoyomi, increment);
                        let plan = budget(&clocks, Color::Black, ply, &TimeOptions::default(), facts);
                        let available = remaining + byoyomi + if before { increment } else { 0 };
                        assert!(plan.maximum <= ms(available.max(1)), "{clocks:?}: {plan:?}");
                        assert!(
                            plan.grace.is_zero() || plan.maximum + plan.grace + ms(late) < ms(available),
                            "{clocks:?}: {plan:?}"
                        );
                        assert!(plan.optimum <= plan.maximum && plan.least <= plan.maximum, "{clocks:?}: {plan:?}");
                        assert!(plan.optimum > Duration::ZERO, "{clocks:?}: {plan:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn byoyomi_is_used_nearly_to_its_end() {
        for (byoyomi, least) in [(100, 91), (200, 187), (1000, 955), (3000, 2750), (10_000, 8500)] {
            let only_byoyomi = plan(0, byoyomi, 0);
            assert!(only_byoyomi.least >= ms(least), "{byoyomi}: {only_byoyomi:?}");
            assert_eq!(only_byoyomi.least, only_byoyomi.maximum);
            let with_a_bank = plan(60_000, byoyomi, 0);
            assert!(with_a_bank.least >= ms(byoyomi).saturating_sub(ms(1120)), "{with_a_bank:?}");
            assert!(with_a_bank.least < with_a_bank.optimum, "{with_a_bank:?}");
        }
    }

    #[test]
    fn a_margin_that_the_user_has_chosen_is_kept() {
        let keep = |delay: u64, byoyomi: u64| {
            let options = TimeOptions { network_delay2: ms(delay), ..TimeOptions::default() };
            ms(byoyomi) - planned(clocks(0, byoyomi, 0), options, ClockFacts::default()).maximum
        };
        assert_eq!(keep(2500, 3000), ms(2500));
        assert_eq!(keep(400, 1000), ms(400));
        assert_eq!(keep(1120, 200), ms(12), "the default shrinks by itself");
        assert_eq!([keep(1120, 16), keep(1120, 20), keep(1120, 100)], [ms(8), ms(9), ms(9)], "but not to nothing");
        assert_eq!([keep(990, 1000), keep(1000, 1000), keep(2500, 1000)], [ms(990); 3]);
        assert_eq!([keep(2500, 100), keep(2500, 20)], [ms(90), ms(15)], "a little is left to think");
    }

    #[test]
    fn a_delay_above_its_default_is_kept_at_the_last_moment_too() {
        let keep = |delay: u64, delay2: u64, byoyomi: u64| {
            let options =
                TimeOptions { network_delay: ms(delay), network_delay2: ms(delay2), ..TimeOptions::default() };
            let by_clock = planned(clocks(0, byoyomi, 0), options, ClockFacts::default());
            let fixed = fixed_budget(ms(byoyomi), None, Color::Black, &options, ClockFacts::default());
            assert_eq!(by_clock.maximum, fixed.maximum, "{delay} {delay2} {byoyomi}");
            byoyomi - by_clock.maximum.as_millis() as u64
        };
        assert_eq!([keep(0, 1120, 1000), keep(120, 1120, 1000)], [40; 2], "as without it");
        assert_eq!([keep(300, 1120, 1000), keep(300, 100, 1000), keep(300, 400, 1000)], [300, 300, 400]);
        assert_eq!(keep(5000, 1120, 1000), 990);
    }

    /// All plans of a grid of clocks with these delays: the latest end and the average time.
    fn plans(delay: u64, delay2: u64) -> Vec<[Duration; 3]> {
        let options = TimeOptions { network_delay: ms(delay), network_delay2: ms(delay2), ..TimeOptions::default() };
        let mut plans = Vec::new();
        for remaining in [0, 1, 50, 900, 3000, 20_000, 600_000] {
            for byoyomi in [0, 5, 100, 1000, 1007, 3000, 30_000] {
                for (increment, before, late) in [(0, false, 0), (100, true, 3), (5000, false, 30), (5000, true, 900)] {
                    let facts = ClockFacts { increment_before_move: before, late: ms(late) };
                    let clock = clocks(remaining, byoyomi, increment);
                    let fixed = |time, clock| fixed_budget(ms(time), clock, Color::Black, &options, facts);
                    for plan in [planned(clock, options, facts), fixed(byoyomi, None), fixed(1000, Some(&clock))] {
                        plans.push([plan.least, plan.optimum, plan.maximum]);
                    }
                }
            }
        }
        plans
    }

    #[test]
    fn a_greater_margin_never_answers_later() {
        let delays = [0, 1, 10, 30, 99, 100, 120, 121, 500, 990, 999, 1000, 1001, 1119, 1121, 2000, 2999, 5000, 10_000];
        for other in [0, 120, 700, 10_000] {
            // The default of the second delay adapts to the clock.
            let by_second: Vec<_> = delays.map(|delay| plans(other, delay)).to_vec();
            let by_first: Vec<_> = delays.map(|delay| plans(delay, other)).to_vec();
            let by_first_alone: Vec<_> = delays.map(|delay| plans(delay, 1120)).to_vec();
            for series in [by_second, by_first, by_first_alone] {
                for (pair, delays) in series.windows(2).zip(delays.windows(2)) {
                    for (smaller, greater) in pair[0].iter().zip(&pair[1]) {
                        assert!(
                            smaller.iter().zip(greater).all(|(smaller, greater)| smaller >= greater),
                            "{delays:?} beside {other}: {smaller:?} {greater:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn answers_that_were_late_make_the_margin_greater() {
        let by = |byoyomi, late| {
            planned(clocks(0, byoyomi, 0), TimeOptions::default(), ClockFacts { late, ..ClockFacts::default() })
        };
        let late = |late| by(100, late);
        assert_eq!(late(ms(4)).maximum, late(Duration::ZERO).maximum, "the margin covers it");
        assert_eq!(by(1000, ms(8)).grace, GRACE, "half of what is left of it is for threads without a processor");
        assert_eq!(by(1000, ms(30)).grace, ms(4));
        assert_eq!(late(Duration::ZERO).grace, Duration::ZERO, "nothing is left");
        assert_eq!(late(ms(20)).maximum, ms(78));
        assert_eq!(late(ms(500)).maximum, ms(45), "never more than half of it and a little");
    }

    #[test]
    fn a_fixed_time_is_kept_with_a_margin_and_so_is_the_clock_beside_it() {
        let fixed = |time, clock: Option<ClockTimes>, delay, late| {
            let options = TimeOptions { network_delay2: ms(delay), ..TimeOptions::default() };
            let facts = ClockFacts { late: ms(late), ..ClockFacts::default() };
            fixed_budget(ms(time), clock.as_ref(), Color::Black, &options, facts)
        };
        for (time, maximum) in [(100, 91), (1000, 960), (60_000, 59_960), (10, 4), (1, 1), (0, 1)] {
            let plan = fixed(time, None, 1120, 0);
            assert_eq!(plan.maximum.as_millis(), maximum, "{time}");
            assert_eq!((plan.least, plan.optimum), (plan.maximum, plan.maximum), "all that is left of it is used");
            assert!(plan.maximum + plan.grace <= ms(time.max(1)), "{time}: {plan:?}");
        }
        assert_eq!(fixed(100, None, 1120, 20).maximum, ms(78), "answers have been late");
        assert_eq!(fixed(1000, None, 300, 0).maximum, ms(700), "the margin that the user has chosen");
        for (clock, maximum) in [(clocks(500, 0, 0), 477), (clocks(0, 200, 0), 188), (clocks(0, 0, 0), 1)] {
            let plan = fixed(5000, Some(clock), 1120, 0);
            assert!(plan.maximum < ms(maximum + 1) && plan.maximum >= ms(maximum), "{clock:?}: {plan:?}");
            assert_eq!(plan.maximum, fixed(5000, Some(clock), 1120, 0).least);
        }
        assert_eq!(fixed(1000, Some(clocks(60_000, 0, 0)), 1120, 0), fixed(1000, None, 1120, 0));
    }

    #[test]
    fn a_search_that_begins_too_late_for_its_plan_has_a_millisecond() {
        let plan = plan(0, 100, 0);
        assert_eq!(plan.begun_after(ms(50)), plan);
        assert_eq!(plan.begun_after(ms(200)), Budget::exactly(ms(201), Duration::ZERO));
    }

    #[test]
    fn who_ponders_plans_a_quarter_more_time() {
        let optimum = |ponders| {
            let options = TimeOptions { ponders, network_delay: Duration::ZERO, ..TimeOptions::default() };
            planned(clocks(900_000, 0, 0), options, ClockFacts::default()).optimum
        };
        assert_eq!(optimum(true), optimum(false) * 5 / 4);
    }

    #[test]
    fn an_increment_that_comes_before_the_move_may_be_used() {
        let plan = |remaining, before| {
            let facts = ClockFacts { increment_before_move: before, ..ClockFacts::default() };
            planned(clocks(remaining, 0, 5000), TimeOptions::default(), facts)
        };
        assert!(plan(0, true).optimum >= ms(3500), "{:?}", plan(0, true));
        assert!(plan(500, true).maximum >= ms(4500), "{:?}", plan(500, true));
        assert!(plan(500, false).maximum < ms(500), "{:?}", plan(500, false));
    }

    #[test]
    fn of_a_clock_below_zero_the_rest_of_the_increment_may_be_used() {
        let plan = |overdrawn, increment, byoyomi, before| {
            let clock = ClockTimes { overdrawn: ByColor::both(ms(overdrawn)), ..clocks(0, byoyomi, increment) };
            let facts = ClockFacts { increment_before_move: before, ..ClockFacts::default() };
            budget(&clock, Color::Black, 1, &TimeOptions::default(), facts)
        };
        let maximum = plan(2000, 5000, 0, true).maximum;
        assert_eq!(maximum, plan(0, 3000, 0, true).maximum);
        assert!(maximum > ms(2500) && maximum < ms(3000), "{maximum:?}");
        for gone in [(5000, 5000, 0, true), (9000, 5000, 0, true), (2000, 5000, 0, false)] {
            let (overdrawn, increment, byoyomi, before) = gone;
            assert_eq!(plan(overdrawn, increment, byoyomi, before).maximum, MILLISECOND, "{gone:?}");
        }
        assert_eq!(plan(300, 0, 200, true), plan(0, 0, 200, true), "byoyomi begins anew with every move");
    }

    /// Plays a game in which every move takes `percent` of its plan. Returns the times of the moves
    /// and the bank after them.
    fn game(moves: u32, [bank, byoyomi, increment]: [u64; 3], percent: u32) -> (Vec<Duration>, Duration) {
        let mut left = ms(bank);
        let mut times = Vec::new();
        for ply in (1..2 * moves).step_by(2) {
            let now = ClockTimes { remaining: ByColor::both(left), ..clocks(0, byoyomi, increment) };
            let plan = budget(&now, Color::Black, ply, &TimeOptions::default(), ClockFacts::default());
            let used = (plan.optimum * percent / 100).clamp(plan.least, plan.maximum);
            assert!(used <= left + ms(byoyomi), "the flag fell at ply {ply} of {bank}+{byoyomi}+{increment}");
            times.push(used);
            left = left.saturating_sub(used) + ms(increment);
        }
        (times, left)
    }

    fn bank_after(moves: u32, bank: u64, increment: u64, percent: u32) -> Duration {
        game(moves, [bank, 0, increment], percent).1
    }

    #[test]
    fn early_moves_take_no_more_time_than_later_ones() {
        for clock in [
            [1_800_000, 60_000, 0],
            [900_000, 60_000, 0],
            [600_000, 30_000, 0],
            [300_000, 0, 10_000],
            [600_000, 0, 10_000],
            [900_000, 0, 0],
            [60_000, 0, 1000],
            [10_000, 1000, 0],
        ] {
            let (times, _) = game(31, clock, 100);
            let (early, later) = times.split_at(10);
            assert!(early.iter().max() <= later.iter().min(), "{clock:?}: {times:?}");
            assert!(times[0] <= later[0] * 3 / 4, "{clock:?}: {times:?}");
        }
    }

    #[test]
    fn a_bank_lasts_the_whole_game_and_is_used_in_it() {
        for (bank, increment) in [(5000, 100), (60_000, 5000), (300_000, 10_000), (900_000, 0), (60_000, 0)] {
            bank_after(150, bank, increment, 100);
            bank_after(80, bank, increment, 170);
            let after_sixty = bank_after(60, bank, increment, 100);
            assert!(after_sixty < ms(bank) / 2, "{bank}+{increment}: {after_sixty:?} left");
        }
        // The first moves take, with 60 s and 5 s a move, the increments and a little of the bank.
        assert!(bank_after(5, 60_000, 5000, 100) > ms(50_000));
        assert!(bank_after(5, 60_000, 5000, 170) > ms(30_000));
    }

    #[test]
    fn the_rest_of_a_second_is_free_on_clocks_that_count_seconds() {
        let free = |remaining, time| plan(remaining, 0, 0).free_until(ms(time));
        assert_eq!([6200, 6880, 6900].map(|time| free(600_000, time)), [6880, 6880, 7880].map(ms));
        assert_eq!(free(600_001, 6200), ms(6200));
    }
}
