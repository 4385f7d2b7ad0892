//! Searches that failed in a run, so that an engine that fails again and again does not cost for ever.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// An engine that failed so often when it was to search one move alone is not asked to again.
const MOST_OF_ONE_MOVE: usize = 3;

/// What has failed so far.
#[derive(Debug)]
pub(crate) struct Failures {
    /// Games and engines whose search failed.
    games: Mutex<HashSet<(usize, usize)>>,
    /// How often each engine failed when it was to search one move alone.
    of_one_move: Vec<AtomicUsize>,
}

impl Failures {
    /// None yet.
    pub(crate) fn new(engines: usize) -> Self {
        let of_one_move = (0..engines).map(|_| AtomicUsize::new(0)).collect();
        Self { games: Mutex::default(), of_one_move }
    }

    /// The engine is asked no more about this game: most likely it fails at the next position too.
    pub(crate) fn leave(&self, game: usize, engine: usize) {
        self.games.lock().unwrap_or_else(PoisonError::into_inner).insert((game, engine));
    }

    /// Whether the engine failed in this game.
    pub(crate) fn has_left(&self, game: usize, engine: usize) -> bool {
        self.games.lock().unwrap_or_else(PoisonError::into_inner).contains(&(game, engine))
    }

    /// Counts a search of one move alone that failed; whether it is the first of this engine.
    pub(crate) fn count_of_one_move(&self, engine: usize) -> bool {
        self.of_one_move[engine].fetch_add(1, Ordering::Relaxed) == 0
    }

    /// Whether the engine is asked to search moves alone.
    pub(crate) fn allow_one_move(&self, engine: usize) -> bool {
        self.of_one_move[engine].load(Ordering::Relaxed) < MOST_OF_ONE_MOVE
    }
}
