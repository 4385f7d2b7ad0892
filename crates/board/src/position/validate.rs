//! Recomputes from scratch every field that is kept up to date.

use super::Position;
use crate::cell::kind;
use crate::tables::zobrist::{board_key, hand_key, side_key};
use crate::{Bitboard, Sq};

impl Position {
    /// Checks every cached field against the cells and the hands. Debug builds call it after every move.
    ///
    /// # Panics
    /// If one of them is wrong; that is a bug of this crate.
    pub fn validate(&self) {
        let mut by_color = [Bitboard::EMPTY; 2];
        let mut by_kind = [Bitboard::EMPTY; 16];
        let mut kings = [Sq::NONE; 2];
        let mut key = if self.side == 1 { side_key() } else { 0 };
        for sq in Sq::all() {
            let cell = self.cell(sq);
            if cell.is_empty() {
                continue;
            }
            by_color[cell.color_index()] |= Bitboard::of(sq);
            by_kind[cell.kind_index()] |= Bitboard::of(sq);
            key ^= board_key(cell, sq);
            if cell.kind_index() == kind::KING {
                assert_eq!(kings[cell.color_index()], Sq::NONE, "two kings of one colour");
                kings[cell.color_index()] = sq;
            }
        }
        assert_eq!(self.board.by_color, by_color, "bitboards by colour");
        assert_eq!(self.board.by_kind, by_kind, "bitboards by kind");
        assert_eq!(self.state().kings, kings, "king squares");
        assert_eq!(self.board_key(), key, "board key");
        let mut hands = 0;
        for (color, hand) in self.state().hands.iter().enumerate() {
            for kind in 1..8 {
                hands ^= hand_key(color, kind, hand.count_index(kind));
            }
        }
        assert_eq!(self.hand_key(), hands, "hand key");
        assert!(*self.effects() == self.recount_effects(), "effect counts in {}", self.to_sfen());
        assert!(
            !self.history.now().in_check(1 - self.side),
            "the side that has moved left its king in check: {}",
            self.to_sfen()
        );
    }
}
