//! Shared parts of the commands for people: the position argument, files of positions, and readable
//! boards, evaluations and moves.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::anyhow;
use kiki_board::{Move, Position, Sq};
use kiki_eval::{Explanation, Weights};
use kiki_platform::{MOST_RECORDS, read_regular_text};
use kiki_record::read_japanese_move;
use kiki_usi::{PositionRoot, PositionSpec, set_up};
use shogi_core::{Color, ToUsi};

#[derive(clap::Args)]
pub(crate) struct PositionArguments {
    /// Position, as an SFEN or in the form of a `position` command; by default the start position.
    #[arg(long, value_name = "SFEN")]
    sfen: Option<PositionSpec>,
    /// Moves to play from that position, in USI or Japanese (７六歩), separated by spaces.
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
}

impl PositionArguments {
    pub(crate) fn set_up(&self) -> anyhow::Result<Position> {
        let mut spec = self.sfen.clone().unwrap_or_else(PositionSpec::startpos);
        for word in self.moves.as_deref().unwrap_or_default().split_whitespace() {
            let is_usi = word.is_ascii();
            spec.moves.push(if is_usi {
                word.to_owned()
            } else {
                read_japanese_move(word, &set_up(&spec)?)?.to_string()
            });
        }
        Ok(set_up(&spec)?)
    }
}

/// Positions from a file, one a line: an SFEN, or a `position` command with or without that word.
/// After an SFEN may come operations of EPD. Empty lines and those that start with `#` are skipped.
pub(crate) fn read_positions(path: &str) -> anyhow::Result<Vec<Position>> {
    let text = read_regular_text(path, MOST_RECORDS).map_err(|error| anyhow!("{path}: {error}"))?;
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(index, line)| {
            read_position(line).map_err(|error| anyhow!("line {} of the positions: {error}", index + 1))
        })
        .collect()
}

fn read_position(line: &str) -> anyhow::Result<Position> {
    let mut spec: PositionSpec = line.parse()?;
    // Operations stand where moves do; each ends with a semicolon.
    if matches!(spec.root, PositionRoot::Sfen(_)) && line.ends_with(';') {
        spec.moves.clear();
    }
    Ok(set_up(&spec)?)
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    /// About four months: longer than anyone waits, and no overflow in sums.
    const MOST: f64 = 1e7;
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= MOST => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!("not a number of seconds above 0 and at most {MOST}")),
    }
}

/// The board as a diagram in ASCII, with hands, side to move, SFEN and key.
pub(crate) fn ascii(position: &Position) -> Vec<String> {
    let mut lines = vec!["   9   8   7   6   5   4   3   2   1".to_owned()];
    let rule = " +---+---+---+---+---+---+---+---+---+";
    lines.push(rule.to_owned());
    for rank in 0..9 {
        let mut line = String::from(" ");
        for file in (0..9).rev() {
            let text = position.cell(Sq::at(file, rank)).piece().map_or(String::new(), |piece| piece.to_usi_owned());
            let _ = write!(line, "|{text:>2} ");
        }
        let _ = write!(line, "| {}", (b'a' + rank as u8) as char);
        lines.push(line);
        lines.push(rule.to_owned());
    }
    lines.push(format!(" sfen {}", position.to_sfen()));
    lines.push(format!(" key  {:016x}{}", position.key(), if position.in_check() { "  in check" } else { "" }));
    lines
}

/// The terms of the formula for Black as tables over the board, with effect counts and sums.
pub(crate) fn evaluation(weights: &Weights, position: &Position) -> Vec<String> {
    let explanation = Explanation::new(weights, position);
    let mut lines = Vec::new();
    for term in &explanation.terms {
        lines.push(format!("{} (Black's view): {}", term.name, term.total()));
        lines.extend(table(|sq| term.squares[sq.index()].to_string(), 6));
        if term.elsewhere != 0 {
            lines.push(format!("  pieces in hand: {}", term.elsewhere));
        }
    }
    lines.push("effect counts, Black/White:".to_owned());
    let count = |color, sq| position.effects().count(color, sq);
    lines.extend(table(|sq| format!("{}/{}", count(Color::Black, sq), count(Color::White, sq)), 5));
    lines.push(format!("total for Black: {} centipawns", explanation.total()));
    lines
}

fn table(entry: impl Fn(Sq) -> String, width: usize) -> Vec<String> {
    (0..9)
        .map(|rank| {
            let row = (0..9).rev().fold(String::new(), |mut row, file| {
                let _ = write!(row, "{:>width$}", entry(Sq::at(file, rank)));
                row
            });
            format!("{row}  {}", (b'a' + rank as u8) as char)
        })
        .collect()
}

/// The moves in Japanese notation with USI, up to the first illegal one.
pub(crate) fn japanese_moves(position: &Position, moves: &[Move]) -> Vec<String> {
    let texts = kiki_record::japanese_moves(position, moves);
    texts.iter().zip(moves).map(|(text, mv)| format!("{text}({mv})")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_where_the_last_move_went_is_written_as_the_same_square() {
        let mut position = Position::startpos();
        let usi = ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"];
        let line = position.legal_line(usi);
        let whole = ["▲７６歩(7g7f)", "△３４歩(3c3d)", "▲２２角成(8h2b+)", "△同銀(3a2b)", "▲５５角(B*5e)"];
        assert_eq!(japanese_moves(&position, &line), whole);
        line[..3].iter().for_each(|&mv| {
            position.make(mv);
        });
        assert_eq!(japanese_moves(&position, &line[3..]), whole[3..]);
        assert_eq!(japanese_moves(&position, &line), [""; 0], "an illegal move ends the line");
    }
}
