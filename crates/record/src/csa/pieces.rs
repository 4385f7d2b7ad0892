//! Pieces and moves as CSA names them: `FU`, `+7776FU`, `-0055KA`.

use kiki_board::{ALL_KINDS, ByKind, HAND_KINDS, Move, Position, Sq, excerpt, unpromoted};
use shogi_core::{Color, PieceKind};

use crate::error::ReadProblem;

/// The codes of the kinds.
const CODES: ByKind<&str> =
    ByKind::new("", ["FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"]);

/// The code of a kind.
pub(crate) fn code(kind: PieceKind) -> &'static str {
    CODES.get(kind)
}

/// The kind of a code.
pub(crate) fn kind(code: &[u8]) -> Option<PieceKind> {
    ALL_KINDS.into_iter().find(|&kind| CODES.get(kind).as_bytes() == code)
}

/// The sign of a colour.
pub(super) fn sign(color: Color) -> char {
    match color {
        Color::Black => '+',
        Color::White => '-',
    }
}

/// The colour of a sign; White for anything but `+`.
pub(super) fn color_of(sign: u8) -> Color {
    if sign == b'+' { Color::Black } else { Color::White }
}

/// The square of two digits, file and rank.
pub(super) fn square(file: u8, rank: u8) -> Option<Sq> {
    let on_board = (b'1'..=b'9').contains(&file) && (b'1'..=b'9').contains(&rank);
    on_board.then(|| Sq::at(usize::from(file - b'1'), usize::from(rank - b'1')))
}

/// Writes a legal move, before it is made.
pub(super) fn write_move(out: &mut String, position: &Position, mv: Move) {
    out.push(sign(position.side_to_move()));
    if mv.is_drop() {
        out.push_str("00");
    } else {
        write_square(out, mv.from());
    }
    write_square(out, mv.to());
    out.push_str(position.arriving(mv).kind().map_or("", code));
}

fn write_square(out: &mut String, sq: Sq) {
    for number in [sq.file(), sq.rank()] {
        out.push(char::from(b'1' + number as u8));
    }
}

/// A legal move, before it is made, as CSA writes it.
///
/// ```
/// use kiki_board::Position;
/// use kiki_record::{csa_move, read_csa_move};
///
/// let position = Position::startpos();
/// let mv = position.parse_move("7g7f")?;
/// assert_eq!(csa_move(&position, mv), "+7776FU");
/// assert_eq!(read_csa_move(b"+7776FU", &position), Ok(mv));
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
pub fn read_csa_move(token: &[u8], position: &Position) -> Result<Move, ReadProblem> {
    read_move(token, position)
}

/// Reads a move and checks that it is legal.
pub(super) fn read_move(token: &[u8], position: &Position) -> Result<Move, ReadProblem> {
    let text = || String::from_utf8_lossy(token);
    let malformed = || ReadProblem::malformed(&text(), "a move like +7776FU or -0055KA");
    let &[side, from_file, from_rank, to_file, to_rank, c1, c2] = token else { return Err(malformed()) };
    let to = square(to_file, to_rank).ok_or_else(malformed)?;
    let kind = kind(&[c1, c2]).ok_or_else(malformed)?;
    if u32::from(side) != u32::from(sign(position.side_to_move())) {
        return Err(ReadProblem::WrongSide { token: excerpt(&text()) });
    }
    let mv = if [from_file, from_rank] == *b"00" {
        HAND_KINDS.contains(&kind).then(|| Move::drop(kind, to))
    } else {
        let from = square(from_file, from_rank).ok_or_else(malformed)?;
        board_move(position, from, to, kind)
    };
    mv.filter(|&mv| position.is_legal(mv))
        .ok_or_else(|| ReadProblem::IllegalMove { token: excerpt(&text()), sfen: position.to_sfen() })
}

/// A move on the board: CSA names the kind after the move, which tells whether it promoted.
fn board_move(position: &Position, from: Sq, to: Sq, kind: PieceKind) -> Option<Move> {
    let before = position.cell(from).kind()?;
    let promotes = before != kind && before == unpromoted(kind);
    (before == kind || promotes).then(|| Move::board(from, to, promotes))
}
