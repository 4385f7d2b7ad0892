//! `kiki-lab book`: opening books made, merged, converted, checked and shown.

mod book_file;
mod check;
mod make;
mod make_options;
mod merge;
mod show;
mod statistics;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

pub use make::resume;
pub use make_options::MakeResumeArgs;

const EXAMPLE: &str = "\
Example:
  kiki-lab book make --from results/round-robin --plies 24 --minimum-games 2 --output games.db
  kiki-lab book make --expand --positions 2000 --nodes 20000 --network nn.bin --output searched.db
  kiki-lab book merge searched.db games.db --output book.db
  kiki-lab book convert book.db --output book.ybb
  kiki-lab book check book.db
  kiki-lab book show book.db --moves \"7g7f 3c3d\"

Books have the text format #YANEURAOU-DB2016 1.00 or the binary form .ybb. Kiki and other engines read both. docs/book.md tells more.";

/// Make, merge, convert, check and show opening books
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct BookArgs {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Subcommand, Debug)]
enum BookCommand {
    Make(Box<make_options::MakeArgs>),
    Merge(merge::MergeArgs),
    Convert(merge::BookConvertArgs),
    Check(check::CheckArgs),
    Show(show::BookShowArgs),
}

pub fn run(arguments: &BookArgs) -> Result<ExitCode> {
    match &arguments.command {
        BookCommand::Make(arguments) => make::run(arguments),
        BookCommand::Merge(arguments) => merge::run(arguments),
        BookCommand::Convert(arguments) => merge::convert(arguments),
        BookCommand::Check(arguments) => check::run(arguments),
        BookCommand::Show(arguments) => show::run(arguments).map(|()| ExitCode::SUCCESS),
    }
}
