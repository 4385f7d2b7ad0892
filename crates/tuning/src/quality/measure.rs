//! Many positions on several threads.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use kiki_eval::SelectedWeights;
use kiki_search::Limits;

use super::line_search::{LineOutcome, LineSearcher};
use kiki_games::positions::SampledPosition;
use kiki_run::parallel;

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
    let new_searcher = || Ok(LineSearcher::new(weights, settings.limits.clone(), settings.table_mebibytes)?);
    let mut outcomes = vec![None; positions.len()];
    let mut done = 0;
    let look = |searcher: &mut LineSearcher, sampled: &SampledPosition| searcher.look(&sampled.position, stop);
    parallel::for_each(positions, settings.threads, new_searcher, look, |index, outcome| {
        outcomes[index] = Some(outcome);
        done += 1;
        each(done);
        Ok(())
    })?;
    Ok(outcomes.into_iter().collect())
}
