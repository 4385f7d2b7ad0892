//! `kiki-lab lengths`: how long games last, as a random walk.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::{Result, ensure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueEnum};
use kiki_plot::{ChartLine, CurveStyle, LineChart};
use kiki_record::EndReason;
use kiki_run::input_errors::InputErrors;
use kiki_run::numbers::finite;
use kiki_run::output::{json_or_reason, print_json, table};
use kiki_run::{bail_usage, ensure_usage, say};
use serde_json::{Value, json};

use crate::fit::{LengthErrors, WeightedLength, bootstrap, fit, fit_pure_walk};
use crate::games::{GameLengths, LengthFilter};
use crate::model::{GameLengthModel, GammaLength, LengthDistribution, simulate};
use crate::walk::LengthMoments;

const EXAMPLE: &str = "\
Examples:
  kiki-lab lengths results/match --plot lengths.svg
  kiki-lab lengths --preset floodgate
  kiki-lab lengths --moments 116,27.9

The evaluation moves by a normal step a ply until the game is decided. The other plies (the opening, forced moves, those after the
decision) take a normal number beside that (LFICS, lengths). An error with file and line names a game that cannot be read; the others
count, and the exit status is 1.";

/// How long games last: a random walk until they are decided, plus plies outside the walk
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, group = ArgGroup::new("source").required(true))]
pub struct LengthsArgs {
    /// Games that were played: folders of matches, game records and folders of them, text files
    /// with a number of plies on each line
    #[arg(group = "source")]
    games: Vec<PathBuf>,
    /// A model: the deviation of a step, the mean and the deviation of the other plies
    #[arg(long, value_name = "STEP,MEAN,DEVIATION", group = "source", allow_hyphen_values = true)]
    model: Option<Numbers>,
    /// One of the models of LFICS, lengths
    #[arg(long, value_enum, group = "source")]
    preset: Option<Preset>,
    /// The model with this mean, deviation and third central moment [default third moment: that of
    /// a gamma distribution]
    #[arg(long, value_name = "MEAN,DEVIATION[,THIRD]", group = "source", allow_hyphen_values = true)]
    moments: Option<Numbers>,
    /// The endings of games that count
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "resignation,resign-rule", value_parser = ending())]
    endings: Vec<EndReason>,
    /// The shortest game that counts
    #[arg(long, value_name = "PLIES", default_value_t = 30)]
    shortest: u32,
    /// The longest game that counts
    #[arg(long, value_name = "PLIES", default_value_t = 400)]
    longest: u32,
    /// Count the deciding ply as part of the walk; the mean of the other plies falls by one
    #[arg(long)]
    count_deciding_ply: bool,
    /// Number of bootstrap samples of the games for the errors
    #[arg(long, value_name = "N", default_value_t = 1000)]
    replicates: u32,
    /// Number of games to simulate [default: 1000000, fewer for walks of more than 50 steps]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    simulate: Option<u32>,
    /// The seed of simulated games and samples
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw the lengths, the model and the gamma distribution (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Numbers separated by commas.
#[derive(Clone, Debug)]
struct Numbers(Vec<f64>);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| finite(part).ok_or_else(|| format!("`{part}` is no number"));
        text.split(',').map(number).collect::<Result<_, _>>().map(Self)
    }
}

/// The models of LFICS, lengths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Preset {
    /// Records of professionals, November 2015
    Professional,
    /// Games on floodgate, 2012 to 2015
    Floodgate,
}

/// Default limits of the simulation: games, and steps of all their walks.
const SIMULATED_GAMES: f64 = 1e6;
const SIMULATED_STEPS: f64 = 5e7;

pub fn run(arguments: &LengthsArgs) -> Result<ExitCode> {
    let mut errors = InputErrors::default();
    let report = compute(arguments, &mut errors)?;
    if let Some(path) = &arguments.plot {
        chart(&report).write(path)?;
    }
    if arguments.json {
        print_json(&as_json(&report))?;
    } else {
        print(&report);
    }
    Ok(errors.exit_code())
}

