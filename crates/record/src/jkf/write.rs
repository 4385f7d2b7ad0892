//! Writes games as JKF, one after the other, so that only one is in memory as JSON.

use std::collections::BTreeMap;
use std::iter;

use kiki_board::{COLORS, HAND_KINDS, Move, Position, Sq};
use serde::Serialize;
use serde_json::Value;

use super::json::{
    CellJson, ClockJson, EntryJson, GameJson, InitialJson, MoveJson, PositionJson, RELATIVE, TimeJson, number_of,
};
use crate::comments::{self, RESULT};
use crate::csa::{code_of_kind, of_statement, statement};
use crate::ending::Ending;
use crate::error::WriteError;
use crate::game::{Cursor, Game, PlayedMove, Variation};
use crate::header::{fields, handicap_of_root};
use crate::japanese::{japanese_move, last_target};
use crate::stated_result::{StatedResult, exact_text, own_text};
use crate::text::add_line;

/// An entry of a line with its variations.
#[derive(Serialize)]
#[serde(transparent)]
struct WrittenEntry(EntryJson<WrittenEntry>);

const EMPTY: EntryJson<WrittenEntry> = EntryJson { special: None, forks: None, mv: None, comments: None, time: None };

/// Writes each game as an object on a line of its own.
pub(crate) fn write(games: &[Game]) -> Result<String, WriteError> {
    let mut out = String::new();
    for game in games {
        // Never fails: all keys are texts, and all numbers are integers.
        out.push_str(&serde_json::to_string(&game_json(game)?).unwrap_or_default());
        out.push('\n');
    }
    Ok(out)
}

fn game_json(game: &Game) -> Result<GameJson<WrittenEntry>, WriteError> {
    let start = Cursor::start(game)?;
    let mut header: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in fields(game) {
        add_line(header.entry(name.to_owned()).or_default(), &value);
    }
    let (data, preset) = match handicap_of_root(game.root.as_deref()) {
        Some(handicap) => (None, handicap.preset.unwrap_or_default()),
        None => (Some(position_json(&start.position)), "OTHER"),
    };
    let comment = EntryJson { comments: Some(comments::of_text(&game.comment).map(Some).collect()), ..EMPTY };
    let mut moves = vec![WrittenEntry(comment)];
    write_line(&mut moves, &start, &game.moves, &game.variations, &game.stated_ending())?;
    Ok(GameJson {
        header: header.into_iter().map(|(name, text)| (name, Value::String(text))).collect(),
        initial: Some(InitialJson { data, preset: preset.to_owned() }),
        moves,
    })
}

fn position_json(position: &Position) -> PositionJson {
    let cell = |file: usize, rank: usize| {
        let piece = position.cell(Sq::at(file, rank)).piece();
        piece.map_or_else(CellJson::default, |piece| CellJson {
            color: Some(number_of(piece.color())),
            kind: Some(code_of_kind(piece.piece_kind()).to_owned()),
        })
    };
    let hand = |side| {
        let held = |kind| (code_of_kind(kind).to_owned(), position.hand(side).count(kind) as u32);
        HAND_KINDS.into_iter().map(held).collect()
    };
    PositionJson {
        board: (0..9).map(|file| (0..9).map(|rank| cell(file, rank)).collect()).collect(),
        color: number_of(position.side_to_move()),
        hands: COLORS.map(hand).into(),
    }
}

/// Adds the entries of a line: of the game, after the comment before its moves, or of a variation.
fn write_line(
    entries: &mut Vec<WrittenEntry>,
    start: &Cursor,
    moves: &[PlayedMove],
    variations: &[Variation],
    ending: &Ending,
) -> Result<(), WriteError> {
    let mut cursor = start.clone();
    for (index, played) in moves.iter().enumerate() {
        cursor.check(played.mv)?;
        let forks = forks(&cursor, variations, index)?;
        let mv = move_json(&cursor.position, played.mv);
        let time = time_json(played.time_ms, cursor.make(played));
        let comments = comments::of_move(played, &cursor.position, true).into_iter().map(Some).collect();
        let entry = EntryJson { forks: Some(forks), mv: Some(mv), comments: Some(comments), time, ..EMPTY };
        entries.push(WrittenEntry(entry));
    }
    let forks = forks(&cursor, variations, moves.len())?;
    // Programs ignore variations on an entry with neither a move nor an end.
    let statement = statement(ending, &cursor.position).or((!forks.is_empty()).then_some("%CHUDAN"));
    let info = comments::info_of_end(ending, statement.is_some(), false).map(|info| format!("*{info}"));
    if let Some(statement) = statement {
        let is_told = StatedResult::tells(Some(of_statement(statement)), ending, &cursor.position);
        let own = (!is_told).then(|| format!("{RESULT}{}", exact_text(ending)));
        entries.push(WrittenEntry(EntryJson {
            special: Some(statement.trim_start_matches('%').to_owned()),
            forks: Some(forks),
            comments: Some(own.into_iter().chain(info).map(Some).collect()),
            time: time_json(ending.time_ms, cursor.spend(ending.time_ms)),
            ..EMPTY
        }));
    } else if let Some(own) = own_text(ending) {
        // An end without a statement becomes a comment on the last entry.
        if entries.is_empty() {
            entries.push(WrittenEntry(EMPTY));
        }
        if let Some(WrittenEntry(last)) = entries.last_mut() {
            let lines = iter::once(format!("{RESULT}{own}")).chain(info).map(Some);
            last.comments.get_or_insert_default().extend(lines);
        }
    }
    Ok(())
}

/// The variations that branch off before a move or before the end of a line.
fn forks(cursor: &Cursor, variations: &[Variation], after: usize) -> Result<Vec<Vec<WrittenEntry>>, WriteError> {
    let mut forks = Vec::new();
    for Variation { moves, variations, ending, .. } in variations.iter().filter(|variation| variation.after == after) {
        let mut entries = Vec::new();
        write_line(&mut entries, cursor, moves, variations, ending)?;
        forks.push(entries);
    }
    Ok(forks)
}

fn time_json(time_ms: Option<u64>, used: Option<u64>) -> Option<TimeJson> {
    Some(TimeJson { now: Some(ClockJson::of(time_ms?)), total: Some(ClockJson::of(used?)) })
}

/// A legal move, before it is made.
fn move_json(position: &Position, mv: Move) -> MoveJson {
    let kind = mv.dropped_kind().or_else(|| position.cell(mv.from()).kind());
    let captured = position.cell(mv.to()).kind();
    let text = japanese_move(position, mv);
    let letter = |word: char| RELATIVE.iter().find(|(_, known)| *known == word).map(|(letter, _)| *letter);
    let relative: String = text.chars().filter_map(letter).collect();
    MoveJson {
        color: Some(number_of(position.side_to_move())),
        from: (!mv.is_drop()).then(|| mv.from().into()),
        to: Some(mv.to().into()),
        piece: kind.map(|kind| code_of_kind(kind).to_owned()),
        same: (last_target(position) == Some(mv.to())).then_some(true),
        promote: text.ends_with('成').then(|| mv.is_promotion()),
        capture: captured.map(|kind| code_of_kind(kind).to_owned()),
        relative: (!relative.is_empty()).then_some(relative),
    }
}
