//! Legal moves, in stages: captures, quiet moves, drops, evasions, checks.
//!
//! All generated moves are legal. Generators compute sets of destinations and pass them to a
//! `MoveSink`, which lists or counts them.

use crate::squares::{Side, for_side};
use crate::tables::{attacks, between, bishop_attacks, king_steps, lance_attacks, line, rook_attacks, steps_of};
use crate::{Bitboard, Cell, Color, Move, MoveList, PieceKind, Position, Sq};

/// Whether moves without promotion are generated where the piece could promote.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PromotionChoice {
    /// All moves that the rules allow.
    All,
    /// Leaves out moves that should promote: of pawns, bishops and rooks, and of lances to the last
    /// two ranks.
    #[default]
    Sensible,
}

/// Calls a generator for the side to move and a choice of promotion.
macro_rules! dispatch {
    ($position:expr, $choice:expr, $generate:ident ( $($argument:expr),* )) => {
        for_side!($position.side_to_move(), S => match $choice {
            PromotionChoice::All => $position.$generate::<S, true>($($argument),*),
            PromotionChoice::Sensible => $position.$generate::<S, false>($($argument),*),
        })
    };
}

pub(crate) use dispatch;

impl Position {
    /// All legal moves.
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.all_moves(&mut list, PromotionChoice::All);
        list
    }

    /// Adds all legal moves to a list.
    pub fn all_moves(&self, list: &mut MoveList, choice: PromotionChoice) {
        dispatch!(self, choice, generate_all(list));
    }

    /// Adds the legal moves that [`PromotionChoice::Sensible`] leaves out.
    pub fn left_out_moves(&self, list: &mut MoveList) {
        let start = list.len();
        self.all_moves(list, PromotionChoice::All);
        let mut end = start;
        for index in start..list.len() {
            if for_side!(self.side_to_move(), S => self.declines_promotion::<S>(list[index])) {
                list.swap(index, end);
                end += 1;
            }
        }
        list.truncate(end);
    }

    /// Whether a legal move should promote instead.
    fn declines_promotion<S: Side>(&self, mv: Move) -> bool {
        if mv.is_drop() || mv.is_promotion() {
            return false;
        }
        let (from, to) = (mv.from(), mv.to());
        let cell = self.cell(from);
        let promotions = if S::may_promote(cell, from, to) { Bitboard::of(to) } else { Bitboard::EMPTY };
        cell.kind().is_some_and(|kind| promoting_only::<S, false>(kind, promotions).contains(to))
    }

    /// The number of legal moves, counted without listing them.
    #[must_use]
    pub fn count_legal_moves(&self) -> u64 {
        let mut count = MoveCount::default();
        dispatch!(self, PromotionChoice::All, generate_all(&mut count));
        count.0
    }

    /// Adds captures to a list. Not for positions in check.
    pub fn captures(&self, list: &mut MoveList, choice: PromotionChoice) {
        dispatch!(self, choice, generate_captures(list));
    }

    /// Whether a legal move takes a piece.
    #[must_use]
    #[inline(always)]
    pub fn is_capture(&self, mv: Move) -> bool {
        !self.cell(mv.to()).is_empty()
    }

    /// Adds the moves on the board that [`Position::captures`] leaves out. Not for positions in
    /// check.
    pub fn quiets(&self, list: &mut MoveList, choice: PromotionChoice) {
        dispatch!(self, choice, generate_quiets(list));
    }

    /// Adds drops to a list. Not for positions in check.
    pub fn drops(&self, list: &mut MoveList) {
        debug_assert!(!self.in_check());
        let empty = !self.occupied();
        for_side!(self.side_to_move(), S => self.generate_drops::<S>(empty, list));
    }

    /// Adds all legal moves of a position in check.
    pub fn evasions(&self, list: &mut MoveList, choice: PromotionChoice) {
        debug_assert!(self.in_check());
        dispatch!(self, choice, generate_evasions(list));
    }

    #[inline(always)]
    fn generate_all<S: Side, const ALL: bool>(&self, sink: &mut impl MoveSink) {
        if self.in_check() {
            return self.generate_evasions::<S, ALL>(sink);
        }
        let own = self.pieces_of(S::COLOR);
        let targets = !own;
        let pinned = self.pinned();
        self.generate_pieces::<S, ALL>(targets, pinned, sink);
        self.generate_pawns::<S, ALL>(targets, pinned, sink);
        self.generate_king::<S>(targets, sink);
        self.generate_drops::<S>(!self.occupied(), sink);
    }

    #[inline(always)]
    fn generate_captures<S: Side, const ALL: bool>(&self, sink: &mut impl MoveSink) {
        debug_assert!(!self.in_check());
        let targets = self.pieces_of(S::Opponent::COLOR) & self.effects().attacked(S::COLOR);
        let pinned = self.pinned();
        self.generate_onto::<S, ALL>(targets, pinned, sink);
        self.generate_king::<S>(targets, sink);
    }

    #[inline(always)]
    fn generate_quiets<S: Side, const ALL: bool>(&self, sink: &mut impl MoveSink) {
        debug_assert!(!self.in_check());
        let targets = !self.occupied();
        let pinned = self.pinned();
        self.generate_pieces::<S, ALL>(targets, pinned, sink);
        self.generate_pawns::<S, ALL>(targets, pinned, sink);
        self.generate_king::<S>(targets, sink);
    }
}

