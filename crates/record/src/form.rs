//! The forms of game records: detection of a file's form, and reading and writing of every form.

use std::path::Path;

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::error::{ReadError, ReadProblem, WriteError};
use crate::game::Game;
use crate::japanese::{KANJI_DIGITS, Notation, mark, skip_blanks};
use crate::kif::numbered;
use crate::text::{TextEncoding, numbered_lines};
use crate::{csa, jkf, kif, usi};

/// A form of game records.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum RecordForm {
    /// The format of the Computer Shogi Association, of floodgate and of most programs. Version 2.2
    /// is written.
    Csa,
    /// Like [`RecordForm::Csa`], but written as version 3.0 of 2024.
    Csa3,
    /// The format of Kakinoki's programs, which most Japanese programs read. Each line has a move
    /// with its origin and time.
    Kif,
    /// KIF's short form for printing: several moves on a line, without origins and times.
    Ki2,
    /// Like [`RecordForm::Ki2`], with ranks in full-width digits: `▲７６歩` for `▲７六歩`.
    Ki2Digits,
    /// Lines of the USI command `position`: `startpos moves ..` and `sfen .. moves ..`. Moves alone
    /// are read too.
    Usi,
    /// JSON Kifu Format, of programs for the web.
    Jkf,
}

/// Number of lines at the beginning of a file that are searched for its form.
const LINES: usize = 200;

impl RecordForm {
    /// All of them.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Its name: `csa`, `csa3`, `kif`, `ki2`, `ki2-digits`, `usi`, `jkf`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The extension of its files: `csa` for both versions of CSA, `ki2` for both ways to write
    /// ranks, else the name.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csa3 => Self::Csa.name(),
            Self::Ki2Digits => Self::Ki2.name(),
            other => other.name(),
        }
    }

    /// The form of a file name by its extension: the name of a form, or `kifu`, `kif8`, `bod` (a
    /// board alone), `ki2u`, `sfen` or `json`.
    #[must_use]
    pub fn of_extension(name: &str) -> Option<Self> {
        let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "kifu" | "kif8" | "bod" => Some(Self::Kif),
            "ki2u" => Some(Self::Ki2),
            "sfen" => Some(Self::Usi),
            "json" => Some(Self::Jkf),
            name => name.parse().ok(),
        }
    }

    /// The form of a file by its content, or else by its name. `None` if neither shows it. All CSA
    /// is [`RecordForm::Csa`], all KI2 is [`RecordForm::Ki2`].
    ///
    /// ```
    /// use kiki_record::RecordForm;
    ///
    /// assert_eq!(RecordForm::detect("game.txt", b"PI\n+\n+7776FU\n"), Some(RecordForm::Csa));
    /// assert_eq!(RecordForm::detect("game.kif", "▲７六歩 △３四歩".as_bytes()), Some(RecordForm::Ki2));
    /// assert_eq!(RecordForm::detect("game.kif", b""), Some(RecordForm::Kif));
    /// assert_eq!(RecordForm::detect("letter.txt", b"Dear Sir"), None);
    /// ```
    #[must_use]
    pub fn detect(name: &str, bytes: &[u8]) -> Option<Self> {
        Self::of_content(bytes).or_else(|| Self::of_extension(name))
    }

    fn of_content(bytes: &[u8]) -> Option<Self> {
        let lines = numbered_lines(first_lines(bytes));
        let lines = lines.iter().map(|(_, line)| skip_blanks(line)).filter(|line| !line.is_empty());
        // KI2 may have a board before its moves, too.
        lines.clone().find_map(Self::of_line).or_else(|| lines.clone().any(is_rank).then_some(Self::Kif))
    }

    fn of_line(line: &str) -> Option<Self> {
        if line.starts_with('{') || line.starts_with("[{") || line == "[" {
            return Some(Self::Jkf);
        }
        let first = line.split_ascii_whitespace().next().unwrap_or_default();
        if matches!(first, "position" | "startpos" | "sfen") || is_board(first) {
            return Some(Self::Usi);
        }
        if is_csa(line) {
            return Some(Self::Csa);
        }
        if mark(line).is_some_and(|(_, rest)| Notation::read(rest).is_some()) {
            return Some(Self::Ki2);
        }
        if is_kif(line) {
            return Some(Self::Kif);
        }
        usi::is_move(first).then_some(Self::Usi)
    }
}

fn first_lines(bytes: &[u8]) -> &[u8] {
    let mut ends = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(index, _)| index);
    ends.nth(LINES).and_then(|end| bytes.get(..end)).unwrap_or(bytes)
}

