//! The resources of a search, kept in line with the options: searcher, memory, threads, evaluation,
//! and model of sigma.

use std::sync::Arc;

use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_platform::SystemMemory;
use kiki_search::{Options, ResourceError, Searcher};

use super::options::{EngineSettings, EvaluationSettings};
use crate::evaluation::{EvaluationSource, LoadedEvaluation, LoadedSigma};
use crate::memory::{MemoryShares, after_start, can_reserve};
use crate::output::Output;

/// Whether the system has the memory that these threads will need during a search, where a refusal
/// would end the program. Checked only after the system has refused something, as the C library
/// reserves much that is never used: 64 MiB a thread.
fn has_room_for(threads: usize) -> bool {
    can_reserve(after_start(threads) + 64 * threads)
}

fn shares_of(options: &Options) -> MemoryShares {
    MemoryShares { threads: options.threads, table_mebibytes: options.table_mebibytes }
}

#[derive(Default)]
pub(super) struct SearchResources {
    /// Started when first needed, so that `usi` and `quit` alone are answered at once.
    pub(super) searcher: Option<Searcher<SelectedEvaluator>>,
    /// The options requested last, and the share of memory that the machine allowed for them.
    options_tried: Option<(Options, MemoryShares)>,
    pub(super) evaluation: LoadedEvaluation,
    /// The evaluation requested last, whether or not it loaded.
    evaluation_tried: Option<EvaluationSource>,
    /// The model of sigma for that evaluation.
    pub(super) sigma: LoadedSigma,
    /// Whether a move was searched since the engine last prepared.
    pub(super) searched: bool,
}

impl SearchResources {
    pub(super) fn is_searching(&self) -> bool {
        self.searcher.as_ref().is_some_and(Searcher::is_searching)
    }

    /// Starts the searcher or updates its options, as far as the machine allows, and reports any
    /// shortage. False if there is no searcher.
    pub(super) fn prepare(&mut self, settings: &EngineSettings, output: &Output) -> bool {
        self.load_evaluation(&settings.evaluation, output);
        let wanted = settings.search;
        let tried = self.options_tried.filter(|_| self.searcher.is_some());
        if tried.is_some_and(|(options, _)| options == wanted) {
            return true;
        }
        let asked = shares_of(&wanted);
        // Another option changes neither threads nor table, though less memory may be free now.
        let known = tried.filter(|(options, _)| shares_of(options) == asked).map(|(_, granted)| granted);
        let within = || SystemMemory::now().map_or(asked, |memory| asked.within(memory.usable()));
        let MemoryShares { threads, table_mebibytes } = known.unwrap_or_else(within);
        let mut options = Options { threads, table_mebibytes, ..wanted };
        let (mut refused, mut fewer_threads) = (false, false);
        let result = loop {
            match self.put_in_force(options) {
                Err(ResourceError::Table { .. }) if options.table_mebibytes > 1 => {
                    options.table_mebibytes -= options.table_mebibytes.div_ceil(16);
                    refused = true;
                }
                Err(ResourceError::Threads { .. }) if options.threads > 1 => {
                    options.threads /= 2;
                    fewer_threads = true;
                }
                Ok(()) if fewer_threads && options.threads > 1 && !has_room_for(options.threads) => {
                    // The system started these threads, but they need memory besides their stacks.
                    // They end before fewer start: there is no room for both.
                    self.drop_searcher();
                    options.threads /= 2;
                }
                Ok(()) if refused => {
                    // The table took all memory, and some is needed besides it.
                    let less = options.table_mebibytes.saturating_sub(after_start(options.threads));
                    options.table_mebibytes = less.max(1);
                    refused = false;
                }
                result => break result,
            }
        };
        self.options_tried = Some((wanted, shares_of(&options)));
        match result {
            Ok(()) if known.is_some() => {}
            Ok(()) => warn_of_less(&wanted, &options, fewer_threads, output),
            Err(error) => output.warn(format_args!("the options cannot be applied: {error}")),
        }
        self.searcher.is_some()
    }

    fn put_in_force(&mut self, options: Options) -> Result<(), ResourceError> {
        match &mut self.searcher {
            Some(searcher) => searcher.set_options(options),
            None => {
                Searcher::new(self.evaluation.weights.clone(), options).map(|searcher| self.searcher = Some(searcher))
            }
        }
    }

    /// Loads the selected evaluation and its sigma model. Reports an unusable file once.
    pub(super) fn load_evaluation(&mut self, settings: &EvaluationSettings, output: &Output) {
        // A search in progress keeps its evaluation.
        if !self.is_searching() {
            self.load_weights(settings, output);
        }
        let of_formula = !self.evaluation.is_network();
        if let Err(error) = self.sigma.load(settings.sigma_file.as_deref(), of_formula) {
            output.warn(error);
        }
    }

    fn load_weights(&mut self, settings: &EvaluationSettings, output: &Output) {
        let source = EvaluationSource::find(settings);
        if self.evaluation_tried.as_ref() != Some(&source) {
            self.load_source(&source, output);
            self.evaluation_tried = Some(source);
        }
        if let SelectedWeights::Formula(weights) = &mut self.evaluation.weights
            && *weights != settings.formula
        {
            *weights = Arc::clone(&settings.formula);
            self.drop_searcher();
        }
    }

    /// Loads an evaluation. On failure the previous network stays, or the built-in one is used.
    fn load_source(&mut self, source: &EvaluationSource, output: &Output) {
        match LoadedEvaluation::load(source) {
            Ok((evaluation, notes)) => {
                notes.iter().for_each(|note| output.warn(note));
                self.use_evaluation(evaluation);
            }
            Err(error) if self.evaluation.is_network() => output.warn(error),
            // A user who names a network wants one: the formula is far weaker.
            Err(error) => match LoadedEvaluation::substitute() {
                Ok(evaluation) => {
                    output.warn(format_args!("{error}; the built-in network is used"));
                    self.use_evaluation(evaluation);
                }
                Err(_) => output.warn(error),
            },
        }
    }

    fn use_evaluation(&mut self, evaluation: LoadedEvaluation) {
        self.evaluation = evaluation;
        self.drop_searcher();
    }

    /// Frees the memory of the searcher and its evaluation; both are recreated when needed.
    pub(super) fn give_back(&mut self) {
        self.drop_searcher();
        self.evaluation = LoadedEvaluation::default();
        self.evaluation_tried = None;
    }

    /// Ends the searcher. If it is still preparing, its `readyok` comes first.
    fn drop_searcher(&mut self) {
        if let Some(searcher) = self.searcher.take() {
            searcher.wait();
        }
    }
}

/// Reports reduced settings. `fewer_threads`: the system refused some threads.
fn warn_of_less(asked: &Options, used: &Options, fewer_threads: bool, output: &Output) {
    if used.table_mebibytes < asked.table_mebibytes {
        let [asked, used] = [asked.table_mebibytes, used.table_mebibytes];
        output.warn(format_args!("USI_Hash {asked} does not fit in memory: {used} MiB are used"));
    }
    if used.threads < asked.threads {
        let [asked, used] = [asked.threads, used.threads];
        let reason = if fewer_threads { "cannot be started" } else { "do not fit in memory" };
        output.warn(format_args!("{asked} threads {reason}: {used} in use"));
    }
}
