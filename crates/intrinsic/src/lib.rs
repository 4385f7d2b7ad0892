//! `kiki-lab intrinsic`: how strong are players by their moves alone?
//!
//! The method is Regan's (LFICS, intrinsic; Regan and Haworth 2011; Regan, Macieja and Haworth
//! 2012). A stronger program judges the best moves of a position and the one played. The scaled
//! error of a move is how much worse it is than the best one, on a scale where a pawn counts less
//! the more one side is ahead. A model of how moves are chosen has two parameters, which are fitted
//! to the moves that were played. A line relates a player's mean scaled error to ordinary ratings.
//!
//! | file | contents |
//! |---|---|
//! | [`turns`] | the positions in which players moved |
//! | `judge` | `intrinsic judge`: the search that judges them, with its journal |
//! | [`choice`] | scaled errors and the model of choice |
//! | [`fit`] | the model that fits a player's moves, with its errors |
//! | [`line`](mod@line) | the line between mean errors and ratings |
//! | [`players`] | players rated by their judged moves |
//! | `report`, `show` | `intrinsic report` of all players, `intrinsic show` of one game |
//! | `model_commands` | `intrinsic test`, `choice` and `line`: what the model says |
//!
//! ```
//! use kiki_intrinsic::choice::{ChoiceModel, scaled_error};
//! use kiki_intrinsic::line::CHESS_LINE;
//!
//! // From half a pawn ahead to 0.3 behind.
//! assert!((scaled_error(50.0, -30.0, 100.0)? - 0.667829).abs() < 1e-6);
//! let probabilities = ChoiceModel::new(0.1, 0.5)?.probabilities(&[0.0, 0.2, 0.5, 1.0]);
//! assert!((probabilities[0] - 0.7116).abs() < 1e-3);
//! // On the scale of chess, which is not that of shogi.
//! assert!((CHESS_LINE.rating(0.05) - 2800.35).abs() < 1e-9);
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

pub mod choice;
pub mod fit;
mod judge;
pub mod line;
mod model_commands;
pub mod players;
mod report;
mod show;
pub mod turns;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

pub use judge::{JudgeJob, resume};

const EXAMPLE: &str = "\
Examples:
  kiki-lab intrinsic judge results/judged --games results/round-robin --network results/nn.bin --depth 10
  kiki-lab rate results/round-robin --json > results/ratings.json
  kiki-lab intrinsic report results/judged --ratings results/ratings.json --plots results/intrinsic
  kiki-lab intrinsic choice --values 50,20,-30 --model 0.1,0.5
  kiki-lab intrinsic line --errors 0.05,0.1

The judge has to be clearly stronger than the players, and cannot rate itself.";

/// How strong are players by their moves alone? (after Regan)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct IntrinsicArgs {
    #[command(subcommand)]
    command: IntrinsicCommand,
}

#[derive(Subcommand, Debug)]
enum IntrinsicCommand {
    Judge(Box<judge::JudgeArgs>),
    Report(report::ReportArgs),
    Show(show::ShowGameArgs),
    Test(model_commands::TestArgs),
    Choice(model_commands::ChoiceArgs),
    Line(model_commands::LineArgs),
}

pub fn run(arguments: &IntrinsicArgs) -> Result<ExitCode> {
    match &arguments.command {
        IntrinsicCommand::Judge(arguments) => return judge::run(arguments),
        IntrinsicCommand::Report(arguments) => report::run(arguments)?,
        IntrinsicCommand::Show(arguments) => show::run(arguments)?,
        IntrinsicCommand::Test(arguments) => model_commands::run_test(arguments)?,
        IntrinsicCommand::Choice(arguments) => model_commands::run_choice(arguments)?,
        IntrinsicCommand::Line(arguments) => model_commands::run_line(arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}
