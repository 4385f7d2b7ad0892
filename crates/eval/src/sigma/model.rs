//! Weights that make a sigma of the features of a position.

use kiki_board::Position;

use super::features::for_each_feature;
use super::progress::{PROGRESS_ELEMENTS, ProgressWeights};
use super::values::{VALUE_FEATURES, value_features};
use crate::Value;

/// How sigma follows from the sum of weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SigmaLink {
    /// Sigma is the sum.
    #[default]
    Linear,
    /// The sum is the logarithm of sigma.
    Log,
}

/// Parts of the game, by equal bands of its progress.
pub const PROGRESS_BANDS: usize = 3;

/// The band that a progress from 0 to 1 belongs to.
#[must_use]
pub fn progress_band(progress: f32) -> usize {
    ((progress * PROGRESS_BANDS as f32) as usize).min(PROGRESS_BANDS - 1)
}

/// A deep value as `slope * shallow + offset`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ValueLine {
    /// What a centipawn of the shallow value is worth in the deep one, on average; above 0.
    pub slope: f32,
    /// The deep value of a shallow 0 in centipawns for the side to move, on average.
    pub offset: f32,
    /// How wide deep values lie around the line: in parts of sigma, which is that of the difference between deep and shallow. Above 0.
    pub share: f32,
}

/// The model of the error of one shallow depth.
#[derive(Clone, PartialEq, Debug)]
pub struct PairModel {
    /// The depth of the shallow search in plies.
    pub shallow: u8,
    /// The depth of the search that it stands for.
    pub deep: u8,
    /// The least sigma in centipawns.
    pub floor: f32,
    /// What deep value is expected of a shallow one, by the part of the game: [`PROGRESS_BANDS`] equal bands of the progress.
    pub lines: [ValueLine; PROGRESS_BANDS],
    /// The weight of the constant where sigma depends on nothing else.
    pub constant: f32,
    /// The weights of the constant and of the progress where sigma depends on nothing else.
    pub progress: [f32; 2],
    /// The weights of the constant, the elements of the progress and the features of the values ([`value_features`]).
    pub values: [f32; 1 + PROGRESS_ELEMENTS + VALUE_FEATURES],
    /// The weights of all features, [`super::FEATURES`] of them.
    pub weights: Vec<f32>,
}

/// Models for several pairs of depths.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SigmaModel {
    /// What it was learned from, for people; a single line.
    pub note: String,
    /// How sigma follows from the weights.
    pub link: SigmaLink,
    /// The progress, which is a feature.
    pub progress: ProgressWeights,
    /// One for each pair of depths, in no special order.
    pub pairs: Vec<PairModel>,
}

impl SigmaModel {
    /// The number of the pair of these depths among [`SigmaModel::pairs`].
    #[must_use]
    pub fn pair(&self, shallow: i32, deep: i32) -> Option<usize> {
        self.pairs.iter().position(|pair| (i32::from(pair.shallow), i32::from(pair.deep)) == (shallow, deep))
    }

    /// What deep value is expected of a shallow one in a position with these [`progress_elements`](super::progress_elements).
    ///
    /// # Panics
    /// If there is no pair of this number.
    #[must_use]
    pub fn value_line(&self, pair: usize, elements: &[f32; PROGRESS_ELEMENTS]) -> ValueLine {
        self.pairs[pair].lines[progress_band(self.progress.progress(elements))]
    }

    /// Sigma of a position with these elements of the progress, in centipawns, as it follows from the progress alone: the standard deviation of
    /// the difference between the values of the pair's two depths.
    ///
    /// # Panics
    /// If there is no pair of this number.
    #[must_use]
    pub fn sigma_of_progress(&self, pair: usize, elements: &[f32; PROGRESS_ELEMENTS]) -> f32 {
        let pair = &self.pairs[pair];
        self.linked(pair, pair.progress[0] + pair.progress[1] * self.progress.progress(elements))
    }

    /// Sigma of a position in centipawns, as it follows from all features.
    ///
    /// # Panics
    /// If there is no pair of this number.
    #[must_use]
    pub fn sigma_of_features(&self, pair: usize, position: &Position) -> f32 {
        let pair = &self.pairs[pair];
        let mut sum = 0.0;
        for_each_feature(position, &self.progress, |feature, value| sum += pair.weights[feature] * value);
        self.linked(pair, sum)
    }

    /// Sigma of a shallow value in centipawns, as it follows from the values and the elements of the progress.
    ///
    /// # Panics
    /// If there is no pair of this number.
    #[must_use]
    pub fn sigma_of_values(
        &self,
        pair: usize,
        elements: &[f32; PROGRESS_ELEMENTS],
        static_value: Value,
        shallow: Value,
    ) -> f32 {
        let pair = &self.pairs[pair];
        let features = elements.iter().copied().chain(value_features(static_value, shallow));
        let sum = pair.values[0] + pair.values[1..].iter().zip(features).map(|(weight, x)| weight * x).sum::<f32>();
        self.linked(pair, sum)
    }

    fn linked(&self, pair: &PairModel, sum: f32) -> f32 {
        let sigma = match self.link {
            SigmaLink::Linear => sum,
            SigmaLink::Log => sum.exp(),
        };
        sigma.max(pair.floor)
    }
}
