//! Records of games as files. Every move saves the record under a temporary name and renames it. A
//! full disk, a killed program or a power cut then never leaves half a file or destroys a whole
//! one.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use kiki_record::{Game, RecordForm, TextEncoding, to_csa};
use tempfile::NamedTempFile;
use tracing::{error, info};

const LONGEST_NAME: usize = 150;

#[derive(Debug, thiserror::Error)]
enum SaveError {
    #[error("cannot save {}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("cannot write the game {id} as a record: {reason}")]
    Form { id: String, reason: String },
}

/// The folder of the records, and the games that could not be saved yet.
#[derive(Default)]
pub(crate) struct Records {
    folder: PathBuf,
    with_kif: bool,
    /// The name of the current game's files, without extension.
    current: Option<(String, PathBuf)>,
    /// Finished games that are not saved yet, by their paths.
    unsaved: HashMap<PathBuf, Game>,
    fails: bool,
    /// Whether a finished game cannot be written in any form.
    has_lost: bool,
}

impl Records {
    /// Records in a folder, which is created when it is needed.
    pub(crate) fn new(folder: &Path, with_kif: bool) -> Self {
        Self { folder: folder.to_owned(), with_kif, ..Self::default() }
    }

    /// Saves a game in progress, under a name that no other file has. A failure leaves the record
    /// of an earlier move unchanged.
    pub(crate) fn save(&mut self, game: &Game) {
        let path = self.path_of(&game.event);
        let saved = self.write_csa(&path, game, Durability::AfterCrash);
        self.log_outcome(saved);
    }

    /// Saves a finished game, and all games that could not be saved before. Those that may be saved
    /// later are kept.
    pub(crate) fn finish(&mut self, game: Game) {
        let path = self.path_of(&game.event);
        self.current = None;
        self.unsaved.insert(path, game);
        self.save_the_rest();
    }

    pub(crate) fn save_the_rest(&mut self) {
        let mut first_error = None;
        for (path, game) in std::mem::take(&mut self.unsaved) {
            if let Err(error) = self.write_all_forms(&path, &game) {
                let may_be_saved_later = matches!(error, SaveError::File { .. });
                first_error.get_or_insert(error);
                match may_be_saved_later {
                    true => drop(self.unsaved.insert(path, game)),
                    false => self.has_lost = true,
                }
            }
        }
        self.log_outcome(first_error.map_or(Ok(()), Err));
    }

    /// Logs the first failure to save a record, and the first success after it.
    fn log_outcome(&mut self, saved: Result<(), SaveError>) {
        let failed = std::mem::replace(&mut self.fails, saved.is_err());
        match saved {
            Err(error) if !failed => error!("{error}; it is tried again"),
            Ok(()) if failed => info!("records are saved again"),
            _ => {}
        }
    }

    pub(crate) fn has_lost(&self) -> bool {
        self.has_lost || !self.unsaved.is_empty()
    }

    pub(crate) fn unsaved(&self) -> impl Iterator<Item = String> {
        self.unsaved.values().filter_map(|game| to_csa(game).ok())
    }

    fn write_all_forms(&self, path: &Path, game: &Game) -> Result<(), SaveError> {
        self.write_csa(path, game, Durability::AfterPowerCut)?;
        if self.with_kif {
            let kif = RecordForm::Kif.write(std::slice::from_ref(game), TextEncoding::Utf8);
            let kif = kif.map_err(|error| form(game, &error))?;
            self.write(&path.with_extension("kif"), &kif, Durability::AfterPowerCut)?;
        }
        Ok(())
    }

    fn write_csa(&self, path: &Path, game: &Game, durability: Durability) -> Result<(), SaveError> {
        let text = to_csa(game).map_err(|error| form(game, &error))?;
        self.write(path, text.as_bytes(), durability)
    }

