//! How far may the value of a shallow search be off? `kiki-lab sigma` and `kiki-lab gamble`.
//!
//! The method is that of Kameko 2013; ProbCut is Buro's (1995). docs/sigma.md shows results.
//!
//! | question | file |
//! |---|---|
//! | what are the values of positions at every depth? | `sample` |
//! | which weights make their differences most likely? | `fit`, with the mathematics in `model` |
//! | is sigma right? | `report` |
//! | which shallow value allows a cut? | `cuts` |
//! | what does ProbCut save? | `probcut` |
//! | which move has the best chance? | `chance` |
//! | do gambling moves turn games? | [`gamble`] |
//! | what is the answer for numbers typed in? | `numbers` |

mod chance;
mod cuts;
mod fit;
pub mod gamble;
mod model;
mod numbers;
mod probcut;
mod report;
mod sample;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

use numbers::Printed;
pub use sample::resume;

const EXAMPLE: &str = "\
Example:
  kiki-lab sigma sample results/sigma --positions results/data/by-28.games --network results/nn.bin --depth 11 --count 40000
  kiki-lab sigma fit results/sigma --output results/sigma.tsv
  kiki-lab sigma report results/sigma --pair 4-8 --plots results/sigma-plots
  kiki-lab sigma probcut --positions results/match --network results/nn.bin --model results/sigma.tsv --depth 12
  kiki-lab sigma cut 500 --alpha 150 --beta 300 --sigma 80";

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
    Fit(fit::SigmaFitArgs),
    Report(report::SigmaReportArgs),
    #[command(name = "probcut")]
    ProbCut(probcut::ProbCutArgs),
    Cut(Printed<numbers::CutArgs>),
    Wrong(Printed<numbers::WrongArgs>),
    Combine(Printed<numbers::CombineArgs>),
    Weights(Printed<numbers::WeightsArgs>),
    Line(Printed<numbers::RegressionArgs>),
    Constant(Printed<numbers::ConstantArgs>),
}

pub fn run(arguments: &SigmaArgs) -> Result<ExitCode> {
    match &arguments.command {
        SigmaCommand::Sample(arguments) => return sample::run(arguments),
        SigmaCommand::ProbCut(arguments) => return probcut::run(arguments),
        SigmaCommand::Fit(arguments) => fit::run(arguments),
        SigmaCommand::Report(arguments) => report::run(arguments),
        SigmaCommand::Cut(arguments) => arguments.print(numbers::cut),
        SigmaCommand::Wrong(arguments) => arguments.print(numbers::wrong),
        SigmaCommand::Combine(arguments) => arguments.print(numbers::combine),
        SigmaCommand::Weights(arguments) => arguments.print(numbers::weights),
        SigmaCommand::Line(arguments) => arguments.print(numbers::line),
        SigmaCommand::Constant(arguments) => arguments.print(numbers::constant),
    }?;
    Ok(ExitCode::SUCCESS)
}
