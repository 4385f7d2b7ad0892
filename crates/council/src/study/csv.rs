//! All rates in one table for other programs.

use crate::model::{CouncilModel, SimulatedRates};

use super::equal::EqualMembers;
use super::sweep::Sweep;

const COLUMNS: &str = "members,candidates,synchronisation,strongest_noise,weaker_noise,strongest,weaker,majority,optimistic,pessimistic,\
                       best,best_error,predicted,predicted_error,predicted_by_precision,predicted_by_precision_error";

/// A line for each council.
pub(crate) fn csv(sweeps: &[Sweep], equal: &[EqualMembers]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for sweep in sweeps {
        for point in &sweep.points {
            let noises = [sweep.strongest, point.noise];
            line(&mut text, (sweep.candidates, sweep.synchronisation, noises), &point.model, &point.simulated);
        }
    }
    for found in equal {
        for (model, simulated) in &found.councils {
            line(&mut text, (found.candidates, 0.0, [found.noise; 2]), model, simulated);
        }
    }
    text
}

fn line(
    text: &mut String,
    (candidates, synchronisation, noises): (u32, f64, [f64; 2]),
    model: &CouncilModel,
    simulated: &SimulatedRates,
) {
    let weaker = model.members() - 1;
    let exact = [model.single(0), model.single(weaker), model.majority(), model.optimistic(), model.pessimistic()];
    let found = [simulated.best, simulated.predicted, simulated.predicted_by_precision];
    let numbers = [synchronisation]
        .into_iter()
        .chain(noises)
        .chain(exact)
        .chain(found.into_iter().flat_map(|found| [found.rate, found.standard_error]));
    *text += &format!("{},{candidates}", model.members());
    for number in numbers {
        *text += &format!(",{number}");
    }
    text.push('\n');
}
