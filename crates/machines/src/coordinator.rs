//! The coordinator of a run: it publishes tasks, counts results in the order of their numbers, and
//! reports what the workers do.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull::{MessagesError, Stream as Messages};
use async_nats::jetstream::stream::Stream;
use async_nats::{Client, Subscriber};
use futures_util::future::join_all;
use futures_util::{FutureExt as _, StreamExt as _};
use kiki_play::pool::PoolEvent;
use kiki_run::output::{print_warning, progress, set_worker_status};
use kiki_text::printable;
use tokio::runtime::Runtime;

use crate::files;
use crate::job::Job;
use crate::measure::{host, measure};
use crate::message::{
    ProgramVersion, ResultMessage, RunNotice, RunStatus, TaskMessage, TaskResult, WorkerNotice, decompress, from_json,
    sum_of, to_json,
};
use crate::server::{
    HELLO, Server, ServerArgs, WORKERS, causes, coordinator_subject, is_in_queue, runtime, task_subject,
};

/// How often the caller gets [`PoolEvent::Tick`] while no result comes.
const TICK: Duration = Duration::from_millis(250);
/// Time for another coordinator of the run to answer.
const QUERY_TIMEOUT: Duration = Duration::from_secs(3);
/// A worker that sends no notice for this time has ended.
const WORKER_TIMEOUT: Duration = Duration::from_secs(7);
/// Pause after a failure of the connection.
const PAUSE: Duration = Duration::from_secs(1);
/// Maximum number of workers to keep.
pub(crate) const MOST_WORKERS: usize = 10_000;
/// Maximum number of threads to believe of a worker.
const MOST_THREADS: usize = 1024;
/// Time without a worker after which the user is warned.
const NO_WORKER_TIME: Duration = Duration::from_secs(5);
/// Tasks in the queue or waiting for an earlier one, for each thread of a worker; and their limits.
const TASKS_A_THREAD: u64 = 8;
const LEAST_TASKS: u64 = 16;
const MOST_TASKS: u64 = 4096;
/// Maximum number of results taken before they are counted.
const MOST_AT_ONCE: usize = 256;

/// The machines that serve a run, as its coordinator reaches them.
pub struct Coordinator {
    runtime: Runtime,
    server: Server,
    version: ProgramVersion,
}

/// A run, as its room describes it.
pub struct RunPlan<'a, J> {
    pub job: &'a J,
    /// Its folder or file.
    pub place: &'a Path,
    /// The number of the first task whose outcome is wanted.
    pub first: u64,
    /// Whether no outcome is stored yet: then the queue has none that counts.
    pub is_new: bool,
    /// Whether the user has interrupted.
    pub is_stopped: &'a dyn Fn() -> bool,
}

impl Coordinator {
    /// Connects with the server at `url`.
    pub fn connect(url: &str, arguments: &ServerArgs) -> Result<Self> {
        let runtime = runtime()?;
        let version = ProgramVersion::new(measure()?.signature);
        let server = runtime.block_on(Server::connect(url, arguments, "kiki-lab coordinator"))?;
        Ok(Self { runtime, server, version })
    }

