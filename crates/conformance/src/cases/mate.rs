//! `go mate`.

use std::slice;
use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_usi::{CheckmateReply, Reply};

use crate::check::{NamedRun, Run};
use crate::pipes::{Line, quoted};
use crate::placement::{CasePosition, MATE_IN_ONE, MATSURI, NO_MATE, START};
use crate::session::{EngineSession, SHORT};
use crate::settings::{Outcome, Problem};

const MATE_IN_THREE: &str =
    "position sfen ls+B2g1nl/2+N3s2/1kpp1pppp/p3p4/1S7/P5P2/3+rPPNPP/+b4G1K1/2+l1g1SRL b GN4p 71";

pub(super) const RUNS: &[NamedRun] = &[
    ("mate-found", Run::Ready(mate_found)),
    ("mate-none", Run::Ready(mate_none)),
    ("mate-no-bestmove", Run::Ready(mate_no_bestmove)),
    ("mate-time", Run::Ready(mate_time)),
    ("mate-stopped", Run::Ready(mate_stopped)),
];

fn solve(
    session: &mut EngineSession,
    placement: &CasePosition,
    limit: &str,
) -> Result<(CheckmateReply, Line), Problem> {
    session.go(placement, &format!("go mate {limit}"));
    checkmate(session, placement)
}

/// Waits for `checkmate`, refuses `bestmove`, and replays a reported mate on the board.
fn checkmate(session: &mut EngineSession, placement: &CasePosition) -> Result<(CheckmateReply, Line), Problem> {
    let deadline = Instant::now() + session.settings().timeout;
    while let Some(line) = session.next_line(deadline)? {
        session.none_of(&["bestmove"], slice::from_ref(&line), "answers `go mate`")?;
        if line.is("checkmate") {
            return Ok((read_checkmate(session, placement, &line)?, line));
        }
    }
    Err(session.failed("no `checkmate`"))
}

/// Reads a line and checks its mate. Skips the case if the engine does not search for mates.
fn read_checkmate(session: &EngineSession, placement: &CasePosition, line: &Line) -> Result<CheckmateReply, Problem> {
    match Reply::parse(line.text.as_bytes()) {
        Reply::Checkmate(CheckmateReply::NotImplemented) => Err(Problem::skipped("the engine does not look for mates")),
        Reply::Checkmate(reply) => {
            if let CheckmateReply::Moves(moves) = &reply
                && let Err(reason) = try_mate(placement.position.clone(), moves)
            {
                let position = placement.position.to_sfen();
                return Err(session.failed(format!("`{}` is no mate in `{position}`: {reason}", line.quoted())));
            }
            Ok(reply)
        }
        _ => Err(session.failed(format!("`{}` is no answer to `go mate`", line.quoted()))),
    }
}

fn mate_found(session: &mut EngineSession) -> Outcome {
    let limit = session.settings().timeout.as_millis() / 2;
    for command in [MATE_IN_ONE, MATE_IN_THREE] {
        let placement = CasePosition::new(command);
        let (reply, line) = solve(session, &placement, &limit.to_string())?;
        if !matches!(reply, CheckmateReply::Moves(_)) {
            return Err(session.failed(format!("`{}` where there is a mate", line.quoted())));
        }
    }
    Ok(None)
}

/// Refuses moves that are no mate. Every attacking move must give check, or a line with a helping
/// defender would pass.
fn try_mate(mut position: Position, moves: &[String]) -> Result<(), String> {
    for (ply, text) in moves.iter().enumerate() {
        let mv = position.parse_move(text).map_err(|_| format!("`{}` is illegal", quoted(text)))?;
        position.make(mv);
        if ply % 2 == 0 && !position.in_check() {
            return Err(format!("`{text}` is no check"));
        }
    }
    if moves.len().is_multiple_of(2) || !position.legal_moves().is_empty() {
        return Err("it does not end in mate".to_owned());
    }
    Ok(())
}

fn mate_none(session: &mut EngineSession) -> Outcome {
    let (reply, line) = solve(session, &CasePosition::new(NO_MATE), "1000")?;
    match reply {
        CheckmateReply::Moves(_) => Err(session.failed(format!("`{}` where there is no mate", line.quoted()))),
        // This case does not require a proof in time.
        _ => Ok(Some(line.text)),
    }
}

fn mate_no_bestmove(session: &mut EngineSession) -> Outcome {
    for command in [START, NO_MATE] {
        solve(session, &CasePosition::new(command), "300")?;
        session.without(&["bestmove", "checkmate"], session.settings().silence / 2, "came after the answer")?;
    }
    session.think_legally(&CasePosition::new(START), SHORT)?;
    Ok(None)
}

fn mate_time(session: &mut EngineSession) -> Outcome {
    let (mut slowest, limit) = (Duration::ZERO, Duration::from_millis(400));
    for command in [MATSURI, START] {
        let placement = CasePosition::new(command);
        session.say(&placement.command);
        let asked = Instant::now();
        session.say("go mate 400");
        slowest = slowest.max(checkmate(session, &placement)?.1.at.saturating_duration_since(asked));
    }
    session.in_time("`go mate 400` was answered", slowest, limit)
}

fn mate_stopped(session: &mut EngineSession) -> Outcome {
    let placement = CasePosition::new(MATSURI);
    session.go(&placement, "go mate infinite");
    let first = session.without(&["bestmove"], session.settings().silence, "answers `go mate`")?;
    let answered = first.iter().find(|line| line.is("checkmate"));
    if let Some(line) = answered {
        read_checkmate(session, &placement, line)?;
        session.say("stop");
        return Ok(Some(format!("`{}` before `stop`", line.quoted())));
    }
    session.say("stop");
    let (reply, line) = checkmate(session, &placement)?;
    if reply == CheckmateReply::NoMate {
        return Err(session.failed("a search that was stopped has proved nothing: `timeout`"));
    }
    Ok(Some(line.text))
}
