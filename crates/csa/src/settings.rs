//! The settings of the client: a file in TOML, overridden by the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::builder::{OsStringValueParser, TypedValueParser as _};
use clap::{Args, ValueEnum};
use kiki_driver::{EngineSpec, Program};
use kiki_platform::{MOST_SETTINGS, read_regular_text};
use serde::Deserialize;

use crate::protocol::Password;

/// The environment variable that may hold the password. Engines do not inherit it.
pub const PASSWORD_VARIABLE: &str = "KIKI_CSA_PASSWORD";

/// Settings on the command line.
#[derive(Args, Debug)]
pub struct SettingArgs {
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
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value)]
    options: Vec<(String, String)>,
    /// When the engine thinks on the other side's time
    #[arg(long)]
    ponder: Option<PonderMode>,
    /// Number of games; 0 for no limit
    #[arg(long)]
    games: Option<u32>,
    /// Milliseconds of each move's time reserved for the network
    #[arg(long)]
    margin: Option<u64>,
    /// Folder for game records
    #[arg(long)]
    records: Option<PathBuf>,
    /// Log file; an empty text means none
    #[arg(long, value_parser = OsStringValueParser::new().map(PathBuf::from))]
    log: Option<PathBuf>,
}

fn name_and_value(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').ok_or("it is not NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClientSettings {
    pub server: ServerSettings,
    pub engine: ClientEngineSettings,
    pub play: PlaySettings,
    pub records: RecordSettings,
    pub log: LogSettings,
}

#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClientEngineSettings {
    /// The program and its arguments as on a command line.
    pub command: String,
    /// Working directory.
    pub directory: Option<PathBuf>,
    pub options: BTreeMap<String, toml::Value>,
}

/// When the engine thinks on the other side's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum PonderMode {
    /// Never
    #[default]
    Off,
    /// After the server has confirmed its move and sent the move's time
    On,
    /// As soon as its move is sent; `ponderhit` gives it the times
    Early,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlaySettings {
    /// Number of games; 0 for no limit.
    pub games: u32,
    pub ponder: PonderMode,
    /// Milliseconds of each move's time reserved for the network.
    pub margin: u64,
    /// Whether to declare as soon as that wins, without asking the engine.
    pub declare: bool,
    /// Whether moves are sent with scores and principal variations.
    pub comments: bool,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecordSettings {
    pub directory: PathBuf,
    /// Whether finished games are written as KIF as well.
    pub kif: bool,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogSettings {
    /// The file, to which the log is appended. Empty for none.
    pub file: PathBuf,
    /// The level: `error`, `warn`, `info`, `debug` (all lines of the server, and of the engine
    /// except `info`) or `trace`.
    pub level: String,
}

impl Default for PlaySettings {
    fn default() -> Self {
        Self { games: 0, ponder: PonderMode::Off, margin: 500, declare: true, comments: true }
    }
}

impl Default for RecordSettings {
    fn default() -> Self {
        Self { directory: PathBuf::from("records"), kif: true }
    }
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { file: PathBuf::from("kiki-csa.log"), level: "debug".to_owned() }
    }
}

impl ClientEngineSettings {
    pub fn spec(&self, ponder: PonderMode) -> Result<EngineSpec> {
        ensure!(!self.command.trim().is_empty(), "engine.command is missing");
        let program = Program::from_line(&self.command).context("engine.command")?;
        let program = program.in_directory(self.directory.as_deref()).without_variable(PASSWORD_VARIABLE);
        let text = |value: &toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let options: Vec<(String, String)> =
            self.options.iter().map(|(name, value)| (name.clone(), text(value))).collect();
        let is_odd = |text: &&String| text.contains(char::is_control);
        let odd = options.iter().flat_map(|(name, value)| [name, value]).find(is_odd);
        ensure!(odd.is_none(), "engine.options: {odd:?} is more than one line");
        Ok(EngineSpec { program, options, ponders: ponder != PonderMode::Off })
    }
}

/// Replaces a setting by what the command line says.
fn set<T>(setting: &mut T, told: Option<T>) {
    if let Some(told) = told {
        *setting = told;
    }
}

impl ClientSettings {
    /// The settings of the file, overridden by the environment and the command line.
    pub fn new(file: Option<&Path>, args: SettingArgs) -> Result<Self> {
        let mut settings = file.map_or_else(|| Ok(Self::default()), Self::read)?;
        let Self { server, engine, play, records, log } = &mut settings;
        let password = std::env::var(PASSWORD_VARIABLE).ok().filter(|password| !password.is_empty());
        set(&mut server.password, password.map(Password::new));
        set(&mut server.host, args.host);
        set(&mut server.port, args.port);
        set(&mut server.name, args.name);
        set(&mut server.game, args.game);
        set(&mut engine.command, args.engine);
        for (name, value) in args.options {
            engine.options.retain(|known, _| !known.eq_ignore_ascii_case(&name));
            engine.options.insert(name, toml::Value::String(value));
        }
        set(&mut play.ponder, args.ponder);
        set(&mut play.games, args.games);
        set(&mut play.margin, args.margin);
        set(&mut records.directory, args.records);
        set(&mut log.file, args.log);
        settings.check()?;
        Ok(settings)
    }

    /// Errors name the file and the line at fault.
    fn read(path: &Path) -> Result<Self> {
        let text = read_regular_text(path, MOST_SETTINGS).with_context(|| path.display().to_string())?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    /// Errors name the line at fault, and never quote the text, which may hold a password.
    pub fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(0, |before| before.matches('\n').count() + 1);
            anyhow::anyhow!("line {line}: {}", error.message())
        })
    }

    /// Errors name the setting at fault.
    pub fn check(&self) -> Result<()> {
        self.server.check()?;
        ensure!(self.play.margin <= 60_000, "play.margin is {}, but must be at most 60000", self.play.margin);
        let levels = ["error", "warn", "info", "debug", "trace"];
        ensure!(
            levels.contains(&self.log.level.as_str()),
            "log.level is `{}`, but must be one of {}",
            self.log.level,
            levels.join(", ")
        );
        self.engine.spec(self.play.ponder).map(|_| ())
    }
}

