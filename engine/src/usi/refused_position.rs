//! What is said while the last `position` could not be set up. Nothing is told about the position before it: a GUI would show that for the one on its
//! board, and a move of another position may be illegal there.

use kiki_usi::{BestMove, CheckmateReply, GoSpec};

use super::session::{HeldResignation, UsiSession};

impl UsiSession {
    /// A `position` is refused, which is told.
    pub(super) fn refuse_position(&mut self, reason: impl std::fmt::Display) {
        self.warn(&reason);
        self.refused_position = Some(reason.to_string());
    }

    /// Whether there is a position; if not, a line says why.
    pub(super) fn has_position(&self) -> bool {
        if let Some(reason) = &self.refused_position {
            self.warn(format_args!("no position is set up: {reason}"));
        }
        self.refused_position.is_none()
    }

    /// Answers a `go` without a position. Nothing is claimed about a mate, and nobody waits for a move after `perft`.
    pub(super) fn go_without_position(&mut self, spec: &GoSpec) {
        // A search in progress has to answer first.
        self.stop();
        if spec.mate.is_some() {
            self.output.print(CheckmateReply::Timeout);
        } else if spec.infinite {
            self.held_resignation = Some(HeldResignation::Infinite);
        } else if spec.ponder {
            self.held_resignation = Some(HeldResignation::Pondering);
        } else if spec.perft.is_none() {
            self.output.print(BestMove::Resign);
        }
    }

    /// Gives an answer that has waited, if there is one.
    pub(super) fn release_resignation(&mut self) {
        if self.held_resignation.take().is_some() {
            self.output.print(BestMove::Resign);
        }
    }
}
