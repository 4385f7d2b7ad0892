//! `kiki-csa`: plays any USI engine on a CSA server.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use kiki_csa::game::PonderMode;
use kiki_csa::logging;
use kiki_csa::logging::printable_lines;
use kiki_csa::output::LiveLine;
use kiki_csa::protocol::Password;
use kiki_csa::session::Client;
use kiki_csa::session::Totals;
use kiki_csa::settings::{PASSWORD_VARIABLE, Settings};
use kiki_driver::CancellationSource;
use kiki_platform::prefer_short_time_slices;

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
    /// File with settings, which the options below override
    file: Option<PathBuf>,
    /// The name or address of the server
    #[arg(long)]
    host: Option<String>,
    /// The server's port
    #[arg(long)]
    port: Option<u16>,
    /// The name to log in with
    #[arg(long)]
    name: Option<String>,
    /// The game, such as floodgate-300-10F
    #[arg(long)]
    game: Option<String>,
    /// The engine's command line
    #[arg(long)]
    engine: Option<String>,
    /// An option of the engine; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Whether the engine thinks on the other side's time: off, on or early
    #[arg(long)]
    ponder: Option<String>,
    /// Number of games; 0 for no limit
    #[arg(long)]
    games: Option<u32>,
    /// Milliseconds of each move's time reserved for the network
    #[arg(long)]
    margin: Option<u64>,
    /// Folder for game records
    #[arg(long)]
    records: Option<PathBuf>,
    /// Log file
    #[arg(long)]
    log: Option<PathBuf>,
    /// Print only warnings
    #[arg(long)]
    quiet: bool,
}

impl Arguments {
    /// The settings of the file, overridden by the command line and the environment.
    fn settings(&self) -> Result<Settings> {
        let mut settings = self.file.as_deref().map_or_else(|| Ok(Settings::default()), Settings::read)?;
        self.change_server(&mut settings);
        if let Some(command) = &self.engine {
            settings.engine.command.clone_from(command);
        }
        for option in &self.options {
            let Some((name, value)) = option.split_once('=') else { bail!("--option {option} is not NAME=VALUE") };
            let value = toml::Value::String(value.trim().to_owned());
            settings.engine.options.retain(|known, _| !known.eq_ignore_ascii_case(name.trim()));
            settings.engine.options.insert(name.trim().to_owned(), value);
        }
        settings.play.ponder = match self.ponder.as_deref() {
            None => settings.play.ponder,
            Some("off") => PonderMode::Off,
            Some("on") => PonderMode::On,
            Some("early") => PonderMode::Early,
            Some(other) => bail!("--ponder is `{other}`, but must be off, on or early"),
        };
        settings.play.games = self.games.unwrap_or(settings.play.games);
        settings.play.margin = self.margin.unwrap_or(settings.play.margin);
        if let Some(folder) = &self.records {
            settings.records.directory.clone_from(folder);
        }
        if let Some(file) = &self.log {
            settings.log.file.clone_from(file);
        }
        settings.check()?;
        Ok(settings)
    }

    fn change_server(&self, settings: &mut Settings) {
        let server = &mut settings.server;
        for (argument, setting) in
            [(&self.host, &mut server.host), (&self.name, &mut server.name), (&self.game, &mut server.game)]
        {
            if let Some(text) = argument {
                setting.clone_from(text);
            }
        }
        server.port = self.port.unwrap_or(server.port);
        if let Some(password) = std::env::var(PASSWORD_VARIABLE).ok().filter(|password| !password.is_empty()) {
            server.password = Password::new(password);
        }
    }
}

fn main() -> ExitCode {
    if kiki_platform::is_sufficient("kiki-csa", &mut std::io::stderr()) { run() } else { ExitCode::from(2) }
}

/// Not inlined, so that nothing of it runs before the processor is checked.
#[inline(never)]
fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let live = LiveLine::standard_error();
    let played = arguments.settings().map_err(|error| (2, error));
    let played = played.and_then(|settings| play(settings, &live, arguments.quiet).map_err(|error| (1, error)));
    let (code, text) = match played {
        Ok((totals, is_saved)) => (u8::from(!is_saved), totals.to_string()),
        Err((code, error)) => (code, format!("kiki-csa: {error:#}")),
    };
    live.print(printable_lines(&text).as_bytes());
    live.flush_within(LAST_OUTPUT);
    ExitCode::from(code)
}

/// Plays. The second value is true if all records and the whole log were saved.
fn play(settings: Settings, live: &LiveLine, quiet: bool) -> Result<(Totals, bool)> {
    let log = logging::begin(&settings.log, live, quiet)?;
    let cancel = CancellationSource::new();
    let mut client = Client::new(settings, live.clone(), cancel.token().clone())?;
    let interrupts = client.interrupts();
    ctrlc::set_handler(move || {
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
        say(&printable_lines(&format!("a record that could not be saved:\n{record}")));
    }
    let is_logged = log.finish(LAST_OUTPUT).is_ok();
    Ok((totals?, is_logged && !client.has_lost_records()))
}

/// Prints to standard error. `eprintln!` would panic if it is closed.
fn say(text: &str) {
    let _ = write!(std::io::stderr(), "{text}");
}
