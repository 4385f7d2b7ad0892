//! Panics and slow callbacks: the user is told, they cost no move, no thread waits forever, and
//! none continues too early.

mod wrapped;

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use kiki_board::Position;
use kiki_eval::{Formula, Weights};
use kiki_search::{Action, Limits, Options, Reporter, SearchInfo, SearchResult, Searcher};

use wrapped::{Addition, Wrapped};

/// Evaluations before the next panic, over all threads.
static FUSE: AtomicI64 = AtomicI64::new(i64::MAX);

/// A fuse that blows in one thread.
struct Fuse;

impl Addition for Fuse {
    fn before_evaluation() {
        assert!(FUSE.fetch_sub(1, Ordering::Relaxed) != 0, "the fuse has blown");
    }
}

type Fragile = Wrapped<Fuse>;

/// Searches the first position; the fuse blows after `fuse` evaluations. Returns the notes and the
/// result.
fn search(searcher: &mut Searcher<Fragile>, fuse: i64) -> (Vec<String>, SearchResult) {
    // Positions in the table need no evaluation.
    searcher.clear();
    FUSE.store(fuse, Ordering::Relaxed);
    let limits = Limits { depth: Some(9), ..Limits::default() };
    let searched = searcher.search(Position::startpos(), limits, &false.into());
    (searched.notes, searched.result)
}

#[test]
fn a_panic_is_reported_and_the_best_move_known_is_played() {
    for threads in [1, 3] {
        let options = Options { threads, table_mebibytes: 8, ..Options::default() };
        let mut searcher = Searcher::<Fragile>::new(Weights::default(), options).unwrap();
        for fuse in [0, 40, 4_000] {
            let (notes, result) = search(&mut searcher, fuse);
            assert_eq!(notes, ["a search thread failed: the fuse has blown"]);
            let Action::Play(mv) = result.action else { panic!("{result:?}") };
            assert!(Position::startpos().is_legal(mv), "{mv} with {threads} threads after {fuse} evaluations");
            assert!(fuse < 4_000 || result.depth > 0, "what earlier iterations found is lost: {result:?}");
            // The thread works again, with a new worker.
            let (notes, result) = search(&mut searcher, i64::MAX);
            assert!(notes.is_empty(), "{notes:?}");
            // With several threads, one that is an iteration behind may have the best move by
            // votes.
            assert!(result.depth == 9 || threads > 1 && result.depth >= 7, "{result:?}");
        }
    }
}

/// Longer than a short search takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a reporter panics.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Panics {
    Never,
    AtAnswer,
    AtAnswerAndNotes,
}

/// Sends its reports on, or panics.
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

/// Searches and returns the reports.
fn words(searcher: &mut Searcher<Formula>, limits: Limits, panics: Panics) -> Vec<String> {
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
fn a_panic_of_the_reporter_is_reported_and_the_next_search_answers() {
    let depth = || Limits { depth: Some(3), ..Limits::default() };
    // With such a short clock the first thread to end answers, without one the last; after a stop
    // perhaps the coordinator.
    let hurried = || Limits { movetime: Some(Duration::from_millis(2)), ..Limits::default() };
    for threads in [1, 3] {
        let mut searcher = searcher(threads);
        for limits in [depth, hurried, Limits::default] {
            let said = words(&mut searcher, limits(), Panics::AtAnswer);
            assert_eq!(said, ["reporting the answer failed: on purpose"], "{threads} threads");
            assert_eq!(words(&mut searcher, limits(), Panics::AtAnswerAndNotes), [""; 0]);
            assert_eq!(words(&mut searcher, limits(), Panics::Never), ["the answer"]);
        }
    }
}

#[test]
fn the_call_at_the_end_of_getting_ready_comes_before_anything_that_waits_for_it() {
    let mut searcher = searcher(2);
    let called = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&called);
    searcher.clear_in_background(move || {
        std::thread::sleep(Duration::from_millis(100));
        flag.store(true, Ordering::SeqCst);
    });
    let said = words(&mut searcher, Limits { depth: Some(1), ..Limits::default() }, Panics::Never);
    assert!(called.load(Ordering::SeqCst) && said == ["the answer"], "{said:?}");
    searcher.clear_in_background(|| panic!("on purpose"));
    assert!(searcher.wait_at_most(PATIENCE), "the searcher is idle again");
    assert_eq!(words(&mut searcher, Limits::default(), Panics::Never), ["the answer"]);
}

#[test]
fn time_that_had_passed_before_the_search_counts() {
    let mut searcher = searcher(1);
    let limits =
        Limits { movetime: Some(Duration::from_secs(3600)), elapsed: Duration::from_secs(3599), ..Limits::default() };
    let result = searcher.search(Position::startpos(), limits, &false.into()).result;
    assert!(result.time < Duration::from_secs(3599) + PATIENCE, "{result:?}");
    assert!(result.time >= Duration::from_secs(3599) && result.depth > 0, "{result:?}");
}
