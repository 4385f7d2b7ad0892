//! Reads games from CSA text of any origin.

use kiki_board::{Position, opponent};
use kiki_text::excerpt;
use shogi_core::Color;

use super::NOTE;
use super::moves::{color_of, read_csa_move};
use super::moves::{read_pv, read_score};
use super::position::Setup;
use super::result::ResultReader;
use crate::comments;
use crate::comments::{read_info, read_time};
use crate::ending::EndReason;
use crate::error::{ReadError, ReadProblem};
use crate::game::{Game, PlayedMove};
use crate::text::{Decoder, add_line, content};

/// Reads CSA records of any version, by servers, GUIs or Kiki, in UTF-8, Shift_JIS or EUC-JP. `/`
/// separates games, and a comma separates statements on a line.
///
/// The result comes from Kiki's own comment, floodgate's `'summary:`, a `%` statement or a server's
/// `#` line, in this order. The rules decide who won: the side to move says `%TORYO`, the board
/// shows who gave perpetual check, and checkmate needs no statement. Any other result is
/// [`crate::GameOutcome::Unknown`].
///
/// # Errors
/// A game that cannot be read gives an error. Reading continues with the next game.
///
/// ```
/// use kiki_record::{GameOutcome, read_csa};
///
/// let file = b"N+a\nN-b\nPI\n+\n+7776FU\n'summary:time up:b lose:a win\n/\nPI\n+\n+7775FU\n/\nPI\n+\n";
/// let games: Vec<_> = read_csa(file).collect();
/// assert_eq!(games[0].as_ref().unwrap().outcome, GameOutcome::BlackWins);
/// assert!(games[1].as_ref().unwrap_err().to_string().starts_with("line 10: the move `+7775FU` is illegal in the position "));
/// assert_eq!(games[2].as_ref().unwrap().outcome, GameOutcome::Unknown);
/// ```
#[must_use]
pub fn read_csa(bytes: &[u8]) -> CsaGames<'_> {
    let (rest, line_end) = content(bytes);
    CsaGames { rest, line_end, line: 0, decoder: Decoder::for_file(bytes), has_pv: true, is_version_3: false }
}

/// The games of a CSA file, from [`read_csa`].
pub struct CsaGames<'a> {
    rest: &'a [u8],
    line_end: u8,
    /// The number of the last line read.
    line: usize,
    decoder: Decoder,
    /// Whether principal variations and comments are read.
    has_pv: bool,
    /// Whether the file is of version 3. Only the first game states it.
    is_version_3: bool,
}

impl<'a> CsaGames<'a> {
    /// The same games without principal variations and comments. Much faster, because most time
    /// goes into checking the moves of variations.
    #[must_use]
    pub fn without_pv(self) -> Self {
        Self { has_pv: false, ..self }
    }

    fn next_line(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let mut parts = self.rest.splitn(2, |&byte| byte == self.line_end);
        let line = parts.next()?;
        self.rest = parts.next().unwrap_or_default();
        self.line += 1;
        Some(line.trim_ascii())
    }
}

impl Iterator for CsaGames<'_> {
    type Item = Result<Game, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut reader = GameReader::new(self.has_pv);
        let mut error = None;
        let mut has_content = false;
        while let Some(line) = self.next_line() {
            if line == b"/" {
                if has_content {
                    break;
                }
                // Comments between two separators do not make a game.
                reader = GameReader::new(self.has_pv);
                continue;
            }
            if let [b'V', version @ ..] = line {
                self.is_version_3 = version.starts_with(b"3");
            }
            reader.is_version_3 = self.is_version_3;
            has_content |= !matches!(line, [] | [b'\'', ..]);
            if error.is_none() {
                error = reader.line(line, self.line, &self.decoder).err();
            }
        }
        let line = self.line;
        has_content.then(|| error.map_or_else(|| reader.finish(line), Err))
    }
}

struct GameReader {
    game: Game,
    setup: Setup,
    /// Set up at the first move.
    position: Option<Position>,
    result: ResultReader,
    /// An illegal move and its error. It ends the game if the record states an illegal move
    /// afterwards.
    illegal: Option<(String, ReadError)>,
    has_pv: bool,
    is_version_3: bool,
    /// Whether the record has a name, a position, a side to move or a field, beyond a version and
    /// an end.
    has_game: bool,
    /// The first line of another kind, for the error message.
    first_line: Option<(String, usize)>,
}

impl GameReader {
    fn new(has_pv: bool) -> Self {
        let (game, setup, result) = (Game::default(), Setup::new(), ResultReader::default());
        Self {
            game,
            setup,
            position: None,
            result,
            illegal: None,
            has_pv,
            is_version_3: false,
            has_game: false,
            first_line: None,
        }
    }

