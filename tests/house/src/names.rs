//! The modules of a crate, the names in each, and the files that define what its code names.

use std::collections::{HashMap, HashSet};

use proc_macro2::Delimiter;

use crate::source::{Sources, Token, tokens};

/// A path as its words.
type Path = Vec<String>;

/// Keywords before the name of an item.
const DEFINITIONS: [&str; 8] = ["const", "enum", "fn", "static", "struct", "trait", "type", "union"];

pub(crate) struct Crate {
    /// Paths from the repository's root. Modules refer to their file by its index here.
    pub(crate) files: Vec<String>,
    /// The first is the crate root.
    modules: Vec<Module>,
    /// The file of each `macro_rules!`, for calls without a path.
    macros: HashMap<String, usize>,
}

#[derive(Default)]
struct Module {
    file: usize,
    parent: Option<usize>,
    /// A name may have several meanings: a module and a function, for instance.
    names: HashMap<String, Vec<Name>>,
    /// The paths before the `*` of `use path::*`.
    globs: Vec<Path>,
    /// Whether a macro is called among the items: it may define names that are not visible here.
    has_made_names: bool,
    /// The paths that the code names, with their lines.
    paths: Vec<(Path, usize)>,
    /// The macros that the code calls without a path, with their lines.
    calls: Vec<(String, usize)>,
}

enum Name {
    /// An item defined in this module.
    Item,
    /// A submodule, by its index.
    Module(usize),
    /// An import by `use`, by the path as written.
    Import(Path),
}

#[derive(Clone, Copy)]
enum Target {
    /// An item, by the index of its file.
    Item(usize),
    /// A module, by its index.
    Module(usize),
}

/// Names being resolved, so that a `use` that leads back to itself ends.
type Open = HashSet<(usize, String)>;

impl Crate {
    /// Reads the crate that begins in a file. Panics if a file is missing or is not Rust.
    pub(crate) fn read(sources: &Sources, root: &str) -> Self {
        let mut this = Self { files: Vec::new(), modules: Vec::new(), macros: HashMap::new() };
        let directory = root.rsplit_once('/').map_or("", |(directory, _)| directory);
        this.read_file(sources, root, directory, None);
        this
    }

    /// Every use of a file by another: the user, the used file, the line in the user.
    pub(crate) fn uses(&self) -> Vec<(usize, usize, usize)> {
        let mut found = Vec::new();
        for (number, module) in self.modules.iter().enumerate() {
            for (path, line) in &module.paths {
                for target in self.resolve(number, path, &mut Open::new()) {
                    if let Target::Item(file) = target {
                        found.push((module.file, file, *line));
                    }
                }
            }
            let calls = module.calls.iter().filter_map(|(name, line)| Some((*self.macros.get(name)?, *line)));
            found.extend(calls.map(|(file, line)| (module.file, file, line)));
        }
        found.retain(|(from, to, _)| from != to);
        found
    }

    /// Adds the module in a file; `directory` has the files of its submodules. Returns its index.
    fn read_file(&mut self, sources: &Sources, name: &str, directory: &str, parent: Option<usize>) -> usize {
        let text = sources.get(name).unwrap_or_else(|| panic!("no file {name}"));
        self.files.push(name.to_owned());
        self.add_module(sources, &tokens(name, text), self.files.len() - 1, directory, parent)
    }

    fn add_module(
        &mut self,
        sources: &Sources,
        tokens: &[Token],
        file: usize,
        directory: &str,
        parent: Option<usize>,
    ) -> usize {
        let number = self.modules.len();
        self.modules.push(Module { file, parent, ..Module::default() });
        let mut at = 0;
        while at < tokens.len() {
            // Submodules are read here, everything else by the module itself.
            at += match &tokens[at..] {
                [Token::Word(word, _), Token::Word(name, _), body, ..] if word == "mod" => {
                    let below = format!("{directory}/{name}");
                    let child = if let Token::Group(_, inner) = body {
                        self.add_module(sources, inner, file, &below, Some(number))
                    } else {
                        let beside = format!("{below}.rs");
                        let name = if sources.contains_key(&beside) { beside } else { format!("{below}/mod.rs") };
                        self.read_file(sources, &name, &below, Some(number))
                    };
                    self.modules[number].add(name.clone(), Name::Module(child));
                    3
                }
                // The second word of `const fn name` is the definition.
                [Token::Word(word, _), Token::Word(name, _), ..] if is_definition(word) && !is_definition(name) => {
                    self.modules[number].add(name.clone(), Name::Item);
                    2
                }
                [Token::Word(word, _), Token::Mark('!'), Token::Word(name, _), ..] if word == "macro_rules" => {
                    self.macros.insert(name.clone(), file);
                    self.modules[number].add(name.clone(), Name::Item);
                    3
                }
                rest => {
                    self.modules[number].has_made_names |=
                        matches!(rest, [Token::Word(..), Token::Mark('!'), Token::Group(..), ..]);
                    self.modules[number].read(tokens, at)
                }
            }
        }
        number
    }