/// Shortest interval between empty lines that servers accept, in seconds.
const SHORTEST_KEEP_ALIVE: f64 = 30.0;

/// Longest wait in the settings. An `Instant` can always represent a moment that far away.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

/// Beginning of the names of floodgate's games. Floodgate never pairs a player without a password.
const FLOODGATE: &str = "floodgate-";

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerSettings {
    /// The name or address of the server.
    pub host: String,
    pub port: u16,
    /// The name to log in with: 1 to 32 letters, digits, `_`, `-`, `.` or `@`.
    pub name: String,
    /// The game, such as `floodgate-300-10F`, which is sent in front of the password. Empty if the
    /// password contains it, or if the server needs none.
    pub game: String,
    #[serde(deserialize_with = "password")]
    pub password: Password,
    /// Seconds between empty lines that keep the connection alive, at least 30; 0 for none.
    pub keep_alive: f64,
    /// Seconds within which the server has to answer the login.
    pub login_within: f64,
    /// Seconds within which a game has to start after the client agreed to it, and within which a
    /// summary has to end.
    pub start_within: f64,
    /// Seconds before the first new attempt after a failure. They double with every attempt.
    pub reconnect_after: f64,
    /// Maximum number of seconds between attempts.
    pub reconnect_at_most: f64,
    /// Whether to stay logged in after a game, for servers that start the next one themselves.
    pub stay: bool,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            host: String::new(),
            port: 4081,
            name: String::new(),
            game: String::new(),
            password: Password::default(),
            keep_alive: 60.0,
            login_within: 60.0,
            start_within: 180.0,
            reconnect_after: 10.0,
            reconnect_at_most: 60.0,
            stay: false,
        }
    }
}

