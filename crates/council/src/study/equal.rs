//! Councils of equal, independent members.

use crate::model::{CouncilModel, SimulatedRates, simulate};
use kiki_stats::Result;

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