    fn resolve(&self, module: usize, path: &[String], open: &mut Open) -> Vec<Target> {
        let Some((first, rest)) = path.split_first() else { return vec![Target::Module(module)] };
        let start = match first.as_str() {
            "crate" => vec![Target::Module(0)],
            "self" => vec![Target::Module(module)],
            "super" => self.modules[module].parent.map(Target::Module).into_iter().collect(),
            name => self.lookup(module, name, open),
        };
        start.into_iter().flat_map(|target| self.descend(target, rest, open)).collect()
    }

    /// Follows the rest of a path. A variant or an associated function belongs to its item.
    fn descend(&self, target: Target, rest: &[String], open: &mut Open) -> Vec<Target> {
        let (Target::Module(module), Some((first, behind))) = (target, rest.split_first()) else { return vec![target] };
        if first == "super" || first == "self" {
            return self.resolve(module, rest, open);
        }
        let found = self.lookup(module, first, open);
        if found.is_empty() && self.modules[module].has_made_names {
            return vec![Target::Item(self.modules[module].file)];
        }
        found.into_iter().flat_map(|target| self.descend(target, behind, open)).collect()
    }

    /// The meaning of a name in a module; explicit names shadow those of a glob.
    fn lookup(&self, module: usize, name: &str, open: &mut Open) -> Vec<Target> {
        let key = (module, name.to_owned());
        if !open.insert(key.clone()) {
            return Vec::new();
        }
        let here = &self.modules[module];
        let mut found: Vec<Target> = Vec::new();
        for meaning in here.names.get(name).into_iter().flatten() {
            match meaning {
                Name::Item => found.push(Target::Item(here.file)),
                Name::Module(child) => found.push(Target::Module(*child)),
                Name::Import(path) => found.extend(self.resolve(module, path, open)),
            }
        }
        if found.is_empty() {
            for glob in &here.globs {
                for target in self.resolve(module, glob, open) {
                    if let Target::Module(from) = target {
                        found.extend(self.lookup(from, name, open));
                    }
                }
            }
        }
        open.remove(&key);
        found
    }
}

impl Module {
    fn add(&mut self, name: String, what: Name) {
        self.names.entry(name).or_default().push(what);
    }

    /// Reads the paths and the imports at a place. Returns the number of tokens read.
    fn read(&mut self, tokens: &[Token], at: usize) -> usize {
        match &tokens[at..] {
            [Token::Mark('#'), Token::Group(_, attribute), behind @ ..] => {
                2 + if is_test(attribute) { item_length(behind) } else { 0 }
            }
            // The scope for which a name is public, as in `pub(crate)`.
            [Token::Word(word, _), Token::Group(Delimiter::Parenthesis, _), Token::Word(next, _), ..]
                if word == "pub" && next == "use" =>
            {
                2 + self.read_use(&tokens[at + 2..], true)
            }
            [Token::Word(word, _), Token::Word(next, _), ..] if word == "pub" && next == "use" => {
                1 + self.read_use(&tokens[at + 1..], true)
            }
            [Token::Word(word, _), Token::Group(Delimiter::Parenthesis, _), ..] if word == "pub" => 2,
            [Token::Word(word, _), ..] if word == "use" => self.read_use(&tokens[at..], false),
            [Token::Word(..), ..] => self.read_path(tokens, at),
            [Token::Group(_, inner), ..] => {
                let mut at = 0;
                while at < inner.len() {
                    at += self.read(inner, at);
                }
                1
            }
            _ => 1,
        }
    }

