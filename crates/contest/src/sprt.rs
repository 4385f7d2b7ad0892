//! The sequential test (SPRT) of a contest of two engines: its options, its settings and its
//! course. Elo estimates and decisions as text and as JSON.

use anyhow::Result;
use clap::{Args, ValueEnum};
use kiki_run::output::{self, interval, json_interval, json_or_reason, percent, print_warning, signed};
use kiki_stats::sprt::{Bounds, CountKind, Counts, EloModel, Estimates, Hypotheses, MeanMethod, Sprt, SprtDecision};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::standings::Standings;

/// A sequential test as the command line or a tournament file describes it. Missing numbers come
/// from the other one, then from [`SprtSettings::default`].
#[derive(Clone, Copy, PartialEq, Debug, Default, Args, Serialize, Deserialize)]
#[group(id = "sprt")]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SprtOptions {
    /// H0: the first engine is stronger by no more than this [default: 0]
    #[arg(long, allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// H1: it is stronger by at least this [default: 5]
    #[arg(long, allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// Probability to accept H1 although H0 is true [default: 0.05]
    #[arg(long)]
    alpha: Option<f64>,
    /// Probability to accept H0 although H1 is true [default: 0.05]
    #[arg(long)]
    beta: Option<f64>,
    /// Unit of the bounds [default: logistic]
    #[arg(long, value_enum)]
    model: Option<EloUnits>,
    /// Results to count [default: pentanomial]
    #[arg(long, value_enum)]
    pub counts: Option<CountedResults>,
}

impl SprtOptions {
    /// The settings: each number from these options, else from `file`, else the default.
    pub fn over(self, file: Self) -> Result<SprtSettings> {
        let mut numbers = toml::Table::try_from(file)?;
        numbers.extend(toml::Table::try_from(self)?);
        Ok(numbers.try_into()?)
    }
}

/// Settings of a sequential test, as the folder of a match keeps them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SprtSettings {
    /// H0: the first engine is stronger by no more than this.
    pub elo0: f64,
    /// H1: it is stronger by at least this.
    pub elo1: f64,
    /// Probability to accept H1 although H0 is true.
    pub alpha: f64,
    /// Probability to accept H0 although H1 is true.
    pub beta: f64,
    pub model: EloUnits,
    pub counts: CountedResults,
}

/// Unit of the bounds of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum EloUnits {
    /// Elo points.
    Logistic,
    /// Elo points normalized by the spread of the results.
    Normalized,
}

/// Results that a test counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum CountedResults {
    /// Pairs of games with one opening and exchanged colours: the two games are not independent.
    Pentanomial,
    /// Single games.
    Trinomial,
}

impl Default for SprtSettings {
    fn default() -> Self {
        let (model, counts) = (EloUnits::Logistic, CountedResults::Pentanomial);
        Self { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model, counts }
    }
}

impl SprtSettings {
    /// Refuses impossible hypotheses and error rates.
    pub fn sprt(&self) -> Result<Sprt> {
        let model = match self.model {
            EloUnits::Logistic => EloModel::Logistic,
            EloUnits::Normalized => EloModel::Normalized,
        };
        Ok(Sprt { hypotheses: Hypotheses::new(self.elo0, self.elo1, self.alpha, self.beta)?, model })
    }

    /// Whether single games or pairs count.
    pub fn kind(&self) -> CountKind {
        match self.counts {
            CountedResults::Trinomial => CountKind::Trinomial,
            CountedResults::Pentanomial => CountKind::Pentanomial,
        }
    }
}

/// A running test. It takes pairs of games in the order of the schedule and stops at the first one
/// that decides, so neither concurrency nor an interruption changes the decision.
#[derive(Clone, Debug)]
pub(crate) struct SprtRun {
    pub(crate) settings: SprtSettings,
    pub(crate) sprt: Sprt,
    pub(crate) counts: Counts,
    pub(crate) llr: f64,
    /// Log-likelihood ratio after every pair of games.
    pub(crate) llrs: Vec<f64>,
}

impl SprtRun {
    /// Refuses impossible settings, and hypotheses so far apart that results have no ratio.
    pub(crate) fn new(settings: &SprtSettings) -> Result<Self> {
        let (sprt, counts) = (settings.sprt()?, Counts::empty(settings.kind()));
        let mut first = counts;
        first.record(0);
        sprt.llr(&first)?;
        Ok(Self { settings: settings.clone(), sprt, counts, llr: 0.0, llrs: Vec::new() })
    }

