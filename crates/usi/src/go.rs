//! The command `go`: what to search for and how long.

use std::fmt;

use crate::command_error::CommandError;
use crate::text::{Words, clamped, excerpt, write_field, write_words};

/// The longest time that is taken over, about thirty years: sums of several never overflow.
pub const LONGEST_MILLISECONDS: i64 = 1_000_000_000_000;

/// The most skipped words that are reported.
const MOST_WARNINGS: usize = 8;

/// The times of `go` and `ponderhit`, in milliseconds from 0 to [`LONGEST_MILLISECONDS`]; `None` for what was not sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clocks {
    /// What Black has left.
    pub btime: Option<i64>,
    /// What White has left.
    pub wtime: Option<i64>,
    /// What each move may take once the time left is used up; the same for both sides.
    pub byoyomi: Option<i64>,
    /// What Black gains by each move.
    pub binc: Option<i64>,
    /// What White gains by each move.
    pub winc: Option<i64>,
}

impl Clocks {
    /// Whether no time was sent at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads the times of `ponderhit`. That command must not be lost, so what cannot be read counts as not sent.
    pub(crate) fn parse_leniently(mut words: Words<'_>) -> Option<Self> {
        let mut clocks = Self::default();
        while let Some(word) = words.next() {
            if let Some(slot) = clocks.slot(word) {
                *slot = milliseconds(&mut words, word).ok().or(*slot);
            }
        }
        (!clocks.is_empty()).then_some(clocks)
    }

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

/// How long `go mate` may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MateLimit {
    /// Until `stop`. Also when nothing follows the word `mate`.
    Infinite,
    /// So many milliseconds.
    Ms(i64),
}

/// What a `go` command asks for. The words may come in any order; of a word sent twice the last counts.
///
/// Its `Display` is the command.
///
/// ```
/// use kiki_usi::{Command, GoSpec};
///
/// let Command::Go(go) = Command::parse(b"go byoyomi 1000 btime -5 wtime 0 fast")? else { unreachable!() };
/// assert_eq!(go.clocks.byoyomi, Some(1000));
/// assert_eq!(go.clocks.btime, Some(0));
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
    /// The most nodes; 0 is handed on as it came.
    pub nodes: Option<u64>,
    /// The greatest depth; 0 is handed on as it came.
    pub depth: Option<u32>,
    /// Count the leaves of the legal move tree to this depth instead of searching.
    pub perft: Option<u32>,
    /// The first words that were not understood and skipped, shortened to quote them.
    pub warnings: Vec<String>,
}

impl GoSpec {
    /// Reads what follows the word `go`.
    pub(crate) fn parse(mut words: Words<'_>) -> Result<Self, CommandError> {
        let mut go = Self::default();
        while let Some(word) = words.next() {
            match word {
                "searchmoves" => go.searchmoves = searchmoves(&mut words),
                "ponder" => go.ponder = true,
                "infinite" => go.infinite = true,
                "mate" => go.mate = Some(mate_limit(&mut words)),
                "movetime" => go.movetime = Some(milliseconds(&mut words, word)?),
                "nodes" => go.nodes = Some(clamped(number(&mut words, word)?, 0, u64::MAX)),
                "depth" => go.depth = Some(clamped(number(&mut words, word)?, 0, u32::MAX)),
                "perft" => go.perft = Some(clamped(number(&mut words, word)?, 0, u32::MAX)),
                // Chess GUIs send it; shogi has no such time control.
                "movestogo" => {
                    words.next_integer();
                }
                _ => match go.clocks.slot(word) {
                    Some(slot) => *slot = Some(milliseconds(&mut words, word)?),
                    None if go.warnings.len() < MOST_WARNINGS => go.warnings.push(excerpt(word)),
                    None => {}
                },
            }
        }
        Ok(go)
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

/// The words up to the next that `go` knows.
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
    KEYWORDS.contains(&word) || Clocks::default().slot(word).is_some()
}

fn mate_limit(words: &mut Words<'_>) -> MateLimit {
    if words.peek() == Some("infinite") {
        words.next();
    }
    words.next_integer().map_or(MateLimit::Infinite, |limit| MateLimit::Ms(bounded_time(limit)))
}

fn milliseconds(words: &mut Words<'_>, keyword: &str) -> Result<i64, CommandError> {
    number(words, keyword).map(bounded_time)
}

fn bounded_time(number: i128) -> i64 {
    clamped(number, 0, LONGEST_MILLISECONDS)
}

/// The number that must follow a word.
pub(crate) fn number(words: &mut Words<'_>, keyword: &str) -> Result<i128, CommandError> {
    words.next_integer().ok_or_else(|| match words.peek() {
        Some(token) => CommandError::NotANumber { after: excerpt(keyword), token: excerpt(token) },
        None => CommandError::missing(keyword, "a number"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<GoSpec, CommandError> {
        GoSpec::parse(Words::new(text))
    }

    #[test]
    fn the_last_of_two_counts() {
        assert_eq!(parse("byoyomi 1 byoyomi 2").unwrap().clocks.byoyomi, Some(2));
    }

    #[test]
    fn numbers_out_of_range_become_the_nearest_that_fits() {
        let go =
            parse("btime -1 wtime 99999999999999999999999999999999999999999999 nodes -3 depth 99999999999").unwrap();
        assert_eq!(go.clocks.btime, Some(0));
        assert_eq!(go.clocks.wtime, Some(LONGEST_MILLISECONDS));
        assert_eq!(go.nodes, Some(0));
        assert_eq!(go.depth, Some(u32::MAX));
        assert_eq!(parse("nodes 18446744073709551615").unwrap().nodes, Some(u64::MAX));
    }

    #[test]
    fn a_missing_number_is_named() {
        assert_eq!(parse("depth").unwrap_err().to_string(), "`depth` needs a number");
        assert_eq!(parse("btime wtime 5").unwrap_err().to_string(), "`btime` needs a number, not `wtime`");
    }

    #[test]
    fn unknown_words_are_skipped_and_reported_but_not_without_end() {
        let go = parse(&format!("foo 7 depth 3 {}", "bar ".repeat(100_000))).unwrap();
        assert_eq!(go.depth, Some(3));
        assert_eq!(go.warnings.len(), MOST_WARNINGS);
        assert_eq!(go.warnings[..3], ["foo", "7", "bar"]);
        assert_eq!(parse("movestogo 40 depth 3").unwrap().warnings, [""; 0]);
    }

    #[test]
    fn searchmoves_end_at_the_next_word_that_go_knows() {
        let go = parse("searchmoves 7g7f P*5e nodes 5").unwrap();
        assert_eq!(go.searchmoves, ["7g7f", "P*5e"]);
        assert_eq!(go.nodes, Some(5));
    }
}
