//! The commands of `kiki-lab`, the tools that measure shogi engines: each belongs to the room that answers its question.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use kiki_run::output::print_warning;

mod resume;

/// The laboratory of Kiki: matches, ratings and honest numbers for USI engines
#[derive(Parser, Debug)]
#[command(version, arg_required_else_help = true)]
struct LabArguments {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand, Debug)]
enum LabCommand {
    Match(Box<kiki_contest::command::MatchArgs>),
    Sprt(Box<kiki_contest::command::SprtArgs>),
    Spsa(Box<kiki_tuning::command::SpsaArgs>),
    Distances(kiki_tuning::distances::DistancesArgs),
    Fit(Box<kiki_tuning::fit::FitArgs>),
    Formula(kiki_tuning::formula::FormulaArgs),
    Convert(kiki_games::convert::ConvertArgs),
    Records(kiki_games::command::RecordsArgs),
    Show(kiki_contest::show::ShowArgs),
    Rate(Box<kiki_rating::rate::RateArgs>),
    Series(kiki_rating::series::SeriesArgs),
    Lengths(kiki_lengths::length::LengthsArgs),
    Tree(kiki_lengths::tree::TreeArgs),
    Elo(kiki_rating::elo::EloArgs),
    Llr(kiki_rating::llr::LlrArgs),
    Intrinsic(Box<kiki_intrinsic::IntrinsicArgs>),
    Council(kiki_council::command::CouncilArgs),
    Coverage(kiki_rating::coverage::CoverageArgs),
    Ab(kiki_rating::ab::AbArgs),
    Ablation(Box<kiki_contest::ablation::AblationArgs>),
    Analyze(Box<kiki_analysis::command::AnalyzeArgs>),
    Player(Box<kiki_player::command::PlayerArgs>),
    Quality(kiki_tuning::quality::QualityArgs),
    Sigma(Box<kiki_sigma::SigmaArgs>),
    Gamble(kiki_sigma::gamble::GambleArgs),
    #[command(name = "selfplay")]
    SelfPlay(Box<kiki_train::selfplay::command::SelfPlayArgs>),
    Train(Box<kiki_train::trainer::command::TrainArgs>),
    Learn(Box<kiki_learn::LearnArgs>),
    Data(kiki_train::data::DataArgs),
    Book(kiki_makebook::command::BookArgs),
    UsiCheck(kiki_conformance::command::UsiCheckArgs),
    Resume(resume::ResumeArgs),
    /// For this program's own use: end the engines of a process when it has ended
    #[command(name = kiki_run::interrupt::SUBCOMMAND, hide = true)]
    GuardEngines {
        run_marker: String,
    },
}

/// Runs the command that the arguments name.
pub fn run() -> ExitCode {
    let mut arguments = LabArguments::parse();
    if let LabCommand::Resume(resumed) = &arguments.command {
        match resumed.command_line() {
            Ok(words) => arguments = LabArguments::parse_from([OsString::from("kiki-lab")].into_iter().chain(words)),
            Err(error) => return exit(Err(error)),
        }
    }
    let outcome = match &arguments.command {
        LabCommand::Match(arguments) => return exit(kiki_contest::command::run_match(arguments)),
        LabCommand::Sprt(arguments) => return exit(kiki_contest::command::run_sprt(arguments)),
        LabCommand::Spsa(arguments) => return exit(kiki_tuning::command::run(arguments)),
        LabCommand::Distances(arguments) => kiki_tuning::distances::run(arguments),
        LabCommand::Fit(arguments) => return exit(kiki_tuning::fit::run(arguments)),
        LabCommand::Formula(arguments) => kiki_tuning::formula::run(arguments),
        LabCommand::SelfPlay(arguments) => return exit(kiki_train::selfplay::command::run(arguments)),
        LabCommand::Train(arguments) => return exit(kiki_train::trainer::command::run(arguments)),
        LabCommand::Learn(arguments) => return exit(kiki_learn::run(arguments)),
        LabCommand::Data(arguments) => return exit(kiki_train::data::run(arguments)),
        LabCommand::Convert(arguments) => return exit(kiki_games::convert::run(arguments)),
        LabCommand::Records(arguments) => return exit(kiki_games::command::run(arguments)),
        LabCommand::Book(arguments) => return exit(kiki_makebook::command::run(arguments)),
        LabCommand::Show(arguments) => kiki_contest::show::run(arguments),
        LabCommand::Rate(arguments) => return exit(kiki_rating::rate::run(arguments)),
        LabCommand::Series(arguments) => return exit(kiki_rating::series::run(arguments)),
        LabCommand::Lengths(arguments) => return exit(kiki_lengths::length::run(arguments)),
        LabCommand::Tree(arguments) => kiki_lengths::tree::run(arguments),
        LabCommand::Elo(arguments) => kiki_rating::elo::run(arguments),
        LabCommand::Llr(arguments) => kiki_rating::llr::run(arguments),
        LabCommand::Intrinsic(arguments) => return exit(kiki_intrinsic::run(arguments)),
        LabCommand::Council(arguments) => return exit(kiki_council::command::run(arguments)),
        LabCommand::Coverage(arguments) => kiki_rating::coverage::run(arguments),
        LabCommand::Ab(arguments) => kiki_rating::ab::run(arguments),
        LabCommand::Ablation(arguments) => return exit(kiki_contest::ablation::run(arguments)),
        LabCommand::Analyze(arguments) => return exit(kiki_analysis::command::run(arguments)),
        LabCommand::Player(arguments) => return exit(kiki_player::command::run(arguments)),
        LabCommand::Quality(arguments) => return exit(kiki_tuning::quality::run(arguments)),
        LabCommand::Gamble(arguments) => return exit(kiki_sigma::gamble::run(arguments)),
        LabCommand::Sigma(arguments) => return exit(kiki_sigma::run(arguments)),
        LabCommand::UsiCheck(arguments) => return exit(kiki_conformance::command::run(arguments)),
        // No run is one of `resume` itself.
        LabCommand::Resume(_) => Ok(()),
        LabCommand::GuardEngines { run_marker } => {
            kiki_run::interrupt::run(run_marker);
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
