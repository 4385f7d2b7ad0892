//! The transformer: the sums of the weights of all features of each side, updated move by move, and only when they are needed.

use kiki_board::{COLORS, Color, Delta, PieceKind, PieceOn, Position};
use kiki_platform::prefer_large_pages;
use wide::{i8x16, i16x16, u16x16};

use super::features::{FeatureChanges, PieceSet};
use super::features::{FeatureSet, KingBucket, PieceIndex};

/// Number of values in a [`CacheLine`].
pub(super) const LINE: usize = 32;

/// Lines whose sums fit into the processor's registers.
const TILE: usize = 4;

/// Sixteen numbers twice: a line of the processor's cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C, align(64))]
pub(super) struct CacheLine([i16x16; 2]);

impl CacheLine {
    #[cfg(test)]
    pub(super) fn new(numbers: &[i16; LINE]) -> Self {
        let (halves, _) = numbers.as_chunks::<16>();
        Self([i16x16::new(halves[0]), i16x16::new(halves[1])])
    }

    /// Sums wrap around, as they do in other programs.
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self([self.0[0] + other.0[0], self.0[1] + other.0[1]])
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self([self.0[0] - other.0[0], self.0[1] - other.0[1]])
    }
}

/// The weights of all features, padded with zeros to whole lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Transformer {
    /// Lines of one feature.
    lines: usize,
    biases: Box<[CacheLine]>,
    weights: Box<[CacheLine]>,
}

impl Transformer {
    pub(super) fn new(l1: usize, biases: &[i16], weights: &[i16]) -> Self {
        let mut transformer = Self::zero(l1, weights.len() / l1);
        let lines = transformer.lines;
        for (numbers, padded) in [(biases, &mut transformer.biases), (weights, &mut transformer.weights)] {
            for (row, padded) in numbers.chunks_exact(l1).zip(padded.chunks_exact_mut(lines)) {
                bytemuck::must_cast_slice_mut(padded)[..l1].copy_from_slice(row);
            }
        }
        transformer
    }

    /// All numbers are 0.
    pub(super) fn zero(l1: usize, features: usize) -> Self {
        let lines = l1.div_ceil(LINE);
        let [biases, weights] = [1, features].map(|rows| bytemuck::zeroed_slice_box(rows * lines));
        // Rows are read in random order.
        prefer_large_pages(&weights);
        Self { lines, biases, weights }
    }

    /// Biases and weights, of a width of whole lines.
    pub(super) fn numbers(&self) -> (&[i16], &[i16]) {
        (bytemuck::must_cast_slice(&self.biases), bytemuck::must_cast_slice(&self.weights))
    }

    /// Biases and weights, of a width of whole lines.
    pub(super) fn numbers_mut(&mut self) -> (&mut [i16], &mut [i16]) {
        (bytemuck::must_cast_slice_mut(&mut self.biases), bytemuck::must_cast_slice_mut(&mut self.weights))
    }

    /// Lines of one feature, and of the sum.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    /// The sum without any feature.
    pub(super) fn biases(&self) -> &[CacheLine] {
        &self.biases
    }

    #[inline(always)]
    fn row(&self, feature: u32) -> &[CacheLine] {
        &self.weights[feature as usize * self.lines..][..self.lines]
    }

