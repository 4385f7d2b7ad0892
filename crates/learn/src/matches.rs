//! Test games of two evaluations: pairs on several threads, stored one a line.

use std::fs::OpenOptions;
use std::io::{BufReader, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result};
use kiki_machines::coordinator::{NextTask, RunPlan};
use kiki_machines::workforce::Workforce;
use kiki_run::journal::read_lines;
use kiki_stats::tally::Tally;
use kiki_train::duel::DuelJob;
use serde::{Deserialize, Serialize};

/// A line of the file: the results of the first evaluation.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairLine {
    pair: u64,
    results: [i8; 2],
}

/// Plays the pairs that a file lacks to `games` games. Returns the result of all, or `None` if
/// `stop` was set. Calls `show` with the result so far after each pair.
pub(crate) fn play(
    path: &Path,
    job: &DuelJob,
    games: u64,
    workforce: &Workforce,
    stop: &AtomicBool,
    mut show: impl FnMut(&Tally) -> Result<()>,
) -> Result<Option<Tally>> {
    let place = || path.display().to_string();
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path).with_context(place)?;
    let mut result = Tally::default();
    let whole = read_lines(BufReader::new(&file), |_, line: Result<PairLine>| {
        line?.results.into_iter().for_each(|one| result.add(one));
        Ok(())
    });
    // An incomplete last line is cut off.
    file.set_len(whole.with_context(place)?).with_context(place)?;
    if result.games() < games {
        let first = result.games() / 2;
        let is_scheduled = |pair: u64| 2 * pair < games;
        let is_stopped = || stop.load(Ordering::Relaxed);
        let plan = RunPlan { job, place: path, first, is_new: first == 0, is_stopped: &is_stopped };
        let next = |pair| Ok(if is_scheduled(pair) { NextTask::Task(()) } else { NextTask::None });
        workforce.run(&plan, next, |results: [i8; 2]| {
            let line = serde_json::to_string(&PairLine { pair: result.games() / 2, results })? + "\n";
            file.write_all(line.as_bytes()).with_context(place)?;
            results.into_iter().for_each(|one| result.add(one));
            show(&result)?;
            Ok(if result.games() < games { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
    }
    Ok((result.games() >= games).then_some(result))
}
