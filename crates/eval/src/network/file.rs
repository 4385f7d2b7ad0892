//! Network files of either form: detection of the form.

use super::architecture::Architecture;
use super::numbers::NetworkFile;
use super::parts::{FileBytes, NetworkHead};
use super::{classic, sfnn};

/// Why a file is not a network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It is no network, a damaged one or another than was asked for, or needs too much memory: one
    /// line that says so.
    #[error("{0}")]
    Unusable(String),
}

impl NetworkHead {
    /// The head of a file.
    pub fn of_file(file: &[u8]) -> Result<Self, NetworkError> {
        Self::read(&mut FileBytes(file), file.len()).map_err(NetworkError::Unusable)
    }
}

impl NetworkFile {
    /// Reads a file: the network that it claims to be, or the wanted one. Also returns warnings
    /// about oddities.
    pub fn from_bytes(file: &[u8], wanted: Option<&Architecture>) -> Result<(Self, Vec<String>), NetworkError> {
        read(file, wanted).map_err(NetworkError::Unusable)
    }
}

fn read(file: &[u8], wanted: Option<&Architecture>) -> Result<(NetworkFile, Vec<String>), String> {
    let mut bytes = FileBytes(file);
    let head = NetworkHead::read(&mut bytes, file.len())?;
    let unwanted = |found: &str, wanted| Err(format!("it is {found}, not the {wanted} that was asked for"));
    if sfnn::is_sfnn(&head, bytes.0) {
        return match wanted {
            Some(Architecture::Sfnn(shape)) => sfnn::read(&head, bytes, Some(shape)),
            Some(wanted) => unwanted("an SFNN network", wanted),
            None => sfnn::read(&head, bytes, None),
        };
    }
    let shape = match wanted {
        Some(Architecture::Classic(shape)) => Some(*shape),
        _ => None,
    };
    let (read, notes) = classic::read(&head, bytes, shape)?;
    match wanted {
        Some(wanted) if *wanted != read.architecture => unwanted(&format!("the network {}", read.architecture), wanted),
        _ => Ok((read, notes)),
    }
}
