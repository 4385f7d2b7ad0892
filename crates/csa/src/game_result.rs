//! The lines with which a server ends a game, and the result that they state.

use kiki_board::Color;
use kiki_record::{EndReason, GameEnd, GameOutcome};
use kiki_usi::GameResult;

use crate::protocol::{ResultLine, ServerLine};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CsaResultReader {
    reason: Option<EndReason>,
    declared: bool,
    resigned: bool,
}

impl CsaResultReader {
    /// Reads a line before the last: a statement of a player, or why the game is over. The first
    /// reason counts.
    pub(crate) fn read(&mut self, line: &ServerLine) {
        match line {
            ServerLine::Statement { word, .. } => {
                self.declared |= word == "%KACHI";
                self.resigned |= word == "%TORYO";
            }
            ServerLine::Reason(reason) => {
                self.reason.get_or_insert(*reason);
            }
            _ => {}
        }
    }

    /// The end of a game in which this client played `side`.
    pub(crate) fn end(&self, line: ResultLine, side: Color) -> GameEnd {
        let reason = match self.reason {
            Some(EndReason::IllegalMove) if self.declared => EndReason::FailedDeclaration,
            Some(reason) => reason,
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

    /// The end of a game whose connection is lost. The result counts if the lines so far settle it.
    /// The side to move is then the one that resigns, declares or has no time left. Otherwise the
    /// game has no result.
    pub(crate) fn broken_off(&self, to_move: Option<Color>) -> GameEnd {
        let win = |reason| to_move.map(|side| GameEnd::win_of(side, reason));
        let loss = |reason| to_move.map(|side| GameEnd::loss_of(side, reason));
        let settled = match self.reason {
            Some(EndReason::Resignation) if self.resigned => loss(EndReason::Resignation),
            Some(EndReason::Time) => loss(EndReason::Time),
            Some(EndReason::Declaration) if self.declared => win(EndReason::Declaration),
            Some(EndReason::IllegalMove) if self.declared => loss(EndReason::FailedDeclaration),
            Some(EndReason::Sennichite) => Some(GameEnd::draw(EndReason::Sennichite)),
            Some(EndReason::MaxPlies) => Some(GameEnd::draw(EndReason::MaxPlies)),
            _ => None,
        };
        settled.unwrap_or(GameEnd { outcome: GameOutcome::Unknown, reason: EndReason::Interrupted })
    }
}

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
    fn a_game_that_is_broken_off_has_the_result_that_was_settled_before() {
        use GameOutcome::{BlackWins, Draw, Unknown, WhiteWins};
        let none = (Unknown, EndReason::Interrupted);
        for (said, reason, expected) in [
            ("%TORYO", Some(EndReason::Resignation), (WhiteWins, EndReason::Resignation)),
            ("", Some(EndReason::Time), (WhiteWins, EndReason::Time)),
            ("%KACHI", Some(EndReason::Declaration), (BlackWins, EndReason::Declaration)),
            ("%KACHI", Some(EndReason::IllegalMove), (WhiteWins, EndReason::FailedDeclaration)),
            ("", Some(EndReason::Sennichite), (Draw, EndReason::Sennichite)),
            ("", Some(EndReason::MaxPlies), (Draw, EndReason::MaxPlies)),
            // The lines do not say whose connection was lost, who gave check, and whose move was
            // illegal.
            ("", Some(EndReason::Resignation), none),
            ("", Some(EndReason::PerpetualCheck), none),
            ("", Some(EndReason::Forfeit), none),
            ("", Some(EndReason::IllegalMove), none),
            ("%TORYO", None, none),
        ] {
            let mut reader = CsaResultReader::default();
            reader.read(&ServerLine::Statement { word: said.to_owned(), time: None });
            reason.into_iter().for_each(|reason| reader.read(&ServerLine::Reason(reason)));
            let end = reader.broken_off(Some(Color::Black));
            assert_eq!((end.outcome, end.reason), expected, "{said} {reason:?}");
            assert!(expected.0.winner().is_none() || reader.broken_off(None).outcome == Unknown);
        }
    }
}
