//! Comments with a player's information about its move: score, principal variation, depth, nodes, time.
//!
//! Floodgate's `'** 35 -3334FU +2726FU` is a score from Black's view in centipawns, ±100000 for a mate, and the principal variation,
//! which begins with the answer to the move. What does not fit there follows in the words of USI, from the
//! mover's view ([`info`]): `'*info depth 12 score mate -5 nodes 1000 time 1250`.
//! There are no commas in either: some readers take what follows one for the next statement.

use std::fmt::Write as _;

use kiki_board::{Move, Position, opponent};
use shogi_core::Color;

use super::pieces::{read_move, write_move};
use crate::game::{MoveScore, PlayedMove};
use crate::notes::{from_blacks_view, info, seen_by};

/// Writes the time and the comments of a move, each on its line; `after` is the position that it led to. Times have milliseconds or are in
/// whole seconds, with the milliseconds in a comment.
pub(super) fn write_notes(out: &mut String, played: &PlayedMove, after: &Position, has_milliseconds: bool) {
    if let Some(time_ms) = played.time_ms {
        let _ = write!(out, "T{}", time_ms / 1000);
        if has_milliseconds && time_ms % 1000 != 0 {
            let _ = write!(out, ".{:03}", time_ms % 1000);
        }
        out.push('\n');
    }
    if let Some(score) = played.score {
        let _ = write!(out, "'** {}", from_blacks_view(score, opponent(after.side_to_move())));
        write_pv(out, &played.pv, after);
        out.push('\n');
    }
    if let Some(info) = info(played, has_milliseconds) {
        let _ = writeln!(out, "'*{info}");
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

/// Reads the principal variation behind the score of a `'**` comment, up to the first word that is no legal move. Returns the rest of the
/// comment too.
pub(super) fn read_pv<'a>(comment: &'a [u8], after: &Position) -> (Vec<Move>, &'a [u8]) {
    let (_, mut rest) = next_word(comment);
    let mut pv = Vec::new();
    if rest.is_empty() {
        return (pv, rest);
    }
    let mut position = after.clone();
    loop {
        let (word, after_word) = next_word(rest);
        let Ok(mv) = read_move(word, &position) else { return (pv, rest) };
        position.make(mv);
        pv.push(mv);
        rest = after_word;
    }
}

/// The first word of a text, and what follows it.
fn next_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word, rest.trim_ascii_start())
}

/// Reads the score at the beginning of a `'**` comment, from the view of `side`. `None` for other comments of that form.
pub(super) fn read_score(comment: &[u8], side: Color) -> Option<MoveScore> {
    let word = comment.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())?;
    Some(seen_by(std::str::from_utf8(word).ok()?.parse().ok()?, side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_told_from_blacks_view() {
        assert_eq!(read_score(b" 35 -3334FU", Color::Black), Some(MoveScore::Cp(35)));
        assert_eq!(read_score(b" 35", Color::White), Some(MoveScore::Cp(-35)));
        assert_eq!(read_score(b" -99999999999", Color::White), Some(MoveScore::Cp(i32::MAX)));
        assert_eq!(read_score(b" joseki", Color::Black), None);
        assert_eq!(read_score(b"", Color::Black), None);
    }
}
