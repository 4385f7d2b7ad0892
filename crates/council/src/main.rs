//! `kiki-council`: several USI engines decide together. It speaks USI on standard input and output.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use kiki_council::settings::CouncilSettings;

const EXAMPLE: &str = "\
A council:
  rule = \"precision\"
  loss = 100
  [[member]]
  command = \"target/release/kiki\"
  noise = 100
  options = { Threads = 1 }
  [[member]]
  command = \"ssh host engine\"
  noise = 150

docs/council.md tells what each line means.";

const USUAL_FILE: &str = "council.toml";

/// Several USI engines decide together, as one USI engine
#[derive(Parser, Debug)]
#[command(version, after_help = EXAMPLE)]
struct Arguments {
    /// The council's settings [default: council.toml beside the program, if there is one]
    file: Option<PathBuf>,
}

fn main() -> ExitCode {
    if kiki_platform::is_sufficient("kiki-council", &mut std::io::stderr()) { run() } else { ExitCode::from(2) }
}

/// Not inlined, so that nothing of it runs before the processor is checked.
#[inline(never)]
fn run() -> ExitCode {
    let usual = || std::env::current_exe().ok().and_then(|path| Some(path.parent()?.join(USUAL_FILE)));
    let file = Arguments::parse().file.or_else(|| usual().filter(|path| path.is_file()));
    let settings = file.as_deref().map_or_else(|| Ok(CouncilSettings::default()), CouncilSettings::read);
    match settings.and_then(|settings| Ok(kiki_council::run(settings)?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // `eprintln!` would panic if standard error is closed.
            let _ = writeln!(std::io::stderr(), "kiki-council: {error:#}");
            ExitCode::from(2)
        }
    }
}
