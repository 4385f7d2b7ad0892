//! `kiki-lab match` and `kiki-lab sprt`: the command line of a contest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use kiki_play::openings;

use super::engine_words::EngineWords;
use super::run_args::{RULE_OPTIONS, RuleArgs, RunArgs, warn_if_crowded};
use super::sprt_options::SprtOptions;
use super::tournament_file::{OpeningOrder, TournamentFile};
use super::{match_report, rule_text};
use crate::runner::{Contest, ContestStatus};
use crate::schedule::PairingFormat;
use crate::settings::ContestSettings;
use kiki_run::files::read_openings;
use kiki_run::interrupt::exit_code;

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
    /// Games for each pairing, an even number [default: 100]
    #[arg(long)]
    games: Option<usize>,
    /// Who meets whom
    #[arg(long, value_enum, conflicts_with = "resume")]
    format: Option<PairingFormat>,
    /// Stop by a sequential test: elo0=0 elo1=5 [alpha=0.05 beta=0.05 model=logistic|normalized counts=pentanomial|trinomial]
    #[arg(long, value_name = "WORDS")]
    sprt: Option<String>,
}

/// Test whether the first engine is stronger than the second, until it is decided
#[derive(Args, Debug)]
#[command(after_help = SPRT_EXAMPLE)]
pub struct SprtArgs {
    #[command(flatten)]
    contest: ContestArgs,
    /// The most games, an even number [default: 100000]
    #[arg(long)]
    games: Option<usize>,
    #[command(flatten)]
    sprt: SprtOptions,
}

/// What both commands take.
#[derive(Args, Debug)]
struct ContestArgs {
    /// An engine; give it twice or more
    #[arg(long = "engine", value_name = "WORDS")]
    engines: Vec<String>,
    /// What all engines have in common unless they say otherwise
    #[arg(long, value_name = "WORDS")]
    each: Option<String>,
    /// A file (TOML) with all of this; what is given here as well overrides it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Openings, one a line [default: the start of the game only]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The order of the openings
    #[arg(long, value_enum)]
    order: Option<OpeningOrder>,
    /// What the random order follows from [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// The folder for the records; it must hold no match yet
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Go on with the match in this folder; its settings hold, but --games may be greater
    #[arg(long, hide = true, value_name = "FOLDER", conflicts_with_all = ["engines", "each", "config", "openings", "order", "seed", "output", "event", "replay_faults", "sprt"], conflicts_with_all = RULE_OPTIONS)]
    resume: Option<PathBuf>,
    /// Void games that a crash, a hang or a failed handshake ended, and play each again up to so many times [default: 3]
    #[arg(long, value_name = "TIMES", num_args = 0..=1, default_missing_value = "3")]
    replay_faults: Option<u32>,
    /// The name of the event in records
    #[arg(long)]
    event: Option<String>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    rules: RuleArgs,
    /// No CSA files, only the journal
    #[arg(long)]
    no_csa: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const DEFAULT_GAMES: usize = 100;
const DEFAULT_SPRT_GAMES: usize = 100_000;

/// Runs `match`.
pub fn run_match(arguments: &MatchArgs) -> Result<ExitCode> {
    let sprt = arguments.sprt.as_deref().map(rule_text::sprt).transpose().context("--sprt")?;
    run(&arguments.contest, arguments.games, arguments.format, sprt, |_| Ok(()))
}

/// Runs `sprt`.
pub fn run_sprt(arguments: &SprtArgs) -> Result<ExitCode> {
    let check_resumed = |settings: &ContestSettings| {
        ensure!(settings.sprt.is_some(), "the match has no sequential test: go on with it by `kiki-lab resume`");
        Ok(())
    };
    run(&arguments.contest, arguments.games, None, Some(arguments.sprt), check_resumed)
}

/// `check_resumed` looks at the settings of a match that is gone on with.
fn run(
    arguments: &ContestArgs,
    games: Option<usize>,
    format: Option<PairingFormat>,
    sprt: Option<SprtOptions>,
    check_resumed: impl FnOnce(&ContestSettings) -> Result<()>,
) -> Result<ExitCode> {
    let rounds = games.map(rounds).transpose()?;
    let options = arguments.run.options(&arguments.rules)?;
    let mut contest = match &arguments.resume {
        Some(folder) => Contest::resume(folder, rounds, check_resumed)?,
        None => begin(arguments, rounds, format, sprt)?,
    };
    warn_if_crowded(&contest.settings.engines, options.concurrency);
    let end = contest.run(&options, !arguments.no_csa)?;
    match_report::print(&contest, &end, arguments.json)?;
    Ok(exit_code(end.status == ContestStatus::Interrupted))
}

fn rounds(games: usize) -> Result<usize> {
    ensure!(
        games > 0 && games.is_multiple_of(2),
        "--games must be even and not 0: each opening is played with both colours"
    );
    Ok(games / 2)
}

fn begin(
    arguments: &ContestArgs,
    rounds_asked: Option<usize>,
    format: Option<PairingFormat>,
    sprt: Option<SprtOptions>,
) -> Result<Contest> {
    let file = arguments.config.as_deref().map(TournamentFile::read).transpose()?.unwrap_or_default();
    let each = arguments.each.as_deref().map(EngineWords::parse).transpose().context("--each")?.unwrap_or(file.each);
    let mut engines = file.engine;
    if !arguments.engines.is_empty() {
        let parse = |text: &String| EngineWords::parse(text).with_context(|| format!("--engine {text}"));
        engines = arguments.engines.iter().map(parse).collect::<Result<_>>()?;
    }
    let engines = engines.into_iter().map(|engine| engine.complete(&each)).collect::<Result<Vec<_>>>()?;
    let sprt = match (sprt, file.sprt) {
        (None, None) => None,
        (given, file) => Some(given.unwrap_or_default().over(file.unwrap_or_default()).settings()),
    };
    let games = if sprt.is_some() { DEFAULT_SPRT_GAMES } else { DEFAULT_GAMES };
    let from_file = file.games.map(rounds).transpose()?;
    let output = arguments.output.clone().or(file.output);
    let settings = ContestSettings {
        event: arguments.event.clone().or(file.event).unwrap_or_else(|| "kiki-lab".to_owned()),
        format: format.or(file.format).unwrap_or_default(),
        engines,
        rounds: rounds_asked.or(from_file).unwrap_or(games / 2),
        rules: arguments.rules.over(&file.rules)?,
        replay_faults: arguments.replay_faults.or(file.replay_faults).unwrap_or(0),
        sprt,
        handshake: BTreeMap::new(),
    };
    settings.check()?;
    let path = arguments.openings.clone().or(file.openings);
    let order = arguments.order.or(file.order).unwrap_or(OpeningOrder::Random);
    let openings = openings_of(path.as_deref(), order, arguments.seed.or(file.seed).unwrap_or(1))?;
    let folder = output.ok_or_else(|| anyhow!("--output FOLDER says where the records go"))?;
    Contest::begin(&folder, settings, openings)
}

/// The openings of a file, or the usual ones, in the order in which they are played.
///
/// # Errors
/// If the file is not readable or has no opening.
pub fn openings_of(path: Option<&Path>, order: OpeningOrder, seed: u64) -> Result<Vec<String>> {
    let Some(path) = path else { return Ok(vec!["startpos".to_owned()]) };
    let mut list = read_openings(path)?;
    if order == OpeningOrder::Random {
        openings::shuffle(&mut list, seed);
    }
    Ok(list)
}
