//! Files with every line between players and engines, written while the games are played.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use kiki_driver::{LineDirection, LineLogger};
use parking_lot::Mutex;

use crate::error::PlayError;

/// Where logs go.
#[derive(Clone, Debug)]
pub struct LogFolder {
    /// The folder; it is made if it does not exist.
    pub path: PathBuf,
    /// Is told when a log can no longer be written, as with a full disk. The games go on.
    pub on_failure: fn(&str),
}

/// The log of one worker: a file for each game. Processes that play several games in succession write to the file of the current game.
#[derive(Debug)]
pub struct GameLog {
    folder: LogFolder,
    file: Mutex<Option<File>>,
}

impl GameLog {
    /// A log without a file.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn new(folder: &LogFolder) -> Result<Arc<Self>, PlayError> {
        fs::create_dir_all(&folder.path).map_err(|error| failed(&folder.path, error))?;
        Ok(Arc::new(Self { folder: folder.clone(), file: Mutex::new(None) }))
    }

    /// Lines go to this file of the folder from now on; what it holds already stays.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn begin(&self, name: &str) -> Result<(), PlayError> {
        let path = self.folder.path.join(format!("{name}.log"));
        let file = OpenOptions::new().create(true).append(true).open(&path);
        *self.file.lock() = Some(file.map_err(|error| failed(&path, error))?);
        Ok(())
    }

    /// Lines go to the file of this game from now on.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn begin_game(&self, game: usize) -> Result<(), PlayError> {
        self.begin(&format!("{game:06}"))
    }

    /// A logger for the lines of an engine. Each is written with the time in UTC, the name of the engine, and `>` for lines to the engine,
    /// `<` for its output, `!` for its standard error.
    pub fn logger(self: &Arc<Self>, engine: &str) -> LineLogger {
        let (log, engine) = (Arc::clone(self), engine.to_owned());
        Arc::new(move |direction, line| log.write(&engine, direction, line))
    }

    fn write(&self, engine: &str, direction: LineDirection, line: &[u8]) {
        let sign = match direction {
            LineDirection::ToEngine => '>',
            LineDirection::FromEngine => '<',
            LineDirection::StandardError => '!',
        };
        let time = humantime::format_rfc3339_micros(SystemTime::now());
        let text = format!("{time} {engine} {sign} {}\n", String::from_utf8_lossy(line));
        let mut file = self.file.lock();
        // One call for a line, so that a kill leaves whole lines. A full disk is no reason to lose a game.
        if let Some(Err(error)) = file.as_mut().map(|file| file.write_all(text.as_bytes())) {
            *file = None;
            (self.folder.on_failure)(&format!("a log in {} ends: {error}", self.folder.path.display()));
        }
    }
}

fn failed(path: &Path, error: io::Error) -> PlayError {
    PlayError::Log { path: path.to_owned(), error }
}
