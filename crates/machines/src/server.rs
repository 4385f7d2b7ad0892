//! The connection with the NATS server, and what a run has there.
//!
//! | on the server | what |
//! |---|---|
//! | bucket `kiki-runs` | a notice for each run; deleting it stops the workers |
//! | stream `kiki-RUN` | tasks that nobody has done, and results that the coordinator has not stored |
//! | object store `kiki-files` | networks and other files by their BLAKE3 sums |
//! | subjects `kiki.worker.*`, `kiki.hello` | what workers tell about themselves, and the request for it |
//! | subject `kiki.coordinator.RUN` | the coordinator of a run answers here |

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, stream};
use async_nats::{Client, ConnectOptions, ServerAddr};
use clap::Args;
use kiki_platform::read_regular_text;
use percent_encoding::percent_decode_str;
use serde::Serialize;
use tokio::runtime::Runtime;

/// How to reach the NATS server.
#[derive(Args, Clone, Debug)]
pub struct ServerArgs {
    /// File that proves who you are: credentials (.creds) or the seed of an nkey
    #[arg(long, value_name = "FILE", requires = "nats")]
    nats_credentials: Option<PathBuf>,
    /// Certificate of the authority that signed the server's certificate (PEM); asks for TLS
    #[arg(long, value_name = "FILE", requires = "nats")]
    nats_ca: Option<PathBuf>,
    /// Own certificate for servers that ask for one (PEM)
    #[arg(long, value_name = "FILE", requires = "nats_key")]
    nats_certificate: Option<PathBuf>,
    /// Key of that certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "nats_certificate")]
    nats_key: Option<PathBuf>,
}

/// Maximum size of a file with credentials in bytes.
const MOST_CREDENTIALS: u64 = 64 << 10;
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);
/// How long files stay on the server.
const FILE_AGE: Duration = Duration::from_hours(30 * 24);
/// Another worker gets a task if its worker sends no sign for this time.
const TASK_TIMEOUT: Duration = Duration::from_secs(10);
/// The coordinator keeps results until it has stored all earlier ones.
const RESULT_TIMEOUT: Duration = Duration::from_hours(24);

pub(crate) const HELLO: &str = "kiki.hello";
pub(crate) const WORKERS: &str = "kiki.worker.*";
const RUNS: &str = "kiki-runs";
const FILES: &str = "kiki-files";
const TASKS: &str = "tasks";
const RESULTS: &str = "results";

/// Whether a text is the id of a run.
pub(crate) fn is_run(id: &str) -> bool {
    id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(crate) fn worker_subject(id: &str) -> String {
    format!("kiki.worker.{id}")
}

pub(crate) fn coordinator_subject(run: &str) -> String {
    format!("kiki.coordinator.{run}")
}

pub(crate) fn task_subject(run: &str, number: u64) -> String {
    format!("kiki.{run}.task.{number}")
}

pub(crate) fn result_subject(run: &str, number: u64) -> String {
    format!("kiki.{run}.result.{number}")
}

/// The threads that talk with the server: one is enough.
pub(crate) fn runtime() -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()
}

pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) jetstream: Context,
    pub(crate) runs: Store,
    pub(crate) files: ObjectStore,
}

impl Server {
    /// Connects, and creates the bucket and the object store if they are missing. The server shows
    /// `name`.
    pub(crate) async fn connect(url: &str, arguments: &ServerArgs, name: &str) -> Result<Self> {
        let address: ServerAddr = url.parse().with_context(|| "--nats".to_owned())?;
        let place = format!("{}:{}", address.host(), address.port());
        let options = options(&address, arguments)?.name(name).connection_timeout(CONNECTION_TIMEOUT);
        let client = options.connect(without_secrets(&address)?).await;
        let client = client.map_err(|error| anyhow!("NATS server {place}: {}", causes(&error)))?;
        let jetstream = jetstream::new(client.clone());
        let shared = async {
            // `create_key_value` fails on servers before 2.10: it reads fields that they do not send.
            let bucket = stream::Config {
                name: format!("KV_{RUNS}"),
                subjects: vec![format!("$KV.{RUNS}.>")],
                discard: DiscardPolicy::New,
                max_messages_per_subject: 1,
                allow_rollup: true,
                deny_delete: true,
                ..stream::Config::default()
            };
            jetstream.get_or_create_stream(bucket).await?;
            let runs = jetstream.get_key_value(RUNS).await?;
            let files =
                object_store::Config { bucket: FILES.to_owned(), max_age: FILE_AGE, ..object_store::Config::default() };
            let files = match jetstream.get_object_store(FILES).await {
                Ok(store) => store,
                Err(_) => jetstream.create_object_store(files).await?,
            };
            Ok::<_, async_nats::Error>((runs, files))
        };
        let (runs, files) = shared.await.map_err(|error| {
            anyhow!("NATS server {place}: {}; JetStream must be on (`nats-server -js`)", causes(&*error))
        })?;
        Ok(Self { client, jetstream, runs, files })
    }

    /// The queue of a run, created if it is missing. It refuses a second message of a subject.
    pub(crate) async fn queue(&self, run: &str) -> Result<Stream> {
        let config = stream::Config {
            name: stream_name(run),
            subjects: vec![format!("kiki.{run}.*.*")],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            max_messages_per_subject: 1,
            discard_new_per_subject: true,
            ..stream::Config::default()
        };
        Ok(self.jetstream.get_or_create_stream(config).await?)
    }

