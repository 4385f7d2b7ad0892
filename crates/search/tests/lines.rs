//! What a search tells, whatever ends it: the first iteration at least.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_eval::{Formula, Weights};
use kiki_search::{Action, Limits, Options, Reporter, SearchInfo, SearchResult, Searcher, Skill, TimeControl};

/// Black mates by a gold before the king; the lances may promote instead.
const MATE_IN_ONE: &str = "4k4/9/4P4/9/9/9/9/9/L3K3L b GLLrb 1";
/// All pieces are exchanged off and on: hundreds of moves, and captures behind each of them.
const MANY_MOVES: &str = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";
const WILD: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

struct Listener(mpsc::Sender<Said>);

enum Said {
    Line(SearchInfo),
    Finished(SearchResult),
}

impl Reporter for Listener {
    fn info(&self, info: &SearchInfo) {
        let _ = self.0.send(Said::Line(info.clone()));
    }

    fn note(&self, text: &str) {
        panic!("{text}");
    }

    fn finished(&self, result: &SearchResult) {
        let _ = self.0.send(Said::Finished(result.clone()));
    }
}

fn options(threads: usize, multipv: usize) -> Options {
    Options { threads, table_mebibytes: 4, multipv, pv_interval: Duration::ZERO, ..Options::default() }
}

/// The sets of lines that a search has told, and its answer. It is stopped after `stop`.
fn search(
    searcher: &mut Searcher<Formula>,
    sfen: &str,
    limits: Limits,
    stop: Option<Duration>,
) -> (Vec<Vec<SearchInfo>>, SearchResult) {
    let (sender, said) = mpsc::channel();
    searcher.go(Position::from_sfen(sfen).expect("an SFEN"), limits, Arc::new(Listener(sender)));
    if let Some(after) = stop {
        std::thread::sleep(after);
        searcher.stop();
    }
    let mut sets: Vec<Vec<SearchInfo>> = Vec::new();
    loop {
        match said.recv_timeout(Duration::from_secs(60)).expect("an answer") {
            Said::Finished(result) => return (sets, result),
            Said::Line(line) if line.multipv == 1 => sets.push(vec![line]),
            Said::Line(line) => sets.last_mut().expect("the first line comes first").push(line),
        }
    }
}

fn searcher(threads: usize, multipv: usize) -> Searcher<Formula> {
    Searcher::new(Weights::default(), options(threads, multipv)).expect("threads")
}

#[test]
fn the_first_iteration_is_told_and_its_move_played_whatever_ends_the_search() {
    let clock = TimeControl::default();
    let position = Position::from_sfen(MATE_IN_ONE).expect("an SFEN");
    let asked = || vec![position.parse_move("9i9c+").expect("a move"), position.parse_move("G*5b").expect("a move")];
    let limits = [
        Limits::default(),
        Limits { nodes: Some(1), ..Limits::default() },
        Limits { nodes: Some(0), ..Limits::default() },
        Limits { depth: Some(0), ..Limits::default() },
        Limits { movetime: Some(Duration::ZERO), ..Limits::default() },
        Limits { movetime: Some(Duration::from_millis(1)), ..Limits::default() },
        Limits { movetime: Some(Duration::from_millis(5)), elapsed: Duration::from_secs(5), ..Limits::default() },
        Limits { time_control: Some(clock), ..Limits::default() },
        Limits { ponder: true, ..Limits::default() },
        Limits { search_moves: asked(), ..Limits::default() },
        Limits { nodes: Some(1), skill: Skill::new(0, 1), ..Limits::default() },
    ];
    for (threads, multipv) in [(1, 1), (1, 3), (4, 1), (4, 2)] {
        let mut searcher = searcher(threads, multipv);
        for limits in &limits {
            for _ in 0..5 {
                let (sets, result) = search(&mut searcher, MATE_IN_ONE, limits.clone(), Some(Duration::ZERO));
                assert!(result.depth > 0, "{limits:?}");
                let last = sets.last().expect("a line");
                assert_eq!(result.action, Action::Play(last[0].pv[0]), "{limits:?}: {last:?}");
                if limits.skill.is_none() {
                    assert!(matches!(result.action, Action::Play(mv) if mv.to_string() == "G*5b"), "{limits:?}");
                }
            }
        }
    }
}

#[test]
fn the_first_iteration_is_short_in_wild_positions_too() {
    for sfen in [MANY_MOVES, WILD] {
        {
            let mut searcher = searcher(1, 1);
            searcher.clear();
            let start = Instant::now();
            let (sets, result) = search(&mut searcher, sfen, Limits::default(), Some(Duration::ZERO));
            let moves = Position::from_sfen(sfen).expect("an SFEN").legal_moves().len() as u64;
            assert!(result.nodes < 2048 + 3 * moves, "{sfen}: {} nodes", result.nodes);
            assert!(result.depth > 0 && start.elapsed() < Duration::from_secs(5));
            assert!(!sets.is_empty());
        }
    }
}
