//! Simultaneous perturbation stochastic approximation (SPSA, Spall 1992): tuning of numbers by
//! self-play.
//!
//! Every update moves all parameters at once, up or down at random. The two sets of numbers play
//! each other, and the values step towards the winner. Two games say little about one parameter;
//! thousands of updates say much about all.
//!
//! The gains are Spall's: c / k^0.101 for the perturbation and a / (k + A)^0.602 for the step. A
//! parameter's `step` is its last perturbation, and `rate` times `step` is its last step for a
//! point.

use kiki_stats::Result;
use kiki_stats::error::check;
use kiki_stats::random::stream;
use rand::Rng as _;
use serde::{Deserialize, Serialize};

const STEP_DECAY: f64 = 0.602;
const PERTURBATION_DECAY: f64 = 0.101;
/// A as a share of all updates, which keeps the first steps short.
const STABILITY: f64 = 0.1;

/// Range of a number to tune, such as an engine's option.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParameterRange {
    pub(crate) start: i32,
    pub(crate) min: i32,
    pub(crate) max: i32,
    /// Distance of the two sides of the last update from the middle: a change of noticeable effect.
    pub(crate) step: f64,
}

/// An SPSA iteration. Its state follows from its settings and the recorded results.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Spsa {
    parameters: Vec<ParameterRange>,
    pub(crate) values: Vec<f64>,
    updates: u64,
    rate: f64,
    seed: u64,
}

impl Spsa {
    /// For each point, the last of `updates` updates move a parameter by `rate` times its step.
    /// Refuses an empty list, 0 updates, a rate of 0 or less, and a parameter whose numbers
    /// contradict each other.
    pub(crate) fn new(parameters: Vec<ParameterRange>, updates: u64, rate: f64, seed: u64) -> Result<Self> {
        check("the number of parameters", parameters.len() as f64, |count| count >= 1.0, "1 or more")?;
        check("the number of updates", updates as f64, |count| count >= 1.0, "1 or more")?;
        check("the rate", rate, |rate| rate > 0.0, "above 0")?;
        for &ParameterRange { start, min, max, step } in &parameters {
            let [start, min, max] = [start, min, max].map(f64::from);
            check("the least value of a parameter", min, |min| min < max, "below its greatest")?;
            check("the start of a parameter", start, |start| (min..=max).contains(&start), "within its range")?;
            let fits = |step| step > 0.0 && step <= max - min;
            check("the step of a parameter", step, fits, "above 0, within the range")?;
        }
        let values = parameters.iter().map(|parameter| parameter.start.into()).collect();
        Ok(Self { parameters, values, updates, rate, seed })
    }

    /// The two sets of values that update `update` (from 1) compares, perturbed in opposite
    /// directions. The points of the first, the side `plus`, count.
    pub(crate) fn perturbed(&self, update: u64) -> [Vec<f64>; 2] {
        [1.0, -1.0].map(|sign| self.moved(update, sign * self.perturbation(update)))
    }

    /// Moves the values after update `update`, in which `plus` had `advantage` points more than the
    /// other side.
    pub(crate) fn record_result(&mut self, update: u64, advantage: f64) {
        self.values = self.moved(update, advantage * self.step(update) / self.perturbation(update));
    }

    /// The values moved by a number of steps in the directions of an update.
    fn moved(&self, update: u64, steps: f64) -> Vec<f64> {
        let all = self.parameters.iter().zip(&self.values).zip(self.signs(update));
        all.map(|((parameter, value), direction)| {
            (value + steps * direction * parameter.step).clamp(parameter.min.into(), parameter.max.into())
        })
        .collect()
    }

    /// Direction of each parameter in an update, which follows from the seed.
    fn signs(&self, update: u64) -> Vec<f64> {
        let mut random = stream(self.seed, update);
        self.values.iter().map(|_| if random.next_u64() >> 63 == 0 { 1.0 } else { -1.0 }).collect()
    }

    /// c, in steps: 1 in the last update, more before.
    fn perturbation(&self, update: u64) -> f64 {
        (self.updates as f64 / update.max(1) as f64).powf(PERTURBATION_DECAY)
    }

    /// a, in steps: the rate in the last update, more before.
    fn step(&self, update: u64) -> f64 {
        let stability = STABILITY * self.updates as f64;
        self.rate * ((stability + self.updates as f64) / (stability + update as f64)).powf(STEP_DECAY)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;

    use super::*;
    use kiki_stats::logistic::expected_score;

    /// 20 parameters and 20,000 games; the strength falls with the square of the distance to an
    /// optimum that only the test knows.
    #[test]
    fn a_hidden_optimum_of_twenty_parameters_is_found_through_the_noise_of_games() {
        let mut recovered = 0;
        for seed in 1..=10 {
            let mut random = stream(seed, u64::MAX);
            let optimum: Vec<f64> = (0..20).map(|_| random.random_range(30.0..70.0)).collect();
            let elo = |side: &[f64]| -> f64 {
                -side.iter().zip(&optimum).map(|(value, best)| (value - best).powi(2)).sum::<f64>() / 20.0
            };
            let parameters = vec![ParameterRange { start: 50, min: 0, max: 100, step: 7.0 }; 20];
            let updates = 10_000;
            let mut spsa = Spsa::new(parameters, updates, 0.005, seed).unwrap();
            for update in 1..=updates {
                let [plus, minus] = spsa.perturbed(update);
                let score = expected_score(elo(&plus) - elo(&minus)).unwrap();
                let won = |random: &mut rand_pcg::Pcg64| if random.random_bool(score) { 1.0 } else { -1.0 };
                let advantage = won(&mut random) + won(&mut random);
                spsa.record_result(update, advantage);
            }
            let within = |(value, best): (&f64, &f64)| (value - best).abs() <= 10.0;
            recovered += usize::from(spsa.values.iter().zip(&optimum).all(within));
        }
        assert!(recovered >= 9, "{recovered} of 10");
    }

    #[test]
    fn perturbations_follow_from_seed_and_number_and_stay_within_the_ranges() {
        let parameters = vec![ParameterRange { start: 1, min: 0, max: 2, step: 1.5 }; 8];
        let spsa = |seed| Spsa::new(parameters.clone(), 100, 0.1, seed).unwrap();
        assert_eq!(spsa(3).perturbed(7), spsa(3).perturbed(7));
        assert_ne!(spsa(3).perturbed(7), spsa(4).perturbed(7));
        assert_ne!(spsa(3).perturbed(7), spsa(3).perturbed(8));
        let [plus, minus] = spsa(3).perturbed(7);
        assert!(plus.iter().chain(&minus).all(|&value| value == 0.0 || value == 2.0));
        let mut learned = spsa(3);
        learned.record_result(7, 1e9);
        assert_eq!(learned.values, plus);
    }

    #[test]
    fn impossible_settings_are_refused() {
        let good = ParameterRange { start: 1, min: 0, max: 2, step: 0.5 };
        assert!(Spsa::new(vec![good], 1, 0.1, 1).is_ok());
        for (parameters, updates, rate) in [
            (vec![], 1, 0.1),
            (vec![good], 0, 0.1),
            (vec![good], 1, 0.0),
            (vec![ParameterRange { start: 3, ..good }], 1, 0.1),
            (vec![ParameterRange { max: 0, ..good }], 1, 0.1),
            (vec![ParameterRange { step: 0.0, ..good }], 1, 0.1),
            (vec![ParameterRange { step: 2.5, ..good }], 1, 0.1),
        ] {
            assert!(Spsa::new(parameters, updates, rate, 1).is_err());
        }
    }
}
