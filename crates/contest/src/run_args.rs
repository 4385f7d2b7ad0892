//! Options of all commands that play games: rules, waits, and how many games run at the same time.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kiki_driver::Timeouts;
use kiki_play::affinity;
use kiki_play::player::{LogFolder, PlayerSpec};
use kiki_play::pool::RunOptions;
use kiki_play::rules::{DrawRule, EnteringKingRule, MatchRules, ResignRule};
use kiki_run::files::toml_error;
use kiki_run::numbers::finite;
use kiki_run::output::print_warning;
use kiki_run::{bail_usage, ensure_usage};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::de::value::{Error as ValueError, StrDeserializer};

/// Longest wait in seconds, about thirty years: every clock can add it to the time of day.
const MAX_WAIT: u64 = 1_000_000_000;

/// Seconds to wait for an engine that no clock limits.
pub const DEFAULT_PATIENCE: u64 = 120;

/// Patience in milliseconds. Refuses 0 and more than `MAX_WAIT`.
pub fn patience(seconds: u64) -> Result<u64> {
    let patience = wait(seconds, "--patience")?;
    u64::try_from(patience.as_millis()).map_err(|error| anyhow!("--patience: {error}"))
}

/// Rules of games on a command line, and in the table `[rules]` of a tournament file.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RuleOptions {
    /// Games are drawn after this number of plies [default: 320]
    #[arg(long)]
    max_plies: Option<usize>,
    /// Which declarations win: csa24 (31 points win, 24 to 30 draw), csa27 (28 points of Black, 27
    /// of White), try (the king reaches the home of the other) [default: csa27]
    #[arg(long, value_parser = declaration())]
    declaration: Option<EnteringKingRule>,
    /// Milliseconds that a move may take beyond its time [default: 100]
    #[arg(long, value_name = "MS")]
    tolerance: Option<u64>,
    /// Seconds to wait for an engine that no clock limits [default: 120]
    #[arg(long, value_name = "SECONDS")]
    patience: Option<u64>,
    /// A side loses when each of its last `moves` scores is `-score` or worse: moves=5 score=3000
    #[arg(long, value_name = "WORDS", value_parser = from_words::<ResignRule>)]
    resign: Option<ResignRule>,
    /// A draw from ply `from` on when all scores of each side's last `moves` moves are within
    /// `score`: moves=8 score=20 from=120
    #[arg(long, value_name = "WORDS", value_parser = draw_rule)]
    draw: Option<DrawRule>,
}

fn declaration() -> impl TypedValueParser<Value = EnteringKingRule> {
    let read = |name: String| EnteringKingRule::deserialize(StrDeserializer::<ValueError>::new(&name));
    PossibleValuesParser::new(["none", "csa24", "csa27", "try"]).try_map(read)
}

impl RuleOptions {
    /// Each rule from these options, else from `file`, else the default. Refuses impossible
    /// numbers.
    pub fn over(&self, file: &Self) -> Result<MatchRules> {
        let (resign, draw) = (self.resign.or(file.resign), self.draw.or(file.draw));
        if let Some(ResignRule { moves, score }) = resign.filter(|rule| rule.moves == 0 || rule.score <= 0) {
            bail_usage!("the rule `resign` has moves {moves} and score {score}, but both must be above 0");
        }
        if let Some(DrawRule { moves, score, .. }) = draw.filter(|rule| rule.moves == 0 || rule.score < 0) {
            bail_usage!(
                "the rule `draw` has moves {moves} and score {score}, but moves must be above 0 and score 0 or more"
            );
        }
        let max_plies = self.max_plies.or(file.max_plies).unwrap_or(320);
        ensure_usage!((1..=9999).contains(&max_plies), "--max-plies must be from 1 to 9999, not {max_plies}");
        Ok(MatchRules {
            max_plies,
            declaration: self.declaration.or(file.declaration).unwrap_or(EnteringKingRule::Csa27),
            tolerance: self.tolerance.or(file.tolerance).unwrap_or(100),
            patience: patience(self.patience.or(file.patience).unwrap_or(DEFAULT_PATIENCE))?,
            resign,
            draw,
        })
    }
}

/// Reads `moves=8 score=20 from=120`; without `from` the rule holds from the start.
fn draw_rule(text: &str) -> Result<DrawRule> {
    from_words(&format!("from=0 {text}"))
}

/// Reads words such as `elo0=0 elo1=5 model=logistic` into the fields of these names.
/// The error names the word or field that does not fit.
pub(crate) fn from_words<T: DeserializeOwned>(text: &str) -> Result<T> {
    let mut fields = toml::Table::new();
    for word in text.split_whitespace() {
        let (key, value) = word.split_once('=').ok_or_else(|| anyhow!("`{word}` is not of the form key=value"))?;
        let integer = || value.parse().ok().map(toml::Value::Integer);
        let number = integer().or_else(|| finite(value).map(toml::Value::Float));
        fields.insert(key.to_owned(), number.unwrap_or_else(|| value.to_ascii_lowercase().into()));
    }
    T::deserialize(fields).map_err(|error| toml_error(&error, ""))
}

