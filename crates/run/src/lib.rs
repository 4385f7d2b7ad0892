//! What all runs of the laboratory share.
//!
//! | module | what |
//! |---|---|
//! | [`files`] | paths, lines, atomic writing |
//! | [`journal`], [`journal_layouts`] | journals of work that can be interrupted, and the folders that hold them |
//! | [`interrupt`], [`engine_guard`] | Ctrl-C, and no engine that outlives a killed run |
//! | [`progress_line`], [`numbers`], [`terminal_text`] | progress, tables, numbers and JSON on the terminal |
//! | [`input_errors`], [`play_errors`] | broken inputs and failed games |
//! | [`evaluation_note`], [`search_args`] | the evaluation and the threads that a command names |

pub mod engine_guard;
pub mod evaluation_note;
pub mod files;
pub mod input_errors;
pub mod interrupt;
pub mod journal;
pub mod journal_layouts;
pub mod numbers;
pub mod parallel;
pub mod play_errors;
pub mod position_text;
pub mod progress_line;
pub mod search_args;
pub mod shell_word;
pub mod terminal_text;
