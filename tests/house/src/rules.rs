//! Rules for single files: their length and forbidden words.

use crate::source::{Token, files, name_of, tokens};

/// Longer files have more than one subject.
const MOST_LINES: usize = 800;

/// A text file of the repository.
struct Source {
    /// Its path from the root, with slashes.
    name: String,
    text: String,
}

impl Source {
    fn is_rust(&self) -> bool {
        self.name.ends_with(".rs")
    }

    /// Whether it belongs to a library. Programs may print.
    fn is_library(&self) -> bool {
        self.is_rust()
            && self.name.starts_with("crates/")
            && self.name.contains("/src/")
            // A program, and the crate through which all commands of the laboratory print.
            && !["crates/lab/", "crates/run/"].iter().any(|room| self.name.starts_with(room))
    }
}

fn sources() -> Vec<Source> {
    let sources: Vec<Source> = files()
        .iter()
        .filter_map(|path| Some(Source { name: name_of(path), text: std::fs::read_to_string(path).ok()? }))
        .collect();
    assert!(sources.iter().any(|source| source.name == "tests/house/src/rules.rs"), "this file is seen");
    sources
}

/// Fails with a list of all violations.
fn refuse(breaches: &[String]) {
    assert!(breaches.is_empty(), "\n{}\n", breaches.join("\n"));
}

/// The line numbers, from 1, where one of the words occurs in code; `name!` is a macro call.
fn lines_with(source: &Source, words: &[&str]) -> Vec<usize> {
    fn collect(tokens: &[Token], words: &[&str], lines: &mut Vec<usize>) {
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Word(found, line) => {
                    let is_call = matches!(tokens.get(at + 1), Some(Token::Mark('!')));
                    let is_it =
                        |word: &&str| word.strip_suffix('!').map_or(found == word, |name| is_call && found == name);
                    if words.iter().any(is_it) {
                        lines.push(*line);
                    }
                }
                Token::Group(_, inner) => collect(inner, words, lines),
                Token::Mark(_) | Token::Literal => {}
            }
        }
    }
    let mut lines = Vec::new();
    collect(&tokens(&source.name, &source.text), words, &mut lines);
    lines
}

fn breaches(keep: impl Fn(&Source) -> bool, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| keep(source)) {
        found.extend(lines_with(source, words).iter().map(|line| format!("{}:{line}", source.name)));
    }
    found
}

#[test]
fn no_file_has_several_subjects() {
    let too_long = |source: &&Source| source.is_rust() && source.text.lines().count() > MOST_LINES;
    let list = sources();
    let found: Vec<String> = list
        .iter()
        .filter(too_long)
        .map(|source| format!("{} has {} lines", source.name, source.text.lines().count()))
        .collect();
    refuse(&found);
}

#[test]
fn nothing_is_left_for_later() {
    refuse(&breaches(Source::is_rust, &["todo!", "unimplemented!", "dbg!"]));
}

#[test]
fn no_library_prints() {
    refuse(&breaches(Source::is_library, &["println!", "eprintln!", "print!", "eprint!", "dbg!"]));
}

/// A proof is on the line of the word or one of the three before it.
#[test]
fn every_unsafe_states_its_proof() {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| source.is_rust()) {
        let lines: Vec<&str> = source.text.lines().collect();
        for number in lines_with(source, &["unsafe"]) {
            let proof = &lines[number.saturating_sub(4)..number];
            if !proof.iter().any(|line| line.contains("SAFETY:")) {
                found.push(format!("{}:{number}", source.name));
            }
        }
    }
    refuse(&found);
}

/// A path of one machine means nothing on another. The parts of each are joined, so that this file
/// keeps its own rule.
#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    let homes = [
        concat!("/ho", "me/"),
        concat!("/ro", "ot/"),
        concat!("/wo", "rk/"),
        concat!("/Us", "ers/"),
        concat!("C:", "\\Users"),
    ];
    let mut found = Vec::new();
    for source in sources() {
        for (number, line) in source.text.lines().enumerate() {
            // After a name it belongs to a relative path or an address.
            let absolute = |home: &&str| {
                line.match_indices(*home).any(|(at, _)| {
                    !line[..at].ends_with(|before: char| before.is_alphanumeric() || "._-}".contains(before))
                })
            };
            if homes.iter().any(absolute) {
                found.push(format!("{}:{}: {line}", source.name, number + 1));
            }
        }
    }
    refuse(&found);
}

#[test]
fn words_of_the_code_are_seen_and_those_of_comments_and_texts_are_not() {
    let text = "/// unsafe\nfn f() {\n    g(\"unsafe\"); // unsafe\n    unsafe { todo!() }\n    let todo = 1;\n}\n";
    let source = Source { name: "example.rs".to_owned(), text: text.to_owned() };
    assert_eq!(lines_with(&source, &["unsafe"]), [4]);
    assert_eq!(lines_with(&source, &["todo!"]), [4]);
}
