//! Positions: their state, attackers, checkers and pins.

mod board;
mod make;
mod rules;
mod sfen;

pub use board::Effects;
pub use make::{Delta, PieceOn};
pub use rules::{DeclarationRule, DeclarationVerdict, GameRepetition, SearchRepetition};
pub use sfen::SfenError;

use board::Board;
use shogi_core::{Piece, Square};

use crate::squares::{BitboardPair, Side};
use crate::tables::{between, bishop_attacks, king_steps, lance_attacks, open_lines, rook_attacks, steps_of, through};
use crate::{Bitboard, ByColor, COLORS, Cell, Color, HandCounts, Move, PieceKind, Sq, opponent};

/// A shogi position with its history.
///
/// [`Position::make`] and [`Position::unmake`] update the board as cells and as bitboards, the
/// hands, the Zobrist keys, and what repetition needs. They also count, for each square, how many
/// pieces of each side attack it ([`Effects`]). A side may lack its king, as the attacker does in
/// mating problems.
#[derive(Clone)]
pub struct Position {
    board: Board,
    side: Color,
    /// The move number of the SFEN.
    first_ply: u32,
    /// Effects, hands, kings and keys of this position and of those before it.
    states: StateStack,
}

/// The pieces of a position and the side to move, without anything computed from them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The side to move.
    pub side_to_move: Color,
    /// The contents of the squares, by [`Sq::index`].
    pub cells: [Cell; Sq::COUNT],
    /// The squares of the kings, [`Sq::NONE`] for a side without one.
    pub kings: ByColor<Sq>,
    /// The pieces in hand.
    pub hands: ByColor<HandCounts>,
}

impl Position {
    /// The side to move.
    #[must_use]
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// The number of the move to be played, as an SFEN counts it (the first move of a game is 1).
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.first_ply + self.moves_made() as u32
    }

    /// The pieces and the side to move.
    #[must_use]
    pub fn placement(&self) -> Placement {
        let StateFields { kings, hands, .. } = *self.state();
        Placement { side_to_move: self.side, cells: self.board.cells, kings, hands }
    }

    /// The contents of a square.
    #[must_use]
    #[inline(always)]
    pub fn cell(&self, sq: Sq) -> Cell {
        self.board.cells[sq.index()]
    }

    /// The contents of all squares, by [`Sq::index`].
    #[must_use]
    #[inline(always)]
    pub fn cells(&self) -> &[Cell; Sq::COUNT] {
        &self.board.cells
    }

    /// The piece on a square.
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.cell(square.into()).piece()
    }

    /// The hand of a colour.
    #[must_use]
    #[inline(always)]
    pub fn hand(&self, color: Color) -> HandCounts {
        self.state().hands[color]
    }

    /// The square of a king, [`Sq::NONE`] for a side without one.
    #[must_use]
    #[inline(always)]
    pub fn king(&self, color: Color) -> Sq {
        self.state().kings[color]
    }

    /// All pieces.
    #[must_use]
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.board.by_color[Color::Black] | self.board.by_color[Color::White]
    }

    /// The pieces of a colour.
    #[must_use]
    #[inline(always)]
    pub fn pieces_of(&self, color: Color) -> Bitboard {
        self.board.by_color[color]
    }

    /// The pieces of a kind, both colours.
    #[must_use]
    #[inline(always)]
    pub fn pieces(&self, kind: PieceKind) -> Bitboard {
        self.board.by_kind[kind]
    }

    /// How many pieces of each side attack each square.
    #[must_use]
    #[inline(always)]
    pub fn effects(&self) -> &Effects {
        &self.states.current().effects
    }

    /// The Zobrist key of board, hands and side to move.
    #[must_use]
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.state().board_key ^ self.state().hand_key
    }

    /// The Zobrist key of the board and the side to move, without the hands.
    #[must_use]
    #[inline(always)]
    pub fn board_key(&self) -> u64 {
        self.state().board_key
    }

    /// The Zobrist key of the hands alone.
    #[must_use]
    #[inline(always)]
    pub fn hand_key(&self) -> u64 {
        self.state().hand_key
    }

    /// Whether the side to move is in check.
    #[must_use]
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        self.states.current().in_check(self.side)
    }

    /// The number of moves made since the position was set up.
    #[must_use]
    pub fn moves_made(&self) -> usize {
        self.states.moves()
    }

    /// The number of moves made since the last null move, or since the position was set up.
    #[must_use]
    #[inline(always)]
    pub fn moves_since_null(&self) -> usize {
        usize::from(self.state().since_null)
    }

    /// The last move made: `None` at the start, [`Move::NONE`] after a null move.
    #[must_use]
    pub fn last_move(&self) -> Option<Move> {
        (self.moves_made() > 0).then(|| self.state().mv)
    }

    #[inline(always)]
    fn state(&self) -> &StateFields {
        &self.states.current().fields
    }

    /// The pieces that move like gold.
    #[inline(always)]
    pub(crate) fn golds(&self) -> Bitboard {
        self.board.by_kind[PieceKind::Gold]
            | self.board.by_kind[PieceKind::ProPawn]
            | self.board.by_kind[PieceKind::ProLance]
            | self.board.by_kind[PieceKind::ProKnight]
            | self.board.by_kind[PieceKind::ProSilver]
    }

    /// Bishops and horses.
    #[inline(always)]
    pub(crate) fn diagonal_sliders(&self) -> Bitboard {
        self.board.by_kind[PieceKind::Bishop] | self.board.by_kind[PieceKind::ProBishop]
    }

    /// Rooks and dragons.
    #[inline(always)]
    pub(crate) fn orthogonal_sliders(&self) -> Bitboard {
        self.board.by_kind[PieceKind::Rook] | self.board.by_kind[PieceKind::ProRook]
    }

    #[inline(always)]
    pub(crate) fn kind_of(&self, kind: PieceKind, color: Color) -> Bitboard {
        self.board.by_kind[kind] & self.board.by_color[color]
    }
}

