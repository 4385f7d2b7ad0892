//! The transformer in training: a row of numbers for each feature.

use kiki_eval::FeatureSet;
use kiki_platform::prefer_large_pages;
use rand::RngExt as _;
use rand_pcg::Pcg64;
use rayon::prelude::*;

use super::adam::{Adam, AdamMoments};
use super::head::ACTIVATION;
use super::index::{FeatureSlots, FeatureViews};

/// Maximum absolute value of the initial weights.
const FIRST_WEIGHT: f32 = 0.05;

/// The greatest weight of a feature, common ones included. At most 42 features are set: their sum
/// and the bias fit into 16 bits of a network file, where 254 stands for 1.
pub(super) const GREATEST_FEATURE: f32 = 2.9;

/// Rows of numbers with their moments, and the step that changed each row last.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rows {
    pub(super) width: usize,
    pub(super) numbers: Vec<f32>,
    pub(super) moments: AdamMoments,
    /// One more than the number of the step; 0 for an unchanged row.
    pub(super) changed: Vec<u64>,
}

impl Rows {
    pub(super) fn zero(rows: usize, width: usize) -> Self {
        let (numbers, moments) = (vec![0.0; rows * width], AdamMoments::new(rows * width));
        // Rows are read in random order.
        [&numbers, &moments.first, &moments.second].into_iter().for_each(|numbers| prefer_large_pages(numbers));
        Self { width, numbers, moments, changed: vec![0; rows] }
    }

    fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    pub(super) fn row(&self, row: usize) -> &[f32] {
        &self.numbers[row * self.width..][..self.width]
    }

    pub(super) fn forget_moments(&mut self) {
        self.moments.forget();
        self.changed.fill(0);
    }

    /// Ranges of this many rows.
    pub(super) fn ranges(&mut self, rows: usize) -> impl IndexedParallelIterator<Item = RowRange<'_>> {
        let part = rows * self.width;
        let moments = self.moments.first.par_chunks_mut(part).zip(self.moments.second.par_chunks_mut(part));
        self.numbers
            .par_chunks_mut(part)
            .zip(moments)
            .zip(self.changed.par_chunks_mut(rows))
            .map(|((numbers, (first, second)), changed)| RowRange { numbers, first, second, changed })
    }
}

pub(super) struct RowRange<'a> {
    pub(super) numbers: &'a mut [f32],
    pub(super) first: &'a mut [f32],
    pub(super) second: &'a mut [f32],
    pub(super) changed: &'a mut [u64],
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

pub(super) struct FeatureGradients<'a> {
    pub(super) slots: &'a FeatureSlots,
    pub(super) views: &'a FeatureViews,
    /// Those of the sums of each view, `[view][unit]`.
    pub(super) of_views: &'a [f32],
    /// Buffer for those of each feature, the sum over its views: `[slot][unit]`.
    pub(super) of_slots: &'a mut Vec<f32>,
}

/// The weights of the transformer, in units of a whole activation.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FeatureTable {
    features: FeatureSet,
    width: usize,
    /// The features' own weights, `[piece][king][unit]`.
    pub(super) rows: Rows,
    /// The common weights of a piece for all king squares, `[piece][unit]`. Empty if features are
    /// not factorised.
    pub(super) pieces: Rows,
    /// The common weights of a kind of piece at an offset from the king, `[relation][unit]`. Empty
    /// with `pieces`.
    pub(super) relations: Rows,
}

impl FeatureTable {
    /// A table with random numbers: in the pieces' rows if there are any, so that a feature without
    /// data has the value of its piece elsewhere.
    pub(super) fn new(features: FeatureSet, width: usize, factorised: bool, random: &mut Pcg64) -> Self {
        let kings = features.king_squares();
        let mut rows = Rows::zero(features.count(), width);
        // With a single king square there is nothing to share.
        let is_split = factorised && kings > 1;
        let [mut pieces, relations] =
            [features.pieces(), features.relations()].map(|rows| Rows::zero(if is_split { rows } else { 0 }, width));
        let first = if is_split { &mut pieces } else { &mut rows };
        first.numbers.iter_mut().for_each(|number| *number = random.random_range(-FIRST_WEIGHT..=FIRST_WEIGHT));
        Self { features, width, rows, pieces, relations }
    }

