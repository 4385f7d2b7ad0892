//! The state of one searching thread.

use std::sync::Arc;

use kiki_eval::Evaluator;

use crate::control::SearchControl;
use crate::root::RootSearch;

/// What one thread of the pool keeps between searches. The search with its large tables is made when it is first needed.
pub(crate) struct SearchThread<E: Evaluator> {
    /// Its number; 0 is the main thread.
    pub(crate) number: usize,
    weights: Arc<E::Weights>,
    control: Arc<SearchControl>,
    search: Option<RootSearch<E>>,
}

impl<E: Evaluator> SearchThread<E> {
    pub(crate) fn new(number: usize, weights: Arc<E::Weights>, control: Arc<SearchControl>) -> Self {
        Self { number, weights, control, search: None }
    }

    /// Forgets earlier games; afterwards all memory for histories is resident. If it is not there yet, it is made only if `resident`.
    pub(crate) fn new_game(&mut self, resident: bool) {
        if resident {
            self.search.get_or_insert_with(|| RootSearch::new(self.number, &self.weights, Arc::clone(&self.control)));
        }
        if let Some(search) = &mut self.search {
            search.new_game();
        }
    }

    /// Takes the search out, to be put back by [`SearchThread::put_back`] unless it fails: then its state is not to be trusted, and a new
    /// one will be made.
    pub(crate) fn take(&mut self) -> RootSearch<E> {
        self.search.take().unwrap_or_else(|| RootSearch::new(self.number, &self.weights, Arc::clone(&self.control)))
    }

    pub(crate) fn put_back(&mut self, search: RootSearch<E>) {
        self.search = Some(search);
    }
}
