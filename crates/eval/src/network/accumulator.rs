//! The transformer's sums for both sides, kept up to date move by move and only where they are asked for.

use kiki_board::{COLORS, Color, Delta, PieceKind, Position};

use super::features::{FeatureSet, KingBucket, PieceIndex};
use super::piece_set::{FeatureChanges, PieceSet};
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
    changes: FeatureChanges,
}

impl Accumulators {
    pub(super) fn new(features: FeatureSet) -> Self {
        let root = Entry { delta: None, known: [false; 2] };
        let cache = vec![CachedSums { sums: Vec::new(), pieces: PieceSet::EMPTY }; 2 * KingBucket::COUNT];
        Self { features, entries: vec![root], sums: Vec::new(), cache, changes: FeatureChanges::default() }
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

    /// The sums of both sides in `position`, which the pushed moves led to; the side to move's first.
    pub(super) fn sums(&mut self, transformer: &Transformer, position: &Position) -> [&[Line]; 2] {
        let lines = transformer.lines();
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
        let top = self.entries.len() - 1;
        let target = &mut self.sums[(2 * top + at) * lines..][..lines];
        let cached = &mut self.cache[at * KingBucket::COUNT + king.index()];
        if cached.sums.is_empty() {
            cached.sums = transformer.biases().to_vec();
            transformer.change(&mut cached.sums, target, &PieceSet::features_of_empty(king), &[]);
        }
        cached.pieces.change_to(position, side, king, &mut self.changes);
        let FeatureChanges { added, removed } = &self.changes;
        transformer.change(&mut cached.sums, target, added, removed);
        self.entries[top].known[at] = true;
    }
}

/// The features that a move changes for one side: as many are added as removed.
#[derive(Clone, Copy, Default)]
struct Changes {
    added: [u32; 2],
    removed: [u32; 2],
    count: u8,
}

impl Changes {
    fn added(&self) -> &[u32] {
        &self.added[..usize::from(self.count)]
    }

    fn removed(&self) -> &[u32] {
        &self.removed[..usize::from(self.count)]
    }

    /// Adds a feature in the place of another.
    fn exchange(&mut self, removed: u32, added: u32) {
        let at = usize::from(self.count);
        self.added[at] = added;
        self.removed[at] = removed;
        self.count += 1;
    }

    /// The features that a move changes for `side`, whose king stands still.
    #[inline(always)]
    fn read(&mut self, delta: &Delta, king: KingBucket, side: Color) {
        let Delta { left, captured, arrived, hand, .. } = delta;
        let mover = arrived.cell.color();
        if !arrived.cell.is_kind(PieceKind::King) {
            let from = match delta.dropped_kind() {
                Some(kind) => PieceIndex::in_hand(side, mover, kind, hand.count(kind)),
                None => PieceIndex::on_board(side, left.cell, left.sq),
            };
            self.exchange(king.feature(from), king.feature(PieceIndex::on_board(side, arrived.cell, arrived.sq)));
        }
        if let Some(kind) = captured.cell.hand_kind() {
            let held = PieceIndex::in_hand(side, mover, kind, hand.count(kind) - 1);
            self.exchange(king.feature(PieceIndex::on_board(side, captured.cell, captured.sq)), king.feature(held));
        }
    }
}

/// The sums of both sides, worked out from nothing: the definition. The side to move's first.
#[cfg(test)]
pub(super) fn fresh(transformer: &Transformer, features: FeatureSet, position: &Position) -> [Vec<Line>; 2] {
    use super::features::PiecePlacement;
    use kiki_board::{ByColor, opponent};
    let side = position.side_to_move();
    let kings = ByColor::from_fn(|color| position.king(color));
    let hands = ByColor::from_fn(|color| position.hand(color));
    [side, opponent(side)].map(|side| {
        let active = features.active(side, &PiecePlacement { cells: position.cells(), kings, hands });
        let mut sums = transformer.biases().to_vec();
        transformer.change(&mut sums.clone(), &mut sums, &active, &[]);
        sums
    })
}
