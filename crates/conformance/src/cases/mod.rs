//! The cases, by subject. Each file has its list.

mod answers;
mod go;
mod handshake;
mod mate;
mod options;
mod ponder;
mod position;
mod quit;
mod stop;
mod streams;

use crate::check::Case;

/// All cases, in the order in which they are run.
#[must_use]
pub fn cases() -> Vec<Case> {
    [
        handshake::CASES,
        options::CASES,
        handshake::READY_CASES,
        position::CASES,
        go::CASES,
        go::CLOCK_CASES,
        stop::INFINITE_CASES,
        mate::CASES,
        ponder::CASES,
        stop::CASES,
        quit::GAMEOVER_CASES,
        quit::CASES,
        streams::INPUT_CASES,
        streams::CASES,
        answers::CASES,
        answers::INFO_CASES,
        answers::SCORE_CASES,
    ]
    .concat()
}

/// Rules that a conversation cannot test, each with the reason.
pub const NOT_TESTED: [(&str, &str); 7] = [
    (
        "whether `btime` is told before or after the increment",
        "programs differ and both readings are kept in games; only an answer after btime + binc is a fault under every reading",
    ),
    ("whether an engine uses the time that it has", "an early answer breaks no rule of the protocol"),
    (
        "whether `isready` clears the table",
        "only a search that repeats itself to the node shows it, and with several threads none does",
    ),
    ("a bare newline every few seconds while loading", "most engines load faster than that"),
    ("relative paths in options", "which options name files, and what these must hold, is the engine's own affair"),
    (
        "whether an option keeps a text with blanks as it is",
        "no answer tells what an option holds, and what it names is the engine's own affair",
    ),
    ("stochastic ponder", "from outside it looks like pondering on the position that was told"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_plain() {
        let mut names: Vec<&str> = cases().iter().map(|case| case.name).collect();
        let count = names.len();
        assert!(
            names
                .iter()
                .all(|name| name.chars().all(|letter| letter.is_ascii_lowercase() || "-0123456789".contains(letter)))
        );
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
