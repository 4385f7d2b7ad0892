//! Files that options name.

use std::path::{Path, PathBuf};

/// The file from the working directory, or else from beside the program; as it was named if it is in neither.
pub(super) fn find_file(path: &Path) -> PathBuf {
    if path.is_absolute() || path.exists() {
        return path.to_owned();
    }
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join(path)));
    beside.filter(|path| path.exists()).unwrap_or_else(|| path.to_owned())
}
