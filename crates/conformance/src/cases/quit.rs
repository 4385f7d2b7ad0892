//! `gameover`, `quit` and the end of the input.

use std::thread;
use std::time::Duration;

use crate::check::{Case, Needs, Run};
use crate::context::Context;
use crate::placement::{Placement, START};
use crate::session::{PONDER, SHORT, Session};
use crate::settings::{Outcome, Problem};

pub(super) const GAMEOVER_CASES: &[Case] = &[
    Case::required(
        "gameover-in-ponder",
        "gameover",
        "`gameover` without `stop` ends pondering; nothing of it comes in the next game",
        "the opponent resigned while the engine was pondering: the next game begins with an answer nobody has asked for",
        Run::Free(Needs::Ready, |context| {
            next_game(&mut context.fresh_pondering()?, "go ponder btime 0 wtime 0 byoyomi 100")
        }),
    ),
    Case::required(
        "gameover-in-search",
        "gameover",
        "`gameover` without `stop` ends a search; nothing of it comes in the next game",
        "a game may be broken off while the engine thinks",
        Run::New(|mut session| {
            next_game(&mut session, "go infinite")?;
            next_game(&mut session, "go btime 60000 wtime 60000 byoyomi 10000")
        }),
    ),
    Case::required(
        "gameover-after-stop",
        "gameover",
        "`gameover` right after `stop`: nothing comes in the next game",
        "ShogiHome sends both at once",
        Run::New(gameover_after_stop),
    ),
    Case::recommended(
        "gameover-silent",
        "gameover",
        "after `gameover` without `stop` no `bestmove` is told, neither by a search nor by pondering",
        "a program that counts answers takes it for one",
        Run::Free(Needs::Ready, |context| context.searching_and_pondering(is_silent)),
    ),
];

/// Ends a search with `gameover`, then plays the next game.
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

/// Lines before `readyok` belong to the previous game.
fn another_game(session: &mut Session) -> Result<(), Problem> {
    let start = Placement::new("position startpos moves 2g2f");
    session.ready()?;
    session.say("usinewgame");
    session.without(&["bestmove"], session.settings().silence / 4, "came in the next game, without a `go`")?;
    session.think_legally(&start, SHORT)?;
    session.without(&["bestmove"], session.settings().silence / 10, "came after the answer")?;
    Ok(())
}

fn gameover_after_stop(mut session: Session) -> Outcome {
    for go in ["go infinite", SHORT] {
        session.go(&Placement::new(START), go);
        thread::sleep(session.settings().silence / 10);
        session.say("stop\ngameover lose");
        another_game(&mut session)?;
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

/// GUIs kill an engine that takes longer, or leave it behind.
const QUIT_TIME: Duration = Duration::from_secs(1);

pub(super) const CASES: &[Case] = &[
    Case::required(
        "quit",
        "quit",
        "`quit` after a game ends the engine within 1 s, with status 0",
        "GUIs wait, then kill it and report a crash",
        Run::New(|mut session| {
            session.think(&Placement::new(START), SHORT)?;
            quits(session)
        }),
    ),
    Case::required(
        "quit-in-search",
        "quit",
        "`quit` ends a search within 1 s, with status 0",
        "users close the window in mid-game",
        Run::New(|session| quits(after_go(session, "go infinite"))),
    ),
    Case::required(
        "quit-in-ponder",
        "quit",
        "`quit` ends pondering within 1 s, with status 0",
        "users close the window in mid-game",
        Run::Free(Needs::Ready, |context| quits(after_go(context.fresh_pondering()?, PONDER))),
    ),
    Case::expected(
        "quit-while-loading",
        "quit",
        "`quit` 0 to 100 ms after `isready` ends the engine within 1 s, with status 0",
        "users change their mind",
        Run::Free(Needs::Ready, quit_while_loading),
    ),
    Case::recommended(
        "quit-silent",
        "quit",
        "no `bestmove` is told after `quit` in mid-search or while pondering",
        "a program that still reads takes it for an answer",
        Run::Free(Needs::Ready, |context| context.searching_and_pondering(quits_silently)),
    ),
    Case::required(
        "input-end",
        "end of input",
        "the end of the input ends an idle engine within 1 s",
        "the GUI has crashed: the process stays for ever",
        Run::New(|mut session| {
            session.think(&Placement::new(START), SHORT)?;
            ends_with_its_input(session)
        }),
    ),
    Case::required(
        "input-end-in-search",
        "end of input",
        "the end of the input ends a search without limits, and the engine within 1 s",
        "the GUI has crashed: the process takes all processors for ever",
        Run::New(|session| ends_with_its_input(after_go(session, "go infinite"))),
    ),
    Case::required(
        "input-end-in-ponder",
        "end of input",
        "the end of the input ends pondering, and the engine within 1 s",
        "the GUI has crashed: the process takes all processors for ever",
        Run::Free(Needs::Ready, |context| ends_with_its_input(after_go(context.fresh_pondering()?, PONDER))),
    ),
    Case::required(
        "input-end-while-loading",
        "end of input",
        "the end of the input right after `isready` ends the engine within 1 s",
        "the GUI has crashed: the process stays for ever",
        Run::Free(Needs::Ready, |context| {
            let mut session = context.introduced()?;
            session.say("isready");
            ends_with_its_input(session)
        }),
    ),
];

/// An engine that has searched for a while.
fn after_go(mut session: Session, go: &str) -> Session {
    session.go(&Placement::new(START), go);
    thread::sleep(session.settings().silence / 5);
    session
}

fn quits(mut session: Session) -> Outcome {
    let took = session.quits()?;
    session.in_time("the engine ended", took, QUIT_TIME)
}

/// Every pause gets a new process: a second loading may be much shorter than the first.
fn quit_while_loading(context: &mut Context<'_>) -> Outcome {
    let mut times = Vec::new();
    for pause in [0, 20, 100] {
        let mut session = context.introduced()?;
        session.say("isready");
        thread::sleep(Duration::from_millis(pause));
        times.extend(quits(session)?);
    }
    Ok(Some(times.join(", ")))
}

fn quits_silently(mut session: Session, go: &str) -> Outcome {
    session.go(&Placement::new(START), go);
    session.holds("came before `stop`")?;
    session.quit()?;
    let lines = session.last_lines();
    session.none_of(&["bestmove"], &lines, "came after `quit`")?;
    Ok(None)
}

/// Closes the input. The engine may exit with any status, but not by a signal.
fn ends_with_its_input(mut session: Session) -> Outcome {
    session.close_input();
    let (status, took) = session.wait_for_end(session.settings().timeout)?;
    if status.and_then(|status| status.code()).is_none() {
        return Err(session.failed("it crashes"));
    }
    session.in_time("the engine ended", took, QUIT_TIME)
}
