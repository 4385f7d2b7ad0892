//! A game as CSA text.

use std::fmt::Write as _;

use super::NOTE;
use super::moves::{write_move, write_notes};
use super::position::write_position;
use super::result::write_result;
use crate::error::WriteError;
use crate::game::{Cursor, Game};
use crate::text::{TextEncoding, lines_of, one_line, one_line_without_commas};

/// Writes a game as CSA 2.2, which every program reads. A line `/` between two such texts joins
/// them into one file.
///
/// Times are in whole seconds. Scores and principal variations are floodgate's `'** 35 -3334FU`,
/// from Black's view. Comments that [`crate::read_csa`] reads back hold the rest: milliseconds,
/// depth, nodes, the length of a mate, and the exact reason of the end.
///
/// CSA has no place for the move number of the root, for variations of the game, or for a principal
/// variation without a score. A principal variation ends before its first illegal move. Names and
/// remarks become one line, and their commas become semicolons, because some readers lose moves at
/// a comma. Comments keep their commas. The text is UTF-8; its first line says so unless it is
/// ASCII.
///
/// # Errors
/// The root is not a position, or a move is illegal.
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

pub(crate) fn write(game: &Game, encoding: TextEncoding) -> Result<String, WriteError> {
    let mut out = String::with_capacity(256 + 48 * game.moves.len());
    out.push_str("V2.2\n");
    write_game(&mut out, game, false)?;
    if !out.is_ascii() {
        out.insert_str(0, &encoding_line(encoding));
    }
    Ok(out)
}

/// Writes games as one file of CSA 3.0. Only the first game states the encoding and the version.
/// Times have milliseconds, and the time control is in seconds.
pub(crate) fn write_v3(games: &[Game], encoding: TextEncoding) -> Result<String, WriteError> {
    let mut out = format!("{}V3.0\n", encoding_line(encoding));
    for (index, game) in games.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "/\n" });
        write_game(&mut out, game, true)?;
    }
    Ok(out)
}

fn encoding_line(encoding: TextEncoding) -> String {
    format!("'CSA encoding={}\n", if encoding == TextEncoding::Utf8 { "UTF-8" } else { "SHIFT_JIS" })
}

fn write_game(out: &mut String, game: &Game, is_version_3: bool) -> Result<(), WriteError> {
    let mut cursor = Cursor::start(game)?;
    write_header(out, game, is_version_3);
    write_position(out, &cursor.position);
    write_comment(out, &game.comment);
    for played in &game.moves {
        cursor.check(played.mv)?;
        write_move(out, &cursor.position, played.mv);
        out.push('\n');
        cursor.make(played);
        write_notes(out, played, &cursor.position, is_version_3);
        write_comment(out, &played.comment);
    }
    write_result(out, game, &cursor.position, is_version_3);
    Ok(())
}

/// Writes a comment with the asterisk of visible comments. Text that would read as a score or as
/// one of Kiki's notes gets a leading blank, which readers drop.
fn write_comment(out: &mut String, comment: &str) {
    for line in lines_of(comment) {
        if let Some(name) = line.strip_prefix('&') {
            let _ = writeln!(out, "'*bookmark:{name}");
            continue;
        }
        let line = line.trim_start();
        let has_meaning = ["*", "info ", "result ", "field ", "bookmark:"].iter().any(|start| line.starts_with(start));
        let _ = writeln!(out, "'*{}{line}", if has_meaning { " " } else { "" });
    }
}

fn write_header(out: &mut String, game: &Game, is_version_3: bool) {
    let seconds = time_in_seconds(&game.time_control).filter(|_| is_version_3);
    let is_exact = if is_version_3 {
        seconds.as_ref() == Some(&game.time_control)
    } else {
        time_limit(&game.time_control).is_some()
    };
    // Floodgate's comment takes times that do not fit CSA's own field.
    let exact_time = match (is_exact, is_version_3) {
        (false, _) => "'Time_Control:",
        (true, false) => "$TIME_LIMIT:",
        (true, true) => "$TIME:",
    };
    for (field, text) in [
        ("N+", &game.black),
        ("N-", &game.white),
        ("$EVENT:", &game.event),
        ("$SITE:", &game.site),
        ("$START_TIME:", &game.start_time),
        ("$TIME:", &seconds.filter(|_| !is_exact).unwrap_or_default()),
        (exact_time, &game.time_control),
    ] {
        let text = one_line_without_commas(text);
        if !text.is_empty() {
            out.push_str(field);
            out.push_str(&text);
            out.push('\n');
        }
    }
    for (name, value) in &game.fields {
        write_field(out, &one_line(name), value, is_version_3);
    }
}

fn write_field(out: &mut String, name: &str, value: &str, is_version_3: bool) {
    if name == NOTE && is_version_3 {
        let lines: Vec<String> = value.lines().map(|line| one_line(line).replace('\\', "\\\\")).collect();
        let _ = writeln!(out, "${NOTE}:{}", lines.join("\\n"));
        return;
    }
    let is_keyword = name.bytes().all(|byte| byte.is_ascii_uppercase() || b"_+-".contains(&byte));
    // No asterisk: programs would show it as a comment of the game.
    let (start, end) = if is_keyword { ("$", ":") } else { ("'field ", ": ") };
    for line in value.lines() {
        let _ = writeln!(out, "{start}{name}{end}{}", one_line(line));
    }
}

/// The hours, minutes and seconds of byoyomi in a time control of CSA's form `hh:mm+ss`. Programs
/// expect no other there.
fn time_limit(text: &str) -> Option<[&str; 3]> {
    let (hours, rest) = text.split_once(':')?;
    let (minutes, byoyomi) = rest.split_once('+')?;
    let parts = [hours, minutes, byoyomi];
    (minutes.len() == 2 && parts.into_iter().all(is_number)).then_some(parts)
}

/// A time control in the form of CSA 3: seconds of main time, byoyomi and increment, `900+10+0`.
fn time_in_seconds(text: &str) -> Option<String> {
    if let Some([hours, minutes, byoyomi]) = time_limit(text) {
        let minutes = hours.parse::<u64>().ok()?.checked_mul(60)?.checked_add(minutes.parse().ok()?)?;
        return Some(format!("{}+{byoyomi}+0", minutes.checked_mul(60)?));
    }
    let parts: Vec<&str> = text.split('+').collect();
    (parts.len() == 3 && parts.into_iter().all(is_number)).then(|| text.to_owned())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