/// Receives generated moves in sets.
pub(crate) trait MoveSink {
    /// Moves of the piece on `from` to each square of `to`.
    fn moves(&mut self, from: Sq, to: Bitboard, promote: bool);
    fn one(&mut self, from: Sq, to: Sq, promote: bool);
    /// Moves of pawns, one step forward to each of these squares.
    fn pawns<S: Side>(&mut self, to: Bitboard, promote: bool);
    fn drops(&mut self, kind: PieceKind, to: Bitboard);
}

impl MoveSink for MoveList {
    #[inline(always)]
    fn moves(&mut self, from: Sq, to: Bitboard, promote: bool) {
        if to.any() {
            list_moves(self, from, to, promote);
        }
    }

    #[inline(always)]
    fn one(&mut self, from: Sq, to: Sq, promote: bool) {
        self.push(Move::board(from, to, promote));
    }

    #[inline(always)]
    fn pawns<S: Side>(&mut self, to: Bitboard, promote: bool) {
        if to.any() {
            list_pawns::<S>(self, to, promote);
        }
    }

    #[inline(always)]
    fn drops(&mut self, kind: PieceKind, to: Bitboard) {
        list_drops(self, kind, to);
    }
}

// Not inlined: a generator writes lists in a dozen places, and with a loop in each the generators
// would no longer fit into the processor's instruction cache beside the rest of the search.

#[inline(never)]
fn list_moves(list: &mut MoveList, from: Sq, to: Bitboard, promote: bool) {
    for to in to {
        list.push(Move::board(from, to, promote));
    }
}

#[inline(never)]
fn list_pawns<S: Side>(list: &mut MoveList, to: Bitboard, promote: bool) {
    for to in to {
        let from = Sq::new(if S::COLOR == Color::Black { to.index() + 1 } else { to.index() - 1 });
        list.push(Move::board(from, to, promote));
    }
}

#[inline(never)]
fn list_drops(list: &mut MoveList, kind: PieceKind, to: Bitboard) {
    for to in to {
        list.push(Move::drop(kind, to));
    }
}

#[derive(Default)]
pub(crate) struct MoveCount(pub(crate) u64);

impl MoveSink for MoveCount {
    #[inline(always)]
    fn moves(&mut self, _: Sq, to: Bitboard, _: bool) {
        self.0 += u64::from(to.count());
    }

    #[inline(always)]
    fn one(&mut self, _: Sq, _: Sq, _: bool) {
        self.0 += 1;
    }

    #[inline(always)]
    fn pawns<S: Side>(&mut self, to: Bitboard, _: bool) {
        self.0 += u64::from(to.count());
    }

    #[inline(always)]
    fn drops(&mut self, _: PieceKind, to: Bitboard) {
        self.0 += u64::from(to.count());
    }
}

impl Position {
    /// Moves to `targets` of all pieces but pawns and the king. Pinned pieces stay on their line.
    #[inline(always)]
    fn generate_pieces<S: Side, const ALL: bool>(&self, targets: Bitboard, pinned: Bitboard, sink: &mut impl MoveSink) {
        let us = S::COLOR;
        let occupied = self.occupied();
        let free = self.pieces_of(us) - pinned;
        for from in self.pieces(PieceKind::Lance) & free {
            emit::<S, ALL>(PieceKind::Lance, from, lance_attacks(us, from, occupied) & targets, sink);
        }
        for from in self.pieces(PieceKind::Knight) & free {
            emit::<S, ALL>(PieceKind::Knight, from, steps_of(PieceKind::Knight, us, from) & targets, sink);
        }
        for from in self.pieces(PieceKind::Silver) & free {
            emit::<S, ALL>(PieceKind::Silver, from, steps_of(PieceKind::Silver, us, from) & targets, sink);
        }
        for from in self.golds() & free {
            sink.moves(from, steps_of(PieceKind::Gold, us, from) & targets, false);
        }
        for from in self.pieces(PieceKind::Bishop) & free {
            emit::<S, ALL>(PieceKind::Bishop, from, bishop_attacks(from, occupied) & targets, sink);
        }
        for from in self.pieces(PieceKind::Rook) & free {
            emit::<S, ALL>(PieceKind::Rook, from, rook_attacks(from, occupied) & targets, sink);
        }
        for from in self.pieces(PieceKind::ProBishop) & free {
            sink.moves(from, (bishop_attacks(from, occupied) | king_steps(from)) & targets, false);
        }
        for from in self.pieces(PieceKind::ProRook) & free {
            sink.moves(from, (rook_attacks(from, occupied) | king_steps(from)) & targets, false);
        }
        let king = self.king(us);
        for from in pinned - self.pieces(PieceKind::Pawn) {
            let cell = self.cell(from);
            let to = attacks(cell, from, occupied) & targets & line(king, from);
            if let Some(kind) = cell.kind() {
                emit::<S, ALL>(kind, from, to, sink);
            }
        }
    }

