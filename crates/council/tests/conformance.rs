//! The council keeps to the protocol in every case that `kiki-lab usi-check` knows. Its members are
//! this very program, started as an engine that keeps to the protocol; a council of two Kikis is
//! checked in `.ci/interop`.

use std::process::ExitCode;
use std::{fs, io};

use kiki_conformance::{CaseResult, CheckReport, CheckSettings, EngineUnderTest, Verdict, cases, check_at_once};
use kiki_driver::Program;
use kiki_mock::faulty;

/// Number of engines checked at the same time.
const AT_ONCE: usize = 3;

/// The argument that makes this program a member.
const MEMBER: &str = "member";

fn main() -> ExitCode {
    if std::env::args().nth(1).is_some_and(|argument| argument == MEMBER) {
        return faulty::run(&[], io::stdin().lock(), io::stdout().lock()).into();
    }
    let report = check_council();
    let failed: Vec<_> = report.failed().collect();
    assert!(failed.is_empty() && report.passes(), "{failed:#?}");
    let is_skipped = |result: &&CaseResult| matches!(result.verdict, Verdict::Skipped(_));
    let skipped: Vec<_> = report.results.iter().filter(is_skipped).map(|result| result.name).collect();
    assert!(
        skipped.iter().all(|name| name.starts_with("mate-")),
        "a council looks for no mates, and lacks nothing else: {skipped:?}"
    );
    println!("{} cases pass", report.results.len() - skipped.len());
    ExitCode::SUCCESS
}

fn check_council() -> CheckReport {
    let folder = tempfile::tempdir().expect("a folder");
    let program = std::env::current_exe().expect("a path").display().to_string();
    let member = format!("[[member]]\ncommand = '\"{program}\" {MEMBER}'\nnoise = 100\n");
    let file = folder.path().join("council.toml");
    fs::write(&file, format!("rule = 'majority'\nmultipv = 1\n{member}{member}")).expect("a file");
    let words = [env!("CARGO_BIN_EXE_kiki-council").to_owned(), file.display().to_string()];
    let engine = EngineUnderTest { program: Program::from_words(words).expect("it is built"), options: Vec::new() };
    check_at_once(&engine, &cases(), &CheckSettings::for_tests(), AT_ONCE)
}
