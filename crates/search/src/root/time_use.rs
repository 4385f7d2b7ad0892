//! Whether the main thread begins another iteration, and when that one ends.

use std::time::Duration;

use kiki_board::Move;

use crate::node::root_moves::RootEffort;
use crate::report::RootLine;
use crate::time::PlannedTime;
use crate::value::{MATE, MATE_BOUND, Value};

/// Share of the planned time for a move without alternative.
pub(super) const ONLY_MOVE: f64 = 0.1;
/// Part of a search's share after which a new iteration is not expected to end in time.
const DEEPER: f64 = 0.503;
/// Shortest time worth an iteration.
const WORTHWHILE: Duration = Duration::from_millis(10);

/// The time of an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NextIteration {
    /// It ends this long after the search began, if at all, unless its best move loses value.
    pub(super) until: Option<Duration>,
    /// Whether it is expected to end in time. If not, it gets less depth.
    pub(super) deeper: bool,
}

/// The iteration after one that ended at `now` with `best` as its best line, in a search that gets a
/// `share` of the planned time; `None` to answer. `only_move`: the position has one move.
pub(super) fn next_iteration(
    plan: &PlannedTime,
    now: Duration,
    share: f64,
    best: &RootLine,
    only_move: bool,
) -> Option<NextIteration> {
    // A forced mate cannot get shorter once an iteration of twice its length confirms it.
    let mate = best.value.abs() >= MATE_BOUND;
    if mate && best.depth as i32 > 2 * (MATE - best.value.abs()) {
        return None;
    }
    let target = plan.target(share);
    let deeper = plan.budget.fixed || now <= target.mul_f64(DEEPER);
    if plan.least() == plan.maximum() {
        // No time can be saved: use it all, unless there is only one move.
        let done = only_move && best.depth >= 8;
        return (!done).then_some(NextIteration { until: None, deeper });
    }
    if now < target || (now < plan.least() && !only_move) {
        return Some(NextIteration { until: Some(plan.iteration_end(share)), deeper });
    }
    let free = plan.free_until(now);
    (free > now + WORTHWHILE).then_some(NextIteration { until: Some(free), deeper })
}

/// How steady the value and the best move are over the searches of a game, and so how much of its
/// planned time a search gets. The factors are YaneuraOu's.
#[derive(Default)]
pub(crate) struct Steadiness {
    /// Results of the search for the last move.
    earlier: Option<EarlierSearch>,
    /// Number of the move being searched.
    ply: u32,
    /// Values of the last four iterations: `[iteration mod 4]`.
    values: [Value; 4],
    best: Move,
    average: Value,
    /// Changes of the best move. Each iteration halves the earlier count.
    changes: f64,
    /// The iteration of the last change of the best move.
    changed_at: u32,
    /// The last iteration.
    depth: u32,
}

/// The end of a search.
#[derive(Clone, Copy)]
struct EarlierSearch {
    ply: u32,
    /// The best move's value, and the mean of its values.
    value: Value,
    average: Value,
    settling: f64,
}

impl Steadiness {
    /// Begins the search of move number `ply`.
    pub(crate) fn begin(&mut self, ply: u32) {
        let earlier = self.earlier.map(|last| {
            let sign = if last.ply % 2 == ply % 2 { 1 } else { -1 };
            EarlierSearch { value: sign * last.value, average: sign * last.average, ..last }
        });
        let value = earlier.map_or(0, |last| last.value);
        *self = Self { earlier, ply, values: [value; 4], ..Self::default() };
    }

    /// Updates after a completed iteration with this best line. Returns the share of the planned
    /// time that the search gets.
    pub(crate) fn update(&mut self, line: &RootLine, effort: RootEffort) -> f64 {
        let (RootLine { depth, value, moves, .. }, RootEffort { average, changes, share }) = (line, effort);
        self.changes = self.changes / 2.0 + f64::from(changes);
        if moves[0] != self.best {
            self.changed_at = *depth;
        }
        (self.best, self.average, self.depth) = (moves[0], average, *depth);
        let oldest = std::mem::replace(&mut self.values[*depth as usize % 4], *value);
        let falling = self.earlier.map_or(1.0, |last| falling(last.average - value, oldest - value));
        let earlier = self.earlier.map_or(SETTLING_BEFORE_THE_FIRST, |last| last.settling);
        let reduction = (1.455 + earlier) / (2.2375 * self.settling());
        let instability = 1.04 + 1.8956 * self.changes;
        let settled = if *depth >= 10 && share >= 0.92425 { 0.666 } else { 1.0 };
        falling * reduction * instability * settled
    }

    /// The factor for how long the best move has been the same, from 0.72 to 1.44.
    fn settling(&self) -> f64 {
        let unchanged = f64::from(self.depth - self.changed_at);
        0.723 + 0.79 / (1.104 + (-0.5189 * (unchanged - 11.57)).exp())
    }

    pub(crate) fn end(&mut self) {
        if self.depth > 0 {
            let value = self.values[self.depth as usize % 4];
            let settling = self.settling();
            self.earlier = Some(EarlierSearch { ply: self.ply, value, average: self.average, settling });
        }
    }
}

/// The greatest factor for a falling value.
const MOST_FALLING: f64 = 1.5698;
/// What a first search assumes for the settling of the one before it.
const SETTLING_BEFORE_THE_FIRST: f64 = 0.85;

