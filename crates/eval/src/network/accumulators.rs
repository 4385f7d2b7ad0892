//! The transformer's sums along a line of moves, updated move by move and only when needed.

use arrayvec::ArrayVec;
use kiki_board::{COLORS, Color, Delta, PieceKind, PieceOn, Position};

use super::features::{FeatureChanges, FeatureSet, KingBucket, PieceIndex, PieceSet};
use super::transformer::{CacheLine, FeatureSwap, Transformer, TransformerRows};

/// Entries back to the last known sums, at most. Beyond that, compute a side's sums from the pieces
/// on the board.
const MOST_STEPS: usize = 6;

/// Sums after one move.
#[derive(Clone, Copy)]
struct AccumulatorEntry {
    /// The move; `None` at the root.
    delta: Option<Delta>,
    /// By side: whether the sums are computed.
    known: [bool; 2],
}

impl AccumulatorEntry {
    /// Whether a side's features may all have changed: at the root, or after its king moved.
    fn is_new_for(&self, side: Color, features: FeatureSet) -> bool {
        self.delta.is_none_or(|Delta { arrived: PieceOn { cell, .. }, .. }| {
            features.depends_on_king() && cell.is_kind(PieceKind::King) && cell.color() == side
        })
    }
}

/// The last sums computed for a king's square, and the pieces that they belong to.
#[derive(Clone)]
struct CachedSums {
    /// Empty until they are first needed.
    sums: Vec<CacheLine>,
    pieces: PieceSet,
}

/// The sums along the line from the root.
#[derive(Clone)]
pub(super) struct Accumulators {
    features: FeatureSet,
    /// The root and one for each move.
    entries: Vec<AccumulatorEntry>,
    /// `[entry][side]`.
    sums: Vec<CacheLine>,
    /// `[side][king bucket]`.
    cache: Vec<CachedSums>,
    /// Scratch space for the features that a move adds and removes.
    changes: FeatureChanges,
}

impl Accumulators {
    pub(super) fn new(features: FeatureSet) -> Self {
        let root = AccumulatorEntry { delta: None, known: [false; 2] };
        let cache = vec![CachedSums { sums: Vec::new(), pieces: PieceSet::EMPTY }; 2 * KingBucket::COUNT];
        Self { features, entries: vec![root], sums: Vec::new(), cache, changes: FeatureChanges::default() }
    }

    pub(super) fn reset(&mut self) {
        self.entries.truncate(1);
        self.entries[0].known = [false; 2];
    }

    #[inline(always)]
    pub(super) fn push(&mut self, delta: &Delta) {
        self.entries.push(AccumulatorEntry { delta: Some(*delta), known: [false; 2] });
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) {
        self.entries.pop();
    }

    /// The sums of both sides in `position`, which the pushed moves led to; the side to move's
    /// first.
    pub(super) fn sums(&mut self, transformer: &Transformer, position: &Position) -> [&[CacheLine]; 2] {
        let transformer = transformer.rows();
        let lines = transformer.lines;
        let top = self.entries.len() - 1;
        if self.sums.len() < 2 * lines * (top + 1) {
            self.sums.resize(2 * lines * (top + 32), bytemuck::Zeroable::zeroed());
        }
        for side in COLORS {
            if self.entries[top].known[side.array_index()] {
                continue;
            }
            match self.last_known(side) {
                Some(start) => {
                    let king = self.features.king_bucket(side, position.king(side));
                    for entry in start + 1..=top {
                        self.update(transformer, king, side, entry);
                    }
                }
                None => self.refresh(transformer, position, side),
            }
        }
        let (black, white) = self.sums[2 * top * lines..][..2 * lines].split_at(lines);
        match position.side_to_move() {
            Color::Black => [black, white],
            Color::White => [white, black],
        }
    }

