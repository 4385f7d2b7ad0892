//! `kiki-lab sigma probcut`: what settings of ProbCut save at a fixed depth, and whether the moves
//! stay as good.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use clap::Args;
use kiki_board::Position;
use kiki_eval::sigma::SigmaModel;
use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_games::positions::SampledPosition;
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::stop_flag;
use kiki_run::output::{ProgressLine, or_dash, percent, print_json, table};
use kiki_run::{parallel, say};
use kiki_search::{Action, Limits, Options, ProbCutClaim, ProbCutMode, ProbCutOptions, RootScore, Searcher};
use kiki_stats::match_error::IntervalMethod;
use kiki_stats::tally::MatchScore;
use parking_lot::Mutex;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use serde::Serialize;
use serde_json::json;

use crate::chance::SignTest;
use crate::cuts::false_cut;
use crate::sample::ModelArgs;

/// Table of Kameko 2013: 1,000 positions, moves of professionals.
const SLIDES: &str = "\
Kameko 2013 (depth unknown): none 574 of 1000 agree, 1427 s, 399M nodes, 279978/s; progress_only 569, 1285 s, 361M, 280957/s;
sigma1 570, 1244 s, 346M, 277973/s; sigma2 574, 1364 s, 385M, 281966/s; sigma3 572, 1411 s, 399M, 282902/s";

/// Compares settings of ProbCut at a fixed depth: agreement with the moves played, time, nodes,
/// wrong cuts
#[derive(Args, Debug)]
pub(crate) struct ProbCutArgs {
    #[command(flatten)]
    sampled: ModelArgs,
    /// Settings to compare with the first of them: `off`, `constant`, or `progress:K`,
    /// `features:K`, `sigma:K` with a multiple K of sigma
    #[arg(long, value_delimiter = ',', value_parser = NamedSetting::parse, default_value = "off,constant,progress:1,features:1,sigma:1,sigma:2,sigma:3")]
    settings: Vec<NamedSetting>,
    /// Number of cuts of each setting to verify by a search to the full depth
    #[arg(long, value_name = "N", default_value_t = 200)]
    verify: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &ProbCutArgs) -> Result<ExitCode> {
    let sampled = &arguments.sampled;
    let threads = sampled.search.threads.count()?;
    let settings = &arguments.settings;
    let model = sampled.model()?;
    let weights = sampled.search.evaluation.note()?.load()?;
    let mut errors = InputErrors::default();
    let mut positions = sampled.draw(None, &mut errors)?;
    positions.retain(|sampled| sampled.played.is_some());
    ensure!(!positions.is_empty(), "no position has the move that was played");
    let experiment = Experiment { positions: &positions, weights: &weights, model, sampled, threads };
    let stop = stop_flag()?;
    let mut line = ProgressLine::new("searches", (settings.len() * positions.len()) as u64, 0);
    let mut rows = Vec::new();
    for setting in settings {
        let before = rows.len() * positions.len();
        let show = |done: usize| line.show((before + done) as u64, || setting.name.clone());
        let Some(outcome) = experiment.run(setting.options, arguments.verify, &stop, show)? else { break };
        let Some(wrong) = experiment.false_cuts(&outcome.observed, &stop)? else { break };
        rows.push((setting, outcome, wrong));
    }
    line.finish();
    let complete = rows.len() == settings.len();
    // All are compared with the first one.
    let compared = rows.iter().map(|row| SettingComparison::new(row, &rows[0].1)).collect::<Result<Vec<_>>>()?;
    if arguments.json {
        print_json(&json!({
            "ending": if complete { "complete" } else { "interrupted" },
            "depth": sampled.depth,
            "rows": compared,
        }))?;
    } else {
        print(&compared);
        if !complete {
            say!("interrupted: incomplete rows are missing");
        }
    }
    Ok(errors.exit_code_of_run(!complete))
}

