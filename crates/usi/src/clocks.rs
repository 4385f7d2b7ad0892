//! The clocks of a game, as `go` and `ponderhit` send them.

use std::fmt;

use crate::text::{Words, clamped, write_field};

/// The longest time that is taken over, about thirty years: sums of several never overflow.
pub const LONGEST_MILLISECONDS: i64 = 1_000_000_000_000;

/// The times of `go` and `ponderhit`, in milliseconds up to [`LONGEST_MILLISECONDS`]; `None` for what was not sent. What is left may be below zero: some
/// programs send it without the increment, which is added when the move begins. The others are not.
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
    /// Whether a word is followed by one of these times.
    pub(crate) fn is_clock(word: &str) -> bool {
        Self::default().slot(word).is_some()
    }

    /// Whether no time was sent at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads the times of `ponderhit`. That command must not be lost: a time that cannot be read counts as 0, as in `go`.
    pub(crate) fn parse_leniently(mut words: Words<'_>) -> Option<Self> {
        let mut clocks = Self::default();
        while let Some(word) = words.next() {
            if Self::is_clock(word) {
                clocks.set(word, words.next_number());
            }
        }
        (!clocks.is_empty()).then_some(clocks)
    }

    /// Takes the time that follows the word of a clock. One that cannot be read counts as 0.
    pub(crate) fn set(&mut self, keyword: &str, time: Option<i128>) {
        let least = if matches!(keyword, "btime" | "wtime") { -LONGEST_MILLISECONDS } else { 0 };
        if let Some(slot) = self.slot(keyword) {
            *slot = Some(time.map_or(0, |time| clamped(time, least, LONGEST_MILLISECONDS)));
        }
    }

    /// Where the time that follows a word belongs; `None` for other words.
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

/// A time that sums can be made of.
pub(crate) fn bounded_time(number: i128) -> i64 {
    clamped(number, 0, LONGEST_MILLISECONDS)
}
