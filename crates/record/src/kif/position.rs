//! The start position of a KIF game: a handicap by name, or a text diagram with the hands above and
//! below.

use kiki_board::{Color, PieceKind, Position, Sq};
use kiki_text::excerpt;
use shogi_core::Piece;

use crate::diagram::{Diagram, diagram_lines};
use crate::error::ReadProblem;
use crate::game::position_of;
use crate::header::{HANDICAP, OTHER_HANDICAP, root_of_handicap, root_unless_even};
use crate::japanese::{digit, piece};

/// The name of the field for the side to move.
const TURN: &str = "手番";

pub(super) fn is_of_position(name: &str) -> bool {
    name == HANDICAP || name == TURN || hand_of(name).is_some()
}

#[derive(Default)]
pub(super) struct KifSetup {
    diagram: Diagram,
    ranks: usize,
    handicap: Option<String>,
    has_side: bool,
}

impl KifSetup {
    pub(super) fn set_handicap(&mut self, name: &str) {
        self.handicap = Some(name.to_owned());
    }

    pub(super) fn has_board(&self) -> bool {
        self.ranks > 0
    }

    pub(super) fn set_side(&mut self, side: Color) {
        self.diagram.core.side_to_move_set(side);
        self.has_side = true;
    }

    pub(super) fn set_move_count(&mut self, count: u32) {
        self.diagram.ply = count.saturating_add(1);
    }

    /// The number of moves before the board.
    pub(super) fn move_count(&self) -> usize {
        self.diagram.ply.saturating_sub(1) as usize
    }

    pub(super) fn add_rank(&mut self, line: &str) -> Result<(), ReadProblem> {
        let read = (self.ranks < 9).then(|| read_rank(&mut self.diagram, self.ranks, line)).flatten();
        self.ranks += 1;
        read.ok_or_else(|| ReadProblem::malformed(line, "one of nine ranks of nine squares, like |v香 ・ 歩 ..|"))
    }

    /// Reads a field of a hand or the side to move. Returns `false` for any other field.
    pub(super) fn read_field(&mut self, name: &str, value: &str) -> Result<bool, ReadProblem> {
        if name == TURN {
            self.set_side(if value.starts_with(['後', '上']) { Color::White } else { Color::Black });
            return Ok(true);
        }
        let Some(side) = hand_of(name) else { return Ok(false) };
        let read = read_hand(&mut self.diagram, side, value);
        read.map(|()| true).ok_or_else(|| ReadProblem::malformed(value, "a hand like 飛　金二　歩十八 or なし"))
    }

    /// The position, and its SFEN unless it is the initial position. `next` is the text after it in
    /// the record.
    pub(super) fn position(&self, next: &str) -> Result<(Position, Option<String>), ReadProblem> {
        let problem = |reason| ReadProblem::Position { token: excerpt(next), reason };
        let root = if self.ranks > 0 {
            if self.ranks != 9 {
                return Err(ReadProblem::malformed(next, "the rest of a board of nine ranks"));
            }
            root_unless_even(self.diagram.sfen())
        } else {
            self.handicap_root()?
        };
        Ok((position_of(root.as_deref()).map_err(problem)?, root))
    }

    fn handicap_root(&self) -> Result<Option<String>, ReadProblem> {
        let root = match self.handicap.as_deref() {
            None => None,
            Some(name @ OTHER_HANDICAP) => {
                return Err(ReadProblem::malformed(name, "a handicap that needs no board, and the game has none"));
            }
            Some(name) => root_of_handicap(name)
                .ok_or_else(|| ReadProblem::malformed(name, "a known handicap, and the game has no board"))?,
        };
        // Either side may move first.
        let mut sfen = root.unwrap_or_else(|| Position::startpos().to_sfen());
        if self.has_side {
            let white_begins = self.diagram.core.side_to_move() == Color::White;
            let [other, side] = if white_begins { [" b ", " w "] } else { [" w ", " b "] };
            sfen = sfen.replace(other, side);
        }
        Ok(root_unless_even(sfen))
    }
}

pub(super) fn hand_of(field: &str) -> Option<Color> {
    match field {
        "先手の持駒" | "下手の持駒" | "先手の持ち駒" | "下手の持ち駒" => Some(Color::Black),
        "後手の持駒" | "上手の持駒" | "後手の持ち駒" | "上手の持ち駒" => Some(Color::White),
        _ => None,
    }
}

/// Reads a rank of the board, `|v香v桂 ・ ..|一`. `rank` begins with 0. `None` if the line has another
/// form.
pub(super) fn read_rank(diagram: &mut Diagram, rank: usize, line: &str) -> Option<()> {
    let cells = line.split('|').nth(1)?;
    let mut side = Color::Black;
    let mut files = (0..9).rev();
    for letter in cells.chars() {
        match letter {
            'v' | 'V' | 'ｖ' => side = Color::White,
            ' ' | '　' | '^' => side = Color::Black,
            _ => {
                let is_empty = matches!(letter, '・' | '･' | '.' | '．' | '*');
                let piece = if is_empty { None } else { Some(Piece::new(kind(letter)?, side)) };
                diagram.core.piece_set(Sq::at(files.next()?, rank).into(), piece);
                side = Color::Black;
            }
        }
    }
    files.next().is_none().then_some(())
}

/// Reads a hand, `飛　金二　歩十八` or `なし`. `None` if the text has another form.
pub(super) fn read_hand(diagram: &mut Diagram, side: Color, text: &str) -> Option<()> {
    let mut letters = text.chars().filter(|letter| !letter.is_whitespace()).peekable();
    if letters.clone().eq("なし".chars()) {
        return Some(());
    }
    while let Some(letter) = letters.next() {
        let kind = kind(letter)?;
        let mut count = None;
        while let Some(number) = letters.peek().and_then(|&letter| number(letter)) {
            letters.next();
            count = Some(match (count, number) {
                (None, 10) => 10,
                (Some(tens), 10) => 10 * u32::min(tens, 9),
                (Some(before), unit) if before % 10 == 0 => u32::min(before, 90) + unit,
                (Some(before), unit) => 10 * u32::min(before, 9) + unit,
                (None, unit) => unit,
            });
        }
        diagram.hold(side, kind, count.unwrap_or(1))?;
    }
    Some(())
}

fn number(letter: char) -> Option<u32> {
    match letter {
        '十' => Some(10),
        '0' | '０' | '〇' => Some(0),
        _ => digit(letter).map(|digit| digit as u32),
    }
}

fn kind(letter: char) -> Option<PieceKind> {
    piece(letter.encode_utf8(&mut [0; 4])).map(|(kind, _)| kind)
}

pub(super) fn draw(position: &Position) -> Vec<String> {
    let mut lines = diagram_lines(position);
    if position.ply() > 1 {
        lines.push(format!("手数＝{}", position.ply() - 1));
    }
    if position.side_to_move() == Color::White {
        lines.push("後手番".to_owned());
    }
    lines
}