fn print(rows: &[SettingComparison<'_>]) {
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
    say!("{}", table(&HEADER, rows.iter().map(SettingComparison::cells)));
    let predicted = |k: f64| format!("{} at {k} sigma", percent(false_cut(k)));
    say!("p: two-sided sign test of the moves that agree only with or only without the setting, against the first row");
    say!(
        "wrong: verified cuts that a search to the full depth contradicts; predicted at the margin itself: {}, {}, {}",
        predicted(1.0),
        predicted(2.0),
        predicted(3.0)
    );
    say!("nodes saved: of the sum; by position: of the geometric mean of the ratios");
    say!("{SLIDES}");
}

/// Outcome of a setting compared with the first one; also the form of its JSON.
#[derive(Serialize)]
struct SettingComparison<'a> {
    setting: &'a str,
    agree: u64,
    positions: u64,
    /// Ends of the interval of the share that agrees.
    interval: [f64; 2],
    /// `None` where no move agrees with one setting alone.
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

impl<'a> SettingComparison<'a> {
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
        // A few expensive positions dominate sums; the mean ratio weighs all positions equally.
        let logarithms = pairs().map(|(cost, base)| (cost.nodes as f64 / base.nodes as f64).ln()).sum::<f64>();
        let interval = MatchScore::new(agree as f64, positions)?.interval(IntervalMethod::Wilson, 0.95)?;
        Ok(Self {
            setting: &setting.name,
            agree,
            positions,
            interval: [interval.low, interval.high],
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
            self.setting.to_owned(),
            self.agree.to_string(),
            self.positions.to_string(),
            format!("{:.3} .. {:.3}", self.interval[0], self.interval[1]),
            or_dash(self.p.map(|p| format!("{p:.3}"))),
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
}

/// A setting and its name on the command line.
#[derive(Clone, Debug)]
struct NamedSetting {
    name: String,
    options: ProbCutOptions,
}

impl NamedSetting {
    fn parse(text: &str) -> Result<Self> {
        let (mode, number) = text.split_once(':').map_or((text, None), |(mode, number)| (mode, Some(number)));
        let k = number.and_then(|number| number.parse().ok()).filter(|k: &f64| *k > 0.0 && *k <= 10.0);
        let mode = match (mode, number, k) {
            ("off", None, _) => ProbCutMode::Off,
            ("constant", None, _) => ProbCutMode::Constant,
            ("progress", _, Some(_)) => ProbCutMode::Progress,
            ("features", _, Some(_)) => ProbCutMode::Features,
            ("sigma", _, Some(_)) => ProbCutMode::Sigma,
            _ => bail!("`{text}` is not one of off, constant, progress:K, features:K, sigma:K with K up to 10"),
        };
        let usual = ProbCutOptions { mode, ..ProbCutOptions::default() };
        let options = k.map_or(usual, |k| ProbCutOptions { k: (100.0 * k).round() as i32, ..usual });
        Ok(Self { name: text.to_owned(), options })
    }
}

struct Experiment<'a> {
    positions: &'a [SampledPosition],
    weights: &'a SelectedWeights,
    model: Arc<SigmaModel>,
    sampled: &'a ModelArgs,
    threads: usize,
}

#[derive(Clone, Copy, Debug)]
struct SearchCost {
    /// Whether the search chose the move that was played.
    agrees: bool,
    nodes: u64,
    time: Duration,
}

#[derive(Clone)]
struct ObservedCut {
    position: Position,
    claim: ProbCutClaim,
}

/// Keeps at most `most` cuts, each with the same probability.
struct CutSample {
    most: usize,
    seen: u64,
    random: Pcg64,
    cuts: Vec<ObservedCut>,
}

impl CutSample {
    fn offer(&mut self, position: &Position, claim: &ProbCutClaim) {
        self.seen += 1;
        let place = self.random.random_range(0..self.seen) as usize;
        if self.cuts.len() >= self.most && place >= self.most {
            return;
        }
        let cut = ObservedCut { position: position.clone(), claim: *claim };
        if self.cuts.len() < self.most { self.cuts.push(cut) } else { self.cuts[place] = cut }
    }
}

struct SettingOutcome {
    costs: Vec<SearchCost>,
    cuts: u64,
    observed: Vec<ObservedCut>,
}

impl Experiment<'_> {
    fn options(&self, probcut: ProbCutOptions) -> Options {
        Options { threads: 1, table_mebibytes: self.sampled.search.table, probcut, ..Options::default() }
    }

    /// Searches all positions with a setting; `None` if `stop` was set. Keeps at most `most_cuts`
    /// cuts, and calls `each` with the number of finished positions.
    fn run(
        &self,
        probcut: ProbCutOptions,
        most_cuts: usize,
        stop: &AtomicBool,
        each: impl FnMut(usize),
    ) -> Result<Option<SettingOutcome>> {
        let random = Pcg64::seed_from_u64(1);
        let sample = Arc::new(Mutex::new(CutSample { most: most_cuts, seen: 0, random, cuts: Vec::new() }));
        let limits = Limits { depth: Some(self.sampled.depth), ..Limits::default() };
        let new_searcher = || {
            let mut searcher = Searcher::new(self.weights.clone(), self.options(probcut))?;
            searcher.set_sigma_model(Arc::clone(&self.model));
            let sample = Arc::clone(&sample);
            searcher.set_probcut_observer(Some(Arc::new(move |position, claim| {
                sample.lock().offer(position, claim);
            })));
            Ok(searcher)
        };
        let look = |searcher: &mut Searcher<SelectedEvaluator>, sampled: &SampledPosition| {
            let result = searcher.search_anew(&sampled.position, &limits, stop)?.result;
            let agrees = matches!(result.action, Action::Play(mv) if Some(mv) == sampled.played);
            Some(SearchCost { agrees, nodes: result.nodes, time: result.time })
        };
        let costs = parallel::outcomes(self.positions, self.threads, new_searcher, look, each)?;
        let mut sample = sample.lock();
        let (cuts, observed) = (sample.seen, std::mem::take(&mut sample.cuts));
        let costs: Option<Vec<SearchCost>> = costs.into_iter().collect();
        Ok(costs.map(|costs| SettingOutcome { costs, cuts, observed }))
    }

    /// Number of cuts that a search to the full depth without ProbCut contradicts; `None` if `stop`
    /// was set.
    fn false_cuts(&self, cuts: &[ObservedCut], stop: &AtomicBool) -> Result<Option<usize>> {
        let off = ProbCutOptions { mode: ProbCutMode::Off, ..ProbCutOptions::default() };
        let new_searcher = || Ok(Searcher::new(self.weights.clone(), self.options(off))?);
        let look = |searcher: &mut Searcher<SelectedEvaluator>, cut: &ObservedCut| {
            let limits = Limits { depth: Some(cut.claim.depth as u32), ..Limits::default() };
            let score = searcher.search_anew(&cut.position, &limits, stop)?.result.score;
            Some(is_contradicted(&cut.claim, score))
        };
        let contradicted = parallel::outcomes(cuts, self.threads, new_searcher, look, |_| ())?;
        Ok(contradicted.into_iter().map(|is_false| is_false.map(usize::from)).sum())
    }
}

fn is_contradicted(claim: &ProbCutClaim, score: RootScore) -> bool {
    score.centipawns() < claim.value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_read_from_a_word() {
        let parsed = |text: &str| NamedSetting::parse(text).unwrap().options;
        let usual = ProbCutOptions { mode: ProbCutMode::Constant, ..ProbCutOptions::default() };
        assert_eq!(parsed("constant"), usual);
        assert_eq!(parsed("off").mode, ProbCutMode::Off);
        for (word, mode) in
            [("progress", ProbCutMode::Progress), ("features", ProbCutMode::Features), ("sigma", ProbCutMode::Sigma)]
        {
            assert_eq!(parsed(&format!("{word}:0.5")), ProbCutOptions { mode, k: 50 });
            assert_eq!(parsed(&format!("{word}:10")), ProbCutOptions { mode, k: 1000 });
        }
    }

    #[test]
    fn other_words_are_refused() {
        for text in ["", "sigma", "sigma:0", "sigma:NaN", "sigma:11", "off:1", "constant:100", "sigma:1/4"] {
            let error = NamedSetting::parse(text).expect_err(text).to_string();
            assert!(error.starts_with(&format!("`{text}` is not one of off, constant,")), "{error}");
        }
    }

    #[test]
    fn a_claim_is_contradicted_by_a_lower_value() {
        let contradicted = |score| is_contradicted(&ProbCutClaim { depth: 8, value: 100 }, score);
        assert!(!contradicted(RootScore::Centipawns(100)) && contradicted(RootScore::Centipawns(99)));
        assert!(!contradicted(RootScore::Mate(3)) && contradicted(RootScore::Mate(-3)));
    }

    #[test]
    fn cuts_are_kept_with_equal_probability() {
        let position = Position::startpos();
        let mut counts = [0; 8];
        for seed in 0..2000 {
            let random = Pcg64::seed_from_u64(seed);
            let mut sample = CutSample { most: 2, seen: 0, random, cuts: Vec::new() };
            for depth in 0..8 {
                sample.offer(&position, &ProbCutClaim { depth, value: 0 });
            }
            assert_eq!(sample.seen, 8);
            sample.cuts.iter().for_each(|cut| counts[cut.claim.depth as usize] += 1);
        }
        // 500 each, with a standard deviation of 19.
        assert!(counts.iter().all(|count| (420..=580).contains(count)), "{counts:?}");
    }
}
