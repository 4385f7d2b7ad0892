//! The messages between coordinators and workers: JSON, and its compressed form for outcomes.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use anyhow::{Context as _, Result, ensure};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use kiki_run::output::Progress;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of these messages.
const PROTOCOL: u32 = 3;

/// Maximum size of a decompressed message in bytes: a game of the longest kind takes 5 million.
const MOST_MESSAGE: u64 = 64 << 20;

/// What decides whether two programs play the same games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgramVersion {
    pub(crate) protocol: u32,
    pub(crate) program: String,
    /// Nodes of a fixed work, which changes with the search.
    pub(crate) signature: u64,
}

impl ProgramVersion {
    pub(crate) fn new(signature: u64) -> Self {
        Self { protocol: PROTOCOL, program: kiki_run::PROGRAM.to_owned(), signature }
    }
}

impl std::fmt::Display for ProgramVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, messages {}, search {}", self.program, self.protocol, self.signature)
    }
}

/// A run that workers may serve: a value in the bucket of runs, under its id.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunNotice {
    pub(crate) version: ProgramVersion,
    /// Its kind, place and machine, for messages to users.
    pub(crate) what: String,
    pub(crate) kind: String,
    pub(crate) timed: bool,
    pub(crate) job: Value,
}

/// A task in the queue of its run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskMessage<T> {
    pub(crate) number: u64,
    pub(crate) task: T,
}

/// What became of a task.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResultMessage<O> {
    pub(crate) number: u64,
    /// The sum of the task's message: an earlier run may have had another task of this number.
    pub(crate) task: String,
    /// The name of the worker.
    pub(crate) worker: String,
    pub(crate) result: TaskResult<O>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TaskResult<O> {
    Done(O),
    Failed(String),
    /// The worker ended before the task.
    Returned,
    /// This number of workers received the task and returned no result.
    SetAside(u64),
}

/// What a worker tells about itself, every two seconds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkerNotice {
    pub(crate) name: String,
    pub(crate) threads: usize,
    pub(crate) processors: usize,
    /// Nodes a second of one thread, measured at its start.
    pub(crate) speed: u64,
    /// Threads that do a task.
    pub(crate) busy: usize,
    /// Whether its processors are idle apart from tasks: it may play by the clock.
    pub(crate) is_free: bool,
    /// Runs that it does not serve, and why.
    pub(crate) refused: BTreeMap<String, String>,
}

/// What the coordinator of a run answers to a question.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunStatus {
    /// Its process and machine.
    pub(crate) coordinator: String,
    /// Seconds since it began.
    pub(crate) seconds: f64,
    /// Tasks done since then, by worker.
    pub(crate) done_by: BTreeMap<String, u64>,
    pub(crate) progress: Option<Progress>,
}

impl RunStatus {
    /// A number of tasks done, as tasks a minute.
    pub(crate) fn a_minute(&self, tasks: u64) -> f64 {
        60.0 * tasks as f64 / self.seconds.max(1e-9)
    }
}

/// The sum that tells tasks apart, also from those of another program for the same run.
pub(crate) fn sum_of(version: &ProgramVersion, task: &[u8]) -> String {
    blake3::Hasher::new().update(version.to_string().as_bytes()).update(task).finalize().to_hex()[..32].to_owned()
}

pub(crate) fn to_json(message: &impl Serialize) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(message)?)
}

pub(crate) fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).context("a message that cannot be read")
}

pub(crate) fn compress(message: &impl Serialize) -> Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&serde_json::to_vec(message)?)?;
    Ok(encoder.finish()?)
}

/// Reads a compressed message. Refuses more than `MOST_MESSAGE`.
pub(crate) fn decompress<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let mut text = Vec::new();
    let read = ZlibDecoder::new(bytes).take(MOST_MESSAGE + 1).read_to_end(&mut text);
    read.context("a message that is not compressed")?;
    ensure!(text.len() as u64 <= MOST_MESSAGE, "a message of more than {MOST_MESSAGE} bytes");
    from_json(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_tells_tasks_and_programs_apart() {
        let sums = [(1, b"one"), (1, b"two"), (2, b"one")]
            .map(|(signature, task)| sum_of(&ProgramVersion::new(signature), task));
        assert!(sums[0] != sums[1] && sums[0] != sums[2]);
    }

    #[test]
    fn a_message_comes_back_and_a_huge_one_is_refused() {
        let sent = ResultMessage {
            number: 7,
            task: sum_of(&ProgramVersion::new(1), b""),
            worker: "one".to_owned(),
            result: TaskResult::Done(vec![1, 2, 3]),
        };
        let bytes = compress(&sent).unwrap();
        let got: ResultMessage<Vec<u8>> = decompress(&bytes).unwrap();
        assert!(got.number == 7 && matches!(got.result, TaskResult::Done(list) if list == [1, 2, 3]));
        let huge = compress(&"0".repeat(MOST_MESSAGE as usize)).unwrap();
        assert!(huge.len() < 1 << 20);
        for (bytes, expected) in [
            (&huge[..], "more than 67108864 bytes"),
            (b"nonsense", "not compressed"),
            (&bytes[..bytes.len() - 8], "not compressed"),
            (&compress(&"a text").unwrap(), "cannot be read"),
        ] {
            let error = decompress::<ResultMessage<Vec<u8>>>(bytes).unwrap_err();
            assert!(format!("{error:#}").contains(expected), "{error:#}");
        }
    }
}
