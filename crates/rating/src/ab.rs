//! `kiki-lab ab`: which of two candidates is better, when both played the same base engine?
//!
//! Two answers: the pooled two-proportion test ([`chi_square`]), and the posterior probability
//! under beta priors ([`CandidateComparison`]). Both assume a number of games that was fixed
//! beforehand. Repeated looks with a stop at 95 % err far more often than 5 %: [`peek`] shows how
//! often, and [`kiki_stats::sprt`] is the test to stop by.
//!
//! ```
//! use kiki_rating::ab::{CandidateComparison, CandidateRecord, Prior, chi_square};
//!
//! let (a, b) = (CandidateRecord::new(1000.0, 500.0)?, CandidateRecord::new(1000.0, 490.0)?);
//! assert!((chi_square(&a, &b).a_better - 0.39746).abs() < 1e-5);
//! assert!((CandidateComparison::new(a, b, Prior::new(1.0, 1.0)?).a_better() - 0.39753).abs() < 1e-5);
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

mod beta_difference;
mod comparison;
mod planning;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use kiki_plot::{ChartLine, CurveStyle, LineChart};
use kiki_run::output::{json_interval, json_or_reason, percent, signed, table};
use kiki_run::{output, say};
use serde_json::{Value, json};

pub use comparison::{CandidateComparison, CandidateRecord, Prior, chi_square};
use planning::{DecisionRule, GamesForecast, PeekReport, games_to_decide};
pub use planning::{PeekPlan, peek};

const EXAMPLE: &str = "\
Example:
  kiki-lab ab 1000 500 1000 490

Both probabilities assume a number of games that was fixed beforehand. Repeated looks at a running match with a stop at 95 % err
far more often (--peek 30,100 shows how often): use `kiki-lab sprt` to stop.";

/// The probability that A is better than B, from their wins and losses against the same opponent
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct AbArgs {
    /// Wins of A (halves for draws are allowed)
    wins_a: f64,
    losses_a: f64,
    wins_b: f64,
    losses_b: f64,
    /// The level of the decision and of the interval
    #[arg(long, default_value_t = 0.95)]
    level: f64,
    /// Shapes of the beta prior of both win rates
    #[arg(long, value_delimiter = ',', num_args = 1.., default_value = "1,1", value_name = "ALPHA,BETA")]
    prior: Vec<f64>,
    /// Also simulate a running match: the error rate with this number of looks, each after this
    /// number of games
    #[arg(long, value_delimiter = ',', num_args = 1.., value_name = "LOOKS,GAMES")]
    peek: Option<Vec<u64>>,
    /// Number of simulated comparisons for --peek
    #[arg(long, default_value_t = 20_000)]
    replicates: u64,
    /// The seed of the simulation
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the posterior densities as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &AbArgs) -> Result<()> {
    let a = CandidateRecord::new(arguments.wins_a, arguments.losses_a).context("A")?;
    let b = CandidateRecord::new(arguments.wins_b, arguments.losses_b).context("B")?;
    let [alpha, beta] = arguments.prior[..] else { bail!("--prior takes two shapes, as 1,1") };
    let comparison = CandidateComparison::new(a, b, Prior::new(alpha, beta)?);
    let peeked = match arguments.peek.as_deref() {
        None => None,
        Some(&[looks, step]) => {
            let plan = PeekPlan { looks, step, threshold: arguments.level };
            Some((plan, peek(&plan, arguments.replicates, arguments.seed).context("--peek")?))
        }
        Some(_) => bail!("--peek takes two numbers, as 30,100"),
    };
    if let Some(path) = &arguments.plot {
        chart(&comparison).write(path)?;
    }
    if arguments.json {
        output::print_json(&value(arguments.level, &comparison, peeked))
    } else {
        print(arguments.level, &comparison, peeked)
    }
}