    fn line(&mut self, line: &[u8], number: usize, decoder: &Decoder) -> Result<(), ReadError> {
        self.has_game |= matches!(line, [b'N', b'+' | b'-', ..] | [b'$', ..]);
        if !self.has_game && !line.is_empty() {
            self.first_line.get_or_insert_with(|| (text(line, decoder), number));
        }
        match line {
            [b'\'', comment @ ..] => self.comment(comment, decoder),
            [b'N', b'+', name @ ..] => self.game.black = text(name, decoder),
            [b'N', b'-', name @ ..] => self.game.white = text(name, decoder),
            [b'$', field @ ..] => self.field(&decoder.decode(field)),
            _ => return self.statements(line, number, decoder),
        }
        Ok(())
    }

    /// Reads statements separated by commas. A comment after them ends with the line, because it
    /// may contain commas.
    fn statements(&mut self, mut line: &[u8], number: usize, decoder: &Decoder) -> Result<(), ReadError> {
        while !line.is_empty() {
            if let [b'\'', comment @ ..] = line {
                self.comment(comment, decoder);
                break;
            }
            let mut parts = line.splitn(2, |&byte| byte == b',');
            let token = parts.next().unwrap_or_default().trim_ascii();
            self.statement(token, number, decoder)?;
            line = parts.next().unwrap_or_default().trim_ascii();
        }
        Ok(())
    }

    fn statement(&mut self, token: &[u8], number: usize, decoder: &Decoder) -> Result<(), ReadError> {
        self.has_game |= matches!(token, [b'P' | b'+' | b'-', ..]);
        let done = match token {
            [] | [b'V', b'1'..=b'9', ..] => Ok(()),
            [b'P', ..] => self.before_moves(token).and_then(|()| self.setup.read(token)),
            [sign @ (b'+' | b'-')] => self.before_moves(token).map(|()| self.setup.set_side(color_of(*sign))),
            [b'+' | b'-', ..] => return self.make_or_end(token, number),
            [b'T', time @ ..] => self.time(time, token),
            [b'%', ..] => {
                self.result.read_statement(&decoder.decode(token));
                Ok(())
            }
            [b'#', ..] => {
                self.result.read_server(&decoder.decode(token));
                Ok(())
            }
            _ => Err(ReadProblem::malformed(&decoder.decode(token), "a CSA statement")),
        };
        done.map_err(|problem| problem.at(number))
    }

    fn before_moves(&self, token: &[u8]) -> Result<(), ReadProblem> {
        match self.position {
            None => Ok(()),
            Some(_) => Err(too_late(token, "the first move")),
        }
    }

    /// Sets up the position after its lines. `next` is the text after them.
    fn set_up(&mut self, next: &str) -> Result<(), ReadProblem> {
        if self.position.is_none() {
            let set_up = self.setup.position();
            let (position, root) = set_up.map_err(|reason| ReadProblem::Position { token: excerpt(next), reason })?;
            self.position = Some(position);
            self.game.root = root;
        }
        Ok(())
    }

    fn make(&mut self, token: &[u8]) -> Result<(), ReadProblem> {
        if self.result.has_statement() {
            return Err(too_late(token, "the end of the game"));
        }
        self.set_up(&String::from_utf8_lossy(token))?;
        let Some(position) = &mut self.position else { return Ok(()) };
        let mv = read_csa_move(token, position)?;
        position.make(mv);
        self.game.moves.push(mv.into());
        Ok(())
    }

    /// Makes a move. An illegal move is kept with its error until the record says whether it ended
    /// the game.
    fn make_or_end(&mut self, token: &[u8], number: usize) -> Result<(), ReadError> {
        if let Some((_, error)) = &self.illegal {
            return Err(error.clone());
        }
        match self.make(token) {
            Err(problem @ ReadProblem::IllegalMove { .. }) => {
                self.illegal = Some((String::from_utf8_lossy(token).into_owned(), problem.at(number)));
                Ok(())
            }
            done => done.map_err(|problem| problem.at(number)),
        }
    }

    /// Whether an illegal move or a statement has ended the game, so that the last move gets no
    /// more notes.
    fn is_over(&self) -> bool {
        self.illegal.is_some() || self.result.has_statement()
    }

    /// The move that notes belong to.
    fn last_move(&mut self) -> Option<&mut PlayedMove> {
        if self.is_over() {
            return None;
        }
        self.game.moves.last_mut()
    }

    fn time(&mut self, time: &[u8], token: &[u8]) -> Result<(), ReadProblem> {
        let Some(time_ms) = read_time(time) else {
            return Err(ReadProblem::malformed(&String::from_utf8_lossy(token), "a time in seconds"));
        };
        if self.is_over() {
            self.result.read_time(time_ms);
        } else if let Some(played) = self.game.moves.last_mut() {
            played.time_ms = Some(time_ms);
        }
        Ok(())
    }

    fn field(&mut self, field: &str) {
        let Some((name, value)) = field.split_once(':') else { return };
        let slot = match name {
            "EVENT" => &mut self.game.event,
            "SITE" => &mut self.game.site,
            "START_TIME" => &mut self.game.start_time,
            "TIME_LIMIT" | "TIME" => &mut self.game.time_control,
            _ => return self.other_field(name, value),
        };
        value.trim().clone_into(slot);
    }

