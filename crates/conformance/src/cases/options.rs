//! `setoption`.

use kiki_usi::{OptionDeclaration, OptionKind};

use crate::check::{NamedRun, Needs, Run};
use crate::context::CaseContext;
use crate::output_lines::check_option_line;
use crate::pipes::Line;
use crate::placement::{CasePosition, START};
use crate::session::{EngineSession, Errors, LONGER, SHORT};
use crate::settings::{Outcome, Problem};

const MOST_FAULTS: usize = 3;

pub(super) const RUNS: &[NamedRun] = &[
    ("option-lines", Run::Free(Needs::Handshake, option_lines)),
    ("options-resent", Run::Free(Needs::Ready, options_resent)),
    ("option-unknown", Run::Free(Needs::Ready, option_unknown)),
    ("option-bad-value", Run::Free(Needs::Ready, option_bad_value)),
    ("option-empty", Run::Free(Needs::Ready, option_empty)),
    ("option-blanks", Run::Free(Needs::Ready, option_blanks)),
    ("option-name-case", Run::Free(Needs::Ready, option_name_case)),
    ("option-button", Run::Free(Needs::Ready, option_button)),
    ("option-between-searches", Run::Free(Needs::Ready, option_between_searches)),
];

fn option_lines(context: &mut CaseContext<'_>) -> Outcome {
    let mut session = context.process(Errors::Read)?;
    let lines = session.handshake()?;
    let options: Vec<&Line> = lines.iter().filter(|line| line.is("option")).collect();
    let mut faults: Vec<String> = Vec::new();
    for line in &options {
        let fault = check_option_line(&line.text).err();
        faults.extend(fault.map(|fault| format!("{fault}: `{}`", line.quoted())));
    }
    let mut names: Vec<String> = context.options.iter().map(|option| option.name.to_lowercase()).collect();
    names.sort();
    faults.extend(names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| format!("`{}` stands twice", pair[0])));
    if faults.is_empty() {
        return Ok(Some(format!("{} options", options.len())));
    }
    let more = faults.len().saturating_sub(MOST_FAULTS);
    faults.truncate(MOST_FAULTS);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Err(session.failed(format!("{}{more}", faults.join("; "))))
}

fn options_resent(context: &mut CaseContext<'_>) -> Outcome {
    let mut session = context.process(Errors::Read)?;
    session.handshake()?;
    for option in &context.options {
        if let Some(value) = context.value_of(option) {
            session.set_option(&option.name, &value);
        }
    }
    session.set_option("USI_Hash", "32");
    session.set_option("USI_Ponder", "true");
    goes_on(context, &mut session)
}

fn goes_on(context: &CaseContext<'_>, session: &mut EngineSession) -> Outcome {
    context.set_options(session);
    session.ready()?;
    session.think_legally(&CasePosition::new(START), SHORT)?;
    Ok(None)
}

fn option_unknown(context: &mut CaseContext<'_>) -> Outcome {
    let mut session = context.introduced()?;
    session.say("setoption name NoSuchOption value 3");
    session.say("setoption name NoSuchButton");
    session.say("setoption name No Such Option value a b c");
    session.say("setoption");
    goes_on(context, &mut session)
}

fn option_bad_value(context: &mut CaseContext<'_>) -> Outcome {
    let mut session = context.introduced()?;
    for option in &context.options {
        let name = &option.name;
        // Too large a size or number of threads may harm the machine: it is not tried.
        let is_size = ["hash", "thread", "memory"].iter().any(|word| name.to_lowercase().contains(word));
        let bad: Vec<String> = match &option.kind {
            OptionKind::Check => vec!["maybe".to_owned(), "1".to_owned()],
            OptionKind::Spin { min, max } => {
                let beyond = max.saturating_add(1).to_string();
                let below = min.saturating_sub(1).to_string();
                let huge = "9".repeat(40);
                let numbers = if is_size { vec![below] } else { vec![below, beyond, huge] };
                numbers.into_iter().chain(["many".to_owned()]).collect()
            }
            OptionKind::Combo { .. } => vec!["NoSuchChoice".to_owned()],
            _ => continue,
        };
        for value in bad {
            session.say(&format!("setoption name {name} value {value}"));
        }
        session.say(&format!("setoption name {name}"));
        restore(context, &mut session, option);
    }
    goes_on(context, &mut session)
}

