//! Storage for what the search learns about moves and evaluations while it runs. `node/update.rs`
//! decides what it learns.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI16, Ordering};

use kiki_board::{COLORS, Cell, Color, Delta, Move, PieceKind, PieceOn, Position, Sq, piece_key};
use kiki_platform::prefer_large_pages;

use crate::table::prefetch;

/// A counter of one thread.
type Own = std::cell::Cell<i16>;

/// Entries that are forgotten together.
const BLOCK: usize = 1024;

/// A counter in memory, of one thread ([`Own`]) or of several that read and write it as a whole.
pub(crate) trait Counter: bytemuck::Zeroable {
    fn load(&self) -> i16;
    fn store(&self, value: i16);
}

impl Counter for Own {
    #[inline(always)]
    fn load(&self) -> i16 {
        self.get()
    }

    #[inline(always)]
    fn store(&self, value: i16) {
        self.set(value);
    }
}

impl Counter for AtomicI16 {
    #[inline(always)]
    fn load(&self) -> i16 {
        self.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn store(&self, value: i16) {
        self.store(value, Ordering::Relaxed);
    }
}

/// A table of counters between `-LIMIT` and `LIMIT`, starting at `START`.
pub(crate) struct History<E, const LIMIT: i32, const START: i16> {
    /// Counters less their start: the system provides zeros and commits a page only at its first
    /// write.
    entries: Box<[E]>,
    /// Blocks with learned counters. After short searches they are few, and clearing everything
    /// would take longer than the search.
    touched: Box<[AtomicBool]>,
}

impl<E: Counter, const LIMIT: i32, const START: i16> History<E, LIMIT, START> {
    /// Counters at their start, in large pages if wanted.
    ///
    /// # Errors
    /// If there is no memory.
    fn new(len: usize, large_pages: bool) -> io::Result<Self> {
        let entries: Box<[E]> = bytemuck::try_zeroed_slice_box(len).map_err(|()| io::ErrorKind::OutOfMemory)?;
        if large_pages {
            prefer_large_pages(&entries);
        }
        Ok(Self { entries, touched: bytemuck::zeroed_slice_box(len.div_ceil(BLOCK)) })
    }

    /// Sets all counters to their start.
    pub(crate) fn clear(&self) {
        self.clear_part(0, 1, false);
    }

    /// Does one of `parts` parts of [`History::clear`]. Makes the memory resident if wanted.
    fn clear_part(&self, part: usize, parts: usize, resident: bool) {
        let size = self.touched.len().div_ceil(parts);
        let blocks = self.entries.chunks(BLOCK).zip(&self.touched).skip(part * size).take(size);
        for (block, touched) in blocks {
            // Most blocks have learned nothing: to swap the flag of each would take longer.
            if touched.load(Ordering::Relaxed) {
                touched.store(false, Ordering::Relaxed);
                block.iter().for_each(|entry| entry.store(0));
            } else if resident {
                block[0].store(0);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> i32 {
        i32::from(self.entries[index].load()) + i32::from(START)
    }

    #[inline(always)]
    pub(crate) fn prefetch(&self, index: usize) {
        prefetch(&self.entries[index]);
    }

    #[inline(always)]
    pub(crate) fn row(&self, start: usize, len: usize) -> CounterRow<'_, E> {
        CounterRow { entries: &self.entries[start..start + len], start: i32::from(START) }
    }

    /// Adds a bonus, limited to `LIMIT`. Adds less the nearer the counter is to its limit ("history
    /// gravity").
    #[inline(always)]
    pub(crate) fn add(&self, index: usize, bonus: i32) {
        let bonus = bonus.clamp(-LIMIT, LIMIT);
        let old = self.get(index);
        let new = old + bonus - old * bonus.abs() / LIMIT;
        self.entries[index].store((new - i32::from(START)) as i16);
        self.touched[index / BLOCK].store(true, Ordering::Relaxed);
    }
}

/// Counters of one history side by side.
pub(crate) struct CounterRow<'a, E> {
    entries: &'a [E],
    start: i32,
}

impl<E: Counter> CounterRow<'_, E> {
    #[inline(always)]
    pub(crate) fn get(&self, piece_to: PieceTo) -> i32 {
        i32::from(self.entries[piece_to.index()].load()) + self.start
    }

