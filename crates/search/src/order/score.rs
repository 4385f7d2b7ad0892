//! The move lists of a search and the scores that order them. Each function scores the moves of the lists that have no score yet.

use kiki_board::{Bitboard, Cell, CheckInfo, Move, MoveList, Position, exchange_value, opponent};

use super::history::{Histories, PieceTo};
use super::stack::Stack;
use crate::params;

/// The move lists of all nodes on the stack, one behind the other. A node's picker appends its moves and removes them at the end.
pub(crate) struct MoveLists {
    pub(crate) moves: MoveList,
    /// By index of `moves`; shorter while generated moves have no score yet.
    pub(crate) scores: Vec<i32>,
}

impl MoveLists {
    pub(crate) fn new() -> Self {
        Self { moves: MoveList::new(), scores: Vec::with_capacity(600) }
    }

    /// Removes all moves but the first `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.moves.truncate(len);
        self.scores.truncate(len);
    }

    pub(super) fn swap(&mut self, one: usize, other: usize) {
        self.moves.swap(one, other);
        self.scores.swap(one, other);
    }
}

/// The parts of a worker that a picker reads, and the lists that it fills.
pub(crate) struct MoveSources<'a> {
    pub(crate) position: &'a Position,
    pub(crate) histories: &'a Histories,
    pub(crate) stack: &'a Stack,
    pub(crate) lists: &'a mut MoveLists,
}

/// Captures and promotions of pawns: the material gained, and capture history.
pub(super) fn score_captures(sources: &mut MoveSources<'_>) {
    let MoveSources { position, histories, lists, .. } = sources;
    for i in lists.scores.len()..lists.moves.len() {
        let mv = lists.moves[i];
        let piece_to = PieceTo::new(position.arriving(mv), mv.to());
        let learned = histories.capture(piece_to, position.cell(mv.to()));
        lists.scores.push(position.immediate_gain(mv) * params::capture_gain() / 8 + learned / 8);
    }
}

/// Quiet moves and drops: histories, checks, and threatened pieces.
pub(super) fn score_quiets(sources: &mut MoveSources<'_>, info: &CheckInfo) {
    let MoveSources { position, histories, stack, lists } = sources;
    let side = position.side_to_move();
    let row = |plies| histories.continuation(stack.piece_to_before(plies));
    let (last, own, own_before, own_first) = (row(1), row(2), row(4), row(6));
    let threats = Threats::new(position);
    for i in lists.scores.len()..lists.moves.len() {
        let mv = lists.moves[i];
        let arriving = position.arriving(mv);
        let piece_to = PieceTo::new(arriving, mv.to());
        let learned = params::quiet_origin() * histories.quiet(side, mv)
            + params::quiet_last() * last.get(piece_to)
            + params::quiet_own() * own.get(piece_to)
            + params::quiet_own_before() * own_before.get(piece_to)
            + params::quiet_own_first() * own_first.get(piece_to);
        let mut score = learned / 100;
        if info.gives_check(mv, arriving) {
            score += params::quiet_check();
        }
        score += threats.score(mv, arriving);
        lists.scores.push(score);
    }
}

/// Answers to a check: captures first, by a cheap piece if possible; then histories.
pub(super) fn score_evasions(sources: &mut MoveSources<'_>) {
    let MoveSources { position, histories, stack, lists } = sources;
    let side = position.side_to_move();
    let last = histories.continuation(stack.piece_to_before(1));
    for i in lists.scores.len()..lists.moves.len() {
        let mv = lists.moves[i];
        let arriving = position.arriving(mv);
        let score = if position.is_tactical(mv) {
            (1 << 20) + 16 * position.immediate_gain(mv) - exchange_value(arriving)
        } else {
            let piece_to = PieceTo::new(arriving, mv.to());
            histories.quiet(side, mv) + params::evasion_last() * last.get(piece_to) / 100
        };
        lists.scores.push(score);
    }
}

/// Squares where the opponent's effects threaten pieces of the side to move: quiet moves should leave them and not enter them.
struct Threats {
    /// Attacked by the opponent, and not by the side to move.
    unsupported: Bitboard,
    /// Attacked by the opponent, and at most once by the side to move: a piece that moves there does not support itself.
    hardly_supported: Bitboard,
}

impl Threats {
    #[inline(always)]
    fn new(position: &Position) -> Self {
        let (us, effects) = (position.side_to_move(), position.effects());
        let attacked = effects.attacked(opponent(us));
        Self { unsupported: effects.unsupported(us), hardly_supported: attacked - effects.attacked_twice(us) }
    }

    /// A part of the moved piece's value, more if it leaves a threatened square, less if it enters one.
    #[inline(always)]
    fn score(&self, mv: Move, arriving: Cell) -> i32 {
        let (entered, left) = if mv.is_drop() {
            (self.unsupported.contains(mv.to()), false)
        } else {
            (self.hardly_supported.contains(mv.to()), self.unsupported.contains(mv.from()))
        };
        let sixteenths = i32::from(left) * params::quiet_escape() - i32::from(entered) * params::quiet_hanging();
        exchange_value(arriving) * sixteenths / 16
    }
}