fn compute(arguments: &LengthsArgs, errors: &mut InputErrors) -> Result<LengthReport> {
    let played = if arguments.games.is_empty() { None } else { Some(read(arguments, errors)?) };
    let model = match (&played, arguments.preset) {
        (Some(played), _) => played.moments.fit()?.model()?,
        (None, Some(Preset::Professional)) => GameLengthModel::new(0.2474, 95.46, 21.72)?,
        (None, Some(Preset::Floodgate)) => GameLengthModel::new(0.2262, 107.4, 25.13)?,
        (None, None) => given_model(arguments)?,
    };
    let moments = model.moments();
    let gamma = GammaLength::with(moments.mean, moments.deviation())?;
    let weighted = |plies| WeightedLength { plies, weight: 1.0 };
    let usual = (SIMULATED_STEPS / model.walk().moments().mean).clamp(2.0, SIMULATED_GAMES) as u32;
    let simulated = simulate(&model, arguments.simulate.unwrap_or(usual), arguments.seed);
    let simulated = simulated.iter().map(|game| weighted(game.length)).collect();
    let pure_walk = fit_pure_walk(moments.mean).and_then(|step| GameLengthModel::new(step, 0.0, 0.0));
    Ok(LengthReport { played, gamma, pure_walk, simulated, model, count_deciding_ply: arguments.count_deciding_ply })
}

fn given_model(arguments: &LengthsArgs) -> Result<GameLengthModel> {
    let [model, moments] = [&arguments.model, &arguments.moments]
        .map(|numbers| numbers.as_ref().map_or(&[][..], |Numbers(numbers)| numbers));
    let fit = match (model, moments) {
        (&[step, mean, deviation], _) => return Ok(GameLengthModel::new(step, mean, deviation)?),
        (_, &[mean, deviation]) => fit(mean, deviation, GammaLength::with(mean, deviation)?.moments().third)?,
        (_, &[mean, deviation, third]) => fit(mean, deviation, third)?,
        ([], moments) => {
            bail_usage!("--moments takes two or three numbers, MEAN,DEVIATION[,THIRD], not {}", moments.len())
        }
        (model, _) => bail_usage!("--model takes three numbers, STEP,MEAN,DEVIATION, not {}", model.len()),
    };
    Ok(fit.model()?)
}

/// Reads the name of an ending; help and errors list all names.
fn ending() -> impl TypedValueParser<Value = EndReason> {
    let read = |name: String| name.parse::<EndReason>();
    PossibleValuesParser::new(EndReason::ALL.iter().map(|reason| reason.name())).try_map(read)
}

fn read(arguments: &LengthsArgs, errors: &mut InputErrors) -> Result<PlayedLengths> {
    let range = (arguments.shortest, arguments.longest);
    ensure_usage!(range.0 <= range.1, "--shortest {} is longer than --longest {}", range.0, range.1);
    let filter = LengthFilter { endings: arguments.endings.clone(), range };
    let found = GameLengths::read(&arguments.games, &filter, errors);
    let games = found.weighted();
    ensure!(games.len() > 1, "{}", found.counts_with_advice());
    let moments = LengthMoments::of_games(&games)?;
    moments.fit()?.model()?;
    let errors = bootstrap(&games, arguments.replicates, arguments.seed)?;
    Ok(PlayedLengths { found, games, moments, errors, replicates: arguments.replicates })
}

struct LengthReport {
    /// `None` for a model that was given.
    played: Option<PlayedLengths>,
    model: GameLengthModel,
    gamma: GammaLength,
    /// The walk without other plies that has the same mean; it spreads far too wide.
    pure_walk: kiki_stats::Result<GameLengthModel>,
    simulated: Vec<WeightedLength>,
    count_deciding_ply: bool,
}

struct PlayedLengths {
    found: GameLengths,
    games: Vec<WeightedLength>,
    moments: LengthMoments,
    errors: LengthErrors,
    /// Number of samples for the errors, with a model or without.
    replicates: u32,
}

/// The mean of the plies outside the walk, and the mean and the median of those of the walk, by how
/// the deciding ply is counted.
fn parts(report: &LengthReport) -> (f64, f64, u32) {
    let decided = u32::from(report.count_deciding_ply);
    let walk = report.model.walk();
    let (mean, median) = (walk.moments().mean - 1.0 + f64::from(decided), walk.median() - 1 + decided);
    (report.model.mean - f64::from(decided), mean, median)
}

