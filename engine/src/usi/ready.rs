//! `isready`: all slow work before the clock runs: threads, memory, tables, book.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use kiki_search::Options;
use kiki_usi::InfoString;

use super::session::UsiSession;

/// Interval of empty lines during preparation: clients give up on a silent engine.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// Calls a function repeatedly until dropped.
struct KeepAlive {
    /// Dropped to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl KeepAlive {
    fn start(interval: Duration, sign: impl Fn() + Send + 'static) -> Self {
        let (end, ended) = channel::<()>();
        let body = move || {
            while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                sign();
            }
        };
        // Without the thread the engine is silent; the client may still wait.
        Self { end: Some(end), thread: std::thread::Builder::new().name("keep alive".to_owned()).spawn(body).ok() }
    }
}

impl Drop for KeepAlive {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl UsiSession {
    /// Prepares for a game; during a search it only answers. `readyok` comes when all memory is
    /// resident. Commands read meanwhile are executed after it.
    pub(super) fn get_ready(&mut self) {
        let output = Arc::clone(&self.output);
        let keep_alive = KeepAlive::start(KEEP_ALIVE, move || output.print(""));
        if self.is_searching() {
            return self.output.print("readyok");
        }
        self.mates.clear();
        self.must_clear_hash = false;
        self.resources.searched = false;
        let prepared = self.prepare();
        self.books.open(&self.options.settings.book, None);
        self.report_options();
        let output = Arc::clone(&self.output);
        let ready = move || {
            drop(keep_alive);
            output.print("readyok");
        };
        match &mut self.resources.searcher {
            Some(searcher) if prepared => searcher.clear_in_background(ready),
            _ => ready(),
        }
    }

    /// Starts the searcher or updates its options. False if there is no searcher.
    pub(super) fn prepare(&mut self) -> bool {
        self.options.changed = false;
        self.resources.prepare(&self.options.settings, &self.output)
    }

    /// Prints the settings in use on one line.
    fn report_options(&self) {
        let Some(searcher) = &self.resources.searcher else { return };
        let Options { threads, table_mebibytes, .. } = *searcher.options();
        let books: Vec<String> = self.books.paths_in_use().map(|path| path.display().to_string()).collect();
        let book = if books.is_empty() { "none".to_owned() } else { books.join(";") };
        self.output.print(InfoString(format_args!(
            "ready with {threads} threads, hash {table_mebibytes} MiB, evaluation {}, book {book}",
            self.resources.evaluation.describe()
        )));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn signs_of_life_come_again_and_again_until_the_end() {
        let count = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        let keep_alive = KeepAlive::start(Duration::from_millis(1), move || {
            counter.fetch_add(1, Ordering::SeqCst);
        });
        while count.load(Ordering::SeqCst) < 3 {
            std::thread::yield_now();
        }
        drop(keep_alive);
        let seen = count.load(Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(count.load(Ordering::SeqCst), seen);
    }
}
