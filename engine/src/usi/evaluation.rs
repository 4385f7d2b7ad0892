//! The evaluation that the options select: a network file, the network in the program, or the formula.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kiki_eval::{DEFAULT_FV_SCALE, Network, NetworkError, NetworkParameters, SelectedWeights};
use kiki_network::EmbeddedNetworkError;
use kiki_platform::{MOST_NETWORK, read_regular_file};
use kiki_usi::{OptionError, OptionSet};

use super::files::find_file;
use crate::evaluation::embedded_network;

/// The conventional network file. If it is missing, the network in the program is used and nothing is reported.
pub(super) const DEFAULT_FOLDER: &str = "eval";
pub(super) const DEFAULT_FILE: &str = "nn.bin";

/// What the options say about the evaluation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EvaluationSettings {
    /// The network file; `None` for the formula.
    network: Option<PathBuf>,
    /// Whether a missing file is to be reported.
    is_named: bool,
    fv_scale: i32,
}

impl EvaluationSettings {
    pub(super) fn read(options: &OptionSet) -> Result<Self, OptionError> {
        let (folder, file) = (options.text("EvalDir")?, options.text("EvalFile")?);
        let network = (options.text("Eval")? == "network").then(|| find_file(&Path::new(folder).join(file)));
        let is_named = (folder, file) != (DEFAULT_FOLDER, DEFAULT_FILE);
        Ok(Self { network, is_named, fv_scale: options.spin("FV_SCALE")? as i32 })
    }
}

/// Why a network cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum EvaluationError {
    #[error("the network {path} cannot be read: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path} cannot be used: {source}")]
    Network { path: PathBuf, source: NetworkError },
    #[error(transparent)]
    Embedded(#[from] EmbeddedNetworkError),
}

/// The evaluation in use.
#[derive(Clone, Default)]
pub(super) struct LoadedEvaluation {
    pub(super) weights: SelectedWeights,
    /// The network's file; `None` for the network in the program.
    path: Option<PathBuf>,
}

impl LoadedEvaluation {
    /// Loads what the settings say. Also returns what is odd about a network file that can be read.
    ///
    /// # Errors
    /// If a network file cannot be read or is none. A missing one is no error if it has the conventional name: then it is the network in the
    /// program.
    pub(super) fn load(settings: &EvaluationSettings) -> Result<(Self, Vec<String>), EvaluationError> {
        let Some(path) = settings.network.clone() else { return Ok((Self::default(), Vec::new())) };
        if !settings.is_named && !path.exists() {
            return Ok((Self { weights: embedded_network(settings.fv_scale)?, path: None }, Vec::new()));
        }
        let file = read_regular_file(&path, MOST_NETWORK)
            .map_err(|source| EvaluationError::Io { path: path.clone(), source })?;
        let (parameters, notes) = NetworkParameters::from_bytes(&file)
            .map_err(|source| EvaluationError::Network { path: path.clone(), source })?;
        let network = Arc::new(Network::new(&parameters, settings.fv_scale));
        Ok((Self { weights: SelectedWeights::Network(network), path: Some(path) }, notes))
    }

    /// The network in the program, in place of one that cannot be used. It has its own scale: `FV_SCALE` was meant for the other one.
    ///
    /// # Errors
    /// If the program was built with a damaged network.
    pub(super) fn substitute() -> Result<Self, EvaluationError> {
        Ok(Self { weights: embedded_network(DEFAULT_FV_SCALE)?, path: None })
    }

    /// For people: which evaluation it is, and where it comes from.
    pub(super) fn describe(&self) -> String {
        match (&self.weights, &self.path) {
            (SelectedWeights::Formula(_), _) => self.weights.to_string(),
            (SelectedWeights::Network(_), Some(path)) => format!("{} of {}", self.weights, path.display()),
            (SelectedWeights::Network(_), None) => format!("{} of Kiki", self.weights),
        }
    }
}
