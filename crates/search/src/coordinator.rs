//! The coordinator: a thread that never searches. It has the others begin, sleeps until the search is to end, and gives the answer.
//!
//! What the threads find they publish as they find it. So neither a stop nor the clock has to wait until the system gives a
//! searching thread its turn, however many there are for the processors.

use std::sync::Arc;
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, unbounded};
use kiki_board::{DeclarationVerdict, Move, Position};
use kiki_eval::Evaluator;
use parking_lot::{Condvar, Mutex};

use crate::report::{Answer, Bound, GatedReporter, Info, Outcome, WorkDone};
use crate::root::Guide;
use crate::root_moves::RootLine;
use crate::searcher::Options;
use crate::shared::Shared;
use crate::smp::{Order, Setting};
use crate::tt::Table;
use crate::value::{MATE, Score};
use crate::vote::vote;

/// How long an answer waits for threads that have been told to stop. They look at every node, so that only those that have no
/// processor are later; of these the last completed iteration counts.
const GRACE: Duration = Duration::from_millis(8);

/// How long the coordinator waits for a lock that a thread holds only while it copies a line of moves.
const PATIENCE: Duration = Duration::from_millis(1);

/// What the coordinator is to see to.
pub(crate) enum Job<E: Evaluator> {
    /// A search and its answer.
    Search(Arc<Task<E>>),
    /// Getting ready for a new game.
    Prepare(Preparation<E>),
}

/// All threads forget earlier games, and all memory becomes resident.
pub(crate) struct Preparation<E: Evaluator> {
    pub(crate) shared: Arc<Shared<E::Weights>>,
    pub(crate) threads: Vec<Sender<Order<E>>>,
    pub(crate) running: Arc<Running>,
    /// Called at the end, unless the searcher is being dropped.
    pub(crate) done: Box<dyn FnOnce() + Send>,
}

/// A search in progress, as its threads know it.
pub(crate) struct Task<E: Evaluator> {
    pub(crate) setting: Setting,
    pub(crate) options: Options,
    pub(crate) shared: Arc<Shared<E::Weights>>,
    pub(crate) reporter: GatedReporter,
    /// What each thread has found so far.
    pub(crate) parts: Vec<Mutex<Part>>,
    /// All threads, so that each can wake others.
    pub(crate) threads: Vec<Sender<Order<E>>>,
    pub(crate) running: Arc<Running>,
}

/// What comes of one thread.
#[derive(Default)]
pub(crate) struct Part {
    /// The best lines: of the last completed iteration, or with what an interrupted one has found to be better. Empty if nothing is known.
    pub(crate) lines: Vec<RootLine>,
    /// Why it failed, if it did and nobody has been told yet.
    pub(crate) failure: Option<String>,
}

/// How far the search is, told to whoever waits.
#[derive(Default)]
pub(crate) struct Running {
    phase: Mutex<Phase>,
    changed: Condvar,
}

/// Searching is over before the answer is given, so that whoever hears the answer may start the next thing at once; all is over
/// when the answer has been given and every thread sleeps again.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Phase {
    #[default]
    Idle,
    Preparing,
    Searching,
    Answering,
}

impl Running {
    pub(crate) fn enter(&self, phase: Phase) {
        *self.phase.lock() = phase;
        self.changed.notify_all();
    }

    pub(crate) fn is(&self, phase: Phase) -> bool {
        *self.phase.lock() == phase
    }

    /// Waits for a phase; false if it has not come after `patience`.
    pub(crate) fn wait_for(&self, wanted: Phase, patience: Option<Duration>) -> bool {
        let mut phase = self.phase.lock();
        let other = |phase: &mut Phase| *phase != wanted;
        match patience {
            None => self.changed.wait_while(&mut phase, other),
            Some(patience) => return !self.changed.wait_while_for(&mut phase, other, patience).timed_out(),
        }
        true
    }
}

/// The life of the coordinator.
pub(crate) fn coordinate<E: Evaluator>(jobs: &Receiver<Job<E>>) {
    for job in jobs {
        match job {
            Job::Search(task) => task.coordinate(),
            Job::Prepare(preparation) => preparation.run(),
        }
    }
}

impl<E: Evaluator> Preparation<E> {
    fn run(self) {
        let Self { shared, threads, running, done } = self;
        let (ready, waiting) = unbounded();
        for thread in &threads {
            // A send fails only when the thread is gone, and then nobody waits for it.
            let _ = thread.send(Order::Forget(ready.clone()));
        }
        drop(ready);
        shared.table().clear(|| shared.is_leaving());
        while waiting.recv().is_ok() {}
        running.enter(Phase::Idle);
        if !shared.is_leaving() {
            done();
        }
    }
}