    /// Counts pairs of games that have become complete. Results without a ratio leave the last one,
    /// with a warning: the match goes on.
    pub(crate) fn advance(&mut self, standings: &Standings) {
        while self.decision() == SprtDecision::Continue
            && let Some(points) = standings.pair(self.llrs.len())
        {
            match self.counts.kind() {
                CountKind::Pentanomial => self.counts.record(points[0] + points[1]),
                _ => points.into_iter().for_each(|points| self.counts.record(points)),
            }
            match self.sprt.llr(&self.counts) {
                Ok(llr) => self.llr = llr,
                Err(error) => print_warning(&format!("warning: after {} pairs {error}", self.llrs.len() + 1)),
            }
            self.llrs.push(self.llr);
        }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        self.sprt.hypotheses.bounds()
    }

    pub(crate) fn decision(&self) -> SprtDecision {
        self.bounds().decide(self.llr)
    }
}

/// Elo difference with its standard error, its interval at a level with the method, and the
/// superiority.
pub fn elo_lines(estimates: &Estimates, level: f64) -> String {
    let error = match &estimates.elo_standard_error {
        Ok(error) => format!("standard error {error:.1}"),
        Err(error) => error.to_string(),
    };
    let ends = interval(estimates.elo_interval);
    let method = match (estimates.method, &estimates.elo_interval_normal) {
        (MeanMethod::Normal, _) => "normal".to_owned(),
        (MeanMethod::Gaffke, Ok(normal)) => format!("Gaffke's bounds, not the normal {}", interval(*normal)),
        (MeanMethod::Gaffke, Err(_)) => "Gaffke's bounds".to_owned(),
    };
    let superiority = percent(estimates.superiority);
    format!(
        "Elo {} ({error})\n{} interval {ends} ({method})\nsuperiority {superiority}",
        signed(estimates.elo),
        percent(level)
    )
}

/// Normalized Elo with the half width of its interval, if that is known.
pub fn normalized(estimates: &Estimates) -> kiki_stats::Result<String> {
    let elo = signed(estimates.normalized_elo.clone()?);
    Ok(match &estimates.normalized_elo_half_width {
        Ok(half) => format!("{elo} ± {half:.1}"),
        Err(_) => elo,
    })
}

pub fn estimates_value(estimates: &Estimates) -> Value {
    json!({
        "score": estimates.score,
        "variance": estimates.variance,
        "elo": output::json(estimates.elo),
        "standard_error": estimates.standard_error,
        "elo_standard_error": json_or_reason(&estimates.elo_standard_error, |value| json!(value)),
        "method": estimates.method.name(),
        "elo_interval": json_interval(estimates.elo_interval),
        "elo_interval_normal": json_or_reason(&estimates.elo_interval_normal, |ends| json_interval(*ends)),
        "normalized_elo": json_or_reason(&estimates.normalized_elo, |value| output::json(*value)),
        "normalized_elo_half_width": json_or_reason(&estimates.normalized_elo_half_width, |value| json!(value)),
        "superiority": estimates.superiority,
    })
}

/// Name of a decision in JSON.
pub fn decision_name(decision: SprtDecision) -> &'static str {
    match decision {
        SprtDecision::AcceptH0 => "h0",
        SprtDecision::AcceptH1 => "h1",
        SprtDecision::Continue => "continue",
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct SprtLine {
        #[command(flatten)]
        sprt: SprtOptions,
    }

    #[test]
    fn each_number_comes_from_the_first_place_that_gives_it() {
        let line = SprtLine::parse_from(["sprt", "--elo1=400", "--counts=trinomial"]).sprt;
        let file: SprtOptions = toml::from_str("elo0 = -100\nelo1 = 300\nmodel = \"normalized\"").unwrap();
        let expected = SprtSettings {
            elo0: -100.0,
            elo1: 400.0,
            model: EloUnits::Normalized,
            counts: CountedResults::Trinomial,
            ..SprtSettings::default()
        };
        assert_eq!(line.over(file).unwrap(), expected);
    }

    #[test]
    fn hypotheses_without_a_ratio_are_refused_before_the_first_game() {
        let run = |elo1, model| SprtRun::new(&SprtSettings { elo1, model, ..SprtSettings::default() });
        assert!(run(7000.0, EloUnits::Logistic).unwrap_err().to_string().contains("expects a score"));
        assert!(run(7000.0, EloUnits::Normalized).is_ok() && run(400.0, EloUnits::Logistic).is_ok());
    }

    /// The help names the defaults, as the fields have none.
    #[test]
    fn the_help_tells_the_defaults() {
        let told = <SprtLine as clap::CommandFactory>::command().render_help().to_string();
        let usual = serde_json::to_value(SprtSettings::default()).unwrap();
        for (name, value) in usual.as_object().unwrap() {
            let value = value.as_f64().map_or_else(|| value.as_str().unwrap().to_owned(), |number| number.to_string());
            let start = told.find(&format!("--{name} ")).unwrap();
            let entry = told[start..].split("\n      --").next().unwrap();
            assert!(entry.contains(&format!("[default: {value}]")), "{entry}");
        }
    }
}
