//! What a worker of a contest does: it takes the next game of the schedule and plays it, and plays it again if a process failed.

use std::collections::HashMap;

use anyhow::{Result, anyhow};
use kiki_play::game::PlayedGame;
use kiki_play::openings;
use kiki_play::pool::{GameWorker, WorkQueue};
use kiki_play::referee::GameStart;
use kiki_record::EndReason;

use super::schedule::Schedule;
use super::settings::ContestSettings;

/// After so many games in succession for which it did not get ready, an engine is given up.
const MAX_FAILED_STARTS: usize = 3;

/// What all workers share.
pub(super) struct MatchPlan<'a> {
    pub(super) settings: &'a ContestSettings,
    pub(super) schedule: &'a Schedule,
    pub(super) openings: &'a [String],
    pub(super) queue: &'a WorkQueue,
    /// How often games were voided before, by their index in the schedule.
    pub(super) voided: &'a HashMap<usize, u32>,
}

/// The task of one worker.
pub(super) struct MatchTask<'a> {
    plan: &'a MatchPlan<'a>,
    /// A game that was voided and is to be played again, and how often it was voided.
    replay: Option<(usize, u32)>,
    /// Games in succession for which an engine did not get ready, by engine.
    failed_starts: Vec<usize>,
}

impl<'a> MatchTask<'a> {
    pub(super) fn new(plan: &'a MatchPlan<'a>) -> Self {
        Self { plan, replay: None, failed_starts: vec![0; plan.settings.engines.len()] }
    }

    /// Plays the next game; `None` if there are no more.
    ///
    /// # Errors
    /// A log that cannot be written, an engine that does not get ready again and again, and a cancellation.
    pub(super) fn play_next(&mut self, worker: &mut GameWorker<'_>) -> Result<Option<PlayedGame>> {
        let MatchPlan { settings, queue, voided, .. } = self.plan;
        let next = || queue.take().map(|number| (number, voided.get(&number).copied().unwrap_or(0)));
        let Some((number, voided)) = self.replay.take().or_else(next) else { return Ok(None) };
        worker.begin_log(number + 1)?;
        let mut game = self.play(worker, number)?;
        game.voided = game.reason.is_process_fault() && voided < settings.replay_faults;
        if game.voided {
            self.replay = Some((number, voided + 1));
        }
        self.count_failed_starts(&game)?;
        Ok(Some(game))
    }

    fn play(&self, worker: &mut GameWorker<'_>, number: usize) -> Result<PlayedGame> {
        let MatchPlan { settings, schedule, openings, .. } = self.plan;
        let scheduled = schedule.game(number);
        let (spec, position) = openings::position(&openings[scheduled.opening])?;
        let start = GameStart { game: number + 1, opening: scheduled.opening + 1, spec, position };
        Ok(worker.play(start, [scheduled.black, scheduled.white], &settings.rules)?)
    }

    /// # Errors
    /// An engine did not get ready [`MAX_FAILED_STARTS`] times in succession.
    fn count_failed_starts(&mut self, game: &PlayedGame) -> Result<()> {
        let fault = game.fault.as_ref().filter(|_| game.reason == EndReason::NotReady);
        for (engine, failed) in self.plan.settings.engines.iter().zip(&mut self.failed_starts) {
            let name = &engine.name;
            if *name != game.black && *name != game.white {
                continue;
            }
            match fault {
                Some(fault) if fault.engine == *name => *failed += 1,
                _ => *failed = 0,
            }
            if *failed >= MAX_FAILED_STARTS {
                let detail = fault.map(|fault| fault.detail.as_str()).unwrap_or_default();
                return Err(anyhow!("engine `{name}` did not get ready {failed} times in succession: {detail}"));
            }
        }
        Ok(())
    }
}