/// A position without its board. Making a move pushes a new state, and unmaking it pops that state.
#[derive(Clone, Copy)]
struct StateInfo {
    effects: Effects,
    fields: StateFields,
}

/// All of a [`StateInfo`] except the effects: what a move changes and unmaking cannot recompute.
#[derive(Clone, Copy)]
struct StateFields {
    /// The key of the board and the side to move.
    board_key: u64,
    hand_key: u64,
    hands: ByColor<HandCounts>,
    kings: ByColor<Sq>,
    /// The move that led here; [`Move::NONE`] at the start and after a null move.
    mv: Move,
    /// The piece that left its square, as it was before the move; empty for a drop.
    left: Cell,
    captured: Cell,
    /// Moves since the last null move or the start. The search looks for repetitions no further
    /// back.
    since_null: u16,
}

impl StateFields {
    const EMPTY: Self = Self {
        board_key: 0,
        hand_key: 0,
        hands: ByColor::new(HandCounts::NONE, HandCounts::NONE),
        kings: ByColor::new(Sq::NONE, Sq::NONE),
        mv: Move::NONE,
        left: Cell::EMPTY,
        captured: Cell::EMPTY,
        since_null: 0,
    };
}

impl StateInfo {
    const EMPTY: Self = Self { effects: Effects::NONE, fields: StateFields::EMPTY };

    #[inline(always)]
    fn in_check(&self, side: Color) -> bool {
        self.effects.attacks(opponent(side), self.fields.kings[side])
    }
}

/// The number of counters of the repetition filter. A board whose counter is 1 has not occurred
/// before, which is nearly always so.
const FILTER: usize = 1 << 12;

/// The states of a game, the current one last.
#[derive(Clone)]
struct StateStack {
    /// Those after the current one are unused.
    states: Vec<StateInfo>,
    current: usize,
    /// By the remainder of the board key: how often boards of that remainder have occurred.
    filter: Box<[u16; FILTER]>,
}

