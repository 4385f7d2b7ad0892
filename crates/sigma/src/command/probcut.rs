//! `kiki-lab sigma probcut`: what ProbCut saves, and whether the moves stay as good.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use crate::gamble::chance::SignTest;
use crate::probcut::false_cut;
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_eval::sigma::SigmaModel;
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use kiki_stats::Interval;
use kiki_stats::match_error::{IntervalMethod, MatchEstimate};
use serde_json::{Value, json};

use super::probcut_setting::NamedSetting;
use crate::experiment::{Experiment, SettingOutcome};
use kiki_games::positions::sampled_from;
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::stop_flag;
use kiki_run::numbers::{json_interval, percent, print_json, table};
use kiki_run::progress_line::ProgressLine;
use kiki_run::say;
use kiki_run::search_args::{EvaluationArgs, ThreadArgs};

/// The slides' table (Kameko 2013): 1,000 positions, moves of professionals.
const SLIDES: &str = "\
the slides (Kameko 2013, depth not said): none 574 of 1000 agree, 1427 s, 399M nodes, 279978/s; progress_only 569, 1285 s, 361M, 280957/s;
sigma1 570, 1244 s, 346M, 277973/s; sigma2 574, 1364 s, 385M, 281966/s; sigma3 572, 1411 s, 399M, 282902/s";

/// Compares settings of ProbCut at a fixed depth: agreement with the moves played, time, nodes, and how many cuts are wrong
#[derive(Args, Debug)]
pub(super) struct ProbCutArgs {
    /// Where positions with the moves played come from: a folder of a match, training data (.psv), game records or a folder of them
    #[arg(long, value_name = "PATH", required = true)]
    positions: Vec<PathBuf>,
    /// Draw so many positions at random
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: usize,
    /// What the draw follows from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Plies to search
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// The model of sigma, as `kiki-lab sigma fit` writes it
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// What is compared with the first one: `off`, or `constant:MARGIN` in centipawns, or `progress:K`, `features:K`, `sigma:K` with a multiple K of
    /// sigma; each may go on with what check searches do: `/6-20`, the depths that have them, `/4`, how many plies less deep they are, `/6+4`, the same
    /// for two, `/nested`, one in another, `/high`, cuts above beta alone; without depths only captures are tried
    #[arg(long, value_delimiter = ',', default_value = "off,constant,progress:1,features:1,sigma:1,sigma:2,sigma:3")]
    settings: Vec<String>,
    /// Verify so many of the cuts of each by a search to the full depth
    #[arg(long, value_name = "N", default_value_t = 200)]
    verify: usize,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    table: usize,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &ProbCutArgs) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    ensure!(arguments.count > 0, "--count 0: there is nothing to search");
    let settings: Vec<NamedSetting> =
        arguments.settings.iter().map(|text| NamedSetting::parse(text)).collect::<Result<_>>()?;
    let place = || arguments.model.display().to_string();
    let text = read_regular_text(&arguments.model, MOST_SETTINGS).with_context(place)?;
    let model = Arc::new(SigmaModel::from_text(&text).with_context(place)?);
    let weights = arguments.evaluation.note()?.load()?;
    let mut errors = InputErrors::default();
    let mut positions = sampled_from(&arguments.positions, arguments.count, arguments.seed, None, &mut errors)?;
    positions.retain(|sampled| sampled.played.is_some());
    ensure!(!positions.is_empty(), "no position says which move was played");
    let experiment = Experiment {
        positions: &positions,
        weights: &weights,
        model,
        depth: arguments.depth,
        table_mebibytes: arguments.table,
        threads,
    };
    let stop = stop_flag()?;
    let mut line = ProgressLine::new("searches", (settings.len() * positions.len()) as u64, 0);
    let mut rows = Vec::new();
    for setting in &settings {
        let before = rows.len() * positions.len();
        let show = |done: usize| line.show((before + done) as u64, || setting.name.clone());
        let Some(outcome) = experiment.run(setting.options, arguments.verify, &stop, show)? else { break };
        let Some(wrong) = experiment.false_cuts(&outcome.observed, &stop)? else { break };
        rows.push((setting, outcome, wrong));
    }
    line.finish();
    let complete = rows.len() == settings.len();
    let compared = compared(&rows)?;
    if arguments.json {
        print_json(&json!({
            "ending": if complete { "complete" } else { "interrupted" },
            "depth": arguments.depth,
            "rows": compared.iter().map(Comparison::value).collect::<Vec<_>>(),
        }))?;
        return Ok(errors.exit_code_of_run(!complete));
    }
    print(&compared);
    if !complete {
        say!("interrupted: the rows that were not complete are missing");
    }
    Ok(errors.exit_code_of_run(!complete))
}

