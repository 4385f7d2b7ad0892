//! Network files of either form: detection of the form.

use super::architecture::Architecture;
use super::classic::{self, ClassicError};
use super::numbers::NetworkFile;
use super::parts::{Bytes, Head, HeadError};
use super::sfnn::{self, SfnnError};

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

impl NetworkFile {
    /// Reads a file: the network that it claims to be, or the wanted one. Also returns warnings
    /// about oddities.
    ///
    /// # Errors
    /// If it is not a network file, is damaged, is not the wanted network, or needs more memory
    /// than there is.
    pub fn from_bytes(file: &[u8], wanted: Option<&Architecture>) -> Result<(Self, Vec<String>), NetworkError> {
        let mut bytes = Bytes(file);
        let head = Head::read(&mut bytes, file.len())?;
        if sfnn::is_sfnn(&head, bytes.0) {
            let wanted = match wanted {
                Some(Architecture::Sfnn(shape)) => Some(shape),
                Some(&wanted) => return Err(NetworkError::Unwanted { found: "an SFNN network".to_owned(), wanted }),
                None => None,
            };
            return Ok(sfnn::read(&head, bytes, wanted)?);
        }
        let shape = match wanted {
            Some(Architecture::Classic(shape)) => Some(*shape),
            _ => None,
        };
        let (read, notes) = classic::read(&head, bytes, shape)?;
        match wanted {
            Some(&wanted) if wanted != read.architecture => {
                Err(NetworkError::Unwanted { found: format!("the network {}", read.architecture), wanted })
            }
            _ => Ok((read, notes)),
        }
    }
}
