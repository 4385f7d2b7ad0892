//! The mathematics of sigma, ProbCut and gambling for given numbers.
//!
//! `kiki-lab sigma cut`, `wrong`, `combine`, `weights`, `line` and `constant`;
//! `kiki-lab gamble chance` and `sign`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use kiki_run::numbers::finite;
use kiki_run::output::{percent, print_json, table};
use kiki_run::say;
use serde_json::json;

use crate::chance::{SignTest, UncertainTree};
use crate::cuts::{CombinedValue, CutDecision, ValueRegression, combine, decide, false_cut, joint_false_cut};
use crate::model::{Calibration, CalibrationGroup, SigmaLink, SigmaSamples, column_name, equivalent_sigma, fit};
use crate::report::GROUPS;

/// Decides whether a shallow value allows a cut
#[derive(Args, Debug)]
pub(crate) struct CutArgs {
    /// Shallow value
    #[arg(allow_negative_numbers = true)]
    value: f64,
    /// Lower end of the window
    #[arg(long, allow_negative_numbers = true)]
    alpha: f64,
    /// Upper end of the window
    #[arg(long, allow_negative_numbers = true)]
    beta: f64,
    /// Standard deviation of the deep value around the shallow one
    #[arg(long)]
    sigma: f64,
    /// Margin in sigmas
    #[arg(short, long, default_value_t = 1.0)]
    k: f64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run_cut(arguments: &CutArgs) -> Result<()> {
    let CutArgs { value, alpha, beta, sigma, k, .. } = *arguments;
    let decision = decide(value, (alpha, beta), sigma, k)?;
    if arguments.json {
        let name = match decision {
            CutDecision::FailHigh => "fail_high",
            CutDecision::FailLow => "fail_low",
            CutDecision::Search => "search",
        };
        return print_json(&json!({ "decision": name, "low": alpha - k * sigma, "high": beta + k * sigma }));
    }
    say!(
        "{}",
        match decision {
            CutDecision::FailHigh => "cut: the deep value counts as beta or more",
            CutDecision::FailLow => "cut: the deep value counts as alpha or less",
            CutDecision::Search => "no cut: search the position",
        }
    );
    say!("cuts from {} up and from {} down", beta + k * sigma, alpha - k * sigma);
    Ok(())
}

/// Shows how often a cut at its margin is wrong, or at least one of two
#[derive(Args, Debug)]
pub(crate) struct WrongArgs {
    /// Margin of each cut in sigmas, one or two
    #[arg(required = true, num_args = 1..=2, allow_negative_numbers = true)]
    k: Vec<f64>,
    /// Correlation of the errors of two shallow values
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    correlation: f64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run_wrong(arguments: &WrongArgs) -> Result<()> {
    let wrong = match arguments.k[..] {
        [first, second] => joint_false_cut(first, second, arguments.correlation)?,
        _ => false_cut(arguments.k[0]),
    };
    if arguments.json {
        return print_json(&json!({ "wrong": wrong }));
    }
    say!("wrong: {}", percent(wrong));
    Ok(())
}

/// Combines two shallow values into the one of least sigma
#[derive(Args, Debug)]
pub(crate) struct CombineArgs {
    /// A shallow value and its sigma; give this option twice
    #[arg(long = "value", value_name = "VALUE,SIGMA", required = true, allow_hyphen_values = true, value_parser = uncertain_value)]
    values: Vec<(f64, f64)>,
    /// Correlation of their errors
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    correlation: f64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run_combine(arguments: &CombineArgs) -> Result<()> {
    let [first, second] = arguments.values[..] else { bail!("--value: expected two values") };
    let combined = combine([first.0, second.0], [first.1, second.1], arguments.correlation)?;
    let CombinedValue { weights: [a, b], value, sigma } = combined;
    if arguments.json {
        return print_json(&json!({ "weights": [a, b], "value": value, "sigma": sigma }));
    }
    say!("{value:.2} with sigma {sigma:.2}: {a:.4} of the first value, {b:.4} of the second");
    Ok(())
}

/// Reads `VALUE,SIGMA`.
fn uncertain_value(text: &str) -> Result<(f64, f64), String> {
    let numbers = text.split_once(',').and_then(|(value, sigma)| Some((finite(value)?, finite(sigma)?)));
    numbers.ok_or_else(|| "expected a value and its sigma such as -200,150".to_owned())
}

/// Shows the chance of each move to turn out well
#[derive(Args, Debug)]
pub(crate) struct ChanceArgs {
    /// A move: its value for the side that plays it, and sigma; or its replies, separated by
    /// slashes, with values for the side that replies. May be given several times
    #[arg(long = "move", value_name = "VALUE,SIGMA[/..]", required = true, allow_hyphen_values = true, value_parser = uncertain_move)]
    moves: Vec<UncertainTree>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run_chance(arguments: &ChanceArgs) -> Result<()> {
    let outcome = |tree: &UncertainTree| Ok((-tree.value(), 1.0 - tree.chance()?));
    let outcomes: Vec<(f64, f64)> = arguments.moves.iter().map(outcome).collect::<Result<_>>()?;
    if arguments.json {
        let moves = outcomes.iter().map(|(value, chance)| json!({ "value": value, "probability": chance }));
        return print_json(&json!({ "moves": moves.collect::<Vec<_>>() }));
    }
    let row = |(number, (value, chance)): (i32, &(f64, f64))| {
        vec![format!("move {number}"), value.to_string(), percent(*chance)]
    };
    say!("{}", table(&["", "value", "chance"], (1..).zip(&outcomes).map(row)));
    Ok(())
}

/// The position after a move, for the side that replies.
fn uncertain_move(text: &str) -> Result<UncertainTree, String> {
    if !text.contains('/') {
        let (value, sigma) = uncertain_value(text)?;
        return Ok(UncertainTree::Leaf(-value, sigma));
    }
    let reply = |text| uncertain_value(text).map(|(value, sigma)| UncertainTree::Leaf(-value, sigma));
    Ok(UncertainTree::Node(text.split('/').map(reply).collect::<Result<_, _>>()?))
}

/// Tests whether gains and losses are equally frequent
#[derive(Args, Debug)]
pub(crate) struct SignArgs {
    /// Number of games that ended better
    better: u64,
    /// Number of games that ended worse
    worse: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run_sign(arguments: &SignArgs) -> Result<()> {
    let SignTest { z, two_sided } = SignTest::new(arguments.better, arguments.worse)?;
    if arguments.json {
        return print_json(&json!({ "z": z, "p": two_sided }));
    }
    say!("z {z:.3}, exact two-sided p {two_sided:.4}");
    Ok(())
}

/// Fits sigma to a table of differences and features
#[derive(Args, Debug)]
pub(crate) struct WeightsArgs {
    /// Table with a sample on each line: the difference, then its features, separated by spaces or
    /// tabs; `#` starts a comment
    file: PathBuf,
    /// How sigma follows from the weighted sum of features
    #[arg(long, value_enum, default_value_t = SigmaLink::Linear)]
    link: SigmaLink,
    /// Precision (1 / variance) of the prior of each weight but the constant; 0 is no prior
    #[arg(long, default_value_t = 0.0)]
    ridge: f64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run_weights(arguments: &WeightsArgs) -> Result<()> {
    let rows = rows(&arguments.file)?;
    let features = rows[0].len() - 1;
    ensure!(features < usize::from(u16::MAX), "{}: more than 65,534 features", arguments.file.display());
    let mut samples = SigmaSamples::new(features + 1);
    for row in &rows {
        let features: Vec<(u16, f32)> = (1..).zip(row[1..].iter().map(|&value| value as f32)).collect();
        samples.push(&features, row[0])?;
    }
    let found = fit(&samples, arguments.link, arguments.ridge)?;
    let sigma = equivalent_sigma(found.mean_log_likelihood)?;
    // The calibration shows the fit itself, without the floor that users apply.
    let sigmas = samples.sigmas(&found.weights, found.link, f64::MIN_POSITIVE);
    let calibration = Calibration::new(&sigmas, samples.differences(), GROUPS.min(samples.len()))?;
    if arguments.json {
        let group = |group: &CalibrationGroup| json!([group.estimated, group.observed, group.samples]);
        return print_json(&json!({
            "samples": samples.len(),
            "weights": found.weights,
            "standard_errors": found.standard_errors,
            "mean_log_likelihood": found.mean_log_likelihood,
            "sigma": sigma,
            "floor": found.floor,
            "calibration": {
                "slope": calibration.slope,
                "groups": calibration.groups.iter().map(group).collect::<Vec<_>>(),
            },
        }));
    }
    let lines = found.weights.iter().zip(&found.standard_errors).enumerate();
    let lines =
        lines.map(|(column, (weight, error))| vec![column_name(column), format!("{weight:.4}"), format!("{error:.4}")]);
    say!("{}", table(&["", "weight", "error"], lines));
    say!(
        "{} samples, mean log-likelihood {:.6}, that of a constant sigma {sigma:.2}",
        samples.len(),
        found.mean_log_likelihood
    );
    say!("observed over fitted sigma, {} groups: slope {:.4}", calibration.groups.len(), calibration.slope);
    Ok(())
}

/// Fits a line and its sigma to pairs of a shallow and a deep value
#[derive(Args, Debug)]
pub(crate) struct LineArgs {
    /// Table with a shallow and a deep value on each line, separated by spaces or tabs; `#` starts
    /// a comment
    file: PathBuf,
    /// Print the least shallow value that allows a cut above this one
    #[arg(long, allow_negative_numbers = true)]
    beta: Option<f64>,
    /// Margin of that cut in sigmas
    #[arg(short, long, default_value_t = 1.0, requires = "beta")]
    k: f64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run_line(arguments: &LineArgs) -> Result<()> {
    let rows = rows(&arguments.file)?;
    ensure!(rows[0].len() == 2, "{}: expected two numbers on each line", arguments.file.display());
    let pairs: Vec<(f64, f64)> = rows.iter().map(|row| (row[0], row[1])).collect();
    let found = ValueRegression::fit(&pairs)?;
    let threshold = arguments.beta.map(|beta| found.fail_high_threshold(beta, arguments.k)).transpose()?;
    if arguments.json {
        return print_json(&json!({
            "slope": found.slope,
            "offset": found.offset,
            "sigma": found.sigma,
            "threshold": threshold,
        }));
    }
    say!("deep = {:.4} x shallow {:+.2}, sigma {:.2}", found.slope, found.offset, found.sigma);
    if let (Some(threshold), Some(beta)) = (threshold, arguments.beta) {
        say!("cut above {beta} from a shallow value of {threshold:.1} on, {} sigma", arguments.k);
    }
    Ok(())
}

/// Converts mean log-likelihoods to the constant sigma of the same likelihood
#[derive(Args, Debug)]
pub(crate) struct ConstantArgs {
    /// Mean log-likelihoods
    #[arg(required = true, allow_negative_numbers = true)]
    likelihoods: Vec<f64>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run_constant(arguments: &ConstantArgs) -> Result<()> {
    let sigma = |&likelihood: &f64| Ok((likelihood, equivalent_sigma(likelihood)?));
    let found: Vec<(f64, f64)> = arguments.likelihoods.iter().map(sigma).collect::<Result<_>>()?;
    if arguments.json {
        return print_json(&json!({ "sigma": found.iter().map(|pair| pair.1).collect::<Vec<_>>() }));
    }
    let lines = found.iter().map(|(likelihood, sigma)| vec![likelihood.to_string(), format!("{sigma:.2}")]);
    say!("{}", table(&["mean log-likelihood", "sigma"], lines));
    Ok(())
}

/// Rows of a table, at least one, all of the same length.
fn rows(path: &Path) -> Result<Vec<Vec<f64>>> {
    let place = || path.display().to_string();
    let text = read_regular_text(path, MOST_SETTINGS).with_context(place)?;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.split('#').next().unwrap_or_default();
        let cell = |word: &str| finite(word).with_context(|| format!("{}:{number}: `{word}` is not a number", place()));
        let row: Vec<f64> = line.split_whitespace().map(cell).collect::<Result<_>>()?;
        if row.is_empty() {
            continue;
        }
        let expected = rows.first().map_or(row.len(), Vec::len);
        ensure!(row.len() == expected, "{}:{number}: expected {expected} numbers, found {}", place(), row.len());
        rows.push(row);
    }
    ensure!(!rows.is_empty(), "{}: the table is empty", place());
    Ok(rows)
}
