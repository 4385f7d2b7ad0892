//! Standard error, a standard output that is closed, and what may be written to standard output.

use std::thread;
use std::time::Duration;

use kiki_usi::Reply;

use crate::answer::SHORT;
use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::pipes::Line;
use crate::placement::{MATE_IN_ONE, MATED, MATSURI, Placement, START};
use crate::problem::{Outcome, Problem};
use crate::session::Session;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "errors-silent",
        row: "standard error",
        promise: "nothing is written to standard error",
        why: "ShogiHome gives engines a standard error that nobody reads: what is written there is lost, and blocks in the end",
        severity: Severity::Recommended,
        needs: Needs::Ready,
        run: errors_silent,
    },
    Case {
        name: "errors-full",
        row: "standard error",
        promise: "an engine whose standard error is full and not read goes on",
        why: "under ShogiHome the engine hangs after some hours of analysis",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: errors_full,
    },
    Case {
        name: "output-closed",
        row: "end of input",
        promise: "an engine whose input and output were closed in mid-search ends",
        why: "the GUI was killed: the process takes all processors for ever",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: output_closed,
    },
    Case {
        name: "output-ascii",
        row: "output",
        promise: "everything is ASCII",
        why: "GUIs read UTF-8 or Shift_JIS, and show nonsense or stop",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: output_ascii,
    },
    Case {
        name: "output-no-error",
        row: "output",
        promise: "no line starts with `error`",
        why: "ShogiArena stops the game there",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: output_no_error,
    },
    Case {
        name: "output-known",
        row: "output",
        promise: "every line is one of the protocol; other text comes as `info string`",
        why: "debug text may look like an answer, and some programs stop at what they do not know",
        severity: Severity::Recommended,
        needs: Needs::Ready,
        run: output_known,
    },
];

/// A conversation with a bit of everything, also mistakes: all lines.
fn conversation(context: &Context<'_>, session: &mut Session) -> Result<Vec<Line>, Problem> {
    let mut lines = session.handshake()?;
    context.set_options(session);
    session.say("setoption name NoSuchOption value 1");
    lines.extend(session.ready()?);
    session.say("usinewgame");
    for command in [START, MATSURI, MATE_IN_ONE, MATED] {
        let answer = session.think(&Placement::new(command), SHORT)?;
        lines.extend(answer.before);
        lines.push(answer.line);
    }
    session.go(&Placement::new(START), "go infinite");
    lines.extend(session.holds("came before `stop`")?);
    let (_, answer) = session.stop()?;
    lines.extend(answer.before);
    session.say("no such command\nposition startpos moves 7g7f 7g7f\ngameover win");
    lines.extend(session.ready()?);
    Ok(lines)
}

fn errors_silent(context: &mut Context<'_>) -> Outcome {
    let mut session = context.process()?;
    conversation(context, &mut session)?;
    session.say("quit");
    session.wait_for_end(context.settings.timeout)?;
    thread::sleep(Duration::from_millis(20));
    let errors = session.errors();
    if errors.is_empty() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&errors);
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("an empty line");
    Err(session.failed(format!("it writes to standard error: {}", first.escape_debug())))
}

fn errors_full(context: &mut Context<'_>) -> Outcome {
    let mut session = context.process_with_full_errors()?;
    conversation(context, &mut session)?;
    session.say("quit");
    session.wait_for_end(context.settings.timeout)?;
    Ok(None)
}

fn output_closed(context: &mut Context<'_>) -> Outcome {
    let mut session = context.fresh()?;
    session.go(&Placement::new(MATSURI), "go infinite");
    thread::sleep(context.settings.silence / 5);
    session.close_output();
    session.close_input();
    // How it ends is its own affair: a signal for a closed pipe is as good as an exit.
    session.wait_for_end(context.settings.timeout)?;
    Ok(None)
}

/// A conversation none of whose lines has a fault.
fn no_line(context: &mut Context<'_>, fault: impl Fn(&str) -> bool, what: &str) -> Outcome {
    let mut session = context.process()?;
    let lines = conversation(context, &mut session)?;
    match lines.iter().find(|line| fault(&line.text)) {
        Some(line) => Err(session.failed(format!("`{}` {what}", line.quoted()))),
        None => Ok(None),
    }
}

fn output_ascii(context: &mut Context<'_>) -> Outcome {
    no_line(context, |line| !line.chars().all(|letter| matches!(letter, ' '..='~' | '\t')), "is not ASCII")
}

fn output_no_error(context: &mut Context<'_>) -> Outcome {
    no_line(context, starts_with_error, "starts with `error`")
}

fn starts_with_error(line: &str) -> bool {
    line.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"))
}

fn output_known(context: &mut Context<'_>) -> Outcome {
    let is_unknown = |line: &str| !starts_with_error(line) && matches!(Reply::parse(line.as_bytes()), Reply::Other(_));
    no_line(context, is_unknown, "is no line of the protocol")
}
