//! Game records of every form: read from a file's bytes, written into them.

use crate::error::{ReadError, ReadProblem, WriteError};
use crate::form::RecordForm;
use crate::game::Game;
use crate::text::TextEncoding;
use crate::{csa, jkf, kif, usi};

/// Reads the games of a file. Its form is found by [`RecordForm::detect`]; only the extension of the name counts.
///
/// # Errors
/// A game that cannot be read gives an error with its line; the others of the file are read all the same. A file of no known form gives
/// one error.
///
/// ```
/// use kiki_record::read_records;
///
/// let games = read_records("games.usi", b"startpos moves 7g7f 3c3d\nstartpos moves 7g7e\nstartpos moves 2g2f\n");
/// assert_eq!(games[0].as_ref().unwrap().moves.len(), 2);
/// assert!(games[1].as_ref().unwrap_err().to_string().starts_with("line 2: the move `7g7e` is illegal"));
/// assert_eq!(games[2].as_ref().unwrap().moves.len(), 1);
/// ```
#[must_use]
pub fn read_records(name: &str, bytes: &[u8]) -> Vec<Result<Game, ReadError>> {
    match RecordForm::detect(name, bytes) {
        Some(form) => form.read(bytes),
        None => vec![Err(ReadProblem::UnknownForm.at(1))],
    }
}

/// As [`read_records`], without principal variations and comments where that is much faster.
#[must_use]
pub fn read_moves(name: &str, bytes: &[u8]) -> Vec<Result<Game, ReadError>> {
    match RecordForm::detect(name, bytes) {
        Some(RecordForm::Csa) => csa::read_csa(bytes).without_pv().collect(),
        _ => read_records(name, bytes),
    }
}

impl RecordForm {
    /// Reads the games of a file of this form.
    ///
    /// # Errors
    /// As those of [`read_records`].
    #[must_use]
    pub fn read(self, bytes: &[u8]) -> Vec<Result<Game, ReadError>> {
        match self {
            Self::Csa | Self::Csa3 => csa::read_csa(bytes).collect(),
            Self::Kif | Self::Ki2 | Self::Ki2Digits => kif::read(bytes),
            Self::Usi => usi::read(bytes),
            Self::Jkf => jkf::read(bytes),
        }
    }

    /// Writes games as a file of this form, which [`RecordForm::read`] reads back. [`crate::lost_parts`] tells what the form cannot hold.
    ///
    /// # Errors
    /// A root is no position, or a move is illegal; or the form is JKF, and the encoding not UTF-8.
    pub fn write(self, games: &[Game], encoding: TextEncoding) -> Result<Vec<u8>, WriteError> {
        let texts = |write: fn(&Game, TextEncoding) -> Result<String, WriteError>| {
            games.iter().map(|game| write(game, encoding)).collect::<Result<Vec<_>, _>>()
        };
        let text = match self {
            Self::Csa => texts(csa::write)?.join("/\n"),
            Self::Csa3 => csa::write_v3(games, encoding)?,
            Self::Kif => texts(kif::write_kif)?.join("\n"),
            Self::Ki2 => texts(kif::write_ki2)?.join("\n"),
            Self::Ki2Digits => texts(kif::write_ki2_digits)?.join("\n"),
            Self::Usi => texts(usi::write)?.concat(),
            Self::Jkf => match encoding {
                TextEncoding::Utf8 => jkf::write(games)?,
                TextEncoding::ShiftJis => return Err(WriteError::Encoding { form: "JKF" }),
            },
        };
        Ok(encoding.encode(text))
    }
}
