//! The transformer's sums for both sides, kept up to date move by move and only where they are asked for.

use kiki_board::{Color, Delta, PieceKind, Position};

use super::features::{FeatureSet, KingBucket, PieceIndex, PieceSet};
use super::transformer::{Line, Transformer};

/// A side's sums are worked out from the pieces on the board if the last ones that are known are further back than this.
const MOST_STEPS: usize = 6;

/// Sums after one move.
#[derive(Clone, Copy)]
struct Entry {
    /// The move; `None` at the root.
    delta: Option<Delta>,
    /// By side: whether the sums have been worked out.
    known: [bool; 2],
}

impl Entry {
    /// Whether the features of a side have all changed.
    fn moves_king_of(&self, side: Color) -> bool {
        self.delta.is_none_or(|delta| delta.arrived.cell.is_kind(PieceKind::King) && delta.arrived.cell.color() == side)
    }
}

/// The last sums that were worked out for a king's square, and the pieces that they belong to.
#[derive(Clone)]
struct CachedSums {
    /// Empty until they are first needed.
    sums: Vec<Line>,
    pieces: PieceSet,
}

/// The sums along the line from the root.
#[derive(Clone)]
pub(super) struct Accumulators {
    features: FeatureSet,
    /// The root and one for each move.
    entries: Vec<Entry>,
    /// By entry and side.
    sums: Vec<Line>,
    /// By side and king bucket.
    cache: Vec<CachedSums>,
    /// Room for features to be added and removed.
    lists: [Vec<usize>; 2],
}

impl Accumulators {
    pub(super) fn new(features: FeatureSet) -> Self {
        let root = Entry { delta: None, known: [false; 2] };
        let cache = vec![CachedSums { sums: Vec::new(), pieces: PieceSet::EMPTY }; 2 * KingBucket::COUNT];
        Self { features, entries: vec![root], sums: Vec::new(), cache, lists: [const { Vec::new() }; 2] }
    }

    /// Back to a root.
    pub(super) fn reset(&mut self) {
        self.entries.truncate(1);
        self.entries[0].known = [false; 2];
    }

    #[inline(always)]
    pub(super) fn push(&mut self, delta: &Delta) {
        self.entries.push(Entry { delta: Some(*delta), known: [false; 2] });
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) {
        self.entries.pop();
    }

    /// The sums of a side in `position`, which the pushed moves led to.
    pub(super) fn sums(&mut self, transformer: &Transformer, position: &Position, side: Color) -> &[Line] {
        let lines = transformer.lines();
        let top = self.entries.len() - 1;
        if self.sums.len() < 2 * lines * (top + 1) {
            self.sums.resize(2 * lines * (top + 32), bytemuck::Zeroable::zeroed());
        }
        let at = side.array_index();
        if !self.entries[top].known[at] {
            match self.last_known(side) {
                Some(start) => {
                    let king = self.features.king_bucket(side, position.king(side));
                    (start + 1..=top).for_each(|entry| self.update(transformer, king, side, entry));
                }
                None => self.refresh(transformer, position, side),
            }
        }
        &self.sums[(2 * top + at) * lines..][..lines]
    }

    /// The nearest entry whose sums of a side are known and belong to the same square of the king.
    fn last_known(&self, side: Color) -> Option<usize> {
        let top = self.entries.len() - 1;
        for (steps, entry) in self.entries.iter().rev().enumerate().take(MOST_STEPS + 1) {
            if entry.known[side.array_index()] {
                return Some(top - steps);
            }
            if entry.moves_king_of(side) {
                return None;
            }
        }
        None
    }

    /// Works out the sums of an entry from those of the one before it.
    fn update(&mut self, transformer: &Transformer, king: KingBucket, side: Color, entry: usize) {
        let (lines, at) = (transformer.lines(), side.array_index());
        let (before, after) = self.sums.split_at_mut(2 * entry * lines);
        let source = &before[(2 * (entry - 1) + at) * lines..][..lines];
        let target = &mut after[at * lines..][..lines];
        if let Some(delta) = &self.entries[entry].delta {
            let mut changes = Changes::default();
            changes.read(delta, king, side);
            transformer.update(source, target, changes.added(), changes.removed());
        }
        self.entries[entry].known[at] = true;
    }

    /// Works out the sums of the last entry from the pieces on the board, beginning with the last sums for this square of the king.
    fn refresh(&mut self, transformer: &Transformer, position: &Position, side: Color) {
        let (lines, at) = (transformer.lines(), side.array_index());
        let king = self.features.king_bucket(side, position.king(side));
        let cached = &mut self.cache[at * KingBucket::COUNT + king.index()];
        if cached.sums.is_empty() {
            cached.sums = transformer.biases().to_vec();
        }
        let now = PieceSet::new(position, side);
        let features = |of: &PieceSet, without: &PieceSet, list: &mut Vec<usize>| {
            list.clear();
            list.extend(without.lacking(of).map(|piece| king.feature(piece)));
        };
        let [added, removed] = &mut self.lists;
        features(&now, &cached.pieces, added);
        features(&cached.pieces, &now, removed);
        transformer.change(&mut cached.sums, added, removed);
        cached.pieces = now;
        let top = self.entries.len() - 1;
        self.sums[(2 * top + at) * lines..][..lines].copy_from_slice(&cached.sums);
        self.entries[top].known[at] = true;
    }
}

/// The features that a move changes for one side.
#[derive(Default)]
struct Changes {
    added: [usize; 2],
    added_len: usize,
    removed: [usize; 2],
    removed_len: usize,
}

impl Changes {
    fn added(&self) -> &[usize] {
        &self.added[..self.added_len]
    }

    fn removed(&self) -> &[usize] {
        &self.removed[..self.removed_len]
    }

    fn add(&mut self, feature: usize) {
        self.added[self.added_len] = feature;
        self.added_len += 1;
    }

    fn remove(&mut self, feature: usize) {
        self.removed[self.removed_len] = feature;
        self.removed_len += 1;
    }

    /// The features that a move changes for `side`, whose king stands still.
    fn read(&mut self, delta: &Delta, king: KingBucket, side: Color) {
        let Delta { left, captured, arrived, hand, .. } = delta;
        let mover = arrived.cell.color();
        if let Some(kind) = delta.dropped_kind() {
            self.remove(king.feature(PieceIndex::in_hand(side, mover, kind, hand.count(kind))));
        } else if !left.cell.is_kind(PieceKind::King) {
            self.remove(king.feature(PieceIndex::on_board(side, left.cell, left.sq)));
        }
        if !arrived.cell.is_kind(PieceKind::King) {
            self.add(king.feature(PieceIndex::on_board(side, arrived.cell, arrived.sq)));
        }
        if let Some(kind) = captured.cell.hand_kind() {
            self.remove(king.feature(PieceIndex::on_board(side, captured.cell, captured.sq)));
            self.add(king.feature(PieceIndex::in_hand(side, mover, kind, hand.count(kind) - 1)));
        }
    }
}

/// The sums of both sides, worked out from nothing: the definition.
#[cfg(test)]
pub(super) fn fresh(transformer: &Transformer, features: FeatureSet, position: &Position) -> [Vec<Line>; 2] {
    kiki_board::COLORS.map(|side| {
        let king = features.king_bucket(side, position.king(side));
        let mut sums = transformer.biases().to_vec();
        let pieces = PieceSet::new(position, side);
        let all: Vec<usize> = PieceSet::EMPTY.lacking(&pieces).map(|piece| king.feature(piece)).collect();
        transformer.change(&mut sums, &all, &[]);
        sums
    })
}
