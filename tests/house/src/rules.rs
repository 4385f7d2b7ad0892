//! Rules for single files: their length and forbidden words.

use crate::source::{refuse, rust_sources, sources};

/// Longer files have more than one subject.
const MOST_LINES: usize = 600;

#[test]
fn no_file_has_several_subjects() {
    let lengths = rust_sources().into_iter().map(|(name, text)| (name, text.lines().count()));
    let too_long = lengths.filter(|(_, lines)| *lines > MOST_LINES);
    refuse(&too_long.map(|(name, lines)| format!("{name} has {lines} lines")).collect::<Vec<_>>());
}

/// Nothing under `crates/` uses these macros, which panic if the output is closed; its programs
/// print through functions that survive that. Only the engine and the bench may use them.
#[test]
fn no_library_prints() {
    let mut found = Vec::new();
    for (name, text) in rust_sources() {
        for (index, line) in text.lines().enumerate() {
            let prints = line.contains("print!(") || line.contains("println!(");
            if name.starts_with("crates/") && name.contains("/src/") && prints && !line.trim_start().starts_with("//") {
                found.push(format!("{name}:{}: {line}", index + 1));
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
    for (name, text) in sources(|_| true) {
        for (number, line) in text.lines().enumerate() {
            // After a name it belongs to a relative path or an address.
            let absolute = |home: &&str| {
                line.match_indices(*home).any(|(at, _)| {
                    !line[..at].ends_with(|before: char| before.is_alphanumeric() || "._-}".contains(before))
                })
            };
            if homes.iter().any(absolute) {
                found.push(format!("{name}:{}: {line}", number + 1));
            }
        }
    }
    refuse(&found);
}