fn password<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Password, D::Error> {
    // The usual error would quote the value.
    let text = String::deserialize(deserializer)
        .map_err(|_| serde::de::Error::custom("a password is a text in quotation marks"));
    text.map(Password::new)
}

impl ServerSettings {
    /// The password as it is sent: the game, a comma and the password, or only one of these.
    pub(crate) fn login_password(&self) -> Password {
        match (self.game.as_str(), self.password.reveal()) {
            ("", _) => self.password.clone(),
            (game, "") => Password::new(game),
            (game, secret) => Password::new(format!("{game},{secret}")),
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        ensure!(!self.host.is_empty(), "server.host is missing");
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-.@".contains(letter);
        ensure!(
            (1..=32).contains(&self.name.len()) && self.name.chars().all(is_letter),
            "server.name is `{}`, but must be 1 to 32 letters, digits, `_`, `-`, `.` or `@`",
            self.name
        );
        ensure!(!self.game.contains([',', ' ']), "server.game is `{}`, but must have no blank and no comma", self.game);
        let game_of_password = self.password.reveal().split_once(',').map_or("", |(game, _)| game);
        ensure!(
            self.game.is_empty() || game_of_password != self.game,
            "server.game is `{}`, and the password begins with it as well: it must stand in one of them only",
            self.game
        );
        let password = self.login_password();
        ensure!(!password.reveal().is_empty(), "neither server.game nor a password is given");
        ensure!(
            !password.reveal().starts_with(FLOODGATE)
                || password.reveal().split_once(',').is_some_and(|(_, own)| !own.is_empty()),
            "floodgate begins no game with a player without a password: set server.password or KIKI_CSA_PASSWORD"
        );
        ensure!(
            password.reveal().chars().all(|letter| letter.is_ascii_graphic()),
            "the password must be of visible ASCII letters without blanks"
        );
        ensure!(
            self.keep_alive == 0.0 || (SHORTEST_KEEP_ALIVE..=LONGEST_WAIT.as_secs_f64()).contains(&self.keep_alive),
            "server.keep_alive is {}, but must be 0, or {SHORTEST_KEEP_ALIVE} to {}",
            self.keep_alive,
            LONGEST_WAIT.as_secs()
        );
        for (name, seconds) in [
            ("login_within", self.login_within),
            ("start_within", self.start_within),
            ("reconnect_after", self.reconnect_after),
            ("reconnect_at_most", self.reconnect_at_most),
        ] {
            ensure!(
                Duration::try_from_secs_f64(seconds).is_ok_and(|time| !time.is_zero() && time <= LONGEST_WAIT),
                "server.{name} is {seconds}, but must be above 0 and at most a day"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"
        [server]
        host = "wdoor.c.u-tokyo.ac.jp"
        name = "kiki"
        game = "floodgate-300-10F"
        password = "secret"
        [engine]
        command = "sh -c 'my engine'"
        options = { Threads = 2, USI_Hash = 256, Eval = "formula", OwnBook = false }
        [play]
        ponder = "early"
        margin = 1000
    "#;

    #[test]
    fn a_file_says_everything() {
        let settings = ClientSettings::parse(WHOLE).unwrap();
        settings.check().unwrap();
        assert_eq!(settings.server.login_password().reveal(), "floodgate-300-10F,secret");
        let spec = settings.engine.spec(settings.play.ponder).unwrap();
        let options: Vec<String> = spec.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(options, ["Eval=formula", "OwnBook=false", "Threads=2", "USI_Hash=256"]);
        assert_eq!((spec.program.line().as_str(), spec.ponders), ("sh -c my engine", true));
        assert_eq!((settings.play.ponder, settings.play.margin), (PonderMode::Early, 1000));
    }

    #[test]
    fn a_password_shows_in_no_error_and_in_no_debug_text() {
        let settings = ClientSettings::parse(WHOLE).unwrap();
        assert!(!format!("{settings:?}").contains("secret"));
        for (from, to) in [("password", "pass_word"), ("\"secret\"", "\"secret"), ("\"secret\"", "31415")] {
            // A line is named whether it is indented or not.
            for text in [WHOLE.to_owned(), WHOLE.replace("        ", "")] {
                let error = format!("{:#}", ClientSettings::parse(&text.replace(from, to)).unwrap_err());
                assert!(error.starts_with("line 6: "), "{error}");
                assert!(!error.contains("secret") && !error.contains("31415"), "{error}");
            }
        }
        let blank = ClientSettings::parse(&WHOLE.replace("secret", "sec ret")).unwrap();
        assert!(!format!("{:#}", blank.check().unwrap_err()).contains("sec ret"));
    }

    #[test]
    fn times_that_nobody_can_wait_for_are_refused() {
        let check = |name: &str, value: &str| {
            let text = WHOLE.replace("name = \"kiki\"", &format!("name = \"kiki\"\n{name} = {value}"));
            ClientSettings::parse(&text).unwrap().check()
        };
        for name in ["login_within", "start_within", "reconnect_after", "reconnect_at_most"] {
            for value in ["0", "-1", "-0.0", "nan", "-nan", "inf", "-inf", "1e300", "86401", "1e-300"] {
                let error = check(name, value).unwrap_err().to_string();
                assert!(error.starts_with(&format!("server.{name} is ")), "{error}");
                assert!(error.ends_with("must be above 0 and at most a day"), "{name} = {value}: {error}");
            }
            check(name, "86400").unwrap();
            check(name, "0.001").unwrap();
        }
        for value in ["29", "86401", "-1", "nan", "9223372036854775807"] {
            let error = check("keep_alive", value).unwrap_err().to_string();
            assert!(error.ends_with("must be 0, or 30 to 86400"), "{error}");
        }
        for value in ["0", "30", "86400"] {
            check("keep_alive", value).unwrap();
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_name() {
        for (from, to, reason) in [
            ("host = \"wdoor.c.u-tokyo.ac.jp\"", "", "server.host is missing"),
            ("\"kiki\"", "\"a b\"", "server.name is `a b`"),
            ("-10F\"", "-10F,x\"", "server.game is `floodgate-300-10F,x`"),
            ("password = \"secret\"", "", "floodgate begins no game with a player without a password"),
            ("\"secret\"", "\"floodgate-300-10F,secret\"", "and the password begins with it as well"),
            ("margin = 1000", "margin = 100000", "play.margin is 100000"),
            ("sh -c", "./no/such/file", "there is no file `./no/such/file`"),
            ("\"formula\"", "\"a\\nquit\"", "\"a\\nquit\") is more than one line"),
            ("sh -c 'my engine'", " ", "engine.command is missing"),
            ("[play]", "[log]\nlevel = 'loud'\n[play]", "log.level is `loud`"),
        ] {
            let text = WHOLE.replace(from, to);
            let error = format!("{:#}", ClientSettings::parse(&text).and_then(|read| read.check()).unwrap_err());
            assert!(error.contains(reason) && !error.contains("secret"), "{to}: {error}");
        }
        for (from, to) in [("host", "hots"), ("[play]", "[plays]"), ("early", "soon")] {
            assert!(ClientSettings::parse(&WHOLE.replace(from, to)).is_err(), "{to}");
        }
    }

    #[test]
    fn the_game_or_the_password_may_stand_alone() {
        for (game, password) in [("test-60-1F", ""), ("", "test-60-1F")] {
            let (game, password) = (game.to_owned(), Password::new(password));
            let server = ServerSettings { game, password, ..ServerSettings::default() };
            assert_eq!(server.login_password().reveal(), "test-60-1F");
        }
    }

    #[test]
    fn an_empty_text_on_the_command_line_means_no_log() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            args: SettingArgs,
        }
        let words = "kiki-csa --host server --name kiki --game game --engine sh --log";
        let line = <Line as clap::Parser>::try_parse_from(words.split(' ').chain([""])).unwrap();
        assert_eq!(ClientSettings::new(None, line.args).unwrap().log.file, PathBuf::new());
    }
}
