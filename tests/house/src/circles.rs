//! No two files of a crate use each other, directly or through other files.
//!
//! A file uses another when a path in its code leads there: in a `use` or such as
//! `super::table::Entry`, also through names that a module imports or re-exports. Declarations
//! (`mod x;`), re-exports, method calls and code under `#[cfg(test)]` are not uses.
//! Nor are macros called by a bare name. A glob (`use path::*`) uses only the module that it names.

use std::collections::{BTreeMap, HashMap, HashSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::source::{Texts, refuse, rust_sources};

/// The folders of the search; each uses only those after it.
const SEARCH_FOLDERS: [&str; 7] = ["threads", "root", "node", "order", "control", "time", "table"];

/// The modules of a crate by their paths: empty for the root, else such as `/order/picker`.
type Modules = BTreeMap<String, Module>;

#[derive(Default)]
struct Module {
    file: String,
    /// The path behind each name of a `use`.
    imports: HashMap<String, Vec<String>>,
    /// The paths that the code names, with their lines.
    paths: Vec<(Vec<String>, usize)>,
}

/// One file uses another.
#[derive(Clone)]
struct Arrow {
    from: String,
    to: String,
    /// The line of `from`, from 1.
    line: usize,
}

/// Reads the crate whose sources are in a folder. A program beside its library has no modules.
fn modules(sources: &Texts, folder: &str) -> Modules {
    let mut modules = Modules::new();
    for (file, text) in sources {
        let Some(name) = file.strip_prefix(folder).and_then(|name| name.strip_suffix(".rs")) else { continue };
        let module = match name.strip_suffix("/mod").unwrap_or(name) {
            "/lib" | "/main" => "",
            name => name,
        };
        if !name.starts_with("/bin/") && !modules.contains_key(module) {
            let tokens = text.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
            read(&mut modules, file, module, tokens);
        }
    }
    modules
}

/// Reads the tokens of a module or of a part of it.
fn read(modules: &mut Modules, file: &str, module: &str, tokens: TokenStream) {
    modules.entry(module.to_owned()).or_insert_with(|| Module { file: file.to_owned(), ..Module::default() });
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let texts: Vec<String> = tokens.iter().map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut at = 0;
    while at < tokens.len() {
        at += match texts[at..] {
            ["#", "!", "[", ..] => 3,
            ["#", "[", ..] if is_test(&tokens[at + 1]) => {
                let end = texts[at..].iter().position(|&text| text == "{" || text == ";");
                end.map_or(tokens.len(), |end| end + 1)
            }
            ["#", "[", ..] => 2,
            ["mod", name, "{", ..] => {
                read(modules, file, &format!("{module}/{name}"), inside(&tokens[at + 2]));
                3
            }
            ["use", ..] => {
                let end = at + texts[at..].iter().position(|&text| text == ";").unwrap_or(1);
                let is_public = texts[..at].ends_with(&["pub"]) || texts[..at].ends_with(&["pub", "("]);
                read_use(modules.get_mut(module).expect("this module"), &tokens[at + 1..end], &[], is_public);
                end + 1 - at
            }
            ["{" | "(" | "[", ..] => {
                read(modules, file, module, inside(&tokens[at]));
                1
            }
            [first, ..] if is_word(first) => {
                let mut path = vec![first.to_owned()];
                let mut end = at + 1;
                while let [":", ":", next, ..] = texts[end..]
                    && is_word(next)
                {
                    path.push(next.to_owned());
                    end += 3;
                }
                let is_inner = texts[..at].ends_with(&["."]) || texts[..at].ends_with(&[":", ":"]);
                // A single small word is a variable unless it is called.
                let is_item = path.len() > 1 || first.starts_with(char::is_uppercase) || texts.get(end) == Some(&"(");
                if is_item && !is_inner {
                    let line = tokens[at].span().start().line;
                    modules.get_mut(module).expect("this module").paths.push((path, line));
                }
                end - at
            }
            _ => 1,
        };
    }
}

/// Reads the comma-separated names of a `use`, all behind the path `before`.
fn read_use(module: &mut Module, tokens: &[TokenTree], before: &[String], is_public: bool) {
    for names in tokens.split(|token| text(token) == ",") {
        let mut path = before.to_vec();
        let is_part = |text: &String| is_word(text) || text == "*";
        path.extend(names.iter().map(text).filter(is_part));
        match names {
            [] => continue,
            [.., group @ TokenTree::Group(_)] => {
                let inner: Vec<TokenTree> = inside(group).into_iter().collect();
                read_use(module, &inner, &path, is_public);
                continue;
            }
            _ => {}
        }
        let mut name = path[path.len() - 1].clone();
        if path.len() > 2 && path[path.len() - 2] == "as" {
            path.truncate(path.len() - 2);
        }
        if path.len() > 1 && path[path.len() - 1] == "self" {
            path.pop();
            name = if name == "self" { path[path.len() - 1].clone() } else { name };
        }
        if !is_public {
            module.paths.push((path.clone(), names[0].span().start().line));
        }
        module.imports.insert(name, path);
    }
}

/// The module that has the item to which a path leads, if it is of this crate.
fn owner<'a>(modules: &'a Modules, module: &str, path: &[String]) -> Option<&'a Module> {
    let mut here = module.to_owned();
    for (index, word) in path.iter().enumerate() {
        let below = format!("{here}/{word}");
        let import = modules[&here].imports.get(word).filter(|import| import[0] != *word);
        match word.as_str() {
            "crate" => here.clear(),
            "self" => {}
            "super" => here.truncate(here.rfind('/')?),
            _ if modules.contains_key(&below) => here = below,
            _ => {
                return match import {
                    Some(import) => owner(modules, &here, &[import, &path[index + 1..]].concat()),
                    None => (index > 0).then(|| &modules[&here]),
                };
            }
        }
    }
    None
}

