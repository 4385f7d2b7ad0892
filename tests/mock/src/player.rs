//! A USI engine that plays games and misbehaves on purpose, for tests of programs that drive
//! engines.
//!
//! It plays legal moves that depend only on the position and its seed. Words on the command line
//! make it misbehave:
//!
//! | word | what it does |
//! |---|---|
//! | `name=X` | its name |
//! | `seed=N` | other moves |
//! | `resign=N` | gives up from ply N on, if the position and the seed say so (about every second time) |
//! | `crash=N` | aborts at its first move from ply N on |
//! | `crash-alone` | aborts when it is to search certain moves alone (`searchmoves`) |
//! | `crashes=FILE` | aborts at its first move as long as FILE has lines, and takes one away each time |
//! | `hang=N` | answers nothing from ply N on, not even `stop` |
//! | `illegal=N` | plays an illegal move from ply N on |
//! | `win=N` | declares a win from ply N on |
//! | `late=MS` | answers every move after MS milliseconds, `stop` or not |
//! | `flood=N` | prints N lines of noise before every answer, and an endless line |
//! | `twice` | answers twice |
//! | `mute` | never says usiok |
//! | `unready` | never says readyok |
//! | `stay` | keeps running after quit and after its input has ended |
//! | `score=N` | reports this score with every move |
//! | `nodes=X` | reports this number of nodes with every move |
//! | `silent` | prints nothing but its move |
//! | `multipv` | has the option `MultiPV`, and reports that number of lines, each ten centipawns worse than the one before |
//! | `sigma=N` | reports that its score may be off by N |
//! | `child=FILE` | at its first move it starts a process that outlives it, holds its pipes and has left its process group; FILE names it |
//! | `deaf=N` | from ply N on it hears no `stop` while it ponders |
//!
//! It offers its own reply as the ponder move. It reports 2 nodes for a move that it has pondered
//! on, 1 for others.
//!
//! Its option `Wisdom` decides how rarely it resigns where `resign` lets it. That is the only
//! number that it offers for tuning.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use kiki_board::Position;
use kiki_usi::{Command, set_up};

use crate::moves::{after, pick};

/// The list of tunable numbers, in ShogiArena's form.
const TUNABLES: &str = concat!(
    r#"info string shogiarena_tunables_json {"schema_version":"shogiarena.usi_tunables.v1","tunables":["#,
    r#"{"id":"Wisdom","option":"Wisdom","value_type":"int","encoding":"integer","default":30,"min":0,"max":100,"#,
    r#""scale":1,"schedule":{"c_end":2.5,"r_end":0.002}}]}"#
);

struct PlayingEngine {
    words: HashMap<String, String>,
    position: Position,
    wisdom: u64,
    /// Number of reported lines.
    lines: usize,
    /// Whether it owes an answer to `stop` or `ponderhit`.
    pondering: bool,
}

/// Runs on standard input and output; the words are the program's arguments. Panics at an invalid
/// word or command.
#[must_use]
pub fn main() -> ExitCode {
    let words = std::env::args().skip(1).map(|word| match word.split_once('=') {
        Some((key, value)) => (key.to_owned(), value.to_owned()),
        None => (word, String::new()),
    });
    let mut mock =
        PlayingEngine { words: words.collect(), position: Position::startpos(), wisdom: 0, lines: 1, pondering: false };
    for line in io::stdin().lock().split(b'\n') {
        let Ok(line) = line else { break };
        let Ok(command) = Command::parse(&line) else { continue };
        if command == Command::Quit {
            break;
        }
        mock.execute(&command);
        let _ = io::stdout().flush();
    }
    if mock.has("stay") {
        loop {
            thread::sleep(Duration::from_secs(60));
        }
    }
    ExitCode::SUCCESS
}

impl PlayingEngine {
    fn execute(&mut self, command: &Command) {
        match command {
            Command::Usi => {
                let name = self.words.get("name").map_or("mock", String::as_str);
                println!("id name {name}\nid author Kiki");
                println!("option name Threads type spin default 1 min 1 max 64");
                println!("option name Wisdom type spin default 0 min 0 max 100");
                println!("option name Style type combo default calm var calm var wild");
                if self.has("multipv") {
                    println!("option name MultiPV type spin default 1 min 1 max 600");
                }
                if !self.has("mute") {
                    println!("usiok");
                }
            }
            Command::UsiTunables => println!("{TUNABLES}\nusi_tunablesok"),
            Command::IsReady if !self.has("unready") => println!("readyok"),
            Command::SetOption { name, value: Some(value) } if name == "Wisdom" => {
                self.wisdom = value.parse().expect("a number");
            }
            Command::SetOption { name, value: Some(value) } if name == "MultiPV" => {
                self.lines = value.parse().expect("a number");
            }
            Command::Position(spec) => self.position = set_up(spec).expect("a legal position"),
            Command::Go(spec) if spec.ponder => self.pondering = true,
            Command::Go(spec) if self.has("crash-alone") && !spec.searchmoves.is_empty() => std::process::abort(),
            Command::Go(_) => self.go(1),
            Command::Stop if self.pondering && !self.at("deaf") => self.answer_pondering(1),
            Command::PonderHit(_) if self.pondering => self.answer_pondering(2),
            _ => {}
        }
    }

