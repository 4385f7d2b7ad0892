//! A game as KIF, the format of Japanese programs for people, written by the crate rsshogi.

use std::fmt::Write as _;

use kiki_record::{Game, to_csa};
use rsshogi::records::formats::csa::parse_csa_str;
use rsshogi::records::formats::kif::export_kif;

/// Writes a game as KIF in UTF-8.
///
/// # Errors
/// The game has an illegal move, or a root that is no position.
pub fn to_kif(game: &Game) -> Result<String, String> {
    let csa = to_csa(game).map_err(|error| error.to_string())?;
    let record = parse_csa_str(&csa).map_err(|error| error.to_string())?;
    let mut text = String::from("#KIF version=2.0 encoding=UTF-8\n");
    let kif = export_kif(&record).map_err(|error| error.to_string())?;
    let _ = write!(text, "{kif}");
    Ok(text)
}
