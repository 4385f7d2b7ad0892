//! Comments under moves: a player's notes on its move, and the comment itself.
//!
//! CSA, KIF, KI2 and JKF share the words of USI for depth, nodes and exact times:
//! `*info depth 12 nodes 1000`. KIF, KI2 and JKF add two of ShogiHome's notes, which programs with
//! graphs know. `*評価値=35` is a score from Black's view in centipawns, ±100000 for a mate.
//! `*読み筋=△３四歩▲２六歩` is the principal variation.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::num::NonZeroI32;

use kiki_board::{Position, opponent};
use shogi_core::Color;

use crate::ScoreValue;
use crate::ending::Ending;
use crate::game::{Game, PlayedMove, Variation};
use crate::japanese::{Notation, japanese_moves, resolve, skip_blanks};
use crate::text::{add_line, comment_line, lines_of};

const SCORE: &str = "*評価値=";
const VARIATION: &str = "*読み筋=";
pub(crate) const INFO: &str = "*info ";
/// The prefix of the result in Kiki's own words.
pub(crate) const RESULT: &str = "*result ";

/// The lines under a move that led to the position `after`. `has_times`: whether the form has times
/// in seconds.
pub(crate) fn of_move(played: &PlayedMove, after: &Position, has_times: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(score) = played.score {
        lines.push(format!("{SCORE}{}", from_blacks_view(score, opponent(after.side_to_move()))));
    }
    let pv = japanese_moves(after, &played.pv).concat();
    lines.extend((!pv.is_empty()).then(|| format!("{VARIATION}{pv}")));
    lines.extend(info(played, !has_times).map(|info| format!("*{info}")));
    lines.extend(of_text(&played.comment));
    lines
}

/// The lines of a text. A line that would read as a note gets a leading blank, which readers drop.
pub(crate) fn of_text(comment: &str) -> impl Iterator<Item = String> {
    lines_of(comment).into_iter().map(|line| if looks_like_note(&line) { format!(" {line}") } else { line })
}

fn looks_like_note(line: &str) -> bool {
    [SCORE, VARIATION, INFO, RESULT].iter().any(|start| line.starts_with(start))
}

/// Reads a comment line under a move that led to the position `after`.
pub(crate) fn read(line: &str, played: &mut PlayedMove, after: &Position) {
    if !read_note(line, played, after) {
        add(&mut played.comment, line);
    }
}

/// A line that is not a bookmark: it gets a leading blank if it begins like one.
pub(crate) fn no_bookmark(line: &str) -> Cow<'_, str> {
    if line.starts_with('&') { format!(" {line}").into() } else { line.into() }
}

/// Adds a trimmed line to a comment. A leading blank line is left out; [`end_all`] removes trailing
/// ones.
pub(crate) fn add(comment: &mut String, line: &str) {
    add_line(comment, &comment_line(line));
}

/// Removes the trailing blank lines of all comments of a game.
pub(crate) fn end_all(game: &mut Game) {
    end(&mut game.comment);
    end_in(&mut game.moves, &mut game.variations);
}

fn end_in(moves: &mut [PlayedMove], variations: &mut [Variation]) {
    moves.iter_mut().for_each(|played| end(&mut played.comment));
    variations.iter_mut().for_each(|variation| end_in(&mut variation.moves, &mut variation.variations));
}

fn end(comment: &mut String) {
    comment.truncate(comment.trim_end().len());
}

/// Reads a note of a player. Returns `false` for any other line, and for what is known already.
fn read_note(line: &str, played: &mut PlayedMove, after: &Position) -> bool {
    // A second score, with what belongs to it, is of another engine.
    if played.score.is_some() && (line.starts_with(SCORE) || played.comment.lines().any(|line| line.starts_with(SCORE)))
    {
        return false;
    }
    if let Some(value) = line.strip_prefix(SCORE).and_then(|value| value.trim().parse().ok()) {
        played.score = Some(seen_by(value, opponent(after.side_to_move())));
        return true;
    }
    if let Some(text) = line.strip_prefix(VARIATION).filter(|_| played.pv.is_empty()) {
        played.pv = read_variation(text, after).unwrap_or_default();
        return !played.pv.is_empty();
    }
    if let Some(info) = line.strip_prefix(INFO) {
        return read_info(info, played);
    }
    false
}

/// The moves of a variation. `None` unless the whole text consists of legal moves.
fn read_variation(text: &str, after: &Position) -> Option<Vec<kiki_board::Move>> {
    let mut position = after.clone();
    let mut moves = Vec::new();
    let mut rest = skip_blanks(text);
    while !rest.is_empty() {
        let (notation, after_move) = Notation::read(rest)?;
        let mv = resolve(&notation, rest, &position).ok()?;
        position.make(mv);
        moves.push(mv);
        rest = skip_blanks(after_move);
    }
    Some(moves)
}

