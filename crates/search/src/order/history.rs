//! What the search learns about moves and evaluations while it runs: the storage. `node/update.rs` decides what is learned.

use kiki_board::{COLORS, Cell, Color, Move, Position, Sq, exchange_value, opponent};
use kiki_platform::prefer_large_pages;

use crate::params;
use crate::value::{EVAL_LIMIT, Value};

/// Counters stay between `-LIMIT` and `LIMIT`.
const LIMIT: i32 = 16_384;

/// Successes less failures; older ones count less.
#[derive(Clone, Copy, Default, Debug)]
#[repr(transparent)]
pub(crate) struct Counter(i16);

impl Counter {
    /// From `-LIMIT` to `LIMIT`.
    #[inline(always)]
    pub(crate) fn get(self) -> i32 {
        i32::from(self.0)
    }

    /// Adds a bonus of at most `LIMIT`. The nearer the counter is to its limit, the less is added ("history gravity").
    #[inline(always)]
    pub(crate) fn add(&mut self, bonus: i32) {
        let old = self.get();
        self.0 = (old + bonus - old * bonus.abs() / LIMIT) as i16;
    }
}

/// A move as the piece that arrives (promoted if it promotes) and its destination: the key of continuation histories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PieceTo(u16);

impl PieceTo {
    /// Number of different indices.
    const COUNT: usize = Cell::COUNT * Sq::COUNT;

    /// No move. Its histories stay 0.
    pub(crate) const NONE: Self = Self(0);

    #[inline(always)]
    pub(crate) fn new(piece: Cell, to: Sq) -> Self {
        Self((piece.index() * Sq::COUNT + to.index()) as u16)
    }

    /// Less than [`PieceTo::COUNT`].
    #[inline(always)]
    fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A move of a node with the properties that index its histories.
#[derive(Clone, Copy)]
pub(crate) struct SearchedMove {
    pub(crate) mv: Move,
    pub(crate) piece_to: PieceTo,
    /// The piece on the destination; empty for a quiet move and for a pawn promotion without capture.
    pub(crate) captured: Cell,
    /// Whether the move is ordered and learned as a capture: captures and pawn promotions.
    pub(crate) tactical: bool,
}

impl SearchedMove {
    /// For a move that is legal in `position`, before it is made.
    #[inline(always)]
    pub(crate) fn new(position: &Position, mv: Move) -> Self {
        let piece_to = PieceTo::new(position.arriving(mv), mv.to());
        Self { mv, piece_to, captured: position.cell(mv.to()), tactical: position.is_tactical(mv) }
    }
}

/// Origins of moves: 81 squares, then the kinds of drops.
const ORIGINS: usize = 89;
/// Kinds of captured pieces, 0 for none.
const KINDS: usize = 16;

/// All histories of one thread. Their memory starts as zeros and is committed as it is used.
pub(crate) struct Histories {
    /// Quiet moves and drops ("butterfly history"): `[colour][origin][destination]`.
    quiet: Vec<Counter>,
    /// `[piece-to][captured kind]`.
    capture: Vec<Counter>,
    /// `[piece-to of an earlier move][piece-to of the move]`.
    continuation: Vec<Counter>,
    /// The quiet move that last refuted the opponent's move: `[piece-to of that move]`.
    counter_moves: Vec<Move>,
    /// Errors of the static evaluation.
    pub(crate) correction: CorrectionHistory,
}

impl Histories {
    pub(crate) fn new() -> Self {
        let zeros = |len| vec![Counter::default(); len];
        let continuation = zeros(PieceTo::COUNT * PieceTo::COUNT);
        prefer_large_pages(&continuation);
        Self {
            quiet: zeros(2 * ORIGINS * Sq::COUNT),
            capture: zeros(PieceTo::COUNT * KINDS),
            continuation,
            counter_moves: vec![Move::NONE; PieceTo::COUNT],
            correction: CorrectionHistory::new(),
        }
    }