    /// Adds a multiple of the counters from `start` on to as many sums. Does many at a time if no
    /// other thread shares them.
    #[inline(always)]
    pub(crate) fn add_to(&self, sums: &mut [i32], start: usize, weight: i32) {
        for (sum, entry) in sums.iter_mut().zip(&self.entries[start..]) {
            *sum += weight * (i32::from(entry.load()) + self.start);
        }
    }
}

/// A move as the piece that arrives (promoted if it promotes) and its destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PieceTo(u16);

impl PieceTo {
    /// Number of move indices: 14 kinds of either colour on 81 squares.
    pub(crate) const COUNT: usize = 28 * Sq::COUNT;

    /// No move, or a null move: the row after all others. It is never the later move of a pair.
    pub(crate) const NONE: Self = Self(Self::COUNT as u16);

    #[inline(always)]
    pub(crate) fn new(piece: Cell, to: Sq) -> Self {
        // Kinds are numbered from 1 to 14 for Black and from 17 to 30 for White.
        let piece = piece.index() - 1 - 2 * (piece.index() >> 4);
        Self((piece * Sq::COUNT + to.index()) as u16)
    }

    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A move of a node with the properties that index the histories.
#[derive(Clone, Copy)]
pub(crate) struct SearchedMove {
    pub(crate) mv: Move,
    pub(crate) piece_to: PieceTo,
    /// The piece on the destination; empty for a quiet move.
    pub(crate) captured: Cell,
}

impl SearchedMove {
    /// No move, or a null move.
    pub(crate) const NONE: Self = Self { mv: Move::NONE, piece_to: PieceTo::NONE, captured: Cell::EMPTY };

    /// For a move that is legal in `position`, before it is made.
    #[inline(always)]
    pub(crate) fn new(position: &Position, mv: Move) -> Self {
        Self { mv, piece_to: PieceTo::new(position.arriving(mv), mv.to()), captured: position.cell(mv.to()) }
    }

    #[inline(always)]
    pub(crate) fn is_capture(&self) -> bool {
        !self.captured.is_empty()
    }

    /// Index in the capture history: `[piece and destination][kind captured]`. A quiet check reads
    /// an entry that nothing teaches.
    #[inline(always)]
    pub(crate) fn capture_index(&self) -> usize {
        self.piece_to.index() * KINDS + self.captured.kind_index()
    }
}

/// Kinds of captured pieces, 0 for none.
const KINDS: usize = 16;
/// Moves in fifteen bits.
const MOVES: usize = 1 << 15;
/// Plies from the root with their own quiet history.
const LOW_PLIES: usize = 5;
/// Threads beyond this number share the memory of this many, and use small pages.
const FEW_THREADS: usize = 64;
/// Rows of the pawn history for each thread that shares it.
const PAWN_ROWS: usize = 1 << 13;
/// Rows of the correction history for each thread that shares it.
const CORRECTION_ROWS: usize = 1 << 16;
/// Entries of a row of the correction history.
const CORRECTIONS: usize = 8;
/// Pairs of an earlier move, perhaps none, and a later one.
const PAIRS: usize = (PieceTo::COUNT + 1) * PieceTo::COUNT;
const CONTINUATION_TABLES: usize = 4;

/// Memory of the histories of this many threads, in bytes.
#[must_use]
pub fn history_bytes(threads: usize) -> usize {
    let own = 1 + (2 + LOW_PLIES) * MOVES + PieceTo::COUNT * KINDS + (CONTINUATION_TABLES + 1) * PAIRS;
    let shared = shares(threads) * (PAWN_ROWS * PieceTo::COUNT + CORRECTION_ROWS * CORRECTIONS);
    (threads * own + shared) * size_of::<i16>()
}

/// By how much the histories that threads share are larger than those of one thread.
fn shares(threads: usize) -> usize {
    threads.clamp(1, FEW_THREADS).next_power_of_two()
}

/// Start of a row of the continuation history: the counters of all moves after an earlier one.
#[derive(Clone, Copy)]
pub(crate) struct ContinuationRow(u32);

impl ContinuationRow {
    /// No move, or a null move.
    pub(crate) const NONE: Self = Self((PieceTo::NONE.0 as usize * PieceTo::COUNT) as u32);

