//! What engines say and are told, as files that are written while it happens.

use std::fs::{self, File, OpenOptions};
use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use kiki_driver::{Direction, LineLog};
use parking_lot::Mutex;

/// The log of one worker: a file for each game, which the engines of that game write to. Processes that play several games in
/// succession write to the file of the game that is being played.
#[derive(Debug)]
pub(crate) struct GameLog {
    folder: PathBuf,
    file: Mutex<Option<File>>,
}

impl GameLog {
    /// # Errors
    /// The folder cannot be made.
    pub(crate) fn new(folder: &Path) -> Result<Arc<Self>> {
        fs::create_dir_all(folder).with_context(|| format!("--log {}", folder.display()))?;
        Ok(Arc::new(Self { folder: folder.to_owned(), file: Mutex::new(None) }))
    }

    /// From now on lines go to this file of the folder, behind what it holds already.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(crate) fn begin(&self, name: &str) -> Result<()> {
        let path = self.folder.join(format!("{name}.log"));
        let file = OpenOptions::new().create(true).append(true).open(&path);
        *self.file.lock() = Some(file.with_context(|| format!("--log: {}", path.display()))?);
        Ok(())
    }

    /// The same for a game by its number.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub(crate) fn begin_game(&self, game: usize) -> Result<()> {
        self.begin(&format!("{game:06}"))
    }

    /// Writes the lines of an engine: the time in UTC, its name, `>` for what it is told, `<` for what it says, `!` for its standard error.
    pub(crate) fn lines_of(self: &Arc<Self>, engine: &str) -> LineLog {
        let (log, engine) = (Arc::clone(self), engine.to_owned());
        Arc::new(move |direction, line| log.write(&engine, direction, line))
    }

    fn write(&self, engine: &str, direction: Direction, line: &[u8]) {
        let sign = match direction {
            Direction::Told => '>',
            Direction::Said => '<',
            Direction::Error => '!',
        };
        let time = humantime::format_rfc3339_micros(SystemTime::now());
        let text = format!("{time} {engine} {sign} {}\n", String::from_utf8_lossy(line));
        let mut file = self.file.lock();
        // One call for a line, so that a kill leaves whole lines. A full disk is no reason to lose a game.
        if let Some(Err(error)) = file.as_mut().map(|file| file.write_all(text.as_bytes())) {
            *file = None;
            // Nobody may be listening: `eprintln!` would panic.
            let _ = writeln!(stderr(), "kiki-lab: a log in {} ends: {error}", self.folder.display());
        }
    }
}
