//! `kiki analyze`: one position, for a person at a terminal.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use kiki_board::{Move, Position};
use kiki_eval::{Formula, Weights};
use kiki_search::{Answer, Info, Limits, Options, Outcome, Reporter, Score, Searcher};
use kiki_usi::{PositionSpec, Root};
use shogi_official_kifu::display_single_move;

use crate::cli::CommandError;
use crate::view;

/// What `kiki analyze` is asked.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The position, as an SFEN; the start of a game if left out.
    #[arg(long)]
    sfen: Option<String>,
    /// Moves from that position, in USI, separated by blanks.
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
    /// Seconds to think; 3 if no depth is given.
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    /// Plies to search.
    #[arg(long, value_name = "D", conflicts_with = "time")]
    depth: Option<u32>,
    /// How many of the best moves to show.
    #[arg(long, value_name = "N", default_value_t = 1)]
    multipv: usize,
    /// Searching threads; all logical cores if left out.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Size of the transposition table in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    hash: usize,
}

/// What the search threads send to the terminal.
enum News {
    Line(Box<Info>),
    Note(String),
    End(Outcome),
}

struct Herald(Sender<News>);

impl Reporter for Herald {
    fn info(&self, info: &Info) {
        let _ = self.0.send(News::Line(Box::new(info.clone())));
    }
    fn note(&self, text: &str) {
        let _ = self.0.send(News::Note(text.to_owned()));
    }
    fn finished(&self, outcome: &Outcome) {
        let _ = self.0.send(News::End(outcome.clone()));
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), CommandError> {
    let position = kiki_usi::set_up(&PositionSpec {
        root: arguments.sfen.clone().map_or(Root::Startpos, Root::Sfen),
        moves: arguments.moves.iter().flat_map(|moves| moves.split_whitespace()).map(str::to_owned).collect(),
    })?;
    print!("{}", view::japanese(&position));
    let options = Options {
        threads: arguments.threads.unwrap_or_else(num_cpus::get).clamp(1, 1024),
        table_mebibytes: arguments.hash.max(1),
        multipv: arguments.multipv.max(1),
        pv_interval: Duration::from_millis(300),
        ..Options::default()
    };
    let seconds = arguments.time.unwrap_or(3.0).clamp(0.01, 1e7);
    let movetime = arguments.depth.is_none().then(|| Duration::from_secs_f64(seconds));
    let limits = Limits { depth: arguments.depth, movetime, ..Limits::default() };
    let mut searcher = Searcher::<Formula>::new(Weights::default(), options)?;
    let (sender, news) = channel();
    searcher.go(position.clone(), limits, Arc::new(Herald(sender)));
    for news in news {
        match news {
            News::Line(info) => println!("{}", describe(&position, &info)),
            News::Note(text) => println!("{text}"),
            News::End(outcome) => {
                println!("{}", conclusion(&position, &outcome));
                break;
            }
        }
    }
    Ok(())
}

fn conclusion(position: &Position, outcome: &Outcome) -> String {
    let advice = match outcome.answer {
        Answer::Play(mv) => line(position, &[mv]),
        Answer::Declare => "入玉宣言 (declare the win)".to_owned(),
        Answer::Resign => "投了 (no legal move)".to_owned(),
    };
    let seconds = outcome.time.as_secs_f64();
    let speed = outcome.nodes as f64 / seconds.max(1e-9) / 1000.0;
    format!("best: {advice}\n{} nodes, {seconds:.1} s, {speed:.0} thousand nodes/s", outcome.nodes)
}

fn describe(position: &Position, info: &Info) -> String {
    // For Black, as diagrams and graphs show it; the protocol's view is the side to move's.
    let sign = if position.side_index() == 0 { 1 } else { -1 };
    let score = match info.score {
        Score::Centipawns(value) => format!("{:+}", sign * value),
        Score::Mate(plies) => format!("{}詰{}手", if sign * plies > 0 { "+" } else { "-" }, plies.abs()),
    };
    let rank = if info.multipv > 1 { format!(" ({})", info.multipv) } else { String::new() };
    let time = info.time.as_secs_f64();
    format!("{:>3}/{:<3}{time:>7.1}s {score:>8} (先手){rank}  {}", info.depth, info.seldepth, line(position, &info.pv))
}

/// Moves in Japanese notation with USI beside them.
fn line(position: &Position, moves: &[Move]) -> String {
    let mut position = position.clone();
    let mut texts = Vec::with_capacity(moves.len());
    for &mv in moves {
        if !position.is_legal(mv) {
            break;
        }
        let core = position.to_core();
        let japanese = display_single_move(&core, mv.to_core(position.side_to_move()));
        texts.push(format!("{}({mv})", japanese.unwrap_or_default()));
        position.make(mv);
    }
    texts.join(" ")
}
