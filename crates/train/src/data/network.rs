//! `kiki-lab data network`: inspects, converts and averages network files.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::{Args, Subcommand};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use kiki_eval::{Activations, Architecture, DEFAULT_FV_SCALE, NetworkFile, NetworkHead};
use kiki_platform::{MOST_NETWORK, read_regular_file};
use kiki_run::files::write_atomically;
use kiki_run::output::{percent, print_json, table};
use kiki_run::say;
use rayon::prelude::*;
use serde::Serialize;

use super::result_file::refuse_existing;
use super::sources::Sources;
use crate::psv::TrainingRecord;

const GREATEST_INPUT: u8 = 127;
/// Number of inputs that are multiplied at once, and skipped if all of them are 0.
const GROUP: usize = 4;
/// Prefix of the names of tables of weights.
const WEIGHTS: &str = "weights of ";
const BATCH: usize = 256;

/// Inspect, convert or average network files
#[derive(Args, Debug)]
pub(super) struct NetworkArgs {
    #[command(subcommand)]
    command: NetworkCommand,
}

#[derive(Subcommand, Debug)]
enum NetworkCommand {
    /// Show shape, hashes and statistics of the numbers; with --positions also of activations
    Info(InfoArgs),
    /// Write the network in the usual form, compressed, or with a compact transformer
    Convert(NetworkConvertArgs),
    /// Write the mean of networks that continue from the same one, number by number
    Mean(NetworkMeanArgs),
}

#[derive(Args, Debug)]
struct NetworkFileArgs {
    /// Network file, classic or SFNN, also compressed by gzip
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Architecture, such as `SFNN_halfkahm2_1024_7_64_k3k3` [default: as the file says]
    #[arg(long, value_name = "NAME")]
    architecture: Option<Architecture>,
}

#[derive(Args, Debug)]
struct InfoArgs {
    #[command(flatten)]
    network: NetworkFileArgs,
    /// Training data whose positions are evaluated for the activations
    #[arg(long, value_name = "FILE", num_args = 1..)]
    positions: Vec<PathBuf>,
    /// Number of these positions, evenly spread over the files
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "positions",
        value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// Divisor of the output; the result is in centipawns
    #[arg(long, value_name = "N", default_value_t = DEFAULT_FV_SCALE, value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: i32,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct NetworkConvertArgs {
    #[command(flatten)]
    network: NetworkFileArgs,
    /// The file for the result, compressed if it ends in .gz; it must not exist yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write the transformer of a classic network in LEB128: half the size, but only Kiki reads it
    #[arg(long)]
    leb128: bool,
}

#[derive(Args, Debug)]
struct NetworkMeanArgs {
    /// Network files of one architecture
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    networks: Vec<PathBuf>,
    /// Their architecture [default: as the files say]
    #[arg(long, value_name = "NAME")]
    architecture: Option<Architecture>,
    /// The file for the result, compressed if it ends in .gz; it must not exist yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(arguments: &NetworkArgs) -> Result<()> {
    match &arguments.command {
        NetworkCommand::Info(arguments) => info(arguments),
        NetworkCommand::Convert(arguments) => convert(arguments),
        NetworkCommand::Mean(arguments) => mean(arguments),
    }
}

impl NetworkFileArgs {
    fn read(&self) -> Result<ReadNetwork> {
        read_network(&self.file, self.architecture.as_ref())
    }
}

pub(crate) struct ReadNetwork {
    /// Decompressed.
    bytes: Vec<u8>,
    pub(crate) file: NetworkFile,
    /// Oddities of the file.
    notes: Vec<String>,
}

/// Reads a network file, compressed or not, as the `wanted` network or as the file says.
pub(crate) fn read_network(path: &Path, wanted: Option<&Architecture>) -> Result<ReadNetwork> {
    let place = || path.display().to_string();
    let mut bytes = read_regular_file(path, MOST_NETWORK).with_context(place)?;
    if bytes.starts_with(&[0x1F, 0x8B]) {
        let packed = std::mem::take(&mut bytes);
        GzDecoder::new(&packed[..]).take(MOST_NETWORK + 1).read_to_end(&mut bytes).with_context(place)?;
        ensure!(bytes.len() as u64 <= MOST_NETWORK, "{}: more than {MOST_NETWORK} bytes are in it", place());
    }
    let (file, notes) = NetworkFile::from_bytes(&bytes, wanted).with_context(place)?;
    Ok(ReadNetwork { bytes, file, notes })
}

