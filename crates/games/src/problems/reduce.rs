//! Problems with the pieces that matter, as composers make them.

use std::cmp::Reverse;

use kiki_board::{Color, HAND_KINDS, Move, PieceKind, Position, pieces_in_set, unpromoted};
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64;
use shogi_core::{PartialPosition, Piece, Square};

use super::problem::Judge;

/// The first mate must be found within this fraction of the nodes of a proof.
const FIRST_PART: u64 = 20;
/// Limits of nodes for the mate without a piece, and for all other checks: a constant, and a multiple
/// of the nodes of the mate before. Higher limits find few more problems.
const FOR_MATE: [u64; 2] = [1000, 8];
const FOR_CHECKS: [u64; 2] = [4000, 30];

/// In a mate in one, pieces of the defender within this distance of its king stay. Without them the
/// mate would be obvious.
const NEAR: u8 = 2;

/// Reduces a position to a problem with few pieces. Returns `None` if no try gives one.
///
/// The attacker is Black and has no king, and the defender holds all pieces that are missing. Each
/// try moves pieces to the defender's hand as long as the mate stays: first pieces of the attacker in
/// a random order, then pieces of the defender. Without some pieces of the attacker a mate takes
/// longer, so short mates give long problems.
pub(super) fn reduced(judge: &mut Judge, position: &Position, tries: usize) -> Option<Position> {
    judge.solver.clear();
    let core = composed(position);
    let mut start = Position::from_core(&core).ok()?;
    let nodes = judge.nodes / FIRST_PART;
    let solution = judge.mate(&mut start, nodes)?;
    let spent = judge.solver.nodes();
    let mut random = Pcg64::seed_from_u64(position.key());
    (0..tries).find_map(|_| {
        let (core, solution) = (core.clone(), solution.clone());
        let reduction = Reduction { core, judge: &mut *judge, solution, spent, may_lengthen: true };
        reduction.run(&mut random).map(|(position, _)| position)
    })
}

/// The position turned so that Black attacks, without Black's king, and with everything that is
/// missing in White's hand.
pub(super) fn composed(position: &Position) -> PartialPosition {
    let core = position.to_core();
    let attacker = core.side_to_move();
    let mut composed = PartialPosition::empty();
    for square in Square::all() {
        let Some((kind, color)) = core.piece_at(square).map(Piece::to_parts) else { continue };
        let turned = attacker == Color::White;
        let place = if turned { square.flip() } else { square };
        if (kind, color) != (PieceKind::King, attacker) {
            composed.piece_set(place, Some(Piece::new(kind, if turned { color.flip() } else { color })));
        }
    }
    *composed.hand_of_a_player_mut(Color::Black) = core.hand_of_a_player(attacker);
    fill_hand(&mut composed);
    composed
}

/// The number of pieces of a kind in a hand.
pub(super) fn held(core: &PartialPosition, color: Color, kind: PieceKind) -> usize {
    core.hand_of_a_player(color).count(kind).unwrap_or(0).into()
}

/// Moves of a king from one square to the other.
pub(super) fn distance(one: Square, other: Square) -> u8 {
    one.file().abs_diff(other.file()).max(one.rank().abs_diff(other.rank()))
}

/// Gives White all pieces that are missing.
fn fill_hand(core: &mut PartialPosition) {
    let mut hand = shogi_core::Hand::default();
    for kind in HAND_KINDS {
        let on_board = Square::all().filter_map(|square| core.piece_at(square));
        let on_board = on_board.filter(|piece| unpromoted(piece.piece_kind()) == kind).count();
        for _ in on_board + held(core, Color::Black, kind)..pieces_in_set(kind) {
            hand = hand.added(kind).unwrap_or(hand);
        }
    }
    *core.hand_of_a_player_mut(Color::White) = hand;
}

#[derive(Clone, Copy)]
enum PiecePlace {
    /// In Black's hand.
    Hand(PieceKind),
    Square(Square),
}

pub(super) struct Reduction<'a, 'b> {
    core: PartialPosition,
    judge: &'a mut Judge<'b>,
    solution: Vec<Move>,
    /// Nodes of the search that found it.
    spent: u64,
    may_lengthen: bool,
}

