//! Games of other processes: full blocks of their files become files of this run.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use kiki_run::evaluation::EvaluationNote;
use kiki_run::files::{entries, write_atomically};
use kiki_run::output::print_warning;
use kiki_train::games::GameFile;

use crate::state::{DataFile, LearnState};

/// Name of the best network's file, for the processes that play games.
const NETWORK: &str = "nn.bin";

/// The files of games in a folder, sorted by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = entries(folder)?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "games"));
    Ok(files)
}

/// Copies the new full blocks: one file for each of theirs, with a name that begins with `prefix`.
pub(crate) fn take(state: &mut LearnState, data: &Path, prefix: &str) -> Result<Vec<DataFile>> {
    let Some(folder) = state.shards.clone() else { return Ok(Vec::new()) };
    let mut arrived = Vec::new();
    for path in files(&folder)? {
        let place = || path.display().to_string();
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        // Another process may have just begun to write it.
        let mut file = match GameFile::open(&path) {
            Ok(file) => file,
            Err(error) => {
                print_warning(&format!("{} is not learned from: {error:#}", path.display()));
                continue;
            }
        };
        // A file made anew under its name has another note.
        let note = blake3::hash(&serde_json::to_vec(file.note())?).to_hex();
        let key = format!("{stem} {}", &note[..16]);
        let taken = state.taken.get(&key).copied().unwrap_or(0);
        let new: Vec<_> = file.blocks().iter().copied().skip(taken).take_while(|block| block.is_full()).collect();
        if new.is_empty() {
            continue;
        }
        // No name of this run's own games begins so.
        let name = format!("{prefix}-shard-{stem}.games");
        write_atomically(&data.join(&name), &file.extract(&new).with_context(place)?)?;
        let positions = new.iter().map(|block| u64::from(block.records)).sum();
        arrived.push(DataFile::new(data, name, None, positions)?);
        state.taken.insert(key, taken + new.len());
    }
    Ok(arrived)
}

/// Copies the best network into the folder of the shards.
pub(crate) fn publish(state: &LearnState) -> Result<()> {
    let (Some(folder), (_, EvaluationNote::Network { file, .. })) = (&state.shards, state.best()) else {
        return Ok(());
    };
    let place = || file.display().to_string();
    let bytes = kiki_platform::read_regular_file(file, kiki_platform::MOST_NETWORK).with_context(place)?;
    write_atomically(&folder.join(NETWORK), &bytes)
}