fn convert(arguments: &NetworkConvertArgs) -> Result<()> {
    let NetworkConvertArgs { network, out, leb128 } = arguments;
    refuse_existing(out)?;
    let ReadNetwork { file, notes, .. } = network.read()?;
    notes.iter().for_each(|note| say!("{note}"));
    let architecture = file.architecture;
    let is_sfnn = matches!(architecture, Architecture::Sfnn(_));
    ensure!(!(*leb128 && is_sfnn), "--leb128: the transformer of an SFNN network is in LEB128 anyway");
    let bytes = if *leb128 { file.to_leb128() } else { file.to_bytes() };
    write(out, bytes, architecture)
}

fn mean(arguments: &NetworkMeanArgs) -> Result<()> {
    let NetworkMeanArgs { networks, architecture, out } = arguments;
    refuse_existing(out)?;
    let read = |path: &PathBuf| Ok(read_network(path, architecture.as_ref())?.file);
    let files: Vec<NetworkFile> = networks.iter().map(read).collect::<Result<_>>()?;
    let first = files[0].architecture;
    for (path, file) in networks.iter().zip(&files) {
        ensure!(
            file.architecture == first,
            "{}: it is {}, but the first is {first}",
            path.display(),
            file.architecture
        );
    }
    let mean = NetworkFile::mean(&files).with_context(|| format!("{first} has no mean: it has weights of progress"))?;
    write(out, mean.to_bytes(), first)
}

/// Writes a network, compressed if its name says so.
fn write(out: &Path, bytes: Vec<u8>, architecture: Architecture) -> Result<()> {
    let written = if out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes)?;
        encoder.finish()?
    } else {
        bytes
    };
    write_atomically(out, &written)?;
    say!("{}: {architecture}, {} bytes", out.display(), written.len());
    Ok(())
}

/// The contents of a network file; also the form of the JSON.
#[derive(Serialize)]
struct NetworkInfo {
    architecture: String,
    /// Decompressed size.
    bytes: usize,
    text: String,
    hash: String,
    transformer_hash: String,
    notes: Vec<String>,
    tables: Vec<NumberTable>,
    activations: Option<ActivationInfo>,
}

fn info(arguments: &InfoArgs) -> Result<()> {
    let InfoArgs { network, positions, count, fv_scale, json } = arguments;
    let ReadNetwork { bytes, file, notes } = network.read()?;
    let head = NetworkHead::of_file(&bytes)?;
    let mut tables = Vec::new();
    file.visit_tables(|name, bits, numbers| tables.push(NumberTable::new(name, bits, numbers)));
    let of_positions = || activations(&file, positions, *count, *fv_scale);
    let activations = if positions.is_empty() { None } else { Some(of_positions()?) };
    let info = NetworkInfo {
        architecture: file.architecture.to_string(),
        bytes: bytes.len(),
        text: head.text,
        hash: format!("{:#010x}", head.hash),
        transformer_hash: format!("{:#010x}", head.transformer_hash),
        notes,
        tables,
        activations,
    };
    if *json {
        print_json(&info)?;
    } else {
        info.print();
    }
    Ok(())
}

