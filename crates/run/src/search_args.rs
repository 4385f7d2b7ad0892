//! Arguments of commands that search in this process.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;

use crate::evaluation_note::EvaluationNote;

/// Number of simultaneous threads.
#[derive(Args, Debug)]
pub struct ThreadArgs {
    /// Searches or games at the same time [default: all processors]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl ThreadArgs {
    /// Number of threads.
    ///
    /// # Errors
    /// If it is out of range, or the system does not know its number of processors.
    pub fn count(&self) -> Result<usize> {
        let threads = match self.threads {
            Some(threads) => threads,
            None => std::thread::available_parallelism()?.get(),
        };
        ensure!((1..=1024).contains(&threads), "--threads {threads}: expected 1 to 1024");
        Ok(threads)
    }
}

/// The evaluation of searches.
#[derive(Args, Debug)]
pub struct EvaluationArgs {
    /// Network of the evaluation [default: the formula]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Divisor of the network's output [default: 16]
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

/// Searches in this process: their evaluation, memory and threads.
#[derive(Args, Debug)]
pub struct SearchArgs {
    /// The evaluation.
    #[command(flatten)]
    pub evaluation: EvaluationArgs,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    pub table: usize,
    /// The threads.
    #[command(flatten)]
    pub threads: ThreadArgs,
}
