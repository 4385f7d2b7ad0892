//! No two files of a crate use each other, directly or through other files.
//!
//! A file uses another when its code names an item that the other defines: in a `use` or in a path
//! such as `super::table::Entry`, also through names that a module re-exports with `pub use`.
//! Declarations (`mod x;`) and re-exports are not uses. Method calls do not count, because they
//! cannot be resolved without types, nor does code under `#[cfg(test)]`.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use crate::names::Crate;
use crate::source::{Sources, rust_sources};

/// The folders of the search; each uses only those after it.
const SEARCH_FOLDERS: [&str; 7] = ["threads", "root", "node", "order", "control", "time", "table"];

/// One file uses another.
struct Arrow {
    from: String,
    to: String,
    /// The first line of `from` that does so, from 1.
    line: usize,
}

/// All uses of one file by another in the crate whose root is the file `root`.
fn arrows(sources: &Sources, root: &str) -> Vec<Arrow> {
    let this = Crate::read(sources, root);
    let mut first_lines = BTreeMap::new();
    for (from, to, line) in this.uses() {
        let first = first_lines.entry((from, to)).or_insert(line);
        *first = line.min(*first);
    }
    let file = |number: usize| this.files[number].clone();
    first_lines.into_iter().map(|((from, to), line)| Arrow { from: file(from), to: file(to), line }).collect()
}

/// The circles among the files of a crate, each as text: its files, then who uses whom where.
fn circles(sources: &Sources, root: &str) -> Vec<String> {
    let arrows = arrows(sources, root);
    let files: Vec<&str> = arrows
        .iter()
        .flat_map(|arrow| [arrow.from.as_str(), arrow.to.as_str()])
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let number = |file: &String| files.binary_search(&file.as_str()).expect("a file of the arrows");
    let graph =
        DiGraph::<(), (), usize>::from_edges(arrows.iter().map(|arrow| (number(&arrow.from), number(&arrow.to))));
    let components = tarjan_scc(&graph).into_iter().filter(|component| component.len() > 1);
    components
        .map(|component| {
            let members: BTreeSet<&str> = component.into_iter().map(|node| files[node.index()]).collect();
            let mut text = format!("{}\n", Vec::from_iter(members.iter().copied()).join(", "));
            for arrow in &arrows {
                if members.contains(&*arrow.from) && members.contains(&*arrow.to) {
                    text += &describe(sources, arrow);
                }
            }
            text
        })
        .collect()
}

fn describe(sources: &Sources, Arrow { from, to, line }: &Arrow) -> String {
    format!("    {from}:{line} uses {to}: {}\n", sources[from].lines().nth(line - 1).unwrap_or_default().trim())
}

/// Whether a library or a program of the workspace begins in this file.
fn is_crate_root(name: &str) -> bool {
    let Some((_, path)) = name.split_once("src/") else { return false };
    match path.split('/').collect::<Vec<_>>()[..] {
        ["lib.rs" | "main.rs"] | ["bin", _, "main.rs"] => true,
        ["bin", file] => file.ends_with(".rs"),
        _ => false,
    }
}

#[test]
fn no_file_uses_a_file_that_uses_it() {
    let sources = rust_sources();
    let roots: Vec<&String> = sources.keys().filter(|name| is_crate_root(name)).collect();
    assert!(roots.len() > 10, "the crates are seen: {roots:?}");
    let found: Vec<String> = roots.iter().flat_map(|root| circles(&sources, root)).collect();
    assert!(found.is_empty(), "\n{} circles of files\n\n{}", found.len(), found.join("\n"));
}

#[test]
fn folders_of_the_search_use_only_those_below() {
    let sources = rust_sources();
    let place = |file: &str| {
        let folder = file.strip_prefix("crates/search/src/")?.split_once('/')?.0;
        Some(SEARCH_FOLDERS.iter().position(|&known| known == folder).unwrap_or_else(|| panic!("a new folder: {file}")))
    };
    let places = |arrow: &Arrow| Some((place(&arrow.from)?, place(&arrow.to)?));
    let arrows = arrows(&sources, "crates/search/src/lib.rs");
    assert!(arrows.iter().filter_map(places).any(|(from, to)| from < to), "the folders are seen");
    let breaches = arrows.iter().filter(|arrow| places(arrow).is_some_and(|(from, to)| from > to));
    let list: String = breaches.map(|arrow| describe(&sources, arrow)).collect();
    assert!(list.is_empty(), "\n{list}");
}