    /// Does a run. `next` returns the task of a number. `each` gets the outcomes in the order of
    /// their numbers. Ends when `each` breaks off, when no task is left, or when the user
    /// interrupts. After an interruption the queue keeps tasks and results.
    pub fn run<J: Job + Clone>(
        &self,
        plan: &RunPlan<'_, J>,
        mut next: impl FnMut(u64) -> Result<NextTask<J::Task>>,
        mut each: impl FnMut(PoolEvent<J::Outcome>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        self.runtime.block_on(async {
            let mut run = Run::<J>::begin(self, plan).await?;
            let outcome = run.follow(plan, &mut next, &mut each).await;
            run.report_workers();
            set_worker_status(String::new());
            // Other runs may go on later, with the results in the queue.
            let is_over = matches!(outcome, Ok(RunEnd::Complete)) || run.is_faulty;
            if is_over && let Err(error) = run.remove().await {
                print_warning(&format!("the queue of the run stays on the server: {error:#}"));
            }
            outcome.map(drop)
        })
    }
}

/// The task of a number.
pub enum NextTask<T> {
    Task(T),
    /// Its outcome is known from before.
    Skip,
    /// There is no task yet, or there are no more.
    None,
}

enum RunEnd {
    Complete,
    Interrupted,
}

/// A worker as the coordinator sees it.
struct KnownWorker {
    notice: WorkerNotice,
    seen: Instant,
}

/// A task that was published and has no outcome.
struct OpenTask {
    message: Vec<u8>,
    /// The server has not confirmed it.
    is_unsent: bool,
    /// A worker returned it, or dropped what stood in its place. The queue refuses it until it has
    /// the worker's acknowledgement.
    is_returned: bool,
    /// A second failure ends the run.
    has_failed: bool,
    is_set_aside: bool,
}

impl OpenTask {
    fn is_to_send(&self) -> bool {
        self.is_unsent || self.is_returned
    }
}

struct Run<'a, J: Job> {
    server: &'a Server,
    version: &'a ProgramVersion,
    id: String,
    is_timed: bool,
    stream: Stream,
    results: Messages,
    /// Notices of workers.
    notices: Subscriber,
    /// Questions of other processes that want to coordinate this run.
    questions: Subscriber,
    workers: BTreeMap<String, KnownWorker>,
    /// Outcomes that came before those of earlier tasks.
    early: BTreeMap<u64, (Message, J::Outcome)>,
    /// Results for an earlier coordinator, whose tasks this one has not asked for yet.
    waiting: BTreeMap<u64, (Message, ResultMessage<J::Outcome>)>,
    /// The next number in order, and the next one to publish.
    wanted: u64,
    unpublished: u64,
    /// Numbers whose outcomes are known from before.
    skipped: BTreeSet<u64>,
    tasks: BTreeMap<u64, OpenTask>,
    /// A task failed twice.
    is_faulty: bool,
    /// Tasks done by each worker.
    done_by: BTreeMap<String, u64>,
    begun: Instant,
    is_warned: bool,
    refusals_told: BTreeSet<String>,
}

/// The id of a run: another job, place or machine makes another run.
fn id_of(kind: &str, job: &serde_json::Value, place: &Path) -> Result<String> {
    let place = std::path::absolute(place)?;
    let text = format!("{kind}\n{job}\n{}\n{}", host(), place.display());
    Ok(blake3::hash(text.as_bytes()).to_hex()[..16].to_owned())
}

impl<'a, J: Job + Clone> Run<'a, J> {
    async fn begin(coordinator: &'a Coordinator, plan: &RunPlan<'_, J>) -> Result<Self> {
        let Coordinator { server, version, .. } = coordinator;
        let job = serde_json::to_value(plan.job)?;
        let id = id_of(J::KIND, &job, plan.place)?;
        let questions = check_single(&server.client, &id).await?;
        let mut with_files = plan.job.clone();
        let is_timed = with_files.needs().is_timed();
        for (path, blake3) in with_files.needs().files() {
            files::put(server, path, blake3).await?;
        }
        let stream = server.queue(&id).await?;
        if plan.is_new {
            // The queue may hold tasks of an earlier run in this place.
            stream.purge().await?;
        }
        let results = server.results(&stream, &id).await?.messages().await?;
        let notices = server.client.subscribe(WORKERS).await?;
        let what = format!("{} in {} on {}", J::KIND, std::path::absolute(plan.place)?.display(), host());
        let notice = RunNotice { version: version.clone(), what, kind: J::KIND.to_owned(), timed: is_timed, job };
        let notice = to_json(&notice)?;
        let most = server.client.server_info().max_payload;
        ensure!(
            notice.len() < most,
            "the settings of the run take {} bytes, and the server allows {most}",
            notice.len()
        );
        server.runs.put(&id, notice.into()).await?;
        server.client.publish(HELLO, "".into()).await?;
        Ok(Self {
            server,
            version,
            id,
            is_timed,
            stream,
            results,
            notices,
            questions,
            workers: BTreeMap::new(),
            early: BTreeMap::new(),
            waiting: BTreeMap::new(),
            wanted: plan.first,
            unpublished: plan.first,
            skipped: BTreeSet::new(),
            tasks: BTreeMap::new(),
            is_faulty: false,
            done_by: BTreeMap::new(),
            begun: Instant::now(),
            is_warned: false,
            refusals_told: BTreeSet::new(),
        })
    }

