//! What commands are told that search in this process.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;

use crate::evaluation_note::EvaluationNote;

/// How many threads work at the same time.
#[derive(Args, Debug)]
pub struct ThreadArgs {
    /// Searches or games at the same time [default: all processors]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl ThreadArgs {
    /// How many.
    ///
    /// # Errors
    /// If that is none or too many, or the system does not say how many processors it has.
    pub fn count(&self) -> Result<usize> {
        let threads = match self.threads {
            Some(threads) => threads,
            None => std::thread::available_parallelism()?.get(),
        };
        ensure!((1..=1024).contains(&threads), "--threads {threads}: expected 1 to 1024");
        Ok(threads)
    }
}

/// What values are of.
#[derive(Args, Debug)]
pub struct EvaluationArgs {
    /// The network that values are of [default: the formula]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// What the output of the network is divided by [default: 16]
    #[arg(long, value_name = "N", requires = "network", value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: Option<i32>,
}

impl EvaluationArgs {
    /// The evaluation.
    ///
    /// # Errors
    /// If the file of a network cannot be read.
    pub fn note(&self) -> Result<EvaluationNote> {
        EvaluationNote::new(self.network.as_deref(), self.fv_scale)
    }
}
