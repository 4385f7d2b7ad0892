//! Rust source as the house rules see it: files of the repository, and code apart from comments and texts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The text of each Rust file by its path from the repository's root, with slashes.
pub(crate) type Sources = BTreeMap<String, String>;

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below the root, sorted, but for build outputs and version control.
pub(crate) fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![root()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).expect("a readable directory") {
            let entry = entry.expect("a readable entry");
            let kind = entry.file_type().expect("a file type");
            let name = entry.file_name();
            // In a work tree of git `.git` is a file.
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

/// Where the scanner stands.
enum State {
    Code,
    LineComment,
    /// How many are open.
    BlockComment(usize),
    Text,
    /// How many `#` close it.
    RawText(usize),
}

/// The source with every character of comments, string and character literals replaced by a space. Line breaks stay, so that
/// lines keep their numbers.
pub(crate) fn code_only(source: &str) -> String {
    let letters: Vec<char> = source.chars().collect();
    let mut code = String::with_capacity(source.len());
    let mut state = State::Code;
    let mut at = 0;
    while at < letters.len() {
        let rest = &letters[at..];
        let (next, length, keep) = step(&state, rest, at > 0 && is_word(letters[at - 1]));
        for &letter in &rest[..length] {
            code.push(if keep || letter == '\n' { letter } else { ' ' });
        }
        if let Some(next) = next {
            state = next;
        }
        at += length;
    }
    code
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The state after the next token, if it changes; the token's length; whether it is code.
fn step(state: &State, rest: &[char], in_word: bool) -> (Option<State>, usize, bool) {
    let starts = |text: &str| text.chars().enumerate().all(|(i, letter)| rest.get(i) == Some(&letter));
    match state {
        State::Code if starts("//") => (Some(State::LineComment), 2, false),
        State::Code if starts("/*") => (Some(State::BlockComment(1)), 2, false),
        State::Code if starts("\"") => (Some(State::Text), 1, false),
        State::Code if starts("'") => (None, character_literal(rest), false),
        State::Code if !in_word && (starts("r") || starts("br")) => raw_text(rest),
        State::Code => (None, 1, true),
        State::LineComment if starts("\n") => (Some(State::Code), 1, false),
        State::BlockComment(1) if starts("*/") => (Some(State::Code), 2, false),
        State::BlockComment(depth) if starts("*/") => (Some(State::BlockComment(depth - 1)), 2, false),
        State::BlockComment(depth) if starts("/*") => (Some(State::BlockComment(depth + 1)), 2, false),
        State::Text if starts("\\") => (None, 2.min(rest.len()), false),
        State::Text if starts("\"") => (Some(State::Code), 1, false),
        State::RawText(hashes) if starts(&format!("\"{}", "#".repeat(*hashes))) => {
            (Some(State::Code), 1 + hashes, false)
        }
        _ => (None, 1, false),
    }
}

/// The start of a raw text, or a word that begins with its letters.
fn raw_text(rest: &[char]) -> (Option<State>, usize, bool) {
    let prefix = if rest[0] == 'b' { 2 } else { 1 };
    let hashes = rest[prefix..].iter().take_while(|&&letter| letter == '#').count();
    if rest.get(prefix + hashes) == Some(&'"') {
        (Some(State::RawText(hashes)), prefix + hashes + 1, false)
    } else {
        (None, prefix, true)
    }
}

/// The length of a character literal; 1 for the quote of a lifetime.
fn character_literal(rest: &[char]) -> usize {
    match rest {
        ['\'', '\\', _, tail @ ..] => 3 + tail.iter().position(|&letter| letter == '\'').map_or(0, |end| end + 1),
        ['\'', _, '\'', ..] => 3,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::code_only;

    #[test]
    fn comments_and_texts_are_blanked_and_code_stays() {
        for (source, code) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("a \" b", c)"#, "f(        , c)"),
            (r##"f(r#"a " b"#, c)"##, "f(          , c)"),
            (r#"f(b"a", br"b\", c)"#, "f(b   ,       , c)"),
            ("'\"' 'a' '\\'' '\\u{1F600}' &'a str", "                         & a str"),
            ("bright rest", "bright rest"),
        ] {
            assert_eq!(code_only(source), code, "{source}");
        }
    }
}
