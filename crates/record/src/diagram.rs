//! Positions as diagrams: read piece by piece, before any check of legality, and drawn as text.

use kiki_board::{COLORS, HAND_KINDS, PieceKind, Position, Sq, kanji};
use shogi_core::{Color, PartialPosition, Square};

use crate::japanese::KANJI_DIGITS;

/// Board, hands and the side to move.
pub(crate) struct Diagram {
    pub(crate) core: PartialPosition,
    /// The number of the move to come; the first is 1. It may exceed the range of `core`.
    pub(crate) ply: u32,
}

/// The empty board.
impl Default for Diagram {
    fn default() -> Self {
        Self { core: PartialPosition::empty(), ply: 1 }
    }
}

impl Diagram {
    pub(crate) fn set_initial_board(&mut self) {
        let start = PartialPosition::startpos();
        Square::all().for_each(|square| self.core.piece_set(square, start.piece_at(square)));
    }

    /// Adds pieces to a hand. `None` for kinds that no hand holds. Counts stop at 255; any count
    /// above a set is refused later.
    pub(crate) fn hold(&mut self, side: Color, kind: PieceKind, count: u32) -> Option<()> {
        let hand = self.core.hand_of_a_player_mut(side);
        let room = u8::MAX - hand.count(kind)?;
        for _ in 0..count.min(room.into()) {
            *hand = hand.added(kind)?;
        }
        Some(())
    }

    pub(crate) fn sfen(&self) -> String {
        let sfen = self.core.to_sfen_owned();
        format!("{}{}", sfen.trim_end_matches(|last: char| last != ' '), self.ply)
    }
}

/// The board as Japanese diagrams show it, White's pieces marked by `v`, with the hands above and
/// below and the side to move.
///
/// ```
/// let diagram = kiki_record::japanese_diagram(&kiki_board::Position::startpos());
/// assert!(diagram.starts_with("後手の持駒：なし\n") && diagram.ends_with("先手番\n"));
/// ```
#[must_use]
pub fn japanese_diagram(position: &Position) -> String {
    let turn = if position.side_to_move() == Color::Black { "先手番" } else { "後手番" };
    format!("{}\n{turn}\n", diagram_lines(position).join("\n"))
}

/// White's hand, the board and Black's hand, as in KIF.
pub(crate) fn diagram_lines(position: &Position) -> Vec<String> {
    let [black, white] = COLORS.map(|color| hand(position, color));
    let mut lines = vec![format!("後手の持駒：{white}")];
    lines.push("  ９ ８ ７ ６ ５ ４ ３ ２ １".to_owned());
    lines.push("+---------------------------+".to_owned());
    for (rank, name) in KANJI_DIGITS.into_iter().enumerate() {
        let cell = |file: usize| match position.cell(Sq::at(file, rank)).piece() {
            None => " ・".to_owned(),
            Some(piece) => {
                let mark = if piece.color() == Color::Black { ' ' } else { 'v' };
                format!("{mark}{}", kanji(piece.piece_kind()))
            }
        };
        lines.push(format!("|{}|{name}", (0..9).rev().map(cell).collect::<String>()));
    }
    lines.push("+---------------------------+".to_owned());
    lines.push(format!("先手の持駒：{black}"));
    lines
}

/// The pieces in a hand, with their numbers in kanji.
fn hand(position: &Position, color: Color) -> String {
    let hand = position.hand(color);
    let piece = |kind: PieceKind| {
        let count = hand.count(kind);
        let tens = if count >= 10 { "十" } else { "" };
        // A single piece has no number.
        let unit = KANJI_DIGITS.get((count % 10).wrapping_sub(1)).filter(|_| count > 1);
        let unit = unit.map_or_else(String::new, char::to_string);
        (count > 0).then(|| format!("{}{tens}{unit}", kanji(kind)))
    };
    let pieces: Vec<String> = HAND_KINDS.into_iter().rev().filter_map(piece).collect();
    if pieces.is_empty() { "なし".to_owned() } else { pieces.join("　") }
}