/// Tests of the analysis on small crates.
mod tests {
    use super::{Sources, arrows, circles};

    fn sources(files: &[(&str, &str)]) -> Sources {
        files.iter().map(|&(name, text)| (format!("src/{name}.rs"), text.to_owned())).collect()
    }

    /// The arrows of a crate as `from > to`, sorted.
    fn arrows_of(files: &[(&str, &str)]) -> Vec<String> {
        let short = |name: &str| name.trim_start_matches("src/").trim_end_matches(".rs").to_owned();
        let arrows = arrows(&sources(files), "src/lib.rs");
        let mut list: Vec<String> =
            arrows.iter().map(|arrow| format!("{} > {}", short(&arrow.from), short(&arrow.to))).collect();
        list.sort();
        list
    }

    /// The arrows of a crate of the files `lib`, `a` and `b`, where `b` defines the items that
    /// others may use.
    fn arrows_with(lib: &str, a: &str) -> Vec<String> {
        let b = "pub struct Item; pub enum Choice { One } pub const fn act() {} pub const LIMIT: u32 = 1; pub trait Able {} \
                 pub mod inner { pub struct Deep; }";
        arrows_of(&[("lib", &format!("mod a; mod b; {lib}")), ("a", a), ("b", b)])
    }

    #[test]
    fn every_way_to_name_an_item_is_an_arrow_to_its_file() {
        for code in [
            "use crate::b::Item;",
            "use super::b::{Item, act as other};",
            "use crate::b::{self, Choice}; fn f() { b::act(); }",
            "use crate::b::Choice::One;",
            "fn f() { use crate::b as short; short::act() }",
            "use super::*; fn f() { b::act(); }",
            "fn f(x: &super::b::Item) -> Vec<Option<crate::b::Item>> { crate::b::act(); }",
            "fn f(x: impl crate::b::Able) {}",
            "fn f(n: u32) -> bool { match n { crate::b::LIMIT => true, _ => false } }",
            "fn f() { assert!(x.y == crate::b::LIMIT, \"{}\", 1); }",
            "struct S { x: crate::b::inner::Deep }",
            "struct S; impl crate::b::Able for S {}",
            "struct S; impl S { fn f() { <u32 as crate::b::Able>::g(); } }",
            "mod inline { use super::super::b::Item; }",
            "#[cfg(not(test))] use crate::b::Item;",
            "#[cfg(any(test, windows))] use crate::b::Item;",
        ] {
            assert_eq!(arrows_with("", code), ["a > b"], "{code}");
        }
    }

    #[test]
    fn declarations_tests_and_the_world_outside_are_no_arrows() {
        for code in [
            "pub use crate::b::Item;",
            "pub(crate) use super::b::{Item, act};",
            "use crate::b;",
            "use std::fmt; use b::Item; fn f(x: ::b::Item) {}",
            "#[cfg(test)] mod tests { use crate::b::Item; }",
            "#[cfg(test)] use crate::b::{Item, act};",
            "#[cfg(all(test, unix))] fn f() { crate::b::act(); }",
            "struct S; impl S { #[cfg(test)] fn f() { crate::b::act(); } }",
            "//! See [`crate::b::Item`].\nconst TEXT: &str = \"crate::b::act()\";",
            "fn f(x: u32) { x.act(); }",
        ] {
            assert!(arrows_with("", code).is_empty(), "{code}");
        }
    }

