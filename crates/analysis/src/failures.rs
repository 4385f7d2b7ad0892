//! Searches that failed in a run, so that an engine that fails again and again does not cost for ever.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// An engine that failed so often in one game is not asked about it any more: most likely it fails at every position.
const MOST_OF_GAME: usize = 3;

/// An engine that failed so often when it was to search one move alone is not asked to again.
const MOST_OF_ONE_MOVE: usize = 3;

/// What has failed so far.
#[derive(Debug)]
pub(crate) struct Failures {
    /// How many searches of a game failed, by game and engine.
    of_game: Mutex<HashMap<(usize, usize), usize>>,
    /// How often each engine failed when it was to search one move alone.
    of_one_move: Vec<AtomicUsize>,
}

impl Failures {
    /// None yet.
    pub(crate) fn new(engines: usize) -> Self {
        let of_one_move = (0..engines).map(|_| AtomicUsize::new(0)).collect();
        Self { of_game: Mutex::default(), of_one_move }
    }

    /// Counts a search of a game that failed.
    pub(crate) fn count(&self, game: usize, engine: usize) {
        *self.of_game.lock().unwrap_or_else(PoisonError::into_inner).entry((game, engine)).or_default() += 1;
    }

    /// Whether the engine is asked about the game.
    pub(crate) fn allow(&self, game: usize, engine: usize) -> bool {
        let of_game = self.of_game.lock().unwrap_or_else(PoisonError::into_inner);
        of_game.get(&(game, engine)).is_none_or(|&count| count < MOST_OF_GAME)
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
