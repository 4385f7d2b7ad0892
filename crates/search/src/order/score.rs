//! The move lists of a search and the scores that order them. Each function scores the moves that
//! have no score yet.

use kiki_board::{Bitboard, Cell, CheckInfo, Move, MoveList, Position, Sq, exchange_value, opponent};

use super::history::{Histories, PieceTo, SearchedMove, quiet_index};
use super::stack::Stack;
use crate::params;

/// The move lists of all nodes on the stack, one after the other. A node's picker appends its moves
/// and removes them at the end.
pub(crate) struct MoveLists {
    pub(crate) moves: MoveList,
    /// By index of `moves`; shorter while generated moves have no score. A rank has the score in
    /// its high bits and the place in the node's list in its low bits. So the greatest rank tells
    /// where its move is; of equal scores the first has the greatest rank.
    pub(crate) ranks: Vec<i32>,
}

/// Low bits of a rank that hold the place: enough for the moves of any position.
const PLACE: u32 = 10;
const LAST_PLACE: usize = (1 << PLACE) - 1;

#[inline(always)]
pub(super) fn score_of(rank: i32) -> i32 {
    rank >> PLACE
}

impl MoveLists {
    pub(crate) fn new() -> Self {
        Self { moves: MoveList::new(), ranks: Vec::with_capacity(600) }
    }

    /// Removes all moves but the first `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.moves.truncate(len);
        self.ranks.truncate(len);
    }

    /// Turns the scores from an index on into ranks, in a list that begins at `start`.
    #[inline(always)]
    pub(super) fn rank(&mut self, start: usize, from: usize) {
        for (place, rank) in (from - start..).zip(&mut self.ranks[from..]) {
            *rank = (*rank << PLACE) | (LAST_PLACE as i32 - place as i32);
        }
    }

    /// Gives the move of a rank in the list that begins at `start`, and swaps it with the one at
    /// index `front`.
    #[inline(always)]
    pub(super) fn bring_forward(&mut self, start: usize, rank: i32, front: usize) -> Move {
        let place = LAST_PLACE - (rank as usize & LAST_PLACE);
        let mv = self.moves[start + place];
        self.moves[start + place] = self.moves[front];
        self.ranks[start + place] = (self.ranks[front] & !(LAST_PLACE as i32)) | (LAST_PLACE - place) as i32;
        (self.moves[front], self.ranks[front]) = (mv, rank);
        mv
    }
}

/// The parts of a worker that a picker reads, and the lists that it fills.
pub(crate) struct MoveSources<'a> {
    pub(crate) position: &'a Position,
    pub(crate) histories: &'a Histories,
    pub(crate) stack: &'a Stack,
    pub(crate) lists: &'a mut MoveLists,
}

/// Captures: the piece taken, and capture history.
pub(super) fn score_captures(sources: &mut MoveSources<'_>) {
    let MoveSources { position, histories, lists, .. } = sources;
    for i in lists.ranks.len()..lists.moves.len() {
        let captured = SearchedMove::new(position, lists.moves[i]);
        let learned = histories.capture.get(captured.capture_index());
        lists.ranks.push(learned + params::capture_value() * exchange_value(captured.captured));
    }
}

