//! A game as CSA text.

use std::fmt::Write as _;

use super::notes::write_notes;
use super::pieces::write_move;
use super::result::write_result;
use super::setup::write_position;
use crate::error::WriteError;
use crate::game::Game;
use crate::line_walk::{check, root};
use crate::text::{TextEncoding, one_line, one_line_without_commas};

/// Writes a game as CSA 2.2, the dialect that every reader reads. `/` on a line between two such texts makes them one file.
///
/// Times are in whole seconds; scores and principal variations are floodgate's `'** 35 -3334FU`, from Black's view. The rest
/// (milliseconds, depth, nodes, the length of a mate, the exact reason of the end) is written in comments that [`crate::read_csa`] reads
/// back. The root's move counter is lost, which CSA has no place for, and so are a variation without a score and what follows an illegal
/// move in one, and all variations of the game. Names and remarks are cut to one line, and their commas become semicolons: some readers lose
/// moves at a comma in a line. Comments keep theirs. The text is UTF-8; if it is not ASCII, the first line says so.
///
/// # Errors
/// The root is no position, or a move is illegal.
///
/// ```
/// use kiki_record::{Game, GameOutcome, EndReason, to_csa};
///
/// let game = Game {
///     black: "kiki".to_owned(),
///     white: "other".to_owned(),
///     outcome: GameOutcome::WhiteWins,
///     reason: Some(EndReason::Time),
///     remark: "flag fell, 12 ms late".to_owned(),
///     ..Game::default()
/// };
/// let text = "V2.2\nN+kiki\nN-other\nPI\n+\n%TIME_UP\n'*result white-wins time: flag fell; 12 ms late\n";
/// assert_eq!(to_csa(&game).as_deref(), Ok(text));
/// ```
pub fn to_csa(game: &Game) -> Result<String, WriteError> {
    write(game, TextEncoding::Utf8)
}

/// As [`to_csa`], for a file in an encoding.
pub(crate) fn write(game: &Game, encoding: TextEncoding) -> Result<String, WriteError> {
    let mut position = root(game)?;
    let mut out = String::with_capacity(256 + 48 * game.moves.len());
    write_header(&mut out, game);
    write_position(&mut out, &position);
    write_comment(&mut out, &game.comment);
    for (index, played) in game.moves.iter().enumerate() {
        check(&position, played.mv, index + 1)?;
        write_move(&mut out, &position, played.mv);
        out.push('\n');
        position.make(played.mv);
        write_notes(&mut out, played, &position);
        write_comment(&mut out, &played.comment);
    }
    write_result(&mut out, game, &position);
    if !out.is_ascii() {
        let name = if encoding == TextEncoding::Utf8 { "UTF-8" } else { "SHIFT_JIS" };
        out.insert_str(0, &format!("'CSA encoding={name}\n"));
    }
    Ok(out)
}

/// Comments that programs show begin with an asterisk.
/// A comment that would be read as a score or as one of Kiki's own notes gets a blank in front, which readers drop.
fn write_comment(out: &mut String, comment: &str) {
    for line in comment.lines().map(one_line) {
        let has_meaning = ["*", "info ", "result ", "field "].iter().any(|start| line.starts_with(start));
        let _ = writeln!(out, "'*{}{line}", if has_meaning { " " } else { "" });
    }
}

fn write_header(out: &mut String, game: &Game) {
    out.push_str("V2.2\n");
    let time_field = if is_time_limit(&game.time_control) { "$TIME_LIMIT:" } else { "'Time_Control:" };
    for (field, text) in [
        ("N+", &game.black),
        ("N-", &game.white),
        ("$EVENT:", &game.event),
        ("$SITE:", &game.site),
        ("$START_TIME:", &game.start_time),
        (time_field, &game.time_control),
    ] {
        let text = one_line_without_commas(text);
        if !text.is_empty() {
            out.push_str(field);
            out.push_str(&text);
            out.push('\n');
        }
    }
    for (name, value) in &game.fields {
        let is_keyword = name.bytes().all(|byte| byte.is_ascii_uppercase() || b"_+-".contains(&byte));
        let (start, end) = if is_keyword { ("$", ":") } else { ("'*field ", ": ") };
        for line in value.lines() {
            let _ = writeln!(out, "{start}{}{end}{}", one_line(name), one_line(line));
        }
    }
}

/// Whether a time control has CSA's form `hh:mm+ss`: programs that read the field expect no other.
fn is_time_limit(text: &str) -> bool {
    let numbers = text.split_once(':').and_then(|(hours, rest)| Some((hours, rest.split_once('+')?)));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(hours, (minutes, seconds))| {
        is_number(hours) && minutes.len() == 2 && is_number(minutes) && is_number(seconds)
    })
}
