//! The rules of games and the run options on the command line, for all commands that play games.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use kiki_driver::Timeouts;
use kiki_play::affinity;
use kiki_play::player::{LogFolder, PlayerSpec};
use kiki_play::pool::RunOptions;
use kiki_play::rules::{DrawRule, EnteringKingRule, MatchRules, ResignRule};
use kiki_run::play_errors::print_warning;
use serde::Deserialize;

use super::rule_text;

/// The longest wait in seconds: about thirty years, which every clock can add to the time of day.
const MAX_WAIT: u64 = 1_000_000_000;

/// Seconds that engines are waited for which no clock bounds.
pub const DEFAULT_PATIENCE: u64 = 120;

/// Which declarations of an entered king win.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeclarationArg {
    /// None.
    None,
    /// 31 points win, 24 to 30 draw.
    Csa24,
    /// Black wins with 28 points, White with 27.
    Csa27,
    /// Reaching the home of the other king wins.
    Try,
}

impl From<DeclarationArg> for EnteringKingRule {
    fn from(rule: DeclarationArg) -> Self {
        match rule {
            DeclarationArg::None => Self::None,
            DeclarationArg::Csa24 => Self::Csa24,
            DeclarationArg::Csa27 => Self::Csa27,
            DeclarationArg::Try => Self::Try,
        }
    }
}

/// The table `[rules]` of a tournament file; times as on the command line.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RuleTable {
    /// Plies after which a game is a draw.
    pub max_plies: Option<usize>,
    /// The rule of declaration wins.
    pub declaration: Option<DeclarationArg>,
    /// Milliseconds beyond the clock that are forgiven.
    pub tolerance: Option<u64>,
    /// Milliseconds that an engine may take to stop.
    pub patience: Option<u64>,
    /// When a game is adjudged lost.
    pub resign: Option<ResignRule>,
    /// When a game is adjudged drawn.
    pub draw: Option<DrawRule>,
}

/// How long engines are waited for.
#[derive(Args, Debug)]
pub struct WaitArgs {
    /// Seconds to wait for an engine that no clock bounds [default: 120; of `analyze`, 3600]
    #[arg(long, value_name = "SECONDS")]
    patience: Option<u64>,
    /// Seconds that engines may take to get ready [default: 120]
    #[arg(long, value_name = "SECONDS")]
    start_timeout: Option<u64>,
}

impl WaitArgs {
    /// How long engines may take to get ready.
    ///
    /// # Errors
    /// A time of zero, or beyond [`MAX_WAIT`].
    pub fn timeouts(&self) -> Result<Timeouts> {
        let usual = Timeouts::default();
        let ready = self.start_timeout.map(|seconds| wait(seconds, "--start-timeout")).transpose()?;
        Ok(Timeouts { ready: ready.unwrap_or(usual.ready), start: ready.unwrap_or(usual.start), ..usual })
    }

    /// Whether a patience is given here.
    pub fn has_patience(&self) -> bool {
        self.patience.is_some()
    }

    /// The milliseconds given here, else those of the file, else the usual ones; the latter are told in seconds.
    ///
    /// # Errors
    /// Those of [`WaitArgs::timeouts`].
    pub fn patience(&self, file: Option<u64>, usual: u64) -> Result<u64> {
        let patience = wait(self.patience.or(file).unwrap_or(usual), "--patience")?;
        u64::try_from(patience.as_millis()).map_err(|error| anyhow!("--patience: {error}"))
    }
}

/// The options that belong to the settings of games, as `--resume` conflicts with them. How long engines may take to start is none of them.
/// (A group of arguments cannot say this, as `RuleArgs` contains other structs.)
pub const RULE_OPTIONS: [&str; 6] = ["max_plies", "declaration", "tolerance", "patience", "resign", "draw"];

/// The rules of games on a command line.
#[derive(Args, Debug)]
pub struct RuleArgs {
    /// Games are drawn after so many plies [default: 320]
    #[arg(long)]
    max_plies: Option<usize>,
    /// Which declarations win [default: csa27]
    #[arg(long, value_enum)]
    declaration: Option<DeclarationArg>,
    /// Milliseconds that a move may take beyond its time [default: 100]
    #[arg(long, value_name = "MS")]
    tolerance: Option<u64>,
    #[command(flatten)]
    waits: WaitArgs,
    /// A side loses after so many own scores this bad: moves=5 score=3000
    #[arg(long, value_name = "WORDS")]
    resign: Option<String>,
    /// A draw when all scores were this small for so many moves of each side: moves=8 score=20 from=120
    #[arg(long, value_name = "WORDS")]
    draw: Option<String>,
}

impl RuleArgs {
    /// How long engines may take to get ready.
    ///
    /// # Errors
    /// Those of [`WaitArgs::timeouts`].
    pub fn timeouts(&self) -> Result<Timeouts> {
        self.waits.timeouts()
    }

    /// The rules given here, else those of the file, else the usual ones.
    ///
    /// # Errors
    /// Numbers that make no rule, from wherever they come.
    pub fn over(&self, file: &RuleTable) -> Result<MatchRules> {
        let resign = self.resign.as_deref().map(rule_text::resign).transpose().context("--resign")?;
        let draw = self.draw.as_deref().map(rule_text::draw).transpose().context("--draw")?;
        let (resign, draw) = (resign.or(file.resign), draw.or(file.draw));
        if let Some(ResignRule { moves, score }) = resign.filter(|rule| !rule.is_valid()) {
            bail!("the rule `resign` has moves {moves} and score {score}, but both must be above 0");
        }
        if let Some(DrawRule { moves, score, .. }) = draw.filter(|rule| !rule.is_valid()) {
            bail!("the rule `draw` has moves {moves} and score {score}, but moves must be above 0 and score 0 or more");
        }
        let max_plies = self.max_plies.or(file.max_plies).unwrap_or(320);
        ensure!((1..=9999).contains(&max_plies), "--max-plies must be from 1 to 9999, not {max_plies}");
        let patience = self.waits.patience(file.patience, DEFAULT_PATIENCE)?;
        Ok(MatchRules {
            max_plies,
            declaration: self.declaration.or(file.declaration).unwrap_or(DeclarationArg::Csa27).into(),
            tolerance: self.tolerance.or(file.tolerance).unwrap_or(100),
            patience,
            resign,
            draw,
        })
    }
}

