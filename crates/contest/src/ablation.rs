//! `kiki-lab ablation`: what is each step of the search worth? Each is switched off in turn, and
//! the whole engine plays against the one without it. `study` counts nodes and plays; this file has
//! the command, its table and its pictures.

mod study;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use kiki_bench::POSITIONS;
use kiki_machines::workforce::resume_options;
use kiki_play::pool::RunOptions;
use kiki_plot::{ErrorBar, error_bars};
use kiki_run::ensure_usage;
use kiki_run::files::{read_openings, read_text, write_atomically, write_json};
use kiki_run::interrupt::{exit_code, how_to_resume};
use kiki_run::output::{interval, json_interval, json_or_reason, or_dash, print_json, signed, table};
use kiki_run::say;
use serde_json::{Value, json};

use crate::engine_words::EngineWords;
use crate::run_args::{ReportedRunArgs, warn_if_crowded};
use crate::settings::{FolderArgs, rounds};
use crate::sprt::estimates_value;
use study::{Ablation, AblationRow, AblationSettings, AblationStudy, KIKI, MatchResult, NodeRatio, parse};

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
    #[arg(long, value_name = "WORDS", required_unless_present = "list", value_parser = EngineWords::parse)]
    engine: Option<EngineWords>,
    /// Print the steps and the options that switch them off, and play nothing
    #[arg(long, conflicts_with_all = ["engine", "output"])]
    list: bool,
    /// TOML file with another list, in the form of crates/contest/src/ablation/ablations.toml
    #[arg(long, value_name = "FILE")]
    ablations: Option<PathBuf>,
    /// Try only these steps, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// Games for each step, an even number; 0 for none [default: 400]
    #[arg(long)]
    games: Option<usize>,
    /// Depth in plies to count nodes to; 0 for no count
    #[arg(long, default_value_t = 10)]
    depth: u32,
    /// File of positions to count nodes at, one a line [default: those of `kiki bench`]
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    #[command(flatten)]
    folder: FolderArgs,
}

#[derive(Args, Debug)]
pub struct AblationResumeArgs {
    /// Games for each step, an even number and not less than before
    #[arg(long)]
    games: Option<usize>,
    #[command(flatten)]
    reported: ReportedRunArgs,
}

pub fn run(arguments: &AblationArgs) -> Result<ExitCode> {
    if arguments.list {
        let rows = ablations(arguments)?.into_iter().map(|ablation| {
            let options = ablation.options.iter().map(|(name, value)| format!("{name}={value}"));
            vec![ablation.name, ablation.group, ablation.meaning, options.collect::<Vec<_>>().join(" ")]
        });
        say!("{}", table(&["step", "group", "what it does", "switched off by"], rows));
        return Ok(ExitCode::SUCCESS);
    }
    let rounds = arguments.games.map_or(Ok(200), rounds)?;
    let options = arguments.folder.reported.run.options()?;
    play(begin(arguments, rounds)?, &options, &arguments.folder.reported)
}

pub fn resume(folder: &Path, arguments: &AblationResumeArgs) -> Result<ExitCode> {
    let rounds = arguments.games.map(rounds).transpose()?;
    let options = arguments.reported.run.options()?;
    play(AblationStudy::resume(folder, rounds)?, &options, &arguments.reported)
}

fn play(mut study: AblationStudy, options: &RunOptions, reported: &ReportedRunArgs) -> Result<ExitCode> {
    warn_if_crowded([&study.journal.settings.engine; 2], options.concurrency);
    study.run(options)?;
    let rows = study.rows()?;
    write(&study, &rows)?;
    print(&study, &rows, options.concurrency, reported.json)?;
    Ok(exit_code(!study.is_complete(&rows)))
}

fn begin(arguments: &AblationArgs, rounds: usize) -> Result<AblationStudy> {
    let of_bench = || POSITIONS.lines().map(|sfen| format!("sfen {sfen}")).collect();
    let settings = AblationSettings {
        engine: arguments.engine.clone().unwrap_or_default().complete(&EngineWords::default())?,
        ablations: ablations(arguments)?,
        rounds,
        depth: arguments.depth,
        positions: arguments.positions.as_deref().map_or_else(|| Ok(of_bench()), read_openings)?,
        rules: arguments.folder.rules()?,
    };
    AblationStudy::begin(arguments.folder.folder()?, settings, arguments.folder.openings()?)
}

fn ablations(arguments: &AblationArgs) -> Result<Vec<Ablation>> {
    let mut all = match &arguments.ablations {
        Some(file) => {
            let parsed = read_text(file).and_then(|text| parse(&text).with_context(|| file.display().to_string()));
            parsed.context("ablations")?
        }
        None => parse(KIKI)?,
    };
    for name in &arguments.only {
        let known = all.iter().any(|ablation| ablation.name == *name);
        ensure_usage!(known, "--only {name}: no such step; `kiki-lab ablation --list` shows them");
    }
    all.retain(|ablation| arguments.only.is_empty() || arguments.only.contains(&ablation.name));
    Ok(all)
}

const HEADER: [&str; 8] =
    ["step", "group", "games", "+ = -", "Elo it brings", "95 % interval", "nodes without", "95 %"];

