//! The limits of a search, the rules of the game, and the options of a searcher.

use std::time::Duration;

use kiki_board::{ByColor, DeclarationRule, Move, PromotionChoice};

use crate::reliability::{GambleMode, ProbCutOptions};
use crate::skill::Skill;

/// The clocks of both players, as the protocol gives them before a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockTimes {
    /// Main time left.
    pub remaining: ByColor<Duration>,
    /// Time below zero on a clock that has not yet added the increment of this move. The increment
    /// pays for it.
    pub overdrawn: ByColor<Duration>,
    /// Time added for each move.
    pub increment: ByColor<Duration>,
    /// Time that each move may use beyond the main time.
    pub byoyomi: Duration,
    /// Whether the times were computed from an older command. Such times do not show the kind of
    /// clock.
    pub estimated: bool,
}

/// The limits of a search. Without any limit only a stop ends it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Plan the time for one move from these clocks.
    pub clocks: Option<ClockTimes>,
    /// Search for this time, less a margin for the answer. Only another limit, the clock included,
    /// or a forced mate that cannot get shorter ends the search earlier.
    pub movetime: Option<Duration>,
    /// The last iteration, in plies.
    pub depth: Option<u32>,
    /// Maximum number of nodes of all threads together. One thread searches all of them, several
    /// may leave a few.
    pub nodes: Option<u64>,
    /// Only these moves at the root; all if empty.
    pub search_moves: Vec<Move>,
    /// Time that the clock has run before the search begins, for instance while a network was
    /// loaded. It counts towards every time limit.
    pub elapsed: Duration,
    /// Think on the opponent's time: limits do not count, and the answer waits for
    /// [`crate::Searcher::ponderhit`] or a stop.
    pub ponder: bool,
    /// Play below full strength. The search uses one thread, one line, and nothing learned before,
    /// so that the strength depends on nothing else. Its limits are added to the others and hold
    /// while pondering. An analysis keeps full strength.
    pub skill: Option<Skill>,
}

impl Limits {
    /// Whether only a stop ends the search.
    #[must_use]
    pub fn is_infinite(&self) -> bool {
        self.clocks.is_none() && self.movetime.is_none() && self.depth.is_none() && self.nodes.is_none()
    }

    /// Whether the search is an analysis: only a stop ends it, and it does not ponder.
    #[must_use]
    pub fn is_analysis(&self) -> bool {
        self.is_infinite() && !self.ponder
    }
}

/// How time is planned. Names and defaults are common to USI engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeOptions {
    /// Usual delay between engine and clock. Up to a tenth of a move's planned time is kept for it,
    /// and the same time before the end of a full second. A delay above the default is also
    /// reserved at the last moment.
    pub network_delay: Duration,
    /// Greatest expected delay: this part of the clock stays unused. The default shrinks on fast
    /// clocks. Any other value is kept, except for some milliseconds to think.
    pub network_delay2: Duration,
    /// Minimum time of a move while the clock has plenty.
    pub minimum_thinking_time: Duration,
    /// Percent; greater values make early moves slower.
    pub slow_mover: u32,
    /// Whether the engine ponders in this game: it plans a quarter more time, as some of its moves
    /// will need none.
    pub ponders: bool,
    /// On clocks that count whole seconds: use a second that has begun to its end.
    pub round_up_to_full_second: bool,
    /// Whether the clock shows its time without the increment of this move, which the move may then
    /// use. `None`: use the increment once the clock has proved to be of that kind.
    pub increment_before_move: Option<bool>,
}

impl Default for TimeOptions {
    fn default() -> Self {
        Self {
            network_delay: Duration::from_millis(120),
            network_delay2: Duration::from_millis(1120),
            minimum_thinking_time: Duration::from_millis(2000),
            slow_mover: 100,
            ponders: false,
            round_up_to_full_second: true,
            increment_before_move: None,
        }
    }
}

/// The rules of the game, and options that change values or moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The rule on entering kings.
    pub declaration: DeclarationRule,
    /// A game is drawn after this many moves; 0 for never.
    pub max_moves: u32,
    /// Value of a draw for the side that searches, by its colour, in centipawns.
    pub draw_value: ByColor<i32>,
    /// Which promotions are searched.
    pub choice: PromotionChoice,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            declaration: DeclarationRule::default(),
            max_moves: 0,
            draw_value: ByColor::both(-2),
            choice: PromotionChoice::Sensible,
        }
    }
}

/// Options of a searcher. [`Limits`] has the limits of a single search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Searching threads, 1 to 1024.
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub table_mebibytes: usize,
    /// Number of best moves that are reported with their lines.
    pub multipv: usize,
    /// Iterations are reported at most this often; the last one always.
    pub pv_interval: Duration,
    /// Report values that lie outside the search window as bounds.
    pub report_bounds: bool,
    /// How time is planned.
    pub time: TimeOptions,
    /// The rules of the game.
    pub rules: Rules,
    /// How ProbCut is done.
    pub probcut: ProbCutOptions,
    /// Whether to play a move with a better chance instead of the best one, among
    /// [`Options::multipv`] moves.
    pub gamble: GambleMode,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: 1,
            table_mebibytes: 256,
            multipv: 1,
            pv_interval: Duration::ZERO,
            report_bounds: false,
            time: TimeOptions::default(),
            rules: Rules::default(),
            probcut: ProbCutOptions::default(),
            gamble: GambleMode::default(),
        }
    }
}
