//! Unusual input, standard error, a closed standard output, and what may be written to standard
//! output.

use std::thread;
use std::time::Duration;

use kiki_usi::Reply;

use crate::check::{NamedRun, Needs, Run};
use crate::context::CaseContext;
use crate::pipes::Line;
use crate::placement::{CasePosition, MATE_IN_ONE, MATED, MATSURI, START};
use crate::session::{EngineSession, Errors, SHORT};
use crate::settings::{Outcome, Problem};

const JUNK: usize = 2 << 20;

pub(super) const RUNS: &[NamedRun] = &[
    ("junk-words", Run::New(|session| survives(session, "unknown words", junk_words()))),
    ("unknown-told", Run::New(unknown_told)),
    (
        "junk-long-line",
        Run::New(|session| {
            let mut line = vec![b'x'; JUNK];
            line.push(b'\n');
            survives(session, "2 MB of x in one line", line)
        }),
    ),
    (
        "junk-flood",
        Run::New(|session| {
            survives(session, "2 MB of unknown lines", b"nonsense 1234 and more of it\n".repeat(JUNK / 29))
        }),
    ),
    ("junk-bytes", Run::New(|session| survives(session, "NUL bytes, invalid UTF-8, Shift_JIS", junk_bytes()))),
    ("line-breaks", Run::Free(Needs::Ready, line_breaks)),
    ("blanks", Run::Ready(blanks)),
    ("half-lines", Run::New(half_lines)),
    ("errors-silent", Run::Free(Needs::Ready, errors_silent)),
    ("errors-full", Run::Free(Needs::Ready, errors_full)),
    ("output-closed", Run::New(output_closed)),
    ("output-ascii", Run::Free(Needs::Ready, output_ascii)),
    ("output-no-error", Run::Free(Needs::Ready, |context| no_line(context, starts_with_error, "starts with `error`"))),
    ("output-known", Run::Free(Needs::Ready, output_known)),
];

fn survives(mut session: EngineSession, shown: &str, junk: Vec<u8>) -> Outcome {
    session.say_bytes(junk, shown);
    let lines = session.ready()?;
    session.none_of(&["bestmove", "usiok", "checkmate"], &lines, "answers junk")?;
    plays(&mut session)
}

fn unknown_told(mut session: EngineSession) -> Outcome {
    let pause = session.settings().silence / 4;
    for mistake in ["nosuchcommand", "setoption name NoSuchOption value 3"] {
        session.say(mistake);
        session.until("info string", pause + session.settings().tolerance)?;
        session.without(&["info string"], pause, "is a second line about one mistake")?;
    }
    session.say_bytes(b"\n  \n\t\n\r\n".to_vec(), "blank lines");
    session.without(&["info string"], pause, "answers a blank line")?;
    Ok(None)
}

fn plays(session: &mut EngineSession) -> Outcome {
    session.think_legally(&CasePosition::new(START), SHORT)?;
    session.is_through()?;
    Ok(None)
}

fn junk_words() -> Vec<u8> {
    b"hello\n\n\t\n   \nposit startpos\n7g7f\nbestmove 7g7f\ninfo depth 3\nusiok\nreadyok\nponder\n<xml/>\n".to_vec()
}

fn junk_bytes() -> Vec<u8> {
    let mut bytes = b"\0\n\0\0\0 nonsense\0 1234\n\xff\xfe\x80\n\x83\x5c\x8b\x4b\n\x1b[31m\n\xe3\x81\n".to_vec();
    bytes.extend((1..=255).filter(|&byte| byte != b'\n'));
    bytes.push(b'\n');
    bytes
}

fn line_breaks(context: &mut CaseContext<'_>) -> Outcome {
    let mut session = context.introduced()?;
    session.say_bytes(b"isready\r\n".to_vec(), "isready CR LF");
    session.until("readyok", session.settings().ready_timeout)?;
    let moved = CasePosition::new("position startpos moves 7g7f");
    let burst = format!("usinewgame\r\n{}\r\n{SHORT}\r\n", moved.command);
    session.say_bytes(burst.into_bytes(), "usinewgame, position startpos moves 7g7f, go byoyomi 100, each with CR LF");
    session.legal_answer(&moved)?;
    session.say_bytes(b"quit\r\n".to_vec(), "quit CR LF");
    session.wait_for_end(session.settings().timeout)?;
    Ok(None)
}

