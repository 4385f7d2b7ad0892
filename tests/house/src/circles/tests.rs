//! The machinery on small crates.

use super::graph::{arrows, circles};
use crate::source::Sources;

fn sources(files: &[(&str, &str)]) -> Sources {
    files.iter().map(|&(name, text)| (format!("src/{name}.rs"), text.to_owned())).collect()
}

fn short(name: &str) -> &str {
    name.trim_start_matches("src/").trim_end_matches(".rs")
}

/// The arrows of a crate as `from > to`, sorted.
fn arrows_of(files: &[(&str, &str)]) -> Vec<String> {
    let arrows = arrows(&sources(files), "src/lib.rs");
    let mut list: Vec<String> =
        arrows.iter().map(|arrow| format!("{} > {}", short(&arrow.from), short(&arrow.to))).collect();
    list.sort();
    list
}

/// The arrows of a crate of the files `lib`, `a` and `b`, where `b` defines the items that others may use.
fn arrows_with(lib: &str, a: &str) -> Vec<String> {
    let b = "pub struct Item; pub enum Choice { One } pub fn act() {} pub const LIMIT: u32 = 1; pub trait Able {} pub mod inner { pub struct Deep; }";
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
        "use crate::b; fn f() { b::act(); }",
        "use super::*; fn f() { b::act(); }",
        "fn f() { crate::b::act(); }",
        "fn f(x: &super::b::Item) {}",
        "fn f() -> Vec<Option<crate::b::Item>> { vec![] }",
        "fn f(x: impl crate::b::Able) {}",
        "fn f(n: u32) -> bool { match n { crate::b::LIMIT => true, _ => false } }",
        "fn f() { assert!(x.y == crate::b::LIMIT, \"{}\", 1); }",
        "struct S { x: crate::b::inner::Deep }",
        "struct S; impl crate::b::Able for S {}",
        "impl super::b::Item { fn f() {} }",
        "struct S; impl S { fn f() { <u32 as crate::b::Able>::g(); } }",
        "mod inline { use super::super::b::Item; }",
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
        "#[cfg(test)] use crate::b::Item;",
        "#[cfg(all(test, unix))] fn f() { crate::b::act(); }",
        "struct S; impl S { #[cfg(test)] fn f() { crate::b::act(); } }",
        "//! See [`crate::b::Item`].\nconst TEXT: &str = \"crate::b::act()\";",
        "fn f(x: u32) { x.act(); }",
    ] {
        assert!(arrows_with("", code).is_empty(), "{code}");
    }
}

#[test]
fn code_for_other_machines_counts() {
    assert_eq!(arrows_with("", "#[cfg(not(test))] use crate::b::Item;"), ["a > b"]);
    assert_eq!(arrows_with("", "#[cfg(any(test, windows))] use crate::b::Item;"), ["a > b"]);
}

#[test]
fn a_name_passed_on_leads_to_the_file_that_defines_it() {
    assert_eq!(arrows_with("pub use b::Item;", "use crate::Item;"), ["a > b"]);
    assert_eq!(arrows_with("pub use b::Item as Other;", "fn f(x: super::Other) {}"), ["a > b"]);
    assert_eq!(arrows_with("pub use b::*;", "fn f() { crate::act(); }"), ["a > b"]);
    assert_eq!(
        arrows_with("pub use b::{inner, Item}; pub struct Own;", "use super::inner::Deep; use super::Own;"),
        ["a > b", "a > lib"]
    );
    // The module itself uses what it passes on only where its code does.
    assert_eq!(arrows_with("pub use b::Item; fn f(x: Item) {}", ""), ["lib > b"]);
}

#[test]
fn variables_and_fields_hide_names_of_the_module() {
    for code in [
        "pub use b::act; fn f(act: u32) -> u32 { act + 1 }",
        "pub use b::act; fn f() { let act = 1; println!(\"{}\", act); }",
        "pub use b::act; struct S { act: u32 } fn f(s: S) -> u32 { s.act }",
        "pub use b::act; fn f(s: S) { println!(\"{}\", s.act); }",
    ] {
        assert!(arrows_with(code, "").is_empty(), "{code}");
    }
    assert_eq!(arrows_with("pub use b::act; fn f() { act(); }", ""), ["lib > b"]);
    assert_eq!(arrows_with("pub use b::LIMIT; fn f(n: u32) -> bool { matches!(n, LIMIT) }", ""), ["lib > b"]);
}

#[test]
fn macros_belong_to_the_file_that_defines_them() {
    let define = "macro_rules! say { ($x:expr) => { $crate::b::act() }; }";
    assert_eq!(
        arrows_of(&[
            ("lib", "#[macro_use] mod a; mod b; mod c;"),
            ("a", define),
            ("b", "pub fn act() {}"),
            ("c", "fn f() { say!(1) }")
        ]),
        ["a > b", "c > a"]
    );
    let passed_on = format!("{define} pub(crate) use say;");
    assert_eq!(
        arrows_of(&[
            ("lib", "mod a; mod b; mod c;"),
            ("a", &passed_on),
            ("b", "pub fn act() {}"),
            ("c", "use crate::a::say;")
        ]),
        ["a > b", "c > a"]
    );
}

#[test]
fn what_a_macro_makes_belongs_to_the_file_that_calls_it() {
    let numbers =
        "macro_rules! make { ($x:ident) => { mod values { pub fn $x() {} } }; } make!(depth); pub use values::*;";
    assert_eq!(
        arrows_of(&[("lib", "mod a; mod b;"), ("a", "use crate::b; fn f() { b::depth(); }"), ("b", numbers)]),
        ["a > b"]
    );
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
    let found: Vec<String> = circles(&files, "src/lib.rs").iter().map(ToString::to_string).collect();
    let expected = "src/a.rs, src/b.rs, src/c.rs
    src/a.rs:1 uses src/b.rs: use crate::b::B;
    src/b.rs:3 uses src/c.rs: fn f(x: super::c::C) {}
    src/c.rs:1 uses src/a.rs: use crate::A;
";
    assert_eq!(found, [expected]);
}

#[test]
fn a_module_that_uses_its_child_and_is_used_by_it_is_a_circle() {
    let files = |child: &str| {
        sources(&[("lib", "mod a;"), ("a/mod", "mod b; pub struct Own; fn f() { b::act(); }"), ("a/b", child)])
    };
    let found = circles(&files("use super::Own; pub fn act() {}"), "src/lib.rs");
    assert_eq!(found.iter().map(|circle| &circle.files[..]).collect::<Vec<_>>(), [["src/a/b.rs", "src/a/mod.rs"]]);
    assert!(circles(&files("pub fn act() {}"), "src/lib.rs").is_empty());
}

#[test]
fn a_name_that_leads_to_itself_ends() {
    assert_eq!(arrows_with("use a::Item;", "pub use crate::Item;"), Vec::<String>::new());
    assert_eq!(arrows_with("pub use a::*;", "pub use crate::*; fn f() { crate::nothing(); }"), Vec::<String>::new());
}
