//! `kiki-lab match` and `kiki-lab sprt`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use kiki_machines::coordinator::Coordinator;
use kiki_machines::workforce::MachinesArgs;
use kiki_play::pool::RunOptions;
use kiki_run::interrupt::{Interrupt, exit_code};

use crate::report;
use crate::run_args::{ReportedRunArgs, from_words, warn_if_crowded};
use crate::runner::{Contest, ContestStatus};
use crate::settings::{ContestOptions, NewContest, rounds};
use crate::sprt::SprtOptions;
use crate::standings::PairingFormat;

pub use crate::runner::MatchJob;

const EXAMPLE: &str = "\
Example:
  kiki-lab match --engine 'name=new target/release/kiki' --engine 'name=fairy cmd=fairy-stockfish option.UCI_Variant=shogi' \\
      --each 'byoyomi=200 option.Threads=1 option.USI_Hash=64' --openings tests/fixtures/openings.sfen \\
      --games 100 --concurrency 2 --output results/fairy

An engine is a line of words: a command, name=.., cmd=.., dir=.., restart=true, ponder=true, option.NAME=VALUE, and its limit: time=,
increment=, byoyomi=, movetime= (milliseconds), nodes=, depth=. Ctrl-C stops cleanly (exit status 130);
`kiki-lab resume results/fairy` goes on.";

const SPRT_EXAMPLE: &str = "\
Example:
  kiki-lab sprt --engine 'name=new target/release/kiki' --engine 'name=base old/kiki' --each 'nodes=10000 option.Threads=1' \\
      --openings tests/fixtures/openings.sfen --elo0 0 --elo1 5 --concurrency 2 --output results/idea

The first engine is the one under test. The match ends when the bounds decide, at the latest after --games games.";

/// Play a match of two or more engines
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct MatchArgs {
    #[command(flatten)]
    contest: ContestArgs,
    /// Which engines play each other
    #[arg(long, value_enum)]
    format: Option<PairingFormat>,
    /// Stop by a sequential test: elo0=0 elo1=5 [alpha=0.05 beta=0.05 model=logistic|normalized
    /// counts=pentanomial|trinomial]
    #[arg(long, value_name = "WORDS", value_parser = from_words::<SprtOptions>)]
    sprt: Option<SprtOptions>,
}

/// Play until a sequential test decides whether the first engine is stronger than the second
#[derive(Args, Debug)]
#[command(after_help = SPRT_EXAMPLE)]
pub struct SprtArgs {
    #[command(flatten)]
    contest: ContestArgs,
    #[command(flatten)]
    sprt: SprtOptions,
}

#[derive(Args, Debug)]
struct ContestArgs {
    #[command(flatten)]
    options: ContestOptions,
    /// TOML file with all these settings; options on the command line override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    play: PlayArgs,
}

#[derive(Args, Debug)]
struct PlayArgs {
    #[command(flatten)]
    reported: ReportedRunArgs,
    #[command(flatten)]
    machines: MachinesArgs,
    /// Write no CSA files, only the journal
    #[arg(long)]
    no_csa: bool,
}

#[derive(Args, Debug)]
pub struct ContestResumeArgs {
    /// Games for each pairing, an even number and not less than before
    #[arg(long)]
    games: Option<usize>,
    #[command(flatten)]
    play: PlayArgs,
}

pub fn run_match(arguments: &MatchArgs) -> Result<ExitCode> {
    let MatchArgs { contest, format, sprt } = arguments;
    begin(contest, ContestOptions { format: *format, sprt: *sprt, ..contest.options.clone() })
}

pub fn run_sprt(arguments: &SprtArgs) -> Result<ExitCode> {
    let SprtArgs { contest, sprt } = arguments;
    begin(contest, ContestOptions { sprt: Some(*sprt), ..contest.options.clone() })
}

fn begin(arguments: &ContestArgs, given: ContestOptions) -> Result<ExitCode> {
    let how = arguments.play.how()?;
    let NewContest { folder, settings, openings } = given.over(arguments.config.as_deref())?;
    play(Contest::begin(&folder, settings, openings)?, &how, &arguments.play)
}

pub fn resume(folder: &Path, arguments: &ContestResumeArgs) -> Result<ExitCode> {
    let rounds = arguments.games.map(rounds).transpose()?;
    let how = arguments.play.how()?;
    play(Contest::resume(folder, rounds)?, &how, &arguments.play)
}

impl PlayArgs {
    /// How and where games run.
    fn how(&self) -> Result<(RunOptions, Option<Coordinator>)> {
        let options = self.reported.run.options()?;
        self.machines.check(&options)?;
        let coordinator = self.machines.coordinator()?;
        Ok((options, coordinator))
    }
}

fn play(
    mut contest: Contest,
    (options, coordinator): &(RunOptions, Option<Coordinator>),
    arguments: &PlayArgs,
) -> Result<ExitCode> {
    if coordinator.is_none() {
        warn_if_crowded(&contest.journal.settings.engines, options.concurrency);
    }
    let end = contest.run(options, coordinator.as_ref(), !arguments.no_csa, &Interrupt::listen()?)?;
    report::print(&contest, &end, arguments.reported.json)?;
    Ok(exit_code(end.status == ContestStatus::Interrupted))
}
