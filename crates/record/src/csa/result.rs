//! The result of a game in CSA: `%` statements, the server's `#` lines, floodgate's `'summary:` and
//! Kiki's `'*result`.

use std::fmt::Write as _;

use kiki_board::Position;

use super::moves::write_time;
use crate::comments::{info_of_end, read_info_of_end};
use crate::ending::{EndReason, Ending, GameOutcome};
use crate::game::Game;
use crate::stated_result::{StatedResult, own_text, undecided};
use crate::text::one_line;

#[derive(Default)]
pub(super) struct ResultReader {
    /// From Kiki's own comment, which holds everything.
    own: Option<StatedResult>,
    /// The text after `'summary:`. It is parsed at the end, because it needs the names of the
    /// players.
    summary: Option<String>,
    statement: Option<StatedResult>,
    server: Option<StatedResult>,
    /// Whether the server said `#DRAW`.
    drawn: bool,
    /// The time of the first statement, or of the illegal last move.
    time_ms: Option<u64>,
}

impl ResultReader {
    /// Whether a `%` statement has ended the game.
    pub(super) fn has_statement(&self) -> bool {
        self.statement.is_some()
    }

    /// Reads a `%` statement. The first one counts, because servers log the client's statement
    /// before their own.
    pub(super) fn read_statement(&mut self, token: &str) {
        self.statement.get_or_insert_with(|| of_statement(token));
    }

    /// Reads the time after the end: of the illegal last move or of a statement. The first one
    /// counts.
    pub(super) fn read_time(&mut self, time_ms: u64) {
        self.time_ms.get_or_insert(time_ms);
    }

    /// Reads the text after `'*info` in a comment below the result: the exact time of the end.
    /// Returns `false` for other comments.
    pub(super) fn read_info(&mut self, text: &str) -> bool {
        let time_ms = read_info_of_end(text).filter(|_| self.has_statement() || self.own.is_some());
        self.time_ms = time_ms.or(self.time_ms);
        time_ms.is_some()
    }

    /// Reads a `#` line of a server. `#WIN` and `#LOSE` are ignored, because they do not name the
    /// player.
    pub(super) fn read_server(&mut self, token: &str) {
        self.drawn |= token == "#DRAW";
        if let Some(reason) = csa_server_reason(token) {
            self.server.get_or_insert_with(|| StatedResult::by(reason));
        }
    }

    pub(super) fn read_summary(&mut self, text: &str) {
        self.summary = Some(text.to_owned());
    }

    /// Reads the text after `'*result`. Returns `false` for a comment of another program.
    pub(super) fn read_own(&mut self, text: &str) -> bool {
        let own = StatedResult::of_own_text(text);
        let is_own = own.is_some();
        self.own = own.or_else(|| self.own.take());
        is_own
    }

    /// Sets the result of `game`, which has its players and ended in `position`. `illegal` is the
    /// text of an illegal last move.
    pub(super) fn conclude(self, game: &mut Game, position: &Position, illegal: Option<&str>) {
        let (is_exact, time_ms) = (self.own.is_some(), self.time_ms);
        let stated = self.stated(game);
        game.end(Ending { time_ms, ..StatedResult::conclude(stated, is_exact, position, illegal) }, position);
    }

    /// The most exact of the stated results.
    fn stated(self, game: &Game) -> Option<StatedResult> {
        if self.own.is_some() {
            return self.own;
        }
        let statement = match (self.statement, self.server) {
            // The server refused a declaration.
            (Some(declared), Some(answer))
                if declared.reason == Some(EndReason::Declaration) && answer.reason == Some(EndReason::IllegalMove) =>
            {
                Some(StatedResult::by(EndReason::FailedDeclaration))
            }
            (Some(statement), _) => Some(statement),
            (None, Some(answer)) => Some(answer),
            (None, None) if self.drawn => {
                Some(StatedResult { outcome: Some(GameOutcome::Draw), ..StatedResult::default() })
            }
            (None, None) => None,
        };
        self.summary.as_deref().and_then(|text| of_summary(text, game)).or(statement)
    }
}

/// The end reason in a `#` line of a CSA server: `#RESIGN`, `#TIME_UP` and others. `None` for lines
/// such as `#WIN` without a reason.
#[must_use]
pub fn csa_server_reason(line: &str) -> Option<EndReason> {
    Some(match line {
        "#RESIGN" => EndReason::Resignation,
        "#TIME_UP" => EndReason::Time,
        "#ILLEGAL_MOVE" | "#ILLEGAL_ACTION" => EndReason::IllegalMove,
        "#SENNICHITE" => EndReason::Sennichite,
        "#OUTE_SENNICHITE" => EndReason::PerpetualCheck,
        "#JISHOGI" => EndReason::Declaration,
        "#MAX_MOVES" => EndReason::MaxPlies,
        "#ABNORMAL" => EndReason::Forfeit,
        "#CHUDAN" => EndReason::Interrupted,
        _ => return None,
    })
}

const STATEMENTS: [(&str, EndReason); 9] = [
    ("%TORYO", EndReason::Resignation),
    ("%TSUMI", EndReason::Checkmate),
    ("%KACHI", EndReason::Declaration),
    ("%ILLEGAL_MOVE", EndReason::IllegalMove),
    ("%TIME_UP", EndReason::Time),
    ("%SENNICHITE", EndReason::Sennichite),
    ("%JISHOGI", EndReason::Impasse),
    ("%MAX_MOVES", EndReason::MaxPlies),
    ("%CHUDAN", EndReason::Interrupted),
];

pub(crate) fn of_statement(token: &str) -> StatedResult {
    if let Some(&(_, reason)) = STATEMENTS.iter().find(|(statement, _)| *statement == token) {
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
fn of_summary(text: &str, game: &Game) -> Option<StatedResult> {
    let (kind, results) = text.split_once(':')?;
    let reason = match kind {
        "toryo" => Some(EndReason::Resignation),
        "kachi" => Some(EndReason::Declaration),
        "illegal kachi" => Some(EndReason::FailedDeclaration),
        "illegal move" | "uchifuzume" | "oute_kaihimore" | "outori" => Some(EndReason::IllegalMove),
        "time up" => Some(EndReason::Time),
        "abnormal" => Some(EndReason::Forfeit),
        "sennichite" => Some(EndReason::Sennichite),
        "oute_sennichite" => Some(EndReason::PerpetualCheck),
        "max_moves" => Some(EndReason::MaxPlies),
        _ => None,
    };
    // "uchifuzume" and two others are more precise than the reason, so the remark keeps them.
    let exact = reason.is_some() && !matches!(kind, "uchifuzume" | "oute_kaihimore" | "outori");
    let remark = if exact { String::new() } else { one_line(kind) };
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
    let exact = STATEMENTS.iter().find(|(_, known)| Some(*known) == reason).map(|&(statement, _)| statement);
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
