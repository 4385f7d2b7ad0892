//! `kiki-lab resume`: continues a run of any kind. The files of a run tell its kind.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Command, FromArgMatches};
use kiki_run::journal::{ANALYSIS, CALIBRATION, CONTEST, JUDGING, MAKING, PLAYER, SAMPLE, STUDY, TUNING};
use kiki_run::numbers::{allow_negative_numbers, refuse_non_finite};
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
    let kind = KINDS.iter().find(|(is_in, _)| is_in(run));
    let (_, resume) = kind.with_context(|| format!("{} holds no run that can go on", run.display()))?;
    resume(run, arguments)
}

/// How to recognise a kind of run, and how to go on with it.
type Kind = (fn(&Path) -> bool, fn(&Path, &ResumeArgs) -> Result<ExitCode>);

const KINDS: [Kind; 12] = [
    (|run| CONTEST.is_in(run), |run, given| kiki_contest::command::resume(run, &given.options())),
    (|run| STUDY.is_in(run), |run, given| kiki_contest::ablation::resume(run, &given.options())),
    (|run| TUNING.is_in(run), |run, given| kiki_tuning::command::resume(run, &given.options())),
    (|run| ANALYSIS.is_in(run), |run, given| kiki_analysis::command::resume(run, &given.options())),
    (|run| PLAYER.is_in(run), |run, given| kiki_player::command::resume(run, &given.options())),
    (|run| MAKING.is_in(run), |run, given| kiki_makebook::command::resume(run, &given.options())),
    (|run| JUDGING.is_in(run), |run, given| kiki_intrinsic::resume(run, &given.options())),
    (|run| SAMPLE.is_in(run), |run, given| kiki_sigma::resume(run, &given.options())),
    (|run| CALIBRATION.is_in(run), |run, given| kiki_council::command::resume(run, &given.options())),
    (kiki_learn::is_learning, |run, given| kiki_learn::learn(run, &given.options())),
    (trainer::command::is_training, |run, given| trainer::command::resume(run, &given.options())),
    (selfplay::command::is_self_play, |run, given| selfplay::command::resume(run, &given.options())),
];

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

pub(crate) fn parse<A: FromArgMatches>(command: Command, words: &[OsString]) -> A {
    let mut command = allow_negative_numbers(command);
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