impl NetworkInfo {
    fn print(&self) {
        let Self { architecture, bytes, text, hash, transformer_hash, notes, tables, activations } = self;
        say!("{architecture}, {bytes} bytes");
        say!("text: {}", kiki_run::output::printable_lines(text));
        say!("hashes: file {hash}, transformer {transformer_hash}");
        notes.iter().for_each(|note| say!("{note}"));
        let rows = tables.iter().map(|table| {
            let NumberTable { name, count, least, greatest, mean_size, .. } = table;
            let share = |part: u64| percent(part as f64 / (*count).max(1) as f64);
            let numbers = [count.to_string(), least.to_string(), greatest.to_string(), format!("{mean_size:.1}")];
            let shares = [share(table.sizes[0]), share(table.at_limit)];
            [(*name).to_owned()].into_iter().chain(numbers).chain(shares).collect()
        });
        say!("{}", table(&["numbers", "count", "least", "greatest", "mean size", "0", "at the limit"], rows));
        let weights: Vec<(&str, &NumberTable)> =
            tables.iter().filter_map(|table| Some((table.name.strip_prefix(WEIGHTS)?, table))).collect();
        let bits = weights.iter().map(|(_, table)| table.sizes.len()).max().unwrap_or(0);
        let rows = (0..bits).map(|bits| {
            let share = |table: &NumberTable| match table.sizes.get(bits) {
                Some(&part) if part > 0 => percent(part as f64 / table.count as f64),
                _ => String::new(),
            };
            let size = match bits {
                0 | 1 => bits.to_string(),
                _ => format!("{} to {}", 1_u64 << (bits - 1), (1_u64 << bits) - 1),
            };
            [size].into_iter().chain(weights.iter().map(|(_, table)| share(table))).collect()
        });
        let header: Vec<&str> = ["size of weights"].into_iter().chain(weights.iter().map(|(name, _)| *name)).collect();
        say!("{}", table(&header, rows));
        if let Some(activations) = activations {
            activations.print();
        }
    }
}

#[derive(Serialize)]
struct NumberTable {
    name: &'static str,
    count: u64,
    least: i32,
    greatest: i32,
    /// Mean absolute value.
    mean_size: f64,
    bits: u32,
    /// Count of numbers at the least or greatest value that `bits` hold.
    at_limit: u64,
    /// Counts by bit length of the absolute value; the first is that of zeros.
    sizes: Vec<u64>,
}

impl NumberTable {
    fn new(name: &'static str, bits: u32, numbers: &mut dyn Iterator<Item = i32>) -> Self {
        let limit = i32::MAX >> (i32::BITS - bits);
        let (mut count, mut sum, mut at_limit) = (0, 0, 0);
        let (mut least, mut greatest) = (i32::MAX, i32::MIN);
        let mut sizes = [0; 33];
        for number in numbers {
            count += 1;
            sum += u64::from(number.unsigned_abs());
            at_limit += u64::from(number >= limit || number < -limit);
            (least, greatest) = (least.min(number), greatest.max(number));
            sizes[(u32::BITS - number.unsigned_abs().leading_zeros()) as usize] += 1;
        }
        let used = sizes.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
        let mean_size = sum as f64 / count.max(1) as f64;
        Self { name, bits, count, least, greatest, mean_size, at_limit, sizes: sizes[..used].to_vec() }
    }
}

/// Activations in some positions; also the form of the JSON.
#[derive(Clone, Default, Serialize)]
struct ActivationInfo {
    positions: u64,
    sums: SumInfo,
    /// The inputs of the layers 1, 2 and 3.
    inputs: [InputInfo; 3],
    /// Groups of four inputs of the first layer that are all 0.
    empty_groups: u64,
    groups: u64,
    /// Positions by stack.
    stacks: Vec<u64>,
    least_value: i32,
    greatest_value: i32,
    /// Mean absolute value, in centipawns.
    mean_value: f64,
}

/// The sums of the transformer.
#[derive(Clone, Default, Serialize)]
struct SumInfo {
    count: u64,
    least: i16,
    greatest: i16,
    /// Sums of at most 0, which count as 0.
    below: u64,
    /// Sums that are clipped to the greatest.
    above: u64,
}

/// The inputs of a layer, from 0 to 127.
#[derive(Clone, Default, Serialize)]
struct InputInfo {
    count: u64,
    zeros: u64,
    /// Inputs of 127.
    full: u64,
    sum: u64,
    /// Least and greatest input of each unit.
    #[serde(skip)]
    ranges: Vec<[u8; 2]>,
    always_zero: usize,
    always_full: usize,
}

impl InputInfo {
    fn add(&mut self, inputs: &[u8]) {
        self.ranges.resize(inputs.len(), [u8::MAX, 0]);
        for (&input, [least, greatest]) in inputs.iter().zip(&mut self.ranges) {
            self.zeros += u64::from(input == 0);
            self.full += u64::from(input == GREATEST_INPUT);
            self.sum += u64::from(input);
            (*least, *greatest) = ((*least).min(input), (*greatest).max(input));
        }
        self.count += inputs.len() as u64;
    }
}

