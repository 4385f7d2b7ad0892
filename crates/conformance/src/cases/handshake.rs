//! `usi`, how GUIs register an engine, `isready` and `usinewgame`.

use std::time::{Duration, Instant};

use crate::check::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{Placement, START};
use crate::session::{SHORT, Session, milliseconds};
use crate::settings::{Outcome, Problem};

/// GUIs give up after 2 to 10 seconds.
const HANDSHAKE_TIME: Duration = Duration::from_secs(2);

/// GUIs start, ask and end an engine while a dialog waits.
const QUIT_TIME: Duration = Duration::from_millis(100);

pub(super) const CASES: &[Case] = &[
    Case {
        name: "handshake",
        row: "usi",
        promise: "`usi` is answered by `id name`, `id author`, the options and `usiok`, in this order",
        why: "no GUI can register the engine",
        severity: Severity::Required,
        needs: Needs::Start,
        run: handshake,
    },
    Case {
        name: "handshake-time",
        row: "usi",
        promise: "`usiok` comes within 2 s of the start of the process: nothing heavy is done before",
        why: "GUIs give up after 2 to 10 s and call the engine broken",
        severity: Severity::Expected,
        needs: Needs::Handshake,
        run: handshake_time,
    },
    Case {
        name: "handshake-quit",
        row: "usi, quit",
        promise: "`usi` and then `quit`, as GUIs register an engine: it exits with status 0 within 100 ms",
        why: "ShogiHome and others wait for the process in a dialog, and report a crash",
        severity: Severity::Expected,
        needs: Needs::Handshake,
        run: handshake_quit,
    },
    Case {
        name: "other-directory",
        row: "relative paths",
        promise: "the engine runs when it is started in an empty folder",
        why: "GUIs start engines in folders of their own choice, so what the engine needs must be found beside its program",
        severity: Severity::Recommended,
        needs: Needs::Ready,
        run: other_directory,
    },
];

fn handshake(context: &mut Context<'_>) -> Outcome {
    let mut session = context.process()?;
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
    for line in session.without(&["id", "option", "usiok"], context.settings.silence / 2, "came after `usiok`")? {
        session.none_of(&["readyok", "bestmove"], &line, "came without a question")?;
    }
    Ok(None)
}

fn handshake_time(context: &mut Context<'_>) -> Outcome {
    let start = Instant::now();
    let mut session = context.process()?;
    session.handshake()?;
    session.in_time("`usiok` came", start.elapsed(), HANDSHAKE_TIME)
}

fn handshake_quit(context: &mut Context<'_>) -> Outcome {
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
fn registered(context: &Context<'_>) -> Result<(Duration, Session), Problem> {
    let mut session = context.process()?;
    session.say("usi");
    session.until("usiok", context.settings.timeout)?;
    session.say("quit");
    let (status, took) = session.wait_for_end(context.settings.timeout)?;
    if !status.is_some_and(|status| status.success()) {
        return Err(session.failed("it does not exit with status 0"));
    }
    Ok((took, session))
}

fn other_directory(context: &mut Context<'_>) -> Outcome {
    let folder = tempfile::tempdir().map_err(|error| Problem::skipped(format!("no empty folder: {error}")))?;
    let mut session = context.process_in(folder.path())?;
    session.handshake()?;
    context.set_options(&mut session);
    session.ready()?;
    session.think_legally(&Placement::new(START), SHORT)?;
    Ok(None)
}

/// A GUI that checks whether the engine lives does not wait long.
const READY_IN_SEARCH: Duration = Duration::from_secs(1);

pub(super) const READY_CASES: &[Case] = &[
    Case {
        name: "ready",
        row: "isready",
        promise: "`isready` is answered by one `readyok`",
        why: "no game can begin",
        severity: Severity::Required,
        needs: Needs::Handshake,
        run: ready,
    },
    Case {
        name: "ready-repeated",
        row: "isready",
        promise: "`isready` may come any number of times, also several at once, and each has one `readyok`",
        why: "GUIs send it before every game",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: ready_repeated,
    },
    Case {
        name: "ready-after-gameover",
        row: "isready",
        promise: "`isready` straight after `gameover` is answered, and the next game can be played",
        why: "ShogiHome plays games in a row so",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: ready_after_gameover,
    },
    Case {
        name: "ready-in-search",
        row: "isready while searching",
        promise: "`readyok` comes at once during a search, which goes on",
        why: "GUIs and tools ask so whether an engine hangs",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: ready_in_search,
    },
    Case {
        name: "game-start-orders",
        row: "usinewgame",
        promise: "`usinewgame` may come after `readyok` in one burst with `position` and `go`, before `isready`, twice, or never",
        why: "ShogiHome sends the burst; other programs have other orders",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: game_start_orders,
    },
    Case {
        name: "game-start-time",
        row: "usinewgame",
        promise: "`usinewgame` is cheap: in one burst with `position` and `go` by a byoyomi of 100 the answer comes in time",
        why: "the clock runs already: ShogiHome sends the burst when the game begins",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: game_start_time,
    },
    Case {
        name: "go-while-loading",
        row: "isready",
        promise: "a `go` that is sent right after the first `isready` is answered once, after `readyok`",
        why: "scripts and some tools send all at once; an answer before `readyok`, or none, is in the way of everything that follows",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: go_while_loading,
    },
];

fn ready(context: &mut Context<'_>) -> Outcome {
    let mut session = context.introduced()?;
    let start = Instant::now();
    session.ready()?;
    let took = start.elapsed();
    session.without(&["readyok"], context.settings.silence / 2, "came without a question")?;
    Ok(Some(milliseconds(took)))
}

fn ready_repeated(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        for _ in 0..5 {
            session.ready()?;
        }
        session.say("isready\nisready\nisready");
        for _ in 0..3 {
            session.until("readyok", session.settings().ready_timeout)?;
        }
        session.without(&["readyok"], session.settings().silence / 2, "came once too often")?;
        session.think(&Placement::new(START), SHORT)?;
        Ok(None)
    })
}

