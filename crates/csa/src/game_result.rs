//! The lines with which a server ends a game, and the result that they state.

use kiki_board::Color;
use kiki_record::{EndReason, GameEnd, GameOutcome};
use kiki_usi::GameResult;

use crate::protocol::{ReasonLine, ResultLine};

/// Collects the lines of a game's end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ResultReader {
    reason: Option<ReasonLine>,
    declared: bool,
    resigned: bool,
}

impl ResultReader {
    /// Reads a statement of a player, such as `%KACHI` or `%TORYO`.
    pub(crate) fn statement(&mut self, word: &str) {
        self.declared |= word == "%KACHI";
        self.resigned |= word == "%TORYO";
    }

    /// Reads why the game is over. The first reason counts.
    pub(crate) fn reason(&mut self, line: ReasonLine) {
        self.reason.get_or_insert(line);
    }

    /// The end of a game in which this client played `side`.
    pub(crate) fn end(&self, line: ResultLine, side: Color) -> GameEnd {
        let reason = match self.reason {
            Some(ReasonLine::Resign) => EndReason::Resignation,
            Some(ReasonLine::TimeUp) => EndReason::Time,
            Some(ReasonLine::IllegalMove) if self.declared => EndReason::FailedDeclaration,
            Some(ReasonLine::IllegalMove | ReasonLine::IllegalAction) => EndReason::IllegalMove,
            Some(ReasonLine::Sennichite) => EndReason::Sennichite,
            Some(ReasonLine::OuteSennichite) => EndReason::PerpetualCheck,
            Some(ReasonLine::Jishogi) => EndReason::Declaration,
            Some(ReasonLine::MaxMoves) => EndReason::MaxPlies,
            Some(ReasonLine::Abnormal) => EndReason::Forfeit,
            None if line == ResultLine::Chudan => EndReason::Interrupted,
            None => EndReason::Adjudication,
        };
        let outcome = match line {
            ResultLine::Win => GameOutcome::win_of(side),
            ResultLine::Lose => GameOutcome::win_of(side.flip()),
            ResultLine::Draw => GameOutcome::Draw,
            // A game that grew too long is a draw, although the server calls it censored.
            ResultLine::Censored if reason == EndReason::MaxPlies => GameOutcome::Draw,
            ResultLine::Censored | ResultLine::Chudan => GameOutcome::Unknown,
        };
        GameEnd { outcome, reason }
    }

    /// The end of a game whose connection is lost. The result counts if the lines so far settle it, with the side to move as the one that
    /// resigns, declares or has no time left. Otherwise the game has no result.
    pub(crate) fn broken_off(&self, to_move: Option<Color>) -> GameEnd {
        let win = |reason| to_move.map(|side| GameEnd::win_of(side, reason));
        let loss = |reason| to_move.map(|side| GameEnd::loss_of(side, reason));
        let settled = match self.reason {
            Some(ReasonLine::Resign) if self.resigned => loss(EndReason::Resignation),
            Some(ReasonLine::TimeUp) => loss(EndReason::Time),
            Some(ReasonLine::Jishogi) if self.declared => win(EndReason::Declaration),
            Some(ReasonLine::IllegalMove) if self.declared => loss(EndReason::FailedDeclaration),
            Some(ReasonLine::Sennichite) => Some(GameEnd::draw(EndReason::Sennichite)),
            Some(ReasonLine::MaxMoves) => Some(GameEnd::draw(EndReason::MaxPlies)),
            _ => None,
        };
        settled.unwrap_or(GameEnd { outcome: GameOutcome::Unknown, reason: EndReason::Interrupted })
    }
}

