//! Writes the examples of every kind of input where cargo-fuzz looks for them: `write-seeds FOLDER` makes a folder in it for each kind.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use kiki_fuzz_targets::TARGETS;

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).context("usage: write-seeds FOLDER")?);
    for target in TARGETS {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        for (number, seed) in (target.seeds)().into_iter().enumerate() {
            let path = folder.join(format!("seed-{number:03}"));
            fs::write(&path, seed).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}
