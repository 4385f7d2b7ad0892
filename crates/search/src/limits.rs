//! What a search may use, the rules it plays under, and the options of a searcher.

use std::time::Duration;

use kiki_board::{ByColor, DeclarationRule, Move, PromotionChoice};

use crate::reliability::{GambleMode, ProbCutOptions};
use crate::skill::Skill;

/// The clocks of both players, as the protocol gives them before a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockTimes {
    /// What is left of the main time.
    pub remaining: ByColor<Duration>,
    /// How far what is left is below zero, on a clock that has not been given the increment of the move to be played: so much of that is gone.
    pub overdrawn: ByColor<Duration>,
    /// What is added for each move.
    pub increment: ByColor<Duration>,
    /// What each move may use beyond the main time.
    pub byoyomi: Duration,
    /// Not told for this move but reckoned from an older one, to be on the safe side: it shows nothing of the kind of clock.
    pub estimated: bool,
}

/// When a search ends. Without any limit it goes on until it is stopped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Plan the time for one move from these.
    pub clocks: Option<ClockTimes>,
    /// This long, less a margin for the answer, in mid-iteration. Ended earlier only by another limit, among them what the clock has if one is
    /// given too, or by a forced mate that will not get shorter.
    pub movetime: Option<Duration>,
    /// At most so many iterations.
    pub depth: Option<u32>,
    /// At most so many nodes, all threads together; one thread searches all of them, several may leave a few.
    pub nodes: Option<u64>,
    /// Only these moves at the root; all if empty.
    pub search_moves: Vec<Move>,
    /// How long the clock has run already when the search begins, such as while a network was loaded. It counts towards every limit of time.
    pub elapsed: Duration,
    /// Think on the opponent's time: no limit counts and no answer is given before [`crate::Searcher::ponderhit`] or stop.
    pub ponder: bool,
    /// Play weaker than the full strength: on one thread, for one line, with nothing remembered of earlier searches, so that the strength
    /// depends on nothing else. Its limits come on top of the others, and hold while pondering too. An infinite search is no play and as
    /// strong as ever.
    pub skill: Option<Skill>,
}

impl Limits {
    /// Whether only a stop ends the search.
    #[must_use]
    pub fn is_infinite(&self) -> bool {
        self.clocks.is_none() && self.movetime.is_none() && self.depth.is_none() && self.nodes.is_none()
    }

    /// Whether the search is no part of a game: only a stop ends it, and no move of the opponent is waited for.
    #[must_use]
    pub fn is_analysis(&self) -> bool {
        self.is_infinite() && !self.ponder
    }
}

/// How time is planned. Names and defaults are those that users of USI engines know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeOptions {
    /// The usual loss between engine and clock: taken from what a move is planned to take, at most a tenth of it, and kept before the end of a full
    /// second. More than the default is left unused at the last moment too.
    pub network_delay: Duration,
    /// The loss to be feared at the last moment: so much of the clock is left unused. The default shrinks by itself on fast clocks; any
    /// other value is kept, but for some milliseconds to think.
    pub network_delay2: Duration,
    /// A move is not played faster than this while the clock is comfortable.
    pub minimum_thinking_time: Duration,
    /// Percent: more makes the early moves slower.
    pub slow_mover: u32,
    /// On clocks that count whole seconds: use the second that is begun.
    pub round_up_to_full_second: bool,
    /// Whether the clock shows the time without the increment of the move to be played, which then may be used for it. `None` to learn
    /// it from the clock: it is used once the clock has proved to be of that kind.
    pub increment_before_move: Option<bool>,
}

impl Default for TimeOptions {
    fn default() -> Self {
        Self {
            network_delay: Duration::from_millis(120),
            network_delay2: Duration::from_millis(1120),
            minimum_thinking_time: Duration::from_millis(2000),
            slow_mover: 100,
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
    /// Which promotions are considered.
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

/// How a searcher works; the limits of a single search are in [`Limits`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Searching threads, 1 to 1024.
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub table_mebibytes: usize,
    /// How many of the best moves are reported with their lines.
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
    /// Whether a move with a better chance is played instead of the best one. Unless off, [`Options::multipv`] says among how many.
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
