//! `kiki analyze`: one position, for a person at a terminal.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use kiki_board::{Color, Move, MoveList, Position};
use kiki_eval::SelectedEvaluator;
use kiki_search::{Action, Bound, Limits, Options, Reporter, RootScore, SearchInfo, SearchResult, Searcher};

use crate::evaluation::EvaluationArguments;
use crate::output::print_line;
use crate::people;
use crate::people::{PositionArguments, seconds};

/// Time to think if neither time nor depth is given.
const DEFAULT_TIME: Duration = Duration::from_secs(3);

#[derive(clap::Args)]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    position: PositionArguments,
    /// Time to think in seconds; 3 unless a depth is given.
    #[arg(long, value_name = "S", value_parser = seconds)]
    time: Option<Duration>,
    /// Search depth in plies.
    #[arg(long, value_name = "D", conflicts_with = "time")]
    depth: Option<u32>,
    /// Number of best moves to show.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    multipv: u16,
    /// Number of search threads; by default one per logical processor.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Size of the transposition table in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    hash: usize,
    #[command(flatten)]
    evaluation: EvaluationArguments,
}

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

pub(crate) fn run(arguments: &AnalyzeArgs) -> anyhow::Result<()> {
    let position = arguments.position.set_up()?;
    print_line(kiki_record::japanese_diagram(&position).trim_end());
    let options = Options {
        threads: arguments.threads.unwrap_or_else(num_cpus::get).clamp(1, 1024),
        table_mebibytes: arguments.hash.max(1),
        multipv: arguments.multipv.into(),
        pv_interval: Duration::from_millis(300),
        ..Options::default()
    };
    let movetime = arguments.depth.is_none().then(|| arguments.time.unwrap_or(DEFAULT_TIME));
    let limits = Limits { depth: arguments.depth, movetime, ..Limits::default() };
    let (evaluation, notes) = arguments.evaluation.load()?;
    notes.iter().for_each(print_line);
    print_line(format_args!("evaluation: {}{}", evaluation.describe(), evaluation.describe_stack(&position)));
    let model = kiki_network::embedded_sigma(!evaluation.is_network())?;
    let mut searcher = Searcher::<SelectedEvaluator>::new(evaluation.weights, options)?;
    searcher.set_sigma_model(Arc::new(model));
    let (sender, messages) = channel();
    let mut sets = LineSets::new(&position, &options);
    searcher.go(position.clone(), limits, Arc::new(ChannelReporter(sender)));
    for messages in messages {
        match messages {
            Message::Line(info) => sets.add(&info).iter().for_each(print_line),
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
        Action::Play(mv) => people::japanese_moves(position, &[mv]).concat(),
        Action::DeclareWin => "入玉宣言 (declare the win)".to_owned(),
        Action::Resign => "投了 (no legal move)".to_owned(),
    };
    let seconds = result.time.as_secs_f64();
    let speed = result.nodes as f64 / seconds.max(1e-9) / 1000.0;
    let bar = uncertainty(position, result).map(|line| line + "\n").unwrap_or_default();
    format!("best: {advice}\n{bar}{} nodes, {seconds:.1} s, {speed:.0} thousand nodes/s", result.nodes)
}

/// Collects the lines that a search reports into sets with one line for each rank.
pub(crate) struct LineSets {
    position: Position,
    size: usize,
    /// The incoming set: ascending ranks.
    incoming: Vec<SearchInfo>,
    /// The last line of each rank.
    latest: Vec<SearchInfo>,
    /// The last lines on the screen.
    shown: Vec<SearchInfo>,
}

impl LineSets {
    pub(crate) fn new(position: &Position, options: &Options) -> Self {
        let mut moves = MoveList::new();
        position.all_moves(&mut moves, options.rules.choice);
        Self {
            position: position.clone(),
            size: options.multipv.min(moves.len()).max(1),
            incoming: Vec::new(),
            latest: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// Adds a line and returns the lines to print now: a complete set, or one cut off by a bound.
    pub(crate) fn add(&mut self, info: &SearchInfo) -> Vec<String> {
        let mut texts = Vec::new();
        if self.incoming.last().is_some_and(|last| last.multipv >= info.multipv) {
            texts = self.show_incoming();
        }
        self.latest.retain(|line| line.multipv != info.multipv);
        self.latest.push(info.clone());
        self.incoming.push(info.clone());
        if self.incoming.len() >= self.size || info.bound != Bound::Exact {
            texts.extend(self.show_incoming());
        }
        texts
    }

    /// The lines to print when the search has ended, so that the screen ends with the last line of
    /// every rank, in order. None if they are already there.
    pub(crate) fn finish(&mut self) -> Vec<String> {
        let mut last = self.latest.clone();
        last.sort_by_key(|info| info.multipv);
        // A rank of an older set may have a move that has risen since.
        let mut firsts: Vec<Move> = Vec::new();
        last.retain(|info| {
            let first = info.pv.first().copied();
            let is_new = first.is_none_or(|first| !firsts.contains(&first));
            firsts.extend(first);
            is_new
        });
        last.iter_mut().enumerate().for_each(|(place, info)| info.multipv = place + 1);
        self.incoming = last;
        self.show_incoming()
    }

    /// Prints the incoming lines, unless they are already there.
    fn show_incoming(&mut self) -> Vec<String> {
        let mut lines = std::mem::take(&mut self.incoming);
        sort_behind_first(&mut lines);
        if lines.len() == self.shown.len()
            && lines.iter().zip(&self.shown).all(|(one, other)| says_the_same(one, other))
        {
            return Vec::new();
        }
        let texts = lines.iter().map(|info| self.describe(info)).collect();
        self.shown = lines;
        texts
    }

    fn describe(&self, info: &SearchInfo) -> String {
        let score = score_for_black(info, self.position.side_to_move() == Color::Black);
        let rank = if self.size > 1 { format!(" ({})", info.multipv) } else { String::new() };
        let (time, moves) = (info.time.as_secs_f64(), people::japanese_moves(&self.position, &info.pv).join(" "));
        format!("{:>3}/{:<3}{time:>7.1}s {score:>9} (先手){rank}  {moves}", info.depth, info.seldepth)
    }
}

/// Sorts by score what an interrupted iteration left unsorted. The first line stays: it is the move
/// to play. Bounds are not comparable.
fn sort_behind_first(lines: &mut [SearchInfo]) {
    if lines.is_empty() || lines.iter().any(|info| info.bound != Bound::Exact) {
        return;
    }
    lines[1..].sort_by_key(|info| {
        std::cmp::Reverse(match info.score {
            RootScore::Centipawns(value) => (0, value),
            // A near mate is better than a far one; a late loss is better than an early one.
            RootScore::Mate(plies) => (if plies > 0 { 1 } else { -1 }, -plies),
        })
    });
    lines.iter_mut().enumerate().for_each(|(place, info)| info.multipv = place + 1);
}

/// Whether two lines differ only in the work done.
fn says_the_same(one: &SearchInfo, other: &SearchInfo) -> bool {
    let content = |info: &SearchInfo| (info.depth, info.multipv, info.score, info.bound);
    content(one) == content(other) && one.pv == other.pv
}

/// The score for Black, as in diagrams and graphs, with `>=` or `<=` before a bound. The protocol's
/// score is for the side to move.
fn score_for_black(info: &SearchInfo, black_to_move: bool) -> String {
    // A lower bound for White is an upper bound for Black.
    let mark = match (info.bound, black_to_move) {
        (Bound::Exact, _) => "",
        (Bound::Lower, true) | (Bound::Upper, false) => ">=",
        (Bound::Lower, false) | (Bound::Upper, true) => "<=",
    };
    let for_black = |plies: i32| if (plies > 0) == black_to_move { '+' } else { '-' };
    match info.score {
        RootScore::Centipawns(value) => format!("{mark}{:+}", if black_to_move { value } else { -value }),
        // The game is over without a move.
        RootScore::Mate(plies) if info.pv.is_empty() && plies.abs() <= 1 => {
            format!("{}{}", for_black(plies), if plies > 0 { "宣言勝ち" } else { "詰み" })
        }
        RootScore::Mate(plies) => format!("{mark}{}詰{}手", for_black(plies), plies.abs()),
    }
}

/// The values at the ends of the bar, in centipawns.
const END: i32 = 1500;
/// Characters on each side of the middle one.
const HALF: i32 = 20;

/// The value as `●` between -1500 and 1500 centipawns, with one sigma on both sides.
pub(crate) fn error_bar(value: i32, sigma: f32) -> String {
    let place = |value: i32| HALF + (value.clamp(-END, END) as f32 * HALF as f32 / END as f32).round() as i32;
    let sigma = sigma.round() as i32;
    let (low, middle, high) = (place(value - sigma), place(value), place(value + sigma));
    let letter = |at: i32| match at {
        at if at == middle => '●',
        at if at == low => '├',
        at if at == high => '┤',
        at if low < at && at < high => '─',
        at if at == HALF => '|',
        _ => '·',
    };
    (0..=2 * HALF).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn info(multipv: usize, depth: u32, value: i32, pv: Option<Move>) -> SearchInfo {
        SearchInfo {
            depth,
            seldepth: depth,
            multipv,
            score: RootScore::Centipawns(value),
            bound: Bound::Exact,
            nodes: 0,
            time: Duration::ZERO,
            hashfull: 0,
            pv: pv.into_iter().collect(),
        }
    }

    #[test]
    fn bounds_and_mates_are_seen_from_black() {
        let text = |score, bound, black| score_for_black(&SearchInfo { score, bound, ..info(1, 1, 0, None) }, black);
        let value = RootScore::Centipawns(35);
        assert_eq!(text(value, Bound::Exact, true), "+35");
        assert_eq!(text(value, Bound::Exact, false), "-35");
        assert_eq!(text(value, Bound::Lower, true), ">=+35");
        assert_eq!(text(value, Bound::Lower, false), "<=-35");
        assert_eq!(text(value, Bound::Upper, true), "<=+35");
        assert_eq!(text(value, Bound::Upper, false), ">=-35");
        assert_eq!(text(RootScore::Mate(3), Bound::Exact, true), "+詰3手");
        assert_eq!(text(RootScore::Mate(3), Bound::Exact, false), "-詰3手");
        assert_eq!(text(RootScore::Mate(-4), Bound::Lower, false), "<=+詰4手");
        // Without a move: the side to move is mated, or declares.
        assert_eq!(text(RootScore::Mate(-1), Bound::Exact, true), "-詰み");
        assert_eq!(text(RootScore::Mate(-1), Bound::Exact, false), "+詰み");
        assert_eq!(text(RootScore::Mate(1), Bound::Exact, true), "+宣言勝ち");
        assert_eq!(text(RootScore::Mate(1), Bound::Exact, false), "-宣言勝ち");
    }

    fn ranks(texts: &[String]) -> Vec<(usize, u32)> {
        let number = |text: &str, after: char, until: char| text.split(after).nth(1)?.split(until).next()?.parse().ok();
        let read = |text: &String| {
            let depth = text.split('/').next()?.trim().parse().ok()?;
            Some((number(text.split_once("(先手)")?.1, '(', ')')?, depth))
        };
        texts.iter().filter_map(read).collect()
    }

    #[test]
    fn the_last_lines_are_those_of_every_rank_in_order_and_stand_there_once() {
        let position = Position::startpos();
        let moves: Vec<Option<Move>> = position.legal_moves().iter().copied().map(Some).collect();
        let options = Options { multipv: 3, ..Options::default() };
        let mut sets = LineSets::new(&position, &options);
        assert_eq!(sets.add(&info(1, 7, 30, moves[0])), [""; 0]);
        assert_eq!(sets.add(&info(2, 7, 20, moves[1])), [""; 0]);
        assert_eq!(ranks(&sets.add(&info(3, 7, 10, moves[2]))), [(1, 7), (2, 7), (3, 7)]);
        assert_eq!(sets.finish(), [""; 0], "they stand there");
        for (rank, value) in [(1, 30), (2, 20), (3, 10)] {
            let again = SearchInfo { nodes: 5, time: Duration::from_secs(1), ..info(rank, 7, value, moves[rank - 1]) };
            assert_eq!(sets.add(&again), [""; 0], "the same once more");
        }
        // A bound is printed at once, with the lines before it.
        assert_eq!(sets.add(&info(1, 8, 31, moves[0])), [""; 0]);
        let bound = SearchInfo { bound: Bound::Upper, ..info(2, 8, 12, moves[1]) };
        assert_eq!(ranks(&sets.add(&bound)), [(1, 8), (2, 8)]);
        // The search ends in mid-iteration: the new best move was second before.
        assert_eq!(sets.add(&info(1, 9, 40, moves[1])), [""; 0]);
        assert_eq!(ranks(&sets.finish()), [(1, 9), (2, 7)]);
        assert_eq!(sets.finish(), [""; 0]);
    }

    #[test]
    fn lines_behind_the_best_are_sorted_when_the_last_iteration_was_not_finished() {
        let mut lines: Vec<SearchInfo> = [10, -76, 3, -200, 5].map(|value| info(0, 11, value, None)).into();
        for (line, plies) in [(1, -8), (3, -2), (4, 5)] {
            lines[line].score = RootScore::Mate(plies);
        }
        lines.push(SearchInfo { score: RootScore::Mate(3), ..info(0, 11, 0, None) });
        let scores = |lines: &[SearchInfo]| lines.iter().map(|info| score_for_black(info, true)).collect::<Vec<_>>();
        sort_behind_first(&mut lines);
        assert_eq!(scores(&lines), ["+10", "+詰3手", "+詰5手", "+3", "-詰8手", "-詰2手"]);
        assert!(lines.iter().map(|info| info.multipv).eq(1..=6));
        lines[5].bound = Bound::Lower;
        lines.swap(1, 2);
        sort_behind_first(&mut lines);
        assert_eq!(scores(&lines)[1..3], ["+詰5手", "+詰3手"], "bounds are left where they are");
    }

    #[test]
    fn the_value_stands_in_its_interval() {
        assert_eq!(error_bar(0, 300.0), "················├───●───┤················");
        assert_eq!(error_bar(750, 75.0), "····················|········├●┤·········");
        assert_eq!(error_bar(-750, 75.0), "·········├●┤········|····················");
        assert_eq!(error_bar(5000, 300.0), "····················|···················●");
        assert_eq!(error_bar(-1400, 300.0), "├●───┤··············|····················");
    }
}
