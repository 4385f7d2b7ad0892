//! `kiki-lab machines`: the workers and runs of a server, in tables or on a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use clap::Args;
use futures_util::{StreamExt as _, TryStreamExt as _};
use kiki_page::{escaped_html, reloading};
use kiki_run::ensure_usage;
use kiki_run::files::write_atomically;
use kiki_run::interrupt::stop_flag;
use kiki_run::output::{Progress, or_dash, print_json, table, time_in_words};
use kiki_run::say;
use kiki_text::printable;
use serde::Serialize;

use crate::coordinator::{MOST_WORKERS, coordinator_of, status_of};
use crate::message::{RunNotice, RunStatus, WorkerNotice, from_json};
use crate::server::{HELLO, QueueCounts, Server, ServerArgs, WORKERS, is_run, runtime};

const EXAMPLE: &str = "\
Examples:
  kiki-lab machines --nats nats://127.0.0.1:4222
  kiki-lab machines --nats nats://127.0.0.1:4222 --page machines.html";

/// Time in which every worker says what it does.
const ROUND: Duration = Duration::from_millis(3500);
/// Interval of the page in seconds.
const RELOAD: u32 = 4;

/// Show the workers and runs of a NATS server: queues, speed, time left
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct StatusArgs {
    /// The NATS server, such as nats://user:password@lab.example:4222 or tls://lab.example
    #[arg(long, value_name = "URL")]
    nats: String,
    #[command(flatten)]
    server: ServerArgs,
    /// Write a page that reloads itself, again and again until Ctrl-C
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "remove"])]
    page: Option<PathBuf>,
    /// Remove the tasks and results of a run that nobody coordinates; may be given several times
    #[arg(long, value_name = "RUN", conflicts_with = "json")]
    remove: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &StatusArgs) -> Result<ExitCode> {
    let stop = stop_flag()?;
    runtime()?.block_on(async {
        let server = Server::connect(&arguments.nats, &arguments.server, "kiki-lab machines").await?;
        for run in &arguments.remove {
            remove(&server, run).await?;
        }
        if !arguments.remove.is_empty() {
            return Ok(());
        }
        let Some(page) = &arguments.page else {
            let machines = Machines::look(&server).await?;
            return if arguments.json { print_json(&machines) } else { machines.print() };
        };
        say!("{}: written every few seconds until Ctrl-C", page.display());
        while !stop.load(Ordering::Relaxed) {
            Machines::look(&server).await?.write(page)?;
        }
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Removes a run that nobody coordinates. Its workers drop its tasks.
async fn remove(server: &Server, run: &str) -> Result<()> {
    ensure_usage!(is_run(run), "--remove {run}: the id of a run has 16 hexadecimal digits");
    ensure!(server.runs.get(run).await?.is_some(), "--remove {run}: there is no such run");
    if let Some(coordinator) = coordinator_of(&server.client, run).await {
        bail!("--remove {run}: a process coordinates it: {coordinator}");
    }
    server.runs.purge(run).await?;
    server.delete_queue(run).await?;
    say!("{run}: removed");
    Ok(())
}

/// All workers and runs of a server.
#[derive(Serialize)]
struct Machines {
    workers: Vec<WorkerNotice>,
    runs: Vec<RunOnServer>,
}

#[derive(Serialize)]
struct RunOnServer {
    id: String,
    /// Its kind, place and machine.
    what: String,
    queue: QueueCounts,
    /// From its coordinator; `None` if no process coordinates it.
    status: Option<RunStatus>,
}

impl RunOnServer {
    async fn look(server: &Server, id: String) -> Result<Self> {
        let notice = server.runs.get(&id).await?.unwrap_or_default();
        let what = from_json::<RunNotice>(&notice).map_or_else(|error| format!("{error:#}"), |notice| notice.what);
        let status = status_of(&server.client, &id).await.and_then(Result::ok);
        Ok(Self { what, queue: server.counts(&id).await?, status, id })
    }

    fn tasks_a_minute(&self) -> Option<f64> {
        let status = self.status.as_ref()?;
        Some(status.a_minute(status.done_by.values().sum()))
    }

    fn progress(&self) -> Option<&Progress> {
        self.status.as_ref()?.progress.as_ref()
    }

    /// How far it is, or why nobody knows.
    fn progress_text(&self) -> String {
        match (&self.status, self.progress()) {
            (None, _) => "without coordinator".to_owned(),
            (_, None) => "begins".to_owned(),
            (_, Some(Progress { unit, done, scheduled, speed })) => {
                format!("{done} of {scheduled} {unit}, {:.0} a minute", 60.0 * speed)
            }
        }
    }

    fn time_left(&self) -> String {
        let left = self.progress().and_then(Progress::seconds_left);
        left.map_or_else(|| "-".to_owned(), time_in_words)
    }

    fn cells(&self) -> Vec<String> {
        let QueueCounts { waiting, in_work, results } = self.queue;
        let speed = or_dash(self.tasks_a_minute().map(|speed| format!("{speed:.0}")));
        let counts = [waiting, in_work, results].map(|count| count.to_string());
        [vec![self.id.clone()], counts.to_vec(), vec![speed, self.progress_text(), self.time_left()]].concat()
    }
}

const WORKER_COLUMNS: [&str; 7] =
    ["worker", "threads", "busy", "processors", "idle", "nodes a second of a thread", "tasks a minute"];
const RUN_COLUMNS: [&str; 7] =
    ["run", "waiting tasks", "in work", "waiting results", "tasks a minute", "progress", "time left"];

impl Machines {
    /// Listens to the workers for a round, then looks at the runs.
    async fn look(server: &Server) -> Result<Self> {
        let mut notices = server.client.subscribe(WORKERS).await?;
        server.client.publish(HELLO, "".into()).await?;
        let mut workers = BTreeMap::new();
        let listen = async {
            while let Some(notice) = notices.next().await {
                if let Ok(notice) = from_json::<WorkerNotice>(&notice.payload)
                    && workers.len() < MOST_WORKERS
                {
                    workers.insert(notice.name.clone(), notice);
                }
            }
        };
        let _ = tokio::time::timeout(ROUND, listen).await;
        let mut runs = Vec::new();
        let keys: Vec<String> = server.runs.keys().await?.try_collect().await?;
        for id in keys.into_iter().filter(|id| is_run(id)) {
            // A run may end meanwhile.
            runs.extend(RunOnServer::look(server, id).await.ok());
        }
        Ok(Self { workers: workers.into_values().collect(), runs })
    }

    fn cells(&self, worker: &WorkerNotice) -> Vec<String> {
        let WorkerNotice { name, threads, processors, speed, busy, is_free, .. } = worker;
        let statuses = self.runs.iter().filter_map(|run| run.status.as_ref());
        let done = statuses.filter_map(|status| Some(status.a_minute(*status.done_by.get(name)?)));
        let idle = if *is_free { "yes" } else { "no" };
        let counts = [threads, busy, processors].map(usize::to_string);
        // The sum of no numbers is -0.
        let rest = vec![idle.to_owned(), speed.to_string(), format!("{:.0}", done.sum::<f64>() + 0.0)];
        [vec![name.clone()], counts.to_vec(), rest].concat()
    }

    /// The refusals of workers, and what to do about runs without a coordinator.
    fn remarks(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for worker in &self.workers {
            let refused =
                worker.refused.iter().map(|(run, why)| format!("worker `{}` refuses {run}: {why}", worker.name));
            lines.extend(refused);
        }
        if self.runs.iter().any(|run| run.status.is_none()) {
            lines.push(
                "without coordinator: `kiki-lab resume PLACE --nats URL` goes on with such a run, \
                 `kiki-lab machines --nats URL --remove RUN` removes it"
                    .to_owned(),
            );
        }
        lines
    }

    fn print(&self) -> Result<()> {
        say!("{}", table(&WORKER_COLUMNS, self.workers.iter().map(|worker| self.cells(worker))));
        say!("{}", table(&RUN_COLUMNS, self.runs.iter().map(RunOnServer::cells)));
        let names = self.runs.iter().map(|run| format!("{}: {}", run.id, run.what));
        for line in names.chain(self.remarks()) {
            say!("{}", printable(&line));
        }
        Ok(())
    }

    /// Writes the page.
    fn write(&self, path: &Path) -> Result<()> {
        let threads: usize = self.workers.iter().map(|worker| worker.threads).sum();
        let mut body =
            format!("<p>Workers: {}, threads: {threads}, runs: {}.</p>", self.workers.len(), self.runs.len());
        for run in &self.runs {
            write!(body, "<h2>{} ({})</h2>", escaped_html(&run.what), run.id)?;
            if let Some(Progress { done, scheduled, .. }) = run.progress() {
                write!(body, "<progress max=\"{scheduled}\" value=\"{done}\"></progress>")?;
            }
        }
        write!(body, "{}", html_table(&RUN_COLUMNS, self.runs.iter().map(RunOnServer::cells)))?;
        write!(
            body,
            "<h2>Workers</h2>{}",
            html_table(&WORKER_COLUMNS, self.workers.iter().map(|worker| self.cells(worker)))
        )?;
        for line in self.remarks() {
            write!(body, "<p>{}</p>", escaped_html(&line))?;
        }
        write_atomically(path, reloading("Machines", RELOAD, &body).as_bytes())
    }
}

fn html_table(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let row = |name: &str, cells: &[String]| {
        let cells: String =
            cells.iter().map(|cell| format!("<{name}>{}</{name}>", escaped_html(&printable(cell)))).collect();
        format!("<tr>{cells}</tr>")
    };
    let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
    let rows: String = rows.map(|cells| row("td", &cells)).collect();
    format!("<table><thead>{}</thead><tbody>{rows}</tbody></table>", row("th", &columns))
}