    fn write(&self, path: &Path, content: &[u8], durability: Durability) -> Result<(), SaveError> {
        let write = || {
            fs::create_dir_all(&self.folder)?;
            let mut file = temporary_file(&self.folder)?;
            file.write_all(content)?;
            if durability == Durability::AfterPowerCut {
                file.as_file().sync_all()?;
            }
            file.persist(path).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(|error| SaveError::File { path: path.to_owned(), error })
    }

    /// The file of a game, chosen and made at its first save. Neither this file nor its KIF exists
    /// before. Another client in this folder makes its own.
    fn path_of(&mut self, id: &str) -> PathBuf {
        if let Some((known, path)) = &self.current
            && known == id
        {
            return path.clone();
        }
        let name = file_name(id);
        let numbered = |number: u32| if number == 1 { name.clone() } else { format!("{name}_{number}") };
        let paths = (1..).map(|number| self.folder.join(format!("{}.csa", numbered(number))));
        let is_taken = |path: &PathBuf| path.exists() || (self.with_kif && path.with_extension("kif").exists());
        let _ = fs::create_dir_all(&self.folder);
        // If no file can be made at all, the save says why.
        let is_made =
            |path: &PathBuf| File::options().write(true).create_new(true).open(path).is_ok() || !path.exists();
        let mut free = paths.filter(|path| !is_taken(path) && !self.unsaved.contains_key(path) && is_made(path));
        let path = free.next().unwrap_or_default();
        self.current = Some((id.to_owned(), path.clone()));
        path
    }
}

fn form(game: &Game, error: &kiki_record::WriteError) -> SaveError {
    SaveError::Form { id: game.event.clone(), reason: error.to_string() }
}

/// A temporary file that others may read, like any record.
fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kiki-csa");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    builder.tempfile_in(folder)
}

/// The failures that a saved file survives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Durability {
    AfterCrash,
    AfterPowerCut,
}

/// The file name of a game: letters, digits and `+-_.@`.
fn file_name(id: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() || "+-_@.".contains(letter) { letter } else { '_' };
    let name: String = id.chars().take(LONGEST_NAME).map(letter).collect();
    // A leading dot would hide the file, or name a folder.
    let name = name.trim_start_matches('.').to_owned();
    if name.is_empty() { "game".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use kiki_board::Position;
    use kiki_record::{PlayedMove, read_csa};

    use super::*;

    fn game(id: &str, moves: usize) -> Game {
        let mut position = Position::startpos();
        let mut game = Game { event: id.to_owned(), ..Game::default() };
        for token in ["7g7f", "3c3d", "2g2f"].into_iter().take(moves) {
            let mv = position.parse_move(token).unwrap();
            position.make(mv);
            game.moves.push(PlayedMove { time_ms: Some(2000), ..PlayedMove::from(mv) });
        }
        game
    }

    fn files(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn moves_in(path: &Path) -> usize {
        read_csa(&fs::read(path).unwrap()).next().unwrap().unwrap().moves.len()
    }

    #[test]
    fn two_clients_in_one_folder_have_a_file_each() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = [(); 2].map(|()| Records::new(folder.path(), false).path_of("game"));
        assert_eq!([one, other], ["game.csa", "game_2.csa"].map(|name| folder.path().join(name)));
    }

    #[test]
    fn a_game_is_one_file_that_grows_and_another_of_its_name_has_its_own() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("new");
        let mut records = Records::new(&folder, false);
        for (name, moves) in [("a+b_.._c.csa", 3), ("a+b_.._c_2.csa", 2)] {
            for count in 0..=moves {
                records.save(&game("a+b/../c", count));
                assert_eq!(moves_in(&folder.join(name)), count);
            }
            records.finish(game("a+b/../c", moves));
        }
        assert_eq!(files(&folder), ["a+b_.._c.csa", "a+b_.._c_2.csa"]);
        assert_eq!(moves_in(&folder.join("a+b_.._c.csa")), 3);
    }

    #[test]
    fn a_kif_file_that_is_there_already_stays() {
        for (with_kif, expected) in [(true, vec!["x.kif", "x_2.csa", "x_2.kif"]), (false, vec!["x.csa", "x.kif"])] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("x.kif"), "of another program").unwrap();
            let mut records = Records::new(folder.path(), with_kif);
            records.save(&game("x", 1));
            records.finish(game("x", 2));
            assert_eq!(files(folder.path()), expected);
            assert_eq!(fs::read(folder.path().join("x.kif")).unwrap(), b"of another program");
        }
    }

    #[test]
    fn names_of_games_are_safe_names_of_files() {
        assert_eq!(
            file_name("wdoor+floodgate-300-10F+a+b+20260101000000"),
            "wdoor+floodgate-300-10F+a+b+20260101000000"
        );
        assert_eq!(file_name("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(file_name(""), "game");
        assert_eq!(file_name(&"x".repeat(1000)).len(), LONGEST_NAME);
    }
}
