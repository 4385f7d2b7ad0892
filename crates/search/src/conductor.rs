//! The conductor: a thread that never searches. It has the others begin, sleeps until the search is to end, and gives the answer.
//!
//! What the threads find they publish as they find it. So neither a stop nor the clock has to wait until the system gives a
//! searching thread its turn, however many there are for the processors.

use std::sync::Arc;
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender};
use kiki_board::{DeclarationVerdict, Move, Position};
use kiki_eval::Evaluator;
use parking_lot::{Condvar, Mutex};

use crate::report::{Answer, Outcome, Reporter, Voice};
use crate::root::{Finding, Guide};
use crate::searcher::Options;
use crate::shared::Shared;
use crate::smp::{Order, Setting};
use crate::tt::Table;
use crate::value::{INFINITE, MATE, MATE_BOUND, Score};

/// How long an answer waits for threads that have been told to stop. They look at every node, so that only those that have no
/// processor are later; of these the last completed iteration counts.
const GRACE: Duration = Duration::from_millis(8);

/// How long the conductor waits for a lock that a thread holds only while it copies a line of moves.
const PATIENCE: Duration = Duration::from_millis(1);

/// A search in progress, as its threads know it.
pub(crate) struct Task<E: Evaluator> {
    pub(crate) setting: Setting,
    pub(crate) options: Options,
    pub(crate) shared: Arc<Shared<E::Weights>>,
    pub(crate) voice: Voice,
    /// What each thread has found so far.
    pub(crate) parts: Vec<Mutex<Part>>,
    /// All threads, so that each can wake others.
    pub(crate) threads: Vec<Sender<Order<E>>>,
    pub(crate) running: Arc<Running>,
}

/// What comes of one thread.
#[derive(Default)]
pub(crate) struct Part {
    /// The last completed iteration, if there was one, or what an interrupted one has found to be better.
    pub(crate) finding: Option<Finding>,
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

    pub(crate) fn wait_for(&self, wanted: Phase) {
        self.changed.wait_while(&mut self.phase.lock(), |phase| *phase != wanted);
    }
}

/// The life of the conductor.
pub(crate) fn conduct<E: Evaluator>(tasks: &Receiver<Arc<Task<E>>>) {
    for task in tasks {
        task.conduct();
    }
}

impl<E: Evaluator> Task<E> {
    fn conduct(self: Arc<Self>) {
        let Self { shared, running, .. } = &*self;
        self.wake(0);
        shared.wait_for_end(self.setting.clock);
        shared.stop();
        shared.wait_for_all(Some(GRACE));
        self.tell_failures();
        let outcome = self.outcome();
        running.enter(Phase::Answering);
        self.voice.finished(&outcome);
        shared.wait_for_all(None);
        self.tell_failures();
        running.enter(Phase::Idle);
    }

    /// Has a thread begin its part; it wakes others in turn.
    pub(crate) fn wake(self: &Arc<Self>, id: usize) {
        let Some(thread) = self.threads.get(id) else { return };
        if thread.send(Order::Search(Arc::clone(self))).is_err() {
            // Threads outlive their panics, so this does not happen; if it did, nobody should wait for it.
            self.shared.come_home(id);
        }
    }

    pub(crate) fn guide(&self) -> Guide<'_> {
        let Options { pv_interval, report_bounds, .. } = self.options;
        Guide { reporter: &self.voice, pv_interval, report_bounds }
    }

    fn tell_failures(&self) {
        for part in &self.parts {
            // Not in the condition: the lock would be held while telling.
            let failure = part.try_lock_for(PATIENCE).and_then(|mut part| part.failure.take());
            if let Some(failure) = failure {
                self.voice.note(&failure);
            }
        }
    }

    /// Chooses among what the threads have found.
    fn outcome(&self) -> Outcome {
        let position = &self.setting.position;
        let findings: Vec<Finding> = self.parts.iter().filter_map(known).collect();
        let best = vote(&findings);
        let fallback = || position.legal_moves().first().copied();
        let mv = best.and_then(|finding| finding.line.first().copied()).or_else(fallback);
        let answer = match (position.declaration(self.options.rules.declaration), mv) {
            (DeclarationVerdict::Win, _) => Answer::Declare,
            (DeclarationVerdict::WinBy(mv), _) => Answer::Play(mv),
            (_, Some(mv)) => Answer::Play(mv),
            (_, None) => Answer::Resign,
        };
        let value = match (answer, best) {
            (Answer::Declare, _) => MATE - 1,
            (_, Some(finding)) => finding.value,
            (Answer::Resign, None) => -MATE,
            // Nothing was searched: nothing is known.
            (Answer::Play(_), None) => 0,
        };
        Outcome {
            answer,
            ponder: ponder_move(position, answer, best, &self.shared.table()),
            score: Score::from_value(value),
            depth: best.map_or(0, |finding| finding.depth),
            nodes: self.shared.nodes(),
            time: self.setting.clock.elapsed(),
        }
    }
}

/// What a thread has published. One that lost its processor in the middle of publishing is not waited for.
fn known(part: &Mutex<Part>) -> Option<Finding> {
    part.try_lock_for(PATIENCE)?.finding.clone()
}

/// The finding to follow: threads vote for their moves, the deeper and the better the more; a proved mate needs no votes.
fn vote(findings: &[Finding]) -> Option<&Finding> {
    let known = || findings.iter().filter(|finding| finding.value > -INFINITE);
    let mate = known().filter(|finding| finding.value >= MATE_BOUND).max_by_key(|finding| finding.value);
    if mate.is_some() {
        return mate;
    }
    let worst = known().map(|finding| finding.value).min()?;
    let weight = |finding: &Finding| i64::from(finding.value - worst + 20) * i64::from(finding.depth + 1);
    let votes = |mv: Move| -> i64 { known().filter(|finding| finding.line.first() == Some(&mv)).map(weight).sum() };
    // Of equal ones the first, which is the main thread's.
    let key = |finding: &&Finding| (finding.line.first().map_or(0, |&mv| votes(mv)), weight(finding));
    known().reduce(|best, next| if key(&next) > key(&best) { next } else { best })
}

/// The expected answer: from the line, or from the table if the line is short. Always legal.
fn ponder_move(position: &Position, answer: Answer, best: Option<&Finding>, table: &Table) -> Option<Move> {
    let Answer::Play(mv) = answer else { return None };
    let mut after = position.clone();
    after.make(mv);
    let line =
        best.filter(|finding| finding.line.first() == Some(&mv)).and_then(|finding| finding.line.get(1).copied());
    let candidate = line.or_else(|| table.probe(after.key(), 0).map(|entry| entry.mv))?;
    after.is_legal(candidate).then_some(candidate)
}
