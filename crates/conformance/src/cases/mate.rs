//! `go mate`.

use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_usi::{CheckmateReply, Reply};

use crate::check::{Case, Needs, Severity};
use crate::context::Context;
use crate::pipes::{Line, quoted};
use crate::placement::{MATE_IN_ONE, MATSURI, NO_MATE, Placement, START};
use crate::session::{SHORT, Session};
use crate::settings::{Outcome, Problem};

/// Mate in three plies.
const MATE_IN_THREE: &str =
    "position sfen ls+B2g1nl/2+N3s2/1kpp1pppp/p3p4/1S7/P5P2/3+rPPNPP/+b4G1K1/2+l1g1SRL b GN4p 71";

pub(super) const CASES: &[Case] = &[
    Case {
        name: "mate-found",
        row: "go mate",
        promise: "a mate is told as `checkmate` with legal moves that end in mate, each of the attacker's a check",
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
    checkmate(session, placement)
}

/// Waits for `checkmate`, refuses `bestmove`, and replays a reported mate on the board.
fn checkmate(session: &mut Session, placement: &Placement) -> Result<(CheckmateReply, Line), Problem> {
    let deadline = Instant::now() + session.settings().timeout;
    while let Some(line) = session.next_line(deadline)? {
        session.none_of(&["bestmove"], &line, "answers `go mate`")?;
        if line.is("checkmate") {
            return Ok((read_checkmate(session, placement, &line)?, line));
        }
    }
    Err(session.failed("no `checkmate`"))
}

/// Reads a line and checks its mate. Skips the case if the engine does not search for mates.
fn read_checkmate(session: &Session, placement: &Placement, line: &Line) -> Result<CheckmateReply, Problem> {
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

fn mate_found(context: &mut Context<'_>) -> Outcome {
    let limit = context.settings.timeout.as_millis() / 2;
    context.with_ready(|session| {
        for command in [MATE_IN_ONE, MATE_IN_THREE] {
            let placement = Placement::new(command);
            let (reply, line) = solve(session, &placement, &limit.to_string())?;
            if !matches!(reply, CheckmateReply::Moves(_)) {
                return Err(session.failed(format!("`{}` where there is a mate", line.quoted())));
            }
        }
        Ok(None)
    })
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

fn mate_none(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        let (reply, line) = solve(session, &Placement::new(NO_MATE), "1000")?;
        match reply {
            CheckmateReply::Moves(_) => Err(session.failed(format!("`{}` where there is no mate", line.quoted()))),
            // This case does not require a proof in time.
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
            slowest = slowest.max(checkmate(session, &placement)?.1.at.saturating_duration_since(asked));
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
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_checks_that_end_in_mate_are_a_mate() {
        let tried = |text: &str| {
            let moves: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            try_mate(Placement::new(MATE_IN_ONE).position, &moves)
        };
        assert_eq!(tried("G*5b"), Ok(()));
        for (text, reason) in [
            ("5i5h 5a6a 5h5i 6a5a G*5b", "`5i5h` is no check"),
            ("G*5b 5a5b", "`5a5b` is illegal"),
            ("G*4a", "it does not end in mate"),
            ("G*4a 5a4a", "it does not end in mate"),
            ("", "it does not end in mate"),
        ] {
            assert_eq!(tried(text), Err(reason.to_owned()), "{text}");
        }
    }
}