fn blanks(session: &mut EngineSession) -> Outcome {
    let moved = CasePosition::new("position startpos moves 7g7f");
    session.say("  isready  ");
    session.until("readyok", session.settings().timeout)?;
    for (position, go) in [
        ("position  startpos   moves  7g7f ", "go  btime 0  wtime 0  byoyomi 100 "),
        ("  position startpos moves 7g7f", " go btime 0 wtime 0 byoyomi 100"),
        ("position\tstartpos\tmoves\t7g7f", "go\tbtime\t0\twtime\t0\tbyoyomi\t100"),
    ] {
        session.say("position startpos");
        session.think_legally(&moved.told_as(position), go)?;
    }
    Ok(None)
}

fn half_lines(mut session: EngineSession) -> Outcome {
    let pause = Duration::from_millis(30);
    session.say_bytes(b"isrea".to_vec(), "isrea");
    session.without(&["readyok"], pause, "came before the end of the line")?;
    session.say_bytes(b"dy".to_vec(), "dy");
    session.without(&["readyok"], pause, "came before the end of the line")?;
    session.say_bytes(b"\nposition startpos mo".to_vec(), "line break, position startpos mo");
    session.until("readyok", session.settings().ready_timeout)?;
    session.say_bytes(b"ves 7g7f\ngo btime 0 wtime 0 byo".to_vec(), "ves 7g7f, line break, go btime 0 wtime 0 byo");
    session.without(&["bestmove"], pause, "came before the end of the line")?;
    for byte in b"yomi 100\n" {
        session.say_bytes(vec![*byte], "one byte");
        thread::sleep(Duration::from_millis(1));
    }
    session.legal_answer(&CasePosition::new("position startpos moves 7g7f"))?;
    Ok(None)
}

/// Holds a varied conversation, with mistakes, and returns all lines of the engine.
fn conversation(context: &CaseContext<'_>, session: &mut EngineSession) -> Result<Vec<Line>, Problem> {
    let mut lines = session.handshake()?;
    context.set_options(session);
    session.say("setoption name NoSuchOption value 1");
    lines.extend(session.ready()?);
    session.say("usinewgame");
    for command in [START, MATSURI, MATE_IN_ONE, MATED] {
        let answer = session.think(&CasePosition::new(command), SHORT)?;
        lines.extend(answer.before);
        lines.push(answer.line);
    }
    session.go(&CasePosition::new(START), "go infinite");
    lines.extend(session.holds("came before `stop`")?);
    let (_, answer) = session.stop()?;
    lines.extend(answer.before);
    session.say("no such command\nposition startpos moves 7g7f 7g7f\ngameover win");
    lines.extend(session.ready()?);
    Ok(lines)
}

fn errors_silent(context: &mut CaseContext<'_>) -> Outcome {
    let mut session = context.process(Errors::Read)?;
    conversation(context, &mut session)?;
    session.quit()?;
    thread::sleep(Duration::from_millis(20));
    let errors = session.errors();
    if errors.is_empty() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&errors);
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("an empty line");
    Err(session.failed(format!("it writes to standard error: {}", first.escape_debug())))
}

fn errors_full(context: &mut CaseContext<'_>) -> Outcome {
    let mut session = context.process(Errors::Full)?;
    conversation(context, &mut session)?;
    session.quit()?;
    Ok(None)
}

fn output_closed(mut session: EngineSession) -> Outcome {
    session.go(&CasePosition::new(MATSURI), "go infinite");
    thread::sleep(session.settings().silence / 5);
    session.close_output();
    session.close_input();
    // It may end in any way, even by a signal for the closed pipe.
    session.wait_for_end(session.settings().timeout)?;
    Ok(None)
}

/// Has a conversation and checks that no line has the fault.
fn no_line(context: &mut CaseContext<'_>, fault: impl Fn(&str) -> bool, what: &str) -> Outcome {
    let mut session = context.process(Errors::Read)?;
    let lines = conversation(context, &mut session)?;
    match lines.iter().find(|line| fault(&line.text)) {
        Some(line) => Err(session.failed(format!("`{}` {what}", line.quoted()))),
        None => Ok(None),
    }
}

fn output_ascii(context: &mut CaseContext<'_>) -> Outcome {
    no_line(context, |line| !line.chars().all(|letter| matches!(letter, ' '..='~' | '\t')), "is not ASCII")
}

fn starts_with_error(line: &str) -> bool {
    line.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"))
}

fn output_known(context: &mut CaseContext<'_>) -> Outcome {
    let is_unknown = |line: &str| !starts_with_error(line) && matches!(Reply::parse(line.as_bytes()), Reply::Other(_));
    no_line(context, is_unknown, "is no line of the protocol")
}
