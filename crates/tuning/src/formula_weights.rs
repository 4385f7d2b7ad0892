//! Numbers of the formula out of a file, and the names of what they count.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use kiki_board::PieceKind;
use kiki_eval::{TUNABLES, Weights};

use crate::settings::read_parameters;

/// The names of all kinds in the names of the numbers, in the order of the kinds.
pub(super) const KIND_NAMES: [&str; PieceKind::NUM] = [
    "pawn",
    "lance",
    "knight",
    "silver",
    "gold",
    "bishop",
    "rook",
    "king",
    "pro_pawn",
    "pro_lance",
    "pro_knight",
    "pro_silver",
    "horse",
    "dragon",
];

/// The numbers in use with what a file of parameters changes (those that it starts from).
///
/// # Errors
/// If the file cannot be read, or has a number that the formula does not have or cannot take.
pub(super) fn read_weights(path: &Path) -> Result<Weights> {
    let mut weights = Weights::default();
    for (name, range) in &read_parameters(path)? {
        let place = || path.display().to_string();
        let tunable = TUNABLES.iter().find(|tunable| tunable.name == name);
        let tunable = tunable.with_context(|| format!("`{name}` is no number of the formula")).with_context(place)?;
        let (value, min, max) = (range.start, tunable.min, tunable.max);
        ensure!((min..=max).contains(&value), "{}: `{name}` is {value}, not from {min} to {max}", path.display());
        weights.set(name, value);
    }
    Ok(weights)
}

/// What a kind is called.
pub(super) fn kind_name(kind: PieceKind) -> String {
    KIND_NAMES[kind.array_index()].replace("pro_", "promoted ")
}

/// Numbers of the formula and the name that pictures and tables give them.
#[derive(Clone, Debug)]
pub(super) struct NamedWeights {
    pub(super) name: String,
    pub(super) weights: Weights,
}