/// How games run. Nothing here decides which games are played.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// Number of simultaneous games; for `spsa` pairs of games; for `analyze`, `player` and
    /// `council` positions [default: 1]
    #[arg(long)]
    concurrency: Option<usize>,
    /// Write the dialogue with the engines into this folder as it happens, a file for each game
    #[arg(long, value_name = "FOLDER")]
    log: Option<PathBuf>,
    /// Give the engines of each simultaneous game CPUs of their own (Linux)
    #[arg(long)]
    affinity: bool,
    /// Seconds that engines may take to get ready [default: 120]
    #[arg(long, alias = "start-timeout", value_name = "SECONDS")]
    ready_timeout: Option<u64>,
}

#[derive(Args, Debug)]
pub struct ReportedRunArgs {
    #[command(flatten)]
    pub run: RunArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Maximum number of simultaneous games; each is a thread and two processes.
const MAX_CONCURRENCY: usize = 1000;

impl RunArgs {
    /// Refuses a concurrency or wait out of range, and too few CPUs for `--affinity`.
    pub fn options(&self) -> Result<RunOptions> {
        let usual = Timeouts::default();
        let ready = self.ready_timeout.map(|seconds| wait(seconds, "--ready-timeout")).transpose()?;
        let timeouts = Timeouts { ready: ready.unwrap_or(usual.ready), start: ready.unwrap_or(usual.start), ..usual };
        let concurrency = self.concurrency.unwrap_or(1);
        ensure_usage!(
            (1..=MAX_CONCURRENCY).contains(&concurrency),
            "--concurrency must be at least 1 and at most {MAX_CONCURRENCY}, not {concurrency}"
        );
        let cpus = if self.affinity { affinity::shares(concurrency).context("--affinity")? } else { Vec::new() };
        let logs = self.log.clone().map(|path| LogFolder { path, on_failure: print_warning });
        Ok(RunOptions { concurrency, timeouts, logs, cpus })
    }
}

/// Warns if engines that think by the clock have fewer processors than threads: then concurrency
/// changes what they find.
pub fn warn_if_crowded<'a>(engines: impl IntoIterator<Item = &'a PlayerSpec>, concurrency: usize) {
    let processors = std::thread::available_parallelism().map_or(usize::MAX, usize::from);
    if let Some(warning) = crowded(engines, concurrency, processors) {
        print_warning(&warning);
    }
}

/// The warning, if one is due. One engine of a game thinks at a time, or both if one ponders.
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

/// Threads of an engine by its option, else one.
fn threads_of(spec: &PlayerSpec) -> usize {
    let threads = spec.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("Threads"));
    threads.and_then(|(_, number)| number.parse().ok()).unwrap_or(1)
}

fn wait(seconds: u64, option: &str) -> Result<Duration> {
    ensure_usage!((1..=MAX_WAIT).contains(&seconds), "{option} must be from 1 to {MAX_WAIT} seconds, not {seconds}");
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine_words::EngineWords;
    use crate::sprt::{EloUnits, SprtOptions};

    #[test]
    fn words_make_rules() {
        assert_eq!(from_words::<ResignRule>("moves=5 score=3000").unwrap(), ResignRule { moves: 5, score: 3000 });
        assert_eq!(draw_rule("score=20 moves=8").unwrap(), DrawRule { from: 0, moves: 8, score: 20 });
        assert_eq!(draw_rule("score=20 moves=8 from=9").unwrap().from, 9);
        let sprt = from_words::<SprtOptions>("elo0=-5 elo1=1.5 model=Normalized").unwrap();
        let sprt = sprt.over(SprtOptions::default()).unwrap();
        assert_eq!((sprt.elo0, sprt.elo1, sprt.alpha, sprt.model), (-5.0, 1.5, 0.05, EloUnits::Normalized));
        for (error, expected) in [
            (from_words::<ResignRule>("moves=x score=1").unwrap_err(), "invalid type: string \"x\", expected usize"),
            (from_words::<ResignRule>("5").unwrap_err(), "`5` is not of the form key=value"),
            (from_words::<ResignRule>("moves=5").unwrap_err(), "missing field `score`"),
            (draw_rule("ply=3").unwrap_err(), "unknown field `ply`"),
            (from_words::<SprtOptions>("model=guess").unwrap_err(), "expected `logistic` or `normalized`"),
        ] {
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

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
