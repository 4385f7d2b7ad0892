//! What a search may use, and the rules it plays under.

use std::time::Duration;

use kiki_board::{Choice, DeclarationRule, Move};

/// The clocks of both players, as the protocol tells them before a move. By colour index: 0 Black, 1 White.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clocks {
    /// What is left of the main time.
    pub remaining: [Duration; 2],
    /// What is added for each move.
    pub increment: [Duration; 2],
    /// What each move may use beyond the main time.
    pub byoyomi: Duration,
}

/// When a search ends. Without any limit it goes on until it is stopped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Plan the time for one move from these.
    pub clocks: Option<Clocks>,
    /// Exactly this long.
    pub movetime: Option<Duration>,
    /// Iterations.
    pub depth: Option<u32>,
    /// Nodes, all threads together; exact with one thread.
    pub nodes: Option<u64>,
    /// Only these moves at the root; all if empty.
    pub search_moves: Vec<Move>,
    /// Think on the opponent's time: no limit counts and no answer is given before [`crate::Searcher::ponderhit`] or stop.
    pub ponder: bool,
}

impl Limits {
    /// Whether only a stop ends the search.
    #[must_use]
    pub fn is_infinite(&self) -> bool {
        self.clocks.is_none() && self.movetime.is_none() && self.depth.is_none() && self.nodes.is_none()
    }
}

/// How time is planned. Names and defaults are those that users of USI engines know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeOptions {
    /// The usual loss between engine and clock.
    pub network_delay: Duration,
    /// The loss to be feared at the last moment.
    pub network_delay2: Duration,
    /// A move is not played faster than this while the clock is comfortable.
    pub minimum_thinking_time: Duration,
    /// Percent: more makes the early moves slower.
    pub slow_mover: u32,
    /// Clocks that count whole seconds: use the second that is begun.
    pub round_up_to_full_second: bool,
    /// The clock gets its increment before the move, so that it may be used.
    pub increment_before_move: bool,
}

impl Default for TimeOptions {
    fn default() -> Self {
        Self {
            network_delay: Duration::from_millis(120),
            network_delay2: Duration::from_millis(1120),
            minimum_thinking_time: Duration::from_millis(2000),
            slow_mover: 100,
            round_up_to_full_second: true,
            increment_before_move: false,
        }
    }
}

/// The rules of the game and tastes that change values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The rule on entering kings.
    pub declaration: DeclarationRule,
    /// A game is drawn after this many moves; 0 for never.
    pub max_moves: u32,
    /// What a draw is worth to the side that searches, by its colour index, in centipawns.
    pub draw_value: [i32; 2],
    /// Which promotions are considered.
    pub choice: Choice,
}

impl Default for Rules {
    fn default() -> Self {
        Self { declaration: DeclarationRule::default(), max_moves: 0, draw_value: [-2; 2], choice: Choice::Sensible }
    }
}
