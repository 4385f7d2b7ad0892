//! The command line.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::sync::atomic::AtomicBool;

use clap::{Parser, Subcommand};

use crate::{analyze, bench, perft, usi};

/// Why a command for people failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("{0}")]
    Sfen(#[from] kiki_board::SfenError),
    #[error("{0}")]
    Position(#[from] kiki_usi::PositionError),
    #[error("{0}")]
    Bench(#[from] bench::BenchError),
    #[error("{0}")]
    Perft(#[from] perft::TooDeep),
    #[error("{0}")]
    Io(#[from] io::Error),
}

#[derive(Parser)]
#[command(
    name = "kiki",
    version,
    about = "A USI shogi engine. Without a command it speaks USI.",
    after_help = "Any other arguments are USI commands separated by commas:\n  kiki usi , isready , go nodes 1000 , quit"
)]
struct Arguments {
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Search fixed positions; the number of nodes is the signature of the search.
    Bench {
        /// `[hash MiB] [threads] [limit] [default|current|FILE] [depth|nodes|movetime|perft|eval]`; threads may be `1,2,4` or `all`
        arguments: Vec<String>,
    },
    /// Count the leaves of the legal move tree.
    Perft(perft::Arguments),
    /// Analyze one position and show the best lines.
    Analyze(analyze::Arguments),
}

const GREETING: &str = "\
Kiki, a USI shogi engine. It is meant to be loaded into a GUI such as ShogiHome, ShogiGUI or Shogidokoro;
here you can type the protocol yourself. Try:
  position startpos moves 7g7f      set up a position          d      show it
  go byoyomi 3000                   think for three seconds    eval   explain its value
  quit                              leave                      help   list the commands
Commands for people: kiki analyze --help, kiki bench --help, kiki perft --help";

/// Runs what the arguments ask for.
pub(crate) fn run(arguments: Vec<OsString>) -> Result<(), CommandError> {
    let first = arguments.first().map(|first| first.to_string_lossy().into_owned());
    match first.as_deref() {
        None => {
            if io::stdin().is_terminal() && io::stdout().is_terminal() {
                println!("{GREETING}");
            }
            usi::serve_stdin();
            Ok(())
        }
        Some("bench" | "perft" | "analyze" | "help" | "-h" | "--help" | "-V" | "--version")
            if !arguments.iter().any(|argument| argument == ",") =>
        {
            let name = OsString::from("kiki");
            match Arguments::parse_from(std::iter::once(name).chain(arguments)).command {
                Subcommands::Bench { arguments } => {
                    let plan = bench::plan(&arguments, None)?;
                    Ok(plan.run(&AtomicBool::new(false), &mut |line| println!("{line}"))?)
                }
                Subcommands::Perft(arguments) => perft::run(&arguments),
                Subcommands::Analyze(arguments) => analyze::run(&arguments),
            }
        }
        Some(_) => {
            let words = arguments.iter().map(|argument| argument.to_string_lossy().into_owned());
            usi::serve_lines(kiki_usi::command_lines(words));
            Ok(())
        }
    }
}