impl StateStack {
    fn new(state: &StateInfo) -> Self {
        let mut stack = Self { states: vec![*state; 32], current: 0, filter: Box::new([0; FILTER]) };
        stack.count_board(state.fields.board_key);
        stack
    }

    /// Adds a state and makes it current; returns the one before and the new one, which the caller
    /// fills in. [`StateStack::count_board`] must follow.
    #[inline(always)]
    fn push(&mut self) -> (&StateInfo, &mut StateInfo) {
        if self.current + 1 == self.states.len() {
            self.grow();
        }
        let (before, after) = self.states.split_at_mut(self.current + 1);
        self.current += 1;
        (&before[before.len() - 1], &mut after[0])
    }

    #[cold]
    fn grow(&mut self) {
        self.states.resize(2 * self.states.len(), StateInfo::EMPTY);
    }

    #[inline(always)]
    fn count_board(&mut self, board_key: u64) {
        let slot = &mut self.filter[board_key as usize % FILTER];
        // No game has 65,536 moves.
        *slot = slot.wrapping_add(1);
    }

    #[inline(always)]
    fn pop(&mut self) {
        let slot = &mut self.filter[self.current().fields.board_key as usize % FILTER];
        *slot = slot.wrapping_sub(1);
        self.current = self.current.checked_sub(1).expect("a move to take back");
    }

    #[inline(always)]
    fn current(&self) -> &StateInfo {
        &self.states[self.current]
    }

    /// All states, the current one last.
    #[inline(always)]
    fn states(&self) -> &[StateInfo] {
        &self.states[..=self.current]
    }

    #[inline(always)]
    fn moves(&self) -> usize {
        self.current
    }

    /// Whether the current board may have occurred before. False is certain, true is not.
    #[inline(always)]
    fn may_have_occurred(&self) -> bool {
        self.filter[self.current().fields.board_key as usize % FILTER] > 1
    }
}

impl Position {
    /// The pieces of both sides that attack `sq`, lines being blocked by `occupied`.
    #[must_use]
    #[inline]
    pub fn attackers(&self, sq: Sq, occupied: Bitboard) -> Bitboard {
        let lances = self.board.by_kind[PieceKind::Lance];
        let mut set = king_steps(sq) & self.board.by_kind[PieceKind::King];
        set |= self.steppers(sq, Color::Black) | self.steppers(sq, Color::White);
        let open = open_lines(sq);
        let diagonal = self.diagonal_sliders();
        if open.diagonals.intersects(diagonal) {
            set |= bishop_attacks(sq, occupied) & diagonal;
        }
        let orthogonal = self.orthogonal_sliders();
        if open.orthogonals.intersects(orthogonal) {
            set |= rook_attacks(sq, occupied) & orthogonal;
        }
        for color in COLORS {
            let behind = open.lances_behind[color] & lances & self.board.by_color[color];
            if behind.any() {
                set |= lance_attacks(opponent(color), sq, occupied) & behind;
            }
        }
        set
    }

    /// The pieces of a side but its king that attack `sq`, which are those that can move there.
    #[inline(always)]
    pub(crate) fn movers<S: Side>(&self, sq: Sq, occupied: Bitboard) -> Bitboard {
        let own = self.board.by_color[S::COLOR];
        let mut set = self.steppers(sq, S::COLOR);
        let open = open_lines(sq);
        let diagonal = self.diagonal_sliders() & own;
        if open.diagonals.intersects(diagonal) {
            set |= bishop_attacks(sq, occupied) & diagonal;
        }
        let orthogonal = self.orthogonal_sliders() & own;
        if open.orthogonals.intersects(orthogonal) {
            set |= rook_attacks(sq, occupied) & orthogonal;
        }
        let lances = self.board.by_kind[PieceKind::Lance] & own;
        if open.lances_behind[S::COLOR].intersects(lances) {
            set |= lance_attacks(S::Opponent::COLOR, sq, occupied) & lances;
        }
        set
    }

