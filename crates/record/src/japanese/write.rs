//! Moves in Japanese notation by the rules of the Japan Shogi Association, which the crate `shogi_official_kifu` knows. Most moves need
//! no word that tells pieces apart; these are written here, which is much faster.

use kiki_board::{ByKind, Color, Move, PieceKind, Position, Sq, unpromoted};
use shogi_official_kifu::display_single_move;

use super::notation::{KANJI_DIGITS, WIDE_DIGITS};

/// The names of pieces in moves, as the crate writes them.
pub(crate) const NAMES: ByKind<&str> =
    ByKind::new("", ["歩", "香", "桂", "銀", "金", "角", "飛", "玉", "と", "成香", "成桂", "成銀", "馬", "竜"]);

/// A legal move in Japanese notation, before it is made: `▲７６歩`, `△同銀右上成`.
///
/// ```
/// use kiki_board::Position;
/// use kiki_record::japanese_move;
///
/// let mut position = Position::startpos();
/// let mv = position.parse_move("7g7f")?;
/// assert_eq!(japanese_move(&position, mv), "▲７６歩");
/// # Ok::<(), kiki_board::MoveError>(())
/// ```
#[must_use]
pub fn japanese_move(position: &Position, mv: Move) -> String {
    with_ranks(position, mv, WIDE_DIGITS)
}

/// As [`japanese_move`], with ranks in these digits.
fn with_ranks(position: &Position, mv: Move, ranks: [char; 9]) -> String {
    let mut text = String::with_capacity(24);
    text.push(if position.side_to_move() == Color::Black { '▲' } else { '△' });
    let last = position.last_move().filter(|last| !last.is_none());
    if !mv.is_drop() && last.is_some_and(|last| last.to() == mv.to()) {
        text.push('同');
    } else {
        text.extend(WIDE_DIGITS.get(mv.to().file()));
        text.extend(ranks.get(mv.to().rank()));
    }
    match name_alone(position, mv) {
        Some(kind) => {
            text.push_str(NAMES.get(kind));
            text.push_str(promotion(position, mv, kind));
        }
        None => {
            let whole = display_single_move(&position.to_core(), mv.to_core(position.side_to_move()));
            // Behind the mark and the square, which it writes without the move before.
            text.extend(whole.unwrap_or_default().chars().skip(3));
        }
    }
    text
}

/// The kind of the piece, if its name is enough because no other piece of its kind on the board can go there.
fn name_alone(position: &Position, mv: Move) -> Option<PieceKind> {
    let mover = position.side_to_move();
    let kind = mv.dropped_kind().or_else(|| position.cell(mv.from()).kind())?;
    let itself = u32::from(!mv.is_drop());
    let is_alone = u32::from(position.effects().count(mover, mv.to())) <= itself
        || (position.pieces(kind) & position.pieces_of(mover)).count() <= itself;
    is_alone.then_some(kind)
}

fn promotion(position: &Position, mv: Move, kind: PieceKind) -> &'static str {
    if mv.is_promotion() {
        return "成";
    }
    let in_camp = |sq: Sq| match position.side_to_move() {
        Color::Black => sq.rank() < 3,
        Color::White => sq.rank() > 5,
    };
    let promotes = kind == unpromoted(kind) && !matches!(kind, PieceKind::Gold | PieceKind::King);
    if !mv.is_drop() && promotes && (in_camp(mv.from()) || in_camp(mv.to())) { "不成" } else { "" }
}

/// Writes the moves of a line one after the other.
pub struct JapaneseLine {
    position: Position,
    /// What ranks are written in.
    ranks: [char; 9],
}

impl JapaneseLine {
    /// A line that begins in a position, its ranks in full-width digits: `▲７６歩`.
    #[must_use]
    pub fn new(position: &Position) -> Self {
        Self { position: position.clone(), ranks: WIDE_DIGITS }
    }

    /// The same with ranks in kanji, as KI2 has them: `▲７六歩`.
    pub(crate) fn with_kanji_ranks(self) -> Self {
        Self { ranks: KANJI_DIGITS, ..self }
    }

    /// Writes the next move and makes it; `None` if it is illegal.
    pub fn play(&mut self, mv: Move) -> Option<String> {
        if !self.position.is_legal(mv) {
            return None;
        }
        let text = with_ranks(&self.position, mv, self.ranks);
        self.position.make(mv);
        Some(text)
    }

    /// The position after the moves so far.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every legal move is written as the crate writes it.
    #[test]
    fn names_alone_are_what_the_rules_write() {
        for sfen in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l4k2l/7g1/p3rpn1p/2p3pB1/4s4/1Ps1pSP2/P4P1RP/2GS5/LN1K3NL b G3Pbgn4p 75",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RG5Pgsn 1",
            "9/9/1+P+P+P+P4/1+P1+P5/1+P+P+P+P4/k8/9/8K/9 b RB2G4S4N4Lrb2g4p 1",
            "4k4/9/3+B1+B3/9/9/2+R2+R3/9/4K4/9 b - 1",
        ] {
            let position = Position::from_sfen(sfen).unwrap();
            let mover = position.side_to_move();
            for &mv in position.legal_moves().iter() {
                let expected = display_single_move(&position.to_core(), mv.to_core(mover)).unwrap();
                assert_eq!(japanese_move(&position, mv), expected);
            }
        }
    }
}
