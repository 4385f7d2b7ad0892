//! The settings of a book that is made by searches.

use std::path::PathBuf;

use kiki_book::ExpansionSettings;
use kiki_run::evaluation::EvaluationNote;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum BookTask {
    Expand {
        settings: ExpansionSettings,
        positions: usize,
        /// The book leaves out moves that are worse than the best one by more, in centipawns.
        margin: u32,
    },
    /// The moves of a book get values.
    Evaluate,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MakingSettings {
    /// File of the book, as an absolute path.
    pub(crate) output: PathBuf,
    pub(crate) task: BookTask,
    pub(crate) search: BookSearchSettings,
    /// Reports of the source games that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BookSearchSettings {
    pub(crate) evaluation: EvaluationNote,
    /// Of each search.
    pub(crate) nodes: u64,
    /// Number of best moves that get values.
    pub(crate) lines: usize,
    /// Size of each search's table.
    pub(crate) table_mebibytes: usize,
}
