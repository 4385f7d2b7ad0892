//! Records written in another order: shuffled, or merged without duplicates. Memory is bounded: the
//! records are first divided among temporary files beside the result, and each file fits in memory.

use std::fs::File;
use std::io::{BufReader, BufWriter, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::psv::TrainingRecord;
use crate::shards::{RecordBytes, RecordStream, duplicate_part, remove_duplicates, shuffle_part, shuffled};
use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use serde::Serialize;

use super::result_file::{ResultCounts, ResultFile, folder_of, write_note};
use super::sources::{SourceFile, Sources};
use kiki_run::interrupt::exit_code;
use kiki_run::say;

/// Maximum number of temporary files open at once.
const MOST_PARTS: u64 = 500;
/// Bytes of memory for a record while its part is shuffled or searched for duplicates.
const SHUFFLE_BYTES: u64 = 40;
const MERGE_BYTES: u64 = 160;

#[derive(Args, Debug)]
pub(super) struct TargetArgs {
    /// Files of games or records
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file for the result; it must not exist yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Memory for records, in MiB; temporary files take as much space as the records
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    memory: u64,
}

#[derive(Args, Debug)]
pub(super) struct ShuffleArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Seed of the random order
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Args, Debug)]
pub(super) struct MergeArgs {
    #[command(flatten)]
    target: TargetArgs,
}

/// The note beside a result.
#[derive(Serialize)]
struct RearrangedNote<'a> {
    made_by: &'static str,
    seed: Option<u64>,
    parts: usize,
    sources: &'a [SourceFile],
    duplicates: u64,
    #[serde(flatten)]
    counts: ResultCounts,
}

/// How the records are processed, part by part.
struct Rearrangement<C, W> {
    made_by: &'static str,
    seed: Option<u64>,
    /// Chooses the part that a record goes to.
    choose: C,
    /// Processes a part, given its number; returns the number of duplicates removed.
    work: W,
}

pub(super) fn shuffle(arguments: &ShuffleArgs) -> Result<ExitCode> {
    let sources = Sources::open(&arguments.target.files)?;
    let parts = parts(sources.records, SHUFFLE_BYTES, arguments.target.memory)?;
    let mut part = shuffle_part(arguments.seed, parts);
    let shuffling = Rearrangement {
        made_by: "data shuffle",
        seed: Some(arguments.seed),
        choose: move |_: &RecordBytes| part(),
        work: |number, records: &mut Vec<RecordBytes>| {
            shuffled(records, arguments.seed, number);
            0
        },
    };
    rearrange(&sources, &arguments.target.out, parts, shuffling)
}

pub(super) fn merge(arguments: &MergeArgs) -> Result<ExitCode> {
    let sources = Sources::open(&arguments.target.files)?;
    let parts = parts(sources.records, MERGE_BYTES, arguments.target.memory)?;
    let merging = Rearrangement {
        made_by: "data merge",
        seed: None,
        choose: move |record: &RecordBytes| duplicate_part(record, parts),
        work: |_, records: &mut Vec<RecordBytes>| remove_duplicates(records),
    };
    rearrange(&sources, &arguments.target.out, parts, merging)
}

/// Number of parts such that each fits in memory, although they differ a little in size.
fn parts(records: u64, bytes: u64, mebibytes: u64) -> Result<usize> {
    let parts = (records * bytes * 9 / 8).div_ceil(mebibytes << 20).max(1);
    ensure!(
        parts <= MOST_PARTS,
        "{records} records need {parts} parts; at most {MOST_PARTS} are possible: give more --memory"
    );
    Ok(parts as usize)
}

fn rearrange<C, W>(sources: &Sources, out: &Path, parts: usize, how: Rearrangement<C, W>) -> Result<ExitCode>
where
    C: FnMut(&RecordBytes) -> usize,
    W: Fn(usize, &mut Vec<RecordBytes>) -> usize,
{
    let Rearrangement { made_by, seed, mut choose, work } = how;
    let mut result = ResultFile::new(out)?;
    let folder = folder_of(out);
    let place = || format!("temporary files in {}", folder.display());
    let mut files = Vec::new();
    for _ in 0..parts {
        files.push(BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(folder).with_context(place)?));
    }
    let read = sources.read_sound(|_, game| {
        for bytes in game.iter().map(TrainingRecord::to_bytes) {
            files[choose(&bytes)].write_all(&bytes).with_context(place)?;
        }
        Ok(())
    })?;
    let Some(read) = read else { return Ok(exit_code(true)) };
    let mut duplicates = 0;
    for (number, file) in files.into_iter().enumerate() {
        let mut records = records_of(file.into_inner().map_err(|error| anyhow!("{}: {error}", place()))?)?;
        duplicates += work(number, &mut records) as u64;
        result.write(&records)?;
        if sources.is_stopped() {
            return Ok(exit_code(true));
        }
    }
    let counts = result.publish()?;
    let positions = counts.positions;
    let note = RearrangedNote { made_by, seed, parts, sources: &read, duplicates, counts };
    write_note(out, &note)?;
    say!("{}: {positions} records, {duplicates} duplicates left out", out.display());
    Ok(ExitCode::SUCCESS)
}

/// All records of a temporary file.
fn records_of(mut file: File) -> Result<Vec<RecordBytes>> {
    file.rewind()?;
    let len = file.metadata()?.len() as usize / size_of::<RecordBytes>();
    let mut records = Vec::with_capacity(len);
    for record in RecordStream::new(BufReader::with_capacity(1 << 18, file)) {
        records.push(record?);
    }
    Ok(records)
}
