//! Models that compute sigma from the features of a position.

use kiki_board::Position;

use super::features::{FEATURES, PROGRESS_ELEMENTS, ProgressWeights, VALUE_FEATURES, for_each_feature, value_features};
use crate::Value;

/// How sigma follows from the weighted sum of features.
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

/// The expected deep value, `slope * shallow + offset`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ValueFit {
    /// Centipawns of the deep value for each of the shallow one; above 0.
    pub slope: f32,
    /// The deep value expected of a shallow 0, in centipawns for the side to move.
    pub offset: f32,
    /// Standard deviation of deep values around the fit, as a share of sigma; above 0. Sigma is
    /// that of the difference between deep and shallow values.
    pub share: f32,
}

/// The model of the error of one shallow depth.
#[derive(Clone, PartialEq, Debug)]
pub struct PairModel {
    /// The depth of the shallow search in plies.
    pub shallow: u8,
    /// The depth of the deep search in plies.
    pub deep: u8,
    /// The least sigma in centipawns.
    pub floor: f32,
    /// The expected deep value for a shallow one: `[band of the progress]`.
    pub fits: [ValueFit; PROGRESS_BANDS],
    /// The weight of the constant in a model with nothing else.
    pub constant: f32,
    /// The weights of the constant and of the progress in a model with nothing else.
    pub progress: [f32; 2],
    /// The weights of the constant, the elements of the progress and the features of the values
    /// ([`value_features`]).
    pub values: [f32; 1 + PROGRESS_ELEMENTS + VALUE_FEATURES],
    /// The weights of all features, [`FEATURES`] of them.
    pub weights: Vec<f32>,
}

impl PairModel {
    /// A pair whose numbers are all 0.
    #[must_use]
    pub fn zero(shallow: u8, deep: u8) -> Self {
        Self {
            shallow,
            deep,
            floor: 0.0,
            fits: Default::default(),
            constant: 0.0,
            progress: [0.0; _],
            values: [0.0; _],
            weights: vec![0.0; FEATURES],
        }
    }
}

/// Models for several pairs of depths. Methods panic at the index of a pair that is missing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SigmaModel {
    /// The training data of the model, for readers; a single line.
    pub note: String,
    /// How sigma follows from the weights.
    pub link: SigmaLink,
    /// The weights of the progress, which is a feature.
    pub progress: ProgressWeights,
    /// One for each pair of depths, in any order.
    pub pairs: Vec<PairModel>,
}

impl SigmaModel {
    /// Index of the pair with these depths in [`SigmaModel::pairs`].
    #[must_use]
    pub fn pair(&self, shallow: i32, deep: i32) -> Option<usize> {
        self.pairs.iter().position(|pair| (i32::from(pair.shallow), i32::from(pair.deep)) == (shallow, deep))
    }

    /// The deep value expected for a shallow one, by the
    /// [`progress_elements`](super::progress_elements) of a position.
    #[must_use]
    pub fn value_fit(&self, pair: usize, elements: &[f32; PROGRESS_ELEMENTS]) -> ValueFit {
        self.pairs[pair].fits[progress_band(self.progress.progress(elements))]
    }

    /// Sigma in centipawns, from the progress alone. Sigma is the standard deviation of the
    /// difference between the values at the pair's two depths.
    #[must_use]
    pub fn sigma_of_progress(&self, pair: usize, elements: &[f32; PROGRESS_ELEMENTS]) -> f32 {
        let pair = &self.pairs[pair];
        self.linked(pair, pair.progress[0] + pair.progress[1] * self.progress.progress(elements))
    }

    /// Sigma in centipawns, from all features of a position.
    #[must_use]
    pub fn sigma_of_features(&self, pair: usize, position: &Position) -> f32 {
        let pair = &self.pairs[pair];
        let mut sum = 0.0;
        for_each_feature(position, &self.progress, |feature, value| sum += pair.weights[feature] * value);
        self.linked(pair, sum)
    }

    /// Sigma in centipawns, from the two values and the elements of the progress.
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
