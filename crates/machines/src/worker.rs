//! A worker: it serves every run on the server that it can, a task at a time on each thread.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::kv::Operation;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt as _;
use kiki_run::output::print_warning;
use kiki_run::say;
use kiki_search::SEARCH_STACK_SIZE;
use kiki_text::printable;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::allowed::AllowedEngines;
use crate::context::{StopSignal, WorkerContext};
use crate::files::FileCache;
use crate::job::{Answer, AnyJob, JobKind};
use crate::measure::{Measured, has_idle_processors};
use crate::message::{
    ProgramVersion, ResultMessage, RunNotice, TaskMessage, TaskResult, WorkerNotice, compress, from_json, sum_of,
    to_json,
};
use crate::server::{HELLO, Server, causes, is_in_queue, is_run, result_subject, worker_subject};

/// Interval of the notices, and of the signs that a task is being done.
const NOTICE: Duration = Duration::from_secs(2);
/// How long a thread waits for a task of a run, if it is the only run and if there are more.
const WAIT: Duration = Duration::from_secs(2);
const SHORT_WAIT: Duration = Duration::from_millis(100);
/// Pause after a failure of the connection.
const PAUSE: Duration = Duration::from_millis(500);
/// Number of attempts to fetch what a run needs.
const ATTEMPTS: usize = 5;
/// A task is set aside after this number of deliveries without a result.
const MOST_DELIVERIES: i64 = 3;

/// What a worker is and may do.
pub(crate) struct WorkerSettings {
    pub(crate) name: String,
    pub(crate) threads: usize,
    pub(crate) allowed: AllowedEngines,
    pub(crate) cache: FileCache,
    pub(crate) kinds: &'static [JobKind],
    pub(crate) measured: Measured,
}

/// A run that this worker serves.
struct ServedRun {
    id: String,
    timed: bool,
    job: Box<dyn AnyJob>,
    tasks: PullConsumer,
    stop: StopSignal,
    /// Set if a thread could not begin: the whole worker leaves the run.
    is_refused: AtomicBool,
}

struct Worker {
    server: Server,
    settings: WorkerSettings,
    version: ProgramVersion,
    runs: Mutex<BTreeMap<String, Arc<ServedRun>>>,
    refused: Mutex<BTreeMap<String, String>>,
    /// Told when a run comes or goes.
    changed: Notify,
    is_free: AtomicBool,
    busy: AtomicUsize,
    done: AtomicU64,
}

/// Why a worker never serves a run, as opposed to a connection that failed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refusal(String);

/// Serves runs until `stop` is set; then returns the tasks at hand.
pub(crate) async fn serve(server: Server, settings: WorkerSettings, stop: Arc<AtomicBool>) -> Result<()> {
    let version = ProgramVersion::new(settings.measured.signature);
    say!(
        "worker `{}`: {} threads, {} nodes a second each, {version}",
        settings.name,
        settings.threads,
        settings.measured.speed
    );
    let worker = Arc::new(Worker {
        server,
        settings,
        version,
        runs: Mutex::default(),
        refused: Mutex::default(),
        changed: Notify::new(),
        is_free: AtomicBool::new(false),
        busy: AtomicUsize::new(0),
        done: AtomicU64::new(0),
    });
    let threads = (0..worker.settings.threads).map(|_| TaskThread::start(&worker, &stop));
    let threads: Vec<_> = threads.collect::<Result<_>>()?;
    let watch = tokio::spawn(watch_runs(Arc::clone(&worker)));
    let notices = tokio::spawn(publish_notices(Arc::clone(&worker)));
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(SHORT_WAIT).await;
    }
    worker.runs.lock().values().for_each(|run| run.stop.set());
    worker.changed.notify_waiters();
    // Meanwhile this task lets the others of the runtime go on.
    let _ = tokio::task::spawn_blocking(|| threads.into_iter().for_each(|thread| drop(thread.join()))).await;
    watch.abort();
    notices.abort();
    let _ = tokio::time::timeout(WAIT, worker.server.client.flush()).await;
    say!("worker `{}`: {} tasks done", worker.settings.name, worker.done.load(Ordering::Relaxed));
    Ok(())
}

fn log(line: &str) {
    print_warning(&printable(line));
}

