//! `kiki-lab sigma`: how far shallow searches may be off, and what ProbCut makes of it.

mod arguments;
mod fit;
mod probcut;
mod probcut_setting;
mod report;
mod sample;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

const EXAMPLE: &str = "\
Example:
  kiki-lab sigma sample results/sigma --positions results/data/by-28.psv --network results/nn.bin --depth 11 --count 40000
  kiki-lab sigma fit results/sigma --output results/sigma.tsv
  kiki-lab sigma report results/sigma --pair 4-8 --plots results/sigma-plots
  kiki-lab sigma probcut --positions results/match --network results/nn.bin --model results/sigma.tsv --depth 12";

/// How far may the value of a shallow search be off? (Kameko 2013: reliability, sigma, ProbCut)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct SigmaArgs {
    #[command(subcommand)]
    command: SigmaCommand,
}

#[derive(Subcommand, Debug)]
enum SigmaCommand {
    Sample(sample::SampleArgs),
    Fit(fit::FitArgs),
    Report(report::ReportArgs),
    #[command(name = "probcut")]
    ProbCut(probcut::ProbCutArgs),
}

/// Runs `sigma`.
pub fn run(arguments: &SigmaArgs) -> Result<ExitCode> {
    match &arguments.command {
        SigmaCommand::Sample(arguments) => sample::run(arguments),
        SigmaCommand::Fit(arguments) => fit::run(arguments).map(|()| ExitCode::SUCCESS),
        SigmaCommand::ProbCut(arguments) => probcut::run(arguments),
        SigmaCommand::Report(arguments) => report::run(arguments).map(|()| ExitCode::SUCCESS),
    }
}
