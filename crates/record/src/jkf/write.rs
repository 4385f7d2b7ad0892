//! Writes games as JKF piece by piece, because a tree of values would take many times the memory.

use std::iter;

use kiki_board::{COLORS, Color, HAND_KINDS, Move, Position, Sq};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::comments::{self, RESULT};
use crate::csa::{code_of_kind, of_statement, statement};
use crate::ending::Ending;
use crate::error::WriteError;
use crate::game::{Game, PlayedMove, UsedTime, Variation, check_legal};
use crate::header::{fields, handicap_of_root};
use crate::japanese::JapaneseLine;
use crate::stated_result::{StatedResult, exact_text, own_text};

/// Writes each game as an object on a line of its own.
pub(crate) fn write(games: &[Game]) -> Result<String, WriteError> {
    let mut out = String::new();
    for game in games {
        write_game(&mut out, game)?;
        out.push('\n');
    }
    Ok(out)
}

fn write_game(out: &mut String, game: &Game) -> Result<(), WriteError> {
    let root = game.start_position()?;
    let mut header: Map<String, Value> = Map::new();
    for (name, value) in fields(game) {
        let text = match header.get(name).and_then(Value::as_str) {
            Some(before) => format!("{before}\n{value}"),
            None => value,
        };
        header.insert(name.to_owned(), text.into());
    }
    let initial = match handicap_of_root(game.root.as_deref()) {
        Some(handicap) => json!({ "preset": handicap.preset }),
        None => json!({ "preset": "OTHER", "data": data(&root) }),
    };
    let mut object = Object::begin(out);
    object.member("header", &header);
    object.member("initial", &initial);
    let moves = object.key("moves");
    moves.push('[');
    let (ending, comment) = (game.stated_ending(), comments::of_text(&game.comment).collect());
    let line = LineOfMoves { moves: &game.moves, variations: &game.variations, ending: &ending, first: 0 };
    LineWriter { line: JapaneseLine::new(&root), used: UsedTime::default() }.write(moves, line, Some(comment))?;
    moves.push(']');
    object.end();
    Ok(())
}

/// A JSON object whose members are written one after the other.
struct Object<'a> {
    out: &'a mut String,
    is_empty: bool,
}

impl<'a> Object<'a> {
    fn begin(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, is_empty: true }
    }

    /// Begins a member. The caller writes the value into the returned text.
    fn key(&mut self, name: &str) -> &mut String {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(',');
        }
        self.out.push('"');
        self.out.push_str(name);
        self.out.push_str("\":");
        self.out
    }

    fn member(&mut self, name: &str, value: &impl Serialize) {
        // Never fails: all keys are texts, and all numbers are integers.
        let text = serde_json::to_string(value).unwrap_or_default();
        self.key(name).push_str(&text);
    }

    fn comments(&mut self, lines: &[String]) {
        if !lines.is_empty() {
            self.member("comments", &lines);
        }
    }

    fn end(self) {
        self.out.push('}');
    }
}

fn color(color: Color) -> u8 {
    u8::from(color == Color::White)
}

fn data(position: &Position) -> Value {
    let cell = |file: usize, rank: usize| match position.cell(Sq::at(file, rank)).piece() {
        Some(piece) => json!({ "color": color(piece.color()), "kind": code_of_kind(piece.piece_kind()) }),
        None => json!({}),
    };
    let board: Vec<Vec<Value>> = (0..9).map(|file| (0..9).map(|rank| cell(file, rank)).collect()).collect();
    let hands = COLORS.map(|side| {
        let hand = position.hand(side);
        let pieces = HAND_KINDS.into_iter().map(|kind| (code_of_kind(kind).to_owned(), hand.count(kind).into()));
        Value::Object(pieces.collect())
    });
    json!({ "color": color(position.side_to_move()), "board": board, "hands": hands })
}

/// A line of moves: the game or a variation.
#[derive(Clone, Copy)]
struct LineOfMoves<'a> {
    moves: &'a [PlayedMove],
    variations: &'a [Variation],
    ending: &'a Ending,
    /// The number of moves of the game before it.
    first: usize,
}

