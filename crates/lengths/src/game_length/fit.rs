//! The model whose moments are given.

use super::model::GameLengthModel;
use super::moments::LengthMoments;
use super::walk::Walk;
use kiki_stats::error::check;
use kiki_stats::{Result, StatsError};

/// Steps are looked for between these.
const STEPS: (f64, f64) = (0.04, 1.5);

/// A fit of a model to moments.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LengthFit {
    /// The standard deviation of a step.
    pub step: f64,
    /// The mean number of plies that are no walk.
    pub mean: f64,
    /// Their variance. Negative if the walk alone is wider than the lengths: then there is no such model.
    pub variance: f64,
    /// The mean number of steps until the walk ends; one more than the plies of the walk.
    pub walk_mean: f64,
}

impl LengthFit {
    /// The model.
    ///
    /// # Errors
    /// If there is none: the lengths vary less than the walk alone.
    pub fn model(&self) -> Result<GameLengthModel> {
        if self.variance < 0.0 {
            return Err(StatsError::NotEstimable {
                what: "the deviation of the plies that are no walk",
                reason: "the lengths vary less than a walk with their third moment does",
            });
        }
        GameLengthModel::new(self.step, self.mean, self.variance.sqrt())
    }
}

/// The model with this mean, standard deviation and third central moment, all in plies. The plies that are no walk have no third moment, so
/// that it gives the step; the step gives the rest.
///
/// # Errors
/// If the third moment belongs to no step between 0.04 and 1.5, or a number is not finite.
pub fn fit(mean: f64, deviation: f64, third: f64) -> Result<LengthFit> {
    check("the mean length", mean, |_| true, "finite")?;
    check("the deviation of lengths", deviation, |deviation| deviation >= 0.0, "0 or more")?;
    check("the third moment of lengths", third, |third| third > 0.0, "above 0: a walk has a long tail of long games")?;
    let step = step_with(third, |moments| moments.third, "a step with this third moment")?;
    let walk = Walk::new(step)?.moments();
    let (mean, variance) = (mean - (walk.mean - 1.0), deviation * deviation - walk.variance);
    Ok(LengthFit { step, mean, variance, walk_mean: walk.mean })
}

/// The step of a walk without other plies that lasts so many plies on average, the deciding one not counted.
///
/// # Errors
/// If there is none between 0.04 and 1.5.
pub fn fit_pure_walk(mean: f64) -> Result<f64> {
    check("the mean length", mean, |mean| mean > 0.0, "above 0")?;
    step_with(mean, |moments| moments.mean - 1.0, "a step with this mean length")
}

/// The step for which a falling function of the moments has a value. Both are nearly powers of each other: the secant through the ends of the
/// bracket, on logarithmic scales, with the weight of an end halved that stays (the Illinois method).
fn step_with(target: f64, quantity: impl Fn(&LengthMoments) -> f64, what: &'static str) -> Result<f64> {
    let miss = |step: f64| -> Result<f64> { Ok((quantity(&Walk::new(step)?.moments()) / target).ln()) };
    let (mut low, mut high) = (STEPS.0.ln(), STEPS.1.ln());
    let (mut at_low, mut at_high) = (miss(STEPS.0)?, miss(STEPS.1)?);
    if !(at_low >= 0.0 && at_high <= 0.0) {
        return Err(StatsError::NotEstimable { what, reason: "it would lie outside 0.04 to 1.5" });
    }
    for _ in 0..200 {
        let middle = (low * at_high - high * at_low) / (at_high - at_low);
        let at_middle = miss(middle.exp())?;
        if at_middle.abs() < 1e-13 || (high - low) < 1e-13 {
            return Ok(middle.exp());
        }
        if at_middle > 0.0 {
            (low, at_low) = (middle, at_middle);
            at_high /= 2.0;
        } else {
            (high, at_high) = (middle, at_middle);
            at_low /= 2.0;
        }
    }
    Err(StatsError::NotConverged { what, iterations: 200 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_found_again_from_its_moments() {
        for (step, mean, deviation) in [(0.06, 20.0, 5.0), (0.2474, 95.46, 21.72), (1.2, 80.0, 0.5)] {
            let moments = GameLengthModel::new(step, mean, deviation).unwrap().moments();
            let fit = fit(moments.mean, moments.deviation(), moments.third).unwrap();
            assert!((fit.step / step - 1.0).abs() < 1e-9, "{fit:?}");
            assert!((fit.mean - mean).abs() < 1e-6 && (fit.variance.sqrt() - deviation).abs() < 1e-5, "{fit:?}");
            assert!(fit.model().is_ok());
        }
    }

    #[test]
    fn what_no_walk_can_have_is_refused() {
        assert!(fit(100.0, 30.0, -5.0).is_err() && fit(100.0, f64::NAN, 10.0).is_err());
        assert!(fit(100.0, 30.0, 1e-9).is_err() && fit(100.0, 30.0, 1e30).is_err());
        let narrow = fit(100.0, 10.0, 10_000.0).unwrap();
        assert!(narrow.variance < 0.0 && narrow.model().is_err());
        assert!(fit_pure_walk(1e9).is_err() && fit_pure_walk(-1.0).is_err());
    }
}
