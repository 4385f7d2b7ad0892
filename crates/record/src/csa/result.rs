//! The result of a game in CSA: `%` statements, the server's `#` lines, floodgate's `'summary:` and Kiki's `'*result`.

use std::fmt::Write as _;

use kiki_board::Position;

use crate::ending::{Outcome, Reason, perpetual_check};
use crate::game::Game;
use crate::text::{one_line, one_line_without_commas};

/// Written for a reason that is not known.
const UNKNOWN: &str = "unknown";

/// The result that one line of a record states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct StatedResult {
    /// `None` if it follows from the reason.
    outcome: Option<Outcome>,
    reason: Option<Reason>,
    remark: String,
}

impl StatedResult {
    fn by(reason: Reason) -> Self {
        Self { reason: Some(reason), ..Self::default() }
    }

    fn outcome(&self, position: &Position) -> Outcome {
        let by_rule = || self.reason.map_or(Outcome::Unknown, |reason| reason.outcome(position));
        self.outcome.unwrap_or_else(by_rule)
    }
}

/// Collects the results that the lines of a record state.
#[derive(Default)]
pub(super) struct ResultReader {
    /// From Kiki's own comment, which is complete.
    own: Option<StatedResult>,
    /// The text after `'summary:`. It is read at the end, when the players' names are known.
    summary: Option<String>,
    statement: Option<StatedResult>,
    server: Option<StatedResult>,
    /// The server said `#DRAW`.
    drawn: bool,
}

impl ResultReader {
    /// Whether a `%` statement has ended the game.
    pub(super) fn has_statement(&self) -> bool {
        self.statement.is_some()
    }

    /// Reads a `%` statement. The first one counts: servers log the client's statement first and then their own.
    pub(super) fn read_statement(&mut self, token: &str) {
        self.statement.get_or_insert_with(|| of_statement(token));
    }

    /// Reads a `#` line of a server. `#WIN` and `#LOSE` are from the view of an unnamed player and say nothing.
    pub(super) fn read_server(&mut self, token: &str) {
        self.drawn |= token == "#DRAW";
        let reason = match token {
            "#RESIGN" => Reason::Resignation,
            "#TIME_UP" => Reason::Time,
            "#ILLEGAL_MOVE" => Reason::IllegalMove,
            "#SENNICHITE" => Reason::Sennichite,
            "#OUTE_SENNICHITE" => Reason::PerpetualCheck,
            "#JISHOGI" => Reason::Declaration,
            "#MAX_MOVES" => Reason::MaxPlies,
            "#CHUDAN" => Reason::Interrupted,
            _ => return,
        };
        self.server.get_or_insert_with(|| StatedResult::by(reason));
    }

    pub(super) fn read_summary(&mut self, text: &str) {
        self.summary = Some(text.to_owned());
    }

    /// Reads the text after `'*result`. If it is not of Kiki's form, it is another program's comment and ignored.
    pub(super) fn read_own(&mut self, text: &str) {
        let (words, remark) = text.split_once(": ").unwrap_or((text, ""));
        let mut words = words.split_ascii_whitespace();
        let (Some(outcome), Some(name), None) = (words.next(), words.next(), words.next()) else { return };
        let (Some(outcome), reason) = (Outcome::from_name(outcome), Reason::from_name(name)) else { return };
        if reason.is_none() && name != UNKNOWN {
            return;
        }
        self.own = Some(StatedResult { outcome: Some(outcome), reason, remark: remark.trim().to_owned() });
    }

    /// Sets the result of `game`, whose players' names are known and which ended in `position`. `illegal` is a last move that was illegal.
    pub(super) fn conclude(self, game: &mut Game, position: &Position, illegal: Option<&str>) {
        let is_exact = self.own.is_some();
        let result = match self.stated(game) {
            Some(result) => result,
            // Without legal moves the game is over, even if the record does not say so.
            None if illegal.is_none() && position.count_legal_moves() == 0 => StatedResult::by(Reason::Checkmate),
            None => StatedResult::default(),
        };
        game.outcome = result.outcome(position);
        game.reason = result.reason;
        game.remark = result.remark;
        if is_exact || game.reason != Some(Reason::IllegalMove) || !game.remark.is_empty() {
            return;
        }
        match illegal {
            Some(token) => token.clone_into(&mut game.remark),
            // CSA counts perpetual check among the illegal acts; the board shows which it was.
            None if game.outcome != Outcome::Unknown && perpetual_check(position) == game.outcome => {
                game.reason = Some(Reason::PerpetualCheck);
            }
            None => {}
        }
    }

    /// The most exact of the stated results; `None` if there is none.
    fn stated(self, game: &Game) -> Option<StatedResult> {
        if self.own.is_some() {
            return self.own;
        }
        let statement = match (self.statement, self.server) {
            // The server's answer to a declaration that it refuses.
            (Some(declared), Some(answer))
                if declared.reason == Some(Reason::Declaration) && answer.reason == Some(Reason::IllegalMove) =>
            {
                Some(StatedResult::by(Reason::FailedDeclaration))
            }
            (Some(statement), _) => Some(statement),
            (None, Some(answer)) => Some(answer),
            (None, None) if self.drawn => {
                Some(StatedResult { outcome: Some(Outcome::Draw), ..StatedResult::default() })
            }
            (None, None) => None,
        };
        self.summary.as_deref().and_then(|text| of_summary(text, game)).or(statement)
    }
}

