//! `kiki-lab`: tools that measure shogi engines. `kiki-lab help` lists them; docs/lab.md documents their methods and JSON keys.
//!
//! | module | what |
//! |---|---|
//! | [`commands`] | command lines, and the tables and JSON that are printed |
//! | [`contest`] | matches, tournaments and sequential tests over [`kiki_play`]: schedule, standings, exports, pictures |
//! | [`tuning`] | numbers of an engine found by self-play over [`kiki_play`] |
//! | [`ablation`] | what each step of the search is worth, by contests without it |
//! | [`analysis`] | games searched by engines, position by position, over [`kiki_analysis`] |
//! | [`quality`] | how little static evaluations change along best play |
//! | [`council`] | what councils of engines are worth by a model |
//! | [`gamble`] | whether a move with a better chance turns games |
//! | [`intrinsic`] | players rated by their moves |
//! | [`records`] | game records: found, converted, counted |
//! | [`sigma`] | how far shallow searches may be off |
//! | [`book`] | opening books from games and by search |
//! | [`results`] | results of finished games, read from files of all kinds |
//! | the others | files and journals, interruption, progress, numbers and pictures, for all of these |
//!
//! Commands use contests, tuning, ablation, quality, books and results, which do not know of commands; ablation and analysis use contests, the others nothing of each other.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use play_errors::print_warning;

mod ablation;
mod analysis;
mod book;
mod commands;
mod contest;
mod council;
mod engine_guard;
mod evaluation_note;
mod files;
mod gamble;
mod input_errors;
mod interrupt;
mod intrinsic;
mod journal;
mod journal_layouts;
mod lengths;
mod numbers;
mod parallel;
mod play_errors;
mod played_games;
mod plot;
mod position_search;
mod position_text;
mod positions;
mod progress_line;
mod quality;
mod quantile;
mod records;
mod results;
mod shell_word;
mod sigma;
mod terminal_text;
mod tuning;

/// The laboratory of Kiki: matches, ratings and honest numbers for USI engines
#[derive(Parser, Debug)]
#[command(version, arg_required_else_help = true)]
struct LabArguments {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand, Debug)]
enum LabCommand {
    Match(Box<commands::MatchArgs>),
    Sprt(Box<commands::SprtArgs>),
    Spsa(Box<commands::spsa::SpsaArgs>),
    Distances(commands::distances::DistancesArgs),
    Fit(Box<commands::fit::FitArgs>),
    Formula(commands::formula::FormulaArgs),
    Convert(commands::convert::ConvertArgs),
    Records(commands::records::RecordsArgs),
    Show(commands::show::ShowArgs),
    Rate(Box<commands::rate::RateArgs>),
    Series(commands::series::SeriesArgs),
    Lengths(commands::lengths::LengthsArgs),
    Tree(commands::tree::TreeArgs),
    Elo(commands::elo::EloArgs),
    Llr(commands::llr::LlrArgs),
    Intrinsic(Box<commands::intrinsic::IntrinsicArgs>),
    Council(commands::council::CouncilArgs),
    Coverage(commands::coverage::CoverageArgs),
    Ab(commands::ab::AbArgs),
    Ablation(Box<commands::ablation::AblationArgs>),
    Analyze(Box<commands::analyze::AnalyzeArgs>),
    Quality(commands::quality::QualityArgs),
    Sigma(Box<commands::sigma::SigmaArgs>),
    Gamble(commands::gamble::GambleArgs),
    #[command(name = "selfplay")]
    SelfPlay(Box<commands::selfplay::SelfPlayArgs>),
    Train(Box<commands::train::TrainArgs>),
    Data(commands::data::DataArgs),
    Book(commands::book::BookArgs),
    UsiCheck(commands::usi_check::UsiCheckArgs),
    /// For this program's own use: end the engines of a process when it has ended
    #[command(name = engine_guard::SUBCOMMAND, hide = true)]
    GuardEngines {
        run_marker: String,
    },
}

fn main() -> ExitCode {
    if kiki_processor::is_sufficient("kiki-lab", &mut std::io::stderr()) { run() } else { ExitCode::from(2) }
}

/// A function of its own, so that nothing of it is done before the processor was looked at.
#[inline(never)]
fn run() -> ExitCode {
    let outcome = match &LabArguments::parse().command {
        LabCommand::Match(arguments) => return exit(commands::run_match(arguments)),
        LabCommand::Sprt(arguments) => return exit(commands::run_sprt(arguments)),
        LabCommand::Spsa(arguments) => return exit(commands::spsa::run(arguments)),
        LabCommand::Distances(arguments) => commands::distances::run(arguments),
        LabCommand::Fit(arguments) => return exit(commands::fit::run(arguments)),
        LabCommand::Formula(arguments) => commands::formula::run(arguments),
        LabCommand::SelfPlay(arguments) => return exit(commands::selfplay::run(arguments)),
        LabCommand::Train(arguments) => return exit(commands::train::run(arguments)),
        LabCommand::Data(arguments) => return exit(commands::data::run(arguments)),
        LabCommand::Convert(arguments) => return exit(commands::convert::run(arguments)),
        LabCommand::Records(arguments) => return exit(commands::records::run(arguments)),
        LabCommand::Book(arguments) => return exit(commands::book::run(arguments)),
        LabCommand::Show(arguments) => commands::show::run(arguments),
        LabCommand::Rate(arguments) => return exit(commands::rate::run(arguments)),
        LabCommand::Series(arguments) => return exit(commands::series::run(arguments)),
        LabCommand::Lengths(arguments) => return exit(commands::lengths::run(arguments)),
        LabCommand::Tree(arguments) => commands::tree::run(arguments),
        LabCommand::Elo(arguments) => commands::elo::run(arguments),
        LabCommand::Llr(arguments) => commands::llr::run(arguments),
        LabCommand::Intrinsic(arguments) => return exit(commands::intrinsic::run(arguments)),
        LabCommand::Council(arguments) => return exit(commands::council::run(arguments)),
        LabCommand::Coverage(arguments) => commands::coverage::run(arguments),
        LabCommand::Ab(arguments) => commands::ab::run(arguments),
        LabCommand::Ablation(arguments) => return exit(commands::ablation::run(arguments)),
        LabCommand::Analyze(arguments) => return exit(commands::analyze::run(arguments)),
        LabCommand::Quality(arguments) => return exit(commands::quality::run(arguments)),
        LabCommand::Gamble(arguments) => return exit(commands::gamble::run(arguments)),
        LabCommand::Sigma(arguments) => return exit(commands::sigma::run(arguments)),
        LabCommand::UsiCheck(arguments) => return exit(commands::usi_check::run(arguments)),
        LabCommand::GuardEngines { run_marker } => {
            engine_guard::run(run_marker);
            Ok(())
        }
    };
    exit(outcome.map(|()| ExitCode::SUCCESS))
}

/// The exit status; prints the error, if there is one.
fn exit(outcome: anyhow::Result<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        print_warning(&format!("{error:#}"));
        ExitCode::FAILURE
    })
}
