//! What a searcher is told to call may fail or take long: nobody waits in vain, and nobody goes on too early.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use kiki_board::Position;
use kiki_eval::{Formula, Weights};
use kiki_search::{Limits, Options, Reporter, SearchInfo, SearchResult, Searcher};

/// More than a short search takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends on what it is told, and fails where it is to.
struct Listener {
    said: mpsc::Sender<String>,
    fails_at_the_answer: bool,
    fails_at_notes: bool,
}

impl Reporter for Listener {
    fn info(&self, _: &SearchInfo) {}

    fn note(&self, text: &str) {
        assert!(!self.fails_at_notes, "on purpose");
        let _ = self.said.send(text.to_owned());
    }

    fn finished(&self, _: &SearchResult) {
        assert!(!self.fails_at_the_answer, "on purpose");
        let _ = self.said.send("the answer".to_owned());
    }
}

fn searcher(threads: usize) -> Searcher<Formula> {
    Searcher::new(Weights::default(), Options { threads, table_mebibytes: 1, ..Options::default() }).unwrap()
}

/// Searches, and gives what was said.
fn search(
    searcher: &mut Searcher<Formula>,
    limits: Limits,
    [fails_at_the_answer, fails_at_notes]: [bool; 2],
) -> Vec<String> {
    let (said, heard) = mpsc::channel();
    let is_infinite = limits.is_infinite();
    searcher.go(Position::startpos(), limits, Arc::new(Listener { said, fails_at_the_answer, fails_at_notes }));
    if is_infinite {
        searcher.stop();
    }
    assert!(searcher.wait_at_most(PATIENCE), "the searcher is idle again");
    heard.try_iter().collect()
}

#[test]
fn a_reporter_that_fails_at_the_answer_is_told_and_the_next_search_answers() {
    let depth = || Limits { depth: Some(3), ..Limits::default() };
    // With a clock this short the first thread to end gives the answer, without one the last; where it is stopped often the coordinator does.
    let hurried = || Limits { movetime: Some(Duration::from_millis(2)), ..Limits::default() };
    for threads in [1, 3] {
        let mut searcher = searcher(threads);
        for limits in [depth, hurried, Limits::default] {
            let told = search(&mut searcher, limits(), [true, false]);
            assert_eq!(told, ["telling the answer failed: on purpose"], "{threads} threads");
            assert_eq!(search(&mut searcher, limits(), [true, true]), [""; 0]);
            assert_eq!(search(&mut searcher, limits(), [false, false]), ["the answer"]);
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
    let told = search(&mut searcher, Limits { depth: Some(1), ..Limits::default() }, [false, false]);
    assert!(called.load(Ordering::SeqCst) && told == ["the answer"], "{told:?}");
    searcher.clear_in_background(|| panic!("on purpose"));
    assert!(searcher.wait_at_most(PATIENCE), "the searcher is idle again");
    assert_eq!(search(&mut searcher, Limits::default(), [false, false]), ["the answer"]);
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
