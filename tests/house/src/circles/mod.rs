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
use graph::Circle;

#[test]
fn no_file_uses_a_file_that_uses_it() {
    let is_rust = |name: &String| name.ends_with(".rs");
    let named = files().into_iter().map(|path| (name_of(&path), path)).filter(|(name, _)| is_rust(name));
    let sources: Sources =
        named.map(|(name, path)| (name, std::fs::read_to_string(path).expect("a readable source"))).collect();
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
