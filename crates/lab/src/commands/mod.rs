//! The subcommands.

pub(crate) mod ab;
pub(crate) mod coverage;
pub(crate) mod elo;
pub(crate) mod llr;
mod matches;
pub(crate) mod rate;
mod rule_text;
mod rules;
pub(crate) mod series;
pub(crate) mod show;
pub(crate) mod spsa;

pub(crate) use matches::{MatchArgs, SprtArgs, run_match, run_sprt};