fn is_csa(line: &str) -> bool {
    let is_square = |text: Option<&str>| text.is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let is_move = line.starts_with(['+', '-']) && line.len() >= 7 && is_square(line.get(1..5));
    let starts = ["V2", "V3", "V1", "PI", "N+", "N-", "P+", "P-", "'CSA encoding"];
    let is_rank =
        line.starts_with('P') && line.get(1..2).is_some_and(|rank| rank.parse::<u8>().is_ok_and(|rank| rank > 0));
    is_move || is_rank || starts.iter().any(|start| line.starts_with(start))
}

/// A board in SFEN. A path or an address may have as many slashes.
fn is_board(word: &str) -> bool {
    word.split('/').count() == 9 && word.bytes().all(|byte| b"plnsgbrkPLNSGBRK123456789+/".contains(&byte))
}

/// A rank of a board: `|v香v桂 ・ ..|一`.
fn is_rank(line: &str) -> bool {
    line.starts_with('|') && KANJI_DIGITS.into_iter().any(|digit| line.ends_with(digit))
}

/// Whether a line can only be KIF: the title of the columns, or a numbered move.
fn is_kif(line: &str) -> bool {
    line.starts_with("手数--") || numbered(line).is_some_and(|(_, rest)| Notation::read(rest).is_some())
}

/// Reads the games of a file in the form that [`RecordForm::detect`] finds. Only the extension of
/// the name matters.
///
/// # Errors
/// A game that cannot be read gives an error with its line, and reading continues with the next
/// game. A file of no known form gives one error.
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

/// Like [`read_records`], without principal variations and comments where that is much faster.
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
    /// As for [`read_records`].
    #[must_use]
    pub fn read(self, bytes: &[u8]) -> Vec<Result<Game, ReadError>> {
        match self {
            Self::Csa | Self::Csa3 => csa::read_csa(bytes).collect(),
            Self::Kif | Self::Ki2 | Self::Ki2Digits => kif::read(bytes),
            Self::Usi => usi::read(bytes),
            Self::Jkf => jkf::read(bytes),
        }
    }

    /// The first game of a file, up to the text that `error` names: `error` is what
    /// [`RecordForm::read`] gives for this game. `None` if it has no move before.
    ///
    /// ```
    /// use kiki_record::RecordForm;
    ///
    /// let text = "7g7f 3c3d 7f7d 8c8d".as_bytes();
    /// let error = RecordForm::Usi.read(text).remove(0).unwrap_err();
    /// assert_eq!(RecordForm::Usi.read_before(text, &error).unwrap().moves.len(), 2);
    /// ```
    #[must_use]
    pub fn read_before(self, bytes: &[u8], error: &ReadError) -> Option<Game> {
        let game = if self == Self::Jkf { jkf::read_before(bytes) } else { self.text_before(bytes, error) };
        game.filter(|game| !game.moves.is_empty())
    }

    fn text_before(self, bytes: &[u8], error: &ReadError) -> Option<Game> {
        let lines = numbered_lines(bytes);
        let (before, rest) = lines.split_at_checked(error.line.checked_sub(1)?)?;
        let (_, broken) = rest.first()?;
        let before: String = before.iter().map(|(_, line)| format!("{line}\n")).collect();
        let read = |end: usize| {
            let line = broken.get(..end).unwrap_or_default();
            self.read([&before, line].concat().as_bytes()).into_iter().next()
        };
        // The same move may stand on the line before, where it was legal.
        let token = error.problem.token().filter(|token| !token.is_empty());
        let ends = token.into_iter().flat_map(|token| broken.match_indices(token).map(|(index, _)| index));
        let ends: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let count = ends.partition_point(|&end| !matches!(read(end), Some(Err(_))));
        read(*ends.get(count.checked_sub(1)?)?)?.ok()
    }

    /// Writes games as a file of this form, which [`RecordForm::read`] reads back.
    /// [`crate::lost_parts`] lists what the form cannot hold.
    ///
    /// # Errors
    /// A root is not a position, a move is illegal, or JKF is requested in an encoding other than
    /// UTF-8.
    pub fn write(self, games: &[Game], encoding: TextEncoding) -> Result<Vec<u8>, WriteError> {
        self.text(games, encoding).map(|text| encoding.encode(&text))
    }

    /// Like [`RecordForm::write`], before the text is encoded.
    pub(crate) fn text(self, games: &[Game], encoding: TextEncoding) -> Result<String, WriteError> {
        let texts = |write: fn(&Game, TextEncoding) -> Result<String, WriteError>| {
            games.iter().map(|game| write(game, encoding)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match self {
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
        })
    }
}
