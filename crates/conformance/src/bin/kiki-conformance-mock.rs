//! A USI engine that keeps to the protocol, for tests of what checks engines. A word on its command line makes it break one rule: the
//! words are those of [`kiki_conformance::mock::FAULTS`].

use std::io::{stdin, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let fault = std::env::args().nth(1).unwrap_or_default();
    kiki_conformance::mock::run(&fault, stdin().lock(), stdout().lock()).into()
}