/// Learns of runs that come and go, also after a lost connection.
async fn watch_runs(worker: Arc<Worker>) {
    loop {
        if let Err(error) = Arc::clone(&worker).watch().await {
            log(&format!("runs cannot be watched: {error:#}"));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Publishes what this worker is, every two seconds and when asked.
async fn publish_notices(worker: Arc<Worker>) {
    // Names may have characters that subjects may not.
    let id = blake3::hash(worker.settings.name.as_bytes()).to_hex();
    let mut asked = worker.server.client.subscribe(HELLO).await.ok();
    let mut tick = tokio::time::interval(NOTICE);
    loop {
        if worker.busy.load(Ordering::Relaxed) == 0 {
            let threads = worker.settings.threads;
            let is_free = tokio::task::spawn_blocking(move || has_idle_processors(threads)).await.unwrap_or(false);
            // A task that began meanwhile makes the measurement useless.
            if worker.busy.load(Ordering::Relaxed) == 0 {
                worker.is_free.store(is_free, Ordering::Relaxed);
            }
        }
        if let Ok(message) = to_json(&worker.notice()) {
            let _ = worker.server.client.publish(worker_subject(&id), message.into()).await;
        }
        let question = async {
            match &mut asked {
                Some(asked) => drop(asked.next().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = tick.tick() => {}
            () = question => {}
        }
    }
}

impl Worker {
    fn notice(&self) -> WorkerNotice {
        WorkerNotice {
            name: self.settings.name.clone(),
            threads: self.settings.threads,
            processors: num_cpus::get(),
            speed: self.settings.measured.speed,
            busy: self.busy.load(Ordering::Relaxed),
            is_free: self.is_free.load(Ordering::Relaxed),
            refused: self.refused.lock().clone(),
        }
    }

    async fn watch(self: Arc<Self>) -> Result<()> {
        let mut entries = self.server.runs.watch_with_history(">").await?;
        while let Some(entry) = entries.next().await {
            let entry = entry?;
            match entry.operation {
                Operation::Put => {
                    // Fetching files must not hide the end of another run.
                    tokio::spawn(Arc::clone(&self).serve_or_refuse(entry.key, entry.value.to_vec()));
                }
                Operation::Delete | Operation::Purge => self.stop_serving(&entry.key),
            }
            self.changed.notify_waiters();
        }
        Ok(())
    }

    /// Begins to serve a run. Tries several times, as connections may fail.
    async fn serve_or_refuse(self: Arc<Self>, id: String, notice: Vec<u8>) {
        let mut outcome = Ok(());
        for _ in 0..ATTEMPTS {
            let attempt = {
                let (worker, id, notice) = (Arc::clone(&self), id.clone(), notice.clone());
                // The client library may panic when it loses the connection.
                tokio::spawn(async move { worker.begin_serving(&id, &notice).await })
            };
            outcome = attempt.await.map_err(Into::into).flatten();
            match &outcome {
                Err(error) if error.is::<Refusal>() => break,
                Err(_) => tokio::time::sleep(NOTICE).await,
                Ok(()) => break,
            }
        }
        match outcome {
            Err(error) => self.refuse(&id, &format!("{error:#}")),
            // The run may have ended meanwhile.
            Ok(()) if matches!(self.server.runs.get(&id).await, Ok(None)) => self.stop_serving(&id),
            Ok(()) => {}
        }
        self.changed.notify_waiters();
    }

    async fn begin_serving(&self, id: &str, notice: &[u8]) -> Result<()> {
        ensure!(is_run(id), Refusal("its key is not the id of a run".to_owned()));
        let refuse = |error: anyhow::Error| anyhow!(Refusal(format!("{error:#}")));
        let RunNotice { version, what, kind, timed, job } = from_json(notice).map_err(refuse)?;
        if version != self.version {
            // Another program may continue a run that this worker serves.
            self.stop_serving(id);
            bail!(Refusal(format!("it wants {version}, and this is {}", self.version)));
        }
        let known = self.runs.lock().get(id).cloned();
        if known.is_some_and(|run| !run.is_refused.load(Ordering::Relaxed)) {
            // A resumed run may have a new queue, without a consumer.
            return self.server.tasks(id).await.map(drop);
        }
        self.stop_serving(id);
        let of_kind = self.settings.kinds.iter().find(|known| known.name == kind);
        let of_kind =
            of_kind.with_context(|| Refusal(format!("this program does not know the kind `{kind}` of runs")))?;
        let mut job = (of_kind.read)(job).context("its settings cannot be read").map_err(refuse)?;
        for (path, blake3) in job.needs().files() {
            *path = self.settings.cache.file(&self.server, blake3).await?;
        }
        let tasks = self.server.tasks(id).await?;
        say!("serves {}: {}", printable(id), printable(&what));
        let run = ServedRun {
            id: id.to_owned(),
            timed,
            job,
            tasks,
            stop: StopSignal::new(),
            is_refused: AtomicBool::new(false),
        };
        self.runs.lock().insert(id.to_owned(), Arc::new(run));
        Ok(())
    }

    fn stop_serving(&self, id: &str) {
        self.refused.lock().remove(id);
        if let Some(run) = self.runs.lock().remove(id) {
            run.stop.set();
            say!("leaves {}", printable(id));
        }
    }

    fn refuse(&self, id: &str, reason: &str) {
        log(&format!("run {id} is refused: {reason}"));
        self.refused.lock().insert(id.to_owned(), reason.to_owned());
    }

    /// The runs that may have a task for a thread, each time from another one on.
    fn eligible(&self, turn: usize) -> Vec<Arc<ServedRun>> {
        let is_free = self.is_free.load(Ordering::Relaxed);
        let runs = self.runs.lock();
        let serves = |run: &&Arc<ServedRun>| !run.is_refused.load(Ordering::Relaxed) && (!run.timed || is_free);
        let mut runs: Vec<_> = runs.values().filter(serves).cloned().collect();
        let count = runs.len().max(1);
        runs.rotate_left(turn % count);
        runs
    }
}

/// A task that a thread does or is about to do.
struct Assignment {
    run: Arc<ServedRun>,
    message: Message,
    number: u64,
    task: Value,
}

/// A thread that does one task after the other.
struct TaskThread {
    worker: Arc<Worker>,
    runtime: Handle,
    /// Set when the worker ends.
    stop: Arc<AtomicBool>,
    /// The runs have their turns.
    turn: usize,
    /// The task to do next.
    next: Option<Assignment>,
}

impl TaskThread {
    fn start(worker: &Arc<Worker>, stop: &Arc<AtomicBool>) -> Result<JoinHandle<()>> {
        let (worker, stop) = (Arc::clone(worker), Arc::clone(stop));
        let thread = Self { worker, runtime: Handle::current(), stop, turn: 0, next: None };
        Ok(Builder::new().stack_size(SEARCH_STACK_SIZE).spawn(|| thread.work())?)
    }

    /// Does tasks until the worker ends, with the engines and tables of one run at a time.
    fn work(mut self) {
        while !self.stop.load(Ordering::Relaxed) {
            if self.next.is_none() {
                self.next = self.wait_for_task(None);
            }
            let Some(run) = self.next.as_ref().map(|next| Arc::clone(&next.run)) else { continue };
            let worker = Arc::clone(&self.worker);
            let context = WorkerContext { stop: &run.stop, engines: &worker.settings.allowed };
            let mut held = None;
            run.job.serve(&context, &mut |answer| {
                if let Some((held, answer)) = held.take().zip(answer) {
                    self.hand_in(held, answer);
                }
                self.next = self.next.take().or_else(|| self.wait_for_task(Some(&run)));
                let mut next = self.next.take_if(|next| Arc::ptr_eq(&next.run, &run))?;
                let task = (next.number, next.task.take());
                held = Some(self.hold(next));
                Some(task)
            });
        }
    }

    /// Waits for a task. Ends without one when the worker ends, or the run `of` the last task.
    fn wait_for_task(&mut self, of: Option<&ServedRun>) -> Option<Assignment> {
        let Self { worker, runtime, stop, turn, .. } = self;
        runtime.block_on(async {
            while !stop.load(Ordering::Relaxed) && !of.is_some_and(|run| run.stop.is_set()) {
                let runs = worker.eligible(*turn);
                *turn += 1;
                if runs.is_empty() {
                    let _ = tokio::time::timeout(PAUSE, worker.changed.notified()).await;
                }
                let wait = if runs.len() == 1 { WAIT } else { SHORT_WAIT };
                for run in runs {
                    match worker.next_message(&run, wait).await {
                        Ok(None) => {}
                        Ok(Some(message)) => {
                            if let Some(assignment) = worker.read(run, message).await {
                                return Some(assignment);
                            }
                            break;
                        }
                        Err(_) => tokio::time::sleep(PAUSE).await,
                    }
                }
            }
            None
        })
    }

    /// Extends the time that the server allows for a task, again and again until it is handed in.
    fn hold(&self, assignment: Assignment) -> (Assignment, tokio::task::JoinHandle<()>) {
        self.worker.busy.fetch_add(1, Ordering::Relaxed);
        let message = assignment.message.clone();
        let sign = self.runtime.spawn(async move {
            loop {
                tokio::time::sleep(NOTICE).await;
                let _ = message.ack_with(AckKind::Progress).await;
            }
        });
        (assignment, sign)
    }

    /// Publishes the result of a task.
    fn hand_in(&self, (assignment, sign): (Assignment, tokio::task::JoinHandle<()>), answer: Answer) {
        let Assignment { run, message, number, .. } = assignment;
        let result = answer.unwrap_or_else(|reason| {
            if !run.is_refused.swap(true, Ordering::Relaxed) {
                self.worker.refuse(&run.id, &reason);
            }
            TaskResult::Returned
        });
        if matches!(result, TaskResult::Done(_)) {
            self.worker.done.fetch_add(1, Ordering::Relaxed);
        }
        let task = sum_of(&self.worker.version, &message.payload);
        self.runtime.block_on(self.worker.publish_result(&run, number, &task, result, &message));
        sign.abort();
        self.worker.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Waits until a run is over.
async fn run_over(run: &ServedRun, worker: &Worker) {
    while !run.stop.is_set() {
        worker.changed.notified().await;
    }
}

impl Worker {
    /// The next message of a run; `None` if none comes in time.
    async fn next_message(&self, run: &ServedRun, wait: Duration) -> Result<Option<Message>> {
        let fetch = async {
            let mut batch = run.tasks.batch().max_messages(1).expires(wait).messages().await?;
            batch.next().await.transpose().map_err(|error| anyhow!(error))
        };
        tokio::select! {
            message = fetch => message,
            // The server gives a message that comes later to another thread after a time.
            () = run_over(run, self) => Ok(None),
        }
    }

    /// Reads the message of a task. One that cannot be read goes back, and one that too many
    /// workers had is set aside.
    async fn read(&self, run: Arc<ServedRun>, message: Message) -> Option<Assignment> {
        let (number, task) = match from_json::<TaskMessage<Value>>(&message.payload) {
            Ok(TaskMessage { number, task }) => (number, task),
            Err(error) => {
                log(&format!("a task of run {} is dropped: {error:#}", run.id));
                // The queue may have refused the coordinator's task because of it.
                let number = message.subject.rsplit('.').next().and_then(|number| number.parse().ok());
                match number {
                    Some(number) => self.publish_result(&run, number, "", TaskResult::Returned, &message).await,
                    None => drop(message.ack_with(AckKind::Term).await),
                }
                return None;
            }
        };
        let deliveries = message.info().map_or(0, |info| info.delivered - 1);
        if deliveries >= MOST_DELIVERIES {
            log(&format!("task {number} of run {} is set aside: {deliveries} workers returned no result", run.id));
            let result = TaskResult::SetAside(deliveries as u64);
            let sum = sum_of(&self.version, &message.payload);
            self.publish_result(&run, number, &sum, result, &message).await;
            return None;
        }
        Some(Assignment { run, message, number, task })
    }

    /// Sends a result until the server has it, or the run is over.
    async fn publish_result(
        &self,
        run: &ServedRun,
        number: u64,
        task: &str,
        result: TaskResult<Value>,
        message: &Message,
    ) {
        let packed = |result| {
            let (task, worker) = (task.to_owned(), self.settings.name.clone());
            compress(&ResultMessage::<Value> { number, task, worker, result })
        };
        let most = self.server.client.server_info().max_payload;
        let bytes = packed(result).and_then(|bytes| {
            let text = || format!("a result of {} bytes, and the server allows {most}", bytes.len());
            if bytes.len() < most { Ok(bytes) } else { packed(TaskResult::Failed(text())) }
        });
        let Ok(bytes) = bytes.inspect_err(|error| log(&format!("task {number} of run {}: {error:#}", run.id))) else {
            return;
        };
        loop {
            let subject = result_subject(&run.id, number);
            let stored = match self.server.jetstream.publish(subject, bytes.clone().into()).await {
                Ok(acknowledgement) => acknowledgement.await.map(drop),
                Err(error) => Err(error),
            };
            match stored {
                Ok(()) => break,
                // Another worker has published a result.
                Err(error) if is_in_queue(&error) => break,
                Err(_) if run.stop.is_set() => return,
                Err(error) => {
                    log(&format!("a result cannot be sent yet: {}", causes(&error)));
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        if let Err(error) = message.ack().await {
            log(&format!("task {number} of run {}: {error}", run.id));
        }
    }
}