/// The first use of each file of a crate by each other.
fn arrows(sources: &Texts, folder: &str) -> Vec<Arrow> {
    let modules = modules(sources, folder);
    let mut lines = BTreeMap::new();
    for (name, module) in &modules {
        for (path, line) in &module.paths {
            if let Some(Module { file, .. }) = owner(&modules, name, path)
                && *file != module.file
            {
                let first = lines.entry((&module.file, file)).or_insert(*line);
                *first = *line.min(first);
            }
        }
    }
    lines.into_iter().map(|((from, to), line)| Arrow { from: from.clone(), to: to.clone(), line }).collect()
}

/// The arrows of circles, and those between two circles.
fn circles(mut arrows: Vec<Arrow>) -> Vec<Arrow> {
    loop {
        let users: HashSet<String> = arrows.iter().map(|arrow| arrow.from.clone()).collect();
        let used: HashSet<String> = arrows.iter().map(|arrow| arrow.to.clone()).collect();
        let count = arrows.len();
        arrows.retain(|arrow| users.contains(&arrow.to) && used.contains(&arrow.from));
        if arrows.len() == count {
            return arrows;
        }
    }
}

fn describe(sources: &Texts, Arrow { from, to, line }: &Arrow) -> String {
    format!("{from}:{line} uses {to}: {}", sources[from].lines().nth(line - 1).unwrap_or_default().trim())
}

/// A word, a mark, or the bracket that opens a group.
fn text(token: &TokenTree) -> String {
    match token {
        TokenTree::Group(group) => match group.delimiter() {
            Delimiter::Brace => "{",
            Delimiter::Bracket => "[",
            _ => "(",
        }
        .to_owned(),
        TokenTree::Literal(_) => "0".to_owned(),
        _ => token.to_string(),
    }
}

