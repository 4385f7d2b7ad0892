//! Reads games from KIF and KI2 of any origin.

use std::borrow::Cow;

use kiki_board::Position;

use super::lines::{KifLine, games};
use super::position::KifSetup;
use super::result::{FinalTurn, of_sentence, of_word};
use super::tree::Tree;
use crate::comments::{self, read_time};
use crate::error::{ReadError, ReadProblem};
use crate::game::Game;
use crate::header::{HANDICAP, is_known_field, read_field};
use crate::japanese::{Notation, mark, resolve, skip_blanks};
use crate::stated_result::LineEnd;
use crate::text::{add_line, numbered_lines};

/// Reads the games of a file, in UTF-8, Shift_JIS or EUC-JP. A game that cannot be read gives an
/// error, and reading continues.
pub(crate) fn read(bytes: &[u8]) -> Vec<Result<Game, ReadError>> {
    games(&numbered_lines(bytes)).iter().map(|lines| game(lines)).collect()
}

fn game(lines: &[(usize, KifLine<'_>)]) -> Result<Game, ReadError> {
    let mut reader = KifReader::default();
    for (index, &(number, line)) in lines.iter().enumerate() {
        reader.line(line, lines.get(index + 1..).unwrap_or_default(), number)?;
    }
    let last = lines.last().map_or(1, |(number, _)| *number);
    reader.finish(last)
}

#[derive(Default)]
struct KifReader {
    game: Game,
    setup: KifSetup,
    /// Set up at the first line of moves.
    tree: Option<Tree>,
    /// The end of the current line: the game or a variation.
    end: LineEnd,
    /// The first unknown line before the moves, for the error of a game without moves.
    text: Option<(String, usize)>,
    /// The first unknown field, for the error of a file that is not a record.
    unknown_field: Option<(String, usize)>,
    /// Whether a line that only records have was read.
    has_known_line: bool,
    /// The number of the game's first move. Some programs continue the board's count.
    first_number: Option<usize>,
}

impl KifReader {
    fn line(&mut self, line: KifLine<'_>, rest: &[(usize, KifLine<'_>)], number: usize) -> Result<(), ReadError> {
        self.has_known_line |= line.is_of_record();
        let at = |problem: ReadProblem| problem.at(number);
        match line {
            KifLine::Blank | KifLine::Version | KifLine::Skipped | KifLine::Frame => {}
            KifLine::Comment(text) => self.comment(text),
            KifLine::Columns => self.tree("手数----").map(drop).map_err(at)?,
            KifLine::Variation(after) => self.variation(after, rest, number)?,
            KifLine::Sentence(text) => self.sentence(text).map_err(at)?,
            KifLine::Numbered(count, text) => {
                self.first_number.get_or_insert(count);
                self.numbered(text, number)?;
            }
            KifLine::Moves(text) => self.moves(text, number)?,
            KifLine::Field(name, value) => {
                if !line.is_of_record() {
                    self.unknown_field.get_or_insert_with(|| (format!("{name}: {value}"), number));
                }
                self.field(name, value).map_err(at)?;
            }
            KifLine::Rank(text) => self.setup.add_rank(text).map_err(at)?,
            KifLine::Side(side) => self.setup.set_side(side),
            KifLine::MoveCount(count) => self.setup.set_move_count(count),
            KifLine::BelowRule(text) => {
                if self.end(text).is_err() {
                    self.comment(text);
                }
            }
            KifLine::Other(text) => {
                if self.tree.is_none() && self.text.is_none() {
                    self.text = Some((text.to_owned(), number));
                }
                self.other(text).map_err(at)?;
            }
        }
        Ok(())
    }

    fn tree(&mut self, next: &str) -> Result<&mut Tree, ReadProblem> {
        if self.tree.is_none() {
            let (position, root) = self.setup.position(next)?;
            self.game.root = root;
            self.tree = Some(Tree::new(position));
        }
        self.tree.as_mut().ok_or_else(|| ReadProblem::malformed(next, "a line after the position"))
    }

    fn field(&mut self, name: &str, value: &str) -> Result<(), ReadProblem> {
        // A malformed move contains a colon too, in its time.
        if self.tree.is_some() && name.contains(['(', '（']) {
            return self.other(&format!("{name}:{value}"));
        }
        if self.setup.read_field(name, value)? {
            return Ok(());
        }
        // Gekisashi has both players on a line.
        if let Some((value, other)) = value.rsplit_once(" / ")
            && let KifLine::Field(other, rest) = KifLine::of(other)
            && is_known_field(other)
        {
            self.field(name, value)?;
            return self.field(other, rest);
        }
        if name == HANDICAP {
            self.setup.set_handicap(value);
        } else {
            read_field(&mut self.game, name, value);
        }
        Ok(())
    }

    /// Reads a comment. A note begins right after the asterisk. Bookmarks have no asterisk.
    fn comment(&mut self, line: &str) {
        let text = line.strip_prefix(['*', '\'']).map_or(Cow::Borrowed(line), comments::no_bookmark);
        let text = text.as_ref();
        if self.end.read_own(text) {
            return;
        }
        let Some(tree) = &mut self.tree else { return comments::add(&mut self.game.comment, text) };
        if let Some(comment) = tree.comment_before_variation() {
            comments::add(comment, text);
        } else if let Some((played, after)) = tree.last_move() {
            comments::read(text, played, after);
        } else {
            comments::add(&mut self.game.comment, text);
        }
    }

    /// Begins the variation after the first `after` moves of the game. `rest` are the lines after
    /// its first line.
    fn variation(&mut self, after: usize, rest: &[(usize, KifLine<'_>)], number: usize) -> Result<(), ReadError> {
        self.tree("変化").map_err(|problem| problem.at(number))?;
        self.end_line()?;
        let before_first = self.first_number.map_or(0, |first| first.saturating_sub(1));
        // KI2 has no numbers of moves, so that only the board may tell what was counted.
        let before_board = self.first_number.map_or(self.setup.move_count(), |_| 0);
        let moves = line_of(rest);
        let tree = self.tree("変化").map_err(|problem| problem.at(number))?;
        let begun = tree.begin_variation(after.saturating_sub(before_first), &moves);
        let begun = begun.or_else(|problem| {
            let after = after.checked_sub(before_board).ok_or(problem)?;
            tree.begin_variation(after, &moves)
        });
        begun.map_err(|problem| problem.at(number))
    }

    fn end_line(&mut self) -> Result<(), ReadError> {
        let Some(tree) = &mut self.tree else { return Ok(()) };
        let has_moves = tree.last_move().is_some();
        let ending = std::mem::take(&mut self.end).conclude(has_moves, tree.position())?;
        if tree.in_variation() {
            tree.set_ending(ending);
        } else {
            self.game.end(ending, tree.position());
        }
        Ok(())
    }

    fn sentence(&mut self, text: &str) -> Result<(), ReadProblem> {
        let after_illegal = self.end.illegal.is_some();
        let stated = of_sentence(text, turn(self.tree(text)?.position(), after_illegal));
        self.end.sentence.get_or_insert(stated);
        Ok(())
    }

    /// Reads the text after the number of a move: a move, or the end of the game.
    fn numbered(&mut self, text: &str, number: usize) -> Result<(), ReadError> {
        match Notation::read(text) {
            Some((notation, rest)) => {
                self.make_or_end(&notation, text, number)?;
                self.time(rest).map_err(|problem| problem.at(number))
            }
            None => self.end(text).map_err(|problem| problem.at(number)),
        }
    }

    fn moves(&mut self, text: &str, number: usize) -> Result<(), ReadError> {
        let mut rest = text;
        while !skip_blanks(rest).is_empty() {
            let Some((notation, after)) = Notation::read(rest) else {
                if let KifLine::Comment(comment) = KifLine::of(rest) {
                    self.comment(comment);
                    return Ok(());
                }
                let word = mark(skip_blanks(rest)).map_or(rest, |(_, word)| word);
                return self.end(word).map_err(|problem| problem.at(number));
            };
            let token = rest.get(..rest.len() - after.len()).unwrap_or(rest);
            self.make_or_end(&notation, token, number)?;
            rest = after;
        }
        Ok(())
    }

    /// Makes a move, unless it is an illegal last one.
    fn make_or_end(&mut self, notation: &Notation, text: &str, number: usize) -> Result<(), ReadError> {
        self.end.check_legal_so_far()?;
        let is_over = self.end.is_stated();
        let tree = self.tree(text).map_err(|problem| problem.at(number))?;
        if is_over {
            let after = if tree.in_variation() { "the end of the variation" } else { "the end of the game" };
            return Err(ReadProblem::too_late(text, after).at(number));
        }
        match resolve(notation, text, tree.position()) {
            Ok(mv) => tree.make(mv),
            Err(problem) => {
                let token = text.split(['(', '（']).next().unwrap_or_default().trim();
                self.end.keep_illegal(token, problem.at(number))?;
            }
        }
        Ok(())
    }

    /// Reads `( 0:12/00:01:23)` after a move. The mark of a variation or a comment may follow or
    /// replace it.
    fn time(&mut self, text: &str) -> Result<(), ReadProblem> {
        let text = skip_blanks(text);
        let Some(inside) = text.strip_prefix(['(', '（']) else {
            if text.is_empty() || text.starts_with(['+', '*', '&', '#']) {
                self.comment_after_move(text);
                return Ok(());
            }
            return Err(ReadProblem::malformed(text, "a time like ( 0:12/00:01:23) after the move"));
        };
        let time_ms = time_ms(inside);
        let time_ms = time_ms.ok_or_else(|| ReadProblem::malformed(text.trim(), "a time like ( 0:12/00:01:23)"))?;
        if self.end.illegal.is_some() {
            self.end.time_ms = Some(time_ms);
        } else if let Some((played, _)) = self.tree.as_mut().and_then(Tree::last_move) {
            played.time_ms = Some(time_ms);
        }
        self.comment_after_move(inside.split_once([')', '）']).map_or("", |(_, after)| after));
        Ok(())
    }

    /// Reads a comment on the line of a move, after the mark of a variation.
    fn comment_after_move(&mut self, text: &str) {
        if let KifLine::Comment(comment) = KifLine::of(text.trim_start_matches(['+', ' ', '　'])) {
            self.comment(comment);
        }
    }

    /// Reads how a line of moves ended. An unknown word is an error, because it may be a malformed
    /// move.
    fn end(&mut self, text: &str) -> Result<(), ReadProblem> {
        let word = end_word(text);
        let after_illegal = self.end.illegal.is_some();
        let Some(stated) = of_word(word, turn(self.tree(text)?.position(), after_illegal)) else {
            return Err(ReadProblem::malformed(text, "a move like ７六歩(77) or the end of the game"));
        };
        if self.end.word.is_none() {
            self.end.word = Some(stated);
            let time = text.split_once(['(', '（']).and_then(|(_, inside)| time_ms(inside));
            self.end.time_ms = self.end.time_ms.or(time);
        }
        Ok(())
    }

    /// Reads a line of unknown form: free text before the moves, or the end of the game after them.
    fn other(&mut self, text: &str) -> Result<(), ReadProblem> {
        if self.tree.is_none() {
            add_line(&mut self.game.comment, text.trim());
            return Ok(());
        }
        self.end(text).map_err(|_| ReadProblem::malformed(text, "a move, a comment or the end of the game"))
    }

    fn finish(mut self, line: usize) -> Result<Game, ReadError> {
        self.tree("the end of the game").map_err(|problem| problem.at(line))?;
        let is_over = self.end.is_known() || self.game.stated_ending().is_known();
        self.end_line()?;
        let mut game = self.game;
        let Some(tree) = self.tree else { return Ok(game) };
        let comment;
        (comment, game.moves, game.variations) = tree.finish();
        if !comment.is_empty() {
            add_line(&mut game.comment, &comment);
        }
        comments::end_all(&mut game);
        let unknown = self.unknown_field.filter(|_| !self.has_known_line);
        if let Some((text, line)) = self.text.or(unknown).filter(|_| game.moves.is_empty() && !self.setup.has_board())
            && !is_over
        {
            return Err(ReadProblem::malformed(&text, "a move or a board, and the game has none").at(line));
        }
        Ok(game)
    }
}

/// The moves on the lines up to the next variation, each with its text.
fn line_of<'a>(lines: &[(usize, KifLine<'a>)]) -> Vec<(Notation, &'a str)> {
    let mut moves = Vec::new();
    for &(_, line) in lines {
        match line {
            KifLine::Variation(_) => break,
            KifLine::Numbered(_, text) => moves.extend(Notation::read(text).map(|(notation, _)| (notation, text))),
            KifLine::Moves(mut text) => {
                while let Some((notation, rest)) = Notation::read(text) {
                    moves.push((notation, text));
                    text = rest;
                }
            }
            _ => {}
        }
    }
    moves
}

/// The word of an end, without the time after it.
fn end_word(text: &str) -> &str {
    // A plus may follow, as for a move with variations.
    let ends = |letter: char| letter.is_whitespace() || matches!(letter, '(' | '（' | '+');
    text.split(ends).find(|word| !word.is_empty()).unwrap_or_default()
}

fn turn(position: &Position, after_illegal: bool) -> FinalTurn {
    FinalTurn { mover: position.side_to_move(), after_illegal }
}

/// A time of hours, minutes and seconds in milliseconds: `0:12`, `1:02:03.5`, before a total or a
/// bracket.
fn time_ms(text: &str) -> Option<u64> {
    let spent = text.split(['/', '／', ')', '）']).next().unwrap_or_default();
    let mut parts = spent.split([':', '：']).map(str::trim).collect::<Vec<_>>();
    if parts.len() < 2 {
        // Not a time: for example a malformed square.
        return None;
    }
    let seconds = read_time(parts.pop()?)?;
    let minutes = parts.iter().try_fold(0_u64, |sum, part| sum.checked_mul(60)?.checked_add(part.parse().ok()?))?;
    minutes.checked_mul(60_000)?.checked_add(seconds)
}