impl<E: Evaluator> Task<E> {
    fn coordinate(self: Arc<Self>) {
        let Self { shared, running, .. } = &*self;
        self.wake(0);
        shared.wait_for_end(self.setting.clock);
        shared.stop();
        shared.wait_for_all(Some(GRACE));
        self.tell_failures();
        let (outcome, lines) = self.outcome();
        running.enter(Phase::Answering);
        self.reporter.finish(&lines, &outcome);
        self.note_answer_time();
        shared.wait_for_all(None);
        self.tell_failures();
        running.enter(Phase::Idle);
    }

    /// Has a thread begin its part; it wakes others in turn.
    pub(crate) fn wake(self: &Arc<Self>, id: usize) {
        let Some(thread) = self.threads.get(id) else { return };
        if thread.send(Order::Search(Arc::clone(self))).is_err() {
            // Threads outlive their panics, so this does not happen; if it did, nobody should wait for it.
            self.shared.worker_finished(id);
        }
    }

    pub(crate) fn guide(&self) -> Guide<'_> {
        let Options { pv_interval, report_bounds, .. } = self.options;
        Guide { reporter: &self.reporter, pv_interval, report_bounds }
    }

    fn tell_failures(&self) {
        for part in &self.parts {
            // Not in the condition: the lock would be held while telling.
            let failure = part.try_lock_for(PATIENCE).and_then(|mut part| part.failure.take());
            if let Some(failure) = failure {
                self.reporter.note(&failure);
            }
        }
    }

    /// Remembers how long the answer took, and how late it was if it was given at the last moment.
    fn note_answer_time(&self) {
        let now = self.setting.clock.elapsed();
        if self.shared.is_pondering() {
            return;
        }
        let Some(plan) = self.shared.deadline.plan() else { return };
        let mut times = self.shared.answer_times.lock();
        times.used = now.saturating_sub(plan.started);
        if let Some(late) = now.checked_sub(plan.maximum()) {
            times.lateness.observe(late);
        }
    }

    /// Chooses among what the threads have found; with the lines to tell last.
    fn outcome(&self) -> (Outcome, Vec<Info>) {
        let position = &self.setting.position;
        let results: Vec<Vec<RootLine>> = self.parts.iter().filter_map(known).collect();
        let best = vote(&results).unwrap_or_default();
        let table = self.shared.table();
        let answer = match position.declaration(self.options.rules.declaration) {
            DeclarationVerdict::Win => Answer::Declare,
            DeclarationVerdict::WinBy(mv) => Answer::Play(mv),
            _ => best
                .first()
                .map(|line| line.moves[0])
                .or_else(|| self.unsearched_move())
                .map_or(Answer::Resign, Answer::Play),
        };
        let depth = best.first().map_or(0, |line| line.depth);
        let (nodes, time) = (self.shared.nodes(), self.setting.clock.elapsed());
        let work = WorkDone { nodes, time, hashfull: table.hashfull() };
        let info = |index: usize, line: &RootLine| line.info(index + 1, Bound::Exact, work);
        let ended = |value, moves| vec![info(0, &RootLine { depth, seldepth: 1, value, moves })];
        let lines: Vec<Info> = match answer {
            Answer::Declare => ended(MATE - 1, Vec::new()),
            Answer::Resign => ended(-MATE, Vec::new()),
            Answer::Play(mv) if best.first().is_none_or(|line| line.moves[0] == mv) => {
                best.iter().enumerate().map(|(index, line)| info(index, line)).collect()
            }
            // By the try rule, whatever the search thinks of it.
            Answer::Play(mv) => ended(MATE - 1, vec![mv]),
        };
        // Nothing was searched: nothing is known.
        let score = lines.first().map_or(Score::Centipawns(0), |info| info.score);
        let ponder = ponder_move(position, answer, lines.first(), &table);
        (Outcome { answer, ponder, score, depth, nodes, time }, lines)
    }

    /// A move when nothing was searched: what the table remembers, or any.
    fn unsearched_move(&self) -> Option<Move> {
        let Setting { position, search_moves, .. } = &self.setting;
        let allowed = |mv: &Move| position.is_legal(*mv) && (search_moves.is_empty() || search_moves.contains(mv));
        let remembered = self.shared.table().probe(position.key(), 0).map(|entry| entry.mv);
        remembered.filter(allowed).or_else(|| position.legal_moves().iter().copied().find(allowed))
    }
}

/// What a thread has published. One that lost its processor in the middle of publishing is not waited for.
fn known(part: &Mutex<Part>) -> Option<Vec<RootLine>> {
    Some(part.try_lock_for(PATIENCE)?.lines.clone())
}

/// The expected answer: from the line, or from the table if the line is short. Always legal.
fn ponder_move(position: &Position, answer: Answer, best: Option<&Info>, table: &Table) -> Option<Move> {
    let Answer::Play(mv) = answer else { return None };
    let mut after = position.clone();
    after.make(mv);
    let line = best.and_then(|info| info.pv.get(1).copied());
    let candidate = line.or_else(|| table.probe(after.key(), 0).map(|entry| entry.mv))?;
    after.is_legal(candidate).then_some(candidate)
}
