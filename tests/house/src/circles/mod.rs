//! No two files of a crate use each other, directly or by way of further files.
//!
//! A file uses another when its code names an item that the other defines: in a `use` or in a path such as `super::table::Entry`,
//! also through names that a module passes on with `pub use`. Declarations (`mod x;`) and names passed on are no use.
//! Method calls are left out, because they cannot be resolved without types. Code under `#[cfg(test)]`, integration tests,
//! examples and benches do not count.

mod graph;
mod modules;
mod paths;
mod resolve;
mod tests;

use crate::source::{Sources, files, name_of};
use graph::{Arrow, Circle};

/// The folders of the search, each of which uses only those after it.
const SEARCH_FOLDERS: [&str; 7] = ["threads", "root", "node", "order", "control", "time", "table"];

/// The Rust files of the repository.
fn rust_sources() -> Sources {
    let named = files().into_iter().map(|path| (name_of(&path), path));
    let rust = named.filter(|(name, _)| name.ends_with(".rs"));
    rust.map(|(name, path)| (name, std::fs::read_to_string(path).expect("a readable source"))).collect()
}

#[test]
fn folders_of_the_search_use_only_those_below() {
    let place = |file: &str| {
        let folder = file.strip_prefix("crates/search/src/")?.split_once('/')?.0;
        Some(SEARCH_FOLDERS.iter().position(|&known| known == folder).unwrap_or_else(|| panic!("a new folder: {file}")))
    };
    let arrows = graph::arrows(&rust_sources(), "crates/search/src/lib.rs");
    let places = |arrow: &Arrow| Some((place(&arrow.from)?, place(&arrow.to)?));
    assert!(arrows.iter().filter_map(places).filter(|(from, to)| from < to).count() > 20, "the folders are seen");
    let breaches = arrows.iter().filter(|arrow| places(arrow).is_some_and(|(from, to)| from > to));
    let list: Vec<String> = breaches.map(|Arrow { from, line, text, .. }| format!("{from}:{line}: {text}")).collect();
    assert!(list.is_empty(), "\n{}", list.join("\n"));
}

#[test]
fn no_file_uses_a_file_that_uses_it() {
    let sources = rust_sources();
    let roots: Vec<&String> = sources.keys().filter(|name| is_crate_root(name)).collect();
    assert!(roots.len() > 10, "the crates are seen: {roots:?}");
    let circles: Vec<Circle> = roots.iter().flat_map(|root| graph::circles(&sources, root)).collect();
    let list: Vec<String> = circles.iter().map(ToString::to_string).collect();
    assert!(circles.is_empty(), "\n{} circles of files\n\n{}", circles.len(), list.join("\n"));
}

/// Whether a crate of the workspace begins in this file: a library or a program.
fn is_crate_root(name: &str) -> bool {
    let Some((_, path)) = name.split_once("src/") else { return false };
    match path.split('/').collect::<Vec<_>>()[..] {
        ["lib.rs" | "main.rs"] | ["bin", _, "main.rs"] => true,
        ["bin", file] => file.ends_with(".rs"),
        _ => false,
    }
}
