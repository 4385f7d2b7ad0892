//! What a fit found: at today's size, as a table, as JSON, and as files of parameters.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use kiki_stats::regression::{CoefficientMap as _, Identity, Observations, RegressionFit, fit as regress};
use kiki_train::fit::FormulaColumn;
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::{Map, json};

use super::arguments::{FitArgs, ScaleRule};
use super::formula_map::{FormulaMap, FormulaNumbers, PARAMETERS, is_share, name, parameter_ranges};
use super::games::{GameSample, Halves, UNIT};
use crate::settings::parameter_line;
use kiki_run::files::write_atomically;
use kiki_run::numbers::{print_json, table};
use kiki_run::say;

/// Files that are written for the error of a fit.
const SAMPLES: usize = 200;

/// Prints and writes the numbers.
pub(super) fn report(
    arguments: &FitArgs,
    games: &GameSample,
    halves: &Halves,
    map: &FormulaMap,
    fit: &RegressionFit,
) -> Result<()> {
    let today = FormulaMap { discount_promoted: true }.coefficients(&FormulaNumbers::read(None)?.parameters());
    let found = map.coefficients(&fit.parameters);
    let size = |coefficients: &[f64]| size(&halves.learned, coefficients, arguments.keep);
    let factor = size(&today) / size(&found);
    let numbers = scaled(&fit.parameters, factor);
    if let Some(path) = &arguments.output {
        write_atomically(path, text(&numbers, map).as_bytes())?;
    }
    if let Some(folder) = &arguments.samples {
        write_samples(folder, fit, factor, map, arguments.seed)?;
    }
    let (today_scale, today_loss) = best_scale(halves, &today)?;
    let held_out = halves.held_out.mean_loss(&found);
    let errors: Vec<f64> =
        (0..PARAMETERS).map(|place| fit.standard_error(place) * if is_share(place) { 1.0 } else { factor }).collect();
    if arguments.json {
        let entry = |place: usize| (name(place), json!({ "value": numbers[place], "error": errors[place] }));
        let numbers: Map<_, _> = (0..PARAMETERS).map(entry).collect();
        return print_json(&json!({
            "games": games.games, "positions": games.positions(), "loss": fit.loss, "held_out_loss": held_out,
            "held_out_loss_of_numbers_in_use": today_loss, "scale": UNIT * factor, "scale_of_numbers_in_use": today_scale,
            "numbers": numbers,
        }));
    }
    let rows = (0..PARAMETERS).map(|place| {
        let (value, error) = (numbers[place], errors[place]);
        let digits = if is_share(place) { 4 } else { 1 };
        let ends = [value - 1.96 * error, value + 1.96 * error].map(|end| format!("{end:.digits$}"));
        vec![name(place), format!("{value:.digits$}"), format!("[{}, {}]", ends[0], ends[1])]
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
    ranges.iter().map(|(name, range)| parameter_line(name, range, range.start.into())).collect()
}

/// The root mean square of what all positions, or their material, are worth.
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

/// The scale, in centipawns to one unit of log-odds, at which values foretell results best, and the loss of held-out games.
fn best_scale(halves: &Halves, coefficients: &[f64]) -> Result<(f64, f64)> {
    let value = |from: &Observations| -> Result<Observations> {
        let mut values = Observations::new(1);
        for i in 0..from.len() {
            values.push(&[(0, from.log_odds(i, coefficients) as f32)], from.outcome(i), from.cluster(i))?;
        }
        Ok(values)
    };
    let fit = regress(&value(&halves.learned)?, &Identity, &[1.0], &[0.0])?;
    Ok((UNIT / fit.parameters[0], value(&halves.held_out)?.mean_loss(&fit.parameters)))
}

/// Writes files of parameters drawn from the normal distribution of the fit's error.
fn write_samples(folder: &Path, fit: &RegressionFit, factor: f64, map: &FormulaMap, seed: u64) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let root = fit.covariance.clone().symmetric_eigen();
    let spread = &root.eigenvectors * DMatrix::from_diagonal(&root.eigenvalues.map(|value| value.max(0.0).sqrt()));
    let mut random = Pcg64::seed_from_u64(seed);
    // The sum of twelve uniform numbers is normal enough for an interval of 95 percent.
    let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
    for sample in 1..=SAMPLES {
        let shift = &spread * DVector::from_fn(PARAMETERS, |_, _| normal());
        let drawn: Vec<f64> = fit.parameters.iter().zip(shift.iter()).map(|(value, shift)| value + shift).collect();
        let path = folder.join(format!("sample-{sample:03}.toml"));
        write_atomically(&path, text(&scaled(&drawn, factor), map).as_bytes())?;
    }
    Ok(())
}
