//! A game as KIF or KI2 text.

use std::fmt::Write as _;

use kiki_board::{Move, Position, Sq};

use super::lines::Line;
use super::position::draw;
use super::position::is_of_position;
use super::result::{EndOfLine, words};
use crate::comments::{self, RESULT};
use crate::ending::Ending;
use crate::error::WriteError;
use crate::game::{Game, PlayedMove, UsedTime, Variation, check_legal};
use crate::header::{HANDICAP, OTHER_HANDICAP, fields, handicap_of_root, has_handicap};
use crate::japanese::{JapaneseLine, KANJI_DIGITS, NAMES, WIDE_DIGITS};
use crate::text::TextEncoding;

/// Width of a move in half-width columns.
const MOVE_WIDTH: usize = 13;
/// Number of moves on a line of KI2.
const MOVES_ON_A_LINE: usize = 6;

/// Writes a game as KIF.
pub(crate) fn write_kif(game: &Game, encoding: TextEncoding) -> Result<String, WriteError> {
    let name = if encoding == TextEncoding::Utf8 { "UTF-8" } else { "Shift_JIS" };
    let mut out = format!("#KIF version=2.0 encoding={name}\n");
    let root = write_header(&mut out, game)?;
    out.push_str("手数----指手---------消費時間--\n");
    write_comments(&mut out, comments::of_text(&game.comment));
    let mut writer = KifLine::new(&root, 0, UsedTime::default());
    writer.write(&mut out, &game.moves, &game.variations)?;
    write_end(&mut out, end_of_game(game, &game.told_ending(), &writer.position, true));
    write_variations(
        &mut out,
        &root,
        &[],
        0,
        &game.moves,
        &game.variations,
        &|out, position, first, used, variation| {
            let mut writer = KifLine::new(position, first, used);
            writer.write(out, &variation.moves, &variation.variations)?;
            write_end(out, end_of_variation(game, first, variation, &writer.position, true));
            Ok(())
        },
    )?;
    Ok(out)
}

/// Writes a game as KI2.
pub(crate) fn write_ki2(game: &Game, _: TextEncoding) -> Result<String, WriteError> {
    write_ki2_by(game, |position| JapaneseLine::new(position).with_kanji_ranks())
}

/// Writes a game as KI2 with digits for ranks.
pub(crate) fn write_ki2_digits(game: &Game, _: TextEncoding) -> Result<String, WriteError> {
    write_ki2_by(game, JapaneseLine::new)
}

fn write_ki2_by(game: &Game, begin: fn(&Position) -> JapaneseLine) -> Result<String, WriteError> {
    let mut out = String::new();
    let root = write_header(&mut out, game)?;
    write_comments(&mut out, comments::of_text(&game.comment));
    out.push('\n');
    let end = write_ki2_line(&mut out, begin(&root), &game.moves, 0)?;
    write_end(&mut out, end_of_game(game, &game.told_ending(), &end, false));
    write_variations(&mut out, &root, &[], 0, &game.moves, &game.variations, &|out, position, first, _, variation| {
        let end = write_ki2_line(out, begin(position), &variation.moves, first)?;
        write_end(out, end_of_variation(game, first, variation, &end, false));
        Ok(())
    })?;
    Ok(out)
}

/// Writes the header, and returns the start position. The handicap comes first, because it begins the next game of a file.
fn write_header(out: &mut String, game: &Game) -> Result<Position, WriteError> {
    let root = game.start_position()?;
    let handicap = handicap_of_root(game.root.as_deref());
    let _ = writeln!(out, "{HANDICAP}：{}", handicap.map_or(OTHER_HANDICAP, |handicap| handicap.name));
    if handicap.is_none() {
        draw(&root).iter().for_each(|line| {
            let _ = writeln!(out, "{line}");
        });
    }
    for (name, value) in fields(game) {
        let line = format!("{name}：{value}");
        // A field is left out if its name makes the line read as something else.
        if Line::of(&line) == Line::Field(name, &value) && !is_of_position(name) {
            out.push_str(&line);
            out.push('\n');
        }
    }
    Ok(root)
}

fn write_comments(out: &mut String, lines: impl IntoIterator<Item = String>) {
    for line in lines {
        // Bookmarks have no asterisk.
        let star = if line.starts_with('&') { "" } else { "*" };
        let _ = writeln!(out, "{star}{line}");
    }
}

fn end_of_game<'a>(game: &Game, ending: &'a Ending, position: &'a Position, has_word: bool) -> EndOfLine<'a> {
    EndOfLine { ending, position, plies: game.moves.len(), has_handicap: has_handicap(game), has_word }
}

/// The end of a variation after `first` moves of the game.
fn end_of_variation<'a>(
    game: &Game,
    first: usize,
    variation: &'a Variation,
    position: &'a Position,
    has_word: bool,
) -> EndOfLine<'a> {
    let plies = first + variation.moves.len();
    EndOfLine { ending: &variation.ending, position, plies, has_handicap: has_handicap(game), has_word }
}

