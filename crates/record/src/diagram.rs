//! Positions as diagrams: read piece by piece, before any check of legality, and drawn as text.

use kiki_board::{ByColor, ByKind, COLORS, HAND_KINDS, PieceKind, Position, Sq, kanji};
use shogi_core::{Color, Piece, ToUsi};

use crate::japanese::KANJI_DIGITS;

/// Board, hands and the side to move.
pub(crate) struct Diagram {
    /// By [`Sq::index`].
    board: [Option<Piece>; Sq::COUNT],
    /// The number of pieces of each kind.
    pub(crate) hands: ByColor<ByKind<u32>>,
    pub(crate) side: Color,
    /// The number of the move to come; the first is 1.
    pub(crate) ply: u32,
}

impl Diagram {
    pub(crate) fn empty() -> Self {
        let hands = ByColor::new(ByKind::filled(0), ByKind::filled(0));
        Self { board: [None; Sq::COUNT], hands, side: Color::Black, ply: 1 }
    }

    /// Sets up the board of the initial position.
    pub(crate) fn set_initial_board(&mut self) {
        let position = Position::startpos();
        for sq in (0..9).flat_map(|file| (0..9).map(move |rank| Sq::at(file, rank))) {
            if let Some(cell) = self.cell(sq) {
                *cell = position.cell(sq).piece();
            }
        }
    }

    /// The contents of a square; `None` for [`Sq::NONE`].
    pub(crate) fn cell(&mut self, sq: Sq) -> Option<&mut Option<Piece>> {
        self.board.get_mut(sq.index())
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece> {
        self.board.iter().flatten().copied()
    }

    /// Adds pieces to a hand. `None` for kinds that no hand holds.
    pub(crate) fn hold(&mut self, side: Color, kind: PieceKind, count: u32) -> Option<()> {
        HAND_KINDS.contains(&kind).then(|| {
            let held = &mut self.hands[side][kind];
            *held = held.saturating_add(count);
        })
    }

    pub(crate) fn sfen(&self) -> String {
        let mut sfen = String::with_capacity(100);
        for rank in 0..9 {
            let mut empty: u8 = 0;
            for file in (0..9).rev() {
                match self.board.get(Sq::at(file, rank).index()).copied().flatten() {
                    None => empty += 1,
                    Some(piece) => {
                        push_number(&mut sfen, &mut empty);
                        push_piece(&mut sfen, piece);
                    }
                }
            }
            push_number(&mut sfen, &mut empty);
            sfen.push(if rank < 8 { '/' } else { ' ' });
        }
        sfen.push_str(if self.side == Color::Black { "b " } else { "w " });
        let before_hands = sfen.len();
        for (color, hand) in self.hands.iter() {
            for kind in HAND_KINDS.into_iter().rev().filter(|&kind| hand[kind] > 0) {
                if hand[kind] > 1 {
                    sfen.push_str(&hand[kind].to_string());
                }
                push_piece(&mut sfen, Piece::new(kind, color));
            }
        }
        if sfen.len() == before_hands {
            sfen.push('-');
        }
        sfen.push_str(&format!(" {}", self.ply));
        sfen
    }
}

fn push_number(sfen: &mut String, empty: &mut u8) {
    if *empty > 0 {
        sfen.push(char::from(b'0' + *empty));
        *empty = 0;
    }
}

fn push_piece(sfen: &mut String, piece: Piece) {
    sfen.push_str(&piece.to_usi_owned());
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