/// The result that a `%` statement states.
fn of_statement(token: &str) -> StatedResult {
    let stated = |outcome, reason| StatedResult { outcome: Some(outcome), reason, remark: String::new() };
    match token {
        "%TORYO" => StatedResult::by(Reason::Resignation),
        "%TSUMI" => StatedResult::by(Reason::Checkmate),
        "%KACHI" => StatedResult::by(Reason::Declaration),
        "%ILLEGAL_MOVE" => StatedResult::by(Reason::IllegalMove),
        "%TIME_UP" => StatedResult::by(Reason::Time),
        "%SENNICHITE" => StatedResult::by(Reason::Sennichite),
        "%JISHOGI" => StatedResult::by(Reason::Impasse),
        "%MAX_MOVES" => StatedResult::by(Reason::MaxPlies),
        "%CHUDAN" => StatedResult::by(Reason::Interrupted),
        "%+ILLEGAL_ACTION" => stated(Outcome::WhiteWins, Some(Reason::IllegalMove)),
        "%-ILLEGAL_ACTION" => stated(Outcome::BlackWins, Some(Reason::IllegalMove)),
        "%HIKIWAKE" => stated(Outcome::Draw, None),
        // Such as %MATTA, %FUZUMI and %ERROR, which do not tell who won.
        _ => StatedResult { remark: one_line(token), ..StatedResult::default() },
    }
}

/// Reads `toryo:A lose:B win`, where A and B are the players in any order.
fn of_summary(text: &str, game: &Game) -> Option<StatedResult> {
    let (kind, results) = text.split_once(':')?;
    let reason = match kind {
        "toryo" => Some(Reason::Resignation),
        "kachi" => Some(Reason::Declaration),
        "illegal kachi" => Some(Reason::FailedDeclaration),
        "illegal move" | "uchifuzume" | "oute_kaihimore" | "outori" => Some(Reason::IllegalMove),
        "time up" => Some(Reason::Time),
        "abnormal" => Some(Reason::Forfeit),
        "sennichite" => Some(Reason::Sennichite),
        "oute_sennichite" => Some(Reason::PerpetualCheck),
        "max_moves" => Some(Reason::MaxPlies),
        _ => None,
    };
    // "uchifuzume" and two others are more precise than the reason, so they are kept as the remark.
    let exact = reason.is_some() && !matches!(kind, "uchifuzume" | "oute_kaihimore" | "outori");
    let remark = if exact { String::new() } else { one_line(kind) };
    Some(StatedResult { outcome: summary_outcome(results, game), reason, remark })
}

/// The outcome of `A lose:B win`, unless the names do not tell who is who.
fn summary_outcome(results: &str, game: &Game) -> Option<Outcome> {
    let [black, white] = [&game.black, &game.white];
    let players = |a: &str, b: &str| {
        results == format!("{black} {a}:{white} {b}") || results == format!("{white} {b}:{black} {a}")
    };
    if players("draw", "draw") {
        return Some(Outcome::Draw);
    }
    if black == white {
        return None;
    }
    let won = players("win", "lose").then_some(Outcome::BlackWins);
    won.or_else(|| players("lose", "win").then_some(Outcome::WhiteWins))
}

/// Writes the `%` statement, if there is one to write, and the exact result as a comment.
pub(super) fn write_result(out: &mut String, game: &Game, position: &Position) {
    if let Some(statement) = statement(game, position) {
        out.push_str(statement);
        out.push('\n');
    }
    if game.outcome == Outcome::Unknown && game.reason.is_none() && game.remark.is_empty() {
        return;
    }
    let reason = game.reason.map_or(UNKNOWN, Reason::name);
    let _ = write!(out, "'*result {} {reason}", game.outcome);
    let remark = one_line_without_commas(&game.remark);
    if !remark.is_empty() {
        let _ = write!(out, ": {remark}");
    }
    out.push('\n');
}

/// The statement of the reason if readers get the right result from it here, else one from which they do: an engine may crash when it
/// is not to move, and CSA has no statement for an adjudicated win.
fn statement(game: &Game, position: &Position) -> Option<&'static str> {
    let exact = game.reason.and_then(|reason| match reason {
        // The standard has `%TSUMI` for checkmate, but python-cshogi takes that for a draw; every reader knows who resigned, and our
        // own comment keeps the difference.
        Reason::Resignation | Reason::Checkmate | Reason::Adjudication => Some("%TORYO"),
        Reason::Declaration => Some("%KACHI"),
        Reason::FailedDeclaration | Reason::IllegalMove => Some("%ILLEGAL_MOVE"),
        Reason::Time => Some("%TIME_UP"),
        Reason::Sennichite => Some("%SENNICHITE"),
        Reason::Impasse => Some("%JISHOGI"),
        Reason::MaxPlies => Some("%MAX_MOVES"),
        Reason::Interrupted => Some("%CHUDAN"),
        Reason::PerpetualCheck | Reason::Forfeit => None,
    });
    let general = match (game.outcome, game.reason) {
        (Outcome::BlackWins, _) => Some("%-ILLEGAL_ACTION"),
        (Outcome::WhiteWins, _) => Some("%+ILLEGAL_ACTION"),
        // A declaration under the 24-point rule may draw.
        (Outcome::Draw, Some(Reason::Declaration)) => Some("%JISHOGI"),
        (Outcome::Draw, _) => Some("%HIKIWAKE"),
        (Outcome::Unknown, Some(_)) => Some("%CHUDAN"),
        (Outcome::Unknown, None) => None,
    };
    exact.filter(|statement| of_statement(statement).outcome(position) == game.outcome).or(general)
}
