//! The transformer: the sum of the weights of all features of a side.

/// Numbers that lie in one line of the processor's cache.
pub(super) const LINE: usize = 32;

/// A line of the cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(super) struct Line(pub(super) [i16; LINE]);

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
            for (row, padded) in numbers.chunks_exact(l1).zip(all.chunks_exact_mut(lines)) {
                for (part, line) in row.chunks(LINE).zip(padded) {
                    line.0[..part.len()].copy_from_slice(part);
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
    fn row(&self, feature: usize) -> &[Line] {
        &self.weights[feature * self.lines..][..self.lines]
    }

    /// `target = source` plus the weights of some features and less those of others. Sums wrap around, as they do in other programs.
    #[inline(always)]
    pub(super) fn update(&self, source: &[Line], target: &mut [Line], added: &[usize], removed: &[usize]) {
        match (added, removed) {
            (&[add], &[remove]) => {
                let (add, remove) = (self.row(add), self.row(remove));
                for (at, target) in target.iter_mut().enumerate() {
                    for lane in 0..LINE {
                        target.0[lane] =
                            source[at].0[lane].wrapping_add(add[at].0[lane]).wrapping_sub(remove[at].0[lane]);
                    }
                }
            }
            (&[add_one, add_two], &[remove_one, remove_two]) => {
                let (add_one, add_two) = (self.row(add_one), self.row(add_two));
                let (remove_one, remove_two) = (self.row(remove_one), self.row(remove_two));
                for (at, target) in target.iter_mut().enumerate() {
                    for lane in 0..LINE {
                        target.0[lane] = source[at].0[lane]
                            .wrapping_add(add_one[at].0[lane])
                            .wrapping_add(add_two[at].0[lane])
                            .wrapping_sub(remove_one[at].0[lane])
                            .wrapping_sub(remove_two[at].0[lane]);
                    }
                }
            }
            _ => {
                target.copy_from_slice(source);
                self.change(target, added, removed);
            }
        }
    }

    /// Adds and takes away the weights of features.
    pub(super) fn change(&self, target: &mut [Line], added: &[usize], removed: &[usize]) {
        for &feature in added {
            for (target, weights) in target.iter_mut().zip(self.row(feature)) {
                (0..LINE).for_each(|lane| target.0[lane] = target.0[lane].wrapping_add(weights.0[lane]));
            }
        }
        for &feature in removed {
            for (target, weights) in target.iter_mut().zip(self.row(feature)) {
                (0..LINE).for_each(|lane| target.0[lane] = target.0[lane].wrapping_sub(weights.0[lane]));
            }
        }
    }
}

/// The inputs of the first layer: sums clipped to 0 to 127.
#[inline(always)]
pub(super) fn clip(sums: &[Line], outputs: &mut [u8]) {
    let (outputs, _) = outputs.as_chunks_mut::<LINE>();
    for (sums, outputs) in sums.iter().zip(outputs) {
        for lane in 0..LINE {
            outputs[lane] = sums.0[lane].clamp(0, 127) as u8;
        }
    }
}