    /// The row for a move by a side in check or not, a capture or not.
    #[inline(always)]
    pub(crate) fn new(in_check: bool, capture: bool, piece_to: PieceTo) -> Self {
        let table = 2 * usize::from(in_check) + usize::from(capture);
        Self(((table * (PieceTo::COUNT + 1) + piece_to.index()) * PieceTo::COUNT) as u32)
    }

    #[inline(always)]
    pub(crate) fn index(self, piece_to: PieceTo) -> usize {
        self.0 as usize + piece_to.index()
    }
}

#[inline(always)]
pub(crate) fn pair_index(earlier: PieceTo, piece_to: PieceTo) -> usize {
    earlier.index() * PieceTo::COUNT + piece_to.index()
}

#[inline(always)]
pub(crate) fn quiet_index(side: Color, mv: Move) -> usize {
    side.array_index() * MOVES + usize::from(mv.bits())
}

/// The histories of one thread, and the shared ones. The formulas of the search assume these limits
/// and start values.
pub(crate) struct Histories {
    /// Quiet moves: [`quiet_index`].
    pub(crate) quiet: History<Own, 7183, 0>,
    /// Quiet moves near the root, forgotten before every search: `[ply][move]`.
    pub(crate) low: History<Own, 7183, 98>,
    /// [`SearchedMove::capture_index`].
    pub(crate) capture: History<Own, 10_692, -678>,
    /// `[ContinuationRow][piece and destination]`.
    pub(crate) continuation: History<Own, 30_000, -523>,
    /// Errors of the evaluation after pairs of moves: [`pair_index`].
    pub(crate) pair_correction: History<Own, 1024, 6>,
    /// Whether the table's move proved best: a single counter.
    pub(crate) table_move: History<Own, 8192, 0>,
    pub(crate) shared: Arc<SharedHistories>,
}

impl Histories {
    /// # Panics
    /// If there is no memory, which the thread survives.
    pub(crate) fn new(shared: Arc<SharedHistories>) -> Self {
        fn history<const LIMIT: i32, const START: i16>(len: usize, large: bool) -> History<Own, LIMIT, START> {
            History::new(len, large).expect("memory for histories")
        }
        // With many threads each searches little: small pages commit only the memory it touches.
        let few = shared.threads <= FEW_THREADS;
        Self {
            quiet: history(2 * MOVES, false),
            low: history(LOW_PLIES * MOVES, false),
            capture: history(PieceTo::COUNT * KINDS, false),
            continuation: history(CONTINUATION_TABLES * PAIRS, few),
            pair_correction: history(PAIRS, few),
            table_move: history(1, false),
            shared,
        }
    }

    /// Forgets everything, and this thread's part of the shared histories. Makes the memory
    /// resident if wanted.
    pub(crate) fn clear(&self, thread: usize, resident: bool) {
        self.quiet.clear();
        self.low.clear();
        self.capture.clear();
        self.table_move.clear();
        self.continuation.clear_part(0, 1, resident);
        self.pair_correction.clear_part(0, 1, resident);
        self.shared.clear(thread, resident);
    }

    /// Index in the quiet history near the root; `None` farther away.
    #[inline(always)]
    pub(crate) fn low_index(ply: usize, mv: Move) -> Option<usize> {
        (ply < LOW_PLIES).then(|| ply * MOVES + usize::from(mv.bits()))
    }