/// Writes `table.md`, `table.json` and the pictures into the folder.
fn write(study: &AblationStudy, rows: &[AblationRow<'_>]) -> Result<()> {
    write_atomically(&study.journal.folder().join("table.md"), markdown(rows).as_bytes())?;
    write_json(&study.journal.folder().join("table.json"), &value(study, rows))?;
    draw(study, rows)
}

fn print(study: &AblationStudy, rows: &[AblationRow<'_>], concurrency: usize, as_json: bool) -> Result<()> {
    if as_json {
        return print_json(&value(study, rows));
    }
    say!("{}", table(&HEADER, rows.iter().map(|row| cells(row).to_vec())));
    say!("Elo: of the whole engine against the one without the step; {}.", study.journal.settings.engine.limits);
    if let Some(nodes) = study.whole_nodes() {
        let (depth, positions) = (study.journal.settings.depth, study.journal.settings.positions.len());
        say!("Nodes: to depth {depth} at {positions} positions, as a multiple of the whole engine's {nodes}.");
    }
    say!("{}/table.md, table.json, elo.svg, nodes.svg", study.journal.folder().display());
    if !study.is_complete(rows) {
        say!("{}", how_to_resume(study.journal.folder(), &resume_options(None, concurrency)));
    }
    Ok(())
}

/// Cells of a row, in the order of [`HEADER`].
fn cells(row: &AblationRow<'_>) -> [String; 8] {
    let tally = row.games.as_ref().map(|result| result.tally);
    let elo = row.elo();
    [
        row.ablation.name.clone(),
        row.ablation.group.clone(),
        or_dash(tally.map(|tally| tally.games())),
        or_dash(tally.map(|tally| format!("{} {} {}", tally.wins, tally.draws, tally.losses))),
        or_dash(elo.map(|(elo, _)| signed(elo))),
        or_dash(elo.map(|(_, ends)| interval(ends))),
        or_dash(row.nodes.map(|nodes| format!("x {:.2}", nodes.ratio))),
        or_dash(row.nodes.map(|nodes| format!("[{:.2}, {:.2}]", nodes.interval.low, nodes.interval.high))),
    ]
}

/// The table as Markdown, with the meaning of each step.
fn markdown(rows: &[AblationRow<'_>]) -> String {
    let mut text = String::from("| step | what it does | games | Elo it brings | 95 % | nodes without it | 95 % |\n");
    text += "|---|---|--:|--:|---|--:|---|\n";
    for row in rows {
        let [name, _, games, _, elo, elo_ends, ratio, ratio_ends] = cells(row);
        let meaning = &row.ablation.meaning;
        text += &format!("| {name} | {meaning} | {games} | {elo} | {elo_ends} | {ratio} | {ratio_ends} |\n");
    }
    text
}

fn value(study: &AblationStudy, rows: &[AblationRow<'_>]) -> Value {
    let row = |row: &AblationRow<'_>| {
        let games = row.games.as_ref().map(|MatchResult { tally, estimates }| {
            json!({
                "wins": tally.wins,
                "draws": tally.draws,
                "losses": tally.losses,
                "estimates": json_or_reason(estimates, estimates_value),
            })
        });
        let nodes = row.nodes.map(|nodes| {
            json!({ "nodes": nodes.nodes, "ratio": nodes.ratio, "ratio_interval": json_interval(nodes.interval) })
        });
        let ablation = row.ablation;
        json!({
            "name": ablation.name,
            "group": ablation.group,
            "meaning": ablation.meaning,
            "options": ablation.options,
            "games": games,
            "nodes_to_depth": nodes,
        })
    };
    json!({
        "ending": if study.is_complete(rows) { "complete" } else { "interrupted" },
        "folder": study.journal.folder().display().to_string(),
        "depth": study.journal.settings.depth,
        "positions": study.journal.settings.positions.len(),
        "whole_nodes": study.whole_nodes(),
        "ablations": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

const ELO_LIMIT: f64 = 800.0;
const RATIO_LIMIT: f64 = 20.0;

/// Writes `elo.svg` and `nodes.svg`, each if there is something to show.
fn draw(study: &AblationStudy, rows: &[AblationRow<'_>]) -> Result<()> {
    let folder = study.journal.folder();
    let elo = |row: &AblationRow<'_>| {
        let (elo, ends) = row.elo()?;
        Some([elo, ends.low, ends.high].map(|elo| elo.clamp(-ELO_LIMIT, ELO_LIMIT)))
    };
    let ratio = |row: &AblationRow<'_>| {
        let NodeRatio { ratio, interval, .. } = row.nodes?;
        Some([ratio, interval.low, interval.high].map(|ratio| ratio.min(RATIO_LIMIT)))
    };
    let draw = |file: &str, title: &str, label: &str, numbers: &dyn Fn(&AblationRow<'_>) -> Option<[f64; 3]>| {
        let bar = |row: &AblationRow<'_>| {
            let [value, low, high] = numbers(row)?;
            Some(ErrorBar { name: row.ablation.name.clone(), value, low, high })
        };
        let bars: Vec<ErrorBar> = rows.iter().filter_map(bar).collect();
        if bars.is_empty() { Ok(()) } else { error_bars(&folder.join(file), title, label, &bars) }
    };
    let label = "Elo that the engine loses without it, with 95 % interval";
    draw("elo.svg", "What each step is worth", label, &elo)?;
    let label = "nodes to the same depth without it, as a multiple, with 95 % interval";
    draw("nodes.svg", "What each step saves", label, &ratio)
}
