//! The mathematics of sigma, ProbCut and gambling for given numbers.
//!
//! `kiki-lab sigma cut`, `wrong`, `combine`, `weights`, `line` and `constant`;
//! `kiki-lab gamble chance` and `sign`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_eval::sigma::SigmaLink;
use kiki_run::files::read_text;
use kiki_run::numbers::finite;
use kiki_run::output::{percent, print_json, table};
use kiki_run::{bail_usage, say};
use kiki_stats::line::LineFit;
use kiki_text::excerpt;
use serde_json::{Value, json};

use crate::chance::{SignTest, UncertainTree};
use crate::cuts::{self, CombinedValue, CutDecision, decide, fail_high_threshold, false_cut, joint_false_cut};
use crate::model::{SigmaCalibration, SigmaSamples, column_name, equivalent_sigma, fit, link_parser};
use crate::report::GROUPS;

// Without a doc comment, so that the help is that of the calculation.
#[derive(Args, Debug)]
pub(crate) struct Printed<C: Args> {
    #[command(flatten)]
    calculation: C,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// The result of a calculation, for programs and for people.
type Answer = Result<(Value, String)>;

impl<C: Args> Printed<C> {
    pub(crate) fn print(&self, calculate: fn(&C) -> Answer) -> Result<()> {
        let (value, text) = calculate(&self.calculation)?;
        if self.json {
            return print_json(&value);
        }
        say!("{text}");
        Ok(())
    }
}

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
}

pub(crate) fn cut(&CutArgs { value, alpha, beta, sigma, k }: &CutArgs) -> Answer {
    let (name, words) = match decide(value, (alpha, beta), sigma, k)? {
        CutDecision::FailHigh => ("fail_high", "cut: the deep value counts as beta or more"),
        CutDecision::FailLow => ("fail_low", "cut: the deep value counts as alpha or less"),
        CutDecision::Search => ("search", "no cut: search the position"),
    };
    let (low, high) = (alpha - k * sigma, beta + k * sigma);
    let text = format!("{words}\ncuts from {high} up and from {low} down");
    Ok((json!({ "decision": name, "low": low, "high": high }), text))
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
}

pub(crate) fn wrong(arguments: &WrongArgs) -> Answer {
    let wrong = match arguments.k[..] {
        [first, second] => joint_false_cut(first, second, arguments.correlation)?,
        _ => false_cut(arguments.k[0]),
    };
    Ok((json!({ "wrong": wrong }), format!("wrong: {}", percent(wrong))))
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
}

pub(crate) fn combine(arguments: &CombineArgs) -> Answer {
    let [first, second] = arguments.values[..] else { bail_usage!("--value: expected two values") };
    let combined = cuts::combine([first.0, second.0], [first.1, second.1], arguments.correlation)?;
    let CombinedValue { weights: [a, b], value, sigma } = combined;
    let text = format!("{value:.2} with sigma {sigma:.2}: {a:.4} of the first value, {b:.4} of the second");
    Ok((json!({ "weights": [a, b], "value": value, "sigma": sigma }), text))
}

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
}

pub(crate) fn chance(arguments: &ChanceArgs) -> Answer {
    let outcome = |tree: &UncertainTree| Ok((-tree.value(), 1.0 - tree.chance()?));
    let outcomes: Vec<(f64, f64)> = arguments.moves.iter().map(outcome).collect::<Result<_>>()?;
    let moves = outcomes.iter().map(|(value, chance)| json!({ "value": value, "probability": chance }));
    let row = |(number, (value, chance)): (i32, &(f64, f64))| {
        vec![format!("move {number}"), value.to_string(), percent(*chance)]
    };
    let text = table(&["", "value", "chance"], (1..).zip(&outcomes).map(row)).to_string();
    Ok((json!({ "moves": moves.collect::<Vec<_>>() }), text))
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
}

pub(crate) fn sign(arguments: &SignArgs) -> Answer {
    let SignTest { z, two_sided } = SignTest::new(arguments.better, arguments.worse)?;
    Ok((json!({ "z": z, "p": two_sided }), format!("z {z:.3}, exact two-sided p {two_sided:.4}")))
}

/// Fits sigma to a table of differences and features
#[derive(Args, Debug)]
pub(crate) struct WeightsArgs {
    /// Table with a sample on each line: the difference, then its features, separated by spaces or
    /// tabs; `#` starts a comment
    file: PathBuf,
    /// How sigma follows from the weighted sum of features: it is the sum, or the sum is its
    /// logarithm
    #[arg(long, value_parser = link_parser(), default_value = "linear")]
    link: SigmaLink,
    /// Precision (1 / variance) of the prior of each weight but the constant; 0 is no prior
    #[arg(long, default_value_t = 0.0)]
    ridge: f64,
}

