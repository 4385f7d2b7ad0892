//! `kiki-lab council simulate`: the rules by the model.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::json;

use super::report;
use crate::study::{EqualMembers, Simulation, Sweep, csv, write_pictures};
use kiki_run::files::write_atomically;
use kiki_run::output::{ProgressLine, print_json};

const EXAMPLE: &str = "\
Example:
  kiki-lab council simulate --output results/council

Integrals where there are any; the weighted votes (best, predicted) by simulation.";

/// How often does each rule name the best move in the model?
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct SimulateArgs {
    /// Numbers of candidates
    #[arg(long, short = 'n', value_delimiter = ',', num_args = 1.., default_value = "2,3")]
    candidates: Vec<u32>,
    /// How often the third member copies the second
    #[arg(long, value_delimiter = ',', num_args = 1.., default_value = "0,0.5")]
    synchronisation: Vec<f64>,
    /// The noise of the strongest member, or of each of several equal ones, in losses of a wrong
    /// move
    #[arg(long, default_value_t = 2.0)]
    strongest: f64,
    /// The noises of the two weaker members
    #[arg(long, value_delimiter = ',', num_args = 1.., default_value = "2,2.25,2.5,3,3.5,4,5,6")]
    noises: Vec<f64>,
    /// The maximum number of equal members
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=12))]
    members: u8,
    /// Positions simulated for each council
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(2..=100_000_000))]
    runs: u32,
    /// Seed of the simulation
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the numbers (rates.csv) and a picture of each table (SVG) into a folder
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl SimulateArgs {
    fn councils(&self) -> usize {
        self.candidates.len() * (self.synchronisation.len() * self.noises.len() + usize::from(self.members))
    }
}

pub(super) fn run(arguments: &SimulateArgs) -> Result<()> {
    let simulation = Simulation { runs: arguments.runs, seed: arguments.seed };
    let (mut sweeps, mut equal) = (Vec::new(), Vec::new());
    let mut line = ProgressLine::new("councils", arguments.councils() as u64, 0);
    let mut done = 0;
    for &candidates in &arguments.candidates {
        let mut each = || {
            done += 1;
            line.show(done, || format!("{candidates} candidates"));
        };
        for &synchronisation in &arguments.synchronisation {
            let (strongest, noises) = (arguments.strongest, &arguments.noises);
            sweeps.push(Sweep::new(candidates, synchronisation, strongest, noises, simulation, &mut each)?);
        }
        let members = arguments.members.into();
        equal.push(EqualMembers::new(candidates, arguments.strongest, members, simulation, &mut each)?);
    }
    line.finish();
    if let Some(folder) = &arguments.output {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        write_atomically(&folder.join("rates.csv"), csv(&sweeps, &equal).as_bytes())?;
        write_pictures(folder, &sweeps, &equal)?;
    }
    if arguments.json {
        return print_json(&json!({ "runs": arguments.runs, "sweeps": sweeps, "equal_members": equal }));
    }
    report::print(&sweeps, &equal, arguments.runs);
    Ok(())
}
