//! Records written in another order: shuffled, or merged without duplicates. Memory is bounded: the
//! records are first divided among temporary files beside the result, and each file fits in memory.

use std::fs::File;
use std::io::{BufWriter, Read as _, Seek as _, Write as _};

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use kiki_run::say;
use serde_json::json;

use super::result_file::{RewriteArgs, folder_of, write_records};
use super::sources::Sources;
use crate::psv::TrainingRecord;
use crate::shards::{RecordBytes, duplicate_part, remove_duplicates, shuffle_part, shuffled};

/// Maximum number of temporary files open at once.
const MOST_PARTS: u64 = 500;
/// Bytes of memory for a record while its part is shuffled or searched for duplicates.
const SHUFFLE_BYTES: u64 = 40;
const MERGE_BYTES: u64 = 160;

#[derive(Args, Debug)]
pub(super) struct RearrangeArgs {
    #[command(flatten)]
    paths: RewriteArgs,
    /// Memory for records, in MiB; temporary files take as much space as the records
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    memory: u64,
}

#[derive(Args, Debug)]
pub(super) struct ShuffleArgs {
    #[command(flatten)]
    target: RearrangeArgs,
    /// Seed of the random order
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(super) fn shuffle(arguments: &ShuffleArgs) -> Result<()> {
    let seed = arguments.seed;
    let mut part = shuffle_part(seed);
    let work = |number, records: &mut Vec<RecordBytes>| {
        shuffled(records, seed, number);
        0
    };
    rearrange(&arguments.target, "data shuffle", Some(seed), SHUFFLE_BYTES, |_, parts| part(parts), work)
}

pub(super) fn merge(arguments: &RearrangeArgs) -> Result<()> {
    rearrange(arguments, "data merge", None, MERGE_BYTES, duplicate_part, |_, records| remove_duplicates(records))
}

/// Writes the records part by part; each takes `record_bytes` of memory in its part. `choose` gives
/// the part of a record, given the number of parts. `work` processes a part, given its number, and
/// returns the number of duplicates removed.
fn rearrange(
    arguments: &RearrangeArgs,
    made_by: &'static str,
    seed: Option<u64>,
    record_bytes: u64,
    mut choose: impl FnMut(&RecordBytes, usize) -> usize,
    work: impl Fn(usize, &mut Vec<RecordBytes>) -> usize,
) -> Result<()> {
    let RearrangeArgs { paths: RewriteArgs { files, out }, memory } = arguments;
    let sources = Sources::open(files)?;
    let parts = parts(sources.records, record_bytes, *memory)?;
    let mut duplicates = 0;
    let positions = write_records(out, made_by, |result| {
        let folder = folder_of(out);
        let place = || format!("temporary files in {}", folder.display());
        let mut files = Vec::new();
        for _ in 0..parts {
            files.push(BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(folder).with_context(place)?));
        }
        let read = sources.read_sound(|_, game| {
            for bytes in game.iter().map(TrainingRecord::to_bytes) {
                files[choose(&bytes, parts)].write_all(&bytes).with_context(place)?;
            }
            Ok(())
        })?;
        for (number, file) in files.into_iter().enumerate() {
            let file = file.into_inner().map_err(|error| anyhow!("{}: {error}", place()))?;
            let mut records = records_of(file).with_context(place)?;
            duplicates += work(number, &mut records);
            result.write(&records)?;
            sources.check_not_stopped()?;
        }
        Ok((read, json!({ "seed": seed, "parts": parts, "duplicates": duplicates })))
    })?;
    say!("{}: {positions} records, {duplicates} duplicates left out", out.display());
    Ok(())
}

/// Number of parts such that each fits in memory, although they differ a little in size.
fn parts(records: u64, record_bytes: u64, mebibytes: u64) -> Result<usize> {
    let parts = (records * record_bytes * 9 / 8).div_ceil(mebibytes << 20).max(1);
    ensure!(
        parts <= MOST_PARTS,
        "{records} records need {parts} parts; at most {MOST_PARTS} are possible: give more --memory"
    );
    Ok(parts as usize)
}

fn records_of(mut file: File) -> Result<Vec<RecordBytes>> {
    file.rewind()?;
    let mut records = vec![[0; TrainingRecord::BYTES]; file.metadata()?.len() as usize / TrainingRecord::BYTES];
    file.read_exact(records.as_flattened_mut())?;
    Ok(records)
}