    fn has(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    fn number(&self, word: &str) -> Option<i64> {
        Some(self.words.get(word)?.parse().expect("a number"))
    }

    /// Whether the ply of a word has come.
    fn at(&self, word: &str) -> bool {
        self.number(word).is_some_and(|ply| i64::from(self.position.ply()) >= ply)
    }

    fn answer_pondering(&mut self, nodes: u32) {
        self.pondering = false;
        self.go(nodes);
    }

    fn go(&mut self, nodes: u32) {
        if let Some(file) = self.words.remove("child") {
            start_child(&file);
        }
        let crashes = self.words.remove("crashes").is_some_and(|file| takes_line(&file));
        if crashes || self.at("crash") {
            println!("info string about to crash");
            eprintln!("last words on standard error");
            let _ = io::stdout().flush();
            std::process::abort();
        }
        while self.at("hang") {
            thread::sleep(Duration::from_secs(60));
        }
        thread::sleep(Duration::from_millis(self.number("late").unwrap_or(0) as u64));
        self.flood();
        let draw = self.draw(&self.position);
        let resigns = self.at("resign") && draw.is_multiple_of(2) && draw / 2 % 100 >= self.wisdom;
        let answer = match (resigns, self.at("illegal"), self.at("win")) {
            (true, ..) => "resign".to_owned(),
            (_, true, _) => "5e5e".to_owned(),
            (.., true) => "win".to_owned(),
            _ => self.choice(&self.position).unwrap_or_else(|| "resign".to_owned()),
        };
        let expected = self.expected(&answer);
        let ponder = expected.map(|expected| format!(" ponder {expected}")).unwrap_or_default();
        if !self.has("silent") {
            self.tell_lines(&answer, nodes);
        }
        println!("bestmove {answer}{ponder}");
        if self.has("twice") {
            println!("bestmove {answer}");
        }
    }

    /// Prints the best line and others, if requested.
    fn tell_lines(&self, answer: &str, nodes: u32) {
        let score = self.number("score").unwrap_or(0);
        let nodes = self.words.get("nodes").cloned().unwrap_or_else(|| nodes.to_string());
        let mut moves = vec![answer.to_owned()];
        if self.lines > 1 {
            let legal = self.position.legal_moves();
            let others = legal.iter().map(ToString::to_string).filter(|mv| mv != answer);
            moves.extend(others.take(self.lines - 1));
        }
        for (index, mv) in moves.iter().enumerate() {
            let rank = if self.lines > 1 { format!(" multipv {}", index + 1) } else { String::new() };
            let pv = self.expected(mv).map(|expected| format!(" {expected}")).unwrap_or_default();
            println!("info depth 1{rank} score cp {} nodes {nodes} pv {mv}{pv}", score - 10 * index as i64);
        }
        if let Some(sigma) = self.number("sigma") {
            println!("info string sigma {sigma}");
        }
    }

    /// Its move in a position; `None` if mated.
    fn choice(&self, position: &Position) -> Option<String> {
        pick(position, self.draw(position) / 2)
    }

    fn expected(&self, answer: &str) -> Option<String> {
        self.choice(&after(&self.position, answer)?)
    }

    /// Prints noise that no reader may take for an answer or keep in memory.
    fn flood(&self) {
        let Some(lines) = self.number("flood") else { return };
        for number in 0..lines {
            println!("sent: bestmove 7g7f {number}\nnonsense\ninfo string bestmove 7g7f");
        }
        println!("{}", "x".repeat(3_000_000));
    }

    /// A pseudo-random number that depends only on the position and the seed.
    fn draw(&self, position: &Position) -> u64 {
        let mut hasher = DefaultHasher::new();
        (position.to_sfen(), self.number("seed").unwrap_or(0)).hash(&mut hasher);
        hasher.finish()
    }
}

/// The shell cannot be waited for: it is meant to outlive this process.
#[expect(clippy::zombie_processes)]
fn start_child(file: &str) {
    let named = || std::fs::read_to_string(file).map_or(0, |text| text.lines().count());
    let before = named();
    let script = format!("echo $$ >> {file}; exec sleep 1000");
    std::process::Command::new("setsid").args(["sh", "-c", &script]).spawn().expect("setsid is there");
    // On a busy machine this process might exit before the shell has begun.
    while named() == before {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Removes a line from a file; returns whether the file had one.
fn takes_line(file: &str) -> bool {
    let text = std::fs::read_to_string(file).expect("a file");
    let rest = text.split_once('\n').map(|(_, rest)| rest);
    rest.is_some_and(|rest| std::fs::write(file, rest).is_ok())
}
