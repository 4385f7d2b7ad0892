//! The evaluation and the threads of a command, and the evaluation as settings record it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::ensure_usage;
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_eval::{Architecture, DEFAULT_FV_SCALE, Network, SelectedWeights};
use kiki_platform::{MOST_NETWORK, read_regular_file};
use serde::{Deserialize, Serialize};

/// The evaluation as the settings of a run record it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum EvaluationNote {
    /// The formula with its built-in weights.
    Formula,
    Network {
        /// An absolute path, because a later run may continue from another folder.
        file: PathBuf,
        blake3: String,
        /// The required architecture; `None` for the one that the file names.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        architecture: Option<String>,
        fv_scale: i32,
    },
}

impl EvaluationNote {
    /// The evaluation chosen on the command line.
    pub fn new(network: Option<&Path>, architecture: Option<&Architecture>, fv_scale: Option<i32>) -> Result<Self> {
        let Some(file) = network else { return Ok(Self::Formula) };
        let fv_scale = fv_scale.unwrap_or(DEFAULT_FV_SCALE);
        let blake3 = blake3::hash(&read(file)?).to_string();
        let architecture = architecture.map(ToString::to_string);
        Ok(Self::Network { file: std::path::absolute(file)?, blake3, architecture, fv_scale })
    }

    /// The weights. Refuses a network file that has changed.
    pub fn load(&self) -> Result<SelectedWeights> {
        let Self::Network { file, blake3, architecture, fv_scale } = self else {
            return Ok(SelectedWeights::default());
        };
        let bytes = read(file)?;
        ensure!(
            blake3::hash(&bytes).to_string() == *blake3,
            "{} is not the network that the first games were played with",
            file.display()
        );
        let wanted = architecture.as_deref().map(str::parse).transpose()?;
        weights(file, &bytes, wanted.as_ref(), *fv_scale)
    }
}

/// An evaluation whose weights all threads of a process share. It is serialized as its note.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SharedEvaluation {
    note: EvaluationNote,
    #[serde(skip)]
    weights: OnceLock<SelectedWeights>,
}

impl SharedEvaluation {
    #[must_use]
    pub fn new(note: EvaluationNote) -> Self {
        Self { note, weights: OnceLock::new() }
    }

    /// The weights, loaded at the first call.
    pub fn weights(&self) -> Result<SelectedWeights> {
        if let Some(weights) = self.weights.get() {
            return Ok(weights.clone());
        }
        let loaded = self.note.load()?;
        Ok(self.weights.get_or_init(|| loaded).clone())
    }

    /// The file of a network and its BLAKE3 sum.
    pub fn file(&mut self) -> Option<(&mut PathBuf, &str)> {
        match &mut self.note {
            EvaluationNote::Formula => None,
            EvaluationNote::Network { file, blake3, .. } => Some((file, blake3)),
        }
    }
}

/// The weights of a network file that no settings record.
pub fn load(file: &Path, fv_scale: Option<i32>) -> Result<SelectedWeights> {
    weights(file, &read(file)?, None, fv_scale.unwrap_or(DEFAULT_FV_SCALE))
}

fn weights(file: &Path, bytes: &[u8], wanted: Option<&Architecture>, fv_scale: i32) -> Result<SelectedWeights> {
    let (network, _) = Network::read(bytes, wanted, fv_scale).with_context(|| format!("network {}", file.display()))?;
    Ok(SelectedWeights::Network(Arc::new(network)))
}

fn read(file: &Path) -> Result<Vec<u8>> {
    read_regular_file(file, MOST_NETWORK).with_context(|| format!("network {}", file.display()))
}

#[derive(Args, Debug)]
pub struct ThreadArgs {
    /// Number of threads: simultaneous searches or games, or parts of a step of learning
    /// [default: all processors]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl ThreadArgs {
    /// From 1 to 1024; all processors by default.
    pub fn count(&self) -> Result<usize> {
        let threads = match self.threads {
            Some(threads) => threads,
            None => std::thread::available_parallelism()?.get(),
        };
        ensure_usage!((1..=1024).contains(&threads), "--threads {threads}: expected 1 to 1024");
        Ok(threads)
    }
}

#[derive(Args, Debug)]
pub struct EvaluationArgs {
    /// Network of the evaluation [default: the formula]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Architecture of the network, such as `SFNN_halfkahm2_1024_7_64_k3k3` [default: what its file
    /// says]
    #[arg(long, value_name = "NAME", requires = "network")]
    architecture: Option<Architecture>,
    /// Divisor of the network's output [default: 16]
    #[arg(long, value_name = "N", requires = "network", value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: Option<i32>,
}

impl EvaluationArgs {
    pub fn note(&self) -> Result<EvaluationNote> {
        EvaluationNote::new(self.network.as_deref(), self.architecture.as_ref(), self.fv_scale)
    }
}

/// Searches in this process: their evaluation, memory and threads.
#[derive(Args, Debug)]
pub struct SearcherArgs {
    #[command(flatten)]
    pub evaluation: EvaluationArgs,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    pub table: usize,
    #[command(flatten)]
    pub threads: ThreadArgs,
}

#[derive(Args, Debug)]
pub struct SearchRunArgs {
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
