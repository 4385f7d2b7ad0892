//! `kiki-lab council`: several engines decide together.

mod calibrate;
mod calibration_text;
mod majority;
mod report;
mod simulate;
mod weigh;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

pub use calibrate::resume;

const EXAMPLE: &str = "\
Examples:
  kiki-lab council simulate --output results/council
  kiki-lab council weigh --loss 80 --best-value 100 7g7f=120/100 2g2f=60/250 2g2f=55/250";

/// Several engines decide together: which rule is best? (LFICS, councils)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct CouncilArgs {
    #[command(subcommand)]
    command: CouncilCommand,
}

#[derive(Subcommand, Debug)]
enum CouncilCommand {
    Simulate(simulate::SimulateArgs),
    Weigh(weigh::WeighArgs),
    Majority(majority::MajorityArgs),
    Calibrate(Box<calibrate::CalibrateArgs>),
}

pub fn run(arguments: &CouncilArgs) -> Result<ExitCode> {
    match &arguments.command {
        CouncilCommand::Simulate(arguments) => simulate::run(arguments).map(|()| ExitCode::SUCCESS),
        CouncilCommand::Weigh(arguments) => weigh::run(arguments).map(|()| ExitCode::SUCCESS),
        CouncilCommand::Majority(arguments) => majority::run(arguments).map(|()| ExitCode::SUCCESS),
        CouncilCommand::Calibrate(arguments) => calibrate::run(arguments),
    }
}
