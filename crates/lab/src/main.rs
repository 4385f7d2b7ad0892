//! `kiki-lab`: tools that measure shogi engines. `kiki-lab help` lists them; docs/lab.md names the
//! page of each.

use std::process::ExitCode;

/// The processor is checked before anything else runs.
fn main() -> ExitCode {
    if kiki_platform::is_sufficient("kiki-lab", &mut std::io::stderr()) { kiki_lab::run() } else { ExitCode::from(2) }
}
