//! The command `go` and the clocks of a game: what to search and how long.

use std::fmt;

use crate::text::{CommandError, Words, clamped, excerpt, write_field, write_words};

/// The longest time, about thirty years. Longer ones are cut to it, so that sums never overflow.
pub const LONGEST_MILLISECONDS: i64 = 1_000_000_000_000;

/// The times of `go` and `ponderhit`, in milliseconds up to [`LONGEST_MILLISECONDS`]; `None` for
/// missing ones. Only the remaining time may be negative: some programs send it without the
/// increment, which is added when the move begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clocks {
    /// Black's remaining time.
    pub btime: Option<i64>,
    /// White's remaining time.
    pub wtime: Option<i64>,
    /// Time for each move once the remaining time is used up; the same for both sides.
    pub byoyomi: Option<i64>,
    /// Black's increment for each move.
    pub binc: Option<i64>,
    /// White's increment for each move.
    pub winc: Option<i64>,
}

impl Clocks {
    pub(crate) fn is_clock(word: &str) -> bool {
        Self::default().slot(word).is_some()
    }

    /// Whether no time was sent at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads the times of `ponderhit`. That command must not be lost: an unreadable time counts as
    /// 0, as in `go`.
    pub(crate) fn parse_leniently(mut words: Words<'_>) -> Option<Self> {
        let mut clocks = Self::default();
        while let Some(word) = words.next() {
            if Self::is_clock(word) {
                clocks.set(word, words.next_number());
            }
        }
        (!clocks.is_empty()).then_some(clocks)
    }

    /// Sets the time after the word of a clock. An unreadable time counts as 0.
    pub(crate) fn set(&mut self, keyword: &str, time: Option<i128>) {
        let least = if matches!(keyword, "btime" | "wtime") { -LONGEST_MILLISECONDS } else { 0 };
        if let Some(slot) = self.slot(keyword) {
            *slot = Some(time.map_or(0, |time| clamped(time, least, LONGEST_MILLISECONDS)));
        }
    }

    /// The field for the time after a word; `None` for other words.
    fn slot(&mut self, keyword: &str) -> Option<&mut Option<i64>> {
        match keyword {
            "btime" => Some(&mut self.btime),
            "wtime" => Some(&mut self.wtime),
            "byoyomi" => Some(&mut self.byoyomi),
            "binc" => Some(&mut self.binc),
            "winc" => Some(&mut self.winc),
            _ => None,
        }
    }
}

/// ` btime 1000 wtime 2000`: a blank before each word.
impl fmt::Display for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_field(f, "btime", self.btime.as_ref())?;
        write_field(f, "wtime", self.wtime.as_ref())?;
        write_field(f, "byoyomi", self.byoyomi.as_ref())?;
        write_field(f, "binc", self.binc.as_ref())?;
        write_field(f, "winc", self.winc.as_ref())
    }
}

/// A time within the limit that prevents overflow of sums.
pub(crate) fn bounded_time(number: i128) -> i64 {
    clamped(number, 0, LONGEST_MILLISECONDS)
}

const MOST_WARNINGS: usize = 8;

/// The time for a move with unreadable limits, in milliseconds: less than any game gives, but
/// enough for a move.
const TIME_WITHOUT_LIMIT: i64 = 100;

/// How long `go mate` may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MateLimit {
    /// Until `stop`, or up to the node limit given with it.
    Infinite,
    /// This number of milliseconds.
    Ms(i64),
}

/// The request of a `go` command. The words may come in any order; the last of repeated words
/// counts.
///
/// A GUI waits for the answer, so no mistake is a reason to refuse the command. Unreadable words
/// are skipped and listed in [`GoSpec::warnings`]. An unreadable clock or time of `mate` counts as
/// empty, so that the engine uses no time that it may not have. A command then left without a limit
/// gets a tenth of a second, unless it asks for an endless search. So does a mating problem with
/// neither a time nor `infinite`. A `go` without any words has no limit here
/// ([`GoSpec::has_limit`]): the clock of the game, if known, goes on.
///
/// Its `Display` is the command.
///
/// ```
/// use kiki_usi::{Command, GoSpec};
///
/// let Command::Go(go) = Command::parse(b"go byoyomi 1000 btime -5 wtime 0 fast")? else { unreachable!() };
/// assert_eq!(go.clocks.byoyomi, Some(1000));
/// assert_eq!(go.clocks.btime, Some(-5));
/// assert_eq!(go.warnings, ["fast"]);
/// assert_eq!(GoSpec { depth: Some(7), ..GoSpec::default() }.to_string(), "go depth 7");
/// # Ok::<(), kiki_usi::CommandError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GoSpec {
    /// The only moves to search at the root, as they were written; empty for all.
    pub searchmoves: Vec<String>,
    /// Search on the opponent's time; no answer before `stop` or `ponderhit`.
    pub ponder: bool,
    /// No answer before `stop`.
    pub infinite: bool,
    /// Look for a forced mate and answer `checkmate` instead of `bestmove`.
    pub mate: Option<MateLimit>,
    /// The clocks.
    pub clocks: Clocks,
    /// The time for this move in milliseconds.
    pub movetime: Option<i64>,
    /// The most nodes; 0 is passed on.
    pub nodes: Option<u64>,
    /// The greatest depth; 0 is passed on.
    pub depth: Option<u32>,
    /// Count the leaves of the legal move tree to this depth instead of searching.
    pub perft: Option<u32>,
    /// The first words that were not understood and skipped, shortened for quoting. Each includes
    /// the text in place of its number.
    pub warnings: Vec<String>,
}

