//! Evaluations and their models of sigma, built in or from files that options name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use kiki_board::Position;
use kiki_eval::sigma::SigmaModel;
use kiki_eval::{Architecture, ArchitectureError, DEFAULT_FV_SCALE, Network, NetworkError, SelectedWeights};
use kiki_network::{EmbeddedNetworkError, embedded};
use kiki_platform::{MOST_SETTINGS, read_regular_text};

use crate::usi::options::EvaluationSettings;

/// The evaluation that a command for people uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum EvaluationChoice {
    /// The built-in network.
    Network,
    /// The hand-crafted formula.
    Formula,
}

impl EvaluationChoice {
    /// Fails if the program was built with a damaged network.
    pub(crate) fn weights(self) -> Result<SelectedWeights, EmbeddedNetworkError> {
        match self {
            Self::Network => embedded_network(DEFAULT_FV_SCALE),
            Self::Formula => Ok(SelectedWeights::default()),
        }
    }
}

#[derive(clap::Args)]
pub(crate) struct EvaluationArguments {
    /// Evaluation to use.
    #[arg(long, value_enum, default_value_t = EvaluationChoice::Network)]
    eval: EvaluationChoice,
    /// Network file to use instead of the built-in network.
    #[arg(long, value_name = "FILE", conflicts_with = "eval")]
    network: Option<PathBuf>,
    /// Architecture of that network, such as `SFNN_halfkahm2_1024_7_64_k3k3`; by default, the one
    /// that the file states.
    #[arg(long, value_name = "NAME", requires = "network")]
    architecture: Option<Architecture>,
    /// Divisor of that network's output.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_FV_SCALE, requires = "network",
        value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: i32,
}

impl EvaluationArguments {
    /// Loads the evaluation. Also returns warnings about a readable network file.
    pub(crate) fn load(&self) -> Result<(LoadedEvaluation, Vec<String>)> {
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

/// The built-in network. `fv_scale` divides its output to give centipawns.
fn embedded_network(fv_scale: i32) -> Result<SelectedWeights, EmbeddedNetworkError> {
    Ok(SelectedWeights::Network(Arc::new(embedded(fv_scale)?)))
}

/// The file in the working directory or next to the program; else the unchanged path.
pub(crate) fn find_file(path: &Path) -> PathBuf {
    if path.is_absolute() || path.exists() {
        return path.to_owned();
    }
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join(path)));
    beside.filter(|path| path.exists()).unwrap_or_else(|| path.to_owned())
}

/// The evaluation that the options select, with its file's path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EvaluationSource {
    /// The network file; `None` for the formula.
    network: Option<PathBuf>,
    /// Whether to report a missing file.
    is_named: bool,
    /// The required architecture; `None` for the one that the file states.
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

#[derive(Clone, Default)]
pub(crate) struct LoadedEvaluation {
    pub(crate) weights: SelectedWeights,
    /// The network's file; `None` for the built-in network.
    path: Option<PathBuf>,
}

impl LoadedEvaluation {
    /// Loads an evaluation. Also returns warnings about a readable network file. If a file with the
    /// conventional name is missing, the built-in network replaces it.
    pub(crate) fn load(source: &EvaluationSource) -> Result<(Self, Vec<String>)> {
        let Some(path) = source.network.clone() else { return Ok((Self::default(), Vec::new())) };
        if !source.is_named && !path.exists() {
            return Ok((Self { weights: embedded_network(source.fv_scale)?, path: None }, Vec::new()));
        }
        let wanted = source.architecture.as_deref().map(str::parse).transpose();
        let wanted = wanted.map_err(|error: ArchitectureError| anyhow!("EvalArchitecture {error}"))?;
        let loaded = Network::load(&path, wanted.as_ref(), source.fv_scale);
        let (network, notes) = loaded.map_err(|error| match error {
            NetworkError::Io(error) => anyhow!("the network {} cannot be read: {error}", path.display()),
            error => anyhow!("{} cannot be used: {error}", path.display()),
        })?;
        Ok((Self { weights: SelectedWeights::Network(Arc::new(network)), path: Some(path) }, notes))
    }

    /// The built-in network, in place of an unusable one whose `FV_SCALE` does not apply.
    pub(crate) fn substitute() -> Result<Self> {
        Ok(Self { weights: embedded_network(DEFAULT_FV_SCALE)?, path: None })
    }

    pub(crate) fn is_network(&self) -> bool {
        matches!(self.weights, SelectedWeights::Network(_))
    }

    /// The layer stack that evaluates a position, as ` stack 4`; empty for other evaluations.
    pub(crate) fn describe_stack(&self, position: &Position) -> String {
        match &self.weights {
            SelectedWeights::Network(network) => network.stack(position).map(|stack| format!(" stack {stack}")),
            SelectedWeights::Formula(_) => None,
        }
        .unwrap_or_default()
    }

    /// For people: the name of the evaluation and its origin.
    pub(crate) fn describe(&self) -> String {
        match (&self.weights, &self.path) {
            (SelectedWeights::Formula(_), _) => self.weights.to_string(),
            (SelectedWeights::Network(_), Some(path)) => format!("{} of {}", self.weights, path.display()),
            (SelectedWeights::Network(_), None) => format!("{} of Kiki", self.weights),
        }
    }
}

#[derive(Default)]
pub(crate) struct LoadedSigma {
    pub(crate) model: Arc<SigmaModel>,
    /// The file tried last (`None`: built in), and whether the model was for the formula.
    tried: Option<(Option<PathBuf>, bool)>,
}

impl LoadedSigma {
    /// Loads the model of a file, or the built-in one, for networks or for the formula, unless that
    /// was tried last. If the file cannot be used, the built-in model replaces it.
    pub(crate) fn load(&mut self, file: Option<&str>, of_formula: bool) -> Result<()> {
        let wanted = (file.map(|file| find_file(file.as_ref())), of_formula);
        if self.tried.as_ref() == Some(&wanted) {
            return Ok(());
        }
        let embedded = kiki_network::embedded_sigma(of_formula)
            .map_err(|error| anyhow!("the built-in sigma model cannot be used: {error}"));
        let of_file = wanted.0.as_deref().map(read_sigma);
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

fn read_sigma(path: &Path) -> Result<SigmaModel> {
    let name = path.display();
    let text =
        read_regular_text(path, MOST_SETTINGS).map_err(|error| anyhow!("SigmaFile {name} cannot be read: {error}"))?;
    SigmaModel::from_text(&text).map_err(|error| anyhow!("SigmaFile {name} cannot be used: {error}"))
}
