//! Comments with a player's information about its move: score, principal variation, depth, nodes, time.
//!
//! Floodgate's `'** 35 -3334FU +2726FU` is a score from Black's view in centipawns, ±100000 for a mate, and the principal variation,
//! which begins with the answer to the move. What does not fit there follows in the words of USI, from the
//! mover's view: `'*info depth 12 score mate -5 nodes 1000 time 1250`.
//! There are no commas in either: some readers take what follows one for the next statement.

use std::fmt::Write as _;
use std::num::NonZeroI32;

use kiki_board::{Move, Position};
use shogi_core::Color;

use super::pieces::{read_move, write_move};
use crate::game::{MoveScore, PlayedMove};

/// The score that floodgate writes for a mate.
const MATE: i64 = 100_000;

/// Writes the time and the comments of a move, each on its line; `after` is the position that it led to.
pub(super) fn write_notes(out: &mut String, played: &PlayedMove, after: &Position) {
    let view = if after.side_to_move() == Color::White { 1 } else { -1 };
    if let Some(time_ms) = played.time_ms {
        let _ = writeln!(out, "T{}", time_ms / 1000);
    }
    if let Some(score) = played.score {
        let value = match score {
            MoveScore::Cp(centipawns) => i64::from(centipawns),
            MoveScore::Mate(plies) => MATE * i64::from(plies.get().signum()),
        };
        let _ = write!(out, "'** {}", view * value);
        write_pv(out, &played.pv, after);
        out.push('\n');
    }
    let start = out.len();
    if let Some(depth) = played.depth {
        let _ = write!(out, " depth {depth}");
    }
    if let Some(MoveScore::Mate(plies)) = played.score {
        let _ = write!(out, " score mate {plies}");
    }
    if let Some(nodes) = played.nodes {
        let _ = write!(out, " nodes {nodes}");
    }
    if let Some(time_ms) = played.time_ms.filter(|time_ms| time_ms % 1000 != 0) {
        let _ = write!(out, " time {time_ms}");
    }
    if out.len() > start {
        out.insert_str(start, "'*info");
        out.push('\n');
    }
}

/// Writes the moves of a principal variation, each behind a blank, up to the first one that is illegal.
fn write_pv(out: &mut String, pv: &[Move], after: &Position) {
    if pv.is_empty() {
        return;
    }
    let mut position = after.clone();
    for &mv in pv {
        if !position.is_legal(mv) {
            break;
        }
        out.push(' ');
        write_move(out, &position, mv);
        position.make(mv);
    }
}

/// Reads the principal variation behind the score of a `'**` comment, up to the first word that is no legal move.
pub(super) fn read_pv(comment: &[u8], after: &Position) -> Vec<Move> {
    let mut words = comment.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).skip(1).peekable();
    if words.peek().is_none() {
        return Vec::new();
    }
    let mut position = after.clone();
    let mut pv = Vec::new();
    for word in words {
        let Ok(mv) = read_move(word, &position) else { break };
        position.make(mv);
        pv.push(mv);
    }
    pv
}

/// Reads a time in seconds, which CSA 3 writes with decimals, into milliseconds.
pub(super) fn read_time(token: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(token).ok()?;
    let (seconds, decimals) = text.split_once('.').unwrap_or((text, ""));
    if ![seconds, decimals].iter().all(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let thousandths: u64 = format!("{decimals:0<3.3}").parse().ok()?;
    seconds.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(thousandths)
}

/// Reads the score at the beginning of a `'**` comment, from the view of `side`. `None` for other comments of that form.
pub(super) fn read_score(comment: &[u8], side: Color) -> Option<MoveScore> {
    let word = comment.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())?;
    let value: i64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    let seen = if side == Color::Black { value } else { value.saturating_neg() };
    i32::try_from(seen.clamp(i32::MIN.into(), i32::MAX.into())).ok().map(MoveScore::Cp)
}

/// Reads the text after `'*info` into `played`; what cannot be read is skipped.
pub(super) fn read_info(comment: &[u8], played: &mut PlayedMove) {
    let Ok(text) = std::str::from_utf8(comment) else { return };
    let mut words = text.split_ascii_whitespace();
    while let Some(word) = words.next() {
        match word {
            "depth" => read_number(&mut words, &mut played.depth),
            "nodes" => read_number(&mut words, &mut played.nodes),
            "time" => read_number(&mut words, &mut played.time_ms),
            "mate" => {
                let plies = words.next().and_then(|word| word.parse::<NonZeroI32>().ok());
                played.score = plies.map(MoveScore::Mate).or(played.score);
            }
            _ => {}
        }
    }
}

fn read_number<'a, T: std::str::FromStr>(words: &mut impl Iterator<Item = &'a str>, field: &mut Option<T>) {
    if let Some(number) = words.next().and_then(|word| word.parse().ok()) {
        *field = Some(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_with_or_without_decimals() {
        assert_eq!(read_time(b"12"), Some(12_000));
        assert_eq!(read_time(b"1.250"), Some(1250));
        assert_eq!(read_time(b"0.5"), Some(500));
        assert_eq!(read_time(b"0.00099"), Some(0));
        assert_eq!(read_time(b"18446744073709551"), Some(18_446_744_073_709_551_000));
        for bad in ["", ".5", "-1", "1:30", "x", "18446744073709552", "99999999999999999999"] {
            assert_eq!(read_time(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn scores_are_told_from_blacks_view() {
        assert_eq!(read_score(b" 35 -3334FU", Color::Black), Some(MoveScore::Cp(35)));
        assert_eq!(read_score(b" 35", Color::White), Some(MoveScore::Cp(-35)));
        assert_eq!(read_score(b" -99999999999", Color::White), Some(MoveScore::Cp(i32::MAX)));
        assert_eq!(read_score(b" joseki", Color::Black), None);
        assert_eq!(read_score(b"", Color::Black), None);
    }
}
