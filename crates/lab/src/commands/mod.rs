//! The subcommands.

pub(crate) mod ab;
pub(crate) mod ablation;
pub(crate) mod council;
pub(crate) mod coverage;
pub(crate) mod data;
pub(crate) mod distances;
pub(crate) mod elo;
mod engine_words;
mod estimates;
pub(crate) mod fit;
pub(crate) mod formula;
mod formula_weights;
pub(crate) mod gamble;
pub(crate) mod intrinsic;
pub(crate) mod lengths;
pub(crate) mod llr;
mod match_report;
mod matches;
pub(crate) mod quality;
pub(crate) mod rate;
mod rule_text;
mod run_args;
mod search_args;
pub(crate) mod selfplay;
pub(crate) mod series;
pub(crate) mod show;
pub(crate) mod sigma;
pub(crate) mod spsa;
mod tournament_file;
pub(crate) mod train;
pub(crate) mod tree;
mod tuning_report;
pub(crate) mod usi_check;

pub(crate) use matches::{MatchArgs, SprtArgs, run_match, run_sprt};
