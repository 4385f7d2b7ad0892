//! The transformer: the weights of all features, and their addition to the sums of a side.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use kiki_platform::LargeMemory;
use wide::{i8x16, i16x16, u16x16};

/// Number of values in a [`CacheLine`].
pub(super) const LINE: usize = 32;

/// Lines whose sums fit into registers.
const TILE: usize = 4;

/// A feature that replaces another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FeatureSwap {
    pub(super) removed: u32,
    pub(super) added: u32,
}

/// Sixteen numbers twice: a cache line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C, align(64))]
pub(super) struct CacheLine([i16x16; 2]);

impl CacheLine {
    #[cfg(test)]
    pub(super) fn new(numbers: &[i16; LINE]) -> Self {
        let (halves, _) = numbers.as_chunks::<16>();
        Self([i16x16::new(halves[0]), i16x16::new(halves[1])])
    }

    /// Sums wrap around, as in other programs.
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self([self.0[0] + other.0[0], self.0[1] + other.0[1]])
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self([self.0[0] - other.0[0], self.0[1] - other.0[1]])
    }
}

/// Biases, and the weights of all features, as rows padded with zeros to whole lines. The biases
/// come first.
#[derive(Clone, Debug)]
pub(super) struct Transformer {
    /// Lines of a row.
    lines: usize,
    memory: Arc<LargeMemory>,
    /// Where the rows begin and end in the memory, in bytes.
    place: Range<usize>,
}

impl PartialEq for Transformer {
    fn eq(&self, other: &Self) -> bool {
        (self.lines, self.rows().rows) == (other.lines, other.rows().rows)
    }
}

impl Eq for Transformer {}

impl Transformer {
    /// A transformer of L1 biases, and L1 weights for each feature.
    ///
    /// # Panics
    /// If there is no memory for a copy of them.
    pub(super) fn new(l1: usize, biases: &[i16], weights: &[i16]) -> Self {
        let lines = l1.div_ceil(LINE);
        Self::with_rows(l1, weights.len() / l1, |padded| {
            let rows = biases.chunks_exact(l1).chain(weights.chunks_exact(l1));
            for (row, padded) in rows.zip(padded.chunks_exact_mut(LINE * lines)) {
                padded[..l1].copy_from_slice(row);
            }
        })
        .expect("memory for the numbers once more")
    }

    /// A transformer that `write` fills: a row of biases, then one for each feature, padded to
    /// whole lines. The numbers are 0 before.
    pub(super) fn with_rows(l1: usize, features: usize, write: impl FnOnce(&mut [i16])) -> io::Result<Self> {
        let length = Self::length(l1, features);
        let mut memory = LargeMemory::zeroed(length)?;
        write(bytemuck::cast_slice_mut(memory.bytes_mut()));
        Ok(Self::in_memory(l1, Arc::new(memory), 0..length))
    }

    /// A transformer in a part of a memory.
    pub(super) fn in_memory(l1: usize, memory: Arc<LargeMemory>, place: Range<usize>) -> Self {
        Self { lines: l1.div_ceil(LINE), memory, place }
    }

    /// The length of all rows, in bytes.
    pub(super) fn length(l1: usize, features: usize) -> usize {
        size_of::<CacheLine>() * l1.div_ceil(LINE) * (1 + features)
    }

    /// Whether other processes share the numbers.
    #[cfg(test)]
    pub(super) fn is_shared(&self) -> bool {
        self.memory.is_of_file()
    }

    /// A row of biases, then one for each feature, padded to whole lines.
    pub(super) fn numbers(&self) -> &[i16] {
        bytemuck::must_cast_slice(self.rows().rows)
    }

    /// The rows in a form that is fast to use.
    #[inline(always)]
    pub(super) fn rows(&self) -> TransformerRows<'_> {
        TransformerRows { lines: self.lines, rows: bytemuck::cast_slice(&self.memory.bytes()[self.place.clone()]) }
    }
}

/// The rows of a [`Transformer`].
#[derive(Clone, Copy)]
pub(super) struct TransformerRows<'a> {
    /// Lines of a row.
    pub(super) lines: usize,
    rows: &'a [CacheLine],
}

impl<'a> TransformerRows<'a> {
    /// Numbers of a row, with padding.
    pub(super) fn width(self) -> usize {
        LINE * self.lines
    }

    /// The sum without any feature.
    pub(super) fn biases(self) -> &'a [CacheLine] {
        &self.rows[..self.lines]
    }

    #[inline(always)]
    fn row(self, feature: u32) -> &'a [CacheLine] {
        &self.rows[(1 + feature as usize) * self.lines..][..self.lines]
    }

    /// `target = source` plus the weights of added features, less those of removed ones.
    #[inline(always)]
    pub(super) fn update(self, source: &[CacheLine], target: &mut [CacheLine], swaps: &[FeatureSwap]) {
        let (source, target) = (&source[..self.lines], &mut target[..self.lines]);
        let rows = |swap: FeatureSwap| (self.row(swap.added), self.row(swap.removed));
        // Nearly always one change, or two with a capture: these cases need no inner loop.
        match *swaps {
            [swap] => {
                let (added, removed) = rows(swap);
                for line in 0..self.lines {
                    target[line] = source[line].plus(added[line]).minus(removed[line]);
                }
            }
            [first, second] => {
                let [(first_added, first_removed), (second_added, second_removed)] = [first, second].map(rows);
                for line in 0..self.lines {
                    let sum = source[line].plus(first_added[line]).plus(second_added[line]);
                    target[line] = sum.minus(first_removed[line]).minus(second_removed[line]);
                }
            }
            _ => {
                target.copy_from_slice(source);
                for (added, removed) in swaps.iter().copied().map(rows) {
                    for line in 0..self.lines {
                        target[line] = target[line].plus(added[line]).minus(removed[line]);
                    }
                }
            }
        }
    }

    /// Adds the weights of some features to sums, subtracts those of others, and copies the new
    /// sums.
    pub(super) fn change(self, sums: &mut [CacheLine], copy: &mut [CacheLine], added: &[u32], removed: &[u32]) {
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

    /// The sums of so few lines that they stay in registers.
    #[inline(always)]
    fn change_lines<const LINES: usize>(
        self,
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
            // Saturation to the narrower type gives the upper bound.
            *output = bytemuck::cast(i8x16::from_i16x16_saturate(half.max(i16x16::ZERO)).to_array());
        }
    }
}

/// The inputs of a first layer of products. Each number of the first half of the sums is multiplied
/// by its partner in the second half, both doubled and clipped.
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
