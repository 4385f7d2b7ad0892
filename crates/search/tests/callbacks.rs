//! What a searcher calls may panic or take long: nobody waits for it for ever, and nobody goes on too early.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use kiki_board::Position;
use kiki_eval::{Formula, Weights};
use kiki_search::{Limits, Options, Reporter, SearchInfo, SearchResult, Searcher};

/// More than a short search takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a reporter panics.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Panics {
    Never,
    AtAnswer,
    AtAnswerAndNotes,
}

/// Sends on what it is told.
struct PanickingReporter {
    said: mpsc::Sender<String>,
    panics: Panics,
}

impl Reporter for PanickingReporter {
    fn info(&self, _: &SearchInfo) {}

    fn note(&self, text: &str) {
        assert!(self.panics != Panics::AtAnswerAndNotes, "on purpose");
        let _ = self.said.send(text.to_owned());
    }

    fn finished(&self, _: &SearchResult) {
        assert!(self.panics == Panics::Never, "on purpose");
        let _ = self.said.send("the answer".to_owned());
    }
}

fn searcher(threads: usize) -> Searcher<Formula> {
    Searcher::new(Weights::default(), Options { threads, table_mebibytes: 1, ..Options::default() }).unwrap()
}

/// Searches, and returns what the reporter was told.
fn search(searcher: &mut Searcher<Formula>, limits: Limits, panics: Panics) -> Vec<String> {
    let (said, heard) = mpsc::channel();
    let is_infinite = limits.is_infinite();
    searcher.go(Position::startpos(), limits, Arc::new(PanickingReporter { said, panics }));
    if is_infinite {
        searcher.stop();
    }
    assert!(searcher.wait_at_most(PATIENCE), "the searcher is idle again");
    heard.try_iter().collect()
}

#[test]
fn a_reporter_that_panics_is_told_and_the_next_search_answers() {
    let depth = || Limits { depth: Some(3), ..Limits::default() };
    // With a clock this short the first thread to end gives the answer, without one the last; after a stop it may be the coordinator.
    let hurried = || Limits { movetime: Some(Duration::from_millis(2)), ..Limits::default() };
    for threads in [1, 3] {
        let mut searcher = searcher(threads);
        for limits in [depth, hurried, Limits::default] {
            let told = search(&mut searcher, limits(), Panics::AtAnswer);
            assert_eq!(told, ["telling the answer failed: on purpose"], "{threads} threads");
            assert_eq!(search(&mut searcher, limits(), Panics::AtAnswerAndNotes), [""; 0]);
            assert_eq!(search(&mut searcher, limits(), Panics::Never), ["the answer"]);
        }
    }
}

#[test]
fn what_is_called_at_the_end_of_getting_ready_comes_before_anything_that_waits_for_that() {
    let mut searcher = searcher(2);
    let called = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&called);
    searcher.clear_in_background(move || {
        std::thread::sleep(Duration::from_millis(100));
        flag.store(true, Ordering::SeqCst);
    });
    let told = search(&mut searcher, Limits { depth: Some(1), ..Limits::default() }, Panics::Never);
    assert!(called.load(Ordering::SeqCst) && told == ["the answer"], "{told:?}");
    searcher.clear_in_background(|| panic!("on purpose"));
    assert!(searcher.wait_at_most(PATIENCE), "the searcher is idle again");
    assert_eq!(search(&mut searcher, Limits::default(), Panics::Never), ["the answer"]);
}

#[test]
fn time_that_had_passed_before_the_search_counts() {
    let mut searcher = searcher(1);
    let (sender, result) = mpsc::channel();
    struct Result(mpsc::Sender<SearchResult>);
    impl Reporter for Result {
        fn info(&self, _: &SearchInfo) {}
        fn note(&self, _: &str) {}
        fn finished(&self, result: &SearchResult) {
            self.0.send(result.clone()).unwrap();
        }
    }
    let limits =
        Limits { movetime: Some(Duration::from_secs(3600)), elapsed: Duration::from_secs(3599), ..Limits::default() };
    searcher.go(Position::startpos(), limits, Arc::new(Result(sender)));
    let result = result.recv_timeout(PATIENCE).expect("within a second");
    assert!(result.time >= Duration::from_secs(3599) && result.depth > 0, "{result:?}");
}
