//! The protocol: reads commands, keeps the state of the conversation, and lets the searcher work.

mod background;
mod book;
mod developer;
mod go;
mod herald;
mod mate;
mod options;
mod ready;

use std::io::{self, BufRead};
use std::sync::Arc;

use kiki_board::Position;
use kiki_eval::Formula;
use kiki_search::{Options, Searcher};
use kiki_usi::{Command, InfoString, OptionEffect, OptionSet, PositionSpec};

use crate::output::Output;
use background::Background;
use herald::Herald;
use mate::MateSearch;
use options::Settings;

/// Options that the user keeps beside the program, one `Name Value` a line.
const SETTINGS_FILE: &str = "engine_options.txt";

/// Speaks USI on standard input and output until `quit` or the end of the input.
pub(crate) fn serve_stdin() {
    let Some(mut engine) = Engine::start() else { return };
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if engine.hear(&line).is_leaving() {
            break;
        }
    }
    engine.leave();
}

/// Obeys command lines given as arguments up to `quit` or the last one; standard input is not read. Before the next line a search that
/// ends by itself, a count and a bench are waited for.
pub(crate) fn serve_lines(lines: Vec<String>) {
    let Some(mut engine) = Engine::start() else { return };
    for line in lines {
        let works = ["go", "perft", "bench", "isready"].iter().any(|word| line.trim_start().starts_with(word));
        if engine.hear(line.as_bytes()).is_leaving() {
            return engine.leave();
        }
        if works {
            engine.wait_for_answer();
        }
    }
    engine.leave();
}

/// A panic is told in the protocol: standard error stays silent.
fn tell_panics(output: &Arc<Output>) {
    let output = Arc::clone(output);
    std::panic::set_hook(Box::new(move |panic| output.line(InfoString(panic))));
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Listen,
    Leave,
}

impl Next {
    fn is_leaving(self) -> bool {
        self == Self::Leave
    }
}

/// The state of the conversation.
struct Engine {
    output: Arc<Output>,
    options: OptionSet,
    settings: Settings,
    /// Started by the first command that needs it: `usi` and `quit` alone are answered at once.
    searcher: Option<Searcher<Formula>>,
    /// The options that the searcher was last brought up to, as far as the machine allowed.
    options_tried: Option<Options>,
    /// For `go mate`.
    mates: MateSearch,
    /// For `perft` and `bench`.
    background: Background,
    /// The last position that was understood.
    position: Position,
    spec: PositionSpec,
    /// The opening book, once it has been asked for.
    book: Option<book::Opened>,
    /// Speaks for the search in progress.
    herald: Option<Arc<Herald>>,
    /// With stochastic ponder: what to search once the expected move was played.
    after_hit: Option<go::Postponed>,
}

impl Engine {
    fn start() -> Option<Self> {
        let output = Arc::new(Output::default());
        tell_panics(&output);
        let built = options::declare().map_err(|error| error.to_string()).and_then(|options| {
            let settings = options::settings(&options).map_err(|error| error.to_string())?;
            Ok((options, settings))
        });
        match built {
            Ok((options, settings)) => {
                let mut engine = Self {
                    output,
                    options,
                    settings,
                    searcher: None,
                    options_tried: None,
                    mates: MateSearch::default(),
                    background: Background::default(),
                    position: Position::startpos(),
                    spec: PositionSpec::startpos(),
                    book: None,
                    herald: None,
                    after_hit: None,
                };
                engine.read_settings_file();
                Some(engine)
            }
            Err(error) => {
                output.line(InfoString(error));
                None
            }
        }
    }

    /// Obeys one line of input.
    fn hear(&mut self, line: &[u8]) -> Next {
        self.output.heard(line);
        match Command::parse(line) {
            Ok(command) => self.obey(command),
            Err(error) => {
                self.complain(error);
                Next::Listen
            }
        }
    }

    fn obey(&mut self, command: Command) -> Next {
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady => self.get_ready(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position(spec) => self.set_position(spec),
            Command::Go(spec) => self.go(&spec),
            Command::Stop => self.stop(),
            Command::PonderHit(clocks) => self.ponderhit(clocks.as_ref()),
            Command::GameOver(_) => self.end_game(),
            Command::Quit => return Next::Leave,
            Command::UsiNewGame | Command::Blank => {}
            developer => self.develop(developer),
        }
        Next::Listen
    }

    fn complain(&self, problem: impl std::fmt::Display) {
        self.output.line(InfoString(problem));
    }

    fn introduce(&self) {
        self.output.line(format_args!("id name Kiki {}", env!("CARGO_PKG_VERSION")));
        self.output.line("id author the Kiki developers");
        for declaration in self.options.declarations() {
            self.output.line(declaration);
        }
        self.output.line("usiok");
    }

    fn is_searching(&self) -> bool {
        self.mates.is_searching() || self.searcher.as_ref().is_some_and(Searcher::is_searching)
    }

    /// Empties the tables. Not while a search is going on.
    fn forget(&mut self) {
        self.mates.clear();
        if let Some(searcher) = &mut self.searcher {
            searcher.clear();
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        match self.options.set(name, value) {
            Err(error) => self.complain(error),
            Ok(change) if change.effect == OptionEffect::Pressed => self.press(&change.name),
            Ok(change) => match options::settings(&self.options) {
                // A search in progress keeps its options; the next one takes these.
                Ok(settings) => {
                    self.settings = settings;
                    self.after_change(&change.name);
                }
                Err(error) => self.complain(error),
            },
        }
    }

    fn press(&mut self, name: &str) {
        if name == "Clear_Hash" && !self.is_searching() {
            self.forget();
        }
    }

    fn after_change(&mut self, name: &str) {
        if name == "DebugLogFile" {
            let path = self.options.text(name).unwrap_or_default();
            if let Err(error) = self.output.log_to(path) {
                self.complain(format_args!("DebugLogFile: {error}"));
            }
        }
        #[cfg(feature = "tune")]
        if let Ok(value) = self.options.spin(name) {
            kiki_search::params::set(name, value as i32);
        }
    }

    /// Options kept beside the program. A missing file is the usual case.
    fn read_settings_file(&mut self) {
        let Some(path) = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(SETTINGS_FILE))) else {
            return;
        };
        let Ok(contents) = std::fs::read(path) else { return };
        for setting in kiki_usi::settings(&contents) {
            match setting {
                Ok(setting) => self.set_option(&setting.name, setting.value.as_deref()),
                Err(error) => self.complain(format_args!("{SETTINGS_FILE}: {error}")),
            }
        }
    }

    fn set_position(&mut self, spec: PositionSpec) {
        match kiki_usi::set_up(&spec) {
            Ok(position) => {
                self.position = position;
                self.spec = spec;
            }
            Err(error) => self.reject(error),
        }
    }

    /// An unreadable position changes nothing; an illegal move leaves the position before it.
    fn reject(&mut self, error: kiki_usi::PositionError) {
        self.complain(&error);
        if let kiki_usi::PositionError::IllegalMove { ply, reached, .. } = error {
            self.position = *reached;
            self.spec.moves.truncate(ply.saturating_sub(1));
        }
    }

    fn end_game(&mut self) {
        self.after_hit = None;
        if let Some(herald) = &self.herald {
            herald.silence();
        }
        self.stop();
    }
}
