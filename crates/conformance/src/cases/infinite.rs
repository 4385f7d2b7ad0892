//! `go infinite`.

use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{BARE_KINGS, MATE_IN_ONE, MATED, ONE_MOVE, Placement, START};
use crate::problem::Outcome;

/// An opening.
const OPENING: &str = "position startpos moves 7g7f 3c3d 2g2f";

/// Where every book knows a move.
const BOOK_POSITIONS: [&str; 3] = [START, "position startpos moves 7g7f", "position startpos moves 2g2f 8c8d"];

/// A case about one position.
const fn waits(name: &'static str, promise: &'static str, run: fn(&mut Context<'_>) -> Outcome) -> Case {
    Case {
        name,
        row: "go infinite",
        promise,
        why: "the GUI takes the answer for that to its next question, and every later answer is one behind",
        severity: Severity::Required,
        needs: Needs::Ready,
        run,
    }
}

pub(super) const CASES: &[Case] = &[
    waits("infinite", "no `bestmove` before `stop`", |context| until_stop(context, OPENING)),
    waits("infinite-book", "no `bestmove` before `stop` at the start of a game, where books know a move", |context| {
        BOOK_POSITIONS.iter().try_fold(None, |_, command| until_stop(context, command))
    }),
    waits("infinite-mated", "no `bestmove` before `stop` when the side to move is mated", |context| {
        until_stop(context, MATED)
    }),
    waits("infinite-one-move", "no `bestmove` before `stop` when there is one legal move", |context| {
        until_stop(context, ONE_MOVE)
    }),
    waits("infinite-mate-found", "no `bestmove` before `stop` when a mate is found", |context| {
        until_stop(context, MATE_IN_ONE)
    }),
    waits("infinite-deepest", "no `bestmove` before `stop` when nothing is left to search", |context| {
        until_stop(context, BARE_KINGS)
    }),
];

fn until_stop(context: &mut Context<'_>, command: &str) -> Outcome {
    let placement = Placement::new(command);
    context.with_ready(|session| {
        session.go(&placement, "go infinite");
        session.holds("came before `stop`")?;
        let (_, answer) = session.stop()?;
        session.is_legal(&placement, &answer)?;
        session.is_through()?;
        Ok(None)
    })
}
