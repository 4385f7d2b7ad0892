//! Boards drawn in text, with the hands above and below.

use kiki_board::{ALL_KINDS, PieceKind, Position, Sq, kanji};
use shogi_core::{Color, Piece};

use crate::diagram::Diagram;
use crate::diagram_text::diagram_lines;
use crate::japanese::digit;

/// The side of a hand, by the name of its field.
pub(super) fn hand_of(field: &str) -> Option<Color> {
    match field {
        "先手の持駒" | "下手の持駒" => Some(Color::Black),
        "後手の持駒" | "上手の持駒" => Some(Color::White),
        _ => None,
    }
}

/// Reads a rank of the board, `|v香v桂 ・ ..|一`; the first rank is 0. `None` if it is not of that form.
pub(super) fn read_rank(diagram: &mut Diagram, rank: usize, line: &str) -> Option<()> {
    let cells = line.split('|').nth(1)?;
    let mut side = Color::Black;
    let mut files = (0..9).rev();
    for letter in cells.chars() {
        match letter {
            'v' | 'V' | 'ｖ' => side = Color::White,
            ' ' | '　' | '^' => side = Color::Black,
            _ => {
                let piece = match letter {
                    '・' | '･' | '.' | '．' | '*' => None,
                    _ => Some(Piece::new(kind(letter)?, side)),
                };
                *diagram.cell(Sq::at(files.next()?, rank))? = piece;
                side = Color::Black;
            }
        }
    }
    files.next().is_none().then_some(())
}

/// Reads a hand, `飛　金二　歩十八` or `なし`. `None` if it is not of that form.
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
    match letter {
        '王' => Some(PieceKind::King),
        '竜' => Some(PieceKind::ProRook),
        _ => ALL_KINDS.into_iter().find(|&kind| kanji(kind) == letter),
    }
}

/// Draws a position.
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
