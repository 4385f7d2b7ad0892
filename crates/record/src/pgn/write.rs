//! A result as PGN.

use std::fmt::Write as _;

use super::RESULTS;
use crate::game::Game;
use crate::text::one_line;

/// No line of a comment grows longer, but for a single word that is.
const LONGEST_LINE: usize = 79;

/// Whether a PGN stub contains the moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PgnMoves {
    /// It does not contain them.
    #[default]
    Omitted,
    /// In a comment, as the `position` command of USI: chess programs cannot read shogi moves.
    Commented,
}

/// Writes the result of a game as PGN, to be concatenated with others. Kiki's Black is PGN's White; see [`crate::read_pgn`].
///
/// `round` is the round, or the number of the game; empty if there is none. The reason of the result is written as a comment.
///
/// ```
/// use kiki_record::{Game, GameOutcome, PgnMoves, EndReason, to_pgn};
///
/// let game = Game {
///     black: "first".to_owned(),
///     white: "second".to_owned(),
///     start_time: "2026/01/31 09:30:00".to_owned(),
///     outcome: GameOutcome::BlackWins,
///     reason: Some(EndReason::Resignation),
///     ..Game::default()
/// };
/// assert_eq!(
///     to_pgn(&game, "7", PgnMoves::Omitted),
///     r#"[Event "?"]
/// [Site "?"]
/// [Date "2026.01.31"]
/// [Round "7"]
/// [White "first"]
/// [Black "second"]
/// [Result "1-0"]
///
/// {resignation} 1-0
///
/// "#
/// );
/// ```
#[must_use]
pub fn to_pgn(game: &Game, round: &str, moves: PgnMoves) -> String {
    let result = RESULTS.iter().find(|(_, outcome)| *outcome == game.outcome).map_or("*", |&(text, _)| text);
    let mut out = String::with_capacity(256);
    for (name, value) in [
        ("Event", game.event.as_str()),
        ("Site", &game.site),
        ("Date", &date(&game.start_time)),
        ("Round", round),
        ("White", &game.black),
        ("Black", &game.white),
        ("Result", result),
    ] {
        let value = one_line(value);
        let value = if value.is_empty() { "?" } else { &value };
        let _ = writeln!(out, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""));
    }
    out.push('\n');
    if moves == PgnMoves::Commented {
        push_comment(&mut out, &position_command(game));
        out.push('\n');
    }
    let reason = game.reason.map_or("", |reason| reason.name());
    let separator = if reason.is_empty() || game.remark.is_empty() { "" } else { ": " };
    let end = format!("{reason}{separator}{}", game.remark);
    if !end.is_empty() {
        push_comment(&mut out, &end);
        out.push(' ');
    }
    out.push_str(result);
    out.push_str("\n\n");
    out
}

/// The date of a start time like `2026/01/31 09:30:00`, as PGN writes it.
fn date(start_time: &str) -> String {
    let day = start_time.split(|c: char| c.is_whitespace() || c == 'T').next().unwrap_or_default();
    let mut parts = day.split(['/', '-', '.']);
    let mut number = |digits: usize| {
        let part = parts.next().filter(|part| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit()));
        part.map_or_else(|| "?".repeat(digits), str::to_owned)
    };
    format!("{}.{}.{}", number(4), number(2), number(2))
}

fn position_command(game: &Game) -> String {
    let mut command = match &game.root {
        Some(sfen) => format!("position sfen {sfen}"),
        None => "position startpos".to_owned(),
    };
    for (index, played) in game.moves.iter().enumerate() {
        let _ = write!(command, "{}{}", if index == 0 { " moves " } else { " " }, played.mv);
    }
    command
}

/// Writes a comment, broken into lines. Its brackets become round ones: a brace would end it, and simple readers look for `[White "`
/// on any line.
fn push_comment(out: &mut String, text: &str) {
    let text = text.replace(['{', '['], "(").replace(['}', ']'], ")");
    out.push('{');
    let mut length = 1;
    for (index, word) in one_line(&text).split_whitespace().enumerate() {
        let longer = length + 1 + word.len();
        if index > 0 && longer > LONGEST_LINE {
            out.push('\n');
            length = 0;
        } else if index > 0 {
            out.push(' ');
            length += 1;
        }
        out.push_str(word);
        length += word.len();
    }
    out.push('}');
}
