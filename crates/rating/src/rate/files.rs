//! Ratings as files: CSV, pictures, PGN.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_record::{Game, GameOutcome, PgnMoves, to_pgn};
use kiki_stats::normal;

use super::report::{PlayerRating, PlayerRow, RatingReport};
use crate::results::Results;
use kiki_plot::{ErrorBar, Histogram, error_bars, histogram};
use kiki_run::files::write_atomically;

#[derive(Args, Debug)]
pub(super) struct FileArgs {
    /// Write the table as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the ratings with their errors as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// The level of the intervals in the picture
    #[arg(long, default_value_t = 0.95)]
    level: f64,
    /// Write a histogram of a player's ratings in all replicates as SVG
    #[arg(long, num_args = 2, value_names = ["NAME", "FILE"])]
    pub(super) histogram: Option<Vec<String>>,
    /// Write one PGN stub for each game, to compare with Ordo (options -z 200.2398 -D)
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
}

pub(super) fn write(rating: &RatingReport<'_>, arguments: &FileArgs) -> Result<()> {
    if let Some(path) = &arguments.csv {
        write_atomically(path, csv(rating).as_bytes())?;
    }
    if let Some(path) = &arguments.plot {
        plot(rating, path, arguments.level)?;
    }
    if let Some([name, path]) = arguments.histogram.as_deref() {
        replicates(rating, name, Path::new(path))?;
    }
    if let Some(path) = &arguments.pgn {
        write_atomically(path, pgn(rating.results)?.as_bytes())?;
    }
    Ok(())
}

const COLUMNS: &str = "name,class,rank,rating,error_anchored,error_centred,simulated_anchored,simulated_centred,bias_anchored,\
                       games,wins,draws,losses,score,mean_opponent";

fn csv(rating: &RatingReport<'_>) -> String {
    let mut text = format!("{COLUMNS}\n");
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for row in &rating.players {
        let rated = row.rated.as_ref();
        let anchored = rated.and_then(|rated| rated.simulated_anchored);
        let centred = rated.and_then(|rated| rated.simulated_centred);
        let fields = [
            quoted(&row.name),
            row.class.to_string(),
            rated.map_or_else(String::new, |rated| rated.rank.to_string()),
            number(rated.map(|rated| rated.rating)),
            number(rated.map(|rated| rated.error_anchored)),
            number(rated.map(|rated| rated.error_centred)),
            number(anchored.map(|spread| spread.deviation)),
            number(centred.map(|spread| spread.deviation)),
            number(anchored.map(|spread| spread.bias)),
            row.games.to_string(),
            row.wins.to_string(),
            row.draws.to_string(),
            row.losses.to_string(),
            number(row.score),
            number(rated.map(|rated| rated.standing.mean_opponent)),
        ];
        text += &fields.join(",");
        text.push('\n');
    }
    text
}

/// A field of CSV (RFC 4180).
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

fn plot(rating: &RatingReport<'_>, path: &Path, level: f64) -> Result<()> {
    let r = normal::multiplier(level)?;
    let bar = |(row, rated): (&PlayerRow, &PlayerRating)| {
        let error = rating.spread(rated).map_or(rating.error(rated), |spread| spread.deviation);
        let (low, high) = (rated.rating - r * error, rated.rating + r * error);
        ErrorBar { name: row.name.clone(), value: rated.rating, low, high }
    };
    let bars: Vec<ErrorBar> = rating.rated().map(bar).collect();
    let title = format!("Ratings of {} games, {} % intervals", rating.results.games(), 100.0 * level);
    let relation =
        if rating.is_centred { "about their mean".to_owned() } else { format!("in relation to {}", rating.anchor()) };
    error_bars(path, &title, &format!("Elo, {relation}"), &bars)
}

fn replicates(rating: &RatingReport<'_>, name: &str, path: &Path) -> Result<()> {
    let simulated = rating.simulated.as_ref().context("--histogram needs replicates")?;
    ensure!(
        simulated.used >= 2,
        "--histogram: in {} of {} replicates `{name}` could not be rated",
        simulated.dropped,
        simulated.replicates
    );
    let (_, rated) =
        rating.rated().find(|(row, _)| row.name == name).context("--histogram: a player without a rating")?;
    let error = rating.error(rated);
    ensure!(error > 0.0, "--histogram: `{name}` is the anchor, whose rating does not vary");
    let plot = Histogram {
        title: format!("{} replicates of the rating of {name}", simulated.used),
        x_label: "Elo".to_owned(),
        y_label: "replicates".to_owned(),
        values: &simulated.kept,
        normal: ("normal distribution by the Hessian".to_owned(), rated.rating, error),
    };
    histogram(path, &plot)
}

/// The PGN has an entry of some 70 bytes for each game of a sum.
const MOST_PGN_GAMES: f64 = 10_000_000.0;

fn pgn(results: &Results) -> Result<String> {
    let games: f64 = results.rows.iter().map(|row| row.wins + row.losses + row.draws).sum();
    ensure!(games <= MOST_PGN_GAMES, "--pgn: {games} games are too many: it writes at most {MOST_PGN_GAMES}");
    let mut text = String::new();
    let mut round = 0;
    for row in &results.rows {
        let [first, second] = [row.first, row.second].map(|player| results.names()[player].clone());
        let outcomes =
            [(row.wins, GameOutcome::BlackWins), (row.losses, GameOutcome::WhiteWins), (row.draws, GameOutcome::Draw)];
        for (count, outcome) in outcomes {
            ensure!(count.fract() == 0.0, "--pgn: {first} against {second} has half a game");
            for _ in 0..count as u64 {
                round += 1;
                let game = Game { black: first.clone(), white: second.clone(), outcome, ..Game::default() };
                text += &to_pgn(&game, &round.to_string(), PgnMoves::Omitted);
            }
        }
    }
    Ok(text)
}
