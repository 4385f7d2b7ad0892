//! The result of a game in CSA: `%` statements, the server's `#` lines, floodgate's `'summary:` and
//! Kiki's `'*result`.

use std::fmt::Write as _;

use kiki_board::Position;

use super::moves::write_time;
use crate::comments::info_of_end;
use crate::ending::{EndReason, Ending, GameOutcome};
use crate::game::Game;
use crate::stated_result::{StatedResult, own_text, undecided};
use crate::text::one_line;

/// The words for the end of a game: the `%` statement, the server's `#` line and the word of
/// floodgate's summary. Empty where there is none.
type EndWords = (EndReason, &'static str, &'static str, &'static str);

const WORDS: [EndWords; 12] = [
    (EndReason::Resignation, "%TORYO", "#RESIGN", "toryo"),
    (EndReason::Checkmate, "%TSUMI", "", ""),
    (EndReason::Declaration, "%KACHI", "#JISHOGI", "kachi"),
    (EndReason::FailedDeclaration, "", "", "illegal kachi"),
    (EndReason::IllegalMove, "%ILLEGAL_MOVE", "#ILLEGAL_MOVE", "illegal move"),
    (EndReason::Time, "%TIME_UP", "#TIME_UP", "time up"),
    (EndReason::Forfeit, "", "#ABNORMAL", "abnormal"),
    (EndReason::Sennichite, "%SENNICHITE", "#SENNICHITE", "sennichite"),
    (EndReason::PerpetualCheck, "", "#OUTE_SENNICHITE", "oute_sennichite"),
    (EndReason::Impasse, "%JISHOGI", "", ""),
    (EndReason::MaxPlies, "%MAX_MOVES", "#MAX_MOVES", "max_moves"),
    (EndReason::Interrupted, "%CHUDAN", "#CHUDAN", ""),
];

/// The reason that has this word in a column.
fn reason_of(word: &str, column: fn(&EndWords) -> &'static str) -> Option<EndReason> {
    WORDS.iter().find(|row| !word.is_empty() && column(row) == word).map(|row| row.0)
}

/// The end reason in a `#` line of a CSA server: `#RESIGN`, `#TIME_UP` and others. `None` for lines
/// such as `#WIN` without a reason.
#[must_use]
pub fn csa_server_reason(line: &str) -> Option<EndReason> {
    if line == "#ILLEGAL_ACTION" { Some(EndReason::IllegalMove) } else { reason_of(line, |row| row.2) }
}

pub(crate) fn of_statement(token: &str) -> StatedResult {
    if let Some(reason) = reason_of(token, |row| row.1) {
        return StatedResult::by(reason);
    }
    let stated = |outcome, reason| StatedResult { outcome: Some(outcome), reason, remark: String::new() };
    match token {
        "%+ILLEGAL_ACTION" => stated(GameOutcome::WhiteWins, Some(EndReason::IllegalMove)),
        "%-ILLEGAL_ACTION" => stated(GameOutcome::BlackWins, Some(EndReason::IllegalMove)),
        "%HIKIWAKE" => stated(GameOutcome::Draw, None),
        // For example %MATTA, %FUZUMI and %ERROR, which do not say who won.
        _ => StatedResult { remark: one_line(token), ..StatedResult::default() },
    }
}

/// Reads `toryo:A lose:B win`, where A and B are the players in any order.
pub(super) fn of_summary(text: &str, game: &Game) -> Option<StatedResult> {
    let (kind, results) = text.split_once(':')?;
    let reason = reason_of(kind, |row| row.3);
    // These say more than the reason, so the remark keeps them.
    let is_illegal = matches!(kind, "uchifuzume" | "oute_kaihimore" | "outori");
    let remark = if reason.is_some() { String::new() } else { one_line(kind) };
    let reason = reason.or(is_illegal.then_some(EndReason::IllegalMove));
    Some(StatedResult { outcome: summary_outcome(results, game), reason, remark })
}

/// The outcome of `A lose:B win`. `None` if the names do not identify the players.
fn summary_outcome(results: &str, game: &Game) -> Option<GameOutcome> {
    let [black, white] = [&game.black, &game.white];
    let players = |a: &str, b: &str| {
        results == format!("{black} {a}:{white} {b}") || results == format!("{white} {b}:{black} {a}")
    };
    if players("draw", "draw") {
        return Some(GameOutcome::Draw);
    }
    if black == white {
        return None;
    }
    let won = players("win", "lose").then_some(GameOutcome::BlackWins);
    won.or_else(|| players("lose", "win").then_some(GameOutcome::WhiteWins))
}

/// Writes the `%` statement with its time, if there is one, and the exact result as a comment.
pub(super) fn write_result(out: &mut String, game: &Game, position: &Position, has_milliseconds: bool) {
    let ending = game.stated_ending();
    let statement = statement(&ending, position);
    if let Some(statement) = statement {
        out.push_str(statement);
        out.push('\n');
        write_time(out, ending.time_ms, has_milliseconds);
    }
    if let Some(text) = own_text(&ending) {
        let _ = writeln!(out, "'*result {}", text.replace(',', ";"));
    }
    if let Some(info) = info_of_end(&ending, statement.is_some(), has_milliseconds) {
        let _ = writeln!(out, "'*{info}");
    }
}

/// The statement of the reason if it gives readers the right result in this position, else a
/// statement that does. An engine may crash while the other side is to move, and CSA has no
/// statement for an adjudicated win.
pub(crate) fn statement(ending: &Ending, position: &Position) -> Option<&'static str> {
    let reason = ending.reason.map(|reason| match reason.general() {
        EndReason::Adjudication => EndReason::Resignation,
        EndReason::FailedDeclaration => EndReason::IllegalMove,
        other => other,
    });
    let exact = WORDS.iter().find(|row| Some(row.0) == reason).map(|row| row.1);
    let general = match (ending.outcome, ending.reason) {
        (GameOutcome::BlackWins, _) => Some("%-ILLEGAL_ACTION"),
        (GameOutcome::WhiteWins, _) => Some("%+ILLEGAL_ACTION"),
        // A declaration under the 24-point rule may draw.
        (GameOutcome::Draw, Some(EndReason::Declaration)) => Some("%JISHOGI"),
        (GameOutcome::Draw, _) => Some("%HIKIWAKE"),
        (GameOutcome::Unknown, Some(_)) => Some("%CHUDAN"),
        (GameOutcome::Unknown, None) => undecided(ending).and_then(|(_, statement)| statement),
    };
    exact
        .filter(|statement| !statement.is_empty() && of_statement(statement).outcome(position) == ending.outcome)
        .or(general)
}