    /// How many messages of each kind the queue of a run has.
    pub(crate) async fn counts(&self, run: &str) -> Result<QueueCounts> {
        let stream = self.jetstream.get_stream(stream_name(run)).await?;
        let messages = stream.cached_info().state.messages;
        // The first worker creates the consumer.
        let consumer = stream.get_consumer::<pull::Config>(TASKS).await;
        let (waiting, in_work) = consumer.map_or((messages, 0), |consumer| {
            let info = consumer.cached_info();
            (info.num_pending, info.num_ack_pending as u64)
        });
        Ok(QueueCounts { waiting, in_work, results: messages.saturating_sub(waiting + in_work) })
    }

    pub(crate) async fn delete_queue(&self, run: &str) -> Result<()> {
        match self.jetstream.delete_stream(stream_name(run)).await {
            Err(error) if !is_missing(&error) => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The tasks of a run, for a worker.
    pub(crate) async fn tasks(&self, run: &str) -> Result<jetstream::consumer::PullConsumer> {
        let stream = self.jetstream.get_stream(stream_name(run)).await?;
        let config = pull::Config {
            durable_name: Some(TASKS.to_owned()),
            filter_subject: format!("kiki.{run}.task.*"),
            ack_wait: TASK_TIMEOUT,
            max_ack_pending: 100_000,
            ..pull::Config::default()
        };
        Ok(stream.get_or_create_consumer(TASKS, config).await?)
    }

    /// The results of a run, for its coordinator: all that no coordinator has stored.
    pub(crate) async fn results(&self, stream: &Stream, run: &str) -> Result<jetstream::consumer::PullConsumer> {
        // A new consumer delivers again what an earlier coordinator received.
        let _ = stream.delete_consumer(RESULTS).await;
        let config = pull::Config {
            durable_name: Some(RESULTS.to_owned()),
            filter_subject: format!("kiki.{run}.result.*"),
            ack_wait: RESULT_TIMEOUT,
            max_ack_pending: 100_000,
            ..pull::Config::default()
        };
        Ok(stream.create_consumer(config).await?)
    }
}

#[derive(Clone, Copy, Serialize)]
pub(crate) struct QueueCounts {
    /// Tasks that no worker has.
    pub(crate) waiting: u64,
    /// Tasks that workers do.
    pub(crate) in_work: u64,
    /// Results that the coordinator has not stored.
    pub(crate) results: u64,
}

fn stream_name(run: &str) -> String {
    format!("kiki-{run}")
}

fn is_missing(error: &jetstream::context::DeleteStreamError) -> bool {
    matches!(error.kind(), jetstream::context::DeleteStreamErrorKind::JetStream(error)
        if error.error_code() == jetstream::ErrorCode::STREAM_NOT_FOUND)
}

/// Whether the queue refused a message because it has one of this subject. The library has no code
/// for it.
pub(crate) fn is_in_queue(error: &jetstream::context::PublishError) -> bool {
    causes(error).contains("maximum messages per subject exceeded")
}

/// The options of a connection. Without credentials only a server on this machine is allowed.
fn options(address: &ServerAddr, arguments: &ServerArgs) -> Result<ConnectOptions> {
    let mut options = ConnectOptions::new();
    let url = address.clone().into_inner();
    // URLs escape characters that would end a part.
    let decoded =
        |part: &str| Ok::<_, anyhow::Error>(percent_decode_str(part).decode_utf8().context("--nats")?.into_owned());
    let (user, password) = (decoded(url.username())?, url.password().map(decoded).transpose()?);
    if let Some(password) = password {
        options = options.user_and_password(user.clone(), password);
    } else if !user.is_empty() {
        options = options.token(user.clone());
    }
    if let Some(file) = &arguments.nats_credentials {
        let place = || file.display().to_string();
        let text = read_regular_text(file, MOST_CREDENTIALS).with_context(place)?;
        options = match text.trim() {
            seed if seed.starts_with('S') && !seed.contains('\n') => options.nkey(seed.to_owned()),
            credentials => options.credentials(credentials).with_context(place)?,
        };
    }
    if let Some(file) = &arguments.nats_ca {
        ensure!(file.is_file(), "--nats-ca {}: there is no such file", file.display());
        options = options.add_root_certificates(file.clone()).require_tls(true);
    }
    if let (Some(certificate), Some(key)) = (&arguments.nats_certificate, &arguments.nats_key) {
        options = options.add_client_certificate(certificate.clone(), key.clone());
    }
    let has_credentials =
        !user.is_empty() || arguments.nats_credentials.is_some() || arguments.nats_certificate.is_some();
    ensure!(
        has_credentials || is_loopback(address.host()),
        "NATS server {}: a server on another machine needs credentials: a user and password or a token in the URL, \
         --nats-credentials or --nats-certificate",
        address.host()
    );
    Ok(options)
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// The address without user and password: errors and logs show it.
fn without_secrets(address: &ServerAddr) -> Result<ServerAddr> {
    let text = format!("{}://{}:{}", address.scheme(), bracketed(address.host()), address.port());
    Ok(text.parse()?)
}

fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

/// An error with its causes in one line, each said once.
pub(crate) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text += &format!(": {said}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_another_machine_needs_credentials() {
        let none = ServerArgs { nats_credentials: None, nats_ca: None, nats_certificate: None, nats_key: None };
        for (url, is_allowed) in [
            ("nats://127.0.0.1:4222", true),
            ("localhost", true),
            ("nats://[::1]:4222", true),
            ("nats://10.0.0.1:4222", false),
            ("nats://lab.example", false),
            ("nats://user:hunter2@lab.example", true),
            ("tls://s3cr3t@lab.example", true),
            ("tls://lab.example", false),
        ] {
            let address = url.parse().unwrap();
            assert_eq!(options(&address, &none).is_ok(), is_allowed, "{url}");
            let shown = format!("{:?}", without_secrets(&address).unwrap());
            assert!(!shown.contains("hunter2") && !shown.contains("s3cr3t"), "{shown}");
        }
    }
}
