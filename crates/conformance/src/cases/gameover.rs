//! `gameover`. Each case has a process of its own: an engine that does not know the word goes on searching.

use std::thread;

use crate::answer::SHORT;
use crate::case::{Case, Needs, Severity};
use crate::placement::{Placement, START};
use crate::problem::{Outcome, Problem};
use crate::session::Session;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "gameover-in-ponder",
        row: "gameover",
        promise: "`gameover` without `stop` ends pondering; nothing of it comes in the next game",
        why: "the opponent resigned while the engine was pondering: the next game begins with an answer nobody has asked for",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| next_game(&mut context.fresh_pondering()?, "go ponder btime 0 wtime 0 byoyomi 100"),
    },
    Case {
        name: "gameover-in-search",
        row: "gameover",
        promise: "`gameover` without `stop` ends a search; nothing of it comes in the next game",
        why: "a game may be broken off while the engine thinks",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            let mut session = context.fresh()?;
            next_game(&mut session, "go infinite")?;
            next_game(&mut session, "go btime 60000 wtime 60000 byoyomi 10000")
        },
    },
    Case {
        name: "gameover-after-stop",
        row: "gameover",
        promise: "`gameover` right after `stop`: nothing comes in the next game",
        why: "ShogiHome sends both at once",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| gameover_after_stop(&mut context.fresh()?),
    },
    Case {
        name: "gameover-silent",
        row: "gameover",
        promise: "after `gameover` without `stop` no `bestmove` is told, neither by a search nor by pondering",
        why: "a program that counts answers takes it for one",
        severity: Severity::Recommended,
        needs: Needs::Ready,
        run: |context| context.searching_and_pondering(is_silent),
    },
];

/// Breaks off a search by `gameover`, and plays another game.
fn next_game(session: &mut Session, go: &str) -> Outcome {
    let placement = Placement::new("position startpos moves 7g7f 3c3d");
    for result in ["win", "draw"] {
        session.go(&placement, go);
        thread::sleep(session.settings().silence / 10);
        session.say(&format!("gameover {result}"));
        another_game(session)?;
    }
    Ok(None)
}

/// What comes before `readyok` belongs to the game before.
fn another_game(session: &mut Session) -> Result<(), Problem> {
    let start = Placement::new("position startpos moves 2g2f");
    session.ready()?;
    session.say("usinewgame");
    session.without(&["bestmove"], session.settings().silence / 4, "came in the next game, without a `go`")?;
    session.think_legally(&start, SHORT)?;
    session.without(&["bestmove"], session.settings().silence / 10, "came after the answer")?;
    Ok(())
}

fn gameover_after_stop(session: &mut Session) -> Outcome {
    for go in ["go infinite", SHORT] {
        session.go(&Placement::new(START), go);
        thread::sleep(session.settings().silence / 10);
        session.say("stop\ngameover lose");
        another_game(session)?;
    }
    Ok(None)
}

fn is_silent(mut session: Session, go: &str) -> Outcome {
    session.go(&Placement::new(START), go);
    thread::sleep(session.settings().silence / 10);
    session.say("gameover win");
    session.without(&["bestmove"], session.settings().silence / 2, "came after `gameover`")?;
    Ok(None)
}
