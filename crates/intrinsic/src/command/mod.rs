//! `kiki-lab intrinsic`: players rated by their moves.

mod answer;
mod judge;
mod known;
mod report;
mod show;
mod test;
mod text;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

const EXAMPLE: &str = "\
Example:
  kiki-lab intrinsic judge results/judged --games results/round-robin --network results/nn.bin --depth 10
  kiki-lab rate results/round-robin --json > results/ratings.json
  kiki-lab intrinsic report results/judged --ratings results/ratings.json --plots results/intrinsic

The judge has to be clearly stronger than whom it judges, and cannot rate itself.";

/// How strong are players by their moves alone? (after Regan)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct IntrinsicArgs {
    #[command(subcommand)]
    command: IntrinsicCommand,
}

#[derive(Subcommand, Debug)]
enum IntrinsicCommand {
    Judge(judge::JudgeArgs),
    Report(report::ReportArgs),
    Show(show::ShowArgs),
    Test(test::TestArgs),
}

/// Runs `intrinsic`.
pub fn run(arguments: &IntrinsicArgs) -> Result<ExitCode> {
    match &arguments.command {
        IntrinsicCommand::Judge(arguments) => judge::run(arguments),
        IntrinsicCommand::Report(arguments) => report::run(arguments).map(|()| ExitCode::SUCCESS),
        IntrinsicCommand::Show(arguments) => show::run(arguments).map(|()| ExitCode::SUCCESS),
        IntrinsicCommand::Test(arguments) => test::run(arguments).map(|()| ExitCode::SUCCESS),
    }
}
