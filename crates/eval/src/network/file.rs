//! Network files of either form: detection of the form, and what both share.

use super::architecture::Architecture;
use super::classic::{ClassicError, ClassicParameters};
use super::parts::{Bytes, Head, HeadError, LayerParameters};
use super::sfnn::{self, Progress, SfnnError, SfnnParameters};
use super::transformer::Transformer;

/// Why a file is not a network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It does not begin like a network file.
    #[error(transparent)]
    Head(#[from] HeadError),
    /// It is not a network of the classic form.
    #[error(transparent)]
    Classic(#[from] ClassicError),
    /// It is not the network that was asked for.
    #[error("it is {found}, not the {wanted} that was asked for")]
    Unwanted {
        /// What the file is.
        found: String,
        /// What was asked for.
        wanted: Architecture,
    },
    /// It begins like an SFNN network but does not continue like one.
    #[error(transparent)]
    Sfnn(#[from] SfnnError),
}

/// The numbers of a network, of either form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetworkFile {
    /// The form of 2018.
    Classic(ClassicParameters),
    /// The form with stacks.
    Sfnn(SfnnParameters),
}

impl From<ClassicParameters> for NetworkFile {
    fn from(parameters: ClassicParameters) -> Self {
        Self::Classic(parameters)
    }
}

impl From<SfnnParameters> for NetworkFile {
    fn from(parameters: SfnnParameters) -> Self {
        Self::Sfnn(parameters)
    }
}

/// The numbers of a network, in the form in which the program uses them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NetworkParts {
    pub(super) architecture: Architecture,
    pub(super) transformer: Transformer,
    pub(super) progress: Option<Progress>,
    /// The three layers of each stack.
    pub(super) stacks: Vec<[LayerParameters; 3]>,
}

impl NetworkFile {
    /// The numbers in the form in which the program uses them.
    pub(super) fn into_parts(self) -> NetworkParts {
        let architecture = self.architecture();
        match self {
            Self::Classic(parameters) => NetworkParts {
                architecture,
                transformer: parameters.transformer(),
                progress: None,
                stacks: vec![parameters.layers],
            },
            Self::Sfnn(SfnnParameters { transformer, progress, stacks, .. }) => {
                NetworkParts { architecture, transformer, progress, stacks }
            }
        }
    }

    /// The transformer's biases, and its weights by feature, `[feature][unit]`.
    #[must_use]
    pub fn transformer(&self) -> (&[i16], &[i16]) {
        match self {
            Self::Classic(parameters) => (&parameters.transformer_biases, &parameters.transformer_weights),
            Self::Sfnn(parameters) => parameters.transformer.numbers().split_at(parameters.shape.l1),
        }
    }

    /// The three layers of each stack.
    #[must_use]
    pub fn stacks(&self) -> &[[LayerParameters; 3]] {
        match self {
            Self::Classic(parameters) => std::slice::from_ref(&parameters.layers),
            Self::Sfnn(parameters) => &parameters.stacks,
        }
    }

    /// Reads a file: the network that it claims to be, or the wanted one. Also returns warnings
    /// about oddities.
    ///
    /// # Errors
    /// If it is not a network file, is damaged, is not the wanted network, or needs more memory than there is.
    pub fn from_bytes(file: &[u8], wanted: Option<&Architecture>) -> Result<(Self, Vec<String>), NetworkError> {
        let mut bytes = Bytes(file);
        let head = Head::read(&mut bytes, file.len())?;
        if sfnn::is_sfnn(&head, bytes.0) {
            let wanted = match wanted {
                Some(Architecture::Sfnn(shape)) => Some(shape),
                Some(&wanted) => return Err(NetworkError::Unwanted { found: "an SFNN network".to_owned(), wanted }),
                None => None,
            };
            let (parameters, notes) = sfnn::read(&head, bytes, wanted)?;
            return Ok((Self::Sfnn(parameters), notes));
        }
        let shape = match wanted {
            Some(Architecture::Classic(shape)) => Some(*shape),
            _ => None,
        };
        let (parameters, notes) = ClassicParameters::read(&head, bytes, shape)?;
        match wanted {
            Some(&wanted) if wanted != Architecture::Classic(parameters.shape) => {
                Err(NetworkError::Unwanted { found: format!("the network {}", parameters.shape), wanted })
            }
            _ => Ok((Self::Classic(parameters), notes)),
        }
    }

    /// The architecture of the network.
    #[must_use]
    pub fn architecture(&self) -> Architecture {
        match self {
            Self::Classic(parameters) => Architecture::Classic(parameters.shape),
            Self::Sfnn(parameters) => Architecture::Sfnn(parameters.shape),
        }
    }

    /// The file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Classic(parameters) => parameters.to_bytes(),
            Self::Sfnn(parameters) => parameters.to_bytes(),
        }
    }
}
