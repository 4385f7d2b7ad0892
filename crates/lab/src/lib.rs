//! The commands of `kiki-lab`, the tools that measure shogi engines. Each is implemented in the
//! crate of its subject.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{CommandFactory as _, Parser, Subcommand};
use kiki_machines::job::JobKind;
use kiki_run::output::print_warning;
use kiki_run::usage;

mod resume;

/// Hash and date of the commit; see engine/build.rs.
const COMMIT: Option<&str> = option_env!("KIKI_COMMIT");

static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!("{}\ncommit {}", env!("CARGO_PKG_VERSION"), COMMIT.unwrap_or("unknown: the sources had no repository"))
});

/// The laboratory of Kiki: matches, ratings and honest numbers for USI engines
#[derive(Parser, Debug)]
#[command(version = VERSION.as_str(), arg_required_else_help = true)]
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
    Fit(Box<kiki_tuning::fit::FormulaFitArgs>),
    Formula(kiki_tuning::formula::FormulaArgs),
    Convert(kiki_games::convert::ConvertArgs),
    Records(kiki_games::command::RecordsArgs),
    Problems(kiki_games::problems::ProblemsArgs),
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
    Worker(Box<kiki_machines::command::WorkerArgs>),
    Machines(kiki_machines::status::StatusArgs),
    /// Internal: end the engines of a process when it has ended
    #[command(name = kiki_run::interrupt::SUBCOMMAND, hide = true)]
    GuardEngines {
        run_marker: String,
    },
}

/// What `kiki-lab worker` can do.
static JOBS: [JobKind; 6] = [
    JobKind::of::<kiki_train::selfplay::command::SelfPlayJob>(),
    JobKind::of::<kiki_train::duel::DuelJob>(),
    JobKind::of::<kiki_contest::command::MatchJob>(),
    JobKind::of::<kiki_tuning::command::PairJob>(),
    JobKind::of::<kiki_analysis::command::SearchJob>(),
    JobKind::of::<kiki_intrinsic::JudgeJob>(),
];

pub fn run() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Err(error) = resume::refuse_old_flag(&words) {
        print_warning(&error.to_string());
        return ExitCode::from(2);
    }
    if let Some(hash) = COMMIT.and_then(|commit| commit.split(',').next()) {
        kiki_run::set_commit(hash);
    }
    let arguments: LabArguments = resume::parse(LabArguments::command(), &words);
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
        LabCommand::Problems(arguments) => return exit(kiki_games::problems::run(arguments)),
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
        LabCommand::Resume(arguments) => return exit(resume::run(arguments)),
        LabCommand::Machines(arguments) => return exit(kiki_machines::status::run(arguments)),
        LabCommand::Worker(arguments) => return exit(kiki_machines::command::run(arguments, &JOBS)),
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
        if usage::is_wrong_usage(&error) { ExitCode::from(usage::STATUS) } else { ExitCode::FAILURE }
    })
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};
    use kiki_run::numbers::refuse_non_finite;

    use super::*;

    /// Forms of arguments with a number, `#`.
    const FORMS: [&str; 12] =
        ["#", "#,1", "1,#", "1,1,#", "#/1,1", "1,1/1,#", "1=#", "#=1", "a=#/1", "a=1/#", "sigma:#", "elo1=#"];

    fn is_read(argument: &Arg, text: &str) -> bool {
        let reader =
            Arg::new("x").long("x").allow_hyphen_values(true).value_parser(argument.get_value_parser().clone());
        let mut command = Command::new("test").arg(reader.value_delimiter(argument.get_value_delimiter()));
        let matches = command.try_get_matches_from_mut(["test", "--x", text]);
        matches.is_ok_and(|matches| refuse_non_finite(&command, &matches).is_ok())
    }

    /// Collects the arguments that accept a fraction, and checks that they refuse NaN and infinity.
    fn fractions(command: &Command, found: &mut Vec<String>) {
        for argument in command.get_arguments().filter(|argument| argument.get_action().takes_values()) {
            for form in FORMS {
                let is_read = |number| is_read(argument, &form.replace('#', number));
                if is_read("word") || !["0.5", "1.5"].into_iter().any(is_read) {
                    continue;
                }
                let name = format!("{} {argument} {form}", command.get_name());
                for number in ["nan", "-NaN", "inf", "-inf", "infinity", "1e999"] {
                    assert!(!is_read(number), "{name}: {number}");
                }
                found.push(name);
            }
        }
        command.get_subcommands().for_each(|inner| fractions(inner, found));
    }

    #[test]
    fn no_argument_of_any_command_is_nan_or_infinite() {
        let mut found = Vec::new();
        let mut command = LabArguments::command();
        command.build();
        fractions(&command, &mut found);
        assert!(found.len() > 60, "{found:#?}");
    }
}