    /// The pieces of a side but its king that attack `sq` by a step.
    #[inline(always)]
    fn steppers(&self, sq: Sq, color: Color) -> Bitboard {
        // A black piece attacks `sq` from the squares that a white one of its kind would reach from
        // there.
        let from = |kind: PieceKind| steps_of(kind, opponent(color), sq);
        let of = |kind: PieceKind| self.board.by_kind[kind];
        let set = (from(PieceKind::Pawn) & of(PieceKind::Pawn))
            | (from(PieceKind::Knight) & of(PieceKind::Knight))
            | (from(PieceKind::Silver) & of(PieceKind::Silver))
            | (from(PieceKind::Gold) & self.golds())
            | (king_steps(sq) & (of(PieceKind::ProBishop) | of(PieceKind::ProRook)));
        set & self.board.by_color[color]
    }

    /// The pieces that give check to the side to move.
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        if !self.in_check() {
            return Bitboard::EMPTY;
        }
        self.attackers(self.king(self.side), self.occupied()) & self.board.by_color[opponent(self.side)]
    }

    /// The sliders of either side that would attack `sq` if nothing stood between.
    #[inline(always)]
    fn sliders_towards(&self, sq: Sq) -> Bitboard {
        let open = open_lines(sq);
        let lances = (open.lances_behind[Color::Black] & self.pieces_of(Color::Black))
            | (open.lances_behind[Color::White] & self.pieces_of(Color::White));
        (open.diagonals & self.diagonal_sliders())
            | (open.orthogonals & self.orthogonal_sliders())
            | (lances & self.pieces(PieceKind::Lance))
    }

    /// For each side, the squares beyond `sq` that its `sliders` attack only while `sq` is empty.
    #[inline(always)]
    fn beyond(&self, sq: Sq, sliders: Bitboard, occupied: Bitboard) -> BitboardPair {
        let mut beyond = BitboardPair::EMPTY;
        let mut sliders = sliders.0;
        while sliders != 0 {
            let slider = Sq::new(sliders.trailing_zeros() as usize);
            sliders &= sliders - 1;
            let through = through(slider, sq);
            if !through.before.intersects(occupied) {
                let reach = through.reach(slider < sq, occupied);
                beyond = beyond | BitboardPair::for_color_of(self.cell(slider), reach);
            }
        }
        beyond
    }

    /// The sliders of a colour that would attack `sq` if nothing stood between.
    #[inline(always)]
    pub(crate) fn snipers(&self, sq: Sq, color: Color) -> Bitboard {
        let open = open_lines(sq);
        let set = (open.diagonals & self.diagonal_sliders())
            | (open.orthogonals & self.orthogonal_sliders())
            | (open.lances_behind[color] & self.board.by_kind[PieceKind::Lance]);
        set & self.board.by_color[color]
    }

    /// The pieces of either side that alone stand between `king` and a slider of the colour
    /// `color`: pinned pieces, or those whose move discovers a check.
    #[inline(always)]
    pub(crate) fn blockers(&self, king: Sq, color: Color, occupied: Bitboard) -> Bitboard {
        let mut blockers = Bitboard::EMPTY;
        for sniper in self.snipers(king, color) {
            let between = between(king, sniper) & occupied;
            if !between.several() {
                blockers |= between;
            }
        }
        blockers
    }

    /// The pinned pieces of the side to move: leaving the line to their king would expose it to
    /// check.
    #[must_use]
    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.pinned_of(self.side)
    }

    /// The pinned pieces of a side.
    #[must_use]
    #[inline(always)]
    pub fn pinned_of(&self, color: Color) -> Bitboard {
        self.blockers(self.king(color), opponent(color), self.occupied()) & self.board.by_color[color]
    }

    /// The squares next to a side's king.
    #[must_use]
    #[inline(always)]
    pub fn king_ring(&self, color: Color) -> Bitboard {
        king_steps(self.king(color))
    }
}
