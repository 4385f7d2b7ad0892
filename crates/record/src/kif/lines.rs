//! The kind of a line of KIF or KI2, and where the next game of a file begins.

use kiki_board::Color;

use super::position::{hand_of, is_of_position};
use crate::header::{HANDICAP, is_field_of_game, is_known_field};
use crate::japanese::{Notation, mark, skip_blanks};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KifLine<'a> {
    Blank,
    /// The first line of a file: `#KIF version=2.0 encoding=UTF-8`.
    Version,
    /// A line that readers skip: another one that begins with `#`, a turned board, a drawn rule, or
    /// a `変化` among the fields.
    Skipped,
    /// A comment with its asterisk, or a bookmark with its `&`.
    Comment(&'a str),
    /// `手数----指手---------消費時間--`.
    Columns,
    /// `変化：12手`: the number of moves before the variation.
    Variation(usize),
    /// `まで112手で後手の勝ち`.
    Sentence(&'a str),
    /// A number and the text after it: a move or the end of the game.
    Numbered(usize, &'a str),
    Moves(&'a str),
    Field(&'a str, &'a str),
    Rank(&'a str),
    /// The numbers above the board, or its frame.
    Frame,
    /// 先手番 or 後手番.
    Side(Color),
    /// `手数＝74`: the number of moves before the board.
    MoveCount(u32),
    /// Text below a drawn rule that ended the moves: a comment, or the end of the game.
    BelowRule(&'a str),
    Other(&'a str),
}

impl<'a> KifLine<'a> {
    pub(super) fn of(line: &'a str) -> Self {
        let line = skip_blanks(line);
        match line.chars().next() {
            None => return Self::Blank,
            Some('#') if ["#KIF", "#KI2"].iter().any(|start| line.starts_with(start)) => return Self::Version,
            Some('#') => return Self::Skipped,
            // Kakinoki's programs showed the board from White's side.
            _ if matches!(line, "盤面回転" | "盤面反転") => return Self::Skipped,
            Some('*' | '\'' | '&') => return Self::Comment(line),
            Some('|') => return Self::Rank(line),
            Some('+') => return Self::Frame,
            _ => {}
        }
        if let Some(rest) = line.strip_prefix("変化") {
            return Self::Variation(number_in(rest).saturating_sub(1) as usize);
        }
        if line.starts_with("まで") {
            return Self::Sentence(line);
        }
        if let Some(rest) = line.strip_prefix("手数") {
            if rest.starts_with(['＝', '=']) {
                return Self::MoveCount(number_in(rest.split_whitespace().next().unwrap_or_default()));
            }
            if rest.starts_with('-') || rest.contains("指手") {
                return Self::Columns;
            }
        }
        if ["９ ８ ７", "9 8 7", "９８７"].iter().any(|start| line.starts_with(start)) {
            return Self::Frame;
        }
        Self::of_words(line)
    }

    fn of_words(line: &'a str) -> Self {
        match line {
            "先手番" | "下手番" => return Self::Side(Color::Black),
            "後手番" | "上手番" => return Self::Side(Color::White),
            _ => {}
        }
        if let Some((number, rest)) = numbered(line) {
            return Self::Numbered(number, rest);
        }
        if mark(line).is_some() || Notation::read(line).is_some() {
            return Self::Moves(line);
        }
        match line.split_once(['：', ':']) {
            Some((name, value)) if !name.trim().is_empty() => Self::Field(name.trim(), value.trim()),
            _ => Self::Other(line),
        }
    }

    /// The line `text` as it reads below a drawn rule. Other programs write lines with a colon
    /// there, such as addresses, which are no fields.
    fn below_rule(self, text: &'a str) -> Self {
        match self {
            Self::Other(_) if is_rule(text) => Self::Skipped,
            Self::Other(_) => Self::BelowRule(text),
            Self::Field(..) if !self.is_of_record() => Self::BelowRule(text),
            other => other,
        }
    }

    fn has_move(self) -> bool {
        matches!(self, Self::Numbered(_, text) | Self::Moves(text) if Notation::read(text).is_some())
    }

    /// Whether it belongs to the moves of a game. A `変化` line may also come before them.
    fn is_of_moves(self) -> bool {
        matches!(self, Self::Columns | Self::Sentence(_) | Self::Numbered(..) | Self::Moves(_))
    }

    /// Whether only records have such a line.
    pub(super) fn is_of_record(self) -> bool {
        match self {
            Self::Field(name, _) => self.begins_game() || is_of_position(name) || is_known_field(name),
            other => other.is_of_moves() || other.begins_game(),
        }
    }

    /// Whether it begins another game if it comes after moves.
    fn begins_game(self) -> bool {
        match self {
            Self::Version | Self::Columns | Self::Rank(_) | Self::Frame | Self::Side(_) | Self::MoveCount(_) => true,
            Self::Field(name, _) => {
                is_field_of_game(name)
                    || hand_of(name).is_some()
                    || matches!(name, HANDICAP | "対局日" | "表題" | "対局ID" | "記録ID" | "作品番号")
            }
            _ => false,
        }
    }
}

/// The number formed by all digits of a text, half-width or full-width. It saturates.
fn number_in(text: &str) -> u32 {
    text.chars().filter_map(digit_of).fold(0, |number: u32, digit| number.saturating_mul(10).saturating_add(digit))
}

/// The move number at the start of a line, and the text after it. `7六歩` begins with a digit too,
/// but is a move.
pub(crate) fn numbered(line: &str) -> Option<(usize, &str)> {
    let after = line.trim_start_matches(|letter: char| digit_of(letter).is_some());
    let digits = line.get(..line.len() - after.len()).filter(|digits| !digits.is_empty())?;
    let is_number = after.starts_with(|letter: char| letter.is_whitespace() || letter == '.');
    is_number.then(|| (number_in(digits) as usize, skip_blanks(after.trim_start_matches('.'))))
}

/// Whether a line is a drawn rule, as below a copied record.
fn is_rule(line: &str) -> bool {
    line.chars().count() >= 3 && line.chars().all(|letter| "-－─━=＝".contains(letter))
}

fn digit_of(letter: char) -> Option<u32> {
    match letter {
        '０'..='９' => Some(letter as u32 - '０' as u32),
        _ => letter.to_digit(10),
    }
}

pub(super) fn games(lines: &[(usize, String)]) -> Vec<Vec<(usize, KifLine<'_>)>> {
    let mut games: Vec<Vec<(usize, KifLine<'_>)>> = Vec::new();
    let mut current: Vec<(usize, KifLine<'_>)> = Vec::new();
    let (mut in_moves, mut in_variation, mut has_moves, mut has_handicap) = (false, false, false, false);
    let mut is_below_rule = false;
    for (number, text) in lines {
        let mut line = KifLine::of(text);
        let is_handicap = matches!(line, KifLine::Field(HANDICAP, _));
        let starts_again = matches!(line, KifLine::Numbered(1, _)) && has_moves && !in_variation;
        // Electron Shogi wrote such lines among the fields. Before fields and columns they do not
        // begin a variation.
        if !in_moves && line.begins_game() {
            let variations = current.iter_mut().filter(|(_, line)| matches!(line, KifLine::Variation(_)));
            variations.for_each(|(_, line)| *line = KifLine::Skipped);
        }
        // A second handicap ends a game without moves.
        if in_moves && (line.begins_game() || starts_again) || has_handicap && is_handicap {
            games.push(std::mem::take(&mut current));
            (in_moves, has_moves, has_handicap, is_below_rule) = (false, false, false, false);
        }
        let text = skip_blanks(text);
        is_below_rule = !line.has_move() && (is_below_rule || in_moves && is_rule(text));
        if is_below_rule {
            line = line.below_rule(text);
        }
        has_handicap |= is_handicap;
        in_moves |= line.is_of_moves();
        has_moves |= matches!(line, KifLine::Numbered(..) | KifLine::Moves(_));
        in_variation = matches!(line, KifLine::Variation(_))
            || in_variation && matches!(line, KifLine::Blank | KifLine::Skipped | KifLine::Comment(_));
        current.push((*number, line));
    }
    games.push(current);
    let is_content = |line: &KifLine<'_>| {
        !matches!(line, KifLine::Blank | KifLine::Version | KifLine::Skipped | KifLine::Comment(_))
    };
    games.retain(|game| game.iter().any(|(_, line)| is_content(line)));
    games
}
