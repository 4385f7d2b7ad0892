//! Writes the seeds of cargo-fuzz. `write-seeds FOLDER` makes, for each kind of input, a folder of
//! examples in FOLDER and a dictionary of their words.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use kiki_fuzz_targets::{AWKWARD_WORDS, TARGETS};

/// The longest word that libFuzzer takes.
const LONGEST_WORD: usize = 64;

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).context("usage: write-seeds FOLDER")?);
    for target in TARGETS {
        let seeds = (target.seeds)();
        let examples = folder.join(target.name);
        fs::create_dir_all(&examples).with_context(|| examples.display().to_string())?;
        for (number, seed) in seeds.iter().enumerate() {
            write(&examples.join(format!("seed-{number:03}")), seed)?;
        }
        write(&folder.join(format!("{}.dict", target.name)), dictionary(&seeds).as_bytes())?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).with_context(|| path.display().to_string())
}

/// The words of text examples without numbers, plus awkward words, as a libFuzzer dictionary. With
/// it, libFuzzer inserts whole words and not only single bytes.
fn dictionary(seeds: &[Vec<u8>]) -> String {
    let separates = |letter: char| letter.is_whitespace() || ",;:=\"'()[]{}\u{ff1a}".contains(letter);
    let texts = seeds.iter().filter_map(|seed| std::str::from_utf8(seed).ok());
    let is_wanted = |word: &&str| (1..=LONGEST_WORD).contains(&word.len()) && word.parse::<f64>().is_err();
    let words: BTreeSet<&str> =
        texts.flat_map(|text| text.split(separates)).filter(is_wanted).chain(AWKWARD_WORDS).collect();
    words.iter().map(|word| format!("\"{}\"\n", word.as_bytes().escape_ascii())).collect()
}
