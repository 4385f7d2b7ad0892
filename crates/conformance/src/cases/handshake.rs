//! `usi`, how GUIs register an engine, `isready` and `usinewgame`.

use std::time::{Duration, Instant};

use crate::check::{NamedRun, Needs, Run};
use crate::context::CaseContext;
use crate::placement::{CasePosition, START};
use crate::session::{EngineSession, Errors, SHORT, milliseconds};
use crate::settings::{Outcome, Problem};

/// GUIs give up after 2 to 10 seconds.
const HANDSHAKE_TIME: Duration = Duration::from_secs(2);

/// GUIs start, ask and end an engine while a dialog waits.
const QUIT_TIME: Duration = Duration::from_millis(100);

pub(super) const RUNS: &[NamedRun] = &[
    ("handshake", Run::Free(Needs::Start, handshake)),
    ("handshake-time", Run::Free(Needs::Handshake, handshake_time)),
    ("handshake-quit", Run::Free(Needs::Handshake, handshake_quit)),
    ("other-directory", Run::Free(Needs::Ready, other_directory)),
    ("ready", Run::Free(Needs::Handshake, ready)),
    ("ready-repeated", Run::Ready(ready_repeated)),
    ("ready-after-gameover", Run::Ready(ready_after_gameover)),
    ("ready-in-search", Run::Ready(ready_in_search)),
    ("game-start-orders", Run::Ready(game_start_orders)),
    ("game-start-time", Run::Ready(game_start_time)),
    ("go-while-loading", Run::Free(Needs::Ready, go_while_loading)),
];

fn handshake(context: &mut CaseContext<'_>) -> Outcome {
    let mut session = context.process(Errors::Read)?;
    session.say("usi");
    let lines = session.until("usiok", context.settings.timeout)?;
    for word in ["id name", "id author"] {
        if !lines.iter().any(|line| line.is(word)) {
            return Err(session.failed(format!("no `{word}` before `usiok`")));
        }
    }
    if lines.iter().skip_while(|line| !line.is("option")).any(|line| line.is("id")) {
        return Err(session.failed("`id` comes after the first `option`"));
    }
    let lines = session.without(&["id", "option", "usiok"], context.settings.silence / 2, "came after `usiok`")?;
    session.none_of(&["readyok", "bestmove"], &lines, "came without a question")?;
    Ok(None)
}

fn handshake_time(context: &mut CaseContext<'_>) -> Outcome {
    let start = Instant::now();
    let mut session = context.process(Errors::Read)?;
    session.handshake()?;
    session.in_time("`usiok` came", start.elapsed(), HANDSHAKE_TIME)
}

fn handshake_quit(context: &mut CaseContext<'_>) -> Outcome {
    // A busy machine may delay an answer, so the best of three counts.
    let (mut best, mut session) = registered(context)?;
    for _ in 0..2 {
        let (took, next) = registered(context)?;
        if took < best {
            (best, session) = (took, next);
        }
    }
    session.mostly_in_time("the engine ended", best, QUIT_TIME)
}

/// How long the engine took to end after `usi` and `quit`, and the conversation.
fn registered(context: &CaseContext<'_>) -> Result<(Duration, EngineSession), Problem> {
    let mut session = context.process(Errors::Read)?;
    session.say("usi");
    session.until("usiok", context.settings.timeout)?;
    Ok((session.quits()?, session))
}

fn other_directory(context: &mut CaseContext<'_>) -> Outcome {
    let folder = tempfile::tempdir().map_err(|error| Problem::skipped(format!("no empty folder: {error}")))?;
    let mut session = context.process_in(folder.path())?;
    session.handshake()?;
    context.set_options(&mut session);
    session.ready()?;
    session.think_legally(&CasePosition::new(START), SHORT)?;
    Ok(None)
}

/// A GUI that checks whether the engine lives does not wait long.
const READY_IN_SEARCH: Duration = Duration::from_secs(1);

fn ready(context: &mut CaseContext<'_>) -> Outcome {
    let mut session = context.introduced()?;
    let start = Instant::now();
    session.ready()?;
    let took = start.elapsed();
    session.without(&["readyok"], context.settings.silence / 2, "came without a question")?;
    Ok(Some(milliseconds(took)))
}

fn ready_repeated(session: &mut EngineSession) -> Outcome {
    for _ in 0..5 {
        session.ready()?;
    }
    session.say("isready\nisready\nisready");
    for _ in 0..3 {
        session.until("readyok", session.settings().ready_timeout)?;
    }
    session.without(&["readyok"], session.settings().silence / 2, "came once too often")?;
    session.think(&CasePosition::new(START), SHORT)?;
    Ok(None)
}

fn ready_after_gameover(session: &mut EngineSession) -> Outcome {
    let start = CasePosition::new(START);
    for result in ["win", "lose", "draw"] {
        session.say("usinewgame");
        session.think(&start, SHORT)?;
        session.say(&format!("gameover {result}\nisready"));
        session.until("readyok", session.settings().ready_timeout)?;
    }
    session.say("usinewgame");
    session.think_legally(&start, SHORT)?;
    Ok(None)
}

fn ready_in_search(session: &mut EngineSession) -> Outcome {
    session.go(&CasePosition::new(START), "go infinite");
    session.holds("ended a search without limits")?;
    let asked = Instant::now();
    session.say("isready");
    let lines = session.until("readyok", session.settings().timeout)?;
    let took = asked.elapsed();
    session.none_of(&["bestmove"], &lines, "ended the search because of `isready`")?;
    let remark = session.in_time("`readyok` came", took, READY_IN_SEARCH)?;
    session.holds("ended the search after `isready`")?;
    session.stop()?;
    Ok(remark)
}

fn game_start_orders(session: &mut EngineSession) -> Outcome {
    let start = CasePosition::new("position startpos moves 7g7f");
    session.ready()?;
    // As ShogiHome does.
    session.say(&format!("usinewgame\n{}\n{SHORT}", start.command));
    session.legal_answer(&start)?;
    for order in ["usinewgame\nisready", "isready\nusinewgame\nusinewgame", "isready"] {
        session.say(&format!("{order}\n{}\n{SHORT}", start.command));
        let lines = session.until("readyok", session.settings().ready_timeout)?;
        session.none_of(&["bestmove"], &lines, "came before `readyok`")?;
        session.legal_answer(&start)?;
    }
    Ok(None)
}

fn game_start_time(session: &mut EngineSession) -> Outcome {
    let start = CasePosition::new("position startpos moves 2g2f");
    let mut slowest = Duration::ZERO;
    for _ in 0..3 {
        session.ready()?;
        let burst = format!("usinewgame\n{}\n{SHORT}", start.command);
        slowest = slowest.max(session.timed_answer(&start, &burst)?);
    }
    session.in_time("the first move of a game came", slowest, Duration::from_millis(100))
}

fn go_while_loading(context: &mut CaseContext<'_>) -> Outcome {
    let start = CasePosition::new("position startpos moves 7g7f");
    for game in ["usinewgame\n", ""] {
        let mut session = context.introduced()?;
        session.say(&format!("isready\n{game}{}\n{SHORT}", start.command));
        let lines = session.until("readyok", session.settings().ready_timeout)?;
        session.none_of(&["bestmove"], &lines, "came before `readyok`")?;
        session.legal_answer(&start)?;
        session.is_through()?;
    }
    Ok(None)
}
