//! Kiki keeps to the protocol in every case that `kiki-lab usi-check` knows. The same with more repetitions runs in `.ci/interop`.

use kiki_conformance::{CheckSettings, EngineUnderTest, Verdict, cases, check_at_once};
use kiki_driver::Program;

/// So many engines are checked at a time.
const AT_ONCE: usize = 3;

#[test]
fn every_case_of_the_conformance_check_passes() {
    let options = [("Threads", "1"), ("USI_Hash", "8")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let program = Program::from_words([env!("CARGO_BIN_EXE_kiki")]).expect("the engine is built");
    let engine = EngineUnderTest { program, options: options.to_vec() };
    let report = check_at_once(&engine, &cases(), &CheckSettings::for_tests(), AT_ONCE);
    let wrong: Vec<_> = report.results.iter().filter(|result| !matches!(result.verdict, Verdict::Pass(_))).collect();
    assert!(wrong.is_empty() && report.passes(), "{wrong:#?}");
}
