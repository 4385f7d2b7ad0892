//! `kiki-lab ab`: which of two candidates is better, when both played the same base engine?

use std::path::PathBuf;

use crate::ab::{
    CandidateComparison, CandidateRecord, DecisionRule, PeekPlan, Prior, chi_square, games_to_decide, peek,
};
use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::{Value, json};

use kiki_plot::{AxisScale, ChartLine, CurveStyle, LineChart};
use kiki_run::numbers::{json_interval, json_or_reason, percent, signed, table};
use kiki_run::{numbers, say};

const EXAMPLE: &str = "\
Example:
  kiki-lab ab 1000 500 1000 490

Both probabilities hold for a number of games that was fixed beforehand. Whoever looks at a running match again and again and stops
at 95 % errs far more often (--peek 30,100 shows how often): stop by `kiki-lab sprt` instead.";

/// The probability that A is better than B, from their wins and losses against the same base
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct AbArgs {
    /// Wins of A (halves for draws are allowed)
    wins_a: f64,
    losses_a: f64,
    wins_b: f64,
    losses_b: f64,
    /// The level that would decide
    #[arg(long, default_value_t = 0.95)]
    level: f64,
    /// The prior distribution of both win rates: the two shapes of a beta distribution
    #[arg(long, value_delimiter = ',', num_args = 1.., default_value = "1,1", value_name = "ALPHA,BETA")]
    prior: Vec<f64>,
    /// The match goes on: also simulate what looking so many times, each after so many games, does to the error
    #[arg(long, value_delimiter = ',', num_args = 1.., value_name = "LOOKS,GAMES")]
    peek: Option<Vec<u64>>,
    /// Simulated comparisons for --peek
    #[arg(long, default_value_t = 20_000)]
    replicates: u64,
    /// What the simulation follows from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the posterior densities as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs `ab`.
///
/// # Errors
/// With the reason why it cannot be done.
pub fn run(arguments: &AbArgs) -> Result<()> {
    let a = CandidateRecord::new(arguments.wins_a, arguments.losses_a).context("A")?;
    let b = CandidateRecord::new(arguments.wins_b, arguments.losses_b).context("B")?;
    let [alpha, beta] = arguments.prior[..] else { anyhow::bail!("--prior takes two shapes, as 1,1") };
    let comparison = CandidateComparison::new(a, b, Prior::new(alpha, beta)?);
    if let Some(path) = &arguments.plot {
        chart(&comparison).write(path)?;
    }
    let value = value(arguments, &a, &b, &comparison)?;
    if arguments.json { numbers::print_json(&value) } else { print(arguments, &a, &b, &comparison, &value) }
}

fn print(
    arguments: &AbArgs,
    a: &CandidateRecord,
    b: &CandidateRecord,
    comparison: &CandidateComparison,
    value: &Value,
) -> Result<()> {
    let rows = [("A", a), ("B", b)].map(|(name, candidate)| {
        let share = candidate.wins() / candidate.games();
        let share = if share.is_finite() { percent(share) } else { "-".to_owned() };
        vec![name.to_owned(), numbers::points(candidate.wins()), numbers::points(candidate.losses()), share]
    });
    say!("{}", table(&["candidate", "wins", "losses", "win rate"], rows));
    let chi = chi_square(a, b);
    let posterior = comparison.a_better();
    let rows = [
        vec![
            "chi-square".to_owned(),
            percent(chi.a_better),
            percent(1.0 - chi.a_better),
            format!("{:.6}", chi.statistic),
        ],
        vec!["Beta posterior".to_owned(), percent(posterior), percent(1.0 - posterior), "-".to_owned()],
    ];
    say!("{}", table(&["method", "A better", "B better", "chi-square"], rows));
    let ends = comparison.difference_interval(arguments.level)?;
    say!(
        "difference of the win rates: {:+.4} ± {:.4}, {} in [{:+.4}, {:+.4}]",
        comparison.mean_difference(),
        comparison.sd_difference(),
        percent(arguments.level),
        ends.low,
        ends.high
    );
    match comparison.elo_difference() {
        Ok(elo) => say!("difference in Elo: {} ± {:.1}", signed(elo.elo), elo.standard_error),
        Err(error) => say!("difference in Elo: {error}"),
    }
    say!("{}", horizon_text(arguments, a, b, comparison));
    if let Some(report) = value["peek"].as_object() {
        say!(
            "looking {} times, every {} games, would declare one of two equal candidates better in {} of all cases (a single look: {})",
            report["looks"],
            report["step"],
            percent(report["stopped"].as_f64().unwrap_or(f64::NAN)),
            percent(report["single_look"].as_f64().unwrap_or(f64::NAN))
        );
    }
    say!("valid only if the number of games was fixed beforehand; to stop a running match use `kiki-lab sprt`");
    Ok(())
}

fn horizon_text(
    arguments: &AbArgs,
    a: &CandidateRecord,
    b: &CandidateRecord,
    comparison: &CandidateComparison,
) -> String {
    let rule = DecisionRule::Posterior(prior(arguments));
    match games_to_decide(a, b, rule, arguments.level) {
        Ok(Some(horizon)) if horizon.games_a == 0 && horizon.games_b == 0 => {
            format!("decided at {}", percent(comparison.a_better().max(1.0 - comparison.a_better())))
        }
        Ok(Some(horizon)) => format!(
            "{} would take about {} more games of A and {} of B, if both go on as before",
            percent(arguments.level),
            horizon.games_a,
            horizon.games_b
        ),
        Ok(None) => "the ratios are equal: no number of games like these would decide".to_owned(),
        Err(error) => format!("games to decide: {error}"),
    }
}

fn prior(arguments: &AbArgs) -> Prior {
    Prior::new(arguments.prior[0], arguments.prior[1]).unwrap_or(Prior::UNIFORM)
}

fn value(
    arguments: &AbArgs,
    a: &CandidateRecord,
    b: &CandidateRecord,
    comparison: &CandidateComparison,
) -> Result<Value> {
    let chi = chi_square(a, b);
    let horizon = |rule| {
        json_or_reason(&games_to_decide(a, b, rule, arguments.level), |horizon| {
            json!(horizon.as_ref().map(|horizon| json!({
                "factor": horizon.factor,
                "games_a": horizon.games_a,
                "games_b": horizon.games_b,
            })))
        })
    };
    let peeked = match arguments.peek.as_deref() {
        None => Value::Null,
        Some(&[looks, step]) => {
            let plan = PeekPlan {
                looks: u32::try_from(looks).context("--peek")?,
                step,
                threshold: arguments.level,
                win_rates: [0.5, 0.5],
            };
            let report = peek(&plan, arguments.replicates, arguments.seed)?;
            json!({
                "looks": looks,
                "step": step,
                "replicates": report.replicates,
                "stopped": report.stopped,
                "one_side": report.a_declared,
                "standard_error": report.standard_error,
                "single_look": report.single_look,
            })
        }
        Some(_) => anyhow::bail!("--peek takes two numbers, as 30,100"),
    };
    Ok(json!({
        "a": [a.wins(), a.losses()],
        "b": [b.wins(), b.losses()],
        "chi_square": chi.statistic,
        "a_better_chi_square": chi.a_better,
        "a_better_posterior": comparison.a_better(),
        "mean_difference": comparison.mean_difference(),
        "sd_difference": comparison.sd_difference(),
        "level": arguments.level,
        "difference_interval": json_or_reason(&comparison.difference_interval(arguments.level), |ends| json_interval(*ends)),
        "elo_difference": json_or_reason(&comparison.elo_difference(), |elo| json!({
            "elo": numbers::json(elo.elo),
            "standard_error": numbers::json(elo.standard_error),
        })),
        "games_to_decide_chi_square": horizon(DecisionRule::ChiSquare),
        "games_to_decide_posterior": horizon(DecisionRule::Posterior(prior(arguments))),
        "peek": peeked,
    }))
}

fn chart(comparison: &CandidateComparison) -> LineChart {
    let posteriors = comparison.posteriors();
    let spread = |index: usize| {
        let posterior = &posteriors[index];
        let deviation = posterior.variance().sqrt();
        (posterior.mean() - 5.0 * deviation, posterior.mean() + 5.0 * deviation)
    };
    let low = spread(0).0.min(spread(1).0).max(0.0);
    let high = spread(0).1.max(spread(1).1).min(1.0);
    let lines = ["A", "B"].iter().zip(&posteriors).enumerate().map(|(color, (name, posterior))| {
        let points = (1..400).map(|step| low + (high - low) * f64::from(step) / 400.0);
        let points = points.map(|x| (x, posterior.density(x))).collect();
        ChartLine { name: (*name).to_owned(), points, style: CurveStyle::Solid, color }
    });
    LineChart {
        title: format!("What is known about the win rates: A better with {}", percent(comparison.a_better())),
        x_label: "win rate against the base".to_owned(),
        y_label: "posterior density".to_owned(),
        axis: AxisScale::Linear,
        lines: lines.collect(),
        y_range: None,
    }
}
