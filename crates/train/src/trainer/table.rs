//! The transformer in training: a row of numbers for each feature.

use kiki_eval::FeatureSet;
use kiki_platform::prefer_large_pages;
use rand::RngExt as _;
use rand_pcg::Pcg64;
use rayon::prelude::*;

use super::adam::{Adam, Moments};
use super::head::ACTIVATION;
use super::index::{FeatureSlots, FeatureViews};

/// Greatest distance of the first numbers from 0.
const FIRST_WEIGHT: f32 = 0.05;

/// The greatest weight of a feature, its piece's included. The sums of the most features that are set, 42, and of the bias fit into the 16 bits
/// of a network file, in which 254 stands for 1.
pub(super) const GREATEST_FEATURE: f32 = 2.9;

/// Rows of numbers with their moments, and the step that changed each row last.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rows {
    width: usize,
    pub(super) numbers: Vec<f32>,
    pub(super) moments: Moments,
    /// One more than the number of the step; 0 for an unchanged row.
    pub(super) changed: Vec<u64>,
}

impl Rows {
    fn zero(rows: usize, width: usize) -> Self {
        let (numbers, moments) = (vec![0.0; rows * width], Moments::new(rows * width));
        // Rows are read in random order.
        [&numbers, &moments.first, &moments.second].into_iter().for_each(|numbers| prefer_large_pages(numbers));
        Self { width, numbers, moments, changed: vec![0; rows] }
    }

    fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The numbers of a row.
    fn row(&self, row: usize) -> &[f32] {
        &self.numbers[row * self.width..][..self.width]
    }

    /// Forgets all gradients and changes.
    pub(super) fn forget_moments(&mut self) {
        self.moments.forget();
        self.changed.fill(0);
    }

    /// Ranges of this many rows.
    fn ranges(&mut self, rows: usize) -> impl IndexedParallelIterator<Item = RowRange<'_>> {
        let part = rows * self.width;
        let moments = self.moments.first.par_chunks_mut(part).zip(self.moments.second.par_chunks_mut(part));
        self.numbers
            .par_chunks_mut(part)
            .zip(moments)
            .zip(self.changed.par_chunks_mut(rows))
            .map(|((numbers, (first, second)), changed)| RowRange { numbers, first, second, changed })
    }
}

/// A range of rows.
struct RowRange<'a> {
    numbers: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    changed: &'a mut [u64],
}

impl RowRange<'_> {
    fn update(&mut self, row: usize, gradient: &[f32], adam: Adam, step: u64, most: f32) {
        let range = row * gradient.len()..(row + 1) * gradient.len();
        let moments = [&mut self.first[range.clone()], &mut self.second[range.clone()]];
        let (numbers, gap) = (&mut self.numbers[range], step + 1 - self.changed[row]);
        adam.decay(numbers, gap);
        adam.update(numbers, moments, gradient, gap, most);
        self.changed[row] = step + 1;
    }
}

/// The weights of the transformer, in units of a whole activation.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FeatureTable {
    width: usize,
    /// Number of king squares, and so of rows of a piece.
    kings: usize,
    /// The features' own weights, `[piece][king][unit]`.
    pub(super) rows: Rows,
    /// The common weights of a piece for all king squares, `[piece][unit]`. Empty if features are not factorised.
    pub(super) pieces: Rows,
}

impl FeatureTable {
    /// A table with random numbers. They stand in the pieces' rows if there are any, so that a feature without data has the value of its
    /// piece elsewhere.
    pub(super) fn new(features: FeatureSet, width: usize, factorised: bool, random: &mut Pcg64) -> Self {
        let kings = features.king_squares();
        let mut rows = Rows::zero(features.count(), width);
        // What all squares of a single one share is all of it.
        let is_split = factorised && kings > 1;
        let mut pieces = Rows::zero(if is_split { features.pieces() } else { 0 }, width);
        let first = if is_split { &mut pieces } else { &mut rows };
        first.numbers.iter_mut().for_each(|number| *number = random.random_range(-FIRST_WEIGHT..=FIRST_WEIGHT));
        Self { width, kings, rows, pieces }
    }

    /// Writes the weights of a feature, its piece's included, as a file holds them.
    pub(super) fn weights(&self, feature: usize, weights: &mut [i16]) {
        let own = self.rows.row(feature);
        if self.is_factorised() {
            let piece = self.pieces.row(feature / self.kings);
            weights
                .iter_mut()
                .zip(own.iter().zip(piece))
                .for_each(|(weight, (own, piece))| *weight = unit(own + piece));
        } else {
            weights.iter_mut().zip(own).for_each(|(weight, &own)| *weight = unit(own));
        }
    }

