//! How the bench positions are searched.

use std::sync::Arc;

use kiki_eval::sigma::SigmaModel;
use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_search::{Options, ProbCutOptions, ResourceError, Searcher};

/// What may be other than by default. Everything else is as the program has it by default, so that the node count is a signature.
pub(crate) struct BenchSettings {
    pub(crate) weights: SelectedWeights,
    pub(crate) probcut: ProbCutOptions,
    pub(crate) model: Arc<SigmaModel>,
}

impl BenchSettings {
    /// One searcher for the whole bench.
    ///
    /// # Errors
    /// If memory or threads are refused.
    pub(crate) fn searcher(&self, threads: usize, hash: usize) -> Result<Searcher<SelectedEvaluator>, ResourceError> {
        let mut searcher = Searcher::new(self.weights.clone(), self.options(threads, hash))?;
        searcher.set_sigma_model(Arc::clone(&self.model));
        Ok(searcher)
    }

    /// The size of the table in MiB.
    pub(crate) fn options(&self, threads: usize, hash: usize) -> Options {
        Options { threads, table_mebibytes: hash, probcut: self.probcut, ..Options::default() }
    }
}
