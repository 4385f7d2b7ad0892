//! Legal moves, in stages: captures, quiet moves, drops, evasions, checks.
//!
//! All generated moves are legal. Generators compute sets of destinations and pass them to a `MoveSink`, which lists or counts them.

mod checks;
mod drops;
mod evasions;
mod pieces;
mod sink;

pub use checks::CheckInfo;

use crate::side::{BlackSide, Side, WhiteSide};
use crate::{Bitboard, Color, Move, MoveList, PieceKind, Position};
use sink::{MoveCount, MoveSink};

/// Whether moves without promotion are generated where the piece could promote.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PromotionChoice {
    /// All moves that the rules allow.
    All,
    /// Without those that are hardly ever better than promoting: of pawns, bishops and rooks, and of lances to the last two ranks.
    #[default]
    Sensible,
}

/// Writes `$body` once for each colour and choice of promotion.
macro_rules! dispatch {
    ($position:expr, $choice:expr, $generate:ident ( $($argument:expr),* )) => {
        match ($position.side_to_move(), $choice) {
            (Color::Black, PromotionChoice::All) => $position.$generate::<BlackSide, true>($($argument),*),
            (Color::Black, PromotionChoice::Sensible) => $position.$generate::<BlackSide, false>($($argument),*),
            (Color::White, PromotionChoice::All) => $position.$generate::<WhiteSide, true>($($argument),*),
            (Color::White, PromotionChoice::Sensible) => $position.$generate::<WhiteSide, false>($($argument),*),
        }
    };
}

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
            if self.is_left_out(list[index]) {
                list.swap(index, end);
                end += 1;
            }
        }
        list.truncate(end);
    }

    fn is_left_out(&self, mv: Move) -> bool {
        match self.side_to_move() {
            Color::Black => self.declines_promotion::<BlackSide>(mv),
            Color::White => self.declines_promotion::<WhiteSide>(mv),
        }
    }

    /// Whether a legal move should promote instead.
    fn declines_promotion<S: Side>(&self, mv: Move) -> bool {
        if mv.is_drop() || mv.is_promotion() {
            return false;
        }
        let (from, to) = (mv.from(), mv.to());
        let cell = self.cell(from);
        let promotes = cell.can_promote() && (S::ZONE.contains(from) || S::ZONE.contains(to));
        let promotions = if promotes { Bitboard::of(to) } else { Bitboard::EMPTY };
        cell.kind().is_some_and(|kind| pieces::promoting_only::<S, false>(kind, promotions).contains(to))
    }

    /// The number of legal moves, counted without listing them.
    #[must_use]
    pub fn count_legal_moves(&self) -> u64 {
        let mut count = MoveCount::default();
        dispatch!(self, PromotionChoice::All, generate_all(&mut count));
        count.0
    }

    /// Adds captures and promotions of pawns to a list. Not for positions in check.
    pub fn captures(&self, list: &mut MoveList, choice: PromotionChoice) {
        dispatch!(self, choice, generate_captures(list));
    }

    /// Whether [`Position::captures`] generates this legal move: a capture, or the promotion of a pawn.
    #[must_use]
    #[inline(always)]
    pub fn is_tactical(&self, mv: Move) -> bool {
        !self.cell(mv.to()).is_empty() || (mv.is_promotion() && self.cell(mv.from()).is_kind(PieceKind::Pawn))
    }

    /// Adds the moves on the board that [`Position::captures`] leaves out. Not for positions in check.
    pub fn quiets(&self, list: &mut MoveList, choice: PromotionChoice) {
        dispatch!(self, choice, generate_quiets(list));
    }

    /// Adds drops to a list. Not for positions in check.
    pub fn drops(&self, list: &mut MoveList) {
        debug_assert!(!self.in_check());
        let empty = !self.occupied();
        match self.side_to_move() {
            Color::Black => self.generate_drops::<BlackSide>(empty, list),
            Color::White => self.generate_drops::<WhiteSide>(empty, list),
        }
    }

    /// Adds all legal moves of a position in check.
    pub fn evasions(&self, list: &mut MoveList, choice: PromotionChoice) {
        debug_assert!(self.in_check());
        dispatch!(self, choice, generate_evasions(list));
    }

    /// Adds the moves that give check, except those of [`Position::captures`]. Not for positions in check.
    pub fn quiet_checks(&self, list: &mut MoveList, info: &CheckInfo) {
        debug_assert!(!self.in_check());
        dispatch!(self, PromotionChoice::Sensible, generate_quiet_checks(list, info));
    }

    /// Adds all legal moves that give check, whether the side to move is itself in check or not.
    ///
    /// ```
    /// use kiki_board::{CheckInfo, PromotionChoice, MoveList, Position};
    ///
    /// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1")?;
    /// let mut checks = MoveList::new();
    /// position.all_checks(&mut checks, &CheckInfo::new(&position), PromotionChoice::All);
    /// assert!(checks.iter().any(|mv| mv.to_string() == "G*5b") && checks.iter().all(|&mv| position.gives_check(mv)));
    /// # Ok::<(), kiki_board::SfenError>(())
    /// ```
    pub fn all_checks(&self, list: &mut MoveList, info: &CheckInfo, choice: PromotionChoice) {
        dispatch!(self, choice, generate_all_checks(list, info));
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
        let ahead = self.pawn_targets::<S>(pinned) - self.occupied();
        sink.pawns::<S>(ahead & S::ZONE, true);
    }

    #[inline(always)]
    fn generate_quiets<S: Side, const ALL: bool>(&self, sink: &mut impl MoveSink) {
        debug_assert!(!self.in_check());
        let targets = !self.occupied();
        let pinned = self.pinned();
        self.generate_pieces::<S, ALL>(targets, pinned, sink);
        let ahead = self.pawn_targets::<S>(pinned) & targets;
        sink.pawns::<S>(ahead - if ALL { S::LAST_RANK } else { S::ZONE }, false);
        self.generate_king::<S>(targets, sink);
    }
}