    /// Takes over the weights of a file, `[piece][king][unit]`. What features have in common goes
    /// to the common rows: the mean of those of a piece, and then of those at the same offset from
    /// the king.
    pub(super) fn take_weights<'a>(&mut self, weights: impl Iterator<Item = &'a [i16]>) {
        let (width, kings) = (self.width, self.features.king_squares());
        for (row, weights) in self.rows.numbers.chunks_exact_mut(width).zip(weights) {
            row.iter_mut().zip(weights).for_each(|(number, &weight)| *number = f32::from(weight) / ACTIVATION);
        }
        self.pieces.numbers.fill(0.0);
        if self.is_factorised() {
            let features = self.features;
            share(&mut self.rows, &mut self.pieces, |feature| Some(feature / kings));
            share(&mut self.rows, &mut self.relations, |feature| features.relation(feature / kings, feature % kings));
        }
    }

    /// Writes the weights of a feature, common ones included, as a file holds them.
    pub(super) fn weights(&self, feature: usize, weights: &mut [i16]) {
        let own = self.rows.row(feature);
        let weights = weights.iter_mut();
        if !self.is_factorised() {
            weights.zip(own).for_each(|(weight, &own)| *weight = unit(own));
            return;
        }
        let piece = self.pieces.row(feature / self.features.king_squares());
        let both = own.iter().zip(piece).map(|(own, piece)| own + piece);
        match self.relation(feature) {
            Some(relation) => {
                let all = both.zip(self.relations.row(relation)).map(|(both, relation)| both + relation);
                weights.zip(all).for_each(|(weight, sum)| *weight = unit(sum));
            }
            None => weights.zip(both).for_each(|(weight, sum)| *weight = unit(sum)),
        }
    }

    /// The row of `relations` that a feature shares: same kind, same offset from the king.
    fn relation(&self, feature: usize) -> Option<usize> {
        let kings = self.features.king_squares();
        self.features.relation(feature / kings, feature % kings)
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

    /// Changes the rows of all features of a batch by `of_rows`, and common ones by `of_common`.
    pub(super) fn update(&mut self, gradients: FeatureGradients<'_>, [of_rows, of_common]: [Adam; 2], step: u64) {
        let FeatureGradients { slots, views, of_views, of_slots } = gradients;
        let (width, kings) = (self.width, self.features.king_squares());
        let features = slots.features();
        let most = if self.is_factorised() { GREATEST_FEATURE / 3.0 } else { GREATEST_FEATURE };
        resize(of_slots, features.len() * width);
        let mut rest = &mut of_slots[..];
        let mut slot = 0;
        let of_pieces: Vec<(usize, &mut [f32])> = (1..=self.features.pieces())
            .map(|next| {
                let start = slot;
                slot += features[start..].partition_point(|&feature| (feature as usize) < next * kings);
                (start, rest.split_off_mut(..(slot - start) * width).expect("a place for every slot"))
            })
            .collect();
        let update_rows = |mut rows: RowRange<'_>, (start, of_slots): (usize, &mut [f32])| {
            for (gradient, slot) in of_slots.chunks_exact_mut(width).zip(start..) {
                gradient.fill(0.0);
                let views = views.of_slot(slot).iter().map(|&view| view as usize);
                add_rows(gradient, of_views, views, |one, other| one + other);
                rows.update(features[slot] as usize % kings, gradient, of_rows, step, most);
            }
        };
        let ranges = self.rows.ranges(kings).zip(of_pieces);
        if self.pieces.is_empty() {
            ranges.for_each(|(rows, slots)| update_rows(rows, slots));
            return;
        }
        ranges.zip(self.pieces.ranges(1)).for_each(|((rows, (start, of_slots)), mut whole)| {
            if !of_slots.is_empty() {
                update_rows(rows, (start, &mut *of_slots));
                let mut sum = vec![0.0; width];
                of_slots.chunks_exact(width).for_each(|gradient| add(&mut sum, gradient));
                whole.update(0, &sum, of_common, step, most);
            }
        });
        self.update_relations(features, of_slots, of_common, step, most);
    }

    /// Changes the rows of relations by the gradients of features, `[slot][unit]`.
    fn update_relations(&mut self, features: &[u32], of_slots: &[f32], adam: Adam, step: u64, most: f32) {
        let relations: Vec<Option<u32>> =
            features.iter().map(|&feature| self.relation(feature as usize).map(|relation| relation as u32)).collect();
        let (mut present, mut slots) = (FeatureSlots::default(), FeatureViews::default());
        present.fill(self.features.relations(), &relations.iter().flatten().copied().collect::<Vec<u32>>());
        slots.fill(&present, relations.iter().map(Option::as_slice));
        self.relations.ranges(1).enumerate().for_each(|(relation, mut row)| {
            if let Ok(place) = present.features().binary_search(&(relation as u32)) {
                let mut sum = vec![0.0; self.width];
                let slots = slots.of_slot(place).iter().map(|&slot| slot as usize);
                add_rows(&mut sum, of_slots, slots, |one, other| one + other);
                row.update(0, &sum, adam, step, most);
            }
        });
    }
}

/// Sets each common row to the mean of its rows and subtracts it from them: all sums stay the same.
/// `common_of` gives the common row of each row.
fn share(rows: &mut Rows, common: &mut Rows, common_of: impl Fn(usize) -> Option<usize>) {
    let width = rows.width;
    let mut counts = vec![0_u32; common.changed.len()];
    for (row, numbers) in rows.numbers.chunks_exact(width).enumerate() {
        if let Some(common_row) = common_of(row) {
            counts[common_row] += 1;
            add(&mut common.numbers[common_row * width..][..width], numbers);
        }
    }
    for (numbers, &count) in common.numbers.chunks_exact_mut(width).zip(&counts) {
        numbers.iter_mut().for_each(|number| *number /= count.max(1) as f32);
    }
    for (row, numbers) in rows.numbers.chunks_exact_mut(width).enumerate() {
        if let Some(common_row) = common_of(row) {
            numbers.iter_mut().zip(common.row(common_row)).for_each(|(number, mean)| *number -= mean);
        }
    }
}

/// The integer of a file for a number of the transformer, which is at most [`GREATEST_FEATURE`]:
/// the nearest one.
#[inline(always)]
pub(super) fn unit(number: f32) -> i16 {
    /// Numbers of this size have no fraction, and the integer added to it stands in their lowest
    /// bits.
    const WHOLE: f32 = 12_582_912.0;
    (number * ACTIVATION + WHOLE).to_bits() as i16
}

/// Resizes a list, whose content is then meaningless.
pub(super) fn resize<T: Copy + Default>(list: &mut Vec<T>, length: usize) {
    if length > list.capacity() {
        // Some more, as the next batch may have more features.
        *list = vec![T::default(); length + length / 8];
        prefer_large_pages(list);
    }
    list.resize(length, T::default());
}

/// Adds rows, four at a time: they are far apart in memory, so that their latencies overlap.
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
pub(super) fn add(sums: &mut [f32], terms: &[f32]) {
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
