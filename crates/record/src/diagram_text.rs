//! Positions drawn with characters.

use kiki_board::{COLORS, HAND_KINDS, PieceKind, Position, Sq, kanji};
use shogi_core::Color;

use crate::japanese::KANJI_DIGITS;

/// The board as Japanese diagrams show it, White's pieces marked by `v`, with the hands above and below and the side to move.
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

/// White's hand, the board, Black's hand, as KIF has them.
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

/// The pieces in a hand, their numbers in kanji.
fn hand(position: &Position, color: Color) -> String {
    let hand = position.hand(color);
    let piece = |kind: PieceKind| {
        let count = hand.count(kind);
        let tens = if count >= 10 { "十" } else { "" };
        // A lonely piece has no number.
        let unit = KANJI_DIGITS.get((count % 10).wrapping_sub(1)).filter(|_| count > 1);
        let unit = unit.map_or_else(String::new, char::to_string);
        (count > 0).then(|| format!("{}{tens}{unit}", kanji(kind)))
    };
    let pieces: Vec<String> = HAND_KINDS.into_iter().rev().filter_map(piece).collect();
    if pieces.is_empty() { "なし".to_owned() } else { pieces.join("　") }
}
