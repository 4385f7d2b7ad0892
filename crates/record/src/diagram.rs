//! A position as diagrams give it, piece by piece, before anybody asks whether it can be played from.

use kiki_board::{ByColor, ByKind, HAND_KINDS, PieceKind, Sq};
use shogi_core::{Color, Piece, ToUsi};

/// Board, hands and the side to move.
pub(crate) struct Diagram {
    /// By [`Sq::index`].
    board: [Option<Piece>; Sq::COUNT],
    /// How many pieces of each kind.
    pub(crate) hands: ByColor<ByKind<u32>>,
    /// The side to move.
    pub(crate) side: Color,
    /// The number of the move to come; the first is 1.
    pub(crate) ply: u32,
}

impl Diagram {
    /// An empty board with Black to move.
    pub(crate) fn empty() -> Self {
        let hands = ByColor::new(ByKind::filled(0), ByKind::filled(0));
        Self { board: [None; Sq::COUNT], hands, side: Color::Black, ply: 1 }
    }

    /// The contents of a square; `None` for [`Sq::NONE`].
    pub(crate) fn cell(&mut self, sq: Sq) -> Option<&mut Option<Piece>> {
        self.board.get_mut(sq.index())
    }

    /// All pieces on the board.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece> {
        self.board.iter().flatten().copied()
    }

    /// Adds pieces to a hand; `None` for kinds that no hand holds.
    pub(crate) fn hold(&mut self, side: Color, kind: PieceKind, count: u32) -> Option<()> {
        HAND_KINDS.contains(&kind).then(|| {
            let held = &mut self.hands[side][kind];
            *held = held.saturating_add(count);
        })
    }

    /// The position in SFEN.
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
