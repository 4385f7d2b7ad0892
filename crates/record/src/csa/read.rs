//! Reads games from CSA text of any origin.

use std::borrow::Cow;

use kiki_board::{Position, opponent};
use kiki_text::excerpt;
use shogi_core::Color;

use super::NOTE;
use super::moves::{color_of, read_csa_move, read_pv, read_score};
use super::position::CsaSetup;
use super::result::{csa_server_reason, of_statement, of_summary};
use crate::comments::{self, INFO, RESULT, read_info, read_time};
use crate::ending::{EndReason, GameOutcome};
use crate::error::{ReadError, ReadProblem};
use crate::game::{Game, PlayedMove};
use crate::header::add_value;
use crate::stated_result::{LineEnd, StatedResult};
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

    fn next_line(&mut self) -> Option<Cow<'a, str>> {
        if self.rest.is_empty() {
            return None;
        }
        let mut parts = self.rest.splitn(2, |&byte| byte == self.line_end);
        let line = parts.next()?;
        self.rest = parts.next().unwrap_or_default();
        self.line += 1;
        Some(self.decoder.decode(line.trim_ascii()))
    }
}

impl Iterator for CsaGames<'_> {
    type Item = Result<Game, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let has_pv = self.has_pv;
        let new_reader = || CsaReader { has_pv, ..CsaReader::default() };
        let mut reader = new_reader();
        let mut error = None;
        let mut has_content = false;
        while let Some(line) = self.next_line() {
            if line == "/" {
                if has_content {
                    break;
                }
                // Comments between two separators do not make a game.
                reader = new_reader();
                continue;
            }
            if let Some(version) = line.strip_prefix('V') {
                self.is_version_3 = version.starts_with('3');
            }
            reader.is_version_3 = self.is_version_3;
            has_content |= !(line.is_empty() || line.starts_with('\''));
            if error.is_none() {
                error = reader.line(&line, self.line).err();
            }
        }
        let line = self.line;
        has_content.then(|| error.map_or_else(|| reader.finish(line), Err))
    }
}

#[derive(Default)]
struct CsaReader {
    game: Game,
    setup: CsaSetup,
    /// Set up at the first move.
    position: Option<Position>,
    end: LineEnd,
    /// The text after `'summary:`. It is parsed at the end, because it needs the names of the
    /// players.
    summary: Option<String>,
    /// The reason in the first `#` line of the server that has one.
    server: Option<EndReason>,
    /// Whether the server said `#DRAW`.
    is_drawn: bool,
    has_pv: bool,
    is_version_3: bool,
    /// Whether the record has a name, a position, a side to move or a field, beyond a version and
    /// an end.
    has_game: bool,
    /// The first line of another kind, for the error message.
    first_line: Option<(String, usize)>,
}