fn print(level: f64, comparison: &CandidateComparison, peeked: Option<(PeekPlan, PeekReport)>) -> Result<()> {
    let ends = comparison.difference_interval(level)?;
    let [a, b] = &comparison.candidates;
    let chi = chi_square(a, b);
    let rows = [("A", a), ("B", b)].map(|(name, candidate)| {
        let share = candidate.wins / candidate.games();
        let share = if share.is_finite() { percent(share) } else { "-".to_owned() };
        vec![name.to_owned(), output::points(candidate.wins), output::points(candidate.losses), share]
    });
    say!("{}", table(&["candidate", "wins", "losses", "win rate"], rows));
    let methods = [
        ("chi-square", chi.a_better, format!("{:.6}", chi.statistic)),
        ("Beta posterior", comparison.a_better(), "-".to_owned()),
    ];
    let rows = methods.map(|(name, p, statistic)| vec![name.to_owned(), percent(p), percent(1.0 - p), statistic]);
    say!("{}", table(&["method", "A better", "B better", "chi-square"], rows));
    say!(
        "difference of the win rates: {:+.4} ± {:.4}, {} in [{:+.4}, {:+.4}]",
        comparison.mean_difference(),
        comparison.sd_difference(),
        percent(level),
        ends.low,
        ends.high
    );
    match comparison.elo_difference() {
        Ok(elo) => say!("difference in Elo: {} ± {:.1}", signed(elo.elo), elo.standard_error),
        Err(error) => say!("difference in Elo: {error}"),
    }
    say!("{}", forecast_text(level, comparison));
    if let Some((PeekPlan { looks, step, .. }, report)) = peeked {
        say!(
            "looking {looks} times, every {step} games, would declare one of two equal candidates better in {} of all cases (a single look: {})",
            percent(report.stopped),
            percent(report.single_look)
        );
    }
    say!("valid only if the number of games was fixed beforehand; to stop a running match use `kiki-lab sprt`");
    Ok(())
}

fn forecast_text(level: f64, comparison: &CandidateComparison) -> String {
    let [a, b] = &comparison.candidates;
    match games_to_decide(a, b, DecisionRule::Posterior(comparison.prior), level) {
        Ok(Some(GamesForecast { games_a: 0, games_b: 0, .. })) => {
            let a_better = comparison.a_better();
            format!("decided at {}", percent(a_better.max(1.0 - a_better)))
        }
        Ok(Some(GamesForecast { games_a, games_b, .. })) => {
            let level = percent(level);
            format!("{level} would take about {games_a} more games of A and {games_b} of B, if both go on as before")
        }
        Ok(None) => "the ratios are equal: no number of games like these would decide".to_owned(),
        Err(error) => format!("games to decide: {error}"),
    }
}

fn value(level: f64, comparison: &CandidateComparison, peeked: Option<(PeekPlan, PeekReport)>) -> Value {
    let [a, b] = &comparison.candidates;
    let chi = chi_square(a, b);
    let forecast = |rule| json_or_reason(&games_to_decide(a, b, rule, level), |found| json!(found));
    let peeked = peeked.map(|(plan, report)| {
        let mut peeked = json!(report);
        peeked["looks"] = plan.looks.into();
        peeked["step"] = plan.step.into();
        peeked
    });
    json!({
        "a": [a.wins, a.losses],
        "b": [b.wins, b.losses],
        "chi_square": chi.statistic,
        "a_better_chi_square": chi.a_better,
        "a_better_posterior": comparison.a_better(),
        "mean_difference": comparison.mean_difference(),
        "sd_difference": comparison.sd_difference(),
        "level": level,
        "difference_interval": json_or_reason(&comparison.difference_interval(level), |ends| json_interval(*ends)),
        "elo_difference": json_or_reason(&comparison.elo_difference(), |elo| json!(elo)),
        "games_to_decide_chi_square": forecast(DecisionRule::ChiSquare),
        "games_to_decide_posterior": forecast(DecisionRule::Posterior(comparison.prior)),
        "peek": peeked,
    })
}

fn chart(comparison: &CandidateComparison) -> LineChart {
    let posteriors = &comparison.posteriors;
    let spread = |index: usize| {
        let posterior = &posteriors[index];
        let deviation = posterior.variance().sqrt();
        (posterior.mean() - 5.0 * deviation, posterior.mean() + 5.0 * deviation)
    };
    let low = spread(0).0.min(spread(1).0).max(0.0);
    let high = spread(0).1.max(spread(1).1).min(1.0);
    let lines = ["A", "B"].iter().zip(posteriors).enumerate().map(|(color, (name, posterior))| {
        let points = (1..400).map(|step| low + (high - low) * f64::from(step) / 400.0);
        let points = points.map(|x| (x, posterior.density(x))).collect();
        ChartLine::new(*name, points, CurveStyle::Solid, color)
    });
    LineChart::new(
        format!("What is known about the win rates: A better with {}", percent(comparison.a_better())),
        "win rate against the base",
        "posterior density",
        lines.collect(),
    )
}
