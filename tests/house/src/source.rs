//! Files of the repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The text of each file by its path from the repository's root, with slashes.
pub(crate) type Texts = BTreeMap<String, String>;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All text files of the repository whose path is wanted, without build outputs and version
/// control.
pub(crate) fn sources(is_wanted: impl Fn(&str) -> bool) -> Texts {
    let mut found = Texts::new();
    let mut directories = vec![root()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).expect("a readable directory") {
            let path = entry.expect("a readable entry").path();
            let relative = path.strip_prefix(root()).expect("a file below the root").components();
            let name = relative.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
            // In a git work tree `.git` is a file.
            if path.ends_with("target") || path.ends_with(".git") || path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                directories.push(path);
            } else if is_wanted(&name)
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                found.insert(name, text);
            }
        }
    }
    found
}

pub(crate) fn rust_sources() -> Texts {
    let found = sources(|name| name.ends_with(".rs"));
    assert!(found.contains_key("tests/house/src/source.rs"), "this file is seen");
    found
}

/// Fails with a list of all breaches.
#[track_caller]
pub(crate) fn refuse(breaches: &[String]) {
    assert!(breaches.is_empty(), "\n{}\n", breaches.join("\n"));
}
