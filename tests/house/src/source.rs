//! Files of the repository, and Rust source as tokens.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The text of each Rust file by its path from the repository's root, with slashes.
pub(crate) type Sources = BTreeMap<String, String>;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below the root, sorted, without build outputs and version control.
pub(crate) fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![root()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).expect("a readable directory") {
            let entry = entry.expect("a readable entry");
            let kind = entry.file_type().expect("a file type");
            let name = entry.file_name();
            // In a git work tree `.git` is a file.
            if name == "target" || name == ".git" {
                continue;
            }
            if kind.is_dir() {
                directories.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// The path of a file from the repository's root, with slashes.
pub(crate) fn name_of(path: &Path) -> String {
    let path = path.strip_prefix(root()).expect("a file below the root");
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

pub(crate) fn rust_sources() -> Sources {
    let named = files().into_iter().map(|path| (name_of(&path), path));
    let rust = named.filter(|(name, _)| name.ends_with(".rs"));
    rust.map(|(name, path)| (name, std::fs::read_to_string(path).expect("a readable source"))).collect()
}

/// A token of Rust code. Comments are not tokens; doc comments are attributes.
pub(crate) enum Token {
    /// A name or a keyword, with its line, from 1.
    Word(String, usize),
    /// A character of punctuation.
    Mark(char),
    /// The tokens between two brackets.
    Group(Delimiter, Vec<Token>),
    /// A number, text or character.
    Literal,
}

/// The tokens of a source. Panics if it is not Rust.
pub(crate) fn tokens(name: &str, text: &str) -> Vec<Token> {
    from_stream(text.parse().unwrap_or_else(|error| panic!("{name}: {error}")))
}

fn from_stream(stream: TokenStream) -> Vec<Token> {
    let token = |tree| match tree {
        TokenTree::Ident(word) => Token::Word(word.to_string(), word.span().start().line),
        TokenTree::Punct(mark) => Token::Mark(mark.as_char()),
        TokenTree::Group(group) => Token::Group(group.delimiter(), from_stream(group.stream())),
        TokenTree::Literal(_) => Token::Literal,
    };
    stream.into_iter().map(token).collect()
}
