//! The commands that a GUI or a developer sends to an engine, as lines or as arguments of the
//! program.

use std::fmt;

use crate::go::{Clocks, GoSpec};
use crate::option_declaration::or_empty;
use crate::position::PositionSpec;
use crate::text::{CommandError, Words, clamped, decode, excerpt, is_damaged, trim, write_words};

/// One line of input.
///
/// Its `Display` is the line again, for a program that drives engines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `usi`: send name, author and options.
    Usi,
    /// `isready`: get ready, then send `readyok`.
    IsReady,
    /// `usinewgame`.
    UsiNewGame,
    /// `setoption name N [value V]`.
    SetOption {
        /// The name as it was written; names are compared without regard to case.
        name: String,
        /// `None` without the word `value` (a button); empty for no text after it and for
        /// `<empty>`.
        value: Option<String>,
    },
    /// `position ..`.
    Position(PositionSpec),
    /// `go ..`.
    Go(GoSpec),
    /// `stop`.
    Stop,
    /// `ponderhit [times]`: the expected move was played. A time that cannot be read counts as 0.
    PonderHit(Option<Clocks>),
    /// `gameover ..`.
    GameOver(GameResult),
    /// `quit`.
    Quit,
    /// `d` or `display`: show the position.
    Display,
    /// `eval [formula]`: evaluate the position.
    Eval {
        /// Whether to show the terms of the formula, whatever evaluation is in use.
        formula: bool,
    },
    /// `moves`: list the legal moves.
    Moves,
    /// `side`: print the side to move.
    Side,
    /// `perft N [divide]`: count the leaves of the legal move tree.
    Perft {
        /// The depth in plies.
        depth: u32,
        /// Whether to count them for each first move.
        divide: bool,
    },
    /// `matsuri`: set up [`PositionSpec::matsuri`].
    Matsuri,
    /// `getoption NAME`: show an option's value.
    GetOption(String),
    /// `bench ..` with its arguments.
    Bench(Vec<String>),
    /// `genfens ..` with its arguments: make openings.
    Genfens(Vec<String>),
    /// `usi_tunables`: list the numbers that may be tuned.
    UsiTunables,
    /// `help`: list the commands.
    Help,
    /// Nothing but blanks.
    Blank,
}

/// How a game ended for the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    /// Won.
    Win,
    /// Lost.
    Lose,
    /// Neither.
    Draw,
    /// The word is missing or unknown; the game is over anyway.
    Unknown,
}

impl Command {
    /// Reads one line, with or without its line break.
    ///
    /// # Errors
    /// Names the token at fault. No error is a reason to stop: report it and read on.
    ///
    /// ```
    /// use kiki_usi::{Command, CommandError};
    ///
    /// assert_eq!(Command::parse(b"isready\r\n"), Ok(Command::IsReady));
    /// assert_eq!(Command::parse(b" \0\n"), Ok(Command::Blank));
    /// assert_eq!(Command::parse(b"\xff"), Err(CommandError::Unknown("\\u{fffd}".to_owned())));
    /// ```
    pub fn parse(line: &[u8]) -> Result<Self, CommandError> {
        let text = decode(line);
        let mut words = Words::new(&text);
        let Some(word) = words.next() else {
            return Ok(Self::Blank);
        };
        Ok(match word {
            "usi" => Self::Usi,
            "isready" => Self::IsReady,
            "usinewgame" => Self::UsiNewGame,
            "stop" => Self::Stop,
            "quit" => Self::Quit,
            "d" | "display" => Self::Display,
            "moves" => Self::Moves,
            "side" => Self::Side,
            "matsuri" => Self::Matsuri,
            "usi_tunables" => Self::UsiTunables,
            "help" => Self::Help,
            "setoption" => set_option(words, is_damaged(line, &text))?,
            "position" => Self::Position(PositionSpec::parse(words)?),
            "go" => Self::Go(GoSpec::parse(words)?),
            "ponderhit" => Self::PonderHit(Clocks::parse_leniently(words)),
            "gameover" => Self::GameOver(GameResult::from_word(words.next())),
            "eval" => Self::Eval { formula: words.next() == Some("formula") },
            "perft" => perft(words)?,
            "getoption" => get_option(words)?,
            "bench" => Self::Bench(words.map(str::to_owned).collect()),
            "genfens" => Self::Genfens(words.map(str::to_owned).collect()),
            _ => return Err(CommandError::Unknown(excerpt(word))),
        })
    }
}