fn inside(token: &TokenTree) -> TokenStream {
    if let TokenTree::Group(group) = token { group.stream() } else { TokenStream::new() }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Whether an attribute is `cfg(test)` or `cfg(all(test, ..))`.
fn is_test(attribute: &TokenTree) -> bool {
    let text: String = attribute.to_string().split_whitespace().collect();
    text == "[cfg(test)]" || text.starts_with("[cfg(all(test,")
}

#[test]
fn no_file_uses_a_file_that_uses_it() {
    let sources = rust_sources();
    let folders: HashSet<&str> =
        sources.keys().filter_map(|file| Some(&file[..file.find("/src/")? + "/src".len()])).collect();
    let breaches = folders.iter().flat_map(|folder| circles(arrows(&sources, folder)));
    refuse(&breaches.map(|arrow| describe(&sources, &arrow)).collect::<Vec<_>>());
}

#[test]
fn folders_of_the_search_use_only_those_below() {
    let sources = rust_sources();
    let place = |file: &str| {
        let folder = file.strip_prefix("crates/search/src/")?.split_once('/')?.0;
        Some(SEARCH_FOLDERS.iter().position(|&known| known == folder).unwrap_or_else(|| panic!("a new folder: {file}")))
    };
    let places = |arrow: &Arrow| Some((place(&arrow.from)?, place(&arrow.to)?));
    let arrows = arrows(&sources, "crates/search/src");
    assert!(arrows.iter().filter_map(places).any(|(from, to)| from < to), "the folders are seen");
    let breaches = arrows.iter().filter(|arrow| places(arrow).is_some_and(|(from, to)| from > to));
    refuse(&breaches.map(|arrow| describe(&sources, arrow)).collect::<Vec<_>>());
}

/// Each row: the root of a crate, its file `a`, and the files that those two use.
#[test]
fn paths_lead_to_the_file_that_has_the_item() {
    for (root, a, expected) in [
        ("", "use crate::b::{self, Item as Other}; fn f() { b::act(); }", "a>b"),
        ("", "use super::*; fn f() { let x: Vec<super::b::Item>; }", "a>b a>lib"),
        ("", "fn f() { use crate::b as short; assert!(short::act()) }", "a>b"),
        ("", "mod inline { use super::super::b::Item; }", "a>b"),
        ("", "#[cfg(not(test))] use crate::b::inner::Item; pub struct A;", "a>b/inner"),
        ("pub use b::Item as Other;", "fn f(x: super::Other) {}", "a>b"),
        ("pub(crate) use b::Item; fn f(x: Item) {}", "fn f(x: u32) { x.act(); }", "lib>b"),
        (
            "use b::Item; pub struct Own;",
            "use crate::{Own, b::inner}; fn f() { inner::act() }",
            "a>b/inner a>lib lib>b",
        ),
        ("pub use std::fmt;", "use crate::fmt; use b::Item; fn f(x: ::b::Item, y: fmt::Error) {}", ""),
        ("mod c { pub use super::b::Item; }", "use crate::c::Item;", "a>b"),
        ("", "#[cfg(test)] use crate::b::{Item, act}; #[cfg(all(test, unix))] mod tests { use crate::b::Item; }", ""),
        ("", "//! See [`crate::b::Item`].\nconst TEXT: &str = \"crate::b::act()\";", ""),
    ] {
        let files = [("lib", root), ("a", a), ("b/mod", ""), ("b/inner", "")];
        let sources = files.map(|(name, text)| (format!("src/{name}.rs"), text.to_owned())).into();
        let short = |file: &str| file["src/".len()..].trim_end_matches(".rs").trim_end_matches("/mod").to_owned();
        let found = arrows(&sources, "src").into_iter();
        let found: Vec<String> = found.map(|arrow| format!("{}>{}", short(&arrow.from), short(&arrow.to))).collect();
        assert_eq!(found.join(" "), expected, "{root} {a}");
    }
}

#[test]
fn files_of_a_circle_are_found_and_no_others() {
    let uses = [("lib", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")];
    let found = circles(uses.map(|(from, to)| Arrow { from: from.to_owned(), to: to.to_owned(), line: 1 }).into());
    let found: Vec<(&str, &str)> = found.iter().map(|arrow| (&*arrow.from, &*arrow.to)).collect();
    assert_eq!(found, [("a", "b"), ("b", "c"), ("c", "a")]);
}