fn restore(context: &CaseContext<'_>, session: &mut EngineSession, option: &OptionDeclaration) {
    if let Some(value) = context.value_of(option) {
        session.set_option(&option.name, &value);
    }
}

fn texts(context: &CaseContext<'_>) -> Result<Vec<OptionDeclaration>, Problem> {
    let is_text = |option: &&OptionDeclaration| matches!(option.kind, OptionKind::String | OptionKind::Filename);
    let texts: Vec<OptionDeclaration> = context.options.iter().filter(is_text).cloned().collect();
    if texts.is_empty() { Err(Problem::skipped("no option that is a text")) } else { Ok(texts) }
}

fn option_empty(context: &mut CaseContext<'_>) -> Outcome {
    let texts = texts(context)?;
    let mut session = context.introduced()?;
    for option in &texts {
        for end in [" value <empty>", " value ", " value", ""] {
            session.say(&format!("setoption name {}{end}", option.name));
        }
        restore(context, &mut session, option);
    }
    goes_on(context, &mut session)
}

fn option_blanks(context: &mut CaseContext<'_>) -> Outcome {
    let texts = texts(context)?;
    // An engine may write to a file that it is given.
    let folder = tempfile::tempdir().map_err(|error| Problem::skipped(format!("no folder: {error}")))?;
    let path = folder.path().join("my shogi books").join("a book  of mine.db");
    let mut session = context.introduced()?;
    for option in &texts {
        session.set_option(&option.name, &path.display().to_string());
        restore(context, &mut session, option);
    }
    goes_on(context, &mut session)
}

/// Number of lines that a search reports. A search too short for `expected` lines gets a second
/// chance.
fn lines_told(session: &mut EngineSession, expected: u32) -> Result<u32, Problem> {
    let mut told = 0;
    for go in [SHORT, LONGER] {
        let answer = session.think(&CasePosition::new(START), go)?;
        let ranks = answer.before.iter().filter_map(|line| line.info()?.multipv);
        told = ranks.max().unwrap_or(1);
        if told >= expected {
            break;
        }
    }
    Ok(told)
}

fn option_name_case(context: &mut CaseContext<'_>) -> Outcome {
    context.most_lines()?;
    let mut session = context.fresh()?;
    session.say("setoption name mULTIpv value 2");
    match lines_told(&mut session, 2)? {
        2 => Ok(None),
        lines => {
            Err(session.failed(format!("after `setoption name mULTIpv value 2` a search tells {lines} lines of play")))
        }
    }
}

fn option_button(context: &mut CaseContext<'_>) -> Outcome {
    let buttons: Vec<&OptionDeclaration> =
        context.options.iter().filter(|option| option.kind == OptionKind::Button).collect();
    if buttons.is_empty() {
        return Err(Problem::skipped("no button"));
    }
    let mut session = context.fresh()?;
    for button in buttons {
        session.say(&format!("setoption name {}", button.name));
    }
    goes_on(context, &mut session)
}

fn option_between_searches(context: &mut CaseContext<'_>) -> Outcome {
    context.most_lines()?;
    let mut session = context.fresh()?;
    for lines in [1, 3, 1, 2] {
        session.set_option("MultiPV", &lines.to_string());
        let told = lines_told(&mut session, lines)?;
        if told != lines {
            return Err(session.failed(format!("with MultiPV {lines} a search tells {told} lines of play")));
        }
    }
    Ok(None)
}