impl GoSpec {
    pub(crate) fn parse(mut words: Words<'_>) -> Result<Self, CommandError> {
        let mut go = Self::default();
        let mut is_mate = false;
        while let Some(word) = words.next() {
            match word {
                "searchmoves" => go.searchmoves = searchmoves(&mut words),
                "ponder" => go.ponder = true,
                "infinite" => go.infinite = true,
                "mate" => {
                    is_mate = true;
                    go.mate = go.mate_limit(&mut words);
                }
                "movetime" => go.movetime = go.number_of(word, &mut words).map(bounded_time).or(go.movetime),
                "nodes" => {
                    let nodes = go.number_of(word, &mut words);
                    go.nodes = nodes.map(|nodes| clamped(nodes, 0, u64::MAX)).or(go.nodes);
                }
                "depth" => {
                    let depth = go.number_of(word, &mut words);
                    go.depth = depth.map(|depth| clamped(depth, 0, u32::MAX)).or(go.depth);
                }
                "perft" => go.perft = Some(clamped(words.required_number(word)?, 0, u32::MAX)),
                // Chess GUIs send it; shogi has no such time control.
                "movestogo" => {
                    words.next_number();
                }
                _ if Clocks::is_clock(word) => {
                    let time = go.number_of(word, &mut words);
                    go.clocks.set(word, time);
                }
                _ => go.warn(excerpt(word)),
            }
        }
        if is_mate && go.mate.is_none() {
            let is_limited = go.nodes.is_some() || go.infinite;
            go.mate = Some(if is_limited { MateLimit::Infinite } else { MateLimit::Ms(TIME_WITHOUT_LIMIT) });
        }
        let is_endless = go.infinite || go.ponder || go.mate.is_some() || go.perft.is_some();
        if !(go.warnings.is_empty() || is_endless || go.has_limit()) {
            go.movetime = Some(TIME_WITHOUT_LIMIT);
        }
        Ok(go)
    }

    /// Whether a clock, a time, a depth or a number of nodes is given.
    #[must_use]
    pub fn has_limit(&self) -> bool {
        !self.clocks.is_empty() || self.movetime.is_some() || self.nodes.is_some() || self.depth.is_some()
    }

    /// The number that should follow a word. Other text in its place is skipped, unless it is a
    /// word of `go`.
    fn number_of(&mut self, keyword: &str, words: &mut Words<'_>) -> Option<i128> {
        if let Some(number) = words.next_number() {
            return Some(number);
        }
        match words.peek().filter(|word| !is_keyword(word)) {
            Some(token) => {
                words.next();
                self.warn(format!("{keyword} {}", excerpt(token)));
            }
            None => self.warn(keyword.to_owned()),
        }
        None
    }

    /// The limit after the word `mate`, if there is one.
    fn mate_limit(&mut self, words: &mut Words<'_>) -> Option<MateLimit> {
        match words.peek()? {
            "infinite" => {
                words.next();
                Some(MateLimit::Infinite)
            }
            word if !is_keyword(word) => Some(MateLimit::Ms(self.number_of("mate", words).map_or(0, bounded_time))),
            _ => None,
        }
    }

    fn warn(&mut self, left_out: String) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(left_out);
        }
    }
}

impl fmt::Display for GoSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        if self.ponder {
            f.write_str(" ponder")?;
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        match self.mate {
            Some(MateLimit::Infinite) => f.write_str(" mate infinite")?,
            Some(MateLimit::Ms(limit)) => write!(f, " mate {limit}")?,
            None => {}
        }
        write!(f, "{}", self.clocks)?;
        write_field(f, "movetime", self.movetime.as_ref())?;
        write_field(f, "nodes", self.nodes.as_ref())?;
        write_field(f, "depth", self.depth.as_ref())?;
        write_field(f, "perft", self.perft.as_ref())?;
        if self.searchmoves.is_empty() {
            return Ok(());
        }
        f.write_str(" searchmoves")?;
        write_words(f, &self.searchmoves)
    }
}

fn searchmoves(words: &mut Words<'_>) -> Vec<String> {
    let mut moves = Vec::new();
    while let Some(word) = words.peek().filter(|word| !is_keyword(word)) {
        moves.push(word.to_owned());
        words.next();
    }
    moves
}

fn is_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 9] =
        ["searchmoves", "ponder", "infinite", "mate", "movetime", "nodes", "depth", "perft", "movestogo"];
    KEYWORDS.contains(&word) || Clocks::is_clock(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<GoSpec, CommandError> {
        GoSpec::parse(Words::new(text))
    }

    #[test]
    fn numbers_out_of_range_become_the_nearest_that_fits() {
        let text =
            "btime -99999999999999999 wtime 99999999999999999999999999999999999999999999 nodes -3 depth 99999999999";
        let go = parse(text).unwrap();
        assert_eq!(go.clocks.btime, Some(-LONGEST_MILLISECONDS));
        assert_eq!(go.clocks.wtime, Some(LONGEST_MILLISECONDS));
        let clocks = parse("byoyomi 7 byoyomi -1 binc -1 winc -1000").unwrap().clocks;
        assert_eq!([clocks.byoyomi, clocks.binc, clocks.winc], [Some(0); 3]);
        assert_eq!(go.nodes, Some(0));
        assert_eq!(go.depth, Some(u32::MAX));
        assert_eq!(parse("nodes 7 nodes 18446744073709551615").unwrap().nodes, Some(u64::MAX));
    }

    #[test]
    fn unknown_words_are_skipped_and_reported_but_not_without_end() {
        let go = parse(&format!("foo 7 depth 3 {}", "bar ".repeat(100_000))).unwrap();
        assert_eq!(go.depth, Some(3));
        assert_eq!(go.warnings.len(), MOST_WARNINGS);
        assert_eq!(go.warnings[..3], ["foo", "7", "bar"]);
        assert_eq!(parse("movestogo 40 depth 3").unwrap().warnings, [""; 0]);
    }
}
