//! Making and taking back moves.

use super::board::EffectChange;
use super::{Position, StateFields};
use crate::squares::{BitboardPair, Side, for_side};
use crate::tables::{SIDE_KEY, attacks, hand_key, piece_key};
use crate::{Bitboard, Cell, Color, HandCounts, Move, PieceKind, Sq, opponent};

/// A piece and its square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceOn {
    /// The piece; [`Cell::EMPTY`] for none.
    pub cell: Cell,
    /// Its square.
    pub sq: Sq,
}

/// The changes of one move: all that an incremental evaluation needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delta {
    /// The piece that left its square, as it stood there; empty for a drop.
    pub left: PieceOn,
    /// The piece that was captured on the destination; empty if none. Its unpromoted kind entered
    /// the mover's hand.
    pub captured: PieceOn,
    /// The piece that stands on the destination now. After a drop it left the mover's hand.
    pub arrived: PieceOn,
    /// The mover's hand after the move.
    pub hand: HandCounts,
}

impl Delta {
    /// Whether the arrived piece came from the hand.
    #[must_use]
    pub fn is_drop(&self) -> bool {
        self.left.cell.is_empty()
    }

    /// The kind that left the hand; `None` if the arrived piece came from another square.
    #[must_use]
    #[inline(always)]
    pub fn dropped_kind(&self) -> Option<PieceKind> {
        if self.is_drop() { self.arrived.cell.kind() } else { None }
    }
}

impl Position {
    /// Plays a legal move. (With debug assertions an illegal one panics; without them the position
    /// would be damaged.)
    pub fn make(&mut self, mv: Move) -> Delta {
        debug_assert!(self.is_legal(mv), "{mv} is illegal in {}", self.to_sfen());
        #[cfg(debug_assertions)]
        let key = self.key_after(mv);
        let delta = for_side!(self.side, S => match mv.dropped_kind() {
            Some(kind) => self.drop_for::<S>(kind, mv),
            None => self.move_for::<S>(mv),
        });
        #[cfg(debug_assertions)]
        {
            assert!(self.key() == key, "key_after({mv}) returned another key");
            self.validate();
        }
        delta
    }

    /// The [`Position::key`] after a legal move, computed without making it, so that a table entry
    /// can be prefetched.
    #[must_use]
    #[inline(always)]
    pub fn key_after(&self, mv: Move) -> u64 {
        let us = self.side;
        let moved = |kind: PieceKind, change: isize| {
            let count = self.hand(us).count(kind);
            hand_key(us, kind, count) ^ hand_key(us, kind, count.wrapping_add_signed(change))
        };
        let key = self.hand_key() ^ self.board_key_after(mv);
        match (mv.dropped_kind(), self.cell(mv.to()).hand_kind()) {
            (Some(kind), _) => key ^ moved(kind, -1),
            (None, Some(kind)) => key ^ moved(kind, 1),
            (None, None) => key,
        }
    }

    /// The [`Position::board_key`] after a legal move, computed without making it.
    #[must_use]
    #[inline(always)]
    pub fn board_key_after(&self, mv: Move) -> u64 {
        let key = self.board_key() ^ SIDE_KEY ^ piece_key(self.arriving(mv), mv.to());
        if mv.is_drop() {
            return key;
        }
        let key = key ^ piece_key(self.cell(mv.from()), mv.from());
        let captured = self.cell(mv.to());
        if captured.hand_kind().is_some() { key ^ piece_key(captured, mv.to()) } else { key }
    }

    // Drops and moves on the board are separate functions: one for both would need more registers
    // than there are.
    #[inline(never)]
    fn drop_for<S: Side>(&mut self, kind: PieceKind, mv: Move) -> Delta {
        let (us, to) = (S::COLOR, mv.to());
        let arrived = Cell::new(kind, us);
        let occupied = self.occupied();
        let change = EffectChange {
            gained: BitboardPair::for_color(us, attacks(arrived, to, occupied)),
            lost: BitboardPair::EMPTY,
            opened: BitboardPair::EMPTY,
            closed: self.beyond(to, self.sliders_towards(to), occupied),
        };
        let (now, next) = self.states.push();
        next.effects = now.effects.after(&change);
        next.fields = now.fields.after(mv, Cell::EMPTY, Cell::EMPTY);
        next.fields.board_key ^= piece_key(arrived, to);
        next.fields.take_from_hand(us, kind);
        let board_key = next.fields.board_key;
        let hand = next.fields.hands[us];
        self.states.count_board(board_key);
        self.side = S::Opponent::COLOR;
        self.board.toggle::<S>(arrived, to);
        self.board.cells[to.index()] = arrived;
        Delta {
            left: PieceOn { cell: Cell::EMPTY, sq: to },
            captured: PieceOn { cell: Cell::EMPTY, sq: to },
            arrived: PieceOn { cell: arrived, sq: to },
            hand,
        }
    }

