//! A game as CSA text.

use std::fmt::Write as _;

use super::NOTE;
use super::moves::write_move;
use super::moves::write_notes;
use super::position::write_position;
use super::result::write_result;
use crate::error::WriteError;
use crate::game::{Game, check_legal};
use crate::text::{TextEncoding, lines_of, one_line, one_line_without_commas};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Version {
    Two,
    Three,
}

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

/// Like [`to_csa`], for a file in an encoding.
pub(crate) fn write(game: &Game, encoding: TextEncoding) -> Result<String, WriteError> {
    let mut out = String::with_capacity(256 + 48 * game.moves.len());
    out.push_str("V2.2\n");
    write_game(&mut out, game, Version::Two)?;
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
        write_game(&mut out, game, Version::Three)?;
    }
    Ok(out)
}

fn encoding_line(encoding: TextEncoding) -> String {
    format!("'CSA encoding={}\n", if encoding == TextEncoding::Utf8 { "UTF-8" } else { "SHIFT_JIS" })
}

fn write_game(out: &mut String, game: &Game, version: Version) -> Result<(), WriteError> {
    let mut position = game.start_position()?;
    write_header(out, game, version);
    write_position(out, &position);
    write_comment(out, &game.comment);
    for (index, played) in game.moves.iter().enumerate() {
        check_legal(&position, played.mv, index + 1)?;
        write_move(out, &position, played.mv);
        out.push('\n');
        position.make(played.mv);
        write_notes(out, played, &position, version == Version::Three);
        write_comment(out, &played.comment);
    }
    write_result(out, game, &position, version == Version::Three);
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

fn write_header(out: &mut String, game: &Game, version: Version) {
    let seconds = time_in_seconds(&game.time_control).filter(|_| version == Version::Three);
    let is_exact = match version {
        Version::Two => is_time_limit(&game.time_control),
        Version::Three => seconds.as_ref() == Some(&game.time_control),
    };
    // Floodgate's comment takes times that do not fit CSA's own field.
    let exact_time = match (is_exact, version) {
        (false, _) => "'Time_Control:",
        (true, Version::Two) => "$TIME_LIMIT:",
        (true, Version::Three) => "$TIME:",
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
        write_field(out, &one_line(name), value, version);
    }
}

fn write_field(out: &mut String, name: &str, value: &str, version: Version) {
    if name == NOTE && version == Version::Three {
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

/// Whether a time control has CSA's form `hh:mm+ss`, the only one that programs expect there.
fn is_time_limit(text: &str) -> bool {
    let is_two = |text: &str| text.len() == 2;
    let numbers = text.split_once(':').and_then(|(hours, rest)| Some((hours, rest.split_once('+')?)));
    numbers.is_some_and(|(hours, (minutes, seconds))| {
        is_number(hours) && is_two(minutes) && is_number(minutes) && is_number(seconds)
    })
}

/// A time control in the form of CSA 3: seconds of main time, byoyomi and increment, `900+10+0`.
fn time_in_seconds(text: &str) -> Option<String> {
    if is_time_limit(text) {
        let (hours, rest) = text.split_once(':')?;
        let (minutes, byoyomi) = rest.split_once('+')?;
        let minutes = hours.parse::<u64>().ok()?.checked_mul(60)?.checked_add(minutes.parse().ok()?)?;
        return Some(format!("{}+{byoyomi}+0", minutes.checked_mul(60)?));
    }
    let parts: Vec<&str> = text.split('+').collect();
    (parts.len() == 3 && parts.into_iter().all(is_number)).then(|| text.to_owned())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
