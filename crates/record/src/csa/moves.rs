//! Moves and pieces as CSA names them, `FU`, `+7776FU`, `-0055KA`, and the lines under a move: its
//! time and its comments.
//!
//! Floodgate's `'** 35 -3334FU +2726FU` is a score from Black's view in centipawns, ±100000 for a
//! mate, and the principal variation, which begins with the reply to the move. Other data follow in
//! the words of USI, from the mover's view ([`info`]): `'*info depth 12 score mate -5 nodes 1000
//! time 1250`. Neither has commas, because some readers begin the next statement after one.

use std::fmt::Write as _;

use kiki_board::{ALL_KINDS, ByKind, HAND_KINDS, Move, Position, Sq, opponent, unpromoted};
use kiki_text::excerpt;
use shogi_core::{Color, PieceKind};

use crate::ScoreValue;
use crate::comments::{from_blacks_view, info, seen_by};
use crate::error::ReadProblem;
use crate::game::{PlayedMove, for_each_legal};

const CODES: ByKind<&str> =
    ByKind::new("", ["FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"]);

pub(crate) fn code_of_kind(kind: PieceKind) -> &'static str {
    CODES.get(kind)
}

pub(crate) fn kind_of_code(code: &[u8]) -> Option<PieceKind> {
    ALL_KINDS.into_iter().find(|&kind| CODES.get(kind).as_bytes() == code)
}

pub(super) fn sign(color: Color) -> char {
    match color {
        Color::Black => '+',
        Color::White => '-',
    }
}

/// The colour of a sign: Black for `+`, White for anything else.
pub(super) fn color_of(sign: u8) -> Color {
    if sign == b'+' { Color::Black } else { Color::White }
}

/// The square of two digits, file and rank.
pub(super) fn square(file: u8, rank: u8) -> Option<Sq> {
    let on_board = (b'1'..=b'9').contains(&file) && (b'1'..=b'9').contains(&rank);
    on_board.then(|| Sq::at(usize::from(file - b'1'), usize::from(rank - b'1')))
}

pub(super) fn write_move(out: &mut String, position: &Position, mv: Move) {
    out.push(sign(position.side_to_move()));
    if mv.is_drop() {
        out.push_str("00");
    } else {
        write_square(out, mv.from());
    }
    write_square(out, mv.to());
    out.push_str(position.arriving(mv).kind().map_or("", code_of_kind));
}

fn write_square(out: &mut String, sq: Sq) {
    for number in [sq.file(), sq.rank()] {
        out.push(char::from(b'1' + number as u8));
    }
}

/// A legal move in CSA notation, before it is made.
///
/// ```
/// use kiki_board::Position;
/// use kiki_record::{csa_move, read_csa_move};
///
/// let position = Position::startpos();
/// let mv = position.parse_move("7g7f")?;
/// assert_eq!(csa_move(&position, mv), "+7776FU");
/// assert_eq!(read_csa_move("+7776FU", &position), Ok(mv));
/// # Ok::<(), kiki_board::MoveError>(())
/// ```
#[must_use]
pub fn csa_move(position: &Position, mv: Move) -> String {
    let mut text = String::with_capacity(7);
    write_move(&mut text, position, mv);
    text
}

/// Reads a move such as `+7776FU` and checks that it is legal in the position.
///
/// # Errors
/// What is wrong with it.
pub fn read_csa_move(token: &str, position: &Position) -> Result<Move, ReadProblem> {
    let malformed = || ReadProblem::malformed(token, "a move like +7776FU or -0055KA");
    let &[side, from_file, from_rank, to_file, to_rank, c1, c2] = token.as_bytes() else { return Err(malformed()) };
    let to = square(to_file, to_rank).ok_or_else(malformed)?;
    let kind = kind_of_code(&[c1, c2]).ok_or_else(malformed)?;
    if u32::from(side) != u32::from(sign(position.side_to_move())) {
        return Err(ReadProblem::WrongSide { token: excerpt(token) });
    }
    let mv = if [from_file, from_rank] == *b"00" {
        HAND_KINDS.contains(&kind).then(|| Move::drop(kind, to))
    } else {
        let from = square(from_file, from_rank).ok_or_else(malformed)?;
        board_move(position, from, to, kind)
    };
    mv.filter(|&mv| position.is_legal(mv)).ok_or_else(|| ReadProblem::illegal(token, position))
}

