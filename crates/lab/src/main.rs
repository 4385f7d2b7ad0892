//! `kiki-lab`: the science of computer shogi as tools. `kiki-lab help` lists them; docs/lab.md tells their methods and JSON keys.

use std::io::{Write as _, stderr};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod affinity;
mod commands;
mod contest;
mod estimates;
mod files;
mod guard;
mod interrupt;
mod live;
mod numbers;
mod plot;
mod results;
mod tuning;

/// The laboratory of Kiki: matches, ratings and honest numbers for USI engines
#[derive(Parser, Debug)]
#[command(version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Match(Box<commands::MatchArgs>),
    Sprt(Box<commands::SprtArgs>),
    Spsa(Box<commands::spsa::SpsaArgs>),
    Show(commands::show::ShowArgs),
    Rate(Box<commands::rate::RateArgs>),
    Series(commands::series::SeriesArgs),
    Elo(commands::elo::EloArgs),
    Llr(commands::llr::LlrArgs),
    Coverage(commands::coverage::CoverageArgs),
    Ab(commands::ab::AbArgs),
    /// For this program's own use: end the engines of a process when it has ended
    #[command(name = guard::SUBCOMMAND, hide = true)]
    GuardEngines {
        run_marker: String,
    },
}

fn main() -> ExitCode {
    let outcome = match &Arguments::parse().command {
        Command::Match(arguments) => return exit(commands::run_match(arguments)),
        Command::Sprt(arguments) => return exit(commands::run_sprt(arguments)),
        Command::Spsa(arguments) => return exit(commands::spsa::run(arguments)),
        Command::Show(arguments) => commands::show::run(arguments),
        Command::Rate(arguments) => commands::rate::run(arguments),
        Command::Series(arguments) => commands::series::run(arguments),
        Command::Elo(arguments) => commands::elo::run(arguments),
        Command::Llr(arguments) => commands::llr::run(arguments),
        Command::Coverage(arguments) => commands::coverage::run(arguments),
        Command::Ab(arguments) => commands::ab::run(arguments),
        Command::GuardEngines { run_marker } => {
            guard::run(run_marker);
            Ok(())
        }
    };
    exit(outcome.map(|()| ExitCode::SUCCESS))
}

/// Tells an error, if there is one.
fn exit(outcome: anyhow::Result<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        // Nobody may be listening: `eprintln!` would panic.
        let _ = writeln!(stderr(), "kiki-lab: {error:#}");
        ExitCode::FAILURE
    })
}
