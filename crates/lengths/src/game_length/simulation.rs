//! Games drawn from the model.

use rand::Rng;
use rand_distr::{Distribution as _, StandardNormal};
use rayon::prelude::*;

use super::model::GameLengthModel;
use kiki_stats::random::stream;

/// A game drawn from the model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SimulatedGame {
    /// The steps of its walk, the deciding one counted.
    pub steps: u32,
    /// Its length in plies: the steps but the last, and the plies that are no walk, which need not be a whole number.
    pub length: f64,
}

/// So many games, each with a random stream of its own.
#[must_use]
pub fn simulate(model: &GameLengthModel, games: u32, seed: u64) -> Vec<SimulatedGame> {
    (0..games).into_par_iter().map(|game| one(model, &mut stream(seed, u64::from(game)))).collect()
}

fn one(model: &GameLengthModel, random: &mut impl Rng) -> SimulatedGame {
    let mut normal = || -> f64 { StandardNormal.sample(random) };
    let other = model.mean + model.deviation * normal();
    let (mut place, mut steps) = (0.0_f64, 0);
    while place.abs() < 1.0 {
        place += model.walk().step() * normal();
        steps += 1;
    }
    SimulatedGame { steps, length: f64::from(steps - 1) + other }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_do_not_depend_on_the_number_of_threads() {
        let model = GameLengthModel::new(0.25, 95.0, 21.0).unwrap();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| simulate(&model, 2000, 7))
        };
        assert_eq!(on(1), on(3));
        assert_ne!(on(1)[0], simulate(&model, 1, 8)[0]);
    }

    #[test]
    fn simulated_games_have_the_moments_of_the_model() {
        let model = GameLengthModel::new(0.25, 95.0, 21.0).unwrap();
        let games = simulate(&model, 40_000, 3);
        let (exact, walk) = (model.moments(), model.walk().moments());
        let mean = |of: &dyn Fn(&SimulatedGame) -> f64| games.iter().map(of).sum::<f64>() / games.len() as f64;
        let error = (games.len() as f64).sqrt();
        assert!((mean(&|game| game.length) - exact.mean).abs() < 4.0 * exact.deviation() / error);
        assert!((mean(&|game| f64::from(game.steps)) - walk.mean).abs() < 4.0 * walk.deviation() / error);
    }
}
