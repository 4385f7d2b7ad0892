//! Games as JKF.

use kiki_board::{COLORS, Color, HAND_KINDS, Move, Position, Sq, unpromoted};
use serde_json::{Map, Value, json};

use crate::comment_lines::{self, RESULT};
use crate::csa::{code_of_kind, statement};
use crate::error::WriteError;
use crate::game::{Game, PlayedMove, Variation};
use crate::handicap;
use crate::header::fields;
use crate::japanese::JapaneseLine;
use crate::line_walk::{UsedTime, check, root};
use crate::stated_result::own_text;

/// Writes each game as an object on a line of its own.
pub(crate) fn write(games: &[Game]) -> Result<String, WriteError> {
    let mut out = String::new();
    for game in games {
        out.push_str(&object(game)?.to_string());
        out.push('\n');
    }
    Ok(out)
}

fn object(game: &Game) -> Result<Value, WriteError> {
    let root = root(game)?;
    let mut header: Map<String, Value> = Map::new();
    for (name, value) in fields(game) {
        let text = match header.get(name).and_then(Value::as_str) {
            Some(before) => format!("{before}\n{value}"),
            None => value,
        };
        header.insert(name.to_owned(), text.into());
    }
    let initial = match handicap::of_root(game.root.as_deref()) {
        Some(handicap) => json!({ "preset": handicap.preset }),
        None => json!({ "preset": "OTHER", "data": data(&root) }),
    };
    let mut entries = vec![Value::Object(commented(comment_lines::of_text(&game.comment)))];
    let mut line = LineWriter { line: JapaneseLine::new(&root), used: UsedTime::default() };
    line.write(&mut entries, &game.moves, &game.variations, 0)?;
    let position = line.line.position();
    let ending = game.told_ending();
    let own = own_text(&ending).map(|own| format!("{RESULT}{own}"));
    match statement(&ending, position) {
        Some(statement) => {
            let mut end = commented(own);
            end.insert("special".to_owned(), statement.trim_start_matches('%').into());
            entries.push(Value::Object(end));
        }
        None => add_comments(entries.last_mut(), own),
    }
    Ok(json!({ "header": header, "initial": initial, "moves": entries }))
}

fn commented(lines: impl IntoIterator<Item = String>) -> Map<String, Value> {
    let mut entry = Value::Object(Map::new());
    add_comments(Some(&mut entry), lines);
    match entry {
        Value::Object(entry) => entry,
        _ => Map::new(),
    }
}

fn add_comments(entry: Option<&mut Value>, lines: impl IntoIterator<Item = String>) {
    let lines: Vec<Value> = lines.into_iter().map(Value::String).collect();
    if lines.is_empty() {
        return;
    }
    let Some(entry) = entry.and_then(Value::as_object_mut) else { return };
    if let Value::Array(comments) = entry.entry("comments").or_insert_with(|| json!([])) {
        comments.extend(lines);
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

/// Writes the moves of a line, with the times that the players have used since the game began.
struct LineWriter {
    line: JapaneseLine,
    used: UsedTime,
}

impl LineWriter {
    fn write(
        &mut self,
        entries: &mut Vec<Value>,
        moves: &[PlayedMove],
        variations: &[Variation],
        first: usize,
    ) -> Result<(), WriteError> {
        for (index, played) in moves.iter().enumerate() {
            check(self.line.position(), played.mv, first + index + 1)?;
            let forks = self.forks(variations, index, first)?;
            let mv = self.move_object(played.mv);
            let mut entry = commented(comment_lines::of_move(played, self.line.position()));
            entry.insert("move".to_owned(), mv);
            entry.extend(self.time(played, first + index).map(|time| ("time".to_owned(), time)));
            if !forks.is_empty() {
                entry.insert("forks".to_owned(), forks.into());
            }
            entries.push(Value::Object(entry));
        }
        let forks = self.forks(variations, moves.len(), first)?;
        if !forks.is_empty() {
            entries.push(json!({ "forks": forks }));
        }
        Ok(())
    }

    /// The variations that leave the line before a move.
    fn forks(&self, variations: &[Variation], after: usize, first: usize) -> Result<Vec<Value>, WriteError> {
        let here = variations.iter().filter(|variation| variation.after == after);
        here.map(|variation| {
            let mut entries = Vec::new();
            let mut writer = Self { line: JapaneseLine::new(self.line.position()), used: self.used };
            writer.write(&mut entries, &variation.moves, &variation.variations, first + after)?;
            Ok(Value::Array(entries))
        })
        .collect()
    }

    /// The object of a legal move, which is made.
    fn move_object(&mut self, mv: Move) -> Value {
        let position = self.line.position();
        let side = position.side_to_move();
        let place = |sq: Sq| json!({ "x": sq.file() + 1, "y": sq.rank() + 1 });
        let mut object = Map::new();
        object.insert("color".to_owned(), color(side).into());
        object.insert("to".to_owned(), place(mv.to()));
        let kind = mv.dropped_kind().or_else(|| position.cell(mv.from()).kind());
        object.insert("piece".to_owned(), kind.map_or("", code_of_kind).into());
        if !mv.is_drop() {
            object.insert("from".to_owned(), place(mv.from()));
        }
        if position.last_move().is_some_and(|last| !last.is_none() && last.to() == mv.to()) {
            object.insert("same".to_owned(), true.into());
        }
        if let Some(captured) = position.cell(mv.to()).kind() {
            object.insert("capture".to_owned(), code_of_kind(unpromoted(captured)).into());
            if captured != unpromoted(captured) {
                object.insert("capture".to_owned(), code_of_kind(captured).into());
            }
        }
        let text = self.line.play(mv).unwrap_or_default();
        if text.ends_with('成') {
            object.insert("promote".to_owned(), mv.is_promotion().into());
        }
        let relative: String = text.chars().filter_map(relative).collect();
        if !relative.is_empty() {
            object.insert("relative".to_owned(), relative.into());
        }
        Value::Object(object)
    }

    /// The time of a move with so many of the game before it.
    fn time(&mut self, played: &PlayedMove, before: usize) -> Option<Value> {
        let used = self.used.add(played, before)?;
        let clock = |milliseconds: u64| {
            let seconds = milliseconds / 1000;
            json!({ "h": seconds / 3600, "m": seconds / 60 % 60, "s": seconds % 60 })
        };
        Some(json!({ "now": clock(played.time_ms?), "total": clock(used) }))
    }
}

/// The letter of a word that tells pieces apart.
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