    /// Sets everything to zero. The memory stays committed.
    pub(crate) fn clear(&mut self) {
        for table in [&mut self.quiet, &mut self.capture, &mut self.continuation] {
            table.fill(Counter::default());
        }
        self.counter_moves.fill(Move::NONE);
        self.correction.0.iter_mut().for_each(|table| table.fill(Counter::default()));
    }

    /// The counter of a quiet move by `side`.
    #[inline(always)]
    pub(crate) fn quiet(&self, side: Color, mv: Move) -> i32 {
        self.quiet[quiet_index(side, mv)].get()
    }

    #[inline(always)]
    pub(crate) fn quiet_mut(&mut self, side: Color, mv: Move) -> &mut Counter {
        &mut self.quiet[quiet_index(side, mv)]
    }

    /// The counter of a capture, or of a pawn promotion, which may capture an empty cell.
    #[inline(always)]
    pub(crate) fn capture(&self, piece_to: PieceTo, captured: Cell) -> i32 {
        self.capture[piece_to.index() * KINDS + captured.kind_index()].get()
    }

    #[inline(always)]
    pub(crate) fn capture_mut(&mut self, piece_to: PieceTo, captured: Cell) -> &mut Counter {
        &mut self.capture[piece_to.index() * KINDS + captured.kind_index()]
    }

    /// The counters of all moves after the move `earlier`.
    #[inline(always)]
    pub(crate) fn continuation(&self, earlier: PieceTo) -> ContinuationRow<'_> {
        let start = earlier.index() * PieceTo::COUNT;
        ContinuationRow(&self.continuation[start..start + PieceTo::COUNT])
    }

    #[inline(always)]
    pub(crate) fn continuation_mut(&mut self, earlier: PieceTo, now: PieceTo) -> &mut Counter {
        &mut self.continuation[earlier.index() * PieceTo::COUNT + now.index()]
    }

    /// The quiet move that last refuted `earlier`, or none.
    #[inline(always)]
    pub(crate) fn counter_move(&self, earlier: PieceTo) -> Move {
        self.counter_moves[earlier.index()]
    }

    pub(crate) fn set_counter_move(&mut self, earlier: PieceTo, mv: Move) {
        self.counter_moves[earlier.index()] = mv;
    }
}

#[inline(always)]
fn quiet_index(side: Color, mv: Move) -> usize {
    (side.array_index() * ORIGINS + mv.origin()) * Sq::COUNT + mv.to().index()
}

/// The part of the continuation history that belongs to one earlier move.
#[derive(Clone, Copy)]
pub(crate) struct ContinuationRow<'a>(&'a [Counter]);

impl ContinuationRow<'_> {
    /// The counter of the move `now`.
    #[inline(always)]
    pub(crate) fn get(self, now: PieceTo) -> i32 {
        self.0[now.index()].get()
    }
}

/// Keys of the pair of hands.
const HANDS: usize = 1 << 14;
/// Squares of a king, and one for a side without a king.
const KING_SQUARES: usize = Sq::COUNT + 1;
/// Kinds of hanging pieces: the two most valuable ones of the side to move and the opponent's most valuable one.
const HANGING: usize = 16 * 16 * 16;

/// Number of values of each feature for either side to move: the hands, the squares of the kings, the last move of the opponent, the last
/// move of the side to move, hanging pieces.
const SIZES: [usize; 5] = [HANDS, KING_SQUARES * KING_SQUARES, PieceTo::COUNT, PieceTo::COUNT, HANGING];

/// The error of the static evaluation that searches found in positions sharing a feature: `[feature][side to move][value]`.
pub(crate) struct CorrectionHistory([Vec<Counter>; SIZES.len()]);

/// The indices of a position in the tables of [`CorrectionHistory`].
#[derive(Clone, Copy)]
pub(crate) struct CorrectionKeys([usize; SIZES.len()]);

impl CorrectionKeys {
    /// For frames that no position has been written to yet.
    pub(crate) const NONE: Self = Self([0; SIZES.len()]);