/// How games are played, without influence on which games are played.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// Games at the same time; of `spsa`, pairs of games; of `analyze` and `council`, positions [default: 1]
    #[arg(long)]
    concurrency: Option<usize>,
    /// Write what engines say and are told into this folder as it happens, a file for each game
    #[arg(long, value_name = "FOLDER")]
    log: Option<PathBuf>,
    /// Give the engines of each game that is played at the same time CPUs of their own (Linux)
    #[arg(long)]
    affinity: bool,
}

/// Most games at a time; each is a thread and two processes.
const MAX_CONCURRENCY: usize = 1000;

impl RunArgs {
    /// # Errors
    /// A number of games that cannot be played at a time, and CPUs that cannot be had.
    pub fn options(&self, rules: &RuleArgs) -> Result<RunOptions> {
        self.with_timeouts(rules.timeouts()?)
    }

    /// # Errors
    /// Those of [`RunArgs::options`].
    pub fn with_timeouts(&self, timeouts: Timeouts) -> Result<RunOptions> {
        let concurrency = self.concurrency.unwrap_or(1);
        ensure!(
            (1..=MAX_CONCURRENCY).contains(&concurrency),
            "--concurrency must be at least 1 and at most {MAX_CONCURRENCY}, not {concurrency}"
        );
        let cpus = if self.affinity { affinity::shares(concurrency).context("--affinity")? } else { Vec::new() };
        let logs = self.log.clone().map(|path| LogFolder { path, on_failure: print_warning });
        Ok(RunOptions { concurrency, timeouts, logs, cpus })
    }
}

/// Warns where engines that think by the clock have fewer processors than threads: what they find depends on how many play at the same time.
pub fn warn_if_crowded<'a>(engines: impl IntoIterator<Item = &'a PlayerSpec>, concurrency: usize) {
    let processors = std::thread::available_parallelism().map_or(usize::MAX, usize::from);
    if let Some(warning) = crowded(engines, concurrency, processors) {
        print_warning(&warning);
    }
}

/// The warning, if one is due. Of a game one engine thinks at a time, both where one ponders.
fn crowded<'a>(
    engines: impl IntoIterator<Item = &'a PlayerSpec>,
    concurrency: usize,
    processors: usize,
) -> Option<String> {
    let engines: Vec<&PlayerSpec> = engines.into_iter().collect();
    let by_clock = |spec: &&&PlayerSpec| spec.limits.has_clock() || spec.limits.movetime.is_some();
    let mut threads: Vec<usize> = engines.iter().filter(by_clock).map(|spec| threads_of(spec)).collect();
    threads.sort_unstable_by(|a, b| b.cmp(a));
    let most = *threads.first()?;
    let pondering = engines.iter().any(|spec| spec.ponder);
    let of_game = if pondering { most.saturating_add(threads.get(1).copied().unwrap_or(0)) } else { most };
    let all = of_game.saturating_mul(concurrency);
    (all > processors).then(|| {
        format!(
            "warning: {concurrency} at the same time with {of_game} threads each want {all} processors, and there are {processors}: \
             engines that think by the clock find less than they would alone"
        )
    })
}

/// The threads that an engine was given; one where nobody says so.
fn threads_of(spec: &PlayerSpec) -> usize {
    let threads = spec.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("Threads"));
    threads.and_then(|(_, number)| number.parse().ok()).unwrap_or(1)
}

fn wait(seconds: u64, option: &str) -> Result<Duration> {
    ensure!((1..=MAX_WAIT).contains(&seconds), "{option} must be from 1 to {MAX_WAIT} seconds, not {seconds}");
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::super::engine_words::EngineWords;
    use super::*;

    #[test]
    fn more_threads_than_processors_are_told_where_the_clock_decides() {
        let warning = |words: [&str; 2], concurrency| {
            let spec = |words: &str| EngineWords::parse(words).unwrap().complete(&EngineWords::default()).unwrap();
            crowded(&words.map(spec), concurrency, 4)
        };
        for (words, concurrency, wanted) in [
            (["a byoyomi=100", "b byoyomi=100"], 4, None),
            (["a byoyomi=100", "b byoyomi=100"], 5, Some(5)),
            (["a time=9 option.threads=3", "b nodes=1"], 2, Some(6)),
            (["a nodes=1 option.Threads=64", "b depth=1"], 64, None),
            (["a movetime=9 option.Threads=2 ponder=true", "b movetime=9 option.Threads=2"], 2, Some(8)),
            (["a movetime=9 option.Threads=2", "b movetime=9 option.Threads=2"], 2, None),
            (["a increment=9 option.Threads=18446744073709551615", "b nodes=1"], 2, Some(usize::MAX)),
        ] {
            let told = warning(words, concurrency);
            assert_eq!(told.is_some(), wanted.is_some(), "{words:?}: {told:?}");
            if let (Some(told), Some(wanted)) = (told, wanted) {
                assert!(told.contains(&format!("want {wanted} processors, and there are 4")), "{told}");
            }
        }
    }
}