/// The result for the engine. USI has only a win, a loss and a draw.
pub(crate) fn for_engine(outcome: GameOutcome, side: Color) -> GameResult {
    match outcome.winner() {
        Some(winner) if winner == side => GameResult::Win,
        Some(_) => GameResult::Lose,
        None => GameResult::Draw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_lines_is_understood() {
        use GameOutcome::{BlackWins, Draw, Unknown, WhiteWins};
        for (reason, line, outcome, expected) in [
            (Some(ReasonLine::Resign), ResultLine::Win, BlackWins, EndReason::Resignation),
            (Some(ReasonLine::TimeUp), ResultLine::Lose, WhiteWins, EndReason::Time),
            (Some(ReasonLine::IllegalMove), ResultLine::Lose, WhiteWins, EndReason::IllegalMove),
            (Some(ReasonLine::IllegalAction), ResultLine::Win, BlackWins, EndReason::IllegalMove),
            (Some(ReasonLine::Sennichite), ResultLine::Draw, Draw, EndReason::Sennichite),
            (Some(ReasonLine::OuteSennichite), ResultLine::Win, BlackWins, EndReason::PerpetualCheck),
            (Some(ReasonLine::Jishogi), ResultLine::Win, BlackWins, EndReason::Declaration),
            (Some(ReasonLine::MaxMoves), ResultLine::Censored, Draw, EndReason::MaxPlies),
            (Some(ReasonLine::Abnormal), ResultLine::Win, BlackWins, EndReason::Forfeit),
            (None, ResultLine::Censored, Unknown, EndReason::Adjudication),
            (None, ResultLine::Chudan, Unknown, EndReason::Interrupted),
        ] {
            let mut reader = ResultReader::default();
            reason.into_iter().for_each(|reason| reader.reason(reason));
            assert_eq!(reader.end(line, Color::Black), GameEnd { outcome, reason: expected }, "{reason:?} {line:?}");
        }
    }

    #[test]
    fn a_game_that_is_broken_off_has_the_result_that_was_settled_before() {
        use GameOutcome::{BlackWins, Draw, Unknown, WhiteWins};
        let none = (Unknown, EndReason::Interrupted);
        for (said, reason, expected) in [
            ("%TORYO", Some(ReasonLine::Resign), (WhiteWins, EndReason::Resignation)),
            ("", Some(ReasonLine::TimeUp), (WhiteWins, EndReason::Time)),
            ("%KACHI", Some(ReasonLine::Jishogi), (BlackWins, EndReason::Declaration)),
            ("%KACHI", Some(ReasonLine::IllegalMove), (WhiteWins, EndReason::FailedDeclaration)),
            ("", Some(ReasonLine::Sennichite), (Draw, EndReason::Sennichite)),
            ("", Some(ReasonLine::MaxMoves), (Draw, EndReason::MaxPlies)),
            // The lines do not say whose connection was lost, who gave check, and whose move was illegal.
            ("", Some(ReasonLine::Resign), none),
            ("", Some(ReasonLine::OuteSennichite), none),
            ("", Some(ReasonLine::Abnormal), none),
            ("", Some(ReasonLine::IllegalMove), none),
            ("%TORYO", None, none),
        ] {
            let mut reader = ResultReader::default();
            reader.statement(said);
            reason.into_iter().for_each(|reason| reader.reason(reason));
            let end = reader.broken_off(Some(Color::Black));
            assert_eq!((end.outcome, end.reason), expected, "{said} {reason:?}");
            assert!(expected.0.winner().is_none() || reader.broken_off(None).outcome == Unknown);
        }
    }

    #[test]
    fn an_illegal_move_after_a_declaration_is_a_false_one() {
        let mut reader = ResultReader::default();
        reader.statement("%KACHI");
        reader.reason(ReasonLine::IllegalMove);
        reader.reason(ReasonLine::Resign);
        let end = reader.end(ResultLine::Lose, Color::White);
        assert_eq!(end, GameEnd { outcome: GameOutcome::BlackWins, reason: EndReason::FailedDeclaration });
        assert_eq!(for_engine(end.outcome, Color::White), GameResult::Lose);
        assert_eq!(for_engine(GameOutcome::Unknown, Color::White), GameResult::Draw);
    }
}