impl<'a, 'b> Reduction<'a, 'b> {
    /// The position to reduce, if its mate is found with about the nodes of another like it.
    pub(super) fn of(judge: &'a mut Judge<'b>, mut core: PartialPosition, spent: u64) -> Option<Self> {
        fill_hand(&mut core);
        let mut position = Position::from_core(&core).ok()?;
        let nodes = (FOR_MATE[0] + FOR_MATE[1] * spent).min(judge.nodes);
        let solution = judge.mate(&mut position, nodes)?;
        let spent = judge.solver.nodes();
        Some(Self { core, judge, solution, spent, may_lengthen: true })
    }

    pub(super) fn length(&self) -> usize {
        self.solution.len()
    }

    /// The problem, with its length and the nodes of its mate; `None` if it does not become one.
    pub(super) fn run(mut self, random: &mut Pcg64) -> Option<(Position, (usize, u64))> {
        let mut pieces = self.pieces(Color::Black);
        pieces.shuffle(random);
        self.drop(&pieces, false);
        self.may_lengthen = false;
        if self.solution.len() < self.judge.shortest || !self.uses_hand() || !self.is_unique() {
            return None;
        }
        while [Color::White, Color::Black].into_iter().fold(false, |is_smaller, color| {
            let pieces = self.pieces(color);
            self.drop(&pieces, true) || is_smaller
        }) {
            if self.judge.is_stopped() {
                return None;
            }
        }
        let found = (self.length(), self.spent);
        self.uses_hand().then(|| self.position()).flatten().map(|position| (position, found))
    }

    fn position(&self) -> Option<Position> {
        Position::from_core(&self.core).ok()
    }

    fn is_unique(&mut self) -> bool {
        let Some(mut position) = self.position() else { return false };
        let nodes = self.nodes(FOR_CHECKS);
        self.judge.is_unique(&mut position, &self.solution, nodes)
    }

    fn nodes(&self, [least, times]: [u64; 2]) -> u64 {
        (least + times * self.spent).min(self.judge.nodes)
    }

    /// Takes the change if the mate stays, and with `strictly` if it stays the only one.
    fn offer(&mut self, mut core: PartialPosition, strictly: bool) -> bool {
        fill_hand(&mut core);
        let Ok(mut position) = Position::from_core(&core) else { return false };
        let (for_mate, for_checks) = (self.nodes(FOR_MATE), self.nodes(FOR_CHECKS));
        let Some(solution) = self.judge.mate(&mut position, for_mate) else { return false };
        let spent = self.judge.solver.nodes();
        let (length, before) = (solution.len(), self.solution.len());
        let is_taken = (length == before || (self.may_lengthen && length > before))
            && (!strictly || self.judge.is_unique(&mut position, &solution, for_checks));
        if is_taken {
            (self.core, self.solution, self.spent) = (core, solution, spent);
        }
        is_taken
    }

    /// The places of a side's pieces: those of Black in hand, the strong ones first, then those on the
    /// board, far from the king first.
    fn pieces(&self, color: Color) -> Vec<PiecePlace> {
        let Some(king) = self.core.king_position(Color::White) else { return Vec::new() };
        let near = if color == Color::White && self.solution.len() == 1 { NEAR } else { 0 };
        let stands = |&square: &Square| {
            self.core.piece_at(square).is_some_and(|piece| piece.color() == color) && distance(king, square) > near
        };
        let mut squares: Vec<Square> = Square::all().filter(stands).collect();
        squares.sort_by_key(|&square| Reverse(distance(king, square)));
        let held = |kind| std::iter::repeat_n(PiecePlace::Hand(kind), held(&self.core, Color::Black, kind));
        let hand = HAND_KINDS.into_iter().rev().flat_map(held);
        let hand = hand.filter(|_| color == Color::Black);
        hand.chain(squares.into_iter().map(PiecePlace::Square)).collect()
    }

    /// Removes every piece that the mate does not need. Returns whether there was one.
    fn drop(&mut self, pieces: &[PiecePlace], strictly: bool) -> bool {
        pieces.iter().fold(false, |is_smaller, &piece| {
            let mut core = self.core.clone();
            match piece {
                PiecePlace::Square(square) => core.piece_set(square, None),
                PiecePlace::Hand(kind) => {
                    let hand = core.hand_of_a_player_mut(Color::Black);
                    *hand = hand.removed(kind).unwrap_or(*hand);
                }
            }
            self.offer(core, strictly) || is_smaller
        })
    }

    /// Whether the attacker has no piece left at the end (駒余り).
    fn uses_hand(&self) -> bool {
        let Some(mut position) = self.position() else { return false };
        self.solution.iter().for_each(|&mv| {
            position.make(mv);
        });
        position.hand(Color::Black).is_empty()
    }
}
