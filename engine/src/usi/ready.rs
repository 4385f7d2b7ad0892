//! `isready`: everything that takes time is done before the clock runs. Threads, memory, tables, book.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use kiki_memory::SystemMemory;
use kiki_search::{Options, ResourceError, Searcher};
use kiki_usi::InfoString;

use super::input::QUIT_AFTER;
use super::session::UsiSession;
use crate::memory::{MemoryShares, beside_the_table, can_reserve};

/// Clients give up on an engine that says nothing for too long: an empty line as often as this keeps them patient.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// Whether the system has the memory that so many threads will ask for when they search: there a refusal would be the end of the program.
/// Asked only where it has refused something, as the C library reserves much that is never used: 64 MiB for each thread.
fn has_room_for(threads: usize) -> bool {
    can_reserve(beside_the_table(threads) + 64 * threads)
}

/// The options with no more threads and no larger table than there is memory for, if the system says how much there is.
fn options_within_memory(wanted: Options) -> Options {
    let Options { threads, table_mebibytes, .. } = wanted;
    let asked = MemoryShares { threads, table_mebibytes };
    let MemoryShares { threads, table_mebibytes } =
        SystemMemory::now().map_or(asked, |memory| asked.within(memory.usable()));
    Options { threads, table_mebibytes, ..wanted }
}

/// Does something again and again until it is dropped.
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
        // Without the thread the client has to be patient.
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
    /// Gets ready for a game; while a search is going on it only answers. `readyok` is said when all memory is resident, while further
    /// commands are read: `quit` need not wait for it.
    pub(super) fn get_ready(&mut self) {
        let output = Arc::clone(&self.output);
        let keep_alive = KeepAlive::start(KEEP_ALIVE, move || output.print(""));
        if self.is_searching() {
            return self.output.print("readyok");
        }
        self.mates.clear();
        self.searched = false;
        let prepared = self.prepare();
        self.open_book(None);
        self.report_options();
        let output = Arc::clone(&self.output);
        let ready = move || {
            drop(keep_alive);
            output.print("readyok");
        };
        match &mut self.searcher {
            Some(searcher) if prepared => searcher.clear_in_background(ready),
            _ => ready(),
        }
    }

    /// One line on what is in force.
    fn report_options(&self) {
        let Some(searcher) = &self.searcher else { return };
        let Options { threads, table_mebibytes, .. } = *searcher.options();
        let book = self.book_in_use().map_or_else(|| "none".to_owned(), |path| path.display().to_string());
        self.output.print(InfoString(format_args!(
            "ready with {threads} threads, hash {table_mebibytes} MiB, evaluation {}, book {book}",
            self.evaluation.describe()
        )));
    }

    /// Starts the searcher or brings it up to the present options, as far as the machine allows; what falls short is said. False if
    /// there is no searcher.
    pub(super) fn prepare(&mut self) -> bool {
        self.options_changed = false;
        self.load_evaluation();
        self.load_sigma_model();
        let wanted = self.settings.search;
        if self.searcher.is_some() && self.options_tried == Some(wanted) {
            return true;
        }
        self.options_tried = Some(wanted);
        let mut options = options_within_memory(wanted);
        let (mut refused, mut fewer_threads) = (false, false);
        let result = loop {
            match self.put_in_force(options) {
                Err(ResourceError::Table { .. }) if options.table_mebibytes > 1 => {
                    options.table_mebibytes -= options.table_mebibytes.div_ceil(16);
                    refused = true;
                }
                Err(ResourceError::Threads { .. }) if options.threads > 1 => {
                    options.threads /= 2;
                    fewer_threads = true;
                }
                Ok(()) if fewer_threads && options.threads > 1 && !has_room_for(options.threads) => {
                    // As many as the system starts, and they need memory beside their stacks. They end first: there is no room for both.
                    self.drop_searcher();
                    options.threads /= 2;
                }
                Ok(()) if refused => {
                    // All memory that the system gives, and some is needed beside the table.
                    let less = options.table_mebibytes.saturating_sub(beside_the_table(options.threads));
                    options.table_mebibytes = less.max(1);
                    refused = false;
                }
                result => break result,
            }
        };
        match result {
            Ok(()) => self.warn_of_less(&wanted, &options, fewer_threads),
            Err(error) => self.warn(format_args!("the options cannot be put in force: {error}")),
        }
        self.searcher.is_some()
    }

    /// Says what is in force instead of what was asked for; with `fewer_threads` because the system refused some.
    fn warn_of_less(&self, asked: &Options, used: &Options, fewer_threads: bool) {
        if used.table_mebibytes < asked.table_mebibytes {
            let [asked, used] = [asked.table_mebibytes, used.table_mebibytes];
            self.warn(format_args!("USI_Hash {asked} does not fit in memory: {used} MiB are used"));
        }
        if used.threads < asked.threads {
            let [asked, used] = [asked.threads, used.threads];
            let reason = if fewer_threads { "cannot be started" } else { "do not fit in memory" };
            self.warn(format_args!("{asked} threads {reason}: {used} in use"));
        }
    }

    fn put_in_force(&mut self, options: Options) -> Result<(), ResourceError> {
        match &mut self.searcher {
            Some(searcher) => searcher.set_options(options),
            None => {
                Searcher::new(self.evaluation.weights.clone(), options).map(|searcher| self.searcher = Some(searcher))
            }
        }
    }

    /// Ends everything in silence. Nothing is waited for but preparations that are nearly done: the program is about to leave, and its threads and memory
    /// go with it at once. A thread may be stuck for ever in a line that nobody reads.
    pub(super) fn quit(mut self) {
        self.background.abandon();
        if let Some(searcher) = self.searcher.as_ref().filter(|searcher| searcher.is_preparing()) {
            searcher.wait_at_most(QUIT_AFTER);
        }
        self.mute();
        std::mem::forget(self);
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
