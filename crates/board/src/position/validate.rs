//! Recomputes from scratch every field that is kept up to date.

use super::{Effects, Position};
use crate::attacks::attacks;
use crate::bitboard_pair::BitboardPair;
use crate::tables::zobrist::{board_key, hand_key, side_key};
use crate::{Bitboard, ByColor, ByKind, Color, HAND_KINDS, PieceKind, Sq, opponent};

impl Position {
    /// Counts all effects anew, piece by piece.
    pub(super) fn recount_effects(&self) -> Effects {
        let mut effects = Effects::NONE;
        let occupied = self.occupied();
        for sq in occupied {
            let cell = self.cell(sq);
            let more = BitboardPair::for_color_of(cell, attacks(cell, sq, occupied));
            effects = effects.counted(more, BitboardPair::EMPTY);
        }
        effects
    }

    /// Checks every cached field against the cells and the hands. Debug builds call it after every move.
    ///
    /// # Panics
    /// If one of them is wrong; that is a bug of this crate.
    pub fn validate(&self) {
        let mut by_color = ByColor::new(Bitboard::EMPTY, Bitboard::EMPTY);
        let mut by_kind = ByKind::filled(Bitboard::EMPTY);
        let mut kings = ByColor::new(Sq::NONE, Sq::NONE);
        let mut key = if self.side == Color::White { side_key() } else { 0 };
        for sq in Sq::all() {
            let cell = self.cell(sq);
            let Some(kind) = cell.kind() else { continue };
            by_color[cell.color()] |= Bitboard::of(sq);
            by_kind[kind] |= Bitboard::of(sq);
            key ^= board_key(cell, sq);
            if kind == PieceKind::King {
                assert_eq!(kings[cell.color()], Sq::NONE, "two kings of one colour");
                kings[cell.color()] = sq;
            }
        }
        assert_eq!(self.board.by_color, by_color, "bitboards by colour");
        assert_eq!(self.board.by_kind, by_kind, "bitboards by kind");
        assert_eq!(self.state().kings, kings, "king squares");
        assert_eq!(self.board_key(), key, "board key");
        let mut hands = 0;
        for (color, hand) in self.state().hands.iter() {
            for kind in HAND_KINDS {
                hands ^= hand_key(color, kind, hand.count(kind));
            }
        }
        assert_eq!(self.hand_key(), hands, "hand key");
        assert!(*self.effects() == self.recount_effects(), "effect counts in {}", self.to_sfen());
        assert!(
            !self.states.current().in_check(opponent(self.side)),
            "the side that has moved left its king in check: {}",
            self.to_sfen()
        );
    }
}
