//! `usi`, and how GUIs register an engine.

use std::time::{Duration, Instant};

use crate::answer::SHORT;
use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{Placement, START};
use crate::problem::{Outcome, Problem};
use crate::session::Session;

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
    // One that is slow may be so because of the machine: the best of several counts.
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
