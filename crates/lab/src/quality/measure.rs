//! Many positions on several threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use anyhow::Result;
use kiki_board::Position;
use kiki_eval::SelectedWeights;
use kiki_search::Limits;

use super::line_search::{LineOutcome, LineSearcher};

/// A position, and the game that it comes from: positions of one game are not independent of each other.
#[derive(Clone)]
pub(crate) struct SampledPosition {
    pub(crate) position: Position,
    pub(crate) game: u64,
}

/// How positions are searched.
#[derive(Clone, Debug)]
pub(crate) struct MeasureSettings {
    pub(crate) limits: Limits,
    pub(crate) table_mebibytes: usize,
    pub(crate) threads: usize,
}

/// The outcomes in the order of the positions, which do not depend on the number of threads; `None` if `stop` was set. `each` is called with
/// the number of positions done.
///
/// # Errors
/// If the system refuses threads or memory.
pub(crate) fn measure(
    positions: &[SampledPosition],
    weights: &SelectedWeights,
    settings: &MeasureSettings,
    stop: &AtomicBool,
    mut each: impl FnMut(usize),
) -> Result<Option<Vec<LineOutcome>>> {
    let next = AtomicUsize::new(0);
    let new_searcher = || LineSearcher::new(weights, settings.limits.clone(), settings.table_mebibytes);
    let mut outcomes = vec![None; positions.len()];
    std::thread::scope(|scope| {
        let (sender, received) = channel();
        for _ in 0..settings.threads.min(positions.len()) {
            let (sender, next, new_searcher) = (sender.clone(), &next, &new_searcher);
            scope.spawn(move || {
                let mut searcher = match new_searcher() {
                    Ok(searcher) => searcher,
                    Err(error) => return drop(sender.send(Err(error))),
                };
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(sampled) = positions.get(index) else { return };
                    let Some(outcome) = searcher.look(&sampled.position, stop) else { return };
                    if sender.send(Ok((index, outcome))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (done, answer) in received.iter().enumerate() {
            let (index, outcome) = answer?;
            outcomes[index] = Some(outcome);
            each(done + 1);
        }
        Ok(outcomes.into_iter().collect())
    })
}
