//! Reads games from JKF: one object, an array of them, or one after the other.
//!
//! Entries of moves stay JSON text until they are read, so that errors can name their line.

use kiki_board::{COLORS, Move, Position, Sq, kanji, opponent};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use shogi_core::Piece;

use super::games::{Found, find_games, without_place};
use super::json::{ClockJson, EntryJson, GameJson, InitialJson, MoveJson, PlaceJson, PositionJson, RELATIVE, side_of};
use crate::comments;
use crate::csa::{kind_of_code, of_statement};
use crate::diagram::Diagram;
use crate::ending::{EndReason, GameOutcome};
use crate::error::{ReadError, ReadProblem};
use crate::game::{DEEPEST_VARIATION, Game, NESTED, PlayedMove, Variation, position_of};
use crate::header::{HANDICAP, read_field, root_of_preset, root_unless_even};
use crate::japanese::{Notation, resolve};
use crate::stated_result::{LineEnd, StatedResult};
use crate::text::{add_line, content};

/// An entry of a line, with unread entries of its variations.
type ReadEntry<'a> = EntryJson<&'a RawValue>;

fn time_ms(entry: &ReadEntry<'_>) -> Option<u64> {
    entry.time.as_ref()?.now.as_ref().and_then(ClockJson::milliseconds)
}

/// Reads the games of a file. A game that cannot be read gives an error, and reading continues.
pub(crate) fn read(bytes: &[u8]) -> Vec<Result<Game, ReadError>> {
    let (bytes, _) = content(bytes);
    let text = String::from_utf8_lossy(bytes);
    let read = |Found { value, line }: Found<'_>| {
        let text = value.get();
        Source { text, line, has_origins: has_origins(text) }.game(value)
    };
    find_games(bytes, &text).into_iter().map(|found| found.and_then(read)).collect()
}

/// Whether the text of a game has a member `from` with a place. In texts of JSON, quotes are escaped.
fn has_origins(text: &str) -> bool {
    let is_place =
        |rest: &str| rest.trim_start().strip_prefix(':').is_some_and(|rest| rest.trim_start().starts_with('{'));
    text.split("\"from\"").skip(1).any(is_place)
}

/// The first game of a file of one value, with the entries before the first that cannot be read.
pub(crate) fn read_before(bytes: &[u8]) -> Option<Game> {
    let mut json: Value = serde_json::from_slice(content(bytes).0).ok()?;
    if let Value::Array(games) = json {
        json = games.into_iter().next()?;
    }
    let entries = json.get("moves")?.as_array()?.clone();
    let mut first = |count: usize| {
        json.as_object_mut()?.insert("moves".to_owned(), entries.iter().take(count).cloned().collect());
        read(json.to_string().as_bytes()).into_iter().next()?.ok()
    };
    let counts: Vec<usize> = (0..=entries.len()).collect();
    let readable = counts.partition_point(|&count| first(count).is_some());
    let mut game = first(readable.checked_sub(1)?)?;
    // An illegal move did not end the game.
    if game.reason == Some(EndReason::IllegalMove) {
        (game.outcome, game.reason, game.remark) = (GameOutcome::Unknown, None, String::new());
    }
    Some(game)
}

/// The text of a game; its values are slices of it.
#[derive(Clone, Copy)]
struct Source<'a> {
    text: &'a str,
    /// The line where it begins.
    line: usize,
    /// Whether a move has its origin. Then a move without one is a drop.
    has_origins: bool,
}

impl<'a> Source<'a> {
    /// The line where a value begins.
    fn line(self, value: &RawValue) -> usize {
        let offset = (value.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + self.line
    }

    fn error(self, value: &RawValue, error: &serde_json::Error) -> ReadError {
        ReadProblem::Json(without_place(error)).at(self.line(value) + error.line().saturating_sub(1))
    }

    fn parse<T: Deserialize<'a>>(self, value: &'a RawValue) -> Result<T, ReadError> {
        serde_json::from_str(value.get()).map_err(|error| self.error(value, &error))
    }

    fn game(self, value: &'a RawValue) -> Result<Game, ReadError> {
        let json: GameJson<&'a RawValue> = self.parse(value)?;
        let mut game = Game::default();
        for (name, value) in &json.header {
            let value = match value {
                Value::Null => continue,
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            if name != HANDICAP {
                value.lines().for_each(|line| read_field(&mut game, name, line.trim()));
            }
        }
        let set_up = json.initial.as_ref().map_or(Ok(None), root);
        game.root = set_up.map_err(|problem| problem.at(self.line(value)))?;
        let position = position_of(game.root.as_deref()).map_err(|reason| {
            ReadProblem::Position { token: "the first move".to_owned(), reason }.at(self.line(value))
        })?;
        let mut reader = JkfLine { source: self, position, end: LineEnd::default(), depth: 0 };
        (game.comment, game.moves, game.variations) = reader.line(&json.moves)?;
        comments::end_all(&mut game);
        let JkfLine { position, end, .. } = reader;
        game.end(end.conclude(!game.moves.is_empty(), &position)?, &position);
        Ok(game)
    }
}

struct JkfLine<'a> {
    source: Source<'a>,
    position: Position,
    end: LineEnd,
    /// Its nesting; 0 for the game.
    depth: usize,
}

