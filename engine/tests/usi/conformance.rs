//! Kiki keeps to the protocol in every case that `kiki-lab usi-check` knows. The same with more repetitions runs in `.ci/interop`.

use std::time::Duration;

use kiki_conformance::{CheckSettings, EngineUnderTest, Verdict, cases, check};
use kiki_driver::{CancellationToken, Program};

#[test]
fn every_case_of_the_conformance_check_passes() {
    let options = [("Threads", "1"), ("USI_Hash", "8")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let program = Program::from_words([env!("CARGO_BIN_EXE_kiki")]).expect("the engine is built");
    let engine = EngineUnderTest { program, options: options.to_vec() };
    // Answers are late on a machine that runs other tests beside; what matters here is that they come, and how many.
    let settings = CheckSettings {
        timeout: Duration::from_secs(20),
        tolerance: Duration::from_secs(5),
        silence: Duration::from_millis(100),
        races: 60,
        positions: 8,
        ..CheckSettings::default()
    };
    let report = check(&engine, &cases(), &settings, &CancellationToken::never(), &mut |_| {});
    let wrong: Vec<_> = report.results.iter().filter(|result| !matches!(result.verdict, Verdict::Pass(_))).collect();
    assert!(wrong.is_empty() && report.passes(), "{wrong:#?}");
}
