//! Rates of councils over a range of settings, and of equal members.

use kiki_stats::Result;
use serde::Serialize;

use crate::model::{Accuracy, CouncilModel, crossing, simulate};

/// The largest noise at which crossings are sought, in losses of a wrong move.
const LARGEST_NOISE: f64 = 1000.0;

/// How rates without an integral are found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simulation {
    pub(crate) runs: u32,
    pub(crate) seed: u64,
}

/// How often each rule of a council names the best move.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CouncilRates {
    pub(crate) members: usize,
    /// The first member alone.
    pub(crate) strongest: f64,
    /// The last member alone.
    pub(crate) weaker: f64,
    pub(crate) majority: f64,
    pub(crate) optimistic: f64,
    pub(crate) pessimistic: f64,
    pub(crate) best: Accuracy,
    pub(crate) predicted: Accuracy,
    pub(crate) predicted_by_precision: Accuracy,
}

impl CouncilRates {
    fn new(model: &CouncilModel, Simulation { runs, seed }: Simulation) -> Result<Self> {
        let simulated = simulate(model, runs, seed)?;
        Ok(Self {
            members: model.members(),
            strongest: model.single(0),
            weaker: model.single(model.members() - 1),
            majority: model.majority(),
            optimistic: model.optimistic(),
            pessimistic: model.pessimistic(),
            best: simulated.best,
            predicted: simulated.predicted,
            predicted_by_precision: simulated.predicted_by_precision,
        })
    }
}

/// Councils of one strong member and two weaker ones that are equal.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Sweep {
    pub(crate) candidates: u32,
    pub(crate) synchronisation: f64,
    /// The noise of the strongest in losses of a wrong move.
    pub(crate) strongest_noise: f64,
    pub(crate) points: Vec<SweepPoint>,
    /// The noise of the weaker members up to which the majority beats the strongest alone.
    pub(crate) majority_up_to: Option<f64>,
    /// The same for the optimistic rule.
    pub(crate) optimistic_up_to: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct SweepPoint {
    pub(crate) noise: f64,
    pub(crate) agreement_of_weaker: f64,
    pub(crate) agreement_with_strongest: f64,
    pub(crate) rates: CouncilRates,
}

impl Sweep {
    /// Councils with these noises of the weaker members. `each` is called after every council.
    pub(crate) fn new(
        candidates: u32,
        synchronisation: f64,
        strongest_noise: f64,
        noises: &[f64],
        simulation: Simulation,
        mut each: impl FnMut(),
    ) -> Result<Self> {
        let council =
            |noise| CouncilModel::new(vec![strongest_noise, noise, noise], candidates)?.synchronised(synchronisation);
        let point = |&noise: &f64| {
            let model = council(noise)?;
            let (agreement_of_weaker, agreement_with_strongest) = (model.agreement(1, 2), model.agreement(0, 1));
            let rates = CouncilRates::new(&model, simulation)?;
            each();
            Ok(SweepPoint { noise, agreement_of_weaker, agreement_with_strongest, rates })
        };
        let up_to = |rule: fn(&CouncilModel) -> f64| crossing(council, rule, strongest_noise, LARGEST_NOISE);
        Ok(Self {
            candidates,
            synchronisation,
            strongest_noise,
            points: noises.iter().map(point).collect::<Result<_>>()?,
            majority_up_to: up_to(CouncilModel::majority)?,
            optimistic_up_to: up_to(CouncilModel::optimistic)?,
        })
    }
}

/// Councils of 1, 2, .. equal members.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EqualMembers {
    pub(crate) candidates: u32,
    /// The noise of a member in losses of a wrong move.
    pub(crate) noise: f64,
    pub(crate) councils: Vec<CouncilRates>,
}

impl EqualMembers {
    /// Councils from one member up to the greatest number. `each` is called after every council.
    pub(crate) fn new(
        candidates: u32,
        noise: f64,
        most: usize,
        simulation: Simulation,
        mut each: impl FnMut(),
    ) -> Result<Self> {
        let council = |members| {
            let rates = CouncilRates::new(&CouncilModel::new(vec![noise; members], candidates)?, simulation);
            each();
            rates
        };
        Ok(Self { candidates, noise, councils: (1..=most).map(council).collect::<Result<_>>()? })
    }
}
