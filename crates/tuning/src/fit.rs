//! `kiki-lab fit`: the numbers of the formula under which the results of games are most likely.

mod formula_map;
mod games;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use kiki_eval::Weights;
use kiki_run::files::write_atomically;
use kiki_run::interrupt::exit_code;
use kiki_run::output::{print_json, table};
use kiki_run::say;
use kiki_stats::regression::{self, CoefficientMap as _, Identity, Observations, RegressionFit};
use kiki_train::fit::{CANDIDATES, FORMULA, FormulaColumn, TermGroup};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::{Map, json};

use crate::settings::{parameters_text, read_weights};
use formula_map::{
    FormulaMap, PARAMETERS, WIDTH, complete, is_held, is_share, name, parameter_ranges, parameters_of, precision,
};
use games::{GameSample, Halves, ScaleRule, UNIT};

pub use games::FormulaFitArgs;

pub fn run(arguments: &FormulaFitArgs) -> Result<ExitCode> {
    ensure!((0.0..=1.0).contains(&arguments.lambda), "--lambda is a share from 0 to 1");
    ensure!(arguments.score_scale > 0.0, "--score-scale is greater than 0");
    let with = arguments.with.iter().map(|name| candidate(name)).collect::<Result<Vec<_>>>()?;
    let start = arguments.start.as_deref().map(read_weights).transpose()?.unwrap_or_default();
    let Some(games) = GameSample::read(arguments)? else { return Ok(exit_code(true)) };
    if arguments.screen {
        screen(&games, &with, arguments.json)?;
    } else if !with.is_empty() {
        fit_with(&games, &with, arguments.json)?;
    } else {
        fit_formula(arguments, &games, &parameters_of(&start))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn candidate(name: &str) -> Result<&'static TermGroup> {
    let names = || CANDIDATES.iter().map(|group| group.name).collect::<Vec<_>>().join(", ");
    CANDIDATES
        .iter()
        .find(|group| group.name == name)
        .with_context(|| format!("there are no terms `{name}`; known are {}", names()))
}

fn fit_formula(arguments: &FormulaFitArgs, games: &GameSample, start: &[f64]) -> Result<()> {
    let halves = games.observations(&[&FORMULA])?;
    let map = FormulaMap { discount_promoted: !arguments.promoted_in_full };
    let precision = precision(arguments.published_terms, &arguments.hold)?;
    let today = FormulaMap { discount_promoted: true }.coefficients(&parameters_of(&Weights::default()));
    let in_use = best_scale(&halves, &today)?;
    let wanted = size(&halves.learned, &today, arguments.keep);
    let missing = |coefficients: &[f64]| (wanted / size(&halves.learned, coefficients, arguments.keep)).ln();
    let fit = scaled_fit(&halves.learned, map, start, &precision, in_use.0 / UNIT, missing)?;
    report(arguments, games, &halves, in_use, &fit)
}

/// Numbers that keep the size of the values, and how they were found.
struct ScaledFit {
    /// Numbers, in centipawns to one unit of log-odds of [`UNIT`].
    fit: RegressionFit,
    /// What makes centipawns of the fit those of the numbers in use.
    factor: f64,
    /// The value of each number that was held.
    held: Vec<Option<f64>>,
    map: FormulaMap,
}

impl ScaledFit {
    /// Numbers in centipawns of the numbers in use, from those of a fit. Held ones stay exact.
    fn numbers(&self, parameters: &[f64]) -> Vec<f64> {
        let scaled = scaled(parameters, self.factor);
        self.held.iter().zip(scaled).map(|(held, value)| held.unwrap_or(value)).collect()
    }

    /// Standard error of a number; `None` if it was held.
    fn error(&self, place: usize) -> Option<f64> {
        let factor = if is_share(place) { 1.0 } else { self.factor };
        self.held[place].is_none().then(|| self.fit.standard_error(place) * factor)
    }
}

/// A factor is found when it changes by less than this share.
const SETTLED: f64 = 1e-6;
/// Fits before the search for a factor gives up. With few numbers held it takes three.
const MAX_FITS: usize = 20;
/// No factor differs from 1 by more than this, as a logarithm.
const LARGEST_FACTOR: f64 = 5.0;

/// Fits the numbers. `missing` tells the logarithm of the factor that gives coefficients the size
/// of those in use. A held number has its start's value in the result. So the fit holds that value
/// divided by the factor, which follows from the fit itself: the secant method finds it, from the
/// `guess` on. Fails if the held numbers do not let it.
fn scaled_fit(
    observations: &Observations,
    map: FormulaMap,
    start: &[f64],
    precision: &[f64],
    guess: f64,
    missing: impl Fn(&[f64]) -> f64,
) -> Result<ScaledFit> {
    let held = (0..PARAMETERS).map(|place| is_held(place, precision).then_some(start[place])).collect();
    // Values that do not predict results have no scale.
    let mut factor = if guess > 0.0 && guess.is_finite() { guess.ln() } else { 0.0 };
    let mut last: Option<(f64, f64)> = None;
    for _ in 0..MAX_FITS {
        let start = scaled(start, (-factor).exp());
        let fit = complete(&regression::fit(observations, &map, &start, precision)?);
        let missing = missing(&map.coefficients(&fit.parameters)) - factor;
        if missing.abs() < SETTLED {
            return Ok(ScaledFit { fit, factor: factor.exp(), held, map });
        }
        let slope = last.map_or(-1.0, |(before, missed)| (missing - missed) / (factor - before));
        last = Some((factor, missing));
        factor -= missing / slope;
        // Also if it is not a number.
        if !(slope < 0.0 && factor.abs() < LARGEST_FACTOR) {
            break;
        }
    }
    bail!("too many numbers are held: the others cannot keep the size of the values")
}

/// Number of files that show the error of a fit.
const SAMPLES: usize = 200;

fn report(
    arguments: &FormulaFitArgs,
    games: &GameSample,
    halves: &Halves,
    (today_scale, today_loss): (f64, f64),
    scaled: &ScaledFit,
) -> Result<()> {
    let ScaledFit { fit, factor, map, .. } = scaled;
    let numbers = scaled.numbers(&fit.parameters);
    if let Some(path) = &arguments.output {
        write_atomically(path, text(&numbers, map).as_bytes())?;
    }
    if let Some(folder) = &arguments.samples {
        write_samples(folder, scaled, arguments.seed)?;
    }
    let held_out = halves.held_out.mean_loss(&map.coefficients(&fit.parameters));
    if arguments.json {
        let entry = |place: usize| (name(place), json!({ "value": numbers[place], "error": scaled.error(place) }));
        let numbers: Map<_, _> = (0..PARAMETERS).map(entry).collect();
        return print_json(&json!({
            "games": games.games, "positions": games.positions(), "loss": fit.loss, "held_out_loss": held_out,
            "held_out_loss_of_numbers_in_use": today_loss, "scale": UNIT * factor, "scale_of_numbers_in_use": today_scale,
            "numbers": numbers,
        }));
    }
    let rows = (0..PARAMETERS).map(|place| {
        let value = numbers[place];
        let digits = if is_share(place) { 4 } else { 1 };
        let interval = scaled.error(place).map_or("held".to_owned(), |error| {
            format!("[{:.digits$}, {:.digits$}]", value - 1.96 * error, value + 1.96 * error)
        });
        vec![name(place), format!("{value:.digits$}"), interval]
    });
    say!("{}", table(&["number", "found", "95 %"], rows));
    say!("{} positions of {} games, {} steps", games.positions(), games.games, fit.steps);
    say!("loss {:.5}; of games held out {held_out:.5}, with the numbers in use {today_loss:.5}", fit.loss);
    say!("{:.0} centipawns to one unit of log-odds; of the numbers in use {today_scale:.0}", UNIT * factor);
    Ok(())
}

fn scaled(parameters: &[f64], factor: f64) -> Vec<f64> {
    let scale = |(place, &value): (usize, &f64)| if is_share(place) { value } else { value * factor };
    parameters.iter().enumerate().map(scale).collect()
}

fn text(numbers: &[f64], map: &FormulaMap) -> String {
    let ranges = parameter_ranges(numbers, map.discount_promoted);
    parameters_text(ranges.iter().map(|(name, &range)| (name, range)))
}

/// Root mean square of the values of all positions, or of their material.
fn size(observations: &Observations, coefficients: &[f64], keep: ScaleRule) -> f64 {
    let is_material = |column: &FormulaColumn| matches!(column, FormulaColumn::Board(_) | FormulaColumn::Hand(_));
    let kept: Vec<f64> = FormulaColumn::all()
        .iter()
        .zip(coefficients)
        .map(|(column, &value)| if keep == ScaleRule::Values || is_material(column) { value } else { 0.0 })
        .collect();
    let squares: f64 = (0..observations.len()).map(|i| observations.log_odds(i, &kept).powi(2)).sum();
    (squares / observations.len() as f64).sqrt()
}

/// Scale at which values predict results best, in centipawns to one unit of log-odds, and the loss
/// of held-out games.
fn best_scale(halves: &Halves, coefficients: &[f64]) -> Result<(f64, f64)> {
    let value = |from: &Observations| -> Result<Observations> {
        let mut values = Observations::new(1);
        for i in 0..from.len() {
            values.push(&[(0, from.log_odds(i, coefficients) as f32)], from.outcome(i), from.cluster(i))?;
        }
        Ok(values)
    };
    let fit = regression::fit(&value(&halves.learned)?, &Identity, &[1.0], &[0.0])?;
    Ok((UNIT / fit.parameters[0], value(&halves.held_out)?.mean_loss(&fit.parameters)))
}

/// Writes files of parameters drawn from the normal distribution of the fit's error.
fn write_samples(folder: &Path, scaled: &ScaledFit, seed: u64) -> Result<()> {
    let fit = &scaled.fit;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let root = fit.covariance.clone().symmetric_eigen();
    let spread = &root.eigenvectors * DMatrix::from_diagonal(&root.eigenvalues.map(|value| value.max(0.0).sqrt()));
    let mut random = Pcg64::seed_from_u64(seed);
    // The sum of twelve uniform numbers is close enough to normal for an interval of 95 percent.
    let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    for sample in 1..=SAMPLES {
        let shift = &spread * DVector::from_fn(PARAMETERS, |_, _| normal());
        let drawn: Vec<f64> = fit.parameters.iter().zip(shift.iter()).map(|(value, shift)| value + shift).collect();
        let path = folder.join(format!("sample-{sample:03}.toml"));
        write_atomically(&path, text(&scaled.numbers(&drawn), &scaled.map).as_bytes())?;
    }
    Ok(())
}

/// Fits a coefficient for each term of the groups.
fn fit_groups(games: &GameSample, groups: &[&TermGroup]) -> Result<(Halves, RegressionFit)> {
    let halves = games.observations(groups)?;
    let terms = groups.iter().map(|group| group.terms).sum();
    let fit = regression::fit(&halves.learned, &Identity, &vec![0.0; terms], &vec![WIDTH.powi(-2); terms])?;
    Ok((halves, fit))
}

/// Mean difference per position of two losses in the same games, and its standard error over games,
/// in millinats.
fn difference(one: &[(f64, usize)], other: &[(f64, usize)]) -> (f64, f64) {
    let positions: usize = one.iter().map(|game| game.1).sum();
    let differences: Vec<f64> = one.iter().zip(other).map(|(one, other)| one.0 - other.0).collect();
    let sum: f64 = differences.iter().sum();
    let mean = sum / differences.len() as f64;
    let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
    (1000.0 * sum / positions as f64, 1000.0 * squares.sqrt() / positions as f64)
}

/// Fits the formula with `with` and each other group beside them, and prints the gain of each.
fn screen(games: &GameSample, with: &[&TermGroup], as_json: bool) -> Result<()> {
    let base: Vec<&TermGroup> = std::iter::once(&FORMULA).chain(with.iter().copied()).collect();
    let (halves, fit_of_base) = fit_groups(games, &base)?;
    let losses = |observations: &Observations, fit: &RegressionFit| observations.cluster_losses(&fit.parameters);
    let before = losses(&halves.held_out, &fit_of_base);
    let mut gains = Vec::new();
    for group in CANDIDATES.iter().filter(|group| with.iter().all(|other| other.name != group.name)) {
        let groups: Vec<&TermGroup> = base.iter().copied().chain([group]).collect();
        let (halves, fit) = fit_groups(games, &groups)?;
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
        let [gain, error, learned] = [gain, error, learned].map(|number| format!("{number:.2}"));
        vec![group.name.to_owned(), group.terms.to_string(), gain, error, learned, group.meaning.to_owned()]
    });
    say!("{}", table(&["terms", "count", "gain", "error", "learned", "what"], rows));
    say!(
        "gain: millinats of loss a position in held-out games, where the loss is {loss:.5} without; {} positions",
        games.positions()
    );
    Ok(())
}

/// Fits the formula with other groups and prints their coefficients.
fn fit_with(games: &GameSample, with: &[&TermGroup], as_json: bool) -> Result<()> {
    let groups: Vec<&TermGroup> = std::iter::once(&FORMULA).chain(with.iter().copied()).collect();
    let (halves, fit) = fit_groups(games, &groups)?;
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
