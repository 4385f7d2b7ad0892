//! Test games of two evaluations: pairs on several threads, stored one a line.

use std::fs::OpenOptions;
use std::io::{BufReader, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result};
use kiki_eval::SelectedWeights;
use kiki_run::journal::read_lines;
use kiki_run::parallel;
use kiki_train::duel::{Duel, DuelSettings};
use kiki_train::shards::OutcomeCounts;
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
    weights: &[SelectedWeights; 2],
    settings: DuelSettings,
    games: u64,
    threads: usize,
    stop: &AtomicBool,
    mut show: impl FnMut(&OutcomeCounts) -> Result<()>,
) -> Result<Option<OutcomeCounts>> {
    let place = || path.display().to_string();
    let mut file = OpenOptions::new().create(true).read(true).append(true).open(path).with_context(place)?;
    let mut result = OutcomeCounts::default();
    let whole = read_lines(BufReader::new(&file), |_, line: Result<PairLine>| {
        line?.results.into_iter().for_each(|one| result.add(one));
        Ok(())
    });
    // An incomplete last line is cut off.
    file.set_len(whole.with_context(place)?).with_context(place)?;
    if result.total() < games {
        let new_duel = || Duel::new(weights.clone(), settings);
        let duel = |duel: &mut Duel, number, ended: &AtomicBool| {
            if 2 * number < games { duel.play(number, ended) } else { None }
        };
        parallel::in_order(result.total() / 2, threads, stop, new_duel, duel, |results| {
            let line = serde_json::to_string(&PairLine { pair: result.total() / 2, results })? + "\n";
            file.write_all(line.as_bytes()).with_context(place)?;
            results.into_iter().for_each(|one| result.add(one));
            show(&result)?;
            Ok(if result.total() < games { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
    }
    Ok((result.total() >= games).then_some(result))
}
