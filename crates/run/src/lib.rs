//! What all runs of the laboratory share.
//!
//! | module | what |
//! |---|---|
//! | [`files`] | paths, lines, atomic writing |
//! | [`journal`] | journals of work that can be interrupted, and the folders that hold them |
//! | [`list_run`] | a run over the items of a list |
//! | [`interrupt`] | Ctrl-C, and no engine that outlives a killed run |
//! | [`numbers`] | numbers on the command line |
//! | [`output`] | numbers, tables, JSON, warnings and progress on the terminal |
//! | [`input_errors`] | inputs that cannot be read do not stop the others |
//! | [`evaluation`] | the evaluation and the threads of a command |
//! | [`position_text`] | a position on the command line |
//! | [`repeats`] | games and files that are read more than once |
//! | [`usage`] | command lines that make no sense |
//! | [`parallel`] | the same work on many items, on several threads |

pub mod evaluation;
pub mod files;
pub mod input_errors;
pub mod interrupt;
pub mod journal;
pub mod list_run;
pub mod numbers;
pub mod output;
pub mod parallel;
pub mod position_text;
pub mod repeats;
pub mod usage;

/// Name and version of the program, for notes.
pub const PROGRAM: &str = concat!("kiki-lab ", env!("CARGO_PKG_VERSION"));

static COMMIT: std::sync::OnceLock<&str> = std::sync::OnceLock::new();

/// Tells the commit of the program, for notes.
pub fn set_commit(commit: &'static str) {
    let _ = COMMIT.set(commit);
}

/// The commit of the program. Sources without a repository have none.
pub fn commit() -> Option<String> {
    COMMIT.get().map(|&commit| commit.to_owned())
}
