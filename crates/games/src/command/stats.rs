//! `kiki-lab records stats`: a collection of game records in numbers.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};

use crate::records::{RecordStatistics, find};
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::{exit_code, stop_flag};
use kiki_run::output::{ProgressLine, counted, percent, print_json, table};
use kiki_run::say;

const EXAMPLE: &str = "\
Example:
  kiki-lab records stats records/
  kiki-lab records stats results/match game.kif --json

Unreadable parts are reported on standard error with file and line; the rest is counted, and the exit status is 1.";

const PLAYERS: usize = 20;

/// Count games: results, endings, lengths, the score of the first move, players, dates
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(super) struct StatsArgs {
    /// Game records, folders of them (with those below), and folders of matches
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &StatsArgs) -> Result<ExitCode> {
    let mut errors = InputErrors::default();
    let sources = find(&arguments.paths, &mut errors);
    let missing = errors.count() as u64;
    let stop = stop_flag()?;
    let mut progress = ProgressLine::new("files", sources.len() as u64, 0);
    let mut found = RecordStatistics::default();
    for source in &sources {
        if stop.load(Ordering::Relaxed) {
            progress.finish();
            return Ok(exit_code(true));
        }
        let before = errors.count();
        let mut tell = |error: anyhow::Error| {
            errors.tell_beside(&progress, &error.context(source.path.display().to_string()));
        };
        match source.games() {
            Err(error) => tell(error),
            Ok(games) => games.into_iter().for_each(|game| match game {
                Ok(game) => found.add(&game),
                Err(error) => {
                    tell(error);
                    found.broken_games += 1;
                }
            }),
        }
        found.files += 1;
        found.broken_files += u64::from(errors.count() > before);
        progress.show(found.files, || format!("{} games", found.games));
    }
    progress.finish();
    found.files += missing;
    found.broken_files += missing;
    if arguments.json {
        print_json(&as_json(&found))?;
    } else {
        print(&found);
    }
    Ok(errors.exit_code())
}

fn print(found: &RecordStatistics) {
    let RecordStatistics { games, files, broken_files, broken_games, .. } = found;
    let [games_read, broken_games] = [*games, *broken_games].map(|count| counted(count, "game"));
    let [files, broken_files] = [*files, *broken_files].map(|count| counted(count, "file"));
    say!("{games_read} in {files}; {broken_files} with errors, {broken_games} not read");
    if *games == 0 {
        return;
    }
    let counts = |title: &str, rows: Vec<(&str, u64)>| {
        let row = |(name, count): (&str, u64)| {
            vec![name.to_owned(), count.to_string(), percent(count as f64 / *games as f64)]
        };
        say!("{}", table(&[title, "games", "share"], rows.into_iter().map(row)));
    };
    counts("result", found.outcomes());
    counts("ending", found.endings());
    if let Some(plies) = found.plies() {
        let [low, median, high] = plies.quartiles;
        let cells = [plies.mean, plies.shortest, low, median, high, plies.longest].map(|plies| format!("{plies:.1}"));
        let header = ["", "mean", "shortest", "lower quartile", "median", "upper quartile", "longest"];
        say!("{}", table(&header, [[vec!["plies".to_owned()], cells.to_vec()].concat()]));
    }
    if let Some(first) = found.first_move() {
        let error = first.error.map_or_else(String::new, |error| format!(" ± {}", percent(error)));
        say!(
            "the side that moves first scores {}{error} in {} games (±: standard error)",
            percent(first.score),
            first.games
        );
    }
    if let Some((first, last)) = &found.days {
        say!("played from {first} to {last}; {} games tell no day", found.without_day);
    }
    let players = found.players();
    if !players.is_empty() {
        counts(&format!("player (of {})", players.len()), players.into_iter().take(PLAYERS).collect());
    }
}

fn as_json(found: &RecordStatistics) -> Value {
    let counts = |rows: Vec<(&str, u64)>| -> Value {
        Value::Object(rows.into_iter().map(|(name, count)| (name.to_owned(), count.into())).collect::<Map<_, _>>())
    };
    json!({
        "games": found.games,
        "files": found.files,
        "broken_files": found.broken_files,
        "broken_games": found.broken_games,
        "results": counts(found.outcomes()),
        "endings": counts(found.endings()),
        "plies": found.plies(),
        "first_move": found.first_move(),
        "first_day": found.days.as_ref().map(|(first, _)| first),
        "last_day": found.days.as_ref().map(|(_, last)| last),
        "without_day": found.without_day,
        "players": counts(found.players()),
    })
}