/// The factor for a value that has fallen since the last move or since four iterations ago: it
/// needs more time.
fn falling(since_last_move: Value, since_iterations: Value) -> f64 {
    let fall = 11.325 + 2.115 * f64::from(since_last_move) + 0.987 * f64::from(since_iterations);
    (fall / 100.0).clamp(0.5688, MOST_FALLING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Budget;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn line(mv: u16, depth: u32, value: Value) -> RootLine {
        RootLine { depth, seldepth: depth, value, moves: vec![Move::from_bits(mv)] }
    }

    fn plan(least: u64, optimum: u64, maximum: u64) -> PlannedTime {
        let [least, optimum, maximum] = [least, optimum, maximum].map(ms);
        let budget = Budget { least, optimum, maximum, second_margin: None, fixed: false, grace: ms(8) };
        PlannedTime { started: Duration::ZERO, budget }
    }

    /// The decision in a search that gets twice the planned time, if it has a choice.
    fn decide(plan: &PlannedTime, now: u64, best: &RootLine, only_move: bool) -> Option<NextIteration> {
        next_iteration(plan, ms(now), if only_move { ONLY_MOVE } else { 2.0 }, best, only_move)
    }

    fn begin(until: Option<u64>, deeper: bool) -> Option<NextIteration> {
        Some(NextIteration { until: until.map(ms), deeper })
    }

    #[test]
    fn no_iteration_begins_after_the_share_of_the_search() {
        let (plan, best) = (plan(0, 1000, 5000), line(1, 9, 20));
        assert_eq!(decide(&plan, 1000, &best, false), begin(Some(3000), true));
        assert_eq!(decide(&plan, 1999, &best, false), begin(Some(3000), false));
        assert_eq!(decide(&plan, 2000, &best, false), None);
        assert_eq!(decide(&plan, 100, &best, true), None, "there is nothing to choose");
    }

    #[test]
    fn unsaveable_time_is_used() {
        let best = line(1, 9, 20);
        assert_eq!(decide(&plan(900, 900, 900), 899, &best, false), begin(None, true));
        assert_eq!(next_iteration(&plan(900, 900, 900), ms(800), 1.0, &best, false), begin(None, false));
        assert_eq!(decide(&plan(900, 900, 900), 1, &line(1, 8, 20), true), None);
        assert_eq!(decide(&plan(3000, 1000, 5000), 2900, &best, false), begin(Some(3000), false));
        let mut fixed = plan(900, 900, 900);
        fixed.budget.fixed = true;
        assert_eq!(next_iteration(&fixed, ms(800), 1.0, &best, false), begin(None, true));
    }

    #[test]
    fn a_second_that_has_begun_is_used() {
        let mut plan = plan(0, 1000, 5000);
        plan.budget.second_margin = Some(ms(120));
        assert_eq!(decide(&plan, 2100, &line(1, 9, 20), false), begin(Some(2880), false));
        assert_eq!(decide(&plan, 2875, &line(1, 9, 20), false), None);
    }

    #[test]
    fn a_mate_that_will_not_get_shorter_ends_the_search() {
        let plan = plan(900, 900, 900);
        assert_eq!(decide(&plan, 1, &line(1, 10, MATE - 5), false), begin(None, true));
        assert_eq!(decide(&plan, 1, &line(1, 11, MATE - 5), false), None);
        assert_eq!(decide(&plan, 1, &line(1, 11, 5 - MATE), false), None);
    }

    /// The share after ten iterations of the second search of a game with these values. The first
    /// search had the value 50.
    fn share(second_ply: u32, value: Value, change: impl Fn(u32, &mut u16, &mut RootEffort)) -> f64 {
        let mut steadiness = Steadiness::default();
        let mut share = 0.0;
        for (ply, value) in [(1, 50), (second_ply, value)] {
            steadiness.begin(ply);
            for depth in 1..=10 {
                let (mut mv, mut effort) = (1, RootEffort { average: value, changes: 0, share: 0.5 });
                change(depth, &mut mv, &mut effort);
                share = steadiness.update(&line(mv, depth, value), effort);
            }
            steadiness.end();
        }
        share
    }

    #[test]
    fn a_steady_search_deserves_less_and_one_that_loses_ground_more() {
        let steady = share(3, 50, |_, _, _| ());
        // 0.5688 by the value, (1.455 + s) / (2.2375 s) by the best move, which nine iterations
        // have kept, and 1.04.
        let settling = 0.723 + 0.79 / (1.104 + f64::exp(0.5189 * 2.57));
        assert!((steady - 0.5688 * (1.455 + settling) / (2.2375 * settling) * 1.04).abs() < 1e-9, "{steady}");
        let falls = share(3, 10, |_, _, _| ());
        assert!((falls / steady - (11.325 + 2.115 * 40.0) / 56.88).abs() < 1e-9, "{falls}");
        assert!((share(2, -50, |_, _, _| ()) - steady).abs() < 1e-9, "the other side has lost nothing");
        assert!(share(2, -90, |_, _, _| ()) > steady, "now it has");
        assert!((share(3, 900, |_, _, _| ()) - steady).abs() < 1e-9, "a better value is no reason to think longer");
        assert!((share(3, 50, |_, _, effort| effort.share = 0.95) / steady - 0.666).abs() < 1e-9);
        let late = share(3, 50, |depth, mv, effort| {
            if depth == 10 {
                (*mv, effort.changes) = (2, 1);
            }
        });
        assert!(late > 2.8 * steady, "{late}: another move has just become the best");
    }

    #[test]
    fn a_first_search_knows_of_no_falling_value() {
        let mut steadiness = Steadiness::default();
        steadiness.begin(1);
        let share = steadiness.update(&line(1, 1, 0), RootEffort::default());
        let settling = 0.723 + 0.79 / (1.104 + f64::exp(0.5189 * 11.57));
        assert!((share - (1.455 + 0.85) / (2.2375 * settling) * 1.04).abs() < 1e-9, "{share}");
    }
}
