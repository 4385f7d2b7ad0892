//! What the model says: about the moves of a player (`kiki-lab intrinsic test`), about a position
//! given by the values of its moves (`choice`), and about mean errors and ratings (`line`).

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use kiki_run::numbers::finite;
use kiki_run::output::{percent, print_json, table};
use kiki_run::say;
use kiki_stats::error::number;
use kiki_stats::line::LineFit;
use serde_json::json;

use crate::choice::{Choice, ChoiceModel, ChoiceTest, scaled_error};
use crate::fit::fit;
use crate::judge;
use crate::line::{CHESS_LINE, RatingLine, fit_line};
use crate::players::{PlayerMoves, RatingSettings, line_json, players_of, rating_line};

/// How far are a player's moves from those of another player, or of a model?
#[derive(Args, Debug)]
pub(crate) struct TestArgs {
    /// The folder of the judgements
    folder: PathBuf,
    /// The player whose moves are tested
    #[arg(long)]
    player: String,
    /// The player whose fitted model they are tested against
    #[arg(long, value_name = "PLAYER", required_unless_present = "model")]
    like: Option<String>,
    /// The model that they are tested against
    #[arg(long, value_name = "S,C", value_delimiter = ',', conflicts_with = "like")]
    model: Option<Vec<f64>>,
    #[command(flatten)]
    settings: RatingSettings,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Printed with every test.
const CAVEAT: &str = "Moves of a game are not independent, and positions of one player are not those of another: these are no probabilities. They say \
                      how unusual moves are under a model, and nothing about how they were found.";

pub(crate) fn run_test(arguments: &TestArgs) -> Result<()> {
    let judging = judge::read(&arguments.folder)?;
    let players = players_of(&judging, &arguments.settings)?;
    let model = match (&arguments.like, arguments.model.as_deref()) {
        (Some(name), _) => fit(&find(&players, name)?.choices)?.model,
        (None, Some(&[s, c])) => ChoiceModel::new(s, c)?,
        (None, _) => bail!("--model takes two numbers, S,C"),
    };
    let player = find(&players, &arguments.player)?;
    let test = ChoiceTest::new(&model, &player.choices)?;
    if arguments.json {
        let mut answer = json!(test);
        answer["positions"] = player.choices.len().into();
        answer["model"] = json!(model);
        answer["caveat"] = CAVEAT.into();
        return print_json(&answer);
    }
    let z = |z: Option<f64>| z.map_or_else(|| "-".to_owned(), |z| format!("{z:+.2}"));
    let (s, c) = (model.sensitivity(), model.consistency());
    say!("{}: {} positions against s {s:.4}, c {c:.4}", player.name, player.choices.len());
    say!("best moves  {} of {:.1} expected, z {}", test.matches, test.expected_matches, z(test.z_match));
    say!("errors      z {} (above 0: smaller than expected)", z(test.z_error));
    say!("{CAVEAT}");
    Ok(())
}

fn find<'a>(players: &'a [PlayerMoves], name: &str) -> Result<&'a PlayerMoves> {
    players.iter().find(|player| player.name == name).ok_or_else(|| {
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        anyhow!("`{name}` is not one of the players {}", names.join(", "))
    })
}