pub(crate) fn weights(arguments: &WeightsArgs) -> Answer {
    let rows = rows(&arguments.file)?;
    let features = rows[0].len() - 1;
    ensure!(features < usize::from(u16::MAX), "{}: more than 65,534 features", arguments.file.display());
    let mut samples = SigmaSamples::new(features + 1);
    for row in &rows {
        let features: Vec<(u16, f32)> = (1..).zip(row[1..].iter().map(|&value| value as f32)).collect();
        samples.push(&features, row[0])?;
    }
    let found = fit(&samples, arguments.link, arguments.ridge)?;
    let (likelihood, sigma) = (found.mean_log_likelihood, equivalent_sigma(found.mean_log_likelihood)?);
    // The calibration shows the fit itself, without the floor that users apply.
    let sigmas = samples.sigmas(&found.weights, found.link, f64::MIN_POSITIVE);
    let calibration = SigmaCalibration::new(&sigmas, &samples.differences, GROUPS.min(samples.len()))?;
    let value = json!({
        "samples": samples.len(),
        "weights": found.weights,
        "standard_errors": found.standard_errors,
        "mean_log_likelihood": likelihood,
        "sigma": sigma,
        "floor": found.floor,
        "calibration": calibration,
    });
    let lines = found.weights.iter().zip(&found.standard_errors).enumerate();
    let lines =
        lines.map(|(column, (weight, error))| vec![column_name(column), format!("{weight:.4}"), format!("{error:.4}")]);
    let text = format!(
        "{}\n{} samples, mean log-likelihood {likelihood:.6}, that of a constant sigma {sigma:.2}\n\
         observed over fitted sigma, {} groups: slope {:.4}",
        table(&["", "weight", "error"], lines),
        samples.len(),
        calibration.groups.len(),
        calibration.slope
    );
    Ok((value, text))
}

/// Fits a line and its sigma to pairs of a shallow and a deep value
#[derive(Args, Debug)]
pub(crate) struct RegressionArgs {
    /// Table with a shallow and a deep value on each line, separated by spaces or tabs; `#` starts
    /// a comment
    file: PathBuf,
    /// Print the least shallow value that allows a cut above this one
    #[arg(long, allow_negative_numbers = true)]
    beta: Option<f64>,
    /// Margin of that cut in sigmas
    #[arg(short, long, default_value_t = 1.0, requires = "beta")]
    k: f64,
}

pub(crate) fn line(arguments: &RegressionArgs) -> Answer {
    let rows = rows(&arguments.file)?;
    ensure!(rows[0].len() == 2, "{}: expected two numbers on each line", arguments.file.display());
    let pairs: Vec<(f64, f64)> = rows.iter().map(|row| (row[0], row[1])).collect();
    let found = LineFit::new("the regression", &pairs)?;
    let LineFit { slope, intercept: offset, residual_deviation: sigma, .. } = found;
    let threshold = arguments.beta.map(|beta| fail_high_threshold(&found, beta, arguments.k)).transpose()?;
    let mut text = format!("deep = {slope:.4} x shallow {offset:+.2}, sigma {sigma:.2}");
    if let (Some(threshold), Some(beta)) = (threshold, arguments.beta) {
        text += &format!("\ncut above {beta} from a shallow value of {threshold:.1} on, {} sigma", arguments.k);
    }
    Ok((json!({ "slope": slope, "offset": offset, "sigma": sigma, "threshold": threshold }), text))
}

/// Converts mean log-likelihoods to the constant sigma of the same likelihood
#[derive(Args, Debug)]
pub(crate) struct ConstantArgs {
    /// Mean log-likelihoods
    #[arg(required = true, allow_negative_numbers = true)]
    likelihoods: Vec<f64>,
}

pub(crate) fn constant(arguments: &ConstantArgs) -> Answer {
    let sigma = |&likelihood: &f64| equivalent_sigma(likelihood);
    let sigmas: Vec<f64> = arguments.likelihoods.iter().map(sigma).collect::<Result<_, _>>()?;
    let lines = arguments.likelihoods.iter().zip(&sigmas);
    let lines = lines.map(|(likelihood, sigma)| vec![likelihood.to_string(), format!("{sigma:.2}")]);
    Ok((json!({ "sigma": sigmas }), table(&["mean log-likelihood", "sigma"], lines).to_string()))
}

/// Rows of a table, at least one, all of the same length.
fn rows(path: &Path) -> Result<Vec<Vec<f64>>> {
    let place = || path.display().to_string();
    let text = read_text(path)?;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.split('#').next().unwrap_or_default();
        let fault = |word| format!("{}:{number}: `{}` is not a number", place(), excerpt(word));
        let cell = |word| finite(word).with_context(|| fault(word));
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