/// Numbers of plies at which the distributions are shown.
const PLIES: [u32; 7] = [60, 80, 100, 120, 150, 200, 250];

fn print(report: &LengthReport) {
    let (mean, walk, median) = parts(report);
    let model = &report.model;
    let error = |of: fn(&LengthErrors) -> f64, digits: usize| {
        report.played.as_ref().map_or_else(String::new, |played| format!(" ± {:.digits$}", of(&played.errors)))
    };
    say!("step        {:.4}{}", model.walk().step(), error(|errors| errors.step, 4));
    say!("other plies {mean:.2}{} on average", error(|errors| errors.mean, 2));
    say!("            {:.2}{} standard deviation", model.deviation, error(|errors| errors.deviation, 2));
    let steps = model.walk().moments();
    say!("walk        {walk:.2} plies on average, {:.2} standard deviation, median {median}", steps.deviation());
    match &report.pure_walk {
        Ok(pure) => {
            let deviation = pure.moments().deviation();
            say!(
                "walk alone  step {:.4}, as long on average with {deviation:.2} standard deviation",
                pure.walk().step()
            );
        }
        Err(error) => say!("walk alone  {error}"),
    }
    if let Some(played) = &report.played {
        say!(
            "{}; ±: standard errors, {} of {} samples have a model",
            played.found.counts(),
            played.errors.samples,
            played.replicates
        );
    }
    say!("{}", moments_table(report));
    let distribution = model.distribution();
    let row = |plies: u32| {
        let at = f64::from(plies);
        let mut cells = vec![plies.to_string()];
        cells.extend(report.played.as_ref().map(|played| format!("{:.4}", share(&played.games, at))));
        cells.extend([distribution.cdf(at), report.gamma.cdf(at)].map(|share| format!("{share:.4}")));
        cells
    };
    let played = report.played.as_ref().map(|_| "games");
    let header: Vec<&str> = ["plies"].into_iter().chain(played).chain(["model", "gamma"]).collect();
    say!("{}", table(&header, PLIES.into_iter().map(row)));
    say!("greatest difference between model and gamma: {:.4}", gap(report, &distribution));
}

fn moments_table(report: &LengthReport) -> comfy_table::Table {
    let cells = |name: &str, moments: &LengthMoments| {
        let (third, fourth) = moments.roots();
        let numbers = [moments.mean, moments.deviation(), third, fourth].map(|number| format!("{number:.3}"));
        let shape = [moments.skewness(), moments.excess_kurtosis()].map(|number| format!("{number:.4}"));
        [name.to_owned()].into_iter().chain(numbers).chain(shape).collect::<Vec<String>>()
    };
    let (model, gamma) = (report.model.moments(), report.gamma.moments());
    let mut rows: Vec<Vec<String>> = Vec::new();
    rows.extend(report.played.as_ref().map(|played| cells("games", &played.moments)));
    rows.extend([cells("model", &model), cells("gamma", &gamma)]);
    rows.extend(LengthMoments::of_games(&report.simulated).ok().map(|moments| cells("simulated", &moments)));
    let ratio = |number: f64| format!("{number:.6}");
    let (ours, theirs) = (model.roots(), gamma.roots());
    let ratios = [ratio(1.0), ratio(1.0), ratio(ours.0 / theirs.0), ratio(ours.1 / theirs.1)];
    rows.push(["model / gamma".to_owned()].into_iter().chain(ratios).chain([String::new(), String::new()]).collect());
    table(&["", "mean", "deviation", "root of third", "root of fourth", "skewness", "excess kurtosis"], rows)
}

/// The share of games up to a number of plies.
fn share(games: &[WeightedLength], plies: f64) -> f64 {
    let sum = |counts: fn(f64, f64) -> bool| {
        games.iter().filter(|game| counts(game.plies, plies)).fold(0.0, |sum, game| sum + game.weight)
    };
    sum(|length, plies| length <= plies) / sum(|_, _| true)
}

fn gap(report: &LengthReport, distribution: &LengthDistribution) -> f64 {
    distribution.greatest_gap(|plies| report.gamma.cdf(plies))
}

