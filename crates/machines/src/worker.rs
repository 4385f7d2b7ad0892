//! A worker: it serves every run on the server that it can, a task at a time on each thread.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::Builder;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
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
use tokio::sync::{Notify, mpsc, oneshot};

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

/// A message to a thread.
enum ThreadCommand {
    Task(Assignment),
    /// The run is over: drop its engines and tables.
    EndRun,
}

/// A task on its way to a thread.
struct Assignment {
    run: Arc<ServedRun>,
    number: u64,
    task: Value,
    answer: oneshot::Sender<Answer>,
}

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
    let threads: Vec<_> = (0..worker.settings.threads).map(|_| Thread::start(&worker)).collect::<Result<_>>()?;
    let threads: Vec<_> =
        threads.into_iter().map(|thread| tokio::spawn(thread.run(Arc::clone(&worker), Arc::clone(&stop)))).collect();
    let watch = tokio::spawn(watch_runs(Arc::clone(&worker)));
    let notices = tokio::spawn(publish_notices(Arc::clone(&worker)));
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(SHORT_WAIT).await;
    }
    worker.runs.lock().values().for_each(|run| run.stop.set());
    worker.changed.notify_waiters();
    for thread in threads {
        let _ = thread.await;
    }
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
        let known = self.runs.lock().get(id).cloned();
        if known.is_some_and(|run| !run.is_refused.load(Ordering::Relaxed)) {
            // A resumed run may have a new queue, without a consumer.
            return self.server.tasks(id).await.map(drop);
        }
        self.stop_serving(id);
        let refuse = |error: anyhow::Error| anyhow!(Refusal(format!("{error:#}")));
        let RunNotice { version, what, kind, timed, job } = from_json(notice).map_err(refuse)?;
        ensure!(version == self.version, Refusal(format!("it wants {version}, and this is {}", self.version)));
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

/// The part of a thread that talks with the server; the other part does the tasks.
struct Thread {
    commands: mpsc::UnboundedSender<ThreadCommand>,
    turn: usize,
    /// The run of its last task.
    served: Option<Arc<ServedRun>>,
}

impl Thread {
    fn start(worker: &Arc<Worker>) -> Result<Self> {
        let (commands, received) = mpsc::unbounded_channel();
        let allowed = worker.settings.allowed.clone();
        Builder::new().stack_size(SEARCH_STACK_SIZE).spawn(move || do_tasks(received, &allowed))?;
        Ok(Self { commands, turn: 0, served: None })
    }

    async fn run(mut self, worker: Arc<Worker>, stop: Arc<AtomicBool>) {
        while !stop.load(Ordering::Relaxed) {
            if self.served.take_if(|run| run.stop.is_set()).is_some() {
                let _ = self.commands.send(ThreadCommand::EndRun);
            }
            let runs = worker.eligible(self.turn);
            self.turn += 1;
            if runs.is_empty() {
                let _ = tokio::time::timeout(PAUSE, worker.changed.notified()).await;
                continue;
            }
            let wait = if runs.len() == 1 { WAIT } else { SHORT_WAIT };
            for run in runs {
                match self.next_task(&run, wait, &worker).await {
                    Ok(None) => {}
                    Ok(Some(message)) => {
                        worker.busy.fetch_add(1, Ordering::Relaxed);
                        self.served = Some(Arc::clone(&run));
                        self.do_task(&worker, run, message).await;
                        worker.busy.fetch_sub(1, Ordering::Relaxed);
                        break;
                    }
                    Err(_) => tokio::time::sleep(PAUSE).await,
                }
            }
        }
    }

    /// The next message of a run; `None` if none comes in time.
    async fn next_task(&self, run: &ServedRun, wait: Duration, worker: &Worker) -> Result<Option<Message>> {
        let fetch = async {
            let mut batch = run.tasks.batch().max_messages(1).expires(wait).messages().await?;
            batch.next().await.transpose().map_err(|error| anyhow!(error))
        };
        tokio::select! {
            message = fetch => message,
            // The server gives a message that comes later to another thread after a time.
            () = run_over(run, worker) => Ok(None),
        }
    }