    #[test]
    fn a_name_passed_on_leads_to_the_file_that_defines_it() {
        for (lib, a, arrows) in [
            ("pub use b::Item;", "use crate::Item;", "a > b"),
            ("pub use b::Item as Other;", "fn f(x: super::Other) {}", "a > b"),
            ("pub use b::*;", "fn f() { crate::act(); }", "a > b"),
            ("pub use b::{inner, Item}; pub struct Own;", "use super::inner::Deep; use super::Own;", "a > b, a > lib"),
            // The module itself uses an item that it re-exports only where its code does.
            ("pub use b::Item; fn f(x: Item) {}", "", "lib > b"),
            ("pub use b::act; fn f() { act(); }", "", "lib > b"),
            ("pub use b::LIMIT; fn f(n: u32) -> bool { matches!(n, LIMIT) }", "", "lib > b"),
            ("pub use b::act; fn f(act: u32) -> u32 { let act = act + 1; println!(\"{}\", act); act }", "", ""),
            ("pub use b::act; struct S { act: u32 } fn f(s: S) -> u32 { s.act }", "", ""),
            // A re-export of itself ends the search.
            ("use a::Item;", "pub use crate::Item;", ""),
            ("pub use a::*;", "pub use crate::*; fn f() { crate::b::act(); }", "a > b"),
        ] {
            assert_eq!(arrows_with(lib, a).join(", "), arrows, "{lib} {a}");
        }
    }

    #[test]
    fn macros_and_what_they_make_belong_to_the_files_that_define_and_call_them() {
        let define = "macro_rules! say { ($x:expr) => { $crate::b::act() }; } pub(crate) use say;";
        let files =
            |c| [("lib", "#[macro_use] mod a; mod b; mod c;"), ("a", define), ("b", "pub fn act() {}"), ("c", c)];
        assert_eq!(arrows_of(&files("fn f() { say!(1) }")), ["a > b", "c > a"]);
        assert_eq!(arrows_of(&files("use crate::a::say;")), ["a > b", "c > a"]);
        let numbers =
            "macro_rules! make { ($x:ident) => { mod values { pub fn $x() {} } }; } make!(depth); pub use values::*;";
        let user = "use crate::b; fn f() { b::depth(); }";
        assert_eq!(arrows_of(&[("lib", "mod a; mod b;"), ("a", user), ("b", numbers)]), ["a > b"]);
    }

    #[test]
    fn modules_are_found_in_all_their_places() {
        let files = [
            ("lib", "mod a; mod b; mod c { mod d; }"),
            ("a", "mod below; use self::below::Item;"),
            ("a/below", "use super::super::b::deep::Other; pub struct Item;"),
            ("b/mod", "pub mod deep;"),
            ("b/deep", "pub struct Other;"),
            ("c/d", "use crate::b::deep::Other;"),
        ];
        assert_eq!(arrows_of(&files), ["a > a/below", "a/below > b/deep", "c/d > b/deep"]);
    }

    #[test]
    fn a_circle_is_told_with_its_files_and_lines() {
        let files = sources(&[
            ("lib", "mod a;\nmod b;\nmod c;\nmod d;\npub use a::A;\nuse d::D;"),
            ("a", "use crate::b::B;\npub struct A;"),
            ("b", "pub struct B;\nimpl B {\n    fn f(x: super::c::C) {}\n}"),
            ("c", "use crate::A;\nuse crate::d::D;\npub struct C;"),
            ("d", "pub struct D;"),
        ]);
        let expected = "src/a.rs, src/b.rs, src/c.rs
    src/a.rs:1 uses src/b.rs: use crate::b::B;
    src/b.rs:3 uses src/c.rs: fn f(x: super::c::C) {}
    src/c.rs:1 uses src/a.rs: use crate::A;
";
        assert_eq!(circles(&files, "src/lib.rs"), [expected]);
    }

    #[test]
    fn a_module_that_uses_its_child_and_is_used_by_it_is_a_circle() {
        let found = |child: &str| {
            let parent = "mod b; pub struct Own; fn f() { b::act(); }";
            circles(&sources(&[("lib", "mod a;"), ("a/mod", parent), ("a/b", child)]), "src/lib.rs")
        };
        assert!(found("pub fn act() {}").is_empty());
        let circles = found("use super::Own; pub fn act() {}");
        assert!(circles.len() == 1 && circles[0].starts_with("src/a/b.rs, src/a/mod.rs\n"), "{circles:?}");
    }
}
