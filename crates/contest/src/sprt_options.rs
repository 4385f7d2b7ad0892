//! A sequential test on the command line and in a tournament file, where each number may be left out.

use clap::Args;
use serde::Deserialize;

use crate::sprt_run::{CountedResults, EloUnits, SprtSettings};

/// What one place says of a sequential test. What it leaves out comes from another place, and at last from [`SprtSettings::default`]; so
/// these fields have no defaults of their own.
#[derive(Clone, Copy, PartialEq, Debug, Default, Args, Deserialize)]
#[group(id = "sprt")]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SprtOptions {
    /// H0: the first engine is stronger by no more than this [default: 0]
    #[arg(long, allow_negative_numbers = true)]
    pub elo0: Option<f64>,
    /// H1: it is stronger by at least this [default: 5]
    #[arg(long, allow_negative_numbers = true)]
    pub elo1: Option<f64>,
    /// How often H1 may be accepted although H0 is true [default: 0.05]
    #[arg(long)]
    pub alpha: Option<f64>,
    /// How often H0 may be accepted although H1 is true [default: 0.05]
    #[arg(long)]
    pub beta: Option<f64>,
    /// The unit of the bounds [default: logistic]
    #[arg(long, value_enum)]
    pub model: Option<EloUnits>,
    /// What is counted [default: pentanomial]
    #[arg(long, value_enum)]
    pub counts: Option<CountedResults>,
}

impl SprtOptions {
    /// The same with what is left out here taken from `other`.
    pub fn over(self, other: Self) -> Self {
        Self {
            elo0: self.elo0.or(other.elo0),
            elo1: self.elo1.or(other.elo1),
            alpha: self.alpha.or(other.alpha),
            beta: self.beta.or(other.beta),
            model: self.model.or(other.model),
            counts: self.counts.or(other.counts),
        }
    }

    /// The test, with the usual numbers where none are given.
    pub fn settings(self) -> SprtSettings {
        let usual = SprtSettings::default();
        SprtSettings {
            elo0: self.elo0.unwrap_or(usual.elo0),
            elo1: self.elo1.unwrap_or(usual.elo1),
            alpha: self.alpha.unwrap_or(usual.alpha),
            beta: self.beta.unwrap_or(usual.beta),
            model: self.model.unwrap_or(usual.model),
            counts: self.counts.unwrap_or(usual.counts),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        sprt: SprtOptions,
    }

    #[test]
    fn each_number_comes_from_the_first_place_that_gives_it() {
        let line = Line::parse_from(["sprt", "--elo1=400", "--counts=trinomial"]).sprt;
        let file: SprtOptions = toml::from_str("elo0 = -100\nelo1 = 300\nmodel = \"normalized\"").unwrap();
        let expected = SprtSettings {
            elo0: -100.0,
            elo1: 400.0,
            model: EloUnits::Normalized,
            counts: CountedResults::Trinomial,
            ..SprtSettings::default()
        };
        assert_eq!(line.over(file).settings(), expected);
    }

    /// The help names the defaults, as the fields have none.
    #[test]
    fn the_help_tells_the_defaults() {
        let told = <Line as clap::CommandFactory>::command().render_help().to_string();
        let usual = serde_json::to_value(SprtSettings::default()).unwrap();
        for (name, value) in usual.as_object().unwrap() {
            let value = value.as_f64().map_or_else(|| value.as_str().unwrap().to_owned(), |number| number.to_string());
            let start = told.find(&format!("--{name} ")).unwrap();
            let entry = told[start..].split("\n      --").next().unwrap();
            assert!(entry.contains(&format!("[default: {value}]")), "{entry}");
        }
    }
}