/// A move on the board: CSA names the kind after the move, which shows whether it promoted.
fn board_move(position: &Position, from: Sq, to: Sq, kind: PieceKind) -> Option<Move> {
    let before = position.cell(from).kind()?;
    let promotes = before != kind && before == unpromoted(kind);
    (before == kind || promotes).then(|| Move::board(from, to, promotes))
}

/// Writes the time and the comments of a move, each on a line. `after` is the position after the
/// move. Without `has_milliseconds` the time is in whole seconds, and a comment has the exact time.
pub(super) fn write_notes(out: &mut String, played: &PlayedMove, after: &Position, has_milliseconds: bool) {
    write_time(out, played.time_ms, has_milliseconds);
    if let Some(comment) = csa_comment(played, after) {
        let _ = writeln!(out, "'*{comment}");
    }
    if let Some(info) = info(played, has_milliseconds) {
        let _ = writeln!(out, "'*{info}");
    }
}

/// Writes the time of a move or of the end, if it is known.
pub(super) fn write_time(out: &mut String, time_ms: Option<u64>, has_milliseconds: bool) {
    let Some(time_ms) = time_ms else { return };
    let _ = write!(out, "T{}", time_ms / 1000);
    if has_milliseconds && time_ms % 1000 != 0 {
        let _ = write!(out, ".{:03}", time_ms % 1000);
    }
    out.push('\n');
}

/// Floodgate's comment on a move that led to the position `after`: `* 35 -3334FU +2726FU`, the
/// score from Black's view in centipawns and the principal variation up to its first illegal move.
/// `None` without a score.
#[must_use]
pub fn csa_comment(played: &PlayedMove, after: &Position) -> Option<String> {
    let mut text = format!("* {}", from_blacks_view(played.score?, opponent(after.side_to_move())));
    for_each_legal(after, &played.pv, |position, mv| {
        text.push(' ');
        write_move(&mut text, position, mv);
    });
    Some(text)
}

/// Reads the principal variation after the score of a `'**` comment, and returns it with the rest
/// of the comment. It ends before the first word that is not a legal move.
pub(super) fn read_pv<'a>(comment: &'a str, after: &Position) -> (Vec<Move>, &'a str) {
    let (_, mut rest) = next_word(comment);
    let mut pv = Vec::new();
    if rest.is_empty() {
        return (pv, rest);
    }
    let mut position = after.clone();
    loop {
        let (word, after_word) = next_word(rest);
        let Ok(mv) = read_csa_move(word, &position) else { return (pv, rest) };
        position.make(mv);
        pv.push(mv);
        rest = after_word;
    }
}

fn next_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    let (word, rest) = text.split_once(|letter: char| letter.is_ascii_whitespace()).unwrap_or((text, ""));
    (word, rest.trim_ascii_start())
}

/// Reads the score at the beginning of a `'**` comment, from the view of `side`. `None` if the
/// comment does not begin with a number.
pub(super) fn read_score(comment: &str, side: Color) -> Option<ScoreValue> {
    Some(seen_by(next_word(comment).0.parse().ok()?, side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_told_from_blacks_view() {
        assert_eq!(read_score(" 35 -3334FU", Color::Black), Some(ScoreValue::Cp(35)));
        assert_eq!(read_score(" 35", Color::White), Some(ScoreValue::Cp(-35)));
        assert_eq!(read_score(" -99999999999", Color::White), Some(ScoreValue::Cp(i32::MAX)));
        assert_eq!(read_score(" joseki", Color::Black), None);
        assert_eq!(read_score("", Color::Black), None);
    }
}
