//! `kiki-lab records`: the contents of game records.

mod japanese;
mod stats;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Statistics of game records, and moves in Japanese notation
#[derive(Args, Debug)]
pub struct RecordsArgs {
    #[command(subcommand)]
    command: RecordsCommand,
}

#[derive(Subcommand, Debug)]
enum RecordsCommand {
    Stats(stats::StatsArgs),
    Move(japanese::MoveArgs),
}

pub fn run(arguments: &RecordsArgs) -> Result<ExitCode> {
    match &arguments.command {
        RecordsCommand::Stats(arguments) => stats::run(arguments),
        RecordsCommand::Move(arguments) => japanese::run(arguments).map(|()| ExitCode::SUCCESS),
    }
}
