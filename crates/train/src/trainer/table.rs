//! The transformer in training: a row of numbers for each feature.

use kiki_eval::Shape;
use kiki_platform::prefer_large_pages;
use rand::RngExt as _;
use rand_pcg::Pcg64;
use rayon::prelude::*;

use super::layers::{Adam, Moments};
use super::samples::ActiveFeatures;

/// Greatest distance of the first numbers from 0.
const FIRST_WEIGHT: f32 = 0.05;

/// Rows of numbers with their moments, and the step that changed each row last.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rows {
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
        Self { numbers, moments, changed: vec![0; rows] }
    }

    /// Forgets all gradients and changes.
    pub(super) fn forget_moments(&mut self) {
        self.moments.forget();
        self.changed.fill(0);
    }

    fn parts(&mut self, rows: usize, width: usize) -> impl IndexedParallelIterator<Item = RowsPart<'_>> {
        let part = rows * width;
        let moments = self.moments.first.par_chunks_mut(part).zip(self.moments.second.par_chunks_mut(part));
        self.numbers
            .par_chunks_mut(part)
            .zip(moments)
            .zip(self.changed.par_chunks_mut(rows))
            .map(|((numbers, (first, second)), changed)| RowsPart { numbers, first, second, changed })
    }
}

/// A range of rows.
struct RowsPart<'a> {
    numbers: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    changed: &'a mut [u64],
}

impl RowsPart<'_> {
    fn update(&mut self, row: usize, gradient: &[f32], adam: Adam, step: u64) {
        let range = row * gradient.len()..(row + 1) * gradient.len();
        let (first, second) = (&mut self.first[range.clone()], &mut self.second[range.clone()]);
        adam.update(&mut self.numbers[range], first, second, gradient, step + 1 - self.changed[row]);
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
    pub(super) fn new(shape: Shape, factorised: bool, random: &mut Pcg64) -> Self {
        let width = shape.l1;
        let mut rows = Rows::zero(shape.features.count(), width);
        let mut pieces = Rows::zero(if factorised { shape.features.pieces() } else { 0 }, width);
        let first = if factorised { &mut pieces } else { &mut rows };
        first.numbers.iter_mut().for_each(|number| *number = random.random_range(-FIRST_WEIGHT..=FIRST_WEIGHT));
        Self { width, kings: shape.features.king_squares(), rows, pieces }
    }

    /// Adds the weights of all features to a row.
    pub(super) fn add(&self, features: &ActiveFeatures, sums: &mut [f32]) {
        add_rows(sums, &self.rows.numbers, features, |feature| feature as usize);
        if self.is_factorised() {
            add_rows(sums, &self.pieces.numbers, features, |feature| feature as usize / self.kings);
        }
    }

    /// The weights of a feature, its piece's included.
    pub(super) fn weights(&self, feature: usize) -> Vec<f32> {
        let mut weights = row(&self.rows.numbers, feature, self.width).to_vec();
        if self.is_factorised() {
            add(&mut weights, row(&self.pieces.numbers, feature / self.kings, self.width));
        }
        weights
    }

    fn is_factorised(&self) -> bool {
        !self.pieces.numbers.is_empty()
    }

    /// Changes the rows of all features of `index` by `of_rows`, and those of their pieces by `of_pieces`. The gradient of a row is the sum
    /// over the views with its feature; `gradients` is `[view][unit]`.
    pub(super) fn update(
        &mut self,
        index: &FeatureIndex,
        gradients: &[f32],
        [of_rows, of_pieces]: [Adam; 2],
        step: u64,
    ) {
        let (width, kings) = (self.width, self.kings);
        let update_piece = |piece: usize, mut rows: RowsPart<'_>| {
            let mut of_piece = vec![0.0; width];
            let mut of_row = vec![0.0; width];
            let mut seen = false;
            for king in 0..kings {
                let views = index.views(piece * kings + king);
                if !views.is_empty() {
                    of_row.fill(0.0);
                    add_rows(&mut of_row, gradients, views, |view| view as usize);
                    rows.update(king, &of_row, of_rows, step);
                    add(&mut of_piece, &of_row);
                    seen = true;
                }
            }
            seen.then_some(of_piece)
        };
        let parts = self.rows.parts(kings, width).enumerate();
        if self.pieces.numbers.is_empty() {
            parts.for_each(|(piece, rows)| {
                update_piece(piece, rows);
            });
        } else {
            parts.zip(self.pieces.parts(1, width)).for_each(|((piece, rows), mut whole)| {
                if let Some(gradient) = update_piece(piece, rows) {
                    whole.update(0, &gradient, of_pieces, step);
                }
            });
        }
    }
}

fn row(numbers: &[f32], row: usize, width: usize) -> &[f32] {
    &numbers[row * width..][..width]
}

/// Adds the rows that `row_of` names for each item, four at a time: rows are far apart in memory and wait for it together.
#[inline(always)]
fn add_rows(sums: &mut [f32], numbers: &[f32], items: &[u32], row_of: impl Fn(u32) -> usize) {
    let width = sums.len();
    let (fours, rest) = items.as_chunks::<4>();
    for &four in fours {
        let [one, two, three, four] = four.map(|item| row(numbers, row_of(item), width));
        for ((((sum, one), two), three), four) in sums.iter_mut().zip(one).zip(two).zip(three).zip(four) {
            *sum += (one + two) + (three + four);
        }
    }
    rest.iter().for_each(|&item| add(sums, row(numbers, row_of(item), width)));
}

#[inline(always)]
fn add(sums: &mut [f32], terms: &[f32]) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
}

/// The views of a batch for each feature. A view is a side of a sample: twice the sample, plus 1 for the side not to move.
#[derive(Clone, Debug, Default)]
pub(super) struct FeatureIndex {
    /// The start of the views of each feature, and the end of the last.
    starts: Vec<u32>,
    views: Vec<u32>,
}

impl FeatureIndex {
    /// Takes the views of a batch in their order, with features below `count`.
    pub(super) fn fill<'a>(&mut self, count: usize, views: impl Iterator<Item = &'a ActiveFeatures> + Clone) {
        self.starts.clear();
        self.starts.resize(count + 2, 0);
        // Two places on, so that the second pass can count upwards from the starts.
        views.clone().flatten().for_each(|&feature| self.starts[feature as usize + 2] += 1);
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.views.resize(sum as usize, 0);
        for (view, features) in views.enumerate() {
            for &feature in features {
                let place = &mut self.starts[feature as usize + 1];
                self.views[*place as usize] = view as u32;
                *place += 1;
            }
        }
    }

    /// The views that have a feature, in their order; twice if it is set twice.
    fn views(&self, feature: usize) -> &[u32] {
        &self.views[self.starts[feature] as usize..self.starts[feature + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use kiki_eval::FeatureSet;

    use super::*;

    #[test]
    fn an_index_has_every_view_of_every_feature() {
        let mut views = [[0; FeatureSet::ACTIVE]; 3];
        for (view, features) in views.iter_mut().enumerate() {
            for (slot, feature) in features.iter_mut().enumerate() {
                *feature = ((7 * view + 3 * slot) % 50) as u32;
            }
        }
        let mut index = FeatureIndex::default();
        for _ in 0..2 {
            index.fill(50, views.iter());
            for feature in 0..50 {
                let expected: Vec<u32> = (0..3)
                    .flat_map(|view| {
                        let times = views[view].iter().filter(|&&set| set as usize == feature).count();
                        std::iter::repeat_n(view as u32, times)
                    })
                    .collect();
                assert_eq!(index.views(feature), expected);
            }
        }
    }
}
