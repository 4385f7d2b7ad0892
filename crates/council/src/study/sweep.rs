//! Rates of councils over a range of settings, and of equal members.

use kiki_stats::Result;

use crate::model::{CouncilModel, SimulatedRates, crossing, simulate};

/// The largest noise at which crossings are sought, in losses of a wrong move.
const LARGEST_NOISE: f64 = 1000.0;

/// Councils of one strong member and two weaker ones that are equal.
#[derive(Clone, Debug)]
pub(crate) struct Sweep {
    pub(crate) candidates: u32,
    pub(crate) synchronisation: f64,
    /// The noise of the strongest in losses of a wrong move.
    pub(crate) strongest: f64,
    pub(crate) points: Vec<SweepPoint>,
    /// The noise of the weaker members up to which the majority beats the strongest alone.
    pub(crate) majority_up_to: Option<f64>,
    /// The same for the optimistic rule.
    pub(crate) optimistic_up_to: Option<f64>,
}

/// One council of a [`Sweep`].
#[derive(Clone, Debug)]
pub(crate) struct SweepPoint {
    /// The noise of the two weaker members.
    pub(crate) noise: f64,
    pub(crate) model: CouncilModel,
    pub(crate) simulated: SimulatedRates,
}

impl Sweep {
    /// Councils with these noises of the weaker members. `each` is called after every council.
    pub(crate) fn new(
        candidates: u32,
        synchronisation: f64,
        strongest: f64,
        noises: &[f64],
        (runs, seed): (u32, u64),
        mut each: impl FnMut(),
    ) -> Result<Self> {
        let council =
            |noise| CouncilModel::new(vec![strongest, noise, noise], candidates)?.synchronised(synchronisation);
        let point = |&noise: &f64| {
            let model = council(noise)?;
            let simulated = simulate(&model, runs, seed)?;
            each();
            Ok(SweepPoint { noise, simulated, model })
        };
        let up_to = |rule: fn(&CouncilModel) -> f64| crossing(council, rule, strongest, LARGEST_NOISE);
        Ok(Self {
            candidates,
            synchronisation,
            strongest,
            points: noises.iter().map(point).collect::<Result<_>>()?,
            majority_up_to: up_to(CouncilModel::majority)?,
            optimistic_up_to: up_to(CouncilModel::optimistic)?,
        })
    }

    /// At how many points one rate is greater than the other.
    pub(crate) fn count_greater(&self, rate: impl Fn(&SweepPoint) -> f64, other: impl Fn(&SweepPoint) -> f64) -> usize {
        self.points.iter().filter(|point| rate(point) > other(point)).count()
    }
}

/// Councils of 1, 2, .. equal members.
#[derive(Clone, Debug)]
pub(crate) struct EqualMembers {
    pub(crate) candidates: u32,
    /// The noise of a member in losses of a wrong move.
    pub(crate) noise: f64,
    pub(crate) councils: Vec<(CouncilModel, SimulatedRates)>,
}

impl EqualMembers {
    /// Councils from one member up to the greatest number. `each` is called after every council.
    pub(crate) fn new(
        candidates: u32,
        noise: f64,
        most: usize,
        (runs, seed): (u32, u64),
        mut each: impl FnMut(),
    ) -> Result<Self> {
        let council = |members| {
            let model = CouncilModel::new(vec![noise; members], candidates)?;
            let simulated = simulate(&model, runs, seed)?;
            each();
            Ok((model, simulated))
        };
        Ok(Self { candidates, noise, councils: (1..=most).map(council).collect::<Result<_>>()? })
    }
}