    /// The nearest entry with known sums of a side and an unmoved king.
    fn last_known(&self, side: Color) -> Option<usize> {
        let top = self.entries.len() - 1;
        for (steps, entry) in self.entries.iter().rev().enumerate().take(MOST_STEPS + 1) {
            if entry.known[side.array_index()] {
                return Some(top - steps);
            }
            if entry.is_new_for(side, self.features) {
                return None;
            }
        }
        None
    }

    /// Computes the sums of an entry from those of the one before it.
    fn update(&mut self, transformer: TransformerRows<'_>, king: KingBucket, side: Color, entry: usize) {
        let (lines, at) = (transformer.lines, side.array_index());
        let (before, after) = self.sums.split_at_mut(2 * entry * lines);
        let source = &before[(2 * (entry - 1) + at) * lines..][..lines];
        let target = &mut after[at * lines..][..lines];
        if let Some(delta) = &self.entries[entry].delta {
            transformer.update(source, target, &swaps(delta, self.features, king, side));
        }
        self.entries[entry].known[at] = true;
    }

    /// Computes the sums of the last entry from the pieces on the board, starting from the cached
    /// sums for this king square.
    fn refresh(&mut self, transformer: TransformerRows<'_>, position: &Position, side: Color) {
        let (lines, at) = (transformer.lines, side.array_index());
        let king = self.features.king_bucket(side, position.king(side));
        let top = self.entries.len() - 1;
        let target = &mut self.sums[(2 * top + at) * lines..][..lines];
        let cached = &mut self.cache[at * KingBucket::COUNT + king.index];
        if cached.sums.is_empty() {
            cached.sums = transformer.biases().to_vec();
            transformer.change(&mut cached.sums, target, &PieceSet::features_of_empty(king), &[]);
        }
        cached.pieces.change_to(position, self.features, side, king, &mut self.changes);
        let FeatureChanges { added, removed } = &self.changes;
        transformer.change(&mut cached.sums, target, added, removed);
        self.entries[top].known[at] = true;
    }
}

/// The features that a move changes for `side`, whose king bucket stays. At most three: a king that
/// counts as two features, and a capture.
#[inline(always)]
fn swaps(delta: &Delta, set: FeatureSet, king: KingBucket, side: Color) -> ArrayVec<FeatureSwap, 3> {
    let Delta { left, captured, arrived, hand } = delta;
    let mover = arrived.cell.color();
    let mut swaps = ArrayVec::new();
    if arrived.cell.is_kind(PieceKind::King) {
        let [from, to] = [left.sq, arrived.sq].map(|sq| set.of_king(king, side, mover, sq));
        from.zip(to).for_each(|(removed, added)| swaps.push(FeatureSwap { removed, added }));
    } else {
        let from = match delta.dropped_kind() {
            Some(kind) => PieceIndex::in_hand(side, mover, kind, hand.count(kind)),
            None => PieceIndex::on_board(side, left.cell, left.sq),
        };
        let to = PieceIndex::on_board(side, arrived.cell, arrived.sq);
        swaps.push(FeatureSwap { removed: king.feature(from), added: king.feature(to) });
    }
    if let Some(kind) = captured.cell.hand_kind() {
        let taken = PieceIndex::on_board(side, captured.cell, captured.sq);
        let held = PieceIndex::in_hand(side, mover, kind, hand.count(kind) - 1);
        swaps.push(FeatureSwap { removed: king.feature(taken), added: king.feature(held) });
    }
    swaps
}

/// The sums of both sides by their definition, the side to move's first.
#[cfg(test)]
pub(super) fn fresh(transformer: &Transformer, features: FeatureSet, position: &Position) -> [Vec<CacheLine>; 2] {
    let side = position.side_to_move();
    [side, kiki_board::opponent(side)].map(|side| {
        let active = super::features::all_active(position, features, side);
        let mut sums = transformer.rows().biases().to_vec();
        transformer.rows().change(&mut sums.clone(), &mut sums, &active, &[]);
        sums
    })
}
