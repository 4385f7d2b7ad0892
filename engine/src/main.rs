//! Kiki, a USI shogi engine.
//!
//! Without arguments it speaks USI on standard input and output. `serve`, `bench`, `perft`,
//! `analyze` and `mate` are commands of their own; any other arguments are USI commands, separated
//! by commas.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod analyze;
mod bench;
mod cli;
mod evaluation;
mod genfens;
mod mate;
mod memory;
mod output;
mod people;
mod perft;
mod serve;
mod usi;
mod version;

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    if kiki_platform::is_sufficient("kiki", &mut std::io::stderr()) { run() } else { ExitCode::from(2) }
}

/// A separate function, so that none of its code runs before the check of the processor.
#[inline(never)]
fn run() -> ExitCode {
    match cli::run(std::env::args_os().skip(1).collect()) {
        Ok(status) => status,
        Err(error) => {
            // Only commands for people fail: while USI is spoken, every error is an `info string`.
            // Standard error may be closed: `eprintln!` would panic.
            let _ = writeln!(std::io::stderr(), "kiki: {error}");
            // As for arguments that cannot be parsed.
            ExitCode::from(2)
        }
    }
}