    fn other_field(&mut self, name: &str, value: &str) {
        // The standard uses both spellings.
        let name = match name.trim() {
            "TIMET+" => "TIME+",
            "TIMET-" => "TIME-",
            other => other,
        };
        let value = value.trim();
        let note = (name == NOTE && self.is_version_3).then(|| unescaped(value));
        if !value.is_empty() {
            add_line(self.game.fields.entry(name.to_owned()).or_default(), note.as_deref().unwrap_or(value));
        }
    }

    fn comment(&mut self, comment: &[u8], decoder: &Decoder) {
        if self.own_comment(comment, decoder) || !self.has_pv || self.is_final_position(comment) {
            return;
        }
        if let Some(name) = comment.strip_prefix(b"*bookmark:") {
            self.comment_line(&format!("&{}", text(name, decoder)));
        } else {
            let line = text(comment.strip_prefix(b"*").unwrap_or(comment), decoder);
            self.comment_line(&comments::no_bookmark(&line));
        }
    }

    fn comment_line(&mut self, line: &str) {
        let in_moves = self.game.moves.last_mut().map(|played| &mut played.comment);
        comments::add(in_moves.unwrap_or(&mut self.game.comment), line);
    }

    /// Reads a comment that carries data. Returns `false` for plain text.
    fn own_comment(&mut self, comment: &[u8], decoder: &Decoder) -> bool {
        if let Some(summary) = comment.strip_prefix(b"summary:") {
            self.result.read_summary(&decoder.decode(summary));
        } else if let Some(result) = comment.strip_prefix(b"*result ") {
            return self.result.read_own(&decoder.decode(result));
        } else if let Some(control) = comment.strip_prefix(b"Time_Control:") {
            self.game.time_control = text(control, decoder);
        } else if let Some(field) = comment.strip_prefix(b"*").unwrap_or(comment).strip_prefix(b"field ") {
            let field = text(field, decoder);
            let Some((name, value)) = field.split_once(':') else { return false };
            self.other_field(name, value);
        } else if let Some(end) = comment.strip_prefix(b"$END_TIME:") {
            // Floodgate writes it after the moves.
            self.other_field("END_TIME", &text(end, decoder));
        } else if let Some(info) = comment.strip_prefix(b"*info ") {
            let info = decoder.decode(info);
            return self.result.read_info(&info) || self.last_move().is_some_and(|played| read_info(&info, played));
        } else if let Some(note) = comment.strip_prefix(b"**") {
            return self.score(note, decoder);
        } else {
            return comment.starts_with(b"CSA encoding");
        }
        true
    }

    /// Whether a comment is a line of the final position, which floodgate writes after the result.
    fn is_final_position(&self, comment: &[u8]) -> bool {
        let is_line = matches!(comment, [b'P', b'1'..=b'9' | b'+' | b'-', ..] | [b'+' | b'-']);
        is_line && self.position.is_some() && !self.game.moves.is_empty()
    }

    /// Adds the score and the principal variation of a comment to the last move. Returns `false` if
    /// the comment has no score.
    fn score(&mut self, note: &[u8], decoder: &Decoder) -> bool {
        // The side that made the last move.
        let side = self.position.as_ref().map_or(Color::Black, |position| opponent(position.side_to_move()));
        let Some(score) = read_score(note, side) else { return false };
        let (pv, rest) = match &self.position {
            Some(after) if self.has_pv => read_pv(note, after),
            _ => (Vec::new(), &b""[..]),
        };
        let Some(played) = self.last_move() else { return false };
        (played.score, played.pv) = (Some(score), pv);
        if !rest.is_empty() {
            self.comment_line(&comments::no_bookmark(&text(rest, decoder)));
        }
        true
    }

    fn finish(mut self, line: usize) -> Result<Game, ReadError> {
        if let Some((text, line)) = self.first_line.take().filter(|_| !self.has_game) {
            return Err(ReadProblem::malformed(&text, "a position or a move, and the game has none").at(line));
        }
        self.set_up("the end of the game").map_err(|problem| problem.at(line))?;
        let mut game = self.game;
        comments::end_all(&mut game);
        let illegal = self.illegal.as_ref().map(|(token, _)| token.as_str());
        if let Some(position) = &self.position {
            self.result.conclude(&mut game, position, illegal);
        }
        match self.illegal {
            Some((_, error)) if game.reason != Some(EndReason::IllegalMove) => Err(error),
            _ => Ok(game),
        }
    }
}

/// The text of a version 3 note, where `\n` is a line break and `\\` a backslash.
fn unescaped(note: &str) -> String {
    let mut text = String::with_capacity(note.len());
    let mut letters = note.chars().peekable();
    while let Some(letter) = letters.next() {
        let escaped = letters.next_if(|&next| letter == '\\' && matches!(next, 'n' | '\\'));
        text.push(match escaped {
            Some('n') => '\n',
            _ => letter,
        });
    }
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.join("\n")
}

fn text(bytes: &[u8], decoder: &Decoder) -> String {
    decoder.decode(bytes).trim().to_owned()
}

fn too_late(token: &[u8], after: &'static str) -> ReadProblem {
    ReadProblem::TooLate { token: excerpt(&String::from_utf8_lossy(token)), after }
}