    /// The weights of all features of a batch, `[slot][unit]`.
    pub(super) fn gather(&self, slots: &FeatureSlots, gathered: &mut Vec<i16>) {
        let width = self.width;
        resize(gathered, slots.features().len() * width);
        let rows = gathered.par_chunks_exact_mut(width).zip(slots.features());
        rows.with_min_len(64).for_each(|(weights, &feature)| self.weights(feature as usize, weights));
    }

    fn is_factorised(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// Changes the rows of all features of a batch by `of_rows`, and those of their pieces by `of_pieces`. The gradient of a row is the sum
    /// over the views with its feature; `gradients` is `[view][unit]`.
    pub(super) fn update(
        &mut self,
        (slots, views): (&FeatureSlots, &FeatureViews),
        gradients: &[f32],
        [of_rows, of_pieces]: [Adam; 2],
        step: u64,
    ) {
        let (width, kings) = (self.width, self.kings);
        let features = slots.features();
        let most = if self.is_factorised() { GREATEST_FEATURE / 2.0 } else { GREATEST_FEATURE };
        let first_slot = |feature: usize| features.partition_point(|&other| (other as usize) < feature);
        let update_piece = |piece: usize, mut rows: RowRange<'_>| {
            let range = first_slot(piece * kings)..first_slot((piece + 1) * kings);
            if range.is_empty() {
                return None;
            }
            let mut of_piece = vec![0.0; width];
            let mut of_row = vec![0.0; width];
            for slot in range {
                let (views, king) = (views.of_slot(slot), features[slot] as usize % kings);
                let gradient = if let [view] = *views {
                    &gradients[view as usize * width..][..width]
                } else {
                    of_row.fill(0.0);
                    let views = views.iter().map(|&view| view as usize);
                    add_rows(&mut of_row, gradients, views, |one, other| one + other);
                    &of_row
                };
                rows.update(king, gradient, of_rows, step, most);
                add(&mut of_piece, gradient);
            }
            Some(of_piece)
        };
        let ranges = self.rows.ranges(kings).enumerate();
        if self.pieces.is_empty() {
            ranges.for_each(|(piece, rows)| {
                update_piece(piece, rows);
            });
        } else {
            ranges.zip(self.pieces.ranges(1)).for_each(|((piece, rows), mut whole)| {
                if let Some(gradient) = update_piece(piece, rows) {
                    whole.update(0, &gradient, of_pieces, step, most);
                }
            });
        }
    }
}

/// The integer of a file for a number of the transformer, which is at most [`GREATEST_FEATURE`]: the nearest one.
#[inline(always)]
pub(super) fn unit(number: f32) -> i16 {
    /// Numbers of this size have no fraction, and the integer added to it stands in their lowest bits.
    const WHOLE: f32 = 12_582_912.0;
    (number * ACTIVATION + WHOLE).to_bits() as i16
}

/// Makes a list this long. What it holds then is of no meaning.
pub(super) fn resize<T: Copy + Default>(list: &mut Vec<T>, length: usize) {
    if length > list.capacity() {
        // Some more, as the next batch may have more features.
        *list = vec![T::default(); length + length / 8];
        prefer_large_pages(list);
    }
    list.resize(length, T::default());
}

/// Adds rows, four at a time: they are far apart in memory and wait for it together.
#[inline(always)]
pub(super) fn add_rows<T: Copy>(
    sums: &mut [T],
    numbers: &[T],
    rows: impl ExactSizeIterator<Item = usize>,
    plus: impl Fn(T, T) -> T,
) {
    let width = sums.len();
    let mut rows = rows.map(|row| &numbers[row * width..][..width]);
    while rows.len() >= 4 {
        let [one, two, three, four] = std::array::from_fn(|_| rows.next().expect("as many rows are left"));
        for ((((sum, &one), &two), &three), &four) in sums.iter_mut().zip(one).zip(two).zip(three).zip(four) {
            *sum = plus(*sum, plus(plus(one, two), plus(three, four)));
        }
    }
    rows.for_each(|row| sums.iter_mut().zip(row).for_each(|(sum, &term)| *sum = plus(*sum, term)));
}

#[inline(always)]
fn add(sums: &mut [f32], terms: &[f32]) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_the_nearest_integers() {
        for (number, expected) in [(0.0, 0), (1.0, 127), (-1.0, -127), (2.9, 368), (-2.9, -368), (0.4 / 127.0, 0)] {
            assert_eq!(unit(number), expected);
        }
        for hundredths in -36_000..36_000 {
            // Halves, which may go either way, are left out.
            let number = hundredths as f32 / 100.0;
            if hundredths % 50 != 0 {
                assert_eq!(unit(number / ACTIVATION), number.round() as i16);
            }
        }
    }
}
