//! `kiki analyze`: one position, for a person at a terminal.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use kiki_board::{Color, Position};
use kiki_eval::{SelectedEvaluator, SelectedWeights};
use kiki_search::{Action, Limits, Options, Reporter, RootScore, SearchInfo, SearchResult, Searcher};

use crate::arguments::{PositionArguments, seconds};
use crate::error_bar::error_bar;
use crate::evaluation::EvaluationChoice;
use crate::line_sets::LineSets;
use crate::notation;
use crate::output::print_line;

/// How long to think if neither a time nor a depth is given.
const DEFAULT_TIME: Duration = Duration::from_secs(3);

/// What `kiki analyze` is asked.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    position: PositionArguments,
    /// Seconds to think; 3 if no depth is given.
    #[arg(long, value_name = "S", value_parser = seconds)]
    time: Option<Duration>,
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
    /// What values positions.
    #[arg(long, value_enum, default_value_t = EvaluationChoice::Network)]
    eval: EvaluationChoice,
}

/// What the search threads send to the terminal.
enum Message {
    Line(Box<SearchInfo>),
    Note(String),
    End(SearchResult),
}

struct ChannelReporter(Sender<Message>);

impl Reporter for ChannelReporter {
    fn info(&self, info: &SearchInfo) {
        let _ = self.0.send(Message::Line(Box::new(info.clone())));
    }
    fn note(&self, text: &str) {
        let _ = self.0.send(Message::Note(text.to_owned()));
    }
    fn finished(&self, result: &SearchResult) {
        let _ = self.0.send(Message::End(result.clone()));
    }
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let position = arguments.position.set_up()?;
    print_line(kiki_record::japanese_diagram(&position).trim_end());
    let options = Options {
        threads: arguments.threads.unwrap_or_else(num_cpus::get).clamp(1, 1024),
        table_mebibytes: arguments.hash.max(1),
        multipv: arguments.multipv.max(1),
        pv_interval: Duration::from_millis(300),
        ..Options::default()
    };
    let movetime = arguments.depth.is_none().then(|| arguments.time.unwrap_or(DEFAULT_TIME));
    let limits = Limits { depth: arguments.depth, movetime, ..Limits::default() };
    let weights = arguments.eval.weights()?;
    print_line(format_args!("evaluation: {weights}"));
    let model = kiki_network::embedded_sigma(matches!(weights, SelectedWeights::Formula(_)))?;
    let mut searcher = Searcher::<SelectedEvaluator>::new(weights, options)?;
    searcher.set_sigma_model(Arc::new(model));
    let (sender, messages) = channel();
    let mut sets = LineSets::new(&position, &options);
    searcher.go(position.clone(), limits, Arc::new(ChannelReporter(sender)));
    for messages in messages {
        match messages {
            Message::Line(info) => sets.hear(&info).iter().for_each(print_line),
            Message::Note(text) => print_line(text),
            Message::End(result) => {
                sets.finish().iter().for_each(print_line);
                print_line(conclusion(&position, &result));
                break;
            }
        }
    }
    Ok(())
}

/// How far the value may be off, as a line with a bar; `None` for a mate.
fn uncertainty(position: &Position, result: &SearchResult) -> Option<String> {
    let (RootScore::Centipawns(value), Some(sigma)) = (result.score, result.sigma) else { return None };
    let for_black = if position.side_to_move() == Color::Black { value } else { -value };
    Some(format!("{for_black:+} ± {sigma:.0} (先手) {}", error_bar(for_black, sigma)))
}

fn conclusion(position: &Position, result: &SearchResult) -> String {
    let advice = match result.action {
        Action::Play(mv) => notation::moves(position, &[mv]).concat(),
        Action::DeclareWin => "入玉宣言 (declare the win)".to_owned(),
        Action::Resign => "投了 (no legal move)".to_owned(),
    };
    let seconds = result.time.as_secs_f64();
    let speed = result.nodes as f64 / seconds.max(1e-9) / 1000.0;
    let bar = uncertainty(position, result).map(|line| line + "\n").unwrap_or_default();
    format!("best: {advice}\n{bar}{} nodes, {seconds:.1} s, {speed:.0} thousand nodes/s", result.nodes)
}