fn print(rows: &[Comparison<'_>]) {
    const HEADER: [&str; 13] = [
        "ProbCut",
        "agree",
        "of",
        "95 %",
        "p",
        "time (s)",
        "nodes",
        "nodes/s",
        "time saved",
        "nodes saved",
        "by position",
        "cuts",
        "wrong",
    ];
    if rows.is_empty() {
        return;
    }
    say!("{}", table(&HEADER, rows.iter().map(Comparison::cells)));
    let predicted = |k: f64| format!("{} at {k} sigma", percent(false_cut(k)));
    say!(
        "p: two-sided, of as unequal a number of moves that agree only with or only without the setting (sign test, against the first row)"
    );
    say!(
        "wrong: cuts that a search to the full depth contradicts, of those verified; at the very margin foretold: {}, {}, {}",
        predicted(1.0),
        predicted(2.0),
        predicted(3.0)
    );
    say!("nodes saved: of the sum; by position: of the geometric mean of the ratios");
    say!("{SLIDES}");
}

/// What a setting did, beside the first one.
struct Comparison<'a> {
    name: &'a str,
    agree: u64,
    positions: u64,
    interval: Interval,
    /// None where no move agrees with one setting alone.
    p: Option<f64>,
    seconds: f64,
    nodes: u64,
    time_saved: f64,
    nodes_saved: f64,
    nodes_saved_by_position: f64,
    cuts: u64,
    wrong: usize,
    verified: usize,
}

impl<'a> Comparison<'a> {
    fn new(
        (setting, outcome, wrong): &'a (&NamedSetting, SettingOutcome, usize),
        base: &SettingOutcome,
    ) -> Result<Self> {
        let nodes = |outcome: &SettingOutcome| outcome.costs.iter().map(|cost| cost.nodes).sum::<u64>();
        let seconds = |outcome: &SettingOutcome| outcome.costs.iter().map(|cost| cost.time.as_secs_f64()).sum::<f64>();
        let agree = outcome.costs.iter().filter(|cost| cost.agrees).count() as u64;
        let positions = outcome.costs.len() as u64;
        let pairs = || outcome.costs.iter().zip(&base.costs);
        let gains = pairs().filter(|(cost, base)| cost.agrees && !base.agrees).count() as u64;
        let losses = pairs().filter(|(cost, base)| !cost.agrees && base.agrees).count() as u64;
        // Sums are those of the few positions that take most; the mean ratio counts all alike.
        let logarithms = pairs().map(|(cost, base)| (cost.nodes as f64 / base.nodes as f64).ln()).sum::<f64>();
        Ok(Self {
            name: &setting.name,
            agree,
            positions,
            interval: MatchEstimate::of(agree as f64, positions)?.interval(IntervalMethod::Wilson, 0.95)?,
            p: SignTest::new(gains, losses).ok().map(|test| test.two_sided),
            seconds: seconds(outcome),
            nodes: nodes(outcome),
            time_saved: 1.0 - seconds(outcome) / seconds(base),
            nodes_saved: 1.0 - nodes(outcome) as f64 / nodes(base) as f64,
            nodes_saved_by_position: 1.0 - (logarithms / positions as f64).exp(),
            cuts: outcome.cuts,
            wrong: *wrong,
            verified: outcome.observed.len(),
        })
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.name.to_owned(),
            self.agree.to_string(),
            self.positions.to_string(),
            format!("{:.3} .. {:.3}", self.interval.low, self.interval.high),
            self.p.map_or_else(|| "-".to_owned(), |p| format!("{p:.3}")),
            format!("{:.1}", self.seconds),
            format!("{:.1}M", self.nodes as f64 / 1e6),
            format!("{:.0}", self.nodes as f64 / self.seconds),
            percent(self.time_saved),
            percent(self.nodes_saved),
            percent(self.nodes_saved_by_position),
            self.cuts.to_string(),
            format!("{} of {}", self.wrong, self.verified),
        ]
    }

    fn value(&self) -> Value {
        json!({
            "setting": self.name,
            "agree": self.agree,
            "positions": self.positions,
            "interval": json_interval(self.interval),
            "p": self.p,
            "seconds": self.seconds,
            "nodes": self.nodes,
            "time_saved": self.time_saved,
            "nodes_saved": self.nodes_saved,
            "nodes_saved_by_position": self.nodes_saved_by_position,
            "cuts": self.cuts,
            "wrong": self.wrong,
            "verified": self.verified,
        })
    }
}

/// The settings beside the first one.
fn compared<'a>(rows: &'a [(&NamedSetting, SettingOutcome, usize)]) -> Result<Vec<Comparison<'a>>> {
    let Some((_, base, _)) = rows.first() else { return Ok(Vec::new()) };
    rows.iter().map(|row| Comparison::new(row, base)).collect()
}