    /// The counters of a move by `side` and of those with another destination: `[destination]`.
    #[inline(always)]
    pub(crate) fn quiet_row(&self, side: Color, mv: Move) -> CounterRow<'_, Own> {
        self.quiet.row(quiet_index(side, mv) - mv.to().index(), Sq::COUNT)
    }

    /// The counters of all moves after an earlier one.
    #[inline(always)]
    pub(crate) fn continuation_row(&self, row: ContinuationRow) -> CounterRow<'_, Own> {
        self.continuation.row(row.0 as usize, PieceTo::COUNT)
    }
}

/// The histories that the threads of a searcher share. Writes of one thread reach the others
/// eventually.
pub(crate) struct SharedHistories {
    threads: usize,
    /// By pawn structure: `[row][piece and destination]`.
    pub(crate) pawn: History<AtomicI16, 8192, -1238>,
    /// Errors of the evaluation: `[row][side to move][kind of key]`.
    pub(crate) correction: History<AtomicI16, 1024, 0>,
    /// By how much they are larger than those of one thread.
    shares: usize,
}

impl SharedHistories {
    /// For this number of threads.
    ///
    /// # Errors
    /// If there is no memory.
    pub(crate) fn new(threads: usize) -> io::Result<Self> {
        let shares = shares(threads);
        Ok(Self {
            threads: threads.max(1),
            pawn: History::new(shares * PAWN_ROWS * PieceTo::COUNT, true)?,
            correction: History::new(shares * CORRECTION_ROWS * CORRECTIONS, true)?,
            shares,
        })
    }

    /// Forgets a thread's part.
    fn clear(&self, thread: usize, resident: bool) {
        self.pawn.clear_part(thread, self.threads, resident);
        self.correction.clear_part(thread, self.threads, resident);
    }

    /// The start of the pawn history's row of a position.
    #[inline(always)]
    pub(crate) fn pawn_start(&self, keys: &StructureKeys) -> usize {
        (keys.pawn as usize & (self.shares * PAWN_ROWS - 1)) * PieceTo::COUNT
    }

    #[inline(always)]
    pub(crate) fn pawn_row(&self, keys: &StructureKeys) -> CounterRow<'_, AtomicI16> {
        self.pawn.row(self.pawn_start(keys), PieceTo::COUNT)
    }

    /// The indices of a position's corrections: by pawns, by minor pieces, by Black's and White's
    /// other pieces.
    #[inline(always)]
    pub(crate) fn correction_indices(&self, keys: &StructureKeys, side: Color) -> [usize; 4] {
        let index = |key: u64, kind: usize| {
            (key as usize & (self.shares * CORRECTION_ROWS - 1)) * CORRECTIONS
                + side.array_index() * (CORRECTIONS / 2)
                + kind
        };
        let [black, white] = keys.others;
        [index(keys.pawn, 0), index(keys.minor, 1), index(black, 2), index(white, 3)]
    }
}

/// Zobrist keys of parts of the board, without hands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StructureKeys {
    pawn: u64,
    /// Lances, knights, silvers, golds and what moves like gold, of both sides.
    minor: u64,
    /// All pieces of a side but pawns: Black's, White's.
    others: [u64; 2],
}

impl StructureKeys {
    pub(crate) const EMPTY: Self = Self { pawn: 0, minor: 0, others: [0; 2] };

    pub(crate) fn of(position: &Position) -> Self {
        let mut keys = Self::EMPTY;
        for color in COLORS {
            for sq in position.pieces_of(color) {
                keys.toggle(PieceOn { cell: position.cell(sq), sq });
            }
        }
        keys
    }

    /// The keys after a move.
    #[inline(always)]
    pub(crate) fn after(mut self, delta: &Delta) -> Self {
        if !delta.left.cell.is_empty() {
            self.toggle(delta.left);
        }
        if !delta.captured.cell.is_empty() {
            self.toggle(delta.captured);
        }
        self.toggle(delta.arrived);
        self
    }

