//! `kiki-csa`: plays any USI engine on a CSA server.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;
use kiki_csa::logging::{self, printable_lines};
use kiki_csa::output::LiveLine;
use kiki_csa::session::{Client, GameTotals};
use kiki_csa::settings::{ClientSettings, SettingArgs};
use kiki_driver::CancellationSource;
use kiki_platform::{on_interruption, prefer_short_time_slices};

const EXAMPLE: &str = "\
A file:
  [server]
  host = \"wdoor.c.u-tokyo.ac.jp\"
  name = \"my-engine\"
  game = \"floodgate-300-10F\"
  password = \"a secret of mine\"
  [engine]
  command = \"target/release/kiki\"
  options = { Threads = 2, USI_Hash = 1024 }
  [play]
  ponder = \"on\"

The environment variable KIKI_CSA_PASSWORD may hold the password instead. docs/csa.md explains every setting.
Ctrl-C stops after the current game, a second one gives the game up.";

/// Longest wait at the end for output without a reader.
const LAST_OUTPUT: Duration = Duration::from_secs(3);

/// Plays any USI engine on a CSA server
#[derive(Parser, Debug)]
#[command(version, after_help = EXAMPLE)]
struct Arguments {
    /// File with settings, which the options override
    file: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingArgs,
    /// Print only warnings
    #[arg(long)]
    quiet: bool,
}

fn main() -> ExitCode {
    if kiki_platform::is_sufficient("kiki-csa", &mut std::io::stderr()) { run() } else { ExitCode::from(2) }
}

/// Not inlined, so that nothing of it runs before the processor is checked.
#[inline(never)]
fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let live = LiveLine::standard_error();
    let settings = ClientSettings::new(arguments.file.as_deref(), arguments.settings).map_err(|error| (2, error));
    let played = settings.and_then(|settings| play(settings, &live, arguments.quiet).map_err(|error| (1, error)));
    let (code, text) = match played {
        Ok((totals, is_saved)) => (u8::from(!is_saved), totals.to_string()),
        Err((code, error)) => (code, format!("kiki-csa: {error:#}")),
    };
    live.print(printable_lines(&text).as_bytes());
    live.flush_within(LAST_OUTPUT);
    ExitCode::from(code)
}

/// Plays. The second value is true if all records and the whole log were saved.
fn play(settings: ClientSettings, live: &LiveLine, quiet: bool) -> Result<(GameTotals, bool)> {
    let log = logging::begin(&settings.log, live, quiet)?;
    let cancel = CancellationSource::new();
    let mut client = Client::new(settings, live.clone(), cancel.token().clone())?;
    let interrupts = client.interrupts();
    on_interruption(move || {
        if interrupts.add() > 1 {
            cancel.cancel();
        }
    })
    .context("Ctrl-C")?;
    prefer_short_time_slices();
    let totals = client.run();
    for record in client.unsaved_records() {
        live.flush_within(LAST_OUTPUT);
        // The record is nowhere else, so the program waits even for a held terminal.
        let text = printable_lines(&format!("a record that could not be saved:\n{record}"));
        // `eprintln!` would panic if standard error is closed.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    let is_logged = log.finish(LAST_OUTPUT).is_ok();
    Ok((totals?, is_logged && !client.has_lost_records()))
}
