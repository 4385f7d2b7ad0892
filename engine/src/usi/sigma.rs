//! The model of the reliability of shallow searches that the options select.

use std::path::PathBuf;
use std::sync::Arc;

use kiki_eval::SelectedWeights;
use kiki_eval::sigma::{SigmaModel, SigmaModelError};
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use kiki_usi::{OptionError, OptionSet};

use super::files::find_file;

/// The value of `SigmaFile` that stands for the model in the program.
pub(super) const BUILT_IN: &str = "built_in";

/// What the options and the evaluation ask for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SigmaSettings {
    /// `None` for the model in the program.
    file: Option<PathBuf>,
    /// Whether it is for the formula; else it is for networks.
    of_formula: bool,
}

impl SigmaSettings {
    pub(super) fn read(options: &OptionSet, weights: &SelectedWeights) -> Result<Self, OptionError> {
        let name = options.text("SigmaFile")?;
        Ok(Self {
            file: (name != BUILT_IN).then(|| find_file(name.as_ref())),
            of_formula: matches!(weights, SelectedWeights::Formula(_)),
        })
    }
}

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum SigmaError {
    #[error("SigmaFile {path} cannot be read: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("SigmaFile {path} cannot be used: {source}")]
    Model { path: PathBuf, source: SigmaModelError },
    #[error("the model of sigma in the program cannot be used: {0}")]
    Embedded(SigmaModelError),
}

/// The model in use.
#[derive(Default)]
pub(super) struct LoadedSigma {
    pub(super) model: Arc<SigmaModel>,
    tried: Option<SigmaSettings>,
}

impl LoadedSigma {
    /// Loads what is asked for, unless that was tried before. Where a file cannot be used the model in the program is; the error says why.
    pub(super) fn load(&mut self, wanted: SigmaSettings) -> Result<(), SigmaError> {
        if self.tried.as_ref() == Some(&wanted) {
            return Ok(());
        }
        let embedded = kiki_network::embedded_sigma(wanted.of_formula).map_err(SigmaError::Embedded);
        let of_file = wanted.file.as_ref().map(read);
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

fn read(path: &PathBuf) -> Result<SigmaModel, SigmaError> {
    let text =
        read_regular_text(path, MOST_SETTINGS).map_err(|source| SigmaError::Io { path: path.clone(), source })?;
    SigmaModel::from_text(&text).map_err(|source| SigmaError::Model { path: path.clone(), source })
}
