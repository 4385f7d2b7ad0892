//! What other terms gain beside those of the formula, judged by games that were held out.

use anyhow::Result;
use kiki_stats::regression;
use kiki_stats::regression::{Identity, Observations, RegressionFit};
use kiki_train::fit::{CANDIDATES, FORMULA, FormulaColumn, TermGroup};
use serde_json::json;

use super::formula_map::WIDTH;
use super::games::{GameSample, Halves};
use kiki_run::numbers::{print_json, table};
use kiki_run::say;

/// Fits all terms of groups, each with a coefficient of its own.
fn fit(games: &GameSample, groups: &[&TermGroup]) -> Result<(Halves, RegressionFit)> {
    let halves = games.observations(groups)?;
    let terms = groups.iter().map(|group| group.terms).sum();
    let fit = regression::fit(&halves.learned, &Identity, &vec![0.0; terms], &vec![WIDTH.powi(-2); terms])?;
    Ok((halves, fit))
}

/// The mean difference of two losses in the same games a position, and its standard error over games. In millinats.
fn difference(one: &[(f64, usize)], other: &[(f64, usize)]) -> (f64, f64) {
    let positions: usize = one.iter().map(|game| game.1).sum();
    let differences: Vec<f64> = one.iter().zip(other).map(|(one, other)| one.0 - other.0).collect();
    let sum: f64 = differences.iter().sum();
    let mean = sum / differences.len() as f64;
    let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
    (1000.0 * sum / positions as f64, 1000.0 * squares.sqrt() / positions as f64)
}

/// Fits the formula with `with` and each other group beside them, and prints what each gains.
pub(super) fn screen(games: &GameSample, with: &[&TermGroup], as_json: bool) -> Result<()> {
    let base: Vec<&TermGroup> = std::iter::once(&FORMULA).chain(with.iter().copied()).collect();
    let (halves, fit_of_base) = fit(games, &base)?;
    let losses = |observations: &Observations, fit: &RegressionFit| observations.cluster_losses(&fit.parameters);
    let before = losses(&halves.held_out, &fit_of_base);
    let mut gains = Vec::new();
    for group in CANDIDATES.iter().filter(|group| with.iter().all(|other| other.name != group.name)) {
        let groups: Vec<&TermGroup> = base.iter().copied().chain([group]).collect();
        let (halves, fit) = fit(games, &groups)?;
        let (gain, error) = difference(&before, &losses(&halves.held_out, &fit));
        gains.push((group, gain, error, 1000.0 * (fit_of_base.loss - fit.loss)));
    }
    gains.sort_by(|one, other| other.1.total_cmp(&one.1));
    let loss = halves.held_out.mean_loss(&fit_of_base.parameters);
    if as_json {
        let gains = gains.iter().map(|(group, gain, error, learned)| {
            json!({ "terms": group.name, "count": group.terms, "gain": gain, "error": error, "learned_gain": learned })
        });
        let gains: Vec<_> = gains.collect();
        return print_json(&json!({ "held_out_loss": loss, "positions": games.positions(), "gains": gains }));
    }
    let rows = gains.iter().map(|(group, gain, error, learned)| {
        let numbers = [format!("{gain:.2}"), format!("{error:.2}"), format!("{learned:.2}")];
        [group.name.to_owned(), group.terms.to_string()]
            .into_iter()
            .chain(numbers)
            .chain([group.meaning.to_owned()])
            .collect()
    });
    say!("{}", table(&["terms", "count", "gain", "error", "learned", "what"], rows));
    say!(
        "gain: millinats of loss a position in held-out games, where the loss is {loss:.5} without; {} positions",
        games.positions()
    );
    Ok(())
}

/// Fits the formula with other groups and prints their coefficients.
pub(super) fn fit_with(games: &GameSample, with: &[&TermGroup], as_json: bool) -> Result<()> {
    let groups: Vec<&TermGroup> = std::iter::once(&FORMULA).chain(with.iter().copied()).collect();
    let (halves, fit) = fit(games, &groups)?;
    let mut names: Vec<String> = FormulaColumn::all().iter().map(|column| format!("{column:?}")).collect();
    for group in with {
        names.extend((0..group.terms).map(|term| format!("{} {term}", group.name)));
    }
    let held_out = halves.held_out.mean_loss(&fit.parameters);
    if as_json {
        let terms = names.iter().enumerate().map(
            |(term, name)| json!({ "name": name, "value": fit.parameters[term], "error": fit.standard_error(term) }),
        );
        let terms: Vec<_> = terms.collect();
        return print_json(&json!({ "loss": fit.loss, "held_out_loss": held_out, "terms": terms }));
    }
    let rows = names.iter().enumerate().map(|(term, name)| {
        vec![name.clone(), format!("{:.1}", fit.parameters[term]), format!("{:.1}", fit.standard_error(term))]
    });
    say!("{}", table(&["term", "value", "error"], rows));
    say!("centipawns, 600 to one unit of log-odds; loss {:.5}, held out {held_out:.5}", fit.loss);
    Ok(())
}