    async fn follow(
        &mut self,
        plan: &RunPlan<'_, J>,
        next: &mut dyn FnMut(u64) -> Result<NextTask<J::Task>>,
        each: &mut dyn FnMut(PoolEvent<J::Outcome>) -> Result<ControlFlow<()>>,
    ) -> Result<RunEnd> {
        self.take_waiting().await?;
        let mut tick = tokio::time::interval(TICK);
        loop {
            if self.count_in_order(each).await?.is_break() {
                return Ok(RunEnd::Complete);
            }
            if (plan.is_stopped)() {
                return Ok(RunEnd::Interrupted);
            }
            self.publish(next).await?;
            if self.wanted == self.unpublished {
                return Ok(RunEnd::Complete);
            }
            if self.skipped.contains(&self.wanted) {
                continue;
            }
            self.check_set_aside(plan)?;
            tokio::select! {
                message = self.results.next() => {
                    self.take(message).await?;
                    // Results that are here already share the next publication.
                    for _ in 0..MOST_AT_ONCE {
                        let Some(message) = self.results.next().now_or_never() else { break };
                        self.take(message).await?;
                    }
                }
                Some(notice) = self.notices.next() => self.record_notice(&notice.payload),
                Some(question) = self.questions.next() => self.answer(question).await?,
                _ = tick.tick() => {
                    self.workers.retain(|_, worker| worker.seen.elapsed() < WORKER_TIMEOUT);
                    self.warn_without_workers();
                    set_worker_status(self.worker_status());
                    if each(PoolEvent::Tick)?.is_break() {
                        return Ok(RunEnd::Complete);
                    }
                }
            }
        }
    }

    /// Reads the results that an earlier coordinator left. Their tasks are not published again.
    async fn take_waiting(&mut self) -> Result<()> {
        let mut left = self.stream.info().await?.state.messages;
        while left > 0 {
            match tokio::time::timeout(TICK, self.results.next()).await {
                Ok(message) => self.take(message).await?,
                // The other messages are tasks.
                Err(_) => break,
            }
            left -= 1;
        }
        Ok(())
    }