/// How likely are the moves of a position by the model?
#[derive(Args, Debug)]
pub(crate) struct ChoiceArgs {
    /// The values of the moves in centipawns for the side to move, best first
    #[arg(
        long,
        value_name = "VALUE,..",
        value_delimiter = ',',
        allow_hyphen_values = true,
        required_unless_present = "errors"
    )]
    values: Vec<f64>,
    /// Their scaled errors instead, best move first; its error is 0
    #[arg(long, value_name = "ERROR,..", value_delimiter = ',', conflicts_with_all = ["values", "unit"])]
    errors: Vec<f64>,
    /// The model
    #[arg(long, value_name = "S,C", value_delimiter = ',', required = true)]
    model: Vec<f64>,
    /// The unit of values, a pawn, in centipawns
    #[arg(long, default_value_t = 100.0)]
    unit: f64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run_choice(arguments: &ChoiceArgs) -> Result<()> {
    let [s, c] = arguments.model[..] else { bail!("--model takes two numbers, S,C") };
    let model = ChoiceModel::new(s, c)?;
    if let [first, others @ ..] = &arguments.values[..]
        && let Some(better) = others.iter().find(|value| *value > first)
    {
        bail!("--values: the best value comes first, but {better} is better than {first}");
    }
    let of_value = |value: &f64| scaled_error(arguments.values[0], *value, arguments.unit);
    let errors = if arguments.errors.is_empty() {
        arguments.values.iter().map(of_value).collect::<Result<_, _>>()?
    } else {
        arguments.errors.clone()
    };
    let errors = Choice::new(errors, 0)?.errors;
    let probabilities = model.probabilities(&errors);
    let expected: f64 = errors.iter().zip(&probabilities).map(|(error, probability)| error * probability).sum();
    let chess = CHESS_LINE.rating(expected);
    if arguments.json {
        return print_json(&json!({
            "scaled_errors": errors,
            "probabilities": probabilities,
            "expected_error": expected,
            "rating_of_chess": chess,
        }));
    }
    let cells = errors.iter().zip(&probabilities).enumerate().map(|(index, (error, probability))| {
        vec![(index + 1).to_string(), format!("{error:.4}"), percent(*probability)]
    });
    say!("{}", table(&["move", "scaled error", "probability"], cells));
    say!(
        "scaled error expected of this choice {expected:.4}; a mean error like that is {chess:.0} by the line of chess"
    );
    Ok(())
}

/// Which ratings belong to mean errors? By the line of chess, or by one through players of known
/// rating
#[derive(Args, Debug)]
pub(crate) struct LineArgs {
    /// Mean scaled error and rating of players, three or more [default: the line of chess]
    #[arg(value_name = "ERROR=RATING", value_parser = parse_point)]
    players: Vec<(f64, f64)>,
    /// Mean errors whose ratings are wanted
    #[arg(long, value_name = "ERROR,..", value_delimiter = ',')]
    errors: Vec<f64>,
    /// Ratings whose mean errors are wanted
    #[arg(long, value_name = "RATING,..", value_delimiter = ',', allow_hyphen_values = true)]
    ratings: Vec<f64>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

fn parse_point(text: &str) -> Result<(f64, f64), String> {
    let point = text.split_once('=').and_then(|(error, rating)| Some((finite(error)?, finite(rating)?)));
    point.ok_or_else(|| format!("`{text}` is not of the form ERROR=RATING"))
}

pub(crate) fn run_line(arguments: &LineArgs) -> Result<()> {
    let fitted = match &arguments.players[..] {
        [] => None,
        players => Some(fit_line(players)?),
    };
    let line = rating_line(fitted.as_ref());
    for (what, numbers) in [("a mean error", &arguments.errors), ("a rating", &arguments.ratings)] {
        numbers.iter().try_for_each(|&value| number(what, value).map(drop))?;
    }
    let rated = arguments.errors.iter().map(|&error| Ok((error, line.rating(error))));
    let judged = arguments.ratings.iter().map(|&rating| Ok((line.mean_error(rating)?, rating)));
    let points: Vec<(f64, f64)> = rated.chain(judged).collect::<Result<_>>()?;
    if arguments.json {
        let point = |(error, rating): &(f64, f64)| json!({ "mean_error": error, "rating": rating });
        return print_json(
            &json!({ "line": line_json(fitted.as_ref()), "points": points.iter().map(point).collect::<Vec<_>>() }),
        );
    }
    let RatingLine { intercept, slope } = line;
    match fitted {
        None => say!("line of chess: {intercept:.0} {slope:+.0} times the mean error"),
        Some(LineFit { intercept_error, slope_error, correlation, residual_deviation, .. }) => say!(
            "fitted line: {intercept:.1} ± {intercept_error:.1} {slope:+.1} ± {slope_error:.1} times the mean error; correlation {correlation:.4}, players lie {residual_deviation:.1} from the line"
        ),
    }
    if !points.is_empty() {
        let cells = points.iter().map(|(error, rating)| vec![format!("{error:.4}"), format!("{rating:.1}")]);
        say!("{}", table(&["mean error", "rating"], cells));
    }
    Ok(())
}