/// Reads `name N [value V]`: the name up to the word `value`, the rest as the value.
fn set_option(mut words: Words<'_>, damaged: bool) -> Result<Command, CommandError> {
    if words.next() != Some("name") {
        return Err(CommandError::missing("setoption", "the word `name`"));
    }
    let mut name = Vec::new();
    let mut value = None;
    while let Some(word) = words.next() {
        if word == "value" {
            value = Some(words.rest());
            break;
        }
        name.push(word);
    }
    let name = name.join(" ");
    if name.is_empty() {
        return Err(CommandError::missing("name", "the name of an option"));
    }
    match value {
        // A path with replaced bytes would name another file.
        Some(value) if damaged && value.contains(char::REPLACEMENT_CHARACTER) => {
            Err(CommandError::NotText { name: excerpt(&name), value: excerpt(value) })
        }
        Some("<empty>") => Ok(Command::SetOption { name, value: Some(String::new()) }),
        value => Ok(Command::SetOption { name, value: value.map(str::to_owned) }),
    }
}

fn get_option(words: Words<'_>) -> Result<Command, CommandError> {
    let name = words.collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(CommandError::missing("getoption", "the name of an option"));
    }
    Ok(Command::GetOption(name))
}

fn perft(mut words: Words<'_>) -> Result<Command, CommandError> {
    let depth = clamped(words.required_number("perft")?, 0, u32::MAX);
    Ok(Command::Perft { depth, divide: words.next() == Some("divide") })
}

impl GameResult {
    fn from_word(word: Option<&str>) -> Self {
        match word {
            Some("win") => Self::Win,
            Some("lose") => Self::Lose,
            Some("draw") => Self::Draw,
            _ => Self::Unknown,
        }
    }
}

/// ` win`: a blank before the word.
impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Win => " win",
            Self::Lose => " lose",
            Self::Draw => " draw",
            Self::Unknown => "",
        })
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Self::SetOption { name, value: Some(value) } => {
                write!(f, "setoption name {name} value {}", or_empty(value))
            }
            Self::Position(spec) => spec.fmt(f),
            Self::Go(go) => go.fmt(f),
            Self::PonderHit(clocks) => write!(f, "ponderhit{}", clocks.unwrap_or_default()),
            Self::GameOver(result) => write!(f, "gameover{result}"),
            Self::Eval { formula } => write!(f, "eval{}", if *formula { " formula" } else { "" }),
            Self::Perft { depth, divide } => write!(f, "perft {depth}{}", if *divide { " divide" } else { "" }),
            Self::GetOption(name) => write!(f, "getoption {name}"),
            Self::Bench(arguments) => {
                f.write_str("bench")?;
                write_words(f, arguments)
            }
            Self::Genfens(arguments) => {
                f.write_str("genfens")?;
                write_words(f, arguments)
            }
            Self::Usi => f.write_str("usi"),
            Self::IsReady => f.write_str("isready"),
            Self::UsiNewGame => f.write_str("usinewgame"),
            Self::Stop => f.write_str("stop"),
            Self::Quit => f.write_str("quit"),
            Self::Display => f.write_str("display"),
            Self::Moves => f.write_str("moves"),
            Self::Side => f.write_str("side"),
            Self::Matsuri => f.write_str("matsuri"),
            Self::UsiTunables => f.write_str("usi_tunables"),
            Self::Help => f.write_str("help"),
            Self::Blank => Ok(()),
        }
    }
}

/// The command lines in a program's arguments, without its own name.
///
/// A comma separates commands only next to a blank or an argument's end, so that file names may
/// have commas. If the first argument has blanks, each argument begins another command, as testing
/// frameworks write them.
///
/// ```
/// let lines = kiki_usi::command_lines(["usi", ",", "isready,", "go", "nodes", "1000", ",", "quit"]);
/// assert_eq!(lines, ["usi", "isready", "go nodes 1000", "quit"]);
///
/// let lines = kiki_usi::command_lines(["usi , setoption name BookFile value a,b.db"]);
/// assert_eq!(lines, ["usi", "setoption name BookFile value a,b.db"]);
///
/// let lines = kiki_usi::command_lines(["setoption name Threads value 1", "bench", "quit"]);
/// assert_eq!(lines, ["setoption name Threads value 1", "bench", "quit"]);
/// ```
#[must_use]
pub fn command_lines<T: AsRef<str>>(arguments: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut are_commands = None;
    for argument in arguments {
        let argument = argument.as_ref();
        if *are_commands.get_or_insert_with(|| trim(argument).contains(' ')) {
            lines.push(String::new());
        }
        for word in argument.split(' ') {
            let (before, starts) = without(word.strip_prefix(','), word);
            let (text, ends) = without(before.strip_suffix(','), before);
            if starts {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                line.push_str(text);
                line.push(' ');
            }
            if ends {
                lines.push(String::new());
            }
        }
    }
    let lines = lines.iter().map(|line| trim(line));
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The rest of a word, and whether anything was stripped from it.
fn without<'a>(stripped: Option<&'a str>, word: &'a str) -> (&'a str, bool) {
    (stripped.unwrap_or(word), stripped.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_inside_an_argument_stay() {
        let lines = command_lines(["setoption", "name", "BookDir", "value", "my  books", ",", "quit"]);
        assert_eq!(lines, ["setoption name BookDir value my  books", "quit"]);
    }
}
