//! Moves in western notation.

use kiki_board::{Move, Position};
use shogi_core::{Color, Piece, PieceKind, Square, ToUsi};

use crate::game::for_each_legal;

/// The moves up to the first illegal one, in the notation of George Hodges (magazine "Shogi", 1976)
/// with USI's coordinates.
///
/// A move begins with the letter of the piece, after `+` if it is promoted. Its square follows if
/// another such piece could go there too. Then come `-` for a move, `x` for a capture or `*` for a
/// drop, and the target square. `+` at the end means that it promotes, `=` that it could have.
///
/// ```
/// use kiki_board::Position;
///
/// let position = Position::startpos();
/// let mv = position.parse_move("7g7f")?;
/// assert_eq!(kiki_record::western_moves(&position, &[mv]), ["P-7f"]);
/// # Ok::<(), kiki_board::MoveError>(())
/// ```
#[must_use]
pub fn western_moves(position: &Position, moves: &[Move]) -> Vec<String> {
    let mut texts = Vec::with_capacity(moves.len());
    for_each_legal(position, moves, |position, mv| texts.push(western(position, mv)));
    texts
}

fn western(position: &Position, mv: Move) -> String {
    let to = Square::from(mv.to());
    if let Some(kind) = mv.dropped_kind() {
        return format!("{}*{}", letters(kind), to.to_usi_owned());
    }
    let from = Square::from(mv.from());
    let Some(piece) = position.piece_at(from) else { return mv.to_string() };
    let others = position.legal_moves();
    let is_like = |other: &Move| {
        let origin = (!other.is_drop()).then(|| Square::from(other.from()));
        other.to() == mv.to() && origin.is_some_and(|at| at != from && position.piece_at(at) == Some(piece))
    };
    let origin = if others.iter().any(is_like) { from.to_usi_owned() } else { String::new() };
    let how = if position.piece_at(to).is_some() { 'x' } else { '-' };
    let could_promote = Move::board(mv.from(), mv.to(), true);
    let promotion = match mv.is_promotion() {
        true => "+",
        false if position.is_legal(could_promote) => "=",
        false => "",
    };
    format!("{}{origin}{how}{}{promotion}", letters(piece.piece_kind()), to.to_usi_owned())
}

/// The letter of a kind, with `+` before a promoted one: USI's name of Black's piece.
fn letters(kind: PieceKind) -> String {
    Piece::new(kind, Color::Black).to_usi_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn western_notation_names_the_origin_where_two_could_go() {
        let position = Position::startpos();
        let moves = position.legal_line(["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e", "7a6b", "4i5h"]);
        assert_eq!(western_moves(&position, &moves), ["P-7f", "P-3d", "Bx2b+", "Sx2b", "B*5e", "S-6b", "G4i-5h"]);
    }

    #[test]
    fn western_notation_tells_promoted_pieces_and_promotions_that_were_left_out() {
        let position = Position::from_sfen("5k3/9/2P6/9/4+R4/9/9/9/4K4 b - 1").unwrap();
        let moves = position.legal_line(["7c7b", "4a3a", "5e4e"]);
        assert_eq!(western_moves(&position, &moves), ["P-7b=", "K-3a", "+R-4e"]);
    }
}
