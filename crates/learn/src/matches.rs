//! Test games of two evaluations: pairs on several threads, stored one a line.

use std::fs::{File, OpenOptions};
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

/// The pairs in a file, in their order.
struct PairFile {
    file: File,
    result: OutcomeCounts,
}

impl PairFile {
    /// Opens a file and cuts off an incomplete last line.
    fn open(path: &Path) -> Result<Self> {
        let file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        let mut result = OutcomeCounts::default();
        let whole = read_lines(BufReader::new(&file), |_, line: Result<PairLine>| {
            line?.results.into_iter().for_each(|one| result.add(one));
            Ok(())
        })?;
        file.set_len(whole)?;
        Ok(Self { file, result })
    }

    fn pairs(&self) -> u64 {
        self.result.total() / 2
    }

    fn append(&mut self, results: [i8; 2]) -> Result<()> {
        let line = serde_json::to_string(&PairLine { pair: self.pairs(), results })? + "\n";
        self.file.write_all(line.as_bytes())?;
        results.into_iter().for_each(|one| self.result.add(one));
        Ok(())
    }
}

/// Plays the pairs that a file lacks. Returns the result of all pairs, or `None` if `stop` was set.
/// Calls `show` with the result so far after each pair.
pub(crate) fn play(
    path: &Path,
    weights: &[SelectedWeights; 2],
    settings: DuelSettings,
    pairs: u64,
    threads: usize,
    stop: &AtomicBool,
    mut show: impl FnMut(&OutcomeCounts) -> Result<()>,
) -> Result<Option<OutcomeCounts>> {
    let place = || path.display().to_string();
    let mut file = PairFile::open(path).with_context(place)?;
    let flow = |file: &PairFile| if file.pairs() < pairs { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    if flow(&file).is_continue() {
        let new_duel = || Duel::new(weights.clone(), settings);
        let duel = |duel: &mut Duel, number, ended: &AtomicBool| {
            if number < pairs { duel.play(number, ended) } else { None }
        };
        parallel::in_order(file.pairs(), threads, stop, new_duel, duel, |results| {
            file.append(results).with_context(place)?;
            show(&file.result)?;
            Ok(flow(&file))
        })?;
    }
    Ok((file.pairs() >= pairs).then_some(file.result))
}
