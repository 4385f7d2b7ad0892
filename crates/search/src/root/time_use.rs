//! Whether the main thread begins another iteration, and where that one ends.

use std::time::Duration;

use kiki_board::Move;

use crate::report::RootLine;
use crate::time::PlannedTime;
use crate::value::{MATE, MATE_BOUND, Value};

/// Percent of the planned time after which no iteration begins: one takes about as long as all before it.
const NEXT_ITERATION: u32 = 65;
/// Percent of the planned time at which an iteration ends whose best move is not losing value.
const OVERTIME: u32 = 150;
/// Shortest time that is worth an iteration.
const WORTHWHILE: Duration = Duration::from_millis(10);

/// What to do after an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NextIteration {
    /// Answer.
    Stop,
    /// Begin the iteration. It ends at this time on the stopwatch, if any, unless its best move loses value.
    Until(Option<Duration>),
}

/// Decides after an iteration that ended at `now` with `best` as its best line. `only_move`: the position has one move.
pub(super) fn next_iteration(
    plan: &PlannedTime,
    now: Duration,
    stability: &BestMoveStability,
    best: &RootLine,
    only_move: bool,
) -> NextIteration {
    // A forced mate that an iteration of twice its length has confirmed will not get shorter.
    let mate = best.value.abs() >= MATE_BOUND;
    if mate && best.depth as i32 > 2 * (MATE - best.value.abs()) {
        return NextIteration::Stop;
    }
    if plan.least() == plan.maximum() {
        // No time can be saved: use it all, unless there is nothing to choose.
        return if only_move && best.depth >= 8 { NextIteration::Stop } else { NextIteration::Until(None) };
    }
    let percent = if only_move { 10 } else { stability.percent() };
    let target = plan.budget.optimum * percent / 100;
    if now < target * NEXT_ITERATION / 100 || (now < plan.least() && !only_move) {
        return NextIteration::Until(Some(plan.free_until((target * OVERTIME / 100).max(plan.least()))));
    }
    let free = plan.free_until(now);
    if free > now + WORTHWHILE { NextIteration::Until(Some(free)) } else { NextIteration::Stop }
}

/// How stable the best move and its value have been over the iterations.
#[derive(Default)]
pub(crate) struct BestMoveStability {
    best: Move,
    value: Value,
    /// Iterations since another move was best.
    unchanged: u32,
    /// Centipawns lost since the last iteration.
    fall: i32,
}

impl BestMoveStability {
    /// An iteration has been completed with this best line.
    pub(crate) fn update(&mut self, line: &RootLine) {
        self.unchanged = if line.moves[0] == self.best { self.unchanged + 1 } else { 0 };
        self.fall = self.value - line.value;
        (self.best, self.value) = (line.moves[0], line.value);
    }

    /// Percent of the planned time to use: less for a move that has long been best, more for one that is losing ground.
    pub(crate) fn percent(&self) -> u32 {
        let settled = [210, 165, 140, 120, 105, 95, 88, 82][self.unchanged.min(7) as usize];
        settled + self.fall.clamp(0, 150) as u32 / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Budget;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn best(depth: u32, value: Value) -> RootLine {
        RootLine { depth, seldepth: depth, value, moves: vec![Move::from_bits(1)] }
    }

    fn plan(least: u64, optimum: u64, maximum: u64) -> PlannedTime {
        let budget =
            Budget { least: ms(least), optimum: ms(optimum), maximum: ms(maximum), second_margin: None, grace: ms(8) };
        PlannedTime { started: Duration::ZERO, budget }
    }

    /// Decides after a new best move, which takes 210 percent of the planned time.
    fn decide(plan: &PlannedTime, now: u64, best: &RootLine, only_move: bool) -> NextIteration {
        let mut stability = BestMoveStability::default();
        stability.update(best);
        next_iteration(plan, ms(now), &stability, best, only_move)
    }

    #[test]
    fn no_iteration_begins_late_in_the_planned_time() {
        let plan = plan(0, 1000, 5000);
        assert_eq!(decide(&plan, 1300, &best(9, 20), false), NextIteration::Until(Some(ms(3150))));
        assert_eq!(decide(&plan, 1400, &best(9, 20), false), NextIteration::Stop);
        assert_eq!(decide(&plan, 70, &best(9, 20), true), NextIteration::Stop, "there is nothing to choose");
    }

    #[test]
    fn unsaveable_time_is_used() {
        assert_eq!(decide(&plan(900, 900, 900), 899, &best(9, 20), false), NextIteration::Until(None));
        assert_eq!(decide(&plan(900, 900, 900), 1, &best(8, 20), true), NextIteration::Stop);
        let with_byoyomi = plan(3000, 1000, 5000);
        assert_eq!(decide(&with_byoyomi, 2900, &best(9, 20), false), NextIteration::Until(Some(ms(3150))));
    }

    #[test]
    fn a_second_that_has_begun_is_used() {
        let mut plan = plan(0, 1000, 5000);
        plan.budget.second_margin = Some(ms(120));
        assert_eq!(decide(&plan, 1400, &best(9, 20), false), NextIteration::Until(Some(ms(1880))));
        assert_eq!(decide(&plan, 1875, &best(9, 20), false), NextIteration::Stop);
    }

    #[test]
    fn a_mate_that_will_not_get_shorter_ends_the_search() {
        let plan = plan(900, 900, 900);
        assert_eq!(decide(&plan, 1, &best(10, MATE - 5), false), NextIteration::Until(None));
        assert_eq!(decide(&plan, 1, &best(11, MATE - 5), false), NextIteration::Stop);
        assert_eq!(decide(&plan, 1, &best(11, 5 - MATE), false), NextIteration::Stop);
    }

    fn line(mv: u16, value: Value) -> RootLine {
        RootLine { depth: 1, seldepth: 1, value, moves: vec![Move::from_bits(mv)] }
    }

    #[test]
    fn a_move_that_stays_best_needs_less_time_and_one_that_loses_ground_more() {
        let mut stability = BestMoveStability::default();
        stability.update(&line(1, 50));
        let mut last = stability.percent();
        for _ in 0..7 {
            stability.update(&line(1, 50));
            assert!(stability.percent() < last, "{}", stability.percent());
            last = stability.percent();
        }
        stability.update(&line(1, -50));
        assert_eq!(stability.percent(), last + 50);
        stability.update(&line(2, -50));
        assert_eq!(stability.percent(), 210);
        stability.update(&line(2, 900));
        assert!(stability.percent() < 210, "a better value is no reason to think longer");
    }
}
