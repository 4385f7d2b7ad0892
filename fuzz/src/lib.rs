//! How the programs of this folder find their kind of input.

use kiki_fuzz_targets::{TARGETS, Target};

/// The kind of input of this name.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn target(name: &str) -> Target {
    TARGETS.into_iter().find(|target| target.name == name).expect("a kind of input")
}
