//! A panic in a searching thread is told, survived, and costs no move.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, mpsc};

use kiki_board::{Delta, Position};
use kiki_eval::{Evaluator, Formula, Value, Weights};
use kiki_search::{Action, Limits, Options, Reporter, SearchInfo, SearchResult, Searcher};

/// Evaluations that still go well, over all threads.
static FUSE: AtomicI64 = AtomicI64::new(i64::MAX);

/// The evaluation, until the fuse blows; one thread meets that.
struct Fragile(Formula);

impl Evaluator for Fragile {
    type Weights = Weights;

    fn new(weights: &Arc<Weights>, position: &Position) -> Self {
        Self(Formula::new(weights, position))
    }

    fn reset(&mut self, position: &Position) {
        self.0.reset(position);
    }

    fn push(&mut self, delta: &Delta) {
        self.0.push(delta);
    }

    fn pop(&mut self) {
        self.0.pop();
    }

    fn evaluate(&mut self, position: &Position) -> Value {
        assert!(FUSE.fetch_sub(1, Ordering::Relaxed) != 0, "the fuse has blown");
        self.0.evaluate(position)
    }
}

/// What a search said.
enum Said {
    Note(String),
    Finished(SearchResult),
}

struct Listener(mpsc::Sender<Said>);

impl Reporter for Listener {
    fn info(&self, _: &SearchInfo) {}

    fn note(&self, text: &str) {
        self.0.send(Said::Note(text.to_owned())).unwrap();
    }

    fn finished(&self, result: &SearchResult) {
        self.0.send(Said::Finished(result.clone())).unwrap();
    }
}

/// Searches the start to a depth; the fuse blows after so many evaluations. Gives the notes and the result.
fn search(searcher: &mut Searcher<Fragile>, fuse: i64) -> (Vec<String>, SearchResult) {
    // What the table remembers needs no evaluation.
    searcher.clear();
    FUSE.store(fuse, Ordering::Relaxed);
    let (sender, receiver) = mpsc::channel();
    let limits = Limits { depth: Some(9), ..Limits::default() };
    searcher.go(Position::startpos(), limits, Arc::new(Listener(sender)));
    searcher.wait();
    let (mut notes, mut outcomes) = (Vec::new(), Vec::new());
    for said in receiver.try_iter() {
        match said {
            Said::Note(note) => notes.push(note),
            Said::Finished(result) => outcomes.push(result),
        }
    }
    assert_eq!(outcomes.len(), 1, "one answer");
    (notes, outcomes.remove(0))
}

#[test]
fn a_panic_is_told_and_the_best_move_known_is_played() {
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
            // Of several threads one that is an iteration behind may have the most convincing move.
            assert!(result.depth == 9 || threads > 1 && result.depth >= 7, "{result:?}");
        }
    }
}
