//! `kiki-lab usi-check`: does an engine keep to the protocol?

use std::process::ExitCode;
use std::time::Duration;

use crate::{Case, CaseResult, CheckReport, CheckSettings, EngineUnderTest, Verdict, cases, check};
use anyhow::{Result, bail, ensure};
use clap::Args;
use kiki_driver::{CancellationToken, EngineSpec, SetOptionError, StartError, Timeouts};
use kiki_text::excerpt;
use serde_json::{Value, json};

use kiki_contest::engine_words::EngineWords;
use kiki_run::interrupt::{Interrupt, exit_code};
use kiki_run::output::{ProgressLine, print_json, print_warning, table};
use kiki_run::say;

const EXAMPLE: &str = "\
Examples:
  kiki-lab usi-check target/release/kiki
  kiki-lab usi-check 'target/release/kiki-council examples/council.toml'
  kiki-lab usi-check 'cmd=/usr/games/fairy-stockfish option.Threads=1' --quick
  kiki-lab usi-check target/release/kiki --only stop-races,ponder-races

Exit status: 0 if no required case fails, 1 if one does, 2 for bad arguments, 130 after Ctrl-C.
docs/usi-check.md describes every case.";

const BAD_ARGUMENTS: u8 = 2;

/// Check whether a USI engine keeps to the protocol, in conversations with real processes
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct UsiCheckArgs {
    /// A command line, or words as for `match`: name=.. cmd=.. dir=.. option.NAME=VALUE
    #[arg(value_name = "ENGINE", required_unless_present = "list")]
    engine: Option<String>,
    /// Run only these cases, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// List the cases: what each checks, and what goes wrong otherwise
    #[arg(long)]
    list: bool,
    /// Use fewer repetitions and shorter waits
    #[arg(long)]
    quick: bool,
    /// Maximum wait for an answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Maximum wait for `readyok`, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    ready_timeout: u64,
    /// Tolerated delay of an answer beyond the limit of the protocol, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    tolerance: u64,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &UsiCheckArgs) -> Result<ExitCode> {
    let Asked { cases: chosen, engine } = match asked_for(arguments) {
        Ok(asked) => asked,
        Err(error) => {
            print_warning(&format!("{error:#}"));
            return Ok(ExitCode::from(BAD_ARGUMENTS));
        }
    };
    let Some((name, engine)) = engine else {
        list(&chosen, arguments.json)?;
        return Ok(ExitCode::SUCCESS);
    };
    let settings = settings(arguments);
    let interrupt = Interrupt::listen()?;
    if let Err(error) = check_options(&name, &engine, &settings, interrupt.cancellation.token()) {
        print_warning(&format!("{error:#}"));
        return Ok(ExitCode::from(BAD_ARGUMENTS));
    }
    let mut line = ProgressLine::new("cases", chosen.len() as u64, 0);
    let mut done = 0;
    let report = check(&engine, &chosen, &settings, interrupt.cancellation.token(), &mut |result| {
        done += 1;
        line.show(done, || result.name.to_owned());
    });
    line.finish();
    if arguments.json {
        print_json(&json_of(&name, &engine, &report))?;
    } else {
        print(&name, &report);
    }
    if !report.complete {
        return Ok(exit_code(true));
    }
    Ok(if report.passes() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Asked {
    cases: Vec<Case>,
    /// The engine and its name; `None` with `--list`.
    engine: Option<(String, EngineUnderTest)>,
}

fn asked_for(arguments: &UsiCheckArgs) -> Result<Asked> {
    let mut chosen = cases();
    for name in &arguments.only {
        let known = chosen.iter().any(|case| case.name == *name);
        ensure!(known, "--only {name}: no such case; `kiki-lab usi-check --list` shows them");
    }
    chosen.retain(|case| arguments.only.is_empty() || arguments.only.iter().any(|name| name == case.name));
    if arguments.list {
        return Ok(Asked { cases: chosen, engine: None });
    }
    let words = EngineWords::parse_with_arguments(arguments.engine.as_deref().unwrap_or_default())?;
    let spec = words.complete_unlimited(&EngineWords::default())?;
    let engine = EngineUnderTest { program: spec.program()?, options: spec.options.into_iter().collect() };
    Ok(Asked { cases: chosen, engine: Some((spec.name, engine)) })
}

fn settings(arguments: &UsiCheckArgs) -> CheckSettings {
    let settings = CheckSettings {
        timeout: Duration::from_secs(arguments.timeout),
        ready_timeout: Duration::from_secs(arguments.ready_timeout),
        tolerance: Duration::from_millis(arguments.tolerance),
        ..CheckSettings::default()
    };
    if arguments.quick { settings.quick() } else { settings }
}

/// Refuses options that the engine lacks, and values that it does not allow. A failure of the engine
/// is for the cases to tell.
fn check_options(
    name: &str,
    engine: &EngineUnderTest,
    settings: &CheckSettings,
    cancel: &CancellationToken,
) -> Result<()> {
    let EngineUnderTest { program, options } = engine;
    if options.is_empty() {
        return Ok(());
    }
    let spec = EngineSpec { program: program.clone(), options: options.clone(), ponders: false };
    let timeouts = Timeouts { start: settings.ready_timeout, ..Timeouts::default() };
    match spec.start(timeouts, cancel, None) {
        Err(StartError::Option(error @ SetOptionError::Invalid { .. })) => bail!("engine `{name}`: {error}"),
        _ => Ok(()),
    }
}

fn list(chosen: &[Case], as_json: bool) -> Result<()> {
    if as_json {
        let row = |case: &Case| json!({ "name": case.name, "severity": case.severity.to_string(), "row": case.row, "promise": case.promise, "why": case.why });
        return print_json(&chosen.iter().map(row).collect::<Vec<_>>());
    }
    for case in chosen {
        say!("{:24} {:12} {}", case.name, case.severity, case.row);
        say!("    checked: {}", case.promise);
        say!("  otherwise: {}", case.why);
    }
    say!("\nNot tested:");
    cases::not_tested().for_each(|rule| say!("  {rule}"));
    Ok(())
}

/// The verdict, with the measurement or the missing ability.
fn words_of(verdict: &Verdict) -> (&'static str, String) {
    match verdict {
        Verdict::Pass(measured) => ("pass", measured.clone().unwrap_or_default()),
        Verdict::Fail(_) => ("FAIL", String::new()),
        Verdict::Skipped(reason) => ("skipped", reason.clone()),
    }
}

fn print(name: &str, report: &CheckReport) {
    // Most cases of an engine that does not answer are skipped for that one reason.
    let is_shown = |result: &&CaseResult| report.answers || !matches!(result.verdict, Verdict::Skipped(_));
    let rows = report.results.iter().filter(is_shown).map(|result| {
        let (verdict, remark) = words_of(&result.verdict);
        vec![result.name.to_owned(), result.severity.to_string(), verdict.to_owned(), remark]
    });
    say!("{}", table(&["case", "severity", "verdict", "measured"], rows));
    for CaseResult { name, severity, verdict, .. } in &report.results {
        if let Verdict::Fail(failure) = verdict {
            say!("\n{name} ({severity}): {}", failure.reason);
            failure.conversation.iter().for_each(|line| say!("  {line}"));
        }
    }
    let count = |wanted: &str| report.results.iter().filter(|result| words_of(&result.verdict).0 == wanted).count();
    let shown = excerpt(if report.engine_name.is_empty() { name } else { &report.engine_name });
    say!("\n{shown}: {} cases pass, {} fail, {} are skipped", count("pass"), count("FAIL"), count("skipped"));
    if !report.complete {
        say!("interrupted: the other cases were not run");
    } else if !report.answers {
        say!("it did not answer `usi` and `isready`, so most cases were skipped");
    } else if report.passes() && asks_all(report) {
        say!("it passes every required case");
    } else if report.passes() {
        say!("no required case fails among the {} selected", report.results.len());
    } else {
        say!("it fails required cases");
    }
}

/// Whether all cases were run: a few say little about the engine.
fn asks_all(report: &CheckReport) -> bool {
    report.results.len() == cases().len()
}

fn json_of(name: &str, engine: &EngineUnderTest, report: &CheckReport) -> Value {
    let case = |result: &CaseResult| {
        let (verdict, conversation) = match &result.verdict {
            Verdict::Fail(failure) => (json!({ "fail": failure.reason }), Some(&failure.conversation)),
            Verdict::Pass(measured) => (json!({ "pass": measured }), None),
            Verdict::Skipped(reason) => (json!({ "skipped": reason }), None),
        };
        json!({
            "name": result.name,
            "severity": result.severity.to_string(),
            "verdict": verdict,
            "conversation": conversation,
            "seconds": result.time.as_secs_f64(),
        })
    };
    json!({
        "name": name,
        "engine": report.engine_name,
        "command": engine.program.line(),
        "passes": report.passes(),
        "complete": report.complete,
        "all_cases": asks_all(report),
        "answers": report.answers,
        "cases": report.results.iter().map(case).collect::<Vec<_>>(),
    })
}