    #[inline(always)]
    fn toggle(&mut self, piece: PieceOn) {
        use PieceKind::{Gold, Knight, Lance, ProKnight, ProLance, ProPawn, ProSilver, Silver};
        /// Bits of kinds.
        const MINOR: u32 = (1 << Lance as u32 | 1 << Knight as u32 | 1 << Silver as u32 | 1 << Gold as u32)
            | (1 << ProPawn as u32 | 1 << ProLance as u32 | 1 << ProKnight as u32 | 1 << ProSilver as u32);
        let key = piece_key(piece.cell, piece.sq);
        if piece.cell.is_kind(PieceKind::Pawn) {
            self.pawn ^= key;
        } else {
            self.others[piece.cell.color().array_index()] ^= key;
            if MINOR >> piece.cell.kind_index() & 1 != 0 {
                self.minor ^= key;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_nears_its_limits_as_the_specification_counts() {
        fn after<const LIMIT: i32, const START: i16>(start: i32, bonus: i32) -> i32 {
            let history = History::<Own, LIMIT, START>::new(1, false).unwrap();
            history.entries[0].store(start as i16 - START);
            history.add(0, bonus);
            history.get(0)
        }
        assert_eq!(after::<7183, 0>(0, 1000), 1000);
        assert_eq!(after::<7183, 0>(5000, 1000), 5304);
        assert_eq!(after::<10_692, -678>(-678, 1018), 404);
        assert_eq!(after::<30_000, -523>(-523, 1514), 1017);
        assert_eq!(after::<7183, 98>(98, -600), -510);
        let history = History::<Own, 7183, 98>::new(1, false).unwrap();
        assert_eq!(history.get(0), 98);
        (0..1000).for_each(|_| history.add(0, 30_000));
        assert_eq!(history.get(0), 7183);
        (0..1000).for_each(|_| history.add(0, -7183));
        assert_eq!(history.get(0), -7183);
        history.clear();
        assert_eq!(history.get(0), 98);
    }

    #[test]
    fn the_memory_of_histories_is_known_beforehand() {
        for threads in [1, 2, 3] {
            let shared = Arc::new(SharedHistories::new(threads).unwrap());
            let Histories { quiet, low, capture, continuation, pair_correction, table_move, shared: _ } =
                Histories::new(Arc::clone(&shared));
            let own = [&quiet.entries, &low.entries, &capture.entries, &continuation.entries, &pair_correction.entries]
                .map(|entries| entries.len());
            let own = own.iter().sum::<usize>() + table_move.entries.len();
            let SharedHistories { threads: _, pawn, correction, shares: _ } = &*shared;
            let shared = pawn.entries.len() + correction.entries.len();
            assert_eq!(history_bytes(threads), 2 * (threads * own + shared), "{threads}");
        }
    }

    #[test]
    fn every_piece_on_every_square_has_an_index_of_its_own() {
        let mut seen = vec![false; PieceTo::COUNT];
        for color in COLORS {
            for kind in kiki_board::ALL_KINDS {
                for sq in Sq::all() {
                    let index = PieceTo::new(Cell::new(kind, color), sq).index();
                    assert!(!std::mem::replace(&mut seen[index], true), "{kind:?}");
                }
            }
        }
        assert!(seen.iter().all(|&seen| seen));
    }

    #[test]
    fn threads_together_forget_all_that_they_share() {
        let shared = SharedHistories::new(3).unwrap();
        let last = shared.pawn.entries.len() - 1;
        for index in [0, last / 2, last] {
            shared.pawn.add(index, 500);
        }
        shared.correction.add(shared.correction.entries.len() - 1, 500);
        (0..3).for_each(|thread| shared.clear(thread, true));
        assert!([0, last / 2, last].iter().all(|&index| shared.pawn.get(index) == -1238));
        assert_eq!(shared.correction.get(shared.correction.entries.len() - 1), 0);
    }
}
