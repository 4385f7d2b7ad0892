//! The rates of councils as text.

use crate::model::Accuracy;
use crate::study::{CouncilRates, EqualMembers, Sweep, SweepPoint};
use kiki_run::output::table;
use kiki_run::say;

pub(super) fn print(sweeps: &[Sweep], equal: &[EqualMembers], runs: u32) {
    for sweep in sweeps {
        say!(
            "Three members, {} candidates, the third copies the second in {} % of positions; the strongest's noise is {}",
            sweep.candidates,
            100.0 * sweep.synchronisation,
            sweep.strongest_noise
        );
        say!("{}", table(&SWEEP_COLUMNS.split(',').collect::<Vec<_>>(), sweep.points.iter().map(sweep_row)));
        say!(
            "better than the strongest alone: majority {}, optimistic {}",
            up_to(sweep.majority_up_to),
            up_to(sweep.optimistic_up_to)
        );
        say!("{}\n", findings(sweep));
    }
    for found in equal {
        say!("Equal members, {} candidates, noise {}", found.candidates, found.noise);
        say!("{}\n", table(&EQUAL_COLUMNS, found.councils.iter().map(equal_row)));
    }
    say!(
        "Rates of the best move. Noises are in losses of a wrong move. best, predicted, by precision: {runs} simulated positions, standard errors \
         up to {:.4}; the others are exact",
        0.5 / f64::from(runs).sqrt()
    );
}

const SWEEP_COLUMNS: &str =
    "noise,strongest,weaker,majority,optimistic,pessimistic,agree 2-3,agree 1-2,best,predicted,by precision";

const EQUAL_COLUMNS: [&str; 7] = ["members", "single", "majority", "optimistic", "pessimistic", "best", "predicted"];

fn sweep_row(point: &SweepPoint) -> Vec<String> {
    let rates = &point.rates;
    let exact = [rates.strongest, rates.weaker, rates.majority, rates.optimistic, rates.pessimistic];
    let exact = exact.into_iter().chain([point.agreement_of_weaker, point.agreement_with_strongest]);
    let simulated = [rates.best, rates.predicted, rates.predicted_by_precision];
    row(point.noise.to_string(), exact, &simulated)
}

fn equal_row(rates: &CouncilRates) -> Vec<String> {
    let exact = [rates.strongest, rates.majority, rates.optimistic, rates.pessimistic];
    row(rates.members.to_string(), exact, &[rates.best, rates.predicted])
}

fn row(first: String, exact: impl IntoIterator<Item = f64>, simulated: &[Accuracy]) -> Vec<String> {
    let exact = exact.into_iter().map(|rate| format!("{rate:.6}"));
    [first].into_iter().chain(exact).chain(simulated.iter().map(|found| format!("{:.4}", found.rate))).collect()
}

fn up_to(noise: Option<f64>) -> String {
    noise.map_or_else(|| "nowhere, or everywhere".to_owned(), |noise| format!("up to a noise of {noise:.6}"))
}

/// How the rules compare in a sweep.
fn findings(sweep: &Sweep) -> String {
    let rows = |is_one: fn(&CouncilRates) -> bool| sweep.points.iter().filter(|point| is_one(&point.rates)).count();
    let all = sweep.points.len();
    format!(
        "rows above the strongest alone: pessimistic in {} of {all}, best in {} of {all}, predicted in {} of {all}; majority above optimistic in {}",
        rows(|rates| rates.pessimistic > rates.strongest),
        rows(|rates| rates.best.rate > rates.strongest),
        rows(|rates| rates.predicted.rate > rates.strongest),
        rows(|rates| rates.majority > rates.optimistic),
    )
}
