//! `isready` and `usinewgame`.

use std::time::{Duration, Instant};

use crate::answer::SHORT;
use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{Placement, START};
use crate::problem::{Outcome, Problem};
use crate::session::{Session, milliseconds};

/// A GUI that asks whether the engine lives does not wait long.
const READY_IN_SEARCH: Duration = Duration::from_secs(1);

pub(super) const CASES: &[Case] = &[
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