impl<'a> JkfLine<'a> {
    /// The comment before the first move, the moves, and the variations.
    fn line(&mut self, entries: &[&'a RawValue]) -> Result<(String, Vec<PlayedMove>, Vec<Variation>), ReadError> {
        let (mut comment, mut moves, mut variations) = (String::new(), Vec::new(), Vec::new());
        for &raw in entries {
            let entry: ReadEntry<'a> = self.source.parse(raw)?;
            for fork in entry.forks.iter().flatten() {
                let (told, variation) = self.fork(fork, moves.len(), raw)?;
                if !told.is_empty() {
                    add_line(
                        moves.last_mut().map_or(&mut comment, |played: &mut PlayedMove| &mut played.comment),
                        &told,
                    );
                }
                variations.extend(variation);
            }
            if let Some(mv) = &entry.mv {
                self.make(mv, time_ms(&entry), raw, &mut moves)?;
            }
            if let Some(special) = entry.special.as_ref().filter(|_| self.end.word.is_none()) {
                self.end.word = Some(self.special(special));
                self.end.time_ms = self.end.time_ms.or(time_ms(&entry));
            }
            for told in entry.comments.iter().flatten().flatten() {
                // An empty text is a blank line.
                let blank = told.is_empty().then_some("");
                told.lines().chain(blank).for_each(|line| self.comment(line, &mut moves, &mut comment));
            }
        }
        variations.sort_by_key(|variation| variation.after);
        Ok((comment, moves, variations))
    }

    fn special(&self, special: &str) -> StatedResult {
        if special != "ILLEGAL_ACTION" {
            return of_statement(&format!("%{special}"));
        }
        // KIF's 反則勝ち: the side to move wins, because the previous move was illegal. The illegal
        // move is not made.
        let mover = self.position.side_to_move();
        let winner = if self.end.illegal.is_some() { opponent(mover) } else { mover };
        StatedResult { outcome: Some(GameOutcome::win_of(winner)), ..StatedResult::by(EndReason::IllegalMove) }
    }

    /// Reads a line of a comment. A note begins at its first letter.
    fn comment(&mut self, line: &str, moves: &mut [PlayedMove], before: &mut String) {
        if self.end.read_own(line) {
            return;
        }
        match moves.last_mut() {
            Some(played) => comments::read(line, played, &self.position),
            None => comments::add(before, line),
        }
    }

    /// Reads a variation. Returns its comment, unless its first move takes it, and the variation
    /// with those that branch off at the same place. A variation without moves and end gives
    /// nothing.
    fn fork(
        &self,
        entries: &[&'a RawValue],
        after: usize,
        raw: &RawValue,
    ) -> Result<(String, Vec<Variation>), ReadError> {
        if self.depth == DEEPEST_VARIATION {
            let problem = ReadProblem::malformed("forks", NESTED);
            return Err(problem.at(self.source.line(raw)));
        }
        let mut reader = JkfLine {
            source: self.source,
            position: self.position.clone(),
            end: LineEnd::default(),
            depth: self.depth + 1,
        };
        let (mut comment, mut moves, variations) = reader.line(entries)?;
        let ending = reader.end.conclude(!moves.is_empty(), &reader.position)?;
        // A variation before the first move of this one branches off the line itself.
        let (beside, variations): (Vec<Variation>, _) = variations.into_iter().partition(|other| other.after == 0);
        let beside = beside.into_iter().map(|other| Variation { after, ..other });
        let first = moves.first_mut();
        if first.is_none() && !ending.is_known() {
            return Ok((comment, beside.collect()));
        }
        if let Some(first) = first.filter(|_| !comment.is_empty()) {
            if !first.comment.is_empty() {
                add_line(&mut comment, &first.comment);
            }
            first.comment = std::mem::take(&mut comment);
        }
        let itself = Variation { after, moves, variations, ending };
        Ok((comment, std::iter::once(itself).chain(beside).collect()))
    }

    /// Makes a move, unless it is an illegal last one.
    fn make(
        &mut self,
        json: &MoveJson,
        time_ms: Option<u64>,
        raw: &RawValue,
        moves: &mut Vec<PlayedMove>,
    ) -> Result<(), ReadError> {
        self.end.check_legal_so_far()?;
        // Count lines only for an error, because a file may have many games.
        let source = self.source;
        let at = |problem: ReadProblem| problem.at(source.line(raw));
        if self.end.is_stated() {
            return Err(at(ReadProblem::too_late("move", "the end of the game")));
        }
        let text = notation_text(json, source.has_origins, &self.position).map_err(at)?;
        match find_move(json, &text, &self.position) {
            Ok(mv) => {
                self.position.make(mv);
                moves.push(PlayedMove { time_ms, ..mv.into() });
            }
            Err(problem) => {
                self.end.keep_illegal(&text, at(problem))?;
                self.end.time_ms = time_ms;
            }
        }
        Ok(())
    }
}

/// The root of a game. `None` for an even game.
fn root(initial: &InitialJson) -> Result<Option<String>, ReadProblem> {
    if let Some(data) = &initial.data {
        return Ok(root_unless_even(diagram(data)?.sfen()));
    }
    if initial.preset.is_empty() {
        return Ok(None);
    }
    root_of_preset(&initial.preset)
        .ok_or_else(|| ReadProblem::malformed(&initial.preset, "a known preset, and the game has no data"))
}

fn diagram(json: &PositionJson) -> Result<Diagram, ReadProblem> {
    let malformed = |token: &str| ReadProblem::malformed(token, "a piece of CSA: FU, KY, KE, ..");
    let is_board = json.board.len() == 9 && json.board.iter().all(|file| file.len() == 9);
    if !is_board {
        return Err(ReadProblem::malformed("board", "nine files of nine squares"));
    }
    let mut diagram = Diagram::default();
    diagram.core.side_to_move_set(side_of(json.color));
    for (file, cells) in json.board.iter().enumerate() {
        for (rank, cell) in cells.iter().enumerate() {
            let Some(code) = &cell.kind else { continue };
            let kind = kind_of_code(code.as_bytes()).ok_or_else(|| malformed(code))?;
            let piece = Piece::new(kind, side_of(cell.color.unwrap_or_default()));
            diagram.core.piece_set(Sq::at(file, rank).into(), Some(piece));
        }
    }
    for (hand, color) in json.hands.iter().zip(COLORS) {
        // Some programs list every kind, even kings and promoted pieces.
        for (code, &count) in hand.iter().filter(|&(_, &count)| count > 0) {
            let held = kind_of_code(code.as_bytes()).and_then(|kind| diagram.hold(color, kind, count));
            held.ok_or_else(|| malformed(code))?;
        }
    }
    Ok(diagram)
}

fn find_move(json: &MoveJson, text: &str, position: &Position) -> Result<Move, ReadProblem> {
    let Some((notation, _)) = Notation::read(text) else {
        return Err(ReadProblem::malformed(text, "a move with its square and its piece"));
    };
    if json.color.is_some_and(|color| side_of(color) != position.side_to_move()) {
        return Err(ReadProblem::WrongSide { token: text.to_owned() });
    }
    resolve(&notation, text, position)
}

/// The move in Japanese notation, with all data of the JSON.
fn notation_text(json: &MoveJson, has_origins: bool, position: &Position) -> Result<String, ReadProblem> {
    let on_board = |place: PlaceJson| {
        let is_square = (1..=9).contains(&place.x) && (1..=9).contains(&place.y);
        let token = format!("{{\"x\":{},\"y\":{}}}", place.x, place.y);
        if is_square { Ok(place) } else { Err(ReadProblem::malformed(&token, "a square from 1 to 9")) }
    };
    let from = json.from.map(on_board).transpose()?;
    let code = json.piece.as_deref();
    let kind = match (code, from) {
        (Some(code), _) => kind_of_code(code.as_bytes()),
        (None, Some(from)) => position.cell(Sq::at(from.x - 1, from.y - 1)).kind(),
        (None, None) => None,
    };
    let kind =
        kind.ok_or_else(|| ReadProblem::malformed(code.unwrap_or("move"), "a move with its piece: FU, KY, .."))?;
    let mut text = match json.to.map(on_board).transpose()? {
        Some(to) => format!("{}{}", to.x, to.y),
        None => "同".to_owned(),
    };
    text.push(kanji(kind));
    let drop = (from.is_none() && has_origins).then_some("H");
    let relative = json.relative.as_deref().filter(|relative| !relative.is_empty()).or(drop).unwrap_or_default();
    for letter in relative.chars() {
        let word = RELATIVE.iter().find(|(known, _)| *known == letter).map(|(_, word)| *word);
        text.push(
            word.ok_or_else(|| ReadProblem::malformed(&letter.to_string(), "a letter of L, C, R, U, M, D and H"))?,
        );
    }
    text.push_str(match json.promote {
        Some(true) => "成",
        Some(false) if relative != "H" => "不成",
        _ => "",
    });
    if let Some(from) = from {
        text.push_str(&format!("({}{})", from.x, from.y));
    }
    Ok(text)
}
