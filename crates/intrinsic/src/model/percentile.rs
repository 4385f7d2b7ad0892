//! The model that fits the percentiles of the played moves.

use super::choice::{Choice, ChoiceModel};
use super::fit::fit;
use kiki_stats::Result;
use kiki_stats::numeric::least;

/// The model whose percentiles fit best.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PercentileFit {
    /// The model.
    pub model: ChoiceModel,
    /// The mean squared distance of the curve from the diagonal, over the percentiles 1 to 99.
    pub distance: f64,
}

/// For every percentile q from 0.01 to 0.99 the share R(q) of positions in which a move of the best share q of the model's probability was played. Under
/// a right model the two are equal. Moves are taken in the order of the choice, which should be from best to worst.
#[must_use]
pub fn percentile_curve(model: &ChoiceModel, choices: &[Choice]) -> Vec<(f64, f64)> {
    let ranges: Vec<(f64, f64)> = choices.iter().map(|choice| range(model, choice)).collect();
    let share = |percent: i32| {
        let q = f64::from(percent) / 100.0;
        let sum: f64 = ranges.iter().map(|&(low, high)| covered(q, low, high)).sum();
        (q, sum / choices.len() as f64)
    };
    (1..100).map(share).collect()
}

/// Between which shares of the model's probability the played move lies.
fn range(model: &ChoiceModel, choice: &Choice) -> (f64, f64) {
    let probabilities = model.probabilities(&choice.errors);
    let low: f64 = probabilities[..choice.played].iter().sum();
    (low, low + probabilities[choice.played])
}

fn covered(q: f64, low: f64, high: f64) -> f64 {
    if high > low { ((q - low) / (high - low)).clamp(0.0, 1.0) } else { f64::from(u8::from(q >= low)) }
}

/// The model with the least mean squared distance between R(q) and q; it begins with the likeliest one.
///
/// # Errors
/// Those of [`fit`].
pub fn fit_percentiles(choices: &[Choice]) -> Result<PercentileFit> {
    let start = fit(choices)?.model;
    let distance = |model: &ChoiceModel| {
        let curve = percentile_curve(model, choices);
        curve.iter().map(|(q, share)| (share - q).powi(2)).sum::<f64>() / curve.len() as f64
    };
    let at = |place: [f64; 2]| ChoiceModel::new(place[0].exp(), place[1].exp());
    let place = least([start.sensitivity().ln(), start.consistency().ln()], 0.1, |place| {
        at(place).map_or(f64::INFINITY, |model| distance(&model))
    });
    let model = at(place)?;
    Ok(PercentileFit { model, distance: distance(&model) })
}