fn ready_after_gameover(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        let start = Placement::new(START);
        for result in ["win", "lose", "draw"] {
            session.say("usinewgame");
            session.think(&start, SHORT)?;
            session.say(&format!("gameover {result}\nisready"));
            session.until("readyok", session.settings().ready_timeout)?;
        }
        session.say("usinewgame");
        session.think_legally(&start, SHORT)?;
        Ok(None)
    })
}

fn ready_in_search(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        session.go(&Placement::new(START), "go infinite");
        session.holds("ended a search without limits")?;
        let asked = Instant::now();
        session.say("isready");
        let lines = session.until("readyok", session.settings().timeout)?;
        let took = asked.elapsed();
        for line in &lines {
            session.none_of(&["bestmove"], line, "ended the search because of `isready`")?;
        }
        let remark = session.in_time("`readyok` came", took, READY_IN_SEARCH)?;
        session.holds("ended the search after `isready`")?;
        session.stop()?;
        Ok(remark)
    })
}

fn game_start_orders(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        let start = Placement::new("position startpos moves 7g7f");
        session.ready()?;
        // As ShogiHome does.
        session.say(&format!("usinewgame\n{}\n{SHORT}", start.command));
        legal_answer(session, &start)?;
        for order in ["usinewgame\nisready", "isready\nusinewgame\nusinewgame", "isready"] {
            session.say(&format!("{order}\n{}\n{SHORT}", start.command));
            let lines = session.until("readyok", session.settings().ready_timeout)?;
            for line in &lines {
                session.none_of(&["bestmove"], line, "came before `readyok`")?;
            }
            legal_answer(session, &start)?;
        }
        Ok(None)
    })
}

fn game_start_time(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        let start = Placement::new("position startpos moves 2g2f");
        let mut slowest = Duration::ZERO;
        for _ in 0..3 {
            session.ready()?;
            let burst = format!("usinewgame\n{}\n{SHORT}", start.command);
            slowest = slowest.max(session.timed_answer(&start, &burst)?);
        }
        session.in_time("the first move of a game came", slowest, Duration::from_millis(100))
    })
}

fn go_while_loading(context: &mut Context<'_>) -> Outcome {
    let start = Placement::new("position startpos moves 7g7f");
    for game in ["usinewgame\n", ""] {
        let mut session = context.introduced()?;
        session.say(&format!("isready\n{game}{}\n{SHORT}", start.command));
        for line in session.until("readyok", session.settings().ready_timeout)? {
            session.none_of(&["bestmove"], &line, "came before `readyok`")?;
        }
        legal_answer(&mut session, &start)?;
        session.is_through()?;
    }
    Ok(None)
}

fn legal_answer(session: &mut Session, placement: &Placement) -> Result<(), Problem> {
    let answer = session.answer()?;
    session.is_legal(placement, &answer)
}
