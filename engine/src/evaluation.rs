//! The evaluation of commands for people: the network in the program, or the formula.

use std::sync::Arc;

use kiki_eval::{DEFAULT_FV_SCALE, Network, SelectedWeights};
use kiki_network::{EmbeddedNetworkError, embedded};

/// Which evaluation is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum EvaluationChoice {
    /// The network in the program.
    Network,
    /// The formula that can be read.
    Formula,
}

impl EvaluationChoice {
    /// Its numbers.
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

/// The network in the program, ready for use. `fv_scale` is what its output is divided by to give centipawns.
///
/// # Errors
/// If the program was built with a damaged network.
pub(crate) fn embedded_network(fv_scale: i32) -> Result<SelectedWeights, EmbeddedNetworkError> {
    Ok(SelectedWeights::Network(Arc::new(Network::new(&embedded()?, fv_scale))))
}
