//! `kiki-lab lengths`: how long games last, as a random walk.

mod answer;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use crate::game_length::{GameLengthModel, GammaLength, LengthMoments, WeightedLength, bootstrap, fit, simulate};
use anyhow::{Context as _, Result, anyhow, ensure};
use clap::{ArgGroup, Args, ValueEnum};
use kiki_record::EndReason;

use crate::games::{GameLengths, LengthFilter};
use crate::picture;
use answer::{Answer, Played};
use kiki_run::input_errors::InputErrors;
use kiki_run::numbers::print_json;

const EXAMPLE: &str = "\
Examples:
  kiki-lab lengths results/match --plot lengths.svg
  kiki-lab lengths --preset floodgate
  kiki-lab lengths --moments 116,27.9

The evaluation moves by a normal step a ply until the game is decided; the other plies (the opening, forced moves, those after the decision)
take a normal number beside that (LFICS, lengths). Games that cannot be read are told with file and line; the others count, and the exit status is 1.";

/// How long games last: a random walk until they are decided, and plies that are no walk
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, group = ArgGroup::new("source").required(true))]
pub struct LengthsArgs {
    /// Games that were played: folders of matches, game records and folders of them, text files with a number of plies on each line
    #[arg(group = "source")]
    games: Vec<PathBuf>,
    /// A model: the deviation of a step, the mean and the deviation of the other plies
    #[arg(long, value_name = "STEP,MEAN,DEVIATION", group = "source")]
    model: Option<Numbers>,
    /// One of the models of LFICS, lengths
    #[arg(long, value_enum, group = "source")]
    preset: Option<Preset>,
    /// The model with these moments: the mean, the deviation and the third central moment, which is that of a gamma distribution unless it is given
    #[arg(long, value_name = "MEAN,DEVIATION[,THIRD]", group = "source")]
    moments: Option<Numbers>,
    /// How games must have ended that count
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "resignation,resign-rule")]
    endings: Vec<String>,
    /// The least number of plies of games that count
    #[arg(long, value_name = "PLIES", default_value_t = 30)]
    shortest: u32,
    /// The greatest
    #[arg(long, value_name = "PLIES", default_value_t = 400)]
    longest: u32,
    /// Count the ply that decides to the walk; only the mean of the other plies changes, by one
    #[arg(long)]
    count_deciding_ply: bool,
    /// Samples of the games for the errors
    #[arg(long, value_name = "N", default_value_t = 1000)]
    replicates: u32,
    /// Number of games to simulate [default: 1000000, fewer for walks of more than 50 steps]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    simulate: Option<u32>,
    /// What simulated games and samples follow from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw the lengths, the model and the gamma distribution (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Numbers with commas between them.
#[derive(Clone, Debug)]
struct Numbers(Vec<f64>);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse().map_err(|_| format!("`{part}` is no number"));
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

/// So many games are simulated, if their walks have no more steps than these in all.
const SIMULATED_GAMES: f64 = 1e6;
const SIMULATED_STEPS: f64 = 5e7;

/// Runs `lengths`.
///
/// # Errors
/// With the reason why it cannot be done.
pub fn run(arguments: &LengthsArgs) -> Result<ExitCode> {
    let mut errors = InputErrors::default();
    let answer = compute(arguments, &mut errors)?;
    if let Some(path) = &arguments.plot {
        let games = match &answer.played {
            Some(played) => ("games", played.games.as_slice()),
            None => ("simulated games", answer.simulated.as_slice()),
        };
        picture::write(path, "How long games last", games, &answer.model, &answer.gamma)?;
    }
    if arguments.json {
        print_json(&report::as_json(&answer))?;
    } else {
        report::print(&answer);
    }
    Ok(errors.exit_code())
}

fn compute(arguments: &LengthsArgs, errors: &mut InputErrors) -> Result<Answer> {
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
    Ok(Answer { played, gamma, simulated, model, count_deciding_ply: arguments.count_deciding_ply })
}

/// The model that was given by its numbers or by its moments.
fn given_model(arguments: &LengthsArgs) -> Result<GameLengthModel> {
    if let Some(Numbers(model)) = &arguments.model {
        let &[step, mean, deviation] = &model[..] else {
            return Err(anyhow!("--model takes three numbers, STEP,MEAN,DEVIATION, not {}", model.len()));
        };
        return Ok(GameLengthModel::new(step, mean, deviation)?);
    }
    let moments = arguments.moments.as_ref().map_or(&[][..], |Numbers(moments)| moments);
    let fit = match *moments {
        [mean, deviation] => fit(mean, deviation, GammaLength::with(mean, deviation)?.moments().third)?,
        [mean, deviation, third] => fit(mean, deviation, third)?,
        _ => {
            return Err(anyhow!("--moments takes two or three numbers, MEAN,DEVIATION[,THIRD], not {}", moments.len()));
        }
    };
    Ok(fit.model()?)
}

fn read(arguments: &LengthsArgs, errors: &mut InputErrors) -> Result<Played> {
    let endings = arguments.endings.iter().map(|name| {
        EndReason::from_name(name).with_context(|| {
            let names: Vec<&str> = EndReason::ALL.iter().map(|reason| reason.name()).collect();
            format!("--endings: `{name}` is none of {}", names.join(", "))
        })
    });
    let range = (arguments.shortest, arguments.longest);
    ensure!(range.0 <= range.1, "--shortest {} is longer than --longest {}", range.0, range.1);
    let filter = LengthFilter { endings: endings.collect::<Result<_>>()?, range };
    let found = GameLengths::read(&arguments.games, &filter, errors);
    let games = found.weighted();
    ensure!(
        games.len() > 1,
        "{} games count; {} ended otherwise, {} were shorter or longer",
        games.len(),
        found.other_endings,
        found.out_of_range
    );
    let moments = LengthMoments::of_games(&games)?;
    moments.fit()?.model()?;
    let errors = bootstrap(&games, arguments.replicates, arguments.seed)?;
    let (other_endings, out_of_range) = (found.other_endings, found.out_of_range);
    Ok(Played { games, other_endings, out_of_range, moments, errors, replicates: arguments.replicates })
}
