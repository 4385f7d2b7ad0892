//! USI on standard input and output.
//!
//! Lines are executed in order, usually at once by the thread that reads. While the session
//! prepares, which may take long, another thread has it, and lines read meanwhile wait. So `quit`
//! and the end of the input are always noticed. The program ends after the answers to earlier lines
//! that need no search; `quit` also waits for a bench and for openings, which testing frameworks
//! ask for together with it. A second `quit` ends the program at once.

mod book;
mod developer;
mod game_clock;
mod go;
pub(crate) mod options;
mod ready;
mod reporter;
mod resources;
mod session;
mod workers;

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use kiki_platform::prefer_short_time_slices;
use parking_lot::{Condvar, Mutex, MutexGuard};

use session::{InputLine, UsiSession};

/// Speaks USI on standard input and output until `quit` or the end of the input.
pub(crate) fn serve_stdin() {
    let Some(session) = UsiSession::start() else { return };
    // So that the engine reads input at once, however busy the processors are.
    prefer_short_time_slices();
    let output = Arc::clone(&session.output);
    let executor = Arc::new(LineExecutor::new(session));
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return executor.input_ended(),
            Ok(_) => {}
        }
        output.log_input(&line);
        if executor.execute(InputLine::parse(&line)).is_break() {
            return;
        }
    }
}

/// Executes command lines from the arguments, up to `quit` or the last one, without reading
/// standard input. What ends by itself finishes before the next line.
pub(crate) fn serve_lines(lines: Vec<String>) {
    let Some(mut session) = UsiSession::start() else { return };
    for line in lines {
        session.output.log_input(line.as_bytes());
        if session.execute(InputLine::parse(line.as_bytes())).is_break() {
            return session.quit();
        }
        session.wait_for_answer();
    }
    session.quit();
}

/// The most waiting lines; a client that sends more must wait too.
const MOST_WAITING: usize = 1000;

/// The exit status after a panic.
const PANICKED: i32 = 101;

/// Executes lines with one session, which another thread has while it prepares.
struct LineExecutor {
    state: Mutex<ExecutorState>,
    changed: Condvar,
}

struct ExecutorState {
    /// `None` while another thread has it.
    session: Option<UsiSession>,
    /// Lines for the thread that has the session.
    waiting: VecDeque<InputLine>,
    /// Whether a line has asked for an answer without a search since the session was last idle.
    is_asked: bool,
    leaving: Leaving,
}

/// Whether the program ends after the waiting lines, and why.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaving {
    No,
    /// The input has ended.
    AtEnd,
    /// After work that `quit` waits for.
    AtQuit,
}

impl LineExecutor {
    fn new(session: UsiSession) -> Self {
        let state =
            ExecutorState { session: Some(session), waiting: VecDeque::new(), is_asked: false, leaving: Leaving::No };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Executes a line, or queues it for the thread that has the session. Breaks when the program
    /// ends at once.
    fn execute(self: &Arc<Self>, line: InputLine) -> ControlFlow<()> {
        let mut state = self.state.lock();
        if line.is_quit() {
            return if state.is_leaving() { ControlFlow::Break(()) } else { self.leave(state, Leaving::AtQuit) };
        }
        if state.is_leaving() {
            return ControlFlow::Continue(());
        }
        let is_full = |state: &mut ExecutorState| state.session.is_none() && state.waiting.len() >= MOST_WAITING;
        self.changed.wait_while(&mut state, is_full);
        match &mut state.session {
            None => state.wait(line),
            Some(session) if !session.takes_long(&line) => return session.execute(line),
            Some(session) => {
                state.is_asked &= session.is_preparing();
                state.wait(line);
                self.execute_elsewhere(state);
            }
        }
        ControlFlow::Continue(())
    }

    /// Ends the program: at once, or after the waiting lines and the work that `quit` waits for.
    fn leave(self: &Arc<Self>, mut state: MutexGuard<'_, ExecutorState>, reason: Leaving) -> ControlFlow<()> {
        if !state.is_leaving() {
            state.leaving = reason;
        }
        let ends = |session: &mut UsiSession| {
            !session.is_preparing() && (reason == Leaving::AtEnd || !session.background.finishes_at_quit())
        };
        if let Some(session) = state.session.take_if(ends) {
            session.quit();
            return ControlFlow::Break(());
        }
        if state.session.is_some() {
            self.execute_elsewhere(state);
        }
        ControlFlow::Continue(())
    }

    /// Ends the program after the end of the input, once the answers without a search are given.
    fn input_ended(self: &Arc<Self>) {
        let state = self.state.lock();
        let is_busy = state.session.as_ref().is_none_or(UsiSession::is_preparing);
        let owes_answer = state.is_asked || state.is_leaving();
        if is_busy && !owes_answer || self.leave(state, Leaving::AtEnd).is_break() {
            return;
        }
        // The thread that has the session ends the program.
        loop {
            std::thread::park();
        }
    }

    /// Starts a thread for the waiting lines.
    fn execute_elsewhere(self: &Arc<Self>, mut state: MutexGuard<'_, ExecutorState>) {
        // Kept outside the thread, so that it is not lost if the system refuses the thread.
        let slot = Arc::new(Mutex::new(state.session.take()));
        drop(state);
        let (executor, taken) = (Arc::clone(self), Arc::clone(&slot));
        let body = move || executor.execute_waiting(taken.lock().take());
        if std::thread::Builder::new().name("get ready".to_owned()).spawn(body).is_err() {
            self.execute_waiting(slot.lock().take());
        }
    }

    /// Executes waiting and arriving lines; then returns the session, or ends the program.
    fn execute_waiting(&self, session: Option<UsiSession>) {
        let Some(mut session) = session else { return };
        loop {
            let mut state = self.state.lock();
            let Some(line) = state.waiting.pop_front() else {
                if state.is_leaving() {
                    let waits = state.leaving == Leaving::AtQuit && session.background.finishes_at_quit();
                    drop(state);
                    if waits {
                        session.background.wait();
                    }
                    session.quit();
                    std::process::exit(0);
                }
                state.session = Some(session);
                self.changed.notify_all();
                return;
            };
            self.changed.notify_all();
            drop(state);
            // Answers keep the order of their commands.
            let leaving = loop {
                // A statement of its own: within the call below, the lock would be held.
                let leaving = self.state.lock().leaving;
                if !session.is_preparing() {
                    break leaving;
                }
                session.wait_for_ready(leaving != Leaving::No);
            };
            let is_left_out = match leaving {
                Leaving::No => false,
                Leaving::AtEnd => line.searches(),
                Leaving::AtQuit => line.searches() && !line.finishes_at_quit(),
            };
            if is_left_out {
                continue;
            }
            if catch_unwind(AssertUnwindSafe(|| session.execute(line))).is_err() {
                // A client that waits for an answer must see that none will come.
                std::process::exit(PANICKED);
            }
        }
    }
}

impl ExecutorState {
    fn is_leaving(&self) -> bool {
        self.leaving != Leaving::No
    }

    fn wait(&mut self, line: InputLine) {
        self.is_asked |= line.asks();
        self.waiting.push_back(line);
    }
}
