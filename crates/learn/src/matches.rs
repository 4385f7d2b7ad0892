//! Test games of two evaluations: pairs on several threads, stored one a line.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

use anyhow::{Context as _, Result};
use kiki_eval::SelectedWeights;
use kiki_platform::{MOST_RECORDS, read_regular_text};
use kiki_run::parallel::SetAtEnd;
use kiki_search::SEARCH_STACK_SIZE;
use kiki_train::duel::{Duel, DuelSettings};
use serde::{Deserialize, Serialize};

use crate::state::TestResult;

/// Interval between two checks of the stop flag.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

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
    pairs: u64,
    result: TestResult,
}

impl PairFile {
    /// Opens a file and cuts off an incomplete last line.
    fn open(path: &Path) -> Result<Self> {
        let text = if path.exists() { read_regular_text(path, MOST_RECORDS)? } else { String::new() };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let (mut pairs, mut result) = (0, TestResult::default());
        for line in text[..whole].lines() {
            let PairLine { results, .. } = serde_json::from_str(line)?;
            results.into_iter().for_each(|one| result.add(one));
            pairs += 1;
        }
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        file.set_len(whole as u64)?;
        Ok(Self { file, pairs, result })
    }

    fn append(&mut self, results: [i8; 2]) -> Result<()> {
        let line = serde_json::to_string(&PairLine { pair: self.pairs, results })? + "\n";
        self.file.write_all(line.as_bytes())?;
        results.into_iter().for_each(|one| self.result.add(one));
        self.pairs += 1;
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
    mut show: impl FnMut(&TestResult),
) -> Result<Option<TestResult>> {
    let place = || path.display().to_string();
    let mut file = PairFile::open(path).with_context(place)?;
    let next = AtomicU64::new(file.pairs);
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| -> Result<()> {
        let _end = SetAtEnd(&ended);
        let (sender, results) = sync_channel(2 * threads);
        for _ in 0..threads {
            let (sender, next, ended) = (sender.clone(), &next, &ended);
            let mut duel = Duel::new(weights.clone(), settings)?;
            Builder::new().stack_size(SEARCH_STACK_SIZE).spawn_scoped(scope, move || {
                let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                for number in numbers.take_while(|&number| number < pairs) {
                    let Some(results) = duel.play(number, ended) else { return };
                    if sender.send((number, results)).is_err() {
                        return;
                    }
                }
            })?;
        }
        drop(sender);
        let mut early = BTreeMap::new();
        while file.pairs < pairs && !stop.load(Ordering::Relaxed) {
            match results.recv_timeout(STOP_INTERVAL) {
                Ok((number, results)) => drop(early.insert(number, results)),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some(results) = early.remove(&file.pairs) {
                file.append(results).with_context(place)?;
            }
            show(&file.result);
        }
        Ok(())
    })?;
    Ok((file.pairs >= pairs).then_some(file.result))
}
