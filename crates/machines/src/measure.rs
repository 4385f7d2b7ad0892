//! What this machine is: its processors, their speed, and the signature of the search.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_search::{Limits, Options, Searcher};
use sysinfo::{CpuRefreshKind, RefreshKind, System};

/// Depth of the measured searches in plies: about a third of a second.
const DEPTH: u32 = 8;
/// Load of a processor above which it has other work, in percent.
const BUSY: f32 = 20.0;

pub(crate) struct Measured {
    /// Nodes of the measured searches.
    pub(crate) signature: u64,
    /// Nodes a second of one thread.
    pub(crate) speed: u64,
}

/// Searches the positions of the bench by the formula.
pub(crate) fn measure() -> Result<Measured> {
    let options = Options { table_mebibytes: 16, ..Options::default() };
    let mut searcher: Searcher<SelectedEvaluator> = Searcher::new(SelectedWeights::default(), options)?;
    let limits = Limits { depth: Some(DEPTH), ..Limits::default() };
    let totals = kiki_bench::run_until(
        &mut searcher,
        kiki_bench::POSITIONS.lines(),
        &limits,
        &AtomicBool::new(false),
        |_, _| (),
    )?;
    Ok(Measured { signature: totals.nodes, speed: totals.speed() })
}

/// Whether at least this number of processors are idle for a second.
pub(crate) fn has_idle_processors(threads: usize) -> bool {
    let processors = RefreshKind::nothing().with_cpu(CpuRefreshKind::everything());
    let Ok(mut system) = System::new_with_specifics(processors) else { return false };
    std::thread::sleep(Duration::from_secs(1));
    system.refresh_cpu_usage();
    system.cpus().iter().filter(|processor| processor.usage() < BUSY).count() >= threads
}

/// The name of this machine.
pub(crate) fn host() -> String {
    System::host_name().unwrap_or_else(|_| "a machine without a name".to_owned())
}