/// Quiet moves and then drops, kind by kind: histories, killers, threats, and checks that lose
/// little.
pub(super) fn score_quiets(sources: &mut MoveSources<'_>, info: &CheckInfo) {
    let MoveSources { position, histories, stack, lists } = sources;
    let (side, ply) = (position.side_to_move(), stack.ply);
    let rows = [-1, -2, -3, -4, -6].map(|plies| histories.continuation_row(stack[plies].row));
    let pawns = histories.shared.pawn_row(&stack[0].keys);
    let MoveLists { moves, ranks: scores } = &mut **lists;
    let unscored = scores.len();
    let safe = |mv: Move| position.see_ge(mv, -params::quiet_check_loss());
    let threats = Threats::new(position);
    let drops = moves[unscored..].iter().position(|mv| mv.is_drop()).map_or(moves.len(), |place| unscored + place);
    scores.extend(moves[unscored..drops].iter().map(|&mv| {
        let arriving = position.arriving(mv);
        let piece_to = PieceTo::new(arriving, mv.to());
        let continuations: i32 = rows.iter().map(|row| row.get(piece_to)).sum();
        let quiet = histories.quiet.get(quiet_index(side, mv));
        let check = if info.is_direct(mv, arriving) && safe(mv) { params::quiet_check() } else { 0 };
        2 * quiet + 2 * pawns.get(piece_to) + continuations + check + threats.score(mv, arriving)
    }));
    for drops in moves[drops..].chunk_by(|one, next| one.origin() == next.origin()) {
        let Some(kind) = drops[0].dropped_kind() else { continue };
        // The counters of one kind on all squares are adjacent, and are added many at a time.
        let arriving = position.arriving(drops[0]);
        let first = PieceTo::new(arriving, Sq::new(0));
        let mut sums = [0; Sq::COUNT];
        histories.quiet_row(side, drops[0]).add_to(&mut sums, 0, 2);
        rows.iter().for_each(|row| row.add_to(&mut sums, first.index(), 1));
        let checks = info.direct(arriving) - position.occupied();
        for sq in checks.into_iter().filter(|&sq| safe(Move::drop(kind, sq))) {
            sums[sq.index()] += params::quiet_check();
        }
        for sq in threats.unsupported {
            sums[sq.index()] -= threatened(arriving);
        }
        scores.extend(drops.iter().map(|&mv| sums[mv.to().index()] + 2 * pawns.get(PieceTo::new(arriving, mv.to()))));
    }
    for (&mv, score) in moves[unscored..].iter().zip(&mut scores[unscored..]) {
        *score += stack[0].killer_score(mv);
        if let Some(index) = Histories::low_index(ply, mv) {
            *score += params::quiet_low() * histories.low.get(index) / (1 + ply as i32);
        }
    }
}

/// Squares where effects threaten pieces of the side to move: quiet moves should leave them and not
/// enter them.
struct Threats {
    /// Attacked by the opponent and not by the side to move.
    unsupported: Bitboard,
    /// Attacked by the opponent, and at most once by the side to move: a piece that moves there
    /// does not protect itself.
    hardly_supported: Bitboard,
}

impl Threats {
    fn new(position: &Position) -> Self {
        let (us, effects) = (position.side_to_move(), position.effects());
        let hardly_supported = effects.attacked(opponent(us)) - effects.attacked_twice(us);
        Self { unsupported: effects.unsupported(us), hardly_supported }
    }

    /// The gain of a move on the board that leaves such a square, or the loss of one that enters
    /// it.
    #[inline(always)]
    fn score(&self, mv: Move, arriving: Cell) -> i32 {
        let left = i32::from(self.unsupported.contains(mv.from()));
        (left - i32::from(self.hardly_supported.contains(mv.to()))) * threatened(arriving)
    }
}

/// The weight of a threat to a piece.
#[inline(always)]
fn threatened(piece: Cell) -> i32 {
    exchange_value(piece) * params::quiet_threat() / 16
}

/// Evasions: captures first, by the piece taken; then by histories.
pub(super) fn score_evasions(sources: &mut MoveSources<'_>) {
    let MoveSources { position, histories, stack, lists } = sources;
    let side = position.side_to_move();
    let last = histories.continuation_row(stack[-1].row);
    for i in lists.ranks.len()..lists.moves.len() {
        let evasion = SearchedMove::new(position, lists.moves[i]);
        lists.ranks.push(if evasion.is_capture() {
            (1 << 20) + exchange_value(evasion.captured)
        } else {
            histories.quiet.get(quiet_index(side, evasion.mv)) + last.get(evasion.piece_to)
        });
    }
}
