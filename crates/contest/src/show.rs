//! `kiki-lab show`: what a folder of a match holds.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::match_report::{game_text, overview};

const EXAMPLE: &str = "\
Example:
  kiki-lab show results/fairy
  kiki-lab show results/fairy --game 17

The folder is only read, also while the match is being played.";

/// Show a finished or interrupted match: settings, standings, how games ended, faults; or one game
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct ShowArgs {
    /// The folder of a match
    folder: PathBuf,
    /// Show this game move by move, with scores
    #[arg(long, value_name = "NUMBER")]
    game: Option<usize>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs `show`.
pub fn run(arguments: &ShowArgs) -> Result<()> {
    match arguments.game {
        Some(number) => game_text::print(&arguments.folder, number, arguments.json),
        None => overview::print(&arguments.folder, arguments.json),
    }
}
