//! The network that Kiki plays with unless another is chosen. `kiki-lab train` trained it on games
//! of Kiki against itself. `nn.json` beside `nn.bin.gz` says how, and `docs/networks.md` how to
//! make the next one.
//!
//! `nn.bin.gz` is an ordinary network file, compressed:
//! `gunzip -c crates/network/nn.bin.gz > nn.bin` gives the file that other programs read. A build
//! with `KIKI_EVALFILE=FILE` embeds that network instead, compressed or not.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::GzDecoder;
use kiki_eval::sigma::{SigmaModel, SigmaModelError};
use kiki_eval::{Network, NetworkError};

/// Named by the build script.
static FILE: &[u8] = include_bytes!(env!("KIKI_NETWORK"));

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The name of the file that is embedded instead of `nn.bin.gz`, if one is.
pub const OTHER_FILE: Option<&str> = option_env!("KIKI_OTHER_NETWORK");

/// How the network in `nn.bin.gz` was trained, as `kiki-lab train` writes it: JSON with settings,
/// data and result.
pub const NOTE: &str = include_str!("../nn.json");

/// The embedded network was damaged before the program was built.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedNetworkError {
    #[error("the built-in network cannot be decompressed: {0}")]
    Compression(#[from] std::io::Error),
    #[error("the built-in network cannot be used: {0}")]
    Network(#[from] NetworkError),
}

/// The network file.
fn decompressed() -> std::io::Result<Cow<'static, [u8]>> {
    if !FILE.starts_with(&GZIP) {
        return Ok(FILE.into());
    }
    // The last four bytes of a gzip file are the length of its content.
    let length = FILE.last_chunk().map_or(0, |length| u32::from_le_bytes(*length));
    let mut file = Vec::with_capacity(length as usize);
    GzDecoder::new(FILE).read_to_end(&mut file)?;
    Ok(file.into())
}

/// Decompresses the network anew at each call. Its output divided by `fv_scale` is in centipawns.
///
/// ```
/// let network = kiki_network::embedded(kiki_eval::DEFAULT_FV_SCALE)?;
/// assert_eq!(network.architecture().to_string(), "SFNN_halfkahm2_384_15_32_k3k3");
/// # Ok::<(), kiki_network::EmbeddedNetworkError>(())
/// ```
pub fn embedded(fv_scale: i32) -> Result<Network, EmbeddedNetworkError> {
    Ok(Network::read(&decompressed()?, None, fv_scale)?.0)
}

static SIGMA_OF_NETWORK: &str = include_str!("../sigma-network.tsv");
static SIGMA_OF_FORMULA: &str = include_str!("../sigma-formula.tsv");

/// The model of the errors of shallow searches with the network or the formula; parsed anew.
pub fn embedded_sigma(of_formula: bool) -> Result<SigmaModel, SigmaModelError> {
    SigmaModel::from_text(if of_formula { SIGMA_OF_FORMULA } else { SIGMA_OF_NETWORK })
}

#[cfg(test)]
mod tests {
    use kiki_eval::NetworkFile;

    use super::*;

    #[test]
    fn the_embedded_models_of_sigma_are_as_they_are_written() {
        for (of_formula, text) in [(false, SIGMA_OF_NETWORK), (true, SIGMA_OF_FORMULA)] {
            assert_eq!(embedded_sigma(of_formula).unwrap().to_text(), text);
        }
    }

    #[test]
    fn the_embedded_network_is_as_other_programs_write_it() {
        let file = decompressed().unwrap();
        let (network, notes) = NetworkFile::from_bytes(&file, None).unwrap();
        assert_eq!(notes, [""; 0]);
        assert!(*network.to_bytes() == *file);
    }

    #[test]
    fn the_note_is_that_of_the_embedded_network() {
        let file = decompressed().unwrap();
        let note: serde_json::Value = serde_json::from_str(NOTE).unwrap();
        let start = note["start"]["blake3"].as_str().expect("the network that the training began with");
        assert_eq!(note["ancestors"][0]["blake3"], start);
        assert_eq!(note["result"]["best"]["blake3"], blake3::hash(&file).to_string());
        let (network, _) = NetworkFile::from_bytes(&file, None).unwrap();
        assert_eq!(note["settings"]["shape"], network.architecture.to_string());
    }
}
