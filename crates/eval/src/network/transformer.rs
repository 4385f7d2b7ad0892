//! The transformer: the sum of the weights of all features of a side.

use kiki_memory::prefer_large_pages;
use wide::{i8x16, i16x16};

/// Numbers of a [`Line`].
pub(super) const LINE: usize = 32;

/// Lines whose sums fit into the processor's registers.
const TILE: usize = 4;

/// Sixteen numbers twice: a line of the processor's cache.
#[derive(Clone, Copy, PartialEq, Debug, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C, align(64))]
pub(super) struct Line([i16x16; 2]);

impl Line {
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
#[derive(Clone, Debug)]
pub(super) struct Transformer {
    /// Lines of one feature.
    lines: usize,
    biases: Box<[Line]>,
    weights: Box<[Line]>,
}

impl Transformer {
    pub(super) fn new(l1: usize, biases: &[i16], weights: &[i16]) -> Self {
        let lines = l1.div_ceil(LINE);
        let padded = |numbers: &[i16]| {
            let mut all: Box<[Line]> = bytemuck::zeroed_slice_box(numbers.len() / l1 * lines);
            // Rows are read in no order.
            prefer_large_pages(&all);
            for (row, padded) in numbers.chunks_exact(l1).zip(all.chunks_exact_mut(lines)) {
                for (part, line) in row.chunks(LINE).zip(padded) {
                    let mut numbers = [0; LINE];
                    numbers[..part.len()].copy_from_slice(part);
                    *line = Line::new(&numbers);
                }
            }
            all
        };
        Self { lines, biases: padded(biases), weights: padded(weights) }
    }

    /// Lines of one feature, and of the sum.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    /// The sum without any feature.
    pub(super) fn biases(&self) -> &[Line] {
        &self.biases
    }

    #[inline(always)]
    fn row(&self, feature: u32) -> &[Line] {
        &self.weights[feature as usize * self.lines..][..self.lines]
    }

    /// `target = source` plus the weights of some features and less those of as many others: none, one or two.
    #[inline(always)]
    pub(super) fn update(&self, source: &[Line], target: &mut [Line], added: &[u32], removed: &[u32]) {
        let (source, target) = (&source[..self.lines], &mut target[..self.lines]);
        // Without and with a capture. The compiler needs no inner loop.
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
                // The opponent moved its king.
                debug_assert!(added.is_empty() && removed.is_empty());
                target.copy_from_slice(source);
            }
        }
    }

    /// Adds the weights of some features to sums and takes those of others away; the new sums are also copied.
    pub(super) fn change(&self, sums: &mut [Line], copy: &mut [Line], added: &[u32], removed: &[u32]) {
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
        mut sums: [Line; LINES],
        start: usize,
        added: &[u32],
        removed: &[u32],
    ) -> [Line; LINES] {
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
pub(super) fn clip(sums: &[Line], outputs: &mut [u8]) {
    let (outputs, _) = outputs.as_chunks_mut::<16>();
    for (line, outputs) in sums.iter().zip(outputs.chunks_exact_mut(2)) {
        for (half, output) in line.0.iter().zip(outputs) {
            // The upper bound is that of the narrower number.
            *output = bytemuck::cast(i8x16::from_i16x16_saturate(half.max(i16x16::ZERO)).to_array());
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
        clip(&[Line::new(&numbers)], &mut outputs);
        let expected: [u8; LINE] = std::array::from_fn(|n| [0, 0, 0, 1, 126, 127, 127, 127][n % 8]);
        assert_eq!(outputs, expected);
    }
}
