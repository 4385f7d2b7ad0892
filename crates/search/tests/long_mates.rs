//! A long mate that the solver finds before alpha-beta does is told and played, whatever ends the search.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use kiki_board::Position;
use kiki_eval::{Formula, Weights};
use kiki_search::{Action, ClockTimes, Limits, Options, Reporter, RootScore, SearchInfo, SearchResult, Searcher};

/// A mate in 17 plies by checks, which the search finds after 100,000 nodes, most of them not the solver's; alpha-beta alone finds one in 23 plies
/// after 8 million.
const MATE: &str = "+S5skl/2+R2g3/p4+Lnpb/1p1pG1p1p/PPp5P/K2PpPLP1/2P3P2/4bS1R1/1NS4NL b 2GN2P 113";

enum Said {
    Line(SearchInfo),
    Finished(SearchResult),
}

struct Listener(mpsc::Sender<Said>);

impl Reporter for Listener {
    fn info(&self, info: &SearchInfo) {
        // Nobody may listen any more.
        let _ = self.0.send(Said::Line(info.clone()));
    }

    fn note(&self, text: &str) {
        panic!("{text}");
    }

    fn finished(&self, result: &SearchResult) {
        let _ = self.0.send(Said::Finished(result.clone()));
    }
}

/// A search with the lines that it has told so far.
struct Session {
    searcher: Searcher<Formula>,
    said: mpsc::Receiver<Said>,
    lines: Vec<SearchInfo>,
}

impl Session {
    fn new(multipv: usize, limits: Limits) -> Self {
        let options =
            Options { threads: 1, table_mebibytes: 16, multipv, pv_interval: Duration::ZERO, ..Options::default() };
        let mut searcher = Searcher::<Formula>::new(Weights::default(), options).unwrap();
        let (sender, said) = mpsc::channel();
        searcher.go(Position::from_sfen(MATE).unwrap(), limits, Arc::new(Listener(sender)));
        Self { searcher, said, lines: Vec::new() }
    }

    /// What is said next, within a minute. Gives the answer if it is that.
    fn next(&mut self) -> Option<SearchResult> {
        match self.said.recv_timeout(Duration::from_secs(60)).expect("the search goes on") {
            Said::Line(line) => self.lines.push(line),
            Said::Finished(result) => return Some(result),
        }
        None
    }

    /// Waits for a mate on the first line, in an iteration of at least this depth.
    fn wait_for_mate(&mut self, depth: u32) -> SearchInfo {
        loop {
            let answer = self.next();
            assert_eq!(answer, None, "nothing ends the search");
            if let Some(line) = self.lines.last().filter(|line| is_mate(line.score) && line.depth >= depth) {
                assert_eq!(line.multipv, 1);
                return line.clone();
            }
            assert!(self.lines.last().is_some_and(|line| line.depth < 60), "no mate was found");
        }
    }

    fn answer(&mut self) -> SearchResult {
        loop {
            if let Some(result) = self.next() {
                return result;
            }
        }
    }
}

fn is_mate(score: RootScore) -> bool {
    matches!(score, RootScore::Mate(plies) if plies > 0)
}

#[test]
fn an_analysis_tells_the_mate_first_and_goes_on() {
    for multipv in [1, 3] {
        let mut session = Session::new(multipv, Limits::default());
        let depth = session.wait_for_mate(0).depth;
        // It stays first when later iterations are complete, and when one is interrupted.
        session.wait_for_mate(depth + 2);
        session.searcher.stop();
        let result = session.answer();
        let last = &session.lines[session.lines.len() - multipv..];
        assert!(is_mate(result.score) && is_mate(last[0].score), "{result:?} {last:?}");
        assert_eq!(result.action, Action::Play(last[0].pv[0]));
        let mut moves: Vec<_> = last.iter().map(|line| line.pv[0].to_string()).collect();
        assert_eq!(last.iter().map(|line| line.multipv).collect::<Vec<_>>(), (1..=multipv).collect::<Vec<_>>());
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), multipv, "{last:?}");
    }
}

#[test]
fn a_mate_found_while_pondering_is_played_at_the_hit_whose_times_come_with_it() {
    let mut session = Session::new(1, Limits { ponder: true, ..Limits::default() });
    let mate = session.wait_for_mate(0);
    // Alpha-beta alone needs 8 million.
    assert!(mate.nodes < 1_000_000, "{mate:?}");
    let clock = ClockTimes { byoyomi: Duration::from_secs(1), ..ClockTimes::default() };
    session.searcher.ponderhit(Some(clock));
    let result = session.answer();
    assert_eq!((result.action, is_mate(result.score)), (Action::Play(mate.pv[0]), true), "{result:?}");
}
