//! Samples for a fit out of the values of many depths.

use crate::model::SigmaSamples;
use anyhow::{Result, ensure};
use kiki_eval::sigma::{
    FEATURES, ProgressWeights, VALUE_FEATURES, for_each_feature, progress_elements, value_features,
};
use kiki_stats::regression::{self, Identity, Observations};

use super::sampling::{Sample, SampleOutcome};
use kiki_games::positions::SampledPosition;

/// One game in so many is held out.
const HELD_OUT: u64 = 5;
/// Greater differences count as this, in centipawns.
const GREATEST_DIFFERENCE: i32 = 2000;

/// A pair of depths in plies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct DepthPair {
    pub(crate) shallow: u8,
    pub(crate) deep: u8,
}

/// Which games count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Split {
    /// Those that are learned from.
    Training,
    /// Those that what was learned is measured on.
    HeldOut,
}

impl Split {
    fn holds(self, game: u64) -> bool {
        game.is_multiple_of(HELD_OUT) == (self == Self::HeldOut)
    }
}

/// A position with the values of two depths.
#[derive(Clone, Copy)]
pub(crate) struct ValuePair<'a> {
    pub(crate) sampled: &'a SampledPosition,
    /// The static value.
    pub(crate) static_value: i32,
    pub(crate) shallow: i32,
    pub(crate) deep: i32,
}

impl ValuePair<'_> {
    /// Deep less shallow, in centipawns.
    pub(crate) fn difference(&self) -> f64 {
        f64::from((self.deep - self.shallow).clamp(-GREATEST_DIFFERENCE, GREATEST_DIFFERENCE))
    }
}

impl Sample {
    /// The positions of a split that have the values of both depths.
    pub(crate) fn value_pairs(&self, pair: DepthPair, split: Split) -> Vec<ValuePair<'_>> {
        let values = |(&index, outcome): (&usize, &SampleOutcome)| {
            let sampled = &self.positions[index];
            let SampleOutcome::Values(values) = outcome else { return None };
            let at = |depth: u8| values.get(usize::from(depth).checked_sub(1)?).copied();
            let (shallow, deep) = (at(pair.shallow)?, at(pair.deep)?);
            split.holds(sampled.game).then_some(())?;
            Some(ValuePair { sampled, static_value: self.static_values[&index], shallow, deep })
        };
        self.outcomes.iter().filter_map(values).collect()
    }

    /// The weights under which the elements of the progress best foretell which part of its game had been played; learned from the games that
    /// are not held out.
    ///
    /// # Errors
    /// If too few positions know their place in their game.
    pub(crate) fn fit_progress(&self) -> Result<ProgressWeights> {
        let mut weights = ProgressWeights::default();
        let mut observations = Observations::new(weights.0.len());
        for sampled in self.positions.iter().filter(|sampled| Split::Training.holds(sampled.game)) {
            let Some(progress) = sampled.progress else { continue };
            let elements = progress_elements(&sampled.position);
            let features: Vec<(u16, f32)> =
                std::iter::once(1.0).chain(elements).zip(0..).map(|(x, i)| (i, x)).collect();
            observations.push(&features, progress, sampled.game as u32)?;
        }
        ensure!(
            observations.len() > 10 * weights.0.len(),
            "too few positions know which part of their game had been played"
        );
        let zero = vec![0.0; weights.0.len()];
        let fit = regression::fit(&observations, &Identity, &zero, &zero)?;
        weights.0.iter_mut().zip(&fit.parameters).for_each(|(weight, found)| *weight = *found as f32);
        Ok(weights)
    }
}

/// The number of the first feature of the values, behind those of the position.
pub(crate) const FIRST_VALUE_FEATURE: usize = FEATURES;

/// Samples with the features that `keep` says are used: those of the position, then those of the values.
///
/// # Errors
/// None, as features and differences are numbers.
pub(crate) fn samples(
    pairs: &[ValuePair<'_>],
    progress: &ProgressWeights,
    keep: impl Fn(usize) -> bool,
) -> Result<SigmaSamples> {
    let mut samples = SigmaSamples::new(FEATURES + VALUE_FEATURES);
    let mut sums = vec![0.0; FEATURES];
    for pair in pairs {
        let mut features: Vec<(u16, f32)> = Vec::new();
        for_each_feature(&pair.sampled.position, progress, |feature, value| {
            // The constant comes by itself.
            if feature > 0 && keep(feature) {
                sums[feature] += value;
                features.push((feature as u16, 0.0));
            }
        });
        features.sort_unstable_by_key(|&(feature, _)| feature);
        features.dedup_by_key(|&mut (feature, _)| feature);
        for (feature, value) in &mut features {
            *value = std::mem::take(&mut sums[usize::from(*feature)]);
        }
        for (index, value) in value_features(pair.static_value, pair.shallow).into_iter().enumerate() {
            if keep(FIRST_VALUE_FEATURE + index) {
                features.push(((FIRST_VALUE_FEATURE + index) as u16, value));
            }
        }
        samples.push(&features, pair.difference())?;
    }
    Ok(samples)
}
