//! Engines are asked about positions.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, bail};
use kiki_driver::{CancellationSource, EngineAnswer};
use kiki_play::openings;
use kiki_play::player::{Player, PlayerFailure, PlayerSpec};
use kiki_play::pool::{GameWorker, PoolEvent, RunOptions, WorkerPool};
use kiki_run::play_errors::name_option;
use kiki_usi::{BestMove, ScoreValue};

use super::answers::{CalibrationSettings, EngineOpinion, GREATEST_VALUE, PositionAnswers, RESIGN, WIN};

/// What is asked.
struct AskTask<'a> {
    positions: &'a [String],
    missing: &'a [usize],
    patience: Duration,
    next: AtomicUsize,
}

/// Asks all members and the reference about these positions; ends without an error after a cancellation.
///
/// # Errors
/// An engine fails, and those of `each`.
pub(super) fn ask(
    settings: &CalibrationSettings,
    positions: &[String],
    missing: &[usize],
    options: &RunOptions,
    cancellation: &CancellationSource,
    mut each: impl FnMut(PositionAnswers) -> Result<()>,
) -> Result<()> {
    let patience = Duration::from_millis(settings.patience);
    let task = AskTask { positions, missing, patience, next: AtomicUsize::new(0) };
    let engines: Vec<PlayerSpec> = settings.members.iter().chain([&settings.reference]).cloned().collect();
    let pool = WorkerPool { engines: &engines, options, cancellation };
    let new_task = || |worker: &mut GameWorker<'_>| task.ask_next(worker);
    pool.run(missing.len(), new_task, |event| {
        if let PoolEvent::Result(found) = event {
            each(found)?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(())
}

impl AskTask<'_> {
    /// What all say about the next position; `None` if all have been taken.
    fn ask_next(&self, worker: &mut GameWorker<'_>) -> Result<Option<PositionAnswers>> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(&position) = self.missing.get(next) else { return Ok(None) };
        let sfen = &self.positions[position];
        let Some((reference, members)) = worker.players.split_last_mut() else { bail!("there are no engines") };
        let members: Vec<EngineOpinion> =
            members.iter_mut().map(|member| self.opinion(member, sfen, None)).collect::<Result<_>>()?;
        let found = self.opinion(reference, sfen, None)?;
        let mut others = BTreeMap::new();
        let is_open = found.value.is_some();
        for member in members.iter().filter(|member| is_open && member.is_move() && member.best != found.best) {
            if !others.contains_key(&member.best) {
                let value = self.opinion(reference, sfen, Some(&member.best))?.value;
                others.insert(member.best.clone(), value);
            }
        }
        Ok(Some(PositionAnswers { position, members, reference: found, others }))
    }

    /// What an engine says, about one move alone if there is one. It gets ready before, so that nothing is left of what it searched before.
    fn opinion(&self, player: &mut Player<'_>, sfen: &str, alone: Option<&str>) -> Result<EngineOpinion> {
        let (spec, position) = openings::position(sfen)?;
        let answer = player.search(&spec, position.side_to_move(), alone, self.patience).map_err(name_option)?;
        let name = &player.spec.name;
        match answer {
            Ok(answer) => {
                let found = opinion_of(answer);
                match alone {
                    _ if found.is_move() && position.parse_move(&found.best).is_err() => {
                        bail!("{sfen}: `{name}` names the illegal move `{}`", found.best)
                    }
                    // After this move alone it would resign.
                    Some(best) if !found.is_move() => {
                        Ok(EngineOpinion { best: best.to_owned(), value: Some(-GREATEST_VALUE) })
                    }
                    Some(best) if best != found.best => {
                        bail!(
                            "{sfen}: `{name}` does not know `searchmoves`: asked for `{best}` it names `{}`",
                            found.best
                        )
                    }
                    _ => Ok(found),
                }
            }
            Err(PlayerFailure::Cancelled) => bail!("cancelled"),
            Err(PlayerFailure::Lost { detail, last_lines, .. }) => {
                bail!("{sfen}: `{name}` {detail}\n{}", last_lines.join("\n"))
            }
        }
    }
}

fn opinion_of(answer: EngineAnswer) -> EngineOpinion {
    let best = match answer.best {
        BestMove::Move { best, .. } => best,
        BestMove::Resign => return EngineOpinion { best: RESIGN.to_owned(), value: None },
        BestMove::Win => return EngineOpinion { best: WIN.to_owned(), value: None },
    };
    let value = answer.info.score.map(|score| match score.value {
        ScoreValue::Cp(centipawns) => centipawns.clamp(-GREATEST_VALUE, GREATEST_VALUE),
        ScoreValue::Mate(plies) => GREATEST_VALUE * plies.get().signum(),
    });
    EngineOpinion { best, value }
}
