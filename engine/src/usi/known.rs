//! What is known at once about a position whose answer has to wait: an infinite search, or pondering. Clients listen now, and no more after `stop`.

use std::time::Duration;

use kiki_board::{DeclarationVerdict, Move, Position};
use kiki_usi::{Info, UsiScore};

use super::session::UsiSession;

impl UsiSession {
    /// Tells the line that a rule decides, else the moves of the book, for which is waited at most so long; `None` for no book. The search goes on all the
    /// same: who analyses wants to see it too.
    pub(super) fn tell_what_is_known(&mut self, position: &Position, patience: Option<Duration>) {
        // A search in progress has to answer first.
        self.finish();
        if let Some((plies, line)) = self.decided(position) {
            self.output.print(Info {
                depth: Some(0),
                seldepth: Some(1),
                multipv: Some(1),
                score: Some(UsiScore::mate(plies)),
                nodes: Some(0),
                time_ms: Some(0),
                pv: line.into_iter().map(|mv| mv.to_string()).collect(),
                ..Info::default()
            });
        } else if patience.is_some() {
            let candidates = self.book_candidates(position, patience);
            self.report_book_candidates(position, &candidates);
        }
    }

    /// The end of the game in this position, as plies to mate with the move that makes it: a declaration, a try, or mate. A declaration is no move.
    fn decided(&self, position: &Position) -> Option<(i32, Option<Move>)> {
        match position.declaration(self.settings.search.rules.declaration) {
            DeclarationVerdict::Win => Some((1, None)),
            DeclarationVerdict::WinBy(mv) => Some((1, Some(mv))),
            DeclarationVerdict::No | DeclarationVerdict::Draw => {
                position.legal_moves().is_empty().then_some((-1, None))
            }
        }
    }
}