fn write_end(out: &mut String, line: EndOfLine<'_>) {
    let words = words(line);
    if let Some(word) = words.word.filter(|_| line.has_word) {
        let _ = writeln!(out, "{:>4} {word}", line.plies + 1);
    }
    // No comment may follow the sentence, because json-kifu-format would refuse the file.
    if let Some(own) = words.own {
        let _ = writeln!(out, "*{RESULT}{own}");
    }
    if let Some(sentence) = words.sentence {
        let _ = writeln!(out, "{sentence}");
    }
}

/// Writes the moves of a KIF line with the total times of the players.
struct KifLine {
    position: Position,
    /// The number of moves before it.
    first: usize,
    last_to: Option<Sq>,
    used: UsedTime,
}

impl KifLine {
    fn new(position: &Position, first: usize, used: UsedTime) -> Self {
        let last_to = position.last_move().filter(|last| !last.is_none()).map(Move::to);
        Self { position: position.clone(), first, last_to, used }
    }

    fn write(&mut self, out: &mut String, moves: &[PlayedMove], variations: &[Variation]) -> Result<(), WriteError> {
        for (index, played) in moves.iter().enumerate() {
            let number = self.first + index + 1;
            check_legal(&self.position, played.mv, number)?;
            let _ = write!(out, "{number:>4} {}", self.padded_move(played.mv));
            let used = self.used.add(played, self.first + index);
            write_time(out, played, used);
            // Kakinoki's programs mark a move that has alternatives.
            let has_variation = variations.iter().any(|variation| variation.after == index);
            out.push_str(if has_variation { "+\n" } else { "\n" });
            self.position.make(played.mv);
            self.last_to = Some(played.mv.to());
            write_comments(out, comments::of_move(played, &self.position));
        }
        Ok(())
    }

    fn padded_move(&self, mv: Move) -> String {
        let mut text = kif_move(&self.position, mv, self.last_to);
        let width: usize = text.chars().map(|letter| if letter.is_ascii() { 1 } else { 2 }).sum();
        text.extend(std::iter::repeat_n(' ', MOVE_WIDTH.saturating_sub(width)));
        text
    }
}

/// Writes the time of a move and the total time of its player.
fn write_time(out: &mut String, played: &PlayedMove, used: Option<u64>) {
    let (Some(spent), Some(used)) = (played.time_ms, used) else { return };
    let (spent, used) = (spent / 1000, used / 1000);
    let (hours, minutes, seconds) = (used / 3600, used / 60 % 60, used % 60);
    let _ = write!(out, "({:>2}:{:02}/{hours:02}:{minutes:02}:{seconds:02})", spent / 60, spent % 60);
}

/// A move as KIF writes it: `７六歩(77)`, `同　銀(31)`, `５五角打`.
fn kif_move(position: &Position, mv: Move, last_to: Option<Sq>) -> String {
    let mut text = String::with_capacity(24);
    if last_to == Some(mv.to()) {
        text.push_str("同　");
    } else {
        text.extend(WIDE_DIGITS.get(mv.to().file()));
        text.extend(KANJI_DIGITS.get(mv.to().rank()));
    }
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

/// Writes the moves of a KI2 line, and returns the position after them.
fn write_ki2_line(
    out: &mut String,
    mut line: JapaneseLine,
    moves: &[PlayedMove],
    first: usize,
) -> Result<Position, WriteError> {
    let mut on_line = 0;
    for (index, played) in moves.iter().enumerate() {
        check_legal(line.position(), played.mv, first + index + 1)?;
        out.push_str(if on_line == 0 { "" } else { "    " });
        out.push_str(&line.play(played.mv).unwrap_or_default());
        on_line += 1;
        let told = PlayedMove { time_ms: None, ..played.clone() };
        let comments = comments::of_move(&told, line.position());
        if on_line == MOVES_ON_A_LINE || !comments.is_empty() || index + 1 == moves.len() {
            out.push('\n');
            on_line = 0;
        }
        write_comments(out, comments);
    }
    Ok(line.position().clone())
}

/// Writes a variation from a position, after a number of moves, with the total times so far.
type WriteLine<'a> = &'a dyn Fn(&mut String, &Position, usize, UsedTime, &Variation) -> Result<(), WriteError>;

/// Writes the variations of a line from its end to its beginning, so that a reader knows which line a variation leaves. `before` are the
/// moves from the root to the line, `first` their number.
fn write_variations(
    out: &mut String,
    root: &Position,
    before: &[&PlayedMove],
    first: usize,
    moves: &[PlayedMove],
    variations: &[Variation],
    write: WriteLine<'_>,
) -> Result<(), WriteError> {
    let mut places: Vec<usize> = variations.iter().map(|variation| variation.after).collect();
    places.sort_unstable();
    places.dedup();
    for &after in places.iter().rev() {
        let path: Vec<&PlayedMove> = before.iter().copied().chain(moves.iter().take(after)).collect();
        let (mut position, mut used) = (root.clone(), UsedTime::default());
        for (index, played) in path.iter().enumerate() {
            check_legal(&position, played.mv, index + 1)?;
            position.make(played.mv);
            used.add(played, index);
        }
        for variation in variations.iter().filter(|variation| variation.after == after) {
            let Variation { moves, variations, .. } = variation;
            let _ = writeln!(out, "\n変化：{}手", first + after + 1);
            write(out, &position, first + after, used, variation)?;
            write_variations(out, root, &path, first + after, moves, variations, write)?;
        }
    }
    Ok(())
}