    /// `target = source` plus the weights of some features and less those of as many others.
    #[inline(always)]
    pub(super) fn update(&self, source: &[CacheLine], target: &mut [CacheLine], added: &[u32], removed: &[u32]) {
        let (source, target) = (&source[..self.lines], &mut target[..self.lines]);
        // Nearly always one, or two with a capture. The compiler needs no inner loop.
        match (added, removed) {
            (&[added], &[removed]) => {
                let (added, removed) = (self.row(added), self.row(removed));
                for line in 0..self.lines {
                    target[line] = source[line].plus(added[line]).minus(removed[line]);
                }
            }
            (&[first_added, second_added], &[first_removed, second_removed]) => {
                let added = [self.row(first_added), self.row(second_added)];
                let removed = [self.row(first_removed), self.row(second_removed)];
                for line in 0..self.lines {
                    let sum = source[line].plus(added[0][line]).plus(added[1][line]);
                    target[line] = sum.minus(removed[0][line]).minus(removed[1][line]);
                }
            }
            _ => {
                debug_assert_eq!(added.len(), removed.len());
                target.copy_from_slice(source);
                for (&added, &removed) in added.iter().zip(removed) {
                    let (added, removed) = (self.row(added), self.row(removed));
                    for line in 0..self.lines {
                        target[line] = target[line].plus(added[line]).minus(removed[line]);
                    }
                }
            }
        }
    }

    /// Adds the weights of some features to sums and takes those of others away; the new sums are also copied.
    pub(super) fn change(&self, sums: &mut [CacheLine], copy: &mut [CacheLine], added: &[u32], removed: &[u32]) {
        let (tiles, rest) = sums[..self.lines].as_chunks_mut::<TILE>();
        let (copied_tiles, copied_rest) = copy[..self.lines].as_chunks_mut::<TILE>();
        for (at, (sums, copy)) in tiles.iter_mut().zip(copied_tiles).enumerate() {
            *sums = self.change_lines(*sums, TILE * at, added, removed);
            *copy = *sums;
        }
        let start = self.lines - rest.len();
        for (at, (sum, copy)) in rest.iter_mut().zip(copied_rest).enumerate() {
            [*sum] = self.change_lines([*sum], start + at, added, removed);
            *copy = *sum;
        }
    }

    /// The sums of some lines, so few that they stay in the processor's registers.
    #[inline(always)]
    fn change_lines<const LINES: usize>(
        &self,
        mut sums: [CacheLine; LINES],
        start: usize,
        added: &[u32],
        removed: &[u32],
    ) -> [CacheLine; LINES] {
        for &feature in added {
            let weights = &self.row(feature)[start..][..LINES];
            for line in 0..LINES {
                sums[line] = sums[line].plus(weights[line]);
            }
        }
        for &feature in removed {
            let weights = &self.row(feature)[start..][..LINES];
            for line in 0..LINES {
                sums[line] = sums[line].minus(weights[line]);
            }
        }
        sums
    }
}

/// The inputs of the first layer: sums clipped to 0 to 127.
#[inline(always)]
pub(super) fn clip(sums: &[CacheLine], outputs: &mut [u8]) {
    let (outputs, _) = outputs.as_chunks_mut::<16>();
    for (line, outputs) in sums.iter().zip(outputs.chunks_exact_mut(2)) {
        for (half, output) in line.0.iter().zip(outputs) {
            // The upper bound is that of the narrower number.
            *output = bytemuck::cast(i8x16::from_i16x16_saturate(half.max(i16x16::ZERO)).to_array());
        }
    }
}

/// The inputs of a first layer that are products: of each number of the first half of the sums, doubled and clipped, with that of the
/// second half.
#[inline(always)]
pub(super) fn multiply_pairs(sums: &[CacheLine], outputs: &mut [u8]) {
    let (first, second) = sums.split_at(sums.len() / 2);
    let (outputs, _) = outputs.as_chunks_mut::<16>();
    // 254 stands for 1.
    let clip = |numbers: i16x16| -> u16x16 {
        bytemuck::must_cast((numbers << 1_i32).max(i16x16::ZERO).min(i16x16::splat(254)))
    };
    for ((first, second), outputs) in first.iter().zip(second).zip(outputs.chunks_exact_mut(2)) {
        for ((&first, &second), output) in first.0.iter().zip(&second.0).zip(outputs) {
            let products: i16x16 = bytemuck::must_cast((clip(first) * clip(second)) >> 9_u32);
            *output = bytemuck::cast(i8x16::from_i16x16_saturate(products).to_array());
        }
    }
}

