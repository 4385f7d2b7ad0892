//! `kiki-lab resume`: continues a run of any kind; its folder tells which command began it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use kiki_run::journal::JournalLayout;
use kiki_train::{selfplay, trainer};

const EXAMPLE: &str = "\
Example:
  kiki-lab resume results/fairy --concurrency 4
  kiki-lab resume results/data/shard-1.games

The run keeps its settings. OPTIONS are options of its command that may change, such as
--concurrency or --games.";

/// Resume an interrupted match, tuning, training or any other run
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct ResumeArgs {
    /// The folder of the run; for self-play its file of games
    run: PathBuf,
    /// Options of the command that began it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<OsString>,
}

impl ResumeArgs {
    /// The command line that continues the run, without the name of the program.
    pub(crate) fn command_line(&self) -> Result<Vec<OsString>> {
        let mut words: Vec<OsString> = command_of(&self.run)?.iter().map(OsString::from).collect();
        words.push("--resume".into());
        words.push(self.run.clone().into());
        words.extend_from_slice(&self.options);
        Ok(words)
    }
}

fn command_of(run: &Path) -> Result<&'static [&'static str]> {
    if let Some(layout) = JournalLayout::of(run) {
        return Ok(layout.command);
    }
    if kiki_learn::is_learning(run) {
        return Ok(&["learn"]);
    }
    if trainer::command::is_training(run) {
        return Ok(&["train"]);
    }
    if selfplay::command::is_self_play(run) {
        return Ok(&["selfplay"]);
    }
    bail!("{} holds no run that can go on", run.display())
}