impl ActivationInfo {
    fn add(&mut self, found: &Activations, fv_scale: i32) {
        let value = found.output / fv_scale;
        self.positions += 1;
        for &sum in found.sums.iter().flatten() {
            self.sums.count += 1;
            self.sums.below += u64::from(sum <= 0);
            self.sums.above += u64::from(sum > found.greatest_sum);
            (self.sums.least, self.sums.greatest) = (self.sums.least.min(sum), self.sums.greatest.max(sum));
        }
        self.inputs.iter_mut().zip(&found.inputs).for_each(|(info, inputs)| info.add(inputs));
        let (groups, _) = found.inputs[0].as_chunks::<GROUP>();
        self.groups += groups.len() as u64;
        self.empty_groups += groups.iter().filter(|group| **group == [0; GROUP]).count() as u64;
        self.stacks.resize(self.stacks.len().max(found.stack + 1), 0);
        self.stacks[found.stack] += 1;
        self.least_value = self.least_value.min(value);
        self.greatest_value = self.greatest_value.max(value);
        self.mean_value += (f64::from(value.abs()) - self.mean_value) / self.positions as f64;
    }

    fn print(&self) {
        let Self { positions, sums, inputs, stacks, .. } = self;
        let share = |part: u64, count: u64| percent(part as f64 / count.max(1) as f64);
        say!("activations in {positions} positions");
        say!(
            "sums of the transformer: {} to {} (16 bits hold {} to {}), {} count as 0, {} are cut off",
            sums.least,
            sums.greatest,
            i16::MIN,
            i16::MAX,
            share(sums.below, sums.count),
            share(sums.above, sums.count)
        );
        let rows = inputs.iter().enumerate().map(|(layer, info)| {
            let mean = info.sum as f64 / info.count.max(1) as f64;
            vec![
                format!("layer {}", layer + 1),
                info.ranges.len().to_string(),
                format!("{mean:.1}"),
                share(info.zeros, info.count),
                share(info.full, info.count),
                info.always_zero.to_string(),
                info.always_full.to_string(),
            ]
        });
        say!("{}", table(&["inputs of", "units", "mean", "0", "127", "always 0", "always 127"], rows));
        say!("groups of {GROUP} inputs of layer 1 that are 0: {}", share(self.empty_groups, self.groups));
        if stacks.len() > 1 {
            let of_stack = |(stack, &count): (usize, &u64)| vec![stack.to_string(), share(count, *positions)];
            say!("{}", table(&["stack", "positions"], stacks.iter().enumerate().map(of_stack)));
        }
        let (least, greatest, mean) = (self.least_value, self.greatest_value, self.mean_value);
        say!("values: {least} to {greatest} centipawns, mean size {mean:.0}");
    }
}

/// The activations of evenly spaced records.
fn activations(network: &NetworkFile, files: &[PathBuf], count: u64, fv_scale: i32) -> Result<ActivationInfo> {
    let sources = Sources::open(files)?;
    let mut info = ActivationInfo { least_value: i32::MAX, greatest_value: i32::MIN, ..ActivationInfo::default() };
    let mut evaluate = |batch: &mut Vec<TrainingRecord>| -> Result<()> {
        let of_record = |record: TrainingRecord| Ok(network.activations(&record.position()?));
        let found: Vec<Activations> = batch.par_drain(..).map(of_record).collect::<Result<_>>()?;
        found.iter().for_each(|found| info.add(found, fv_scale));
        Ok(())
    };
    let (all, count) = (u128::from(sources.records), u128::from(count));
    let (mut batch, mut number, mut taken) = (Vec::new(), 0, 0);
    sources.read_sound(|_, game| {
        for &record in game {
            if number * count / all >= taken {
                taken += 1;
                batch.push(record);
                if batch.len() == BATCH {
                    evaluate(&mut batch)?;
                }
            }
            number += 1;
        }
        Ok(())
    })?;
    evaluate(&mut batch)?;
    ensure!(info.positions > 0, "there are no records");
    for input in &mut info.inputs {
        input.always_zero = input.ranges.iter().filter(|[_, greatest]| *greatest == 0).count();
        input.always_full = input.ranges.iter().filter(|[least, _]| *least == GREATEST_INPUT).count();
    }
    Ok(info)
}