    /// Has a task done, and publishes the result.
    async fn do_task(&self, worker: &Worker, run: Arc<ServedRun>, message: Message) {
        let name = worker.settings.name.clone();
        let (number, task) = match from_json::<TaskMessage<Value>>(&message.payload) {
            Ok(TaskMessage { number, task }) => (number, task),
            Err(error) => {
                log(&format!("a task of run {} is dropped: {error:#}", run.id));
                // The queue may have refused the coordinator's task because of it.
                let number = message.subject.rsplit('.').next().and_then(|number| number.parse().ok());
                if let Some(number) = number {
                    let result =
                        ResultMessage { number, task: String::new(), worker: name, result: TaskResult::Returned };
                    let _ = worker.publish_result(&run, &result, &message).await;
                } else {
                    let _ = message.ack_with(AckKind::Term).await;
                }
                return;
            }
        };
        let deliveries = message.info().map_or(0, |info| info.delivered - 1);
        let result = if deliveries >= MOST_DELIVERIES {
            log(&format!("task {number} of run {} is set aside: {deliveries} workers returned no result", run.id));
            TaskResult::SetAside(deliveries as u64)
        } else {
            match self.answer(&run, number, task, &message).await {
                Answer::Done(outcome) => TaskResult::Done(outcome),
                Answer::Failed(text) => TaskResult::Failed(text),
                Answer::Stopped => TaskResult::Returned,
                Answer::Refused(reason) => {
                    if !run.is_refused.swap(true, Ordering::Relaxed) {
                        worker.refuse(&run.id, &reason);
                    }
                    TaskResult::Returned
                }
            }
        };
        if matches!(result, TaskResult::Done(_)) {
            worker.done.fetch_add(1, Ordering::Relaxed);
        }
        let result = ResultMessage { number, task: sum_of(&message.payload), worker: name, result };
        if let Err(error) = worker.publish_result(&run, &result, &message).await {
            log(&format!("task {number} of run {}: {error:#}", run.id));
        }
    }

    /// Has a thread do a task. Meanwhile extends the time that the server allows for it.
    async fn answer(&self, run: &Arc<ServedRun>, number: u64, task: Value, message: &Message) -> Answer {
        let (answer, mut answered) = oneshot::channel();
        let assignment = Assignment { run: Arc::clone(run), number, task, answer };
        if self.commands.send(ThreadCommand::Task(assignment)).is_err() {
            return Answer::Failed("a thread of the worker has ended".to_owned());
        }
        let mut sign = tokio::time::interval(NOTICE);
        sign.tick().await;
        loop {
            tokio::select! {
                answer = &mut answered => {
                    return answer.unwrap_or_else(|_| Answer::Failed("a thread of the worker has ended".to_owned()));
                }
                _ = sign.tick() => drop(message.ack_with(AckKind::Progress).await),
            }
        }
    }
}

/// Waits until a run is over.
async fn run_over(run: &ServedRun, worker: &Worker) {
    while !run.stop.is_set() {
        worker.changed.notified().await;
    }
}

impl Worker {
    /// Sends a result until the server has it, or the run is over.
    async fn publish_result(&self, run: &ServedRun, result: &ResultMessage<Value>, task: &Message) -> Result<()> {
        let bytes = compress(result)?;
        let most = self.server.client.server_info().max_payload;
        let bytes = if bytes.len() < most {
            bytes
        } else {
            let text = format!("a result of {} bytes, and the server allows {most}", bytes.len());
            let ResultMessage { number, task, worker, .. } = result;
            let (task, worker) = (task.clone(), worker.clone());
            compress(&ResultMessage::<Value> { number: *number, task, worker, result: TaskResult::Failed(text) })?
        };
        let is_over = || run.stop.is_set();
        loop {
            let sent =
                self.server.jetstream.publish(result_subject(&run.id, result.number), bytes.clone().into()).await;
            let stored = match sent {
                Ok(acknowledgement) => acknowledgement.await,
                Err(error) => Err(error),
            };
            match stored {
                Ok(_) => break,
                // Another worker has published a result.
                Err(error) if is_in_queue(&error) => break,
                Err(_) if is_over() => return Ok(()),
                Err(error) => {
                    log(&format!("a result cannot be sent yet: {}", causes(&error)));
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        task.ack().await.map_err(|error| anyhow!("{error}"))
    }
}

/// Does tasks in its thread, with the state of one run at a time.
fn do_tasks(mut commands: mpsc::UnboundedReceiver<ThreadCommand>, allowed: &AllowedEngines) {
    let mut next = None;
    while let Some(command) = next.take().or_else(|| commands.blocking_recv()) {
        let ThreadCommand::Task(first) = command else { continue };
        let run = Arc::clone(&first.run);
        let context = WorkerContext { stop: &run.stop, engines: allowed };
        let answer_to = Mutex::new(None);
        let mut waiting = Some(ThreadCommand::Task(first));
        let mut receive = || match waiting.take().or_else(|| commands.blocking_recv())? {
            ThreadCommand::Task(Assignment { run: of, number, task, answer }) if Arc::ptr_eq(&of, &run) => {
                *answer_to.lock() = Some(answer);
                Some((number, task))
            }
            other => {
                next = Some(other);
                None
            }
        };
        let mut answer = |answer| {
            if let Some(sender) = answer_to.lock().take() {
                let _ = sender.send(answer);
            }
        };
        run.job.serve(&context, &mut receive, &mut answer);
    }
}