    /// Reads words joined by `::`. Single words count only if they may name an item and are no
    /// variable, field or method.
    fn read_path(&mut self, tokens: &[Token], at: usize) -> usize {
        let (path, length) = words(&tokens[at..]);
        let Token::Word(last, line) = &tokens[at + length - 1] else { unreachable!("a path ends with a word") };
        let before = &tokens[..at];
        let is_inner = matches!(before, [.., Token::Mark('.')] | [.., Token::Mark(':'), Token::Mark(':')])
            || matches!(before, [.., Token::Mark('$')]) && path[0] != "crate"
            || matches!(before, [.., Token::Word(word, _)] if is_definition(word));
        let is_call = matches!(tokens.get(at + length), Some(Token::Group(Delimiter::Parenthesis, _)));
        let is_macro = matches!(&tokens[at + length..], [Token::Mark('!'), Token::Group(..), ..]);
        if is_inner {
        } else if is_macro && path.len() == 1 {
            self.calls.push((last.clone(), *line));
        } else if path.len() > 1 || is_call || last.starts_with(char::is_uppercase) {
            self.paths.push((path, *line));
        }
        length
    }

    /// Reads a `use` up to its semicolon. Returns the number of tokens.
    fn read_use(&mut self, tokens: &[Token], is_public: bool) -> usize {
        let Some(end) = tokens.iter().position(|token| matches!(token, Token::Mark(';'))) else { return 1 };
        // `::name` is an external crate.
        if !matches!(tokens[1], Token::Mark(':')) {
            self.read_tree(&tokens[1..end], &[], is_public);
        }
        end + 1
    }

    /// Reads the comma-separated names of a `use`, all after a path.
    fn read_tree(&mut self, tokens: &[Token], before: &[String], is_public: bool) {
        for tree in tokens.split(|token| matches!(token, Token::Mark(','))) {
            let (own, length) = words(tree);
            let path = [before, &own].concat();
            match &tree[length..] {
                [Token::Mark(':'), Token::Mark(':'), Token::Group(_, inner)] => {
                    self.read_tree(inner, &path, is_public);
                }
                [Token::Group(_, inner)] => self.read_tree(inner, &path, is_public),
                [Token::Mark(':'), Token::Mark(':'), Token::Mark('*')] => self.globs.push(path),
                behind => {
                    let [.., Token::Word(last, line)] = tree else { continue };
                    // `use a::b::{self}` is `use a::b`.
                    let path = if own == ["self"] && !before.is_empty() { before.to_vec() } else { path };
                    let name = if last == "self" { path.last() } else { Some(last) };
                    debug_assert!(behind.is_empty() || matches!(behind, [Token::Word(word, _), _] if word == "as"));
                    if let Some(name) = name {
                        self.add(name.clone(), Name::Import(path.clone()));
                    }
                    if !is_public {
                        self.paths.push((path, *line));
                    }
                }
            }
        }
    }
}

/// The leading words joined by `::`, and the number of their tokens.
fn words(tokens: &[Token]) -> (Path, usize) {
    let [Token::Word(first, _), ..] = tokens else { return (Vec::new(), 0) };
    let mut path = vec![first.clone()];
    let mut length = 1;
    while let [Token::Mark(':'), Token::Mark(':'), Token::Word(next, _), ..] = &tokens[length..] {
        path.push(next.clone());
        length += 3;
    }
    (path, length)
}

fn is_definition(word: &str) -> bool {
    DEFINITIONS.contains(&word)
}

/// Whether an attribute is `cfg(test)` or `cfg(all(test, ..))`.
fn is_test(attribute: &[Token]) -> bool {
    let [Token::Word(word, _), Token::Group(_, condition)] = attribute else { return false };
    let has_test =
        |tokens: &[Token]| tokens.iter().any(|token| matches!(token, Token::Word(word, _) if word == "test"));
    word == "cfg"
        && match &condition[..] {
            [Token::Word(word, _), Token::Group(_, all)] => word == "all" && has_test(all),
            _ => has_test(condition),
        }
}

/// The number of tokens of an item: up to its braces, or to the semicolon if it has no braces or is
/// a `use`.
fn item_length(tokens: &[Token]) -> usize {
    let is_use = tokens.iter().take(3).any(|token| matches!(token, Token::Word(word, _) if word == "use"));
    let is_end = |token: &Token| match token {
        Token::Group(Delimiter::Brace, _) => !is_use,
        token => matches!(token, Token::Mark(';')),
    };
    tokens.iter().position(is_end).map_or(tokens.len(), |end| end + 1)
}
