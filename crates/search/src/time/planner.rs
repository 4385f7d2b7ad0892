//! Plans the time of each move, with what earlier moves of the game have shown about the clock.

use std::time::Duration;

use kiki_board::Position;

use super::budget::{Budget, ClockFacts, budget, fixed_budget};
use super::clock_kind::{ClockKind, ClockReading};
use super::deadline::PlannedTime;
use super::lateness::Lateness;
use crate::limits::{Limits, TimeOptions};

/// One for all searches of a process.
#[derive(Default)]
pub(crate) struct TimePlanner {
    clock_kind: ClockKind,
    lateness: Lateness,
    /// How long the clock of the side to move ran for the last answer.
    used: Duration,
}

impl TimePlanner {
    /// A new game begins, perhaps with another clock. How late answers are depends on the machine and stays known.
    pub(crate) fn new_game(&mut self) {
        self.clock_kind = ClockKind::default();
    }

    /// The time for one move; `None` if no limit of time is given.
    pub(crate) fn plan(&mut self, limits: &Limits, position: &Position, options: &TimeOptions) -> Option<Budget> {
        let (color, ply) = (position.side_to_move(), position.ply());
        let time_control = limits.time_control.as_ref();
        // While pondering the clock shown is not the one that the move will be played on.
        if let Some(time_control) = time_control.filter(|clock| !limits.ponder && !clock.estimated) {
            self.clock_kind.observe(ClockReading::new(time_control, color, ply), self.used);
        }
        let learned = self.clock_kind.increment_comes_first();
        let facts = ClockFacts {
            increment_before_move: options.increment_before_move.unwrap_or(learned),
            late: self.lateness.margin(),
        };
        match limits.movetime {
            Some(movetime) => Some(fixed_budget(movetime, time_control, color, options, facts)),
            None => Some(budget(time_control?, color, ply, options, facts)),
        }
    }

    /// The answer of a search with this plan was given at `now` on its stopwatch.
    pub(crate) fn answered(&mut self, plan: &PlannedTime, now: Duration) {
        self.used = now.saturating_sub(plan.started);
        if let Some(late) = now.checked_sub(plan.maximum()) {
            self.lateness.observe(late);
        }
    }
}

#[cfg(test)]
mod tests {
    use kiki_board::ByColor;

    use super::*;
    use crate::limits::TimeControl;

    #[test]
    fn only_a_clock_that_was_told_shows_its_kind() {
        for (estimated, known) in [(true, false), (false, true)] {
            let mut planner = TimePlanner::default();
            let clock = |remaining| TimeControl {
                remaining: ByColor::both(Duration::from_secs(remaining)),
                increment: ByColor::both(Duration::from_secs(10)),
                estimated,
                ..TimeControl::default()
            };
            for remaining in [60, 5] {
                let limits = Limits { time_control: Some(clock(remaining)), ..Limits::default() };
                planner.plan(&limits, &Position::startpos(), &TimeOptions::default());
            }
            assert_eq!(planner.clock_kind.increment_comes_first(), known);
        }
    }
}
