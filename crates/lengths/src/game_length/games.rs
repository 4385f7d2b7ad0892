//! The model of games that were played.

use rand::RngExt as _;
use rayon::prelude::*;

use super::fit::{LengthFit, fit};
use super::moments::LengthMoments;
use kiki_stats::random::stream;
use kiki_stats::{Result, StatsError};

/// The length of a game that was played.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WeightedLength {
    /// In plies.
    pub plies: f64,
    /// What it counts beside the others.
    pub weight: f64,
}

impl LengthMoments {
    /// The moments of a sample in which games count by their weights.
    ///
    /// # Errors
    /// For fewer than two games, or if a number is not finite or the weights do not add up to more than 0.
    pub fn of_games(games: &[WeightedLength]) -> Result<Self> {
        Self::weighted(&games.iter().map(|game| (game.plies, game.weight)))
    }

    /// The model with the mean, the deviation and the third moment.
    ///
    /// # Errors
    /// As [`fit`].
    pub fn fit(&self) -> Result<LengthFit> {
        fit(self.mean, self.deviation(), self.third)
    }
}

/// How sure a model of games is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LengthErrors {
    /// The standard error of the step.
    pub step: f64,
    /// Of the mean number of plies that are no walk.
    pub mean: f64,
    /// Of their standard deviation.
    pub deviation: f64,
    /// How many of the samples have a model.
    pub samples: u32,
}

/// Standard errors by a bootstrap: as many games are drawn from those that were played, with replacement, and fitted again, each sample with a
/// random stream of its own.
///
/// # Errors
/// If fewer than two of the samples have a model.
pub fn bootstrap(games: &[WeightedLength], samples: u32, seed: u64) -> Result<LengthErrors> {
    let one = |sample: u32| -> Option<[f64; 3]> {
        let mut random = stream(seed, u64::from(sample));
        let drawn: Vec<WeightedLength> = games.iter().map(|_| games[random.random_range(0..games.len())]).collect();
        let fit = LengthMoments::of_games(&drawn).and_then(|moments| moments.fit()).ok()?;
        (fit.variance >= 0.0).then(|| [fit.step, fit.mean, fit.variance.sqrt()])
    };
    let fits: Vec<[f64; 3]> = (0..samples).into_par_iter().filter_map(one).collect();
    if fits.len() < 2 {
        return Err(StatsError::NotEstimable {
            what: "the errors",
            reason: "hardly any sample of the games has a model",
        });
    }
    let error = |of: usize| -> Result<f64> {
        let values: Vec<f64> = fits.iter().map(|fit| fit[of]).collect();
        Ok(LengthMoments::of(&values)?.deviation())
    };
    Ok(LengthErrors { step: error(0)?, mean: error(1)?, deviation: error(2)?, samples: fits.len() as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_length::{GameLengthModel, simulate};

    fn games(count: u32, seed: u64) -> Vec<WeightedLength> {
        let model = GameLengthModel::new(0.25, 95.0, 21.0).unwrap();
        let weighted = |game: &crate::game_length::SimulatedGame| WeightedLength { plies: game.length, weight: 1.0 };
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
