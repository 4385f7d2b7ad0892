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

type Word = Option<&'static str>;

/// The words for the end of a game.
struct EndWords {
    reason: EndReason,
    /// The `%` statement.
    statement: Word,
    /// The server's `#` line.
    server: Word,
    /// The word of floodgate's summary.
    summary: Word,
}

const fn words(reason: EndReason, statement: Word, server: Word, summary: Word) -> EndWords {
    EndWords { reason, statement, server, summary }
}

const WORDS: [EndWords; 12] = [
    words(EndReason::Resignation, Some("%TORYO"), Some("#RESIGN"), Some("toryo")),
    words(EndReason::Checkmate, Some("%TSUMI"), None, None),
    words(EndReason::Declaration, Some("%KACHI"), Some("#JISHOGI"), Some("kachi")),
    words(EndReason::FailedDeclaration, None, None, Some("illegal kachi")),
    words(EndReason::IllegalMove, Some("%ILLEGAL_MOVE"), Some("#ILLEGAL_MOVE"), Some("illegal move")),
    words(EndReason::Time, Some("%TIME_UP"), Some("#TIME_UP"), Some("time up")),
    words(EndReason::Forfeit, None, Some("#ABNORMAL"), Some("abnormal")),
    words(EndReason::Sennichite, Some("%SENNICHITE"), Some("#SENNICHITE"), Some("sennichite")),
    words(EndReason::PerpetualCheck, None, Some("#OUTE_SENNICHITE"), Some("oute_sennichite")),
    words(EndReason::Impasse, Some("%JISHOGI"), None, None),
    words(EndReason::MaxPlies, Some("%MAX_MOVES"), Some("#MAX_MOVES"), Some("max_moves")),
    words(EndReason::Interrupted, Some("%CHUDAN"), Some("#CHUDAN"), None),
];

/// The reason that has this word in a column.
fn reason_of(word: &str, column: fn(&EndWords) -> Word) -> Option<EndReason> {
    WORDS.iter().find(|row| column(row) == Some(word)).map(|row| row.reason)
}

/// The end reason in a `#` line of a CSA server: `#RESIGN`, `#TIME_UP` and others. `None` for lines
/// such as `#WIN` without a reason.
#[must_use]
pub fn csa_server_reason(line: &str) -> Option<EndReason> {
    if line == "#ILLEGAL_ACTION" { Some(EndReason::IllegalMove) } else { reason_of(line, |row| row.server) }
}

pub(crate) fn of_statement(token: &str) -> StatedResult {
    if let Some(reason) = reason_of(token, |row| row.statement) {
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
    let reason = reason_of(kind, |row| row.summary);
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
    let exact = WORDS.iter().find(|row| Some(row.reason) == reason).and_then(|row| row.statement);
    let general = match (ending.outcome, ending.reason) {
        (GameOutcome::BlackWins, _) => Some("%-ILLEGAL_ACTION"),
        (GameOutcome::WhiteWins, _) => Some("%+ILLEGAL_ACTION"),
        // A declaration under the 24-point rule may draw.
        (GameOutcome::Draw, Some(EndReason::Declaration)) => Some("%JISHOGI"),
        (GameOutcome::Draw, _) => Some("%HIKIWAKE"),
        (GameOutcome::Unknown, Some(_)) => Some("%CHUDAN"),
        (GameOutcome::Unknown, None) => undecided(ending).and_then(|(_, statement)| statement),
    };
    exact.filter(|statement| of_statement(statement).outcome(position) == ending.outcome).or(general)
}
