//! What a model says about a player's moves, beside what was played.

use super::choice::{Choice, ChoiceModel};
use kiki_stats::{Result, StatsError};

/// Match rate and mean scaled error, as they were and as a model has them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Projection {
    /// How many positions.
    pub positions: usize,
    /// The share of positions in which the best move was played.
    pub match_rate: f64,
    /// The same by the model; as it was if there is none.
    pub expected_match_rate: f64,
    /// The mean scaled error of the moves that were played.
    pub mean_error: f64,
    /// The same by the model, which varies less where there are few positions; as it was if there is none.
    pub expected_mean_error: f64,
}

impl Projection {
    /// The projection of these choices.
    ///
    /// # Errors
    /// If there are none.
    pub fn new(model: Option<&ChoiceModel>, choices: &[Choice]) -> Result<Self> {
        let count = choices.len() as f64;
        let played = Played::new(choices)?;
        let (match_rate, mean_error) = (played.matches / count, played.error / count);
        let expected = model.map(|model| Expected::new(model, choices));
        Ok(Self {
            positions: choices.len(),
            match_rate,
            expected_match_rate: expected.as_ref().map_or(match_rate, |expected| expected.matches / count),
            mean_error,
            expected_mean_error: expected.as_ref().map_or(mean_error, |expected| expected.error / count),
        })
    }
}

/// How far a player's moves are from those of a model, in standard deviations. Moves of one game are not independent, so that these are no normal
/// values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChoiceTest {
    /// In how many positions the best move was played.
    pub matches: f64,
    /// In how many the model expects it.
    pub expected_matches: f64,
    /// The difference in standard deviations: above 0 for more matches than expected. None if the model leaves no choice.
    pub z_match: Option<f64>,
    /// That of the errors: above 0 for smaller errors than expected.
    pub z_error: Option<f64>,
}

impl ChoiceTest {
    /// The test of these choices against a model.
    ///
    /// # Errors
    /// If there are none.
    pub fn new(model: &ChoiceModel, choices: &[Choice]) -> Result<Self> {
        let played = Played::new(choices)?;
        let expected = Expected::new(model, choices);
        let z = |difference: f64, variance: f64| (variance > 0.0).then(|| difference / variance.sqrt());
        Ok(Self {
            matches: played.matches,
            expected_matches: expected.matches,
            z_match: z(played.matches - expected.matches, expected.match_variance),
            z_error: z(expected.error - played.error, expected.error_variance),
        })
    }
}

/// Sums over positions, as they were played.
struct Played {
    matches: f64,
    error: f64,
}

impl Played {
    fn new(choices: &[Choice]) -> Result<Self> {
        if choices.is_empty() {
            return Err(StatsError::NotEstimable { what: "a mean error", reason: "there are no positions" });
        }
        let matches = choices.iter().filter(|choice| choice.played == 0).count() as f64;
        Ok(Self { matches, error: choices.iter().map(|choice| choice.errors[choice.played]).sum() })
    }
}

/// Sums over positions, by a model.
#[derive(Default)]
struct Expected {
    matches: f64,
    match_variance: f64,
    error: f64,
    error_variance: f64,
}

impl Expected {
    fn new(model: &ChoiceModel, choices: &[Choice]) -> Self {
        let mut sums = Self::default();
        for choice in choices {
            let probabilities = model.probabilities(&choice.errors);
            let best = probabilities[0];
            let pairs = || choice.errors.iter().zip(&probabilities);
            let mean: f64 = pairs().map(|(error, probability)| error * probability).sum();
            let square: f64 = pairs().map(|(error, probability)| error * error * probability).sum();
            sums.matches += best;
            sums.match_variance += best * (1.0 - best);
            sums.error += mean;
            sums.error_variance += (square - mean * mean).max(0.0);
        }
        sums
    }
}
