//! The rates of councils as text and as JSON.

use crate::model::{Accuracy, CouncilModel, SimulatedRates};
use serde_json::{Value, json};

use crate::study::{EqualMembers, Sweep, SweepPoint};
use kiki_run::output::table;
use kiki_run::say;

pub(super) fn print(sweeps: &[Sweep], equal: &[EqualMembers], runs: u32) {
    for sweep in sweeps {
        say!(
            "Three members, {} candidates, the third copies the second in {} % of positions; the strongest's noise is {}",
            sweep.candidates,
            100.0 * sweep.synchronisation,
            sweep.strongest
        );
        say!("{}", table(&SWEEP_COLUMNS, sweep.points.iter().map(sweep_row)));
        say!(
            "better than the strongest alone: majority {}, optimistic {}",
            up_to(sweep.majority_up_to),
            up_to(sweep.optimistic_up_to)
        );
        say!("{}\n", findings(sweep));
    }
    for found in equal {
        say!("Equal members, {} candidates, noise {}", found.candidates, found.noise);
        say!("{}\n", table(&EQUAL_COLUMNS, found.councils.iter().map(|(model, rates)| equal_row(model, rates))));
    }
    say!(
        "Rates of the best move. Noises are in losses of a wrong move. best, predicted, by precision: {runs} simulated positions, standard errors \
         up to {:.4}; the others are exact",
        0.5 / f64::from(runs).sqrt()
    );
}

const SWEEP_COLUMNS: [&str; 11] = [
    "noise",
    "strongest",
    "weaker",
    "majority",
    "optimistic",
    "pessimistic",
    "agree 2-3",
    "agree 1-2",
    "best",
    "predicted",
    "by precision",
];

const EQUAL_COLUMNS: [&str; 7] = ["members", "single", "majority", "optimistic", "pessimistic", "best", "predicted"];

fn sweep_row(point: &SweepPoint) -> Vec<String> {
    let model = &point.model;
    let mut cells = vec![point.noise.to_string()];
    let exact = [model.single(0), model.single(1), model.majority(), model.optimistic(), model.pessimistic()];
    cells.extend(
        exact.into_iter().chain([model.agreement(1, 2), model.agreement(0, 1)]).map(|rate| format!("{rate:.6}")),
    );
    let simulated = &point.simulated;
    let rates = [simulated.best, simulated.predicted, simulated.predicted_by_precision];
    cells.extend(rates.map(|found| format!("{:.4}", found.rate)));
    cells
}

fn equal_row(model: &CouncilModel, simulated: &SimulatedRates) -> Vec<String> {
    let exact = [model.single(0), model.majority(), model.optimistic(), model.pessimistic()];
    let rates = [simulated.best, simulated.predicted].map(|found| format!("{:.4}", found.rate));
    [model.members().to_string()].into_iter().chain(exact.map(|rate| format!("{rate:.6}"))).chain(rates).collect()
}

fn up_to(noise: Option<f64>) -> String {
    noise.map_or_else(|| "nowhere, or everywhere".to_owned(), |noise| format!("up to a noise of {noise:.6}"))
}

/// How the rules compare in a sweep.
fn findings(sweep: &Sweep) -> String {
    let strongest = |point: &SweepPoint| point.model.single(0);
    let rule = |name: &str, rate: fn(&SweepPoint) -> f64| {
        format!("{name} in {} of {}", sweep.count_greater(rate, strongest), sweep.points.len())
    };
    format!(
        "rows above the strongest alone: {}, {}, {}; majority above optimistic in {}",
        rule("pessimistic", |point| point.model.pessimistic()),
        rule("best", |point| point.simulated.best.rate),
        rule("predicted", |point| point.simulated.predicted.rate),
        sweep.count_greater(|point| point.model.majority(), |point| point.model.optimistic()),
    )
}

pub(super) fn as_json(sweeps: &[Sweep], equal: &[EqualMembers], runs: u32) -> Value {
    let accuracy = |found: Accuracy| json!({ "rate": found.rate, "standard_error": found.standard_error });
    let rates = |model: &CouncilModel, simulated: &SimulatedRates| {
        json!({
            "members": model.members(),
            "strongest": model.single(0),
            "weaker": model.single(model.members() - 1),
            "majority": model.majority(),
            "optimistic": model.optimistic(),
            "pessimistic": model.pessimistic(),
            "best": accuracy(simulated.best),
            "predicted": accuracy(simulated.predicted),
            "predicted_by_precision": accuracy(simulated.predicted_by_precision),
        })
    };
    let point = |point: &SweepPoint| {
        json!({
            "noise": point.noise,
            "agreement_of_weaker": point.model.agreement(1, 2),
            "agreement_with_strongest": point.model.agreement(0, 1),
            "rates": rates(&point.model, &point.simulated),
        })
    };
    let sweep = |sweep: &Sweep| {
        json!({
            "candidates": sweep.candidates,
            "synchronisation": sweep.synchronisation,
            "strongest_noise": sweep.strongest,
            "majority_up_to": sweep.majority_up_to,
            "optimistic_up_to": sweep.optimistic_up_to,
            "points": sweep.points.iter().map(point).collect::<Vec<_>>(),
        })
    };
    let equal_members = |found: &EqualMembers| {
        json!({
            "candidates": found.candidates,
            "noise": found.noise,
            "councils": found.councils.iter().map(|(model, simulated)| rates(model, simulated)).collect::<Vec<_>>(),
        })
    };
    json!({
        "runs": runs,
        "sweeps": sweeps.iter().map(sweep).collect::<Vec<_>>(),
        "equal_members": equal.iter().map(equal_members).collect::<Vec<_>>(),
    })
}
