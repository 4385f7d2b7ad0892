//! `kiki-lab resume`: continues a run of any kind. The files of a run tell its kind.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Command, FromArgMatches};
use kiki_run::journal::{ANALYSIS, CALIBRATION, CONTEST, JUDGING, MAKING, PLAYER, SAMPLE, STUDY, TUNING};
use kiki_run::numbers::refuse_non_finite;
use kiki_run::output::print_warning;
use kiki_train::{selfplay, trainer};

const EXAMPLE: &str = "\
Example:
  kiki-lab resume results/fairy --concurrency 4
  kiki-lab resume results/data/shard-1.games

The run keeps its settings. OPTIONS are options of its command that may change, such as
--concurrency or --games: `kiki-lab resume RUN -- --help` lists them.";

/// Resume an interrupted match, tuning, training or any other run
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct ResumeArgs {
    /// The folder of the run; for self-play its file of games
    run: PathBuf,
    /// Options of this kind of run that may change
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

pub(crate) fn run(arguments: &ResumeArgs) -> Result<ExitCode> {
    let run = arguments.run.as_path();
    if CONTEST.is_in(run) {
        kiki_contest::command::resume(run, &arguments.options())
    } else if STUDY.is_in(run) {
        kiki_contest::ablation::resume(run, &arguments.options())
    } else if TUNING.is_in(run) {
        kiki_tuning::command::resume(run, &arguments.options())
    } else if ANALYSIS.is_in(run) {
        kiki_analysis::command::resume(run, &arguments.options())
    } else if PLAYER.is_in(run) {
        kiki_player::command::resume(run, &arguments.options())
    } else if MAKING.is_in(run) {
        kiki_makebook::command::resume(run, &arguments.options())
    } else if JUDGING.is_in(run) {
        kiki_intrinsic::resume(run, &arguments.options())
    } else if SAMPLE.is_in(run) {
        kiki_sigma::resume(run, &arguments.options())
    } else if CALIBRATION.is_in(run) {
        kiki_council::command::resume(run, &arguments.options())
    } else if kiki_learn::is_learning(run) {
        kiki_learn::learn(run, &arguments.options())
    } else if trainer::command::is_training(run) {
        trainer::command::resume(run, &arguments.options())
    } else if selfplay::command::is_self_play(run) {
        selfplay::command::resume(run, &arguments.options())
    } else {
        bail!("{} holds no run that can go on", run.display())
    }
}

impl ResumeArgs {
    /// The options as those of a kind of run; an error ends the process.
    fn options<A: Args>(&self) -> A {
        let command =
            Command::new("kiki-lab resume RUN").no_binary_name(true).override_usage("kiki-lab resume RUN [OPTIONS]");
        parse(
            A::augment_args(command).about("Options that may change when this run goes on").long_about(None),
            &self.options,
        )
    }
}

/// Parses a command line; an error ends the process.
pub(crate) fn parse<A: FromArgMatches>(mut command: Command, words: &[OsString]) -> A {
    let matches = command.try_get_matches_from_mut(words).unwrap_or_else(|error| error.exit());
    if let Err(error) = refuse_non_finite(&command, &matches) {
        print_warning(&error.to_string());
        std::process::exit(2);
    }
    A::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Says how runs are resumed to those who know the flag that other commands had for it.
pub(crate) fn refuse_old_flag(words: &[OsString]) -> Result<()> {
    let is_old = |word: &OsString| word == "--resume" || word.as_encoded_bytes().starts_with(b"--resume=");
    if words.iter().any(is_old) {
        bail!("there is no `--resume` any more: `kiki-lab resume FOLDER` goes on with a run");
    }
    Ok(())
}