    /// For a position reached by the opponent's move `last`, before which the side to move played `own`.
    #[inline(always)]
    pub(crate) fn new(position: &Position, last: PieceTo, own: PieceTo) -> Self {
        let key = position.hand_key();
        let [black, white] = COLORS.map(|color| position.king(color).index().min(Sq::COUNT));
        let mut keys = [
            (key ^ key >> 32) as usize % HANDS,
            black * KING_SQUARES + white,
            last.index(),
            own.index(),
            hanging_kinds(position),
        ];
        for (index, size) in keys.iter_mut().zip(SIZES) {
            *index += position.side_to_move().array_index() * size;
        }
        Self(keys)
    }
}

impl CorrectionHistory {
    fn new() -> Self {
        Self(SIZES.map(|size| vec![Counter::default(); 2 * size]))
    }

    /// The static evaluation `eval` plus its expected error, in centipawns.
    #[inline(always)]
    pub(crate) fn correct(&self, keys: CorrectionKeys, eval: Value) -> Value {
        // The greatest correction by each feature, in quarters of a centipawn.
        let weights = [
            params::correction_hands(),
            params::correction_kings(),
            params::correction_last(),
            params::correction_own(),
            params::correction_hanging(),
        ];
        let tables = self.0.iter().zip(keys.0).zip(weights);
        let sum: Value = tables.map(|((table, index), weight)| weight * table[index].get()).sum();
        (eval + sum / (LIMIT * 4)).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// Learns that a search of `depth` plies came out `error` centipawns above the static evaluation.
    #[inline(always)]
    pub(crate) fn learn(&mut self, keys: CorrectionKeys, error: Value, depth: i32) {
        let bonus = (error * depth * params::correction_rate() / 16).clamp(-LIMIT / 4, LIMIT / 4);
        for (table, index) in self.0.iter_mut().zip(keys.0) {
            table[index].add(bonus);
        }
    }
}

#[inline(always)]
fn hanging_kinds(position: &Position) -> usize {
    let side = position.side_to_move();
    let [first, second] = hanging(position, side);
    let [theirs, _] = hanging(position, opponent(side));
    (first.kind_index() * 16 + second.kind_index()) * 16 + theirs.kind_index()
}

/// The two most valuable hanging pieces of a side, which the enemy attacks and nobody supports; empty cells if there are none.
#[inline(always)]
pub(crate) fn hanging(position: &Position, color: Color) -> [Cell; 2] {
    let (mut first, mut second) = ((0, Cell::EMPTY), (0, Cell::EMPTY));
    for sq in position.pieces_of(color) & position.effects().unsupported(color) {
        let cell = position.cell(sq);
        let value = exchange_value(cell);
        if value > first.0 {
            (first, second) = ((value, cell), first);
        } else if value > second.0 {
            second = (value, cell);
        }
    }
    [first.1, second.1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_board::PieceKind;

    #[test]
    fn a_counter_nears_its_limits_and_never_leaves_them() {
        let mut counter = Counter::default();
        let mut last = counter.get();
        for _ in 0..1000 {
            counter.add(1600);
            assert!((last..=LIMIT).contains(&counter.get()));
            last = counter.get();
        }
        assert!(last > LIMIT * 9 / 10, "{last}");
        counter.add(-1600);
        assert!(last - counter.get() > 1600, "failures after many successes count more");
        (0..1000).for_each(|_| counter.add(-LIMIT));
        assert_eq!(counter.get(), -LIMIT);
    }

    #[test]
    fn what_is_attacked_and_not_supported_hangs() {
        // A lance attacks the gold, a pawn the knight; the silver, attacked too, is supported by its king.
        let position = Position::from_sfen("l3k1l2/9/9/8p/G7N/9/9/6S2/5K3 b - 1").unwrap();
        let kinds = hanging(&position, Color::Black).map(Cell::kind);
        assert_eq!(kinds, [Some(PieceKind::Gold), Some(PieceKind::Knight)]);
        assert_eq!(hanging(&position, Color::White), [Cell::EMPTY; 2]);
    }
}