/// If the last known sums of a side are more entries back than this, its sums are computed from the pieces on the board.
const MOST_STEPS: usize = 6;

/// Sums after one move.
#[derive(Clone, Copy)]
struct Entry {
    /// The move; `None` at the root.
    delta: Option<Delta>,
    /// By side: whether the sums are computed.
    known: [bool; 2],
}

impl Entry {
    /// Whether no feature of a side need be the same as before.
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
    entries: Vec<Entry>,
    /// `[entry][side]`.
    sums: Vec<CacheLine>,
    /// `[side][king bucket]`.
    cache: Vec<CachedSums>,
    /// Scratch space for the features that a move adds and removes.
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
    pub(super) fn sums(&mut self, transformer: &Transformer, position: &Position) -> [&[CacheLine]; 2] {
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
            if entry.is_new_for(side, self.features) {
                return None;
            }
        }
        None
    }

    /// Computes the sums of an entry from those of the one before it.
    fn update(&mut self, transformer: &Transformer, king: KingBucket, side: Color, entry: usize) {
        let (lines, at) = (transformer.lines(), side.array_index());
        let (before, after) = self.sums.split_at_mut(2 * entry * lines);
        let source = &before[(2 * (entry - 1) + at) * lines..][..lines];
        let target = &mut after[at * lines..][..lines];
        if let Some(delta) = &self.entries[entry].delta {
            let mut changes = Changes::default();
            changes.read(delta, self.features, king, side);
            transformer.update(source, target, changes.added(), changes.removed());
        }
        self.entries[entry].known[at] = true;
    }

    /// Computes the sums of the last entry from the pieces on the board, starting from the last sums for this square of the king.
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
        cached.pieces.change_to(position, self.features, side, king, &mut self.changes);
        let FeatureChanges { added, removed } = &self.changes;
        transformer.change(&mut cached.sums, target, added, removed);
        self.entries[top].known[at] = true;
    }
}

/// The features that a move changes for one side: as many are added as removed.
#[derive(Clone, Copy, Default)]
struct Changes {
    added: [u32; Self::MOST],
    removed: [u32; Self::MOST],
    count: u8,
}

impl Changes {
    /// A king that is two features, and a capture.
    const MOST: usize = 3;

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

    /// The features that a move changes for `side`, whose king bucket stays.
    #[inline(always)]
    fn read(&mut self, delta: &Delta, set: FeatureSet, king: KingBucket, side: Color) {
        let Delta { left, captured, arrived, hand, .. } = delta;
        let mover = arrived.cell.color();
        if arrived.cell.is_kind(PieceKind::King) {
            let [from, to] = [left.sq, arrived.sq].map(|sq| set.of_king(king, side, mover, sq));
            from.zip(to).for_each(|(from, to)| self.exchange(from, to));
        } else {
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

/// The sums of both sides by their definition, the side to move's first.
#[cfg(test)]
pub(super) fn fresh(transformer: &Transformer, features: FeatureSet, position: &Position) -> [Vec<CacheLine>; 2] {
    let side = position.side_to_move();
    [side, kiki_board::opponent(side)].map(|side| {
        let active = super::features::all_active(position, features, side);
        let mut sums = transformer.biases().to_vec();
        transformer.change(&mut sums.clone(), &mut sums, &active, &[]);
        sums
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_clipped_on_both_sides() {
        let numbers: [i16; LINE] = std::array::from_fn(|n| [-32_768, -1, 0, 1, 126, 127, 128, 32_767][n % 8]);
        let mut outputs = [9; LINE];
        clip(&[CacheLine::new(&numbers)], &mut outputs);
        let expected: [u8; LINE] = std::array::from_fn(|n| [0, 0, 0, 1, 126, 127, 127, 127][n % 8]);
        assert_eq!(outputs, expected);
    }
}