    #[inline(never)]
    fn move_for<S: Side>(&mut self, mv: Move) -> Delta {
        let (us, them, from, to) = (S::COLOR, S::Opponent::COLOR, mv.from(), mv.to());
        let [left, captured] = [from, to].map(|sq| self.board.cells[sq.index()]);
        let arrived = if mv.is_promotion() { left.promoted() } else { left };
        debug_assert!(!captured.is_kind(PieceKind::King));
        // The board is read before it is written: reading as a whole what was just written in parts
        // stalls the processor.
        let occupied = self.occupied();
        let vacated = occupied ^ Bitboard::of(from);
        let mut change = EffectChange {
            gained: BitboardPair::for_color(us, attacks(arrived, to, vacated)),
            lost: BitboardPair::for_color(us, attacks(left, from, occupied)),
            opened: self.beyond(from, self.sliders_towards(from), occupied),
            closed: BitboardPair::EMPTY,
        };
        if captured.is_empty() {
            change.closed = self.beyond(to, self.sliders_towards(to) & vacated, vacated);
        } else {
            // Lines through the square stay blocked: the captor stands there next.
            change.lost = change.lost | BitboardPair::for_color(them, attacks(captured, to, vacated));
        }
        let (now, next) = self.states.push();
        next.effects = now.effects.after(&change);
        next.fields = now.fields.after(mv, left, captured);
        next.fields.board_key ^= piece_key(left, from) ^ piece_key(arrived, to);
        if left.is_kind(PieceKind::King) {
            next.fields.kings[us] = to;
        }
        if !captured.is_empty() {
            next.fields.board_key ^= piece_key(captured, to);
            if let Some(kind) = captured.hand_kind() {
                next.fields.put_into_hand(us, kind);
            }
            self.board.toggle::<S::Opponent>(captured, to);
        }
        let board_key = next.fields.board_key;
        let hand = next.fields.hands[us];
        self.states.count_board(board_key);
        self.board.toggle::<S>(left, from);
        self.side = S::Opponent::COLOR;
        self.board.toggle::<S>(arrived, to);
        self.board.cells[from.index()] = Cell::EMPTY;
        self.board.cells[to.index()] = arrived;
        Delta {
            left: PieceOn { cell: left, sq: from },
            captured: PieceOn { cell: captured, sq: to },
            arrived: PieceOn { cell: arrived, sq: to },
            hand,
        }
    }

    /// Undoes the last move. Panics without one.
    #[inline]
    pub fn unmake(&mut self) {
        for_side!(opponent(self.side), S => self.unmake_for::<S>());
    }

    #[inline(always)]
    fn unmake_for<S: Side>(&mut self) {
        let &StateFields { mv, left, captured, .. } = self.state();
        debug_assert!(!mv.is_none(), "a null move is taken back by unmake_null");
        self.states.pop();
        self.side = S::COLOR;
        let (board, to) = (&mut self.board, mv.to());
        board.toggle::<S>(board.cells[to.index()], to);
        board.cells[to.index()] = captured;
        if !mv.is_drop() {
            board.toggle::<S>(left, mv.from());
            board.cells[mv.from().index()] = left;
            if !captured.is_empty() {
                board.toggle::<S::Opponent>(captured, to);
            }
        }
    }

    /// Passes. Not allowed in check.
    pub fn make_null(&mut self) {
        debug_assert!(!self.in_check());
        let (now, next) = self.states.push();
        next.effects = now.effects;
        next.fields = now.fields.after(Move::NONE, Cell::EMPTY, Cell::EMPTY);
        next.fields.since_null = 0;
        let board_key = next.fields.board_key;
        self.states.count_board(board_key);
        self.side = opponent(self.side);
    }

    /// Undoes a pass. Panics without one.
    pub fn unmake_null(&mut self) {
        debug_assert!(self.state().mv.is_none());
        self.states.pop();
        self.side = opponent(self.side);
    }
}

impl StateFields {
    /// A copy with the fields that every move changes. The caller updates pieces, hands and kings.
    #[inline(always)]
    fn after(&self, mv: Move, left: Cell, captured: Cell) -> Self {
        let since_null = self.since_null.saturating_add(1);
        Self { board_key: self.board_key ^ SIDE_KEY, mv, left, captured, since_null, ..*self }
    }

    #[inline(always)]
    fn take_from_hand(&mut self, us: Color, kind: PieceKind) {
        let count = self.hands[us].count(kind);
        self.hand_key ^= hand_key(us, kind, count) ^ hand_key(us, kind, count - 1);
        self.hands[us].remove(kind);
    }

    #[inline(always)]
    fn put_into_hand(&mut self, us: Color, kind: PieceKind) {
        let count = self.hands[us].count(kind);
        self.hand_key ^= hand_key(us, kind, count) ^ hand_key(us, kind, count + 1);
        self.hands[us] = self.hands[us].with(kind);
    }
}
