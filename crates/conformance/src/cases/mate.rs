//! `go mate`.

use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_usi::{CheckmateReply, Reply};

use crate::answer::SHORT;
use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::pipes::Line;
use crate::placement::{MATE_IN_ONE, MATSURI, NO_MATE, Placement, START};
use crate::problem::{Outcome, Problem};
use crate::session::Session;

/// Mate in three plies.
const MATE_IN_THREE: &str =
    "position sfen ls+B2g1nl/2+N3s2/1kpp1pppp/p3p4/1S7/P5P2/3+rPPNPP/+b4G1K1/2+l1g1SRL b GN4p 71";

pub(super) const CASES: &[Case] = &[
    Case {
        name: "mate-found",
        row: "go mate",
        promise: "a mate is told as `checkmate` with legal moves that end in mate",
        why: "ShogiHome plays the moves out on its board",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: mate_found,
    },
    Case {
        name: "mate-none",
        row: "go mate",
        promise: "where there is no mate none is told",
        why: "a mate that is none is worse than no answer",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: mate_none,
    },
    Case {
        name: "mate-no-bestmove",
        row: "go mate",
        promise: "`go mate` is answered by one `checkmate`, never by `bestmove`",
        why: "the GUI waits for ever, or takes the `bestmove` for a later one",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: mate_no_bestmove,
    },
    Case {
        name: "mate-time",
        row: "go mate",
        promise: "the number after `go mate` is a time in milliseconds, and the answer comes in it",
        why: "the GUI gives up and takes the late answer for a later one",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: mate_time,
    },
    Case {
        name: "mate-stopped",
        row: "stop in go mate",
        promise: "`stop` ends `go mate infinite`, which is answered by one `checkmate`, `timeout` if nothing was found",
        why: "the GUI waits for ever",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: mate_stopped,
    },
];

/// Sends `go mate` with a limit and returns the answer.
fn solve(session: &mut Session, placement: &Placement, limit: &str) -> Result<(CheckmateReply, Line), Problem> {
    session.go(placement, &format!("go mate {limit}"));
    checkmate(session)
}

/// Waits for `checkmate`. An answer that is a `bestmove` is none.
fn checkmate(session: &mut Session) -> Result<(CheckmateReply, Line), Problem> {
    let deadline = Instant::now() + session.settings().timeout;
    while let Some(line) = session.next_line(deadline)? {
        session.none_of(&["bestmove"], &line, "answers `go mate`")?;
        if let Reply::Checkmate(reply) = Reply::parse(line.text.as_bytes()) {
            return match reply {
                CheckmateReply::NotImplemented => Err(Problem::skipped("the engine does not look for mates")),
                reply => Ok((reply, line)),
            };
        }
    }
    Err(session.failed("no `checkmate`"))
}

fn mate_found(context: &mut Context<'_>) -> Outcome {
    let limit = context.settings.timeout.as_millis() / 2;
    context.with_ready(|session| {
        for command in [MATE_IN_ONE, MATE_IN_THREE] {
            let placement = Placement::new(command);
            let (reply, line) = solve(session, &placement, &limit.to_string())?;
            let CheckmateReply::Moves(moves) = reply else {
                return Err(session.failed(format!("`{}` where there is a mate", line.text)));
            };
            ends_in_mate(session, &placement, &moves, &line)?;
        }
        Ok(None)
    })
}

/// # Errors
/// A move of the line is illegal, or the last one does not mate.
fn ends_in_mate(session: &Session, placement: &Placement, moves: &[String], line: &Line) -> Result<(), Problem> {
    if is_mate(placement.position.clone(), moves) {
        return Ok(());
    }
    Err(session.failed(format!("`{}` is no line of legal moves that ends in mate", line.text)))
}

fn is_mate(mut position: Position, moves: &[String]) -> bool {
    for text in moves {
        let Ok(mv) = position.parse_move(text) else { return false };
        position.make(mv);
    }
    position.in_check() && position.legal_moves().is_empty()
}

fn mate_none(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        let (reply, line) = solve(session, &Placement::new(NO_MATE), "1000")?;
        match reply {
            CheckmateReply::Moves(_) => Err(session.failed(format!("`{}` where there is no mate", line.text))),
            // Whether it is proved in time is not asked here.
            _ => Ok(Some(line.text)),
        }
    })
}

fn mate_no_bestmove(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        for command in [START, NO_MATE] {
            solve(session, &Placement::new(command), "300")?;
            session.without(&["bestmove", "checkmate"], session.settings().silence / 2, "came after the answer")?;
        }
        session.think_legally(&Placement::new(START), SHORT)?;
        Ok(None)
    })
}

fn mate_time(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        let (mut slowest, limit) = (Duration::ZERO, Duration::from_millis(400));
        for command in [MATSURI, START] {
            let placement = Placement::new(command);
            session.say(&placement.command);
            let asked = Instant::now();
            session.say("go mate 400");
            slowest = slowest.max(checkmate(session)?.1.at.saturating_duration_since(asked));
        }
        session.in_time("`go mate 400` was answered", slowest, limit)
    })
}

fn mate_stopped(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        let placement = Placement::new(MATSURI);
        session.go(&placement, "go mate infinite");
        let first = session.without(&["bestmove"], session.settings().silence, "answers `go mate`")?;
        let answered = first.iter().find(|line| line.is("checkmate"));
        if let Some(line) = answered {
            if line.is("checkmate notimplemented") {
                return Err(Problem::skipped("the engine does not look for mates"));
            }
            session.say("stop");
            return Ok(Some(format!("`{}` before `stop`", line.text)));
        }
        session.say("stop");
        let (reply, line) = checkmate(session)?;
        match reply {
            CheckmateReply::NoMate => {
                return Err(session.failed("a search that was stopped has proved nothing: `timeout`"));
            }
            CheckmateReply::Moves(moves) => ends_in_mate(session, &placement, &moves, &line)?,
            _ => {}
        }
        Ok(Some(line.text))
    })
}