    /// Publishes tasks, up to a number that follows from the threads of the workers.
    async fn publish(&mut self, next: &mut dyn FnMut(u64) -> Result<NextTask<J::Task>>) -> Result<()> {
        let threads: usize = self.workers.values().map(|worker| worker.notice.threads.min(MOST_THREADS)).sum();
        let window = (threads as u64 * TASKS_A_THREAD).clamp(LEAST_TASKS, MOST_TASKS);
        let is_idle = !self.tasks.values().any(OpenTask::is_to_send);
        if is_idle && self.wanted + window < self.unpublished + window / 4 {
            return Ok(());
        }
        while self.unpublished < self.wanted + window {
            let number = self.unpublished;
            let next = next(number)?;
            if matches!(next, NextTask::None) {
                break;
            }
            self.unpublished += 1;
            let waiting = self.waiting.remove(&number);
            match next {
                NextTask::Task(task) => {
                    let message = to_json(&TaskMessage { number, task })?;
                    let open = OpenTask {
                        message,
                        is_unsent: true,
                        is_returned: false,
                        has_failed: false,
                        is_set_aside: false,
                    };
                    self.tasks.insert(number, open);
                    if let Some((message, result)) = waiting {
                        self.count(message, result).await?;
                    }
                }
                _ => {
                    self.skipped.insert(number);
                    if let Some((message, _)) = waiting {
                        acknowledge(&message).await?;
                    }
                }
            }
        }
        let mut sent = Vec::new();
        for (number, open) in self.tasks.iter_mut().filter(|(_, open)| open.is_to_send()) {
            let subject = task_subject(&self.id, *number);
            let publish = self.server.jetstream.publish(subject, open.message.clone().into()).await;
            sent.push(async move {
                match publish {
                    Ok(acknowledgement) => (open, acknowledgement.await.map(drop)),
                    Err(error) => (open, Err(error)),
                }
            });
        }
        let mut fault = None;
        for sent in join_all(sent).await {
            match sent {
                (open, Ok(())) => (open.is_unsent, open.is_returned) = (false, false),
                // A returned task may be refused because of the copy that its worker still holds.
                (open, Err(error)) if is_in_queue(&error) => open.is_unsent = false,
                (open, Err(error)) => {
                    open.is_unsent = true;
                    fault = Some(causes(&error));
                }
            }
        }
        if let Some(fault) = fault {
            print_warning(&format!("tasks cannot be sent yet: {fault}"));
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    /// Reads a message with a result.
    async fn take(&mut self, message: Option<std::result::Result<Message, MessagesError>>) -> Result<()> {
        let message = match message {
            Some(Ok(message)) => message,
            Some(Err(_)) | None => {
                // The connection was lost; the client restores it.
                tokio::time::sleep(TICK).await;
                self.results = match self.server.results(&self.stream, &self.id).await {
                    Ok(consumer) => consumer.messages().await?,
                    Err(_) => return Ok(()),
                };
                return Ok(());
            }
        };
        let read: ResultMessage<J::Outcome> = match decompress(&message.payload) {
            Ok(read) => read,
            Err(error) => {
                print_warning(&format!("a result is dropped: {error:#}"));
                let number = message.subject.rsplit('.').next().and_then(|number| number.parse().ok());
                return self.drop_result(&message, number).await;
            }
        };
        let number = read.number;
        if let Some((kept, _)) = self.early.get_mut(&number) {
            // The server delivers it again after a lost connection.
            *kept = message;
            return Ok(());
        }
        if number >= self.unpublished && self.waiting.len() < MOST_TASKS as usize {
            self.waiting.insert(number, (message, read));
            return Ok(());
        }
        self.count(message, read).await
    }

    /// Removes an unusable result from the queue. Publishes its task again: the queue may have
    /// refused a worker's result because of it.
    async fn drop_result(&mut self, message: &Message, number: Option<u64>) -> Result<()> {
        if let Some(open) = number.and_then(|number| self.tasks.get_mut(&number)) {
            open.is_returned = true;
        }
        acknowledge(message).await
    }

    /// Counts a result of a task that was published.
    async fn count(&mut self, message: Message, result: ResultMessage<J::Outcome>) -> Result<()> {
        let ResultMessage { number, task, worker, result } = result;
        let Some(open) = self.tasks.get_mut(&number) else { return acknowledge(&message).await };
        if task != sum_of(self.version, &open.message) {
            // It belongs to an earlier run in this place, or to another program.
            return self.drop_result(&message, Some(number)).await;
        }
        match result {
            TaskResult::Done(outcome) => {
                *self.done_by.entry(worker).or_default() += 1;
                self.tasks.remove(&number);
                self.early.insert(number, (message, outcome));
                return Ok(());
            }
            TaskResult::Failed(text) => {
                let fault = format!("worker `{}`: {}", printable(&worker), printable(&text));
                if open.has_failed {
                    self.is_faulty = true;
                    bail!(fault);
                }
                // The worker may be at fault, not the task.
                print_warning(&format!("{fault}; the task is tried once more"));
                (open.has_failed, open.is_returned) = (true, true);
            }
            TaskResult::Returned => open.is_returned = true,
            TaskResult::SetAside(deliveries) => {
                print_warning(&format!("task {number} is set aside: {deliveries} workers returned no result"));
                open.is_set_aside = true;
            }
        }
        acknowledge(&message).await
    }

    /// Hands the outcomes that are next in order to `each`, and removes them from the queue.
    async fn count_in_order(
        &mut self,
        each: &mut dyn FnMut(PoolEvent<J::Outcome>) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        loop {
            if self.skipped.remove(&self.wanted) {
                self.wanted += 1;
                continue;
            }
            let Some((message, outcome)) = self.early.remove(&self.wanted) else { break };
            let flow = each(PoolEvent::Result(outcome))?;
            acknowledge(&message).await?;
            self.wanted += 1;
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// An error if all tasks without a result were set aside.
    fn check_set_aside(&self, plan: &RunPlan<'_, J>) -> Result<()> {
        if self.tasks.values().any(|open| !open.is_set_aside) || self.tasks.is_empty() {
            return Ok(());
        }
        let numbers: Vec<String> = self.tasks.keys().map(u64::to_string).collect();
        bail!(
            "the run waits for tasks for which workers returned no result: {}; `kiki-lab resume {}` tries them again",
            numbers.join(", "),
            plan.place.display()
        )
    }

    fn record_notice(&mut self, payload: &[u8]) {
        let notice: WorkerNotice = match from_json(payload) {
            Ok(notice) => notice,
            Err(error) => return print_warning(&format!("a notice of a worker is dropped: {error:#}")),
        };
        if let Some(reason) = notice.refused.get(&self.id) {
            let line = format!("worker `{}` does not serve this run: {}", printable(&notice.name), printable(reason));
            if self.refusals_told.len() < MOST_WORKERS && self.refusals_told.insert(line.clone()) {
                print_warning(&line);
            }
            return;
        }
        if self.workers.len() >= MOST_WORKERS && !self.workers.contains_key(&notice.name) {
            return;
        }
        self.workers.insert(notice.name.clone(), KnownWorker { notice, seen: Instant::now() });
    }

    /// Number, threads and speed of the workers, and tasks a minute.
    fn worker_status(&self) -> String {
        let threads: usize = self.workers.values().map(|known| known.notice.threads.min(MOST_THREADS)).sum();
        let speed = |known: &KnownWorker| known.notice.speed as f64 * known.notice.threads as f64;
        let done: u64 = self.done_by.values().sum();
        let minutes = self.begun.elapsed().as_secs_f64() / 60.0;
        format!(
            "{} workers, {threads} threads, {:.1} million nodes a second, {:.0} tasks a minute",
            self.workers.len(),
            self.workers.values().map(speed).sum::<f64>() / 1e6,
            done as f64 / minutes.max(1e-9)
        )
    }

    /// Answers what this run is doing.
    async fn answer(&self, question: async_nats::Message) -> Result<()> {
        if let Some(reply) = question.reply {
            let status = RunStatus {
                coordinator: format!("process {} on {}", std::process::id(), host()),
                seconds: self.begun.elapsed().as_secs_f64(),
                done_by: self.done_by.clone(),
                progress: progress(),
            };
            self.server.client.publish(reply, to_json(&status)?.into()).await?;
        }
        Ok(())
    }

    /// Warns if nobody can do the tasks.
    fn warn_without_workers(&mut self) {
        let serves = |known: &KnownWorker| !self.is_timed || known.notice.is_free;
        if self.workers.values().any(serves) {
            self.is_warned = false;
        } else if !self.is_warned && self.begun.elapsed() > NO_WORKER_TIME {
            self.is_warned = true;
            print_warning(if self.workers.is_empty() {
                "no worker serves this run; on each machine: kiki-lab worker --nats URL"
            } else {
                "no worker has idle processors for games by the clock"
            });
        }
    }

    /// Prints what each worker has done.
    fn report_workers(&self) {
        for (name, done) in &self.done_by {
            let of_worker = self.workers.get(name).map(|known| {
                let WorkerNotice { threads, processors, speed, .. } = known.notice;
                format!(", {threads} threads on {processors} processors, {speed} nodes a second each")
            });
            print_warning(&format!("worker `{}`: {done} tasks{}", printable(name), of_worker.unwrap_or_default()));
        }
    }

    async fn remove(&self) -> Result<()> {
        self.server.runs.purge(&self.id).await?;
        self.server.delete_queue(&self.id).await
    }
}

async fn acknowledge(message: &Message) -> Result<()> {
    message.ack().await.map_err(|error| anyhow!("a result: {error}"))
}

/// Refuses a run that another process coordinates. Returns the questions of other processes.
async fn check_single(client: &Client, run: &str) -> Result<Subscriber> {
    if let Some(coordinator) = coordinator_of(client, run).await {
        bail!("another process coordinates this run: {coordinator}");
    }
    client.subscribe(coordinator_subject(run)).await.context("the server")
}

/// The process that coordinates a run, as text; `None` if no process does.
pub(crate) async fn coordinator_of(client: &Client, run: &str) -> Option<String> {
    let status = status_of(client, run).await?;
    let text = status.map_or_else(|error| format!("{error:#}"), |status| status.coordinator);
    Some(printable(&text).into_owned())
}

/// Asks the coordinator of a run for its status; `None` if no process coordinates it.
pub(crate) async fn status_of(client: &Client, run: &str) -> Option<Result<RunStatus>> {
    // The server answers at once if nobody has subscribed to the subject.
    match tokio::time::timeout(QUERY_TIMEOUT, client.request(coordinator_subject(run), "".into())).await {
        Ok(Ok(answer)) => Some(from_json(&answer.payload)),
        Err(_) => Some(Err(anyhow!("it does not answer"))),
        Ok(Err(_)) => None,
    }
}