fn as_json(report: &LengthReport) -> Value {
    let moments = |moments: &LengthMoments| {
        json!({
            "mean": moments.mean,
            "deviation": moments.deviation(),
            "third": moments.third,
            "fourth": moments.fourth,
            "skewness": moments.skewness(),
            "excess_kurtosis": moments.excess_kurtosis(),
        })
    };
    let (mean, walk, median) = parts(report);
    let distribution = report.model.distribution();
    let shares = PLIES.map(|plies| json!([plies, distribution.cdf(plies.into()), report.gamma.cdf(plies.into())]));
    // For each number of plies of the walk, the share of games that have it.
    let first = u32::from(report.count_deciding_ply);
    let walk_shares: Vec<(u32, f64)> = (first..).zip(distribution.walk().iter().copied()).collect();
    let played = report.played.as_ref().map(|played| {
        json!({
            "counted": played.games.len(),
            "other_endings": played.found.other_endings(),
            "out_of_range": played.found.out_of_range,
            "moments": moments(&played.moments),
            "errors": played.errors,
        })
    });
    json!({
        "step": report.model.walk().step(),
        "other_plies": { "mean": mean, "deviation": report.model.deviation },
        "walk_plies": walk,
        "walk_median": median,
        "walk_shares": walk_shares,
        "pure_walk": json_or_reason(&report.pure_walk, |pure| json!({
            "step": pure.walk().step(),
            "deviation": pure.moments().deviation(),
            "third": pure.moments().third,
        })),
        "games": played,
        "model": moments(&report.model.moments()),
        "gamma": { "shape": report.gamma.shape, "scale": report.gamma.scale, "moments": moments(&report.gamma.moments()) },
        "simulated": LengthMoments::of_games(&report.simulated).ok().map(|found| moments(&found)),
        "shares": shares,
        "greatest_gap": gap(report, &distribution),
    })
}

const PLIES_OF_A_BAR: u32 = 5;

/// Shares of games by length: played or simulated, by the model, by the gamma distribution, and by
/// a walk alone.
fn chart(report: &LengthReport) -> LineChart {
    let (name, games) = match &report.played {
        Some(played) => ("games", &played.games),
        None => ("simulated games", &report.simulated),
    };
    let moments = report.model.moments();
    let longest = (moments.mean + 5.0 * moments.deviation()).max(50.0) as u32 / PLIES_OF_A_BAR * PLIES_OF_A_BAR;
    let share = |cdf: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
        // The share of all lengths that a bar around this one has.
        let half = f64::from(PLIES_OF_A_BAR) / 2.0;
        (0..=longest).map(f64::from).map(|plies| (plies, cdf(plies + half) - cdf(plies - half))).collect()
    };
    let walk = report.model.distribution();
    let mut lines = vec![
        ChartLine::new(name, bars(games, longest), CurveStyle::Area, 0),
        ChartLine::new("random walk and other plies", share(&|plies| walk.cdf(plies)), CurveStyle::Solid, 1),
        ChartLine::new("gamma distribution", share(&|plies| report.gamma.cdf(plies)), CurveStyle::Dashed, 2),
    ];
    if let Ok(pure) = &report.pure_walk {
        let pure = pure.distribution();
        lines.push(ChartLine::new("random walk alone", share(&|plies| pure.cdf(plies)), CurveStyle::Thin, 3));
    }
    LineChart::new("How long games last", "plies", format!("share of games, {PLIES_OF_A_BAR} plies each"), lines)
}

fn bars(games: &[WeightedLength], longest: u32) -> Vec<(f64, f64)> {
    let mut counts = vec![0.0; (longest / PLIES_OF_A_BAR) as usize];
    let mut sum = 0.0;
    for game in games {
        sum += game.weight;
        // A whole length is in the middle of its ply.
        let place = (game.plies + 0.5) / f64::from(PLIES_OF_A_BAR);
        if place >= 0.0
            && let Some(count) = counts.get_mut(place as usize)
        {
            *count += game.weight;
        }
    }
    let mut outline = vec![(0.0, 0.0)];
    for (index, count) in counts.iter().enumerate() {
        let left = index as f64 * f64::from(PLIES_OF_A_BAR) - 0.5;
        outline.extend([(left, count / sum), (left + f64::from(PLIES_OF_A_BAR), count / sum)]);
    }
    outline.push((f64::from(longest), 0.0));
    outline
}