    /// Like `generate_pieces`, with pawns, target by target: faster for few targets.
    #[inline(always)]
    fn generate_onto<S: Side, const ALL: bool>(&self, targets: Bitboard, pinned: Bitboard, sink: &mut impl MoveSink) {
        let (occupied, king) = (self.occupied(), self.king(S::COLOR));
        for to in targets {
            for from in self.movers::<S>(to, occupied) {
                if pinned.contains(from) && !line(king, from).contains(to) {
                    continue;
                }
                let cell = self.cell(from);
                let Some(kind) = cell.kind() else { continue };
                let promotes = S::may_promote(cell, from, to);
                if promotes {
                    sink.one(from, to, true);
                }
                let promotions = if promotes { Bitboard::of(to) } else { Bitboard::EMPTY };
                if !promoting_only::<S, ALL>(kind, promotions).contains(to) {
                    sink.one(from, to, false);
                }
            }
        }
    }

    #[inline(always)]
    fn generate_pawns<S: Side, const ALL: bool>(&self, targets: Bitboard, pinned: Bitboard, sink: &mut impl MoveSink) {
        let to = self.pawn_targets::<S>(pinned) & targets;
        sink.pawns::<S>(to & S::ZONE, true);
        sink.pawns::<S>(to - if ALL { S::LAST_RANK } else { S::ZONE }, false);
    }

    /// Squares in front of pawns that may advance. A pinned pawn may if the pin runs along its
    /// file.
    #[inline(always)]
    fn pawn_targets<S: Side>(&self, pinned: Bitboard) -> Bitboard {
        let pawns = self.pieces(PieceKind::Pawn) & self.pieces_of(S::COLOR);
        let stuck = pawns & pinned;
        let mut movable = pawns - stuck;
        if stuck.any() {
            let king = self.king(S::COLOR);
            movable |= stuck & Bitboard::file(king.file());
        }
        S::forward(movable)
    }

    #[inline(always)]
    fn generate_king<S: Side>(&self, targets: Bitboard, sink: &mut impl MoveSink) {
        let king = self.king(S::COLOR);
        let to = (king_steps(king) & targets) - self.effects().attacked(S::Opponent::COLOR);
        sink.moves(king, to, false);
    }
}

/// Splits the destinations of one piece into promotions and plain moves.
#[inline(always)]
fn emit<S: Side, const ALL: bool>(kind: PieceKind, from: Sq, to: Bitboard, sink: &mut impl MoveSink) {
    let promotions = match kind {
        _ if !Cell::new(kind, S::COLOR).can_promote() => Bitboard::EMPTY,
        _ if S::ZONE.contains(from) => to,
        _ => to & S::ZONE,
    };
    sink.moves(from, promotions, true);
    sink.moves(from, to - promoting_only::<S, ALL>(kind, promotions), false);
}

/// Destinations to which no move without promotion is generated.
#[inline(always)]
pub(crate) fn promoting_only<S: Side, const ALL: bool>(kind: PieceKind, promotions: Bitboard) -> Bitboard {
    match kind {
        PieceKind::Pawn if !ALL => S::ZONE,
        PieceKind::Lance if !ALL => S::LAST_TWO_RANKS,
        PieceKind::Bishop | PieceKind::Rook if !ALL => promotions,
        _ => S::dead_ends(kind),
    }
}

