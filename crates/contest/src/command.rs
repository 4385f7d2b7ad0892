//! `kiki-lab match` and `kiki-lab sprt`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Args;
use kiki_run::interrupt::exit_code;

use crate::report;
use crate::run_args::{RULE_OPTIONS, RunArgs, from_words, warn_if_crowded};
use crate::runner::{Contest, ContestStatus};
use crate::settings::{ContestOptions, ContestSettings, NewContest, rounds};
use crate::sprt::SprtOptions;
use crate::standings::PairingFormat;

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
    #[arg(long, value_enum, conflicts_with = "resume")]
    format: Option<PairingFormat>,
    /// Stop by a sequential test: elo0=0 elo1=5 [alpha=0.05 beta=0.05 model=logistic|normalized counts=pentanomial|trinomial]
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

/// Arguments of both commands.
#[derive(Args, Debug)]
struct ContestArgs {
    #[command(flatten)]
    options: ContestOptions,
    /// TOML file with all these settings; options on the command line override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    // The id `sprt` names an option of `match`, and in `sprt` the group of the test's options.
    /// Resume the match in this folder with its settings; only --games may be greater
    #[arg(long, hide = true, value_name = "FOLDER", conflicts_with_all = ["engines", "each", "config", "openings", "order", "seed", "output", "event", "replay_faults", "sprt"], conflicts_with_all = RULE_OPTIONS)]
    resume: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    /// Write no CSA files, only the journal
    #[arg(long)]
    no_csa: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run_match(arguments: &MatchArgs) -> Result<ExitCode> {
    let MatchArgs { contest, format, sprt } = arguments;
    let options = ContestOptions { format: *format, sprt: *sprt, ..contest.options.clone() };
    run(contest, options, |_| Ok(()))
}

pub fn run_sprt(arguments: &SprtArgs) -> Result<ExitCode> {
    let SprtArgs { contest, sprt } = arguments;
    let options = ContestOptions { sprt: Some(*sprt), ..contest.options.clone() };
    run(contest, options, |settings| {
        ensure!(settings.sprt.is_some(), "the match has no sequential test: continue it by `kiki-lab resume`");
        Ok(())
    })
}

/// Begins or resumes a contest and plays it. `check_resumed` checks the settings of a resumed one.
fn run(
    arguments: &ContestArgs,
    given: ContestOptions,
    check_resumed: impl FnOnce(&ContestSettings) -> Result<()>,
) -> Result<ExitCode> {
    let rounds = given.games.map(rounds).transpose()?;
    let options = arguments.run.options(&given.rules)?;
    let mut contest = if let Some(folder) = &arguments.resume {
        Contest::resume(folder, rounds, check_resumed)?
    } else {
        let file = arguments.config.as_deref().map(ContestOptions::read).transpose()?.unwrap_or_default();
        let NewContest { folder, settings, openings } = given.over(file)?;
        Contest::begin(&folder, settings, openings)?
    };
    warn_if_crowded(&contest.settings.engines, options.concurrency);
    let end = contest.run(&options, !arguments.no_csa)?;
    report::print(&contest, &end, arguments.json)?;
    Ok(exit_code(end.status == ContestStatus::Interrupted))
}
