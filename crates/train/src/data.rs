//! `kiki-lab data`: checks, counts, rearranges and converts training data; inspects network files.

mod convert;
mod network;
mod rearrange;
mod result_file;
mod returns;
mod sources;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::games::GameFile;
use crate::shards::TrainingStatistics;
use anyhow::Result;
use clap::{Args, Subcommand};
use comfy_table::Table;

use kiki_run::interrupt::exit_code;
use kiki_run::output::{print_json, table};
use kiki_run::say;
use kiki_stats::tally::Tally;
pub(crate) use network::read_network;
use rearrange::{RearrangeArgs, ShuffleArgs};
use returns::ReturnsArgs;
pub(crate) use returns::{ReturnsWeights, centipawns};
use sources::{Interrupted, Sources};

/// Maximum number of wrong records shown.
const SHOWN: u64 = 10;

/// Check, count, shuffle, merge and convert training data; inspect and convert networks
#[derive(Args, Debug)]
pub struct DataArgs {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Subcommand, Debug)]
enum DataCommand {
    /// Check every record (position, move, result), and files against checksums in their notes
    Check(DataFileArgs),
    /// Count records by result, score and ply
    Stats(DataStatsArgs),
    /// Write all records in random order
    Shuffle(ShuffleArgs),
    /// Write all records without duplicates (same position and move), in another order
    Merge(RearrangeArgs),
    /// Write all records with lambda-returns as scores: mixed with later scores and the result;
    /// records must be in the order of their games
    Returns(ReturnsArgs),
    /// Write records (PSV) if the name of the result ends in .psv, games otherwise; records must be
    /// in the order of their games
    Convert(convert::DataConvertArgs),
    Network(network::NetworkArgs),
}

#[derive(Args, Debug)]
struct DataFileArgs {
    /// Files of games or records
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Args, Debug)]
struct DataStatsArgs {
    #[command(flatten)]
    files: DataFileArgs,
    /// Print the counts as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &DataArgs) -> Result<ExitCode> {
    match run_command(&arguments.command) {
        Err(error) if error.is::<Interrupted>() => Ok(exit_code(true)),
        outcome => Ok(if outcome? { ExitCode::SUCCESS } else { ExitCode::FAILURE }),
    }
}

/// Returns false if the data checked are wrong.
fn run_command(command: &DataCommand) -> Result<bool> {
    match command {
        DataCommand::Check(files) => return check(&files.files),
        DataCommand::Stats(arguments) => count(arguments)?,
        DataCommand::Shuffle(arguments) => rearrange::shuffle(arguments)?,
        DataCommand::Merge(arguments) => rearrange::merge(arguments)?,
        DataCommand::Returns(arguments) => returns::run(arguments)?,
        DataCommand::Convert(arguments) => convert::run(arguments)?,
        DataCommand::Network(arguments) => network::run(arguments)?,
    }
    Ok(true)
}

fn check(files: &[PathBuf]) -> Result<bool> {
    let mut wrong = 0;
    let read = Sources::open(files)?.read(|place, games| {
        for (index, record) in games.iter().flatten().enumerate().filter(|_| !place.in_games) {
            if let Err(error) = record.check() {
                wrong += 1;
                if wrong <= SHOWN {
                    say!("{}: {error:#}", place.later(index));
                }
            }
        }
        Ok(())
    })?;
    let mut differing = 0;
    for (file, shown) in read.iter().zip(files) {
        let sum = file.noted_sum()?;
        let words = match &sum {
            None if GameFile::is_one(&file.file)? => "all blocks agree with their sums",
            None => "no sum is noted",
            Some(sum) if *sum == file.blake3 => "the sum agrees with the note",
            Some(_) => "THE SUM DIFFERS FROM THE NOTE",
        };
        differing += u64::from(sum.is_some_and(|sum| sum != file.blake3));
        say!("{}: {} records, {words}", shown.display(), file.records);
        if file.torn > 0 {
            say!("{}: its last {} bytes are no whole block", shown.display(), file.torn);
        }
    }
    if wrong > 0 {
        say!("{wrong} records are wrong");
    }
    Ok(wrong + differing == 0)
}

fn count(arguments: &DataStatsArgs) -> Result<()> {
    let mut statistics = TrainingStatistics::default();
    Sources::open(&arguments.files.files)?.read_sound(|_, game| {
        game.iter().for_each(|record| statistics.add(record));
        Ok(())
    })?;
    if arguments.json {
        print_json(&statistics)?;
    } else {
        let sides = [("all".to_owned(), statistics.all), ("Black to move".to_owned(), statistics.black_to_move)];
        say!("{}", counts_table("records", sides));
        say!("{}", counts_table("score about", statistics.by_score.iter().map(|(score, &n)| (score.to_string(), n))));
        say!("{}", counts_table("ply from", statistics.by_ply.iter().map(|(ply, &n)| (ply.to_string(), n))));
    }
    Ok(())
}

/// Results are those of the side to move.
fn counts_table(what: &str, rows: impl IntoIterator<Item = (String, Tally)>) -> Table {
    table(
        &[what, "count", "won", "drawn", "lost", "points"],
        rows.into_iter().map(|(name, counts)| {
            let total = counts.games();
            let points = if total > 0 { format!("{:.3}", counts.points() / total as f64) } else { "-".to_owned() };
            let numbers = [total, counts.wins, counts.draws, counts.losses].map(|count| count.to_string());
            [name].into_iter().chain(numbers).chain([points]).collect()
        }),
    )
}
