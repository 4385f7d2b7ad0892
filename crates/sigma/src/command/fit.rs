//! `kiki-lab sigma fit`.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::json;

use super::arguments::{FitOptions, parse_pair};
use crate::dataset::DepthPair;
use crate::fitting::fit_model;
use crate::sampling::Sample;
use kiki_run::files::write_atomically;
use kiki_run::numbers::print_json;
use kiki_run::progress_line::ProgressLine;
use kiki_run::say;

/// Fits sigma to a sample and writes the model
#[derive(Args, Debug)]
pub(super) struct FitArgs {
    /// The folder of the sample
    folder: PathBuf,
    /// The pairs of depths, such as `4-8,5-9` [default: all that are 4 or 6 plies apart, from a deeper one of 5 on]
    #[arg(long, value_name = "PAIRS", value_delimiter = ',')]
    pairs: Vec<String>,
    #[command(flatten)]
    options: FitOptions,
    /// Where the model is written
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// A line about the model that it keeps
    #[arg(long, default_value = "")]
    note: String,
    /// Print what was fitted as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &FitArgs) -> Result<()> {
    let settings = arguments.options.settings()?;
    let sample = Sample::read(&arguments.folder)?;
    let pairs = pairs(&arguments.pairs, sample.settings.depth)?;
    let mut line = ProgressLine::new("pairs", pairs.len() as u64, 0);
    let model =
        fit_model(&sample, &pairs, settings, arguments.note.clone(), |done| line.show(done as u64, String::new))?;
    line.finish();
    write_atomically(&arguments.output, model.to_text().as_bytes())?;
    if arguments.json {
        let pairs: Vec<[u8; 2]> = pairs.iter().map(|pair| [pair.shallow, pair.deep]).collect();
        return print_json(&json!({ "output": arguments.output, "pairs": pairs }));
    }
    say!("{} pairs of depths written to {}", pairs.len(), arguments.output.display());
    Ok(())
}

fn pairs(given: &[String], depth: u32) -> Result<Vec<DepthPair>> {
    let pairs: Vec<DepthPair> = if given.is_empty() {
        let apart =
            |plies: u8| (5..=depth as u8).filter(move |deep| *deep > plies).map(move |deep| (deep - plies, deep));
        apart(4).chain(apart(6)).map(|(shallow, deep)| DepthPair { shallow, deep }).collect()
    } else {
        given.iter().map(|text| parse_pair(text)).collect::<Result<_>>()?
    };
    ensure!(!pairs.is_empty(), "depth {depth} of the sample has no pairs: give --pairs");
    for pair in &pairs {
        ensure!(u32::from(pair.deep) <= depth, "{}-{}: the sample ends at depth {depth}", pair.shallow, pair.deep);
    }
    Ok(pairs)
}
