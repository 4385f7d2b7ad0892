//! Fits of the model: to given moments, and to played games with standard errors.

use kiki_stats::error::check;
use kiki_stats::numeric::root_between;
use kiki_stats::random::stream;
use kiki_stats::{Result, StatsError};
use rand::RngExt as _;
use rayon::prelude::*;
use serde::Serialize;

use crate::model::GameLengthModel;
use crate::walk::{LengthMoments, Walk};

const STEPS: (f64, f64) = (0.04, 1.5);

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LengthFit {
    /// The standard deviation of a step.
    pub step: f64,
    /// The mean number of plies outside the walk.
    pub mean: f64,
    /// Their variance. Negative if the walk alone varies more than the lengths: then there is no
    /// such model.
    pub variance: f64,
}

impl LengthFit {
    /// Refuses a negative variance: then there is no such model.
    pub fn model(&self) -> Result<GameLengthModel> {
        if self.variance < 0.0 {
            let reason = "the lengths vary less than a walk with their third moment does";
            return Err(StatsError::NotEstimable { what: "the deviation of the plies that are no walk", reason });
        }
        GameLengthModel::new(self.step, self.mean, self.variance.sqrt())
    }
}

/// The model with this mean, standard deviation and third central moment, all in plies. Plies
/// outside the walk have no third moment, so the third moment determines the step. The step
/// determines the rest. Refuses a third moment that needs a step outside 0.04 to 1.5.
pub fn fit(mean: f64, deviation: f64, third: f64) -> Result<LengthFit> {
    check("the mean length", mean, |_| true, "finite")?;
    check("the deviation of lengths", deviation, |deviation| deviation >= 0.0, "0 or more")?;
    check("the third moment of lengths", third, |third| third > 0.0, "above 0: a walk has a long tail of long games")?;
    let step = step_with(third, |moments| moments.third, "a step with this third moment")?;
    let walk = Walk::new(step)?.moments();
    Ok(LengthFit { step, mean: mean - (walk.mean - 1.0), variance: deviation * deviation - walk.variance })
}

/// The step of a walk without other plies that has this mean length in plies, without the deciding
/// one. Refuses a mean that needs a step outside 0.04 to 1.5.
pub fn fit_pure_walk(mean: f64) -> Result<f64> {
    check("the mean length", mean, |mean| mean > 0.0, "above 0")?;
    step_with(mean, |moments| moments.mean - 1.0, "a step with this mean length")
}

/// The step at which a falling function of the moments has a value. On logarithmic scales the
/// function is nearly linear.
fn step_with(target: f64, quantity: impl Fn(&LengthMoments) -> f64, what: &'static str) -> Result<f64> {
    let excess = |step: f64| Walk::new(step).map_or(f64::NAN, |walk| -(quantity(&walk.moments()) / target).ln());
    let ends = [STEPS.0, STEPS.1].map(|step| (step.ln(), excess(step)));
    if !(ends[0].1 <= 0.0 && ends[1].1 >= 0.0) {
        return Err(StatsError::NotEstimable { what, reason: "it would lie outside 0.04 to 1.5" });
    }
    Ok(root_between(ends[0], ends[1], 1e-13, |ln_step| excess(ln_step.exp())).exp())
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WeightedLength {
    pub plies: f64,
    pub weight: f64,
}

impl LengthMoments {
    /// The moments of a sample in which games count by their weights.
    pub fn of_games(games: &[WeightedLength]) -> Result<Self> {
        Self::weighted(&games.iter().map(|game| (game.plies, game.weight)))
    }

    pub fn fit(&self) -> Result<LengthFit> {
        fit(self.mean, self.deviation(), self.third)
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct LengthErrors {
    pub step: f64,
    /// Of the mean number of plies outside the walk.
    pub mean: f64,
    /// Of their standard deviation.
    pub deviation: f64,
    /// Number of samples that have a model.
    pub samples: u32,
}

/// Standard errors by a bootstrap: each sample draws as many games with replacement, from a random
/// stream of its own, and is fitted again.
pub fn bootstrap(games: &[WeightedLength], samples: u32, seed: u64) -> Result<LengthErrors> {
    let one = |sample: u32| -> Option<[f64; 3]> {
        let mut random = stream(seed, u64::from(sample));
        let drawn: Vec<WeightedLength> = games.iter().map(|_| games[random.random_range(0..games.len())]).collect();
        let fit = LengthMoments::of_games(&drawn).and_then(|moments| moments.fit()).ok()?;
        (fit.variance >= 0.0).then(|| [fit.step, fit.mean, fit.variance.sqrt()])
    };
    let fits: Vec<[f64; 3]> = (0..samples).into_par_iter().filter_map(one).collect();
    if fits.len() < 2 {
        let reason = "hardly any sample of the games has a model";
        return Err(StatsError::NotEstimable { what: "the errors", reason });
    }
    let error = |of: usize| -> Result<f64> {
        let values: Vec<f64> = fits.iter().map(|fit| fit[of]).collect();
        Ok(LengthMoments::of(&values)?.deviation())
    };
    Ok(LengthErrors { step: error(0)?, mean: error(1)?, deviation: error(2)?, samples: fits.len() as u32 })
}

#[cfg(test)]
mod tests {
    use crate::model::{SimulatedGame, simulate};

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

    fn games(count: u32, seed: u64) -> Vec<WeightedLength> {
        let model = GameLengthModel::new(0.25, 95.0, 21.0).unwrap();
        let weighted = |game: &SimulatedGame| WeightedLength { plies: game.length, weight: 1.0 };
        simulate(&model, count, seed).iter().map(weighted).collect()
    }

    #[test]
    fn weights_are_repetitions() {
        let weighted = |pairs: &[(f64, f64)]| {
            let games: Vec<_> = pairs.iter().map(|&(plies, weight)| WeightedLength { plies, weight }).collect();
            LengthMoments::of_games(&games).unwrap()
        };
        let (once, twice) =
            (weighted(&[(80.0, 2.0), (120.0, 1.0)]), weighted(&[(80.0, 1.0), (80.0, 1.0), (120.0, 1.0)]));
        assert!((once.mean - twice.mean).abs() < 1e-12 && (once.fourth - twice.fourth).abs() < 1e-6);
        assert!(LengthMoments::of_games(&[]).is_err());
        assert!(LengthMoments::of_games(&[WeightedLength { plies: f64::NAN, weight: 1.0 }; 3]).is_err());
    }

    #[test]
    fn the_errors_are_those_of_repeated_experiments() {
        let (count, experiments) = (1500, 30);
        let steps: Vec<f64> = (0..experiments)
            .map(|seed| LengthMoments::of_games(&games(count, seed)).unwrap().fit().unwrap().step)
            .collect();
        let spread = LengthMoments::of(&steps).unwrap();
        assert!((spread.mean - 0.25).abs() < 4.0 * spread.deviation() / f64::from(experiments as u32).sqrt() + 0.005);
        let errors = bootstrap(&games(count, 1000), 60, 1).unwrap();
        assert!((errors.step / spread.deviation()).ln().abs() < 0.5, "{errors:?} {}", spread.deviation());
        assert_eq!(errors, bootstrap(&games(count, 1000), 60, 1).unwrap());
    }
}
