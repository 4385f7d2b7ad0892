//! Which engine plays: its program, its options and its time control.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use kiki_driver::{Program, ProgramError};
use serde::{Deserialize, Serialize};

use crate::time_control::TimeControl;

/// One engine of a match, as it stands in the settings of the match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EngineSpec {
    /// Its name in records.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder that it works in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// Start a new process for every game.
    #[serde(default)]
    pub restart: bool,
    /// Let it think on the other side's time.
    #[serde(default)]
    pub ponder: bool,
    /// Values of USI options by name.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// What limits its thinking.
    #[serde(rename = "limit")]
    pub time_control: TimeControl,
}

impl EngineSpec {
    /// The program to start.
    ///
    /// # Errors
    /// There is no such file. The error does not name the engine.
    pub fn program(&self) -> Result<Program, ProgramError> {
        Ok(Program::from_words(self.command.iter().cloned())?.in_directory(self.directory.as_deref()))
    }

    /// The same engine whatever folder it is started from later: the paths of its program and of the folder that it works in become absolute.
    /// Without a folder it is the current one, from which relative paths in its options are taken. A program that is not there keeps its name, which
    /// messages tell.
    ///
    /// # Errors
    /// The current folder is not known.
    pub fn with_absolute_paths(mut self) -> io::Result<Self> {
        if let Some(first) = self.command.first_mut().filter(|first| first.contains(std::path::is_separator)) {
            let path = std::path::absolute(&*first)?;
            if let Some(path) = path.to_str().filter(|_| path.is_file()) {
                *first = path.to_owned();
            }
        }
        self.directory = Some(match &self.directory {
            Some(directory) => std::path::absolute(directory)?,
            None => std::env::current_dir()?,
        });
        Ok(self)
    }
}
