//! Errors by samples of games: moves of one game are not independent.

use std::collections::BTreeMap;

use rand::RngExt as _;
use rayon::prelude::*;

use super::choice::{Choice, ChoiceModel};
use super::fit::fit_near;
use super::projection::Projection;
use kiki_stats::random::stream;
use kiki_stats::{Result, StatsError};

/// The standard deviation of the mean scaled error over samples of the games, drawn with replacement; of the one by a model fitted
/// to each sample if there is one, `model`, of all games. `games` has the number of the game of each choice.
///
/// # Errors
/// If there are fewer than two games, or hardly any sample has a model.
pub fn mean_error_deviation(
    choices: &[Choice],
    games: &[u64],
    model: Option<&ChoiceModel>,
    samples: u32,
    seed: u64,
) -> Result<f64> {
    let what = "the error of a mean error";
    let mut of_game: BTreeMap<u64, Vec<&Choice>> = BTreeMap::new();
    for (choice, &game) in choices.iter().zip(games) {
        of_game.entry(game).or_default().push(choice);
    }
    let groups: Vec<Vec<&Choice>> = of_game.into_values().collect();
    if groups.len() < 2 {
        return Err(StatsError::NotEstimable { what, reason: "there are fewer than two games" });
    }
    let one = |sample: u32| -> Option<f64> {
        let mut random = stream(seed, u64::from(sample));
        let drawn: Vec<Choice> = groups
            .iter()
            .flat_map(|_| groups[random.random_range(0..groups.len())].iter().map(|&choice| choice.clone()))
            .collect();
        match model {
            Some(model) => {
                let model = fit_near(model, &drawn).ok()?.model;
                Projection::new(Some(&model), &drawn).ok().map(|found| found.expected_mean_error)
            }
            None => Projection::new(None, &drawn).ok().map(|found| found.mean_error),
        }
    };
    let found: Vec<f64> = (0..samples).into_par_iter().filter_map(one).collect();
    if found.len() < 2 {
        return Err(StatsError::NotEstimable { what, reason: "hardly any sample of the games has a model" });
    }
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    Ok((found.iter().map(|error| (error - mean).powi(2)).sum::<f64>() / (found.len() - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_is_that_of_the_mean_of_games() {
        // In every second game each move loses 1, in the others none: the mean of 100 games has a deviation of 0.05.
        let choices: Vec<Choice> =
            (0..400).map(|index| Choice::new(vec![0.0, 1.0], (index / 4) % 2).unwrap()).collect();
        let games: Vec<u64> = (0..400).map(|index| index / 4).collect();
        let found = mean_error_deviation(&choices, &games, None, 2000, 1).unwrap();
        assert!((found - 0.05).abs() < 0.005, "{found}");
        assert!(mean_error_deviation(&choices[..4], &games[..4], None, 10, 1).is_err());
    }

    #[test]
    fn a_model_is_fitted_to_each_sample() {
        // Two parameters fit the frequencies of three moves exactly, so that the error expected by the model of a sample is the one that was seen
        // in it; that of the model of all games is the same in every sample.
        let played = [0, 0, 1, 0, 2, 0, 1, 0, 0, 1];
        let choices: Vec<Choice> =
            (0..2000).map(|index| Choice::new(vec![0.0, 0.1, 0.25], played[(index / 4) % 10]).unwrap()).collect();
        let games: Vec<u64> = (0..2000).map(|index| index / 4).collect();
        let model = crate::model::fit(&choices).unwrap().model;
        let deviation = |model| mean_error_deviation(&choices, &games, model, 200, 1).unwrap();
        let (fitted, seen) = (deviation(Some(&model)), deviation(None));
        assert!(seen > 0.003 && (fitted / seen - 1.0).abs() < 1e-3, "{fitted} {seen}");
    }
}