/// The score that floodgate writes for a mate.
const MATE: i64 = 100_000;

/// Data without another place, in the words of USI: `info depth 12 score mate -5 nodes 1000 time
/// 1250`. The time is left out if it is in whole seconds, and with `leaves_out_time`: the form has
/// milliseconds or no times at all.
pub(crate) fn info(played: &PlayedMove, leaves_out_time: bool) -> Option<String> {
    let mut text = String::new();
    if let Some(depth) = played.depth {
        let _ = write!(text, " depth {depth}");
    }
    if let Some(ScoreValue::Mate(plies)) = played.score {
        let _ = write!(text, " score mate {plies}");
    }
    if let Some(nodes) = played.nodes {
        let _ = write!(text, " nodes {nodes}");
    }
    if let Some(time_ms) = played.time_ms.filter(|time_ms| !leaves_out_time && time_ms % 1000 != 0) {
        let _ = write!(text, " time {time_ms}");
    }
    (!text.is_empty()).then(|| format!("info{text}"))
}

/// The time of an end in the words of [`info`]. `has_seconds`: whether the form has a place for it
/// next to the word of the end.
pub(crate) fn info_of_end(ending: &Ending, has_seconds: bool, has_milliseconds: bool) -> Option<String> {
    let is_told = |time_ms| has_seconds && (has_milliseconds || time_ms % 1000 == 0);
    ending.time_ms.filter(|&time_ms| !is_told(time_ms)).map(|time_ms| format!("info time {time_ms}"))
}

/// Reads the words of [`info_of_end`] after `*info`. `None` for others.
pub(crate) fn read_info_of_end(text: &str) -> Option<u64> {
    text.trim().strip_prefix("time ")?.trim().parse().ok()
}

/// A score from Black's view in centipawns, as floodgate writes it: ±100000 for a mate. `mover`
/// made the move.
pub(crate) fn from_blacks_view(score: ScoreValue, mover: Color) -> i64 {
    let value = match score {
        ScoreValue::Cp(centipawns) => i64::from(centipawns),
        ScoreValue::Mate(plies) => MATE * i64::from(plies.get().signum()),
    };
    if mover == Color::Black { value } else { -value }
}

/// Centipawns from Black's view as a score from a side's view.
pub(crate) fn seen_by(value: i64, side: Color) -> ScoreValue {
    let seen = if side == Color::Black { value } else { value.saturating_neg() };
    ScoreValue::Cp(seen.clamp(i32::MIN.into(), i32::MAX.into()) as i32)
}

/// Reads the text after `*info` into `played`. Returns `false` and changes nothing if it has an
/// unknown word, or data that is known already.
pub(crate) fn read_info(text: &str, played: &mut PlayedMove) -> bool {
    let Some(known) = info_in(text, played) else { return false };
    *played = known;
    true
}

/// The move with the data of the words added; `None` if a word is unknown or its data is known.
fn info_in(text: &str, played: &PlayedMove) -> Option<PlayedMove> {
    let mut known = played.clone();
    let mut words = text.split_ascii_whitespace();
    while let Some(word) = words.next() {
        match word {
            "depth" if known.depth.is_none() => known.depth = Some(words.next()?.parse().ok()?),
            "nodes" if known.nodes.is_none() => known.nodes = Some(words.next()?.parse().ok()?),
            "time" => known.time_ms = Some(words.next()?.parse().ok()?),
            "mate" if !matches!(known.score, Some(ScoreValue::Mate(_))) => {
                known.score = Some(ScoreValue::Mate(words.next()?.parse::<NonZeroI32>().ok()?));
            }
            "score" => {}
            _ => return None,
        }
    }
    Some(known)
}

/// Reads a time in seconds, which CSA 3 writes with decimals, into milliseconds.
pub(crate) fn read_time(text: &str) -> Option<u64> {
    let (seconds, decimals) = text.split_once('.').unwrap_or((text, ""));
    if ![seconds, decimals].iter().all(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let thousandths: u64 = format!("{decimals:0<3.3}").parse().ok()?;
    seconds.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_with_or_without_decimals() {
        assert_eq!(read_time("12"), Some(12_000));
        assert_eq!(read_time("1.250"), Some(1250));
        assert_eq!(read_time("0.5"), Some(500));
        assert_eq!(read_time("0.00099"), Some(0));
        assert_eq!(read_time("18446744073709551"), Some(18_446_744_073_709_551_000));
        for bad in ["", ".5", "-1", "1:30", "x", "18446744073709552", "99999999999999999999"] {
            assert_eq!(read_time(bad), None, "{bad}");
        }
    }
}