impl Position {
    /// All legal drops onto `targets`, which are empty squares.
    #[inline(always)]
    fn generate_drops<S: Side>(&self, targets: Bitboard, sink: &mut impl MoveSink) {
        let hand = self.hand(S::COLOR);
        if hand.is_empty() || targets.is_empty() {
            return;
        }
        if hand.count(PieceKind::Pawn) > 0 {
            sink.drops(PieceKind::Pawn, self.pawn_drop_targets::<S>(targets));
        }
        if hand.count(PieceKind::Lance) > 0 {
            sink.drops(PieceKind::Lance, targets - S::LAST_RANK);
        }
        if hand.count(PieceKind::Knight) > 0 {
            sink.drops(PieceKind::Knight, targets - S::LAST_TWO_RANKS);
        }
        for kind in [PieceKind::Silver, PieceKind::Gold, PieceKind::Bishop, PieceKind::Rook] {
            if hand.count(kind) > 0 {
                sink.drops(kind, targets);
            }
        }
    }

    /// The squares of `targets` where a pawn may be dropped.
    #[inline(always)]
    pub(crate) fn pawn_drop_targets<S: Side>(&self, targets: Bitboard) -> Bitboard {
        let own = self.kind_of(PieceKind::Pawn, S::COLOR);
        let mut to = targets - own.files() - S::LAST_RANK;
        // Only a pawn in front of the enemy king can mate.
        let head = steps_of(PieceKind::Pawn, S::Opponent::COLOR, self.king(S::Opponent::COLOR)) & to;
        if let Some(sq) = head.first()
            && self.pawn_drop_mates::<S>(sq)
        {
            to ^= head;
        }
        to
    }

    /// Whether a pawn dropped on `to`, in front of the enemy king, leaves it without a legal
    /// answer.
    #[cold]
    fn pawn_drop_mates<S: Side>(&self, to: Sq) -> bool {
        let (us, them) = (S::COLOR, S::Opponent::COLOR);
        let king = self.king(them);
        let occupied = self.occupied() | Bitboard::of(to);
        // Can the king step away or take the pawn?
        let without_king = occupied ^ Bitboard::of(king);
        for escape in king_steps(king) - self.pieces_of(them) {
            let attackers = self.attackers(escape, without_king) & self.pieces_of(us);
            if (attackers - Bitboard::of(escape)).is_empty() {
                return false;
            }
        }
        // Can another piece take it? The pawn itself may end a pin, so compute pins with it on the
        // board.
        let takers = (self.attackers(to, occupied) & self.pieces_of(them)) - Bitboard::of(king);
        let pinned = self.blockers(king, us, occupied);
        takers.into_iter().all(|taker| pinned.contains(taker) && !line(king, taker).contains(to))
    }
}

impl Position {
    /// All legal moves while in check: the king moves, and against a single check the checker is
    /// taken or its line blocked.
    #[inline(always)]
    fn generate_evasions<S: Side, const ALL: bool>(&self, sink: &mut impl MoveSink) {
        let king = self.king(S::COLOR);
        let checkers = self.checkers();
        sink.moves(king, self.flight_squares::<S>(checkers), false);
        if checkers.several() {
            return;
        }
        let Some(checker) = checkers.first() else { return };
        self.generate_blocks_and_captures::<S, ALL>(king, checker, sink);
    }

    /// Captures of a single checker, and moves and drops that block its line.
    #[inline(always)]
    fn generate_blocks_and_captures<S: Side, const ALL: bool>(&self, king: Sq, checker: Sq, sink: &mut impl MoveSink) {
        let blocks = between(king, checker);
        self.generate_onto::<S, ALL>(blocks | Bitboard::of(checker), self.pinned(), sink);
        self.generate_drops::<S>(blocks, sink);
    }

    /// Squares where a king in check may go. Excludes the squares behind it on a checking slider's
    /// line: the effect counts stop at the king and miss them.
    #[inline(always)]
    pub(crate) fn flight_squares<S: Side>(&self, checkers: Bitboard) -> Bitboard {
        let king = self.king(S::COLOR);
        let mut to = king_steps(king) - self.pieces_of(S::COLOR);
        for slider in checkers & self.snipers(king, S::Opponent::COLOR) {
            to = to - (line(king, slider) ^ Bitboard::of(slider));
        }
        to - self.effects().attacked(S::Opponent::COLOR)
    }

    /// Whether the side to move, in check, has no legal move.
    #[must_use]
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && for_side!(self.side_to_move(), S => self.has_no_evasion::<S>())
    }

    #[inline]
    pub(crate) fn has_no_evasion<S: Side>(&self) -> bool {
        let checkers = self.checkers();
        if self.flight_squares::<S>(checkers).any() {
            return false;
        }
        let Some(checker) = checkers.first().filter(|_| !checkers.several()) else { return true };
        let mut count = MoveCount::default();
        self.generate_blocks_and_captures::<S, true>(self.king(S::COLOR), checker, &mut count);
        count.0 == 0
    }
}
