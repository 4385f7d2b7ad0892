//! Evaluations and their models of sigma: of the program or from files that options name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kiki_board::Position;
use kiki_eval::sigma::{SigmaModel, SigmaModelError};
use kiki_eval::{Architecture, ArchitectureError, DEFAULT_FV_SCALE, Network, NetworkError, SelectedWeights};
use kiki_network::{EmbeddedNetworkError, embedded};
use kiki_platform::{MOST_SETTINGS, read_regular_text};

use crate::usi::options::EvaluationSettings;

/// The evaluation that a command for people uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum EvaluationChoice {
    /// The network in the program.
    Network,
    /// The formula that can be read.
    Formula,
}

impl EvaluationChoice {
    /// The numbers of the evaluation.
    ///
    /// # Errors
    /// If the program was built with a damaged network.
    pub(crate) fn weights(self) -> Result<SelectedWeights, EmbeddedNetworkError> {
        match self {
            Self::Network => embedded_network(DEFAULT_FV_SCALE),
            Self::Formula => Ok(SelectedWeights::default()),
        }
    }
}

/// The evaluation of a command for people.
#[derive(clap::Args)]
pub(crate) struct EvaluationArguments {
    /// The evaluation of positions.
    #[arg(long, value_enum, default_value_t = EvaluationChoice::Network)]
    eval: EvaluationChoice,
    /// Network file in place of the network in the program.
    #[arg(long, value_name = "FILE", conflicts_with = "eval")]
    network: Option<PathBuf>,
    /// What that network is, as `SFNN_halfkahm2_1024_7_64_k3k3`; what its file says if left out.
    #[arg(long, value_name = "NAME", requires = "network")]
    architecture: Option<Architecture>,
    /// Divisor of that network's output.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_FV_SCALE, requires = "network",
        value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: i32,
}

impl EvaluationArguments {
    /// Loads the evaluation. Also returns warnings about a network file that can be read.
    ///
    /// # Errors
    /// If the network file cannot be used, or the program was built with a damaged network.
    pub(crate) fn load(&self) -> Result<(LoadedEvaluation, Vec<String>), EvaluationError> {
        if self.network.is_none() {
            return Ok((LoadedEvaluation { weights: self.eval.weights()?, path: None }, Vec::new()));
        }
        LoadedEvaluation::load(&EvaluationSource {
            network: self.network.clone(),
            is_named: true,
            architecture: self.architecture.map(|architecture| architecture.to_string()),
            fv_scale: self.fv_scale,
        })
    }
}

/// The network in the program, ready for use. `fv_scale` is the divisor of its output, which gives centipawns.
fn embedded_network(fv_scale: i32) -> Result<SelectedWeights, EmbeddedNetworkError> {
    Ok(SelectedWeights::Network(Arc::new(embedded(fv_scale)?)))
}

/// The file from the working directory, or else from beside the program; as it was named if it is in neither.
pub(crate) fn find_file(path: &Path) -> PathBuf {
    if path.is_absolute() || path.exists() {
        return path.to_owned();
    }
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join(path)));
    beside.filter(|path| path.exists()).unwrap_or_else(|| path.to_owned())
}

/// The evaluation that the options select, its file found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EvaluationSource {
    /// The network file; `None` for the formula.
    network: Option<PathBuf>,
    /// Whether a missing file is to be reported.
    is_named: bool,
    /// The name of what the network must be; `None`: what its file says.
    architecture: Option<String>,
    fv_scale: i32,
}

impl EvaluationSource {
    pub(crate) fn find(settings: &EvaluationSettings) -> Self {
        let file = || find_file(&Path::new(&settings.folder).join(&settings.file));
        Self {
            network: settings.by_network.then(file),
            is_named: !settings.is_default_file(),
            architecture: settings.architecture.clone(),
            fv_scale: settings.fv_scale,
        }
    }
}

