//! What all tabs share.

use std::sync::Arc;

use kiki_eval::SelectedWeights;
use kiki_eval::sigma::SigmaModel;

/// What all tabs share.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The evaluation.
    pub weights: SelectedWeights,
    /// Its model of sigma.
    pub sigma: Arc<SigmaModel>,
    /// Threads of each search.
    pub threads: usize,
    /// Size of each tab's transposition table in MiB.
    pub table_mebibytes: usize,
    /// Most tabs at a time.
    pub tabs: usize,
    /// The program, as the page names it.
    pub program: String,
}
