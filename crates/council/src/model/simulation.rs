//! Rates by simulation, for rules that have no integral.

use rand::RngExt;
use rand_distr::{Distribution as _, StandardNormal};
use rayon::prelude::*;
use serde::Serialize;

use super::exact::CouncilModel;
use super::opinion::{Opinion, extreme_value, most_votes};
use super::weighing::{BestValue, weigh};
use kiki_stats::Result;
use kiki_stats::error::check;
use kiki_stats::random::stream;

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Accuracy {
    pub rate: f64,
    pub standard_error: f64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct SimulatedRates {
    pub majority: Accuracy,
    pub optimistic: Accuracy,
    pub pessimistic: Accuracy,
    pub best: Accuracy,
    pub predicted: Accuracy,
    pub predicted_by_precision: Accuracy,
}

/// Number of rules; they are in the order of the fields above.
const RULES: usize = 6;

/// Simulates `runs` positions, 2 or more, each with a random stream of its own: the result does not
/// depend on the number of threads.
pub fn simulate(model: &CouncilModel, runs: u32, seed: u64) -> Result<SimulatedRates> {
    check("the number of runs", f64::from(runs), |runs| runs >= 2.0, "2 or more")?;
    let one = |run: u32| position(model, &mut stream(seed, u64::from(run)));
    let add = |a: [u32; RULES], b: [u32; RULES]| std::array::from_fn(|rule| a[rule] + b[rule]);
    let right = (0..runs).into_par_iter().map(one).try_reduce(|| [0; RULES], |a, b| Ok(add(a, b)))?;
    let accuracy = |right: u32| {
        let rate = f64::from(right) / f64::from(runs);
        Accuracy { rate, standard_error: (rate * (1.0 - rate) / f64::from(runs - 1)).sqrt() }
    };
    let [majority, optimistic, pessimistic, best, predicted, predicted_by_precision] = right.map(accuracy);
    Ok(SimulatedRates { majority, optimistic, pessimistic, best, predicted, predicted_by_precision })
}

/// One position: 1 for every rule that chose the best move, which is candidate 0.
fn position(model: &CouncilModel, random: &mut impl RngExt) -> Result<[u32; RULES]> {
    let mut opinions: Vec<Opinion> = model.noises.iter().map(|&noise| opinion(model, noise, random)).collect();
    // Drawn even if nothing is copied: councils that differ only in this see the same runs.
    let copies = random.random::<f64>() < model.synchronisation;
    if copies {
        let second = opinions[1];
        opinions[2] = Opinion { noise: opinions[2].noise, ..second };
    }
    let weighed = |best| weigh(&opinions, 1.0, best).map(|weighing| weighing.best());
    let chosen = [
        most_votes(&opinions)?,
        extreme_value(&opinions, true)?,
        extreme_value(&opinions, false)?,
        weighed(BestValue::Known(0.0))?,
        weighed(BestValue::Predicted)?,
        weighed(BestValue::PredictedByPrecision)?,
    ];
    Ok(chosen.map(|candidate| u32::from(candidate == 0)))
}

/// The values that a member sees: candidate 0 has the value 0, the others -1.
fn opinion(model: &CouncilModel, noise: f64, random: &mut impl RngExt) -> Opinion {
    let mut named = Opinion { candidate: 0, value: f64::NEG_INFINITY, noise };
    for candidate in 0..model.candidates as usize {
        let error: f64 = StandardNormal.sample(random);
        let value = noise * error - f64::from(u8::from(candidate > 0));
        if value > named.value {
            named = Opinion { candidate, value, noise };
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rates_do_not_depend_on_the_number_of_threads() {
        let model = CouncilModel::new(vec![2.0, 3.0, 3.0], 3).unwrap().synchronised(0.5).unwrap();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| simulate(&model, 3000, 7).unwrap())
        };
        assert_eq!(on(1), on(3));
        assert_ne!(on(1), simulate(&model, 3000, 8).unwrap());
    }

    #[test]
    fn simulation_and_integrals_agree() {
        for synchronisation in [0.0, 0.5] {
            let model = CouncilModel::new(vec![1.0, 2.0, 4.0], 3).unwrap().synchronised(synchronisation).unwrap();
            let found = simulate(&model, 100_000, 5).unwrap();
            let rules = [
                (found.majority, model.majority()),
                (found.optimistic, model.optimistic()),
                (found.pessimistic, model.pessimistic()),
            ];
            for (simulated, exact) in rules {
                let gap = (simulated.rate - exact).abs();
                assert!(gap < 4.0 * simulated.standard_error, "{simulated:?}, exactly {exact}");
            }
        }
    }
}
