//! `kiki-lab ablation`: the command line of an ablation study.

mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use kiki_bench::POSITIONS;
use kiki_platform::{MOST_SETTINGS, read_regular_text};

use crate::ablation::list::{self, Ablation};
use crate::ablation::runner::AblationStudy;
use crate::ablation::settings::AblationSettings;
use crate::engine_words::EngineWords;
use crate::matches::openings_of;
use crate::run_args::{RULE_OPTIONS, RuleArgs, RuleTable, RunArgs, warn_if_crowded};
use crate::tournament_file::OpeningOrder;
use kiki_run::files::read_openings;
use kiki_run::interrupt::exit_code;
use kiki_run::numbers::table;
use kiki_run::say;

const EXAMPLE: &str = "\
Example:
  cargo build --release --features tune
  kiki-lab ablation --engine 'target/release/kiki nodes=20000 option.Threads=1 option.USI_Hash=16' \\
      --openings tests/fixtures/openings.sfen --games 400 --depth 10 --concurrency 2 --output results/ablation

`kiki-lab ablation --list` shows the steps; --only null-move,razoring takes some of them. The folder of each step is that of a match, for
`kiki-lab show`. Ctrl-C stops cleanly (exit status 130); `kiki-lab resume results/ablation` goes on.";

/// What is each step of the search worth? Each is switched off in turn
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct AblationArgs {
    /// The engine, as for `match`, built with `--features tune`
    #[arg(long, value_name = "WORDS", required_unless_present_any = ["resume", "list"])]
    engine: Option<String>,
    /// Print what is switched off and by which options, and play nothing
    #[arg(long, conflicts_with_all = ["engine", "resume", "output"])]
    list: bool,
    /// A list of one's own (TOML), in the form of crates/contest/src/ablation/ablations.toml
    #[arg(long, value_name = "FILE")]
    ablations: Option<PathBuf>,
    /// Only these of the list
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// Games for each step, an even number; 0 for none [default: 400]
    #[arg(long)]
    games: Option<usize>,
    /// Count nodes to this depth in plies; 0 for not at all
    #[arg(long, default_value_t = 10)]
    depth: u32,
    /// Where nodes are counted, one position a line [default: those of `kiki bench`]
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Openings, one a line [default: the start of the game only]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// What the order of the openings follows from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder for the matches and the table; it must hold no study yet
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Go on with the study in this folder; its settings hold, but --games may be greater
    #[arg(long, hide = true, value_name = "FOLDER", conflicts_with_all = ["engine", "ablations", "only", "depth", "positions", "openings", "seed", "output"], conflicts_with_all = RULE_OPTIONS)]
    resume: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    rules: RuleArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs `ablation`.
pub fn run(arguments: &AblationArgs) -> Result<ExitCode> {
    if arguments.list {
        let rows = ablations(arguments)?.into_iter().map(|ablation| {
            let options = ablation.options.iter().map(|(name, value)| format!("{name}={value}"));
            vec![ablation.name, ablation.group, ablation.meaning, options.collect::<Vec<_>>().join(" ")]
        });
        say!("{}", table(&["step", "group", "what it does", "switched off by"], rows));
        return Ok(ExitCode::SUCCESS);
    }
    let rounds = arguments.games.map(rounds).transpose()?;
    let options = arguments.run.options(&arguments.rules)?;
    let mut study = match &arguments.resume {
        Some(folder) => AblationStudy::resume(folder, rounds)?,
        None => begin(arguments, rounds.unwrap_or(200))?,
    };
    warn_if_crowded([&study.settings.engine; 2], options.concurrency);
    study.run(&options)?;
    let rows = study.rows()?;
    report::write(&study, &rows)?;
    report::print(&study, &rows, options.concurrency, arguments.json)?;
    Ok(exit_code(!study.is_complete(&rows)))
}

fn rounds(games: usize) -> Result<usize> {
    ensure!(games.is_multiple_of(2), "--games must be even: each opening is played with both colours");
    Ok(games / 2)
}

fn begin(arguments: &AblationArgs, rounds: usize) -> Result<AblationStudy> {
    let text = arguments.engine.as_deref().unwrap_or_default();
    let words = EngineWords::parse(text).with_context(|| format!("--engine {text}"))?;
    let settings = AblationSettings {
        engine: words.complete(&EngineWords::default())?,
        ablations: ablations(arguments)?,
        rounds,
        depth: arguments.depth,
        positions: positions(arguments.positions.as_deref())?,
        rules: arguments.rules.over(&RuleTable::default())?,
    };
    let openings = openings_of(arguments.openings.as_deref(), OpeningOrder::Random, arguments.seed)?;
    let folder = arguments.output.clone().ok_or_else(|| anyhow!("--output FOLDER says where the records go"))?;
    AblationStudy::begin(&folder, settings, openings)
}

fn positions(file: Option<&Path>) -> Result<Vec<String>> {
    let positions = match file {
        Some(file) => read_openings(file)?,
        None => POSITIONS.lines().map(|sfen| format!("sfen {sfen}")).collect(),
    };
    ensure!(!positions.is_empty(), "there is no position to count nodes at");
    Ok(positions)
}

/// The ablations that are asked for, in the order of the list.
fn ablations(arguments: &AblationArgs) -> Result<Vec<Ablation>> {
    let mut all = match &arguments.ablations {
        Some(file) => {
            let place = || format!("ablations {}", file.display());
            list::parse(&read_regular_text(file, MOST_SETTINGS).with_context(place)?).with_context(place)?
        }
        None => list::parse(list::KIKI)?,
    };
    for name in &arguments.only {
        let known = all.iter().any(|ablation| ablation.name == *name);
        ensure!(known, "--only {name}: no such step; `kiki-lab ablation --list` shows them");
    }
    all.retain(|ablation| arguments.only.is_empty() || arguments.only.contains(&ablation.name));
    Ok(all)
}
