//! Writes a game as KIF or KI2 text.

use std::fmt::Write as _;

use kiki_board::{Move, Position};

use super::lines::KifLine;
use super::position::{draw, is_of_position};
use super::result::{EndOfLine, words};
use crate::comments::{self, RESULT};
use crate::ending::Ending;
use crate::error::WriteError;
use crate::game::{Cursor, Game, PlayedMove, Variation};
use crate::header::{HANDICAP, OTHER_HANDICAP, fields, handicap_of_root, has_handicap};
use crate::japanese::{KANJI_DIGITS, NAMES, WIDE_DIGITS, push_target, with_ranks};
use crate::text::TextEncoding;

/// Width of a move in half-width columns.
const MOVE_WIDTH: usize = 13;
/// Number of moves on a line of KI2.
const MOVES_ON_A_LINE: usize = 6;

pub(crate) fn write_kif(game: &Game, encoding: TextEncoding) -> Result<String, WriteError> {
    let name = if encoding == TextEncoding::Utf8 { "UTF-8" } else { "Shift_JIS" };
    let title = format!("#KIF version=2.0 encoding={name}\n");
    write(game, title, None)
}

pub(crate) fn write_ki2(game: &Game, _: TextEncoding) -> Result<String, WriteError> {
    write(game, String::new(), Some(KANJI_DIGITS))
}

pub(crate) fn write_ki2_digits(game: &Game, _: TextEncoding) -> Result<String, WriteError> {
    write(game, String::new(), Some(WIDE_DIGITS))
}

/// Writes a game after its first line. `ki2_ranks` are the digits of ranks in KI2, `None` for KIF.
fn write(game: &Game, mut out: String, ki2_ranks: Option<[char; 9]>) -> Result<String, WriteError> {
    let start = Cursor::start(game)?;
    write_header(&mut out, game, &start.position);
    out.push_str(if ki2_ranks.is_none() { "手数----指手---------消費時間--\n" } else { "" });
    write_comments(&mut out, comments::of_text(&game.comment));
    out.push_str(if ki2_ranks.is_none() { "" } else { "\n" });
    let mut writer = KifWriter { out, ki2_ranks, has_handicap: has_handicap(game) };
    writer.write_line(&start, &game.moves, &game.variations, &game.stated_ending())?;
    Ok(writer.out)
}

/// Writes the header. The handicap comes first, because it begins a new game in a file.
fn write_header(out: &mut String, game: &Game, root: &Position) {
    let handicap = handicap_of_root(game.root.as_deref());
    let _ = writeln!(out, "{HANDICAP}：{}", handicap.map_or(OTHER_HANDICAP, |handicap| handicap.name));
    if handicap.is_none() {
        draw(root).iter().for_each(|line| {
            let _ = writeln!(out, "{line}");
        });
    }
    for (name, value) in fields(game) {
        let line = format!("{name}：{value}");
        // Skip a field if its name makes the line read as something else.
        if KifLine::of(&line) == KifLine::Field(name, &value) && !is_of_position(name) {
            out.push_str(&line);
            out.push('\n');
        }
    }
}

fn write_comments(out: &mut String, lines: impl IntoIterator<Item = String>) {
    for line in lines {
        // Bookmarks have no asterisk, so a comment that begins like one needs no blank.
        let star = if line.starts_with('&') { "" } else { "*" };
        let text = line.strip_prefix(' ').filter(|text| text.starts_with('&')).unwrap_or(&line);
        let _ = writeln!(out, "{star}{text}");
    }
}

/// Writes the end of a line of moves. `used` is the total time of the player to move.
fn write_end(out: &mut String, line: EndOfLine<'_>, used: Option<u64>) {
    let words = words(line);
    let word = words.word.filter(|_| line.has_word);
    if let Some(word) = word {
        write_numbered(out, line.plies + 1, word, used.is_some());
        write_time(out, line.ending.time_ms, used);
        out.push('\n');
    }
    // No comment may follow the sentence: json-kifu-format would refuse the file.
    if let Some(own) = words.own {
        let _ = writeln!(out, "*{RESULT}{own}");
    }
    if let Some(info) = comments::info_of_end(line.ending, word.is_some(), false).filter(|_| line.has_word) {
        let _ = writeln!(out, "**{info}");
    }
    if let Some(sentence) = words.sentence {
        let _ = writeln!(out, "{sentence}");
    }
}

struct KifWriter {
    out: String,
    /// The digits of ranks in KI2. `None` for KIF.
    ki2_ranks: Option<[char; 9]>,
    has_handicap: bool,
}