/// A square. Files and ranks begin with 1.
fn place(sq: Sq) -> String {
    format!(r#"{{"x":{},"y":{}}}"#, sq.file() + 1, sq.rank() + 1)
}

/// A time in milliseconds as hours, minutes and seconds.
fn clock(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    format!(r#"{{"h":{},"m":{},"s":{}}}"#, seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Writes the moves of a line with the total times of the players.
struct LineWriter {
    line: JapaneseLine,
    used: UsedTime,
}

impl LineWriter {
    /// Writes the entries of a line, without the brackets around them. `before` is the comment
    /// before the moves, which only the game has.
    fn write(
        &mut self,
        out: &mut String,
        line: LineOfMoves<'_>,
        before: Option<Vec<String>>,
    ) -> Result<(), WriteError> {
        let LineOfMoves { moves, variations, ending, first } = line;
        let is_left = variations.iter().any(|variation| variation.after == moves.len());
        // An end without a statement becomes a comment on the last entry. It has none in any
        // position.
        let is_lonely = statement(ending, self.line.position()).is_none();
        let own = own_text(ending).filter(|_| is_lonely && !is_left);
        let info = |has_seconds| comments::info_of_end(ending, has_seconds, false).map(|info| format!("*{info}"));
        let of_own = |own| iter::once(format!("{RESULT}{own}")).chain(info(false));
        let mut of_last: Vec<String> = own.into_iter().flat_map(of_own).collect();
        let mut is_first = before.is_none();
        if let Some(mut comment) = before {
            if moves.is_empty() {
                comment.append(&mut of_last);
            }
            let mut entry = Object::begin(out);
            entry.comments(&comment);
            entry.end();
        }
        let comma = |out: &mut String, is_first: &mut bool| {
            if !std::mem::take(is_first) {
                out.push(',');
            }
        };
        for (index, played) in moves.iter().enumerate() {
            check_legal(self.line.position(), played.mv, first + index + 1)?;
            comma(out, &mut is_first);
            let mut entry = Object::begin(out);
            self.write_forks(&mut entry, variations, index, first)?;
            self.write_move(&mut entry, played.mv);
            let mut comments = comments::of_move(played, self.line.position());
            if index + 1 == moves.len() {
                comments.append(&mut of_last);
            }
            entry.comments(&comments);
            self.write_time(&mut entry, played.time_ms, first + index);
            entry.end();
        }
        // Programs ignore variations on an entry with neither a move nor an end.
        let statement = statement(ending, self.line.position()).or(is_left.then_some("%CHUDAN"));
        if let Some(statement) = statement {
            comma(out, &mut is_first);
            let mut entry = Object::begin(out);
            entry.member("special", &statement.trim_start_matches('%'));
            self.write_forks(&mut entry, variations, moves.len(), first)?;
            let is_told = StatedResult::tells(Some(of_statement(statement)), ending, self.line.position());
            let own = (!is_told).then(|| format!("{RESULT}{}", exact_text(ending)));
            entry.comments(&own.into_iter().chain(info(true)).collect::<Vec<_>>());
            self.write_time(&mut entry, ending.time_ms, first + moves.len());
            entry.end();
        } else if !of_last.is_empty() {
            comma(out, &mut is_first);
            let mut entry = Object::begin(out);
            entry.comments(&of_last);
            entry.end();
        }
        Ok(())
    }

    /// Writes the time of a move or an end that follows `before` moves of the game.
    fn write_time(&mut self, entry: &mut Object<'_>, time_ms: Option<u64>, before: usize) {
        if let (Some(spent), Some(used)) = (time_ms, self.used.add(time_ms, before)) {
            let time = entry.key("time");
            time.push_str(&format!(r#"{{"now":{},"total":{}}}"#, clock(spent), clock(used)));
        }
    }

    /// Writes the variations that branch off before a move or before the end of the line.
    fn write_forks(
        &self,
        entry: &mut Object<'_>,
        variations: &[Variation],
        after: usize,
        first: usize,
    ) -> Result<(), WriteError> {
        let here = variations.iter().filter(|variation| variation.after == after);
        for (index, variation) in here.clone().enumerate() {
            let out = if index == 0 { entry.key("forks") } else { &mut *entry.out };
            out.push_str(if index == 0 { "[[" } else { "],[" });
            let mut writer = Self { line: JapaneseLine::new(self.line.position()), used: self.used };
            let Variation { moves, variations, ending, .. } = variation;
            writer.write(out, LineOfMoves { moves, variations, ending, first: first + after }, None)?;
        }
        if here.count() > 0 {
            entry.out.push_str("]]");
        }
        Ok(())
    }

    /// Writes a legal move and makes it.
    fn write_move(&mut self, entry: &mut Object<'_>, mv: Move) {
        let position = self.line.position();
        let side = color(position.side_to_move());
        let kind = mv.dropped_kind().or_else(|| position.cell(mv.from()).kind());
        let captured = position.cell(mv.to()).kind();
        let is_same = position.last_move().is_some_and(|last| !last.is_none() && last.to() == mv.to());
        let text = self.line.play(mv).unwrap_or_default();
        let mut json = Object::begin(entry.key("move"));
        json.member("color", &side);
        if !mv.is_drop() {
            json.key("from").push_str(&place(mv.from()));
        }
        json.key("to").push_str(&place(mv.to()));
        json.member("piece", &kind.map_or("", code_of_kind));
        if is_same {
            json.member("same", &true);
        }
        if text.ends_with('成') {
            json.member("promote", &mv.is_promotion());
        }
        if let Some(kind) = captured {
            json.member("capture", &code_of_kind(kind));
        }
        let relative: String = text.chars().filter_map(relative).collect();
        if !relative.is_empty() {
            json.member("relative", &relative);
        }
        json.end();
    }
}

/// The code of a word that distinguishes pieces.
fn relative(letter: char) -> Option<char> {
    match letter {
        '左' => Some('L'),
        '直' => Some('C'),
        '右' => Some('R'),
        '上' => Some('U'),
        '寄' => Some('M'),
        '引' => Some('D'),
        '打' => Some('H'),
        _ => None,
    }
}