/// Reasons why a network cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EvaluationError {
    #[error("the network {path} cannot be read: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path} cannot be used: {source}")]
    Network { path: PathBuf, source: Box<NetworkError> },
    #[error("EvalArchitecture {0}")]
    Architecture(#[from] ArchitectureError),
    #[error(transparent)]
    Embedded(#[from] EmbeddedNetworkError),
}

/// The evaluation in use.
#[derive(Clone, Default)]
pub(crate) struct LoadedEvaluation {
    pub(crate) weights: SelectedWeights,
    /// The network's file; `None` for the network in the program.
    path: Option<PathBuf>,
}

impl LoadedEvaluation {
    /// Loads an evaluation. Also returns warnings about a network file that can be read.
    ///
    /// # Errors
    /// If a network file cannot be read or is no network. If a file with the conventional name is missing, the network in the program takes
    /// its place.
    pub(crate) fn load(source: &EvaluationSource) -> Result<(Self, Vec<String>), EvaluationError> {
        let Some(path) = source.network.clone() else { return Ok((Self::default(), Vec::new())) };
        if !source.is_named && !path.exists() {
            return Ok((Self { weights: embedded_network(source.fv_scale)?, path: None }, Vec::new()));
        }
        let wanted: Option<Architecture> = source.architecture.as_deref().map(str::parse).transpose()?;
        let (network, notes) =
            Network::load(&path, wanted.as_ref(), source.fv_scale).map_err(|source| match source {
                NetworkError::Io(source) => EvaluationError::Io { path: path.clone(), source },
                source => EvaluationError::Network { path: path.clone(), source: Box::new(source) },
            })?;
        Ok((Self { weights: SelectedWeights::Network(Arc::new(network)), path: Some(path) }, notes))
    }

    /// The network in the program, in place of one that cannot be used. It has its own scale: `FV_SCALE` was meant for the other one.
    ///
    /// # Errors
    /// If the program was built with a damaged network.
    pub(crate) fn substitute() -> Result<Self, EvaluationError> {
        Ok(Self { weights: embedded_network(DEFAULT_FV_SCALE)?, path: None })
    }

    pub(crate) fn is_network(&self) -> bool {
        matches!(self.weights, SelectedWeights::Network(_))
    }

    /// The stack of the network's layers that evaluates a position, as ` stack 4`; nothing for other evaluations.
    pub(crate) fn describe_stack(&self, position: &Position) -> String {
        match &self.weights {
            SelectedWeights::Network(network) => network.stack(position).map(|stack| format!(" stack {stack}")),
            SelectedWeights::Formula(_) => None,
        }
        .unwrap_or_default()
    }

    /// For people: which evaluation it is, and where it comes from.
    pub(crate) fn describe(&self) -> String {
        match (&self.weights, &self.path) {
            (SelectedWeights::Formula(_), _) => self.weights.to_string(),
            (SelectedWeights::Network(_), Some(path)) => format!("{} of {}", self.weights, path.display()),
            (SelectedWeights::Network(_), None) => format!("{} of Kiki", self.weights),
        }
    }
}

/// Reasons why a model of sigma cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SigmaError {
    #[error("SigmaFile {path} cannot be read: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("SigmaFile {path} cannot be used: {source}")]
    Model { path: PathBuf, source: SigmaModelError },
    #[error("the model of sigma in the program cannot be used: {0}")]
    Embedded(SigmaModelError),
}

/// The model in use of how far shallow searches may be off.
#[derive(Default)]
pub(crate) struct LoadedSigma {
    pub(crate) model: Arc<SigmaModel>,
    /// The file that was last tried, `None` for the model in the program; and whether the model was for the formula.
    tried: Option<(Option<PathBuf>, bool)>,
}

impl LoadedSigma {
    /// Loads the model of a file, or the one in the program, for networks or for the formula, unless that was tried last.
    ///
    /// # Errors
    /// If the file cannot be used: then the model in the program takes its place.
    pub(crate) fn load(&mut self, file: Option<&str>, of_formula: bool) -> Result<(), SigmaError> {
        let wanted = (file.map(|file| find_file(file.as_ref())), of_formula);
        if self.tried.as_ref() == Some(&wanted) {
            return Ok(());
        }
        let embedded = kiki_network::embedded_sigma(of_formula).map_err(SigmaError::Embedded);
        let of_file = wanted.0.as_ref().map(read_sigma);
        self.tried = Some(wanted);
        let (model, problem) = match of_file {
            Some(Ok(model)) => (model, Ok(())),
            Some(Err(error)) => (embedded?, Err(error)),
            None => (embedded?, Ok(())),
        };
        self.model = Arc::new(model);
        problem
    }
}

fn read_sigma(path: &PathBuf) -> Result<SigmaModel, SigmaError> {
    let text =
        read_regular_text(path, MOST_SETTINGS).map_err(|source| SigmaError::Io { path: path.clone(), source })?;
    SigmaModel::from_text(&text).map_err(|source| SigmaError::Model { path: path.clone(), source })
}