impl KifWriter {
    /// Writes a line and its variations, from its end to its beginning, so that a reader knows
    /// which line a variation branches off.
    fn write_line(
        &mut self,
        start: &Cursor,
        moves: &[PlayedMove],
        variations: &[Variation],
        ending: &Ending,
    ) -> Result<(), WriteError> {
        let mut end = start.clone();
        match self.ki2_ranks {
            Some(ranks) => self.write_ki2_moves(&mut end, moves, ranks)?,
            None => self.write_kif_moves(&mut end, moves, variations)?,
        }
        let has_word = self.ki2_ranks.is_none();
        let used = end.spend(ending.time_ms).filter(|_| has_word);
        let (position, plies, has_handicap) = (&end.position, end.plies, self.has_handicap);
        write_end(&mut self.out, EndOfLine { ending, position, plies, has_handicap, has_word }, used);
        let mut places: Vec<usize> = variations.iter().map(|variation| variation.after).collect();
        places.sort_unstable();
        places.dedup();
        for after in places.into_iter().rev() {
            let mut cursor = start.clone();
            for played in moves.iter().take(after) {
                cursor.make(played);
            }
            for variation in variations.iter().filter(|variation| variation.after == after) {
                let _ = writeln!(self.out, "\n変化：{}手", cursor.plies + 1);
                self.write_line(&cursor, &variation.moves, &variation.variations, &variation.ending)?;
            }
        }
        Ok(())
    }

    /// Writes moves with the total times of the players.
    fn write_kif_moves(
        &mut self,
        cursor: &mut Cursor,
        moves: &[PlayedMove],
        variations: &[Variation],
    ) -> Result<(), WriteError> {
        for (index, played) in moves.iter().enumerate() {
            cursor.check(played.mv)?;
            let text = kif_move(&cursor.position, played.mv);
            write_numbered(&mut self.out, cursor.plies + 1, &text, true);
            write_time(&mut self.out, played.time_ms, cursor.make(played));
            // Kakinoki's programs mark a move that has alternatives.
            let has_variation = variations.iter().any(|variation| variation.after == index);
            self.out.push_str(if has_variation { "+\n" } else { "\n" });
            write_comments(&mut self.out, comments::of_move(played, &cursor.position, true));
        }
        Ok(())
    }

    /// Writes moves without times.
    fn write_ki2_moves(
        &mut self,
        cursor: &mut Cursor,
        moves: &[PlayedMove],
        ranks: [char; 9],
    ) -> Result<(), WriteError> {
        let mut on_line = 0;
        for (index, played) in moves.iter().enumerate() {
            cursor.check(played.mv)?;
            self.out.push_str(if on_line == 0 { "" } else { "    " });
            self.out.push_str(&with_ranks(&cursor.position, played.mv, ranks));
            cursor.make(played);
            on_line += 1;
            let comments = comments::of_move(played, &cursor.position, false);
            if on_line == MOVES_ON_A_LINE || !comments.is_empty() || index + 1 == moves.len() {
                self.out.push('\n');
                on_line = 0;
            }
            write_comments(&mut self.out, comments);
        }
        Ok(())
    }
}

/// Writes a number and a move or a word, padded before a time.
fn write_numbered(out: &mut String, number: usize, text: &str, is_filled: bool) {
    let width: usize = text.chars().map(|letter| if letter.is_ascii() { 1 } else { 2 }).sum();
    let blanks = if is_filled { MOVE_WIDTH.saturating_sub(width) } else { 0 };
    let _ = write!(out, "{number:>4} {text}{:blanks$}", "");
}

/// Writes the time of a move or an end and the total time of its player.
fn write_time(out: &mut String, time_ms: Option<u64>, used: Option<u64>) {
    let (Some(spent), Some(used)) = (time_ms, used) else { return };
    let (spent, used) = (spent / 1000, used / 1000);
    let (hours, minutes, seconds) = (used / 3600, used / 60 % 60, used % 60);
    let _ = write!(out, "({:>2}:{:02}/{hours:02}:{minutes:02}:{seconds:02})", spent / 60, spent % 60);
}

/// A move as KIF writes it: `７六歩(77)`, `同　銀(31)`, `５五角打`.
fn kif_move(position: &Position, mv: Move) -> String {
    let mut text = String::with_capacity(24);
    push_target(&mut text, position, mv, "同　", KANJI_DIGITS);
    if let Some(kind) = mv.dropped_kind() {
        text.push_str(NAMES.get(kind));
        text.push('打');
        return text;
    }
    text.push_str(position.cell(mv.from()).kind().map_or("", |kind| NAMES.get(kind)));
    text.push_str(if mv.is_promotion() { "成" } else { "" });
    let _ = write!(text, "({}{})", mv.from().file() + 1, mv.from().rank() + 1);
    text
}