impl CsaReader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), ReadError> {
        self.has_game |= ["N+", "N-", "$"].iter().any(|start| line.starts_with(start));
        if !self.has_game && !line.is_empty() {
            self.first_line.get_or_insert_with(|| (line.trim().to_owned(), number));
        }
        if let Some(name) = line.strip_prefix("N+") {
            add_value(&mut self.game.black, name.trim());
        } else if let Some(name) = line.strip_prefix("N-") {
            add_value(&mut self.game.white, name.trim());
        } else if let Some(field) = line.strip_prefix('$') {
            self.field(field);
        } else {
            return self.statements(line, number);
        }
        Ok(())
    }

    /// Reads statements separated by commas. A comment ends with the line, because it may contain
    /// commas.
    fn statements(&mut self, mut line: &str, number: usize) -> Result<(), ReadError> {
        while !line.is_empty() {
            if let Some(comment) = line.strip_prefix('\'') {
                self.comment(comment);
                break;
            }
            let (token, rest) = line.split_once(',').unwrap_or((line, ""));
            self.statement(token.trim_ascii(), number)?;
            line = rest.trim_ascii();
        }
        Ok(())
    }

    fn statement(&mut self, token: &str, number: usize) -> Result<(), ReadError> {
        self.has_game |= token.starts_with(['P', '+', '-']);
        let done = match token.as_bytes() {
            [] | [b'V', b'1'..=b'9', ..] => Ok(()),
            [b'P', ..] => self.before_moves(token).and_then(|()| self.setup.read(token)),
            [sign @ (b'+' | b'-')] => self.before_moves(token).map(|()| self.setup.set_side(color_of(*sign))),
            [b'+' | b'-', ..] => return self.make_or_end(token, number),
            [b'T', ..] => self.time(token),
            // The first one counts: servers log the client's statement before their own.
            [b'%', ..] => {
                self.end.word.get_or_insert_with(|| of_statement(token));
                Ok(())
            }
            // `#WIN` and `#LOSE` do not name the player.
            [b'#', ..] => {
                self.is_drawn |= token == "#DRAW";
                self.server = self.server.or_else(|| csa_server_reason(token));
                Ok(())
            }
            _ => Err(ReadProblem::malformed(token, "a CSA statement")),
        };
        done.map_err(|problem| problem.at(number))
    }

    fn before_moves(&self, token: &str) -> Result<(), ReadProblem> {
        match self.position {
            None => Ok(()),
            Some(_) => Err(ReadProblem::too_late(token, "the first move")),
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

    fn make(&mut self, token: &str) -> Result<(), ReadProblem> {
        if self.end.is_stated() {
            return Err(ReadProblem::too_late(token, "the end of the game"));
        }
        self.set_up(token)?;
        let Some(position) = &mut self.position else { return Ok(()) };
        let mv = read_csa_move(token, position)?;
        position.make(mv);
        self.game.moves.push(mv.into());
        Ok(())
    }

    fn make_or_end(&mut self, token: &str, number: usize) -> Result<(), ReadError> {
        self.end.check_legal_so_far()?;
        self.make(token).or_else(|problem| self.end.keep_illegal(token, problem.at(number)))
    }

    /// Whether an illegal move or a statement has ended the game, so that the last move gets no
    /// more notes.
    fn is_over(&self) -> bool {
        self.end.illegal.is_some() || self.end.is_stated()
    }

    fn last_move(&mut self) -> Option<&mut PlayedMove> {
        if self.is_over() {
            return None;
        }
        self.game.moves.last_mut()
    }

    fn time(&mut self, token: &str) -> Result<(), ReadProblem> {
        let time_ms = token.strip_prefix('T').and_then(read_time);
        let time_ms = time_ms.ok_or_else(|| ReadProblem::malformed(token, "a time in seconds"))?;
        if self.is_over() {
            // The first one counts.
            self.end.time_ms.get_or_insert(time_ms);
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
            // A file may have both, for old and new readers.
            "TIME_LIMIT" | "TIME" => return value.trim().clone_into(&mut self.game.time_control),
            _ => return self.other_field(name, value),
        };
        add_value(slot, value.trim());
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

    fn comment(&mut self, comment: &str) {
        if self.own_comment(comment) || !self.has_pv || self.is_final_position(comment) {
            return;
        }
        if let Some(name) = comment.strip_prefix("*bookmark:") {
            self.comment_line(&format!("&{}", name.trim()));
        } else {
            let line = comment.strip_prefix('*').unwrap_or(comment);
            self.comment_line(&comments::no_bookmark(line.trim()));
        }
    }

    fn comment_line(&mut self, line: &str) {
        let in_moves = self.game.moves.last_mut().map(|played| &mut played.comment);
        comments::add(in_moves.unwrap_or(&mut self.game.comment), line);
    }

    /// Reads a comment that carries data. Returns `false` for plain text.
    fn own_comment(&mut self, comment: &str) -> bool {
        if let Some(summary) = comment.strip_prefix("summary:") {
            self.summary = Some(summary.to_owned());
        } else if let Some(result) = comment.strip_prefix(RESULT) {
            // The last one counts.
            let own = StatedResult::of_own_text(result);
            let is_own = own.is_some();
            self.end.own = own.or_else(|| self.end.own.take());
            return is_own;
        } else if let Some(control) = comment.strip_prefix("Time_Control:") {
            control.trim().clone_into(&mut self.game.time_control);
        } else if let Some(field) = comment.strip_prefix('*').unwrap_or(comment).strip_prefix("field ") {
            let Some((name, value)) = field.split_once(':') else { return false };
            self.other_field(name, value);
        } else if let Some(end) = comment.strip_prefix("$END_TIME:") {
            // Floodgate writes it after the moves.
            self.other_field("END_TIME", end);
        } else if let Some(info) = comment.strip_prefix(INFO) {
            return self.end.read_own(comment) || self.last_move().is_some_and(|played| read_info(info, played));
        } else if let Some(note) = comment.strip_prefix("**") {
            return self.score(note);
        } else {
            return comment.starts_with("CSA encoding");
        }
        true
    }

    /// Whether a comment is a line of the final position, which floodgate writes after the result.
    fn is_final_position(&self, comment: &str) -> bool {
        let is_line = matches!(comment.as_bytes(), [b'P', b'1'..=b'9' | b'+' | b'-', ..] | [b'+' | b'-']);
        is_line && self.position.is_some() && !self.game.moves.is_empty()
    }

    /// Adds the score and the principal variation of a comment to the last move. Returns `false` if
    /// the comment has no score, or the move has one.
    fn score(&mut self, note: &str) -> bool {
        // The side that made the last move.
        let side = self.position.as_ref().map_or(Color::Black, |position| opponent(position.side_to_move()));
        let Some(score) = read_score(note, side) else { return false };
        let (pv, rest) = match &self.position {
            Some(after) if self.has_pv => read_pv(note, after),
            _ => (Vec::new(), ""),
        };
        let Some(played) = self.last_move().filter(|played| played.score.is_none()) else { return false };
        (played.score, played.pv) = (Some(score), pv);
        if !rest.is_empty() {
            self.comment_line(&comments::no_bookmark(rest.trim()));
        }
        true
    }

    fn finish(mut self, line: usize) -> Result<Game, ReadError> {
        if let Some((text, line)) = self.first_line.take().filter(|_| !self.has_game) {
            return Err(ReadProblem::malformed(&text, "a position or a move, and the game has none").at(line));
        }
        self.set_up("the end of the game").map_err(|problem| problem.at(line))?;
        self.end.word = self.stated();
        let mut game = self.game;
        comments::end_all(&mut game);
        if let Some(position) = &self.position {
            game.end(self.end.conclude(false, position)?, position);
        }
        Ok(game)
    }

    /// The most exact of the stated results, besides Kiki's own.
    fn stated(&mut self) -> Option<StatedResult> {
        let has_declared = self.end.word.as_ref().is_some_and(|word| word.reason == Some(EndReason::Declaration));
        let statement = if has_declared && self.server == Some(EndReason::IllegalMove) {
            // The server refused the declaration.
            Some(StatedResult::by(EndReason::FailedDeclaration))
        } else {
            let draw = StatedResult { outcome: Some(GameOutcome::Draw), ..StatedResult::default() };
            let server = self.server.map(StatedResult::by).or(self.is_drawn.then_some(draw));
            self.end.word.take().or(server)
        };
        self.summary.as_deref().and_then(|text| of_summary(text, &self.game)).or(statement)
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
