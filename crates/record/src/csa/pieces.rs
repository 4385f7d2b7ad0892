//! Pieces and moves as CSA names them: `FU`, `+7776FU`, `-0055KA`.

use kiki_board::{Move, Position, Sq};

use crate::error::Problem;
use crate::text::excerpt;

/// The piece codes by kind number (1 to 14).
const CODES: [&str; 15] = ["", "FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"];
/// By kind number: the unpromoted kind.
const BASE: [usize; 15] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 6, 7];
pub(super) const KING: usize = 8;
const ROOK: usize = 7;

/// The code of a kind number.
pub(super) fn code(kind: usize) -> &'static str {
    CODES.get(kind).copied().unwrap_or_default()
}

/// The kind number of a code.
pub(super) fn kind(code: &[u8]) -> Option<usize> {
    CODES.iter().position(|known| known.as_bytes() == code && !code.is_empty())
}

/// The unpromoted kind of a kind number.
pub(super) fn unpromoted(kind: usize) -> usize {
    BASE.get(kind).copied().unwrap_or_default()
}

/// The sign of a colour index.
pub(super) fn sign(side: usize) -> char {
    if side == 0 { '+' } else { '-' }
}

/// The square of two digits, file and rank.
pub(super) fn square(file: u8, rank: u8) -> Option<Sq> {
    let on_board = (b'1'..=b'9').contains(&file) && (b'1'..=b'9').contains(&rank);
    on_board.then(|| Sq::at(usize::from(file - b'1'), usize::from(rank - b'1')))
}

/// Writes a legal move, before it is made.
pub(super) fn write_move(out: &mut String, position: &Position, mv: Move) {
    out.push(sign(position.side_index()));
    let kind = if mv.is_drop() {
        out.push_str("00");
        mv.dropped_kind()
    } else {
        write_square(out, mv.from());
        let kind = position.cell(mv.from()).kind_index();
        if mv.is_promotion() { promoted(kind) } else { kind }
    };
    write_square(out, mv.to());
    out.push_str(code(kind));
}

fn write_square(out: &mut String, sq: Sq) {
    for number in [sq.file(), sq.rank()] {
        out.push(char::from(b'1' + number as u8));
    }
}

/// The promoted kind of a kind number that can promote.
fn promoted(kind: usize) -> usize {
    (KING + 1..CODES.len()).find(|&promoted| unpromoted(promoted) == kind).unwrap_or(kind)
}

/// Reads a move and checks that it is legal.
pub(super) fn read_move(token: &[u8], position: &Position) -> Result<Move, Problem> {
    let text = || String::from_utf8_lossy(token);
    let malformed = || Problem::malformed(&text(), "a move like +7776FU or -0055KA");
    let &[side, from_file, from_rank, to_file, to_rank, c1, c2] = token else { return Err(malformed()) };
    let to = square(to_file, to_rank).ok_or_else(malformed)?;
    let kind = kind(&[c1, c2]).ok_or_else(malformed)?;
    if u32::from(side) != u32::from(sign(position.side_index())) {
        return Err(Problem::WrongSide { token: excerpt(&text()) });
    }
    let mv = if [from_file, from_rank] == *b"00" {
        (kind <= ROOK).then(|| Move::drop(kind, to))
    } else {
        let from = square(from_file, from_rank).ok_or_else(malformed)?;
        board_move(position, from, to, kind)
    };
    mv.filter(|&mv| position.is_legal(mv))
        .ok_or_else(|| Problem::IllegalMove { token: excerpt(&text()), sfen: position.to_sfen() })
}

/// A move on the board: CSA names the kind after the move, which tells whether it promoted.
fn board_move(position: &Position, from: Sq, to: Sq, kind: usize) -> Option<Move> {
    let before = position.cell(from).kind_index();
    let promotes = before != kind && before == unpromoted(kind);
    (before == kind || promotes).then(|| Move::board(from, to, promotes))
}
