//! An unpacked copy of a network file, stored beside it. Processes map it into memory and so share
//! one copy.
//!
//! The copy has a head, from the next page on the transformer's rows as in memory, then the other
//! numbers as in a file. It belongs to one state of the network file, identified by length, time
//! and samples of the content. A changed file gets a new copy.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use kiki_platform::{LargeMemory, open_regular_file};

use super::architecture::Architecture;
use super::numbers::NetworkFile;
use super::parts::{FileBytes, layers_length};
use super::sfnn::GameProgress;
use super::transformer::Transformer;

const MAGIC: &[u8; 16] = b"kiki unpacked 1\n";
/// The rows begin at a multiple of this.
const PAGE: usize = 4096;
/// Number of samples of the content, of [`PAGE`] bytes each.
const SAMPLES: u64 = 64;
const LENGTH_AT: usize = MAGIC.len() + 32;
/// How long a process waits for another one to write the copy.
const WAIT: Duration = Duration::from_secs(5);
/// A copy begun this long ago is abandoned.
const STALE: Duration = Duration::from_secs(60);

/// The copy of a network file, which need not exist yet.
pub(super) struct UnpackedCopy {
    path: PathBuf,
    /// The hash of what the copy depends on.
    identity: [u8; 32],
}

impl UnpackedCopy {
    /// The copy of a file that is read as the wanted architecture, or as what it claims to be.
    pub(super) fn of(network: &Path, wanted: Option<&Architecture>) -> io::Result<Self> {
        let mut file = open_regular_file(network)?;
        let metadata = file.metadata()?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(wanted.map_or("auto".to_owned(), ToString::to_string).as_bytes());
        let written = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        hasher.update(&written.as_nanos().to_le_bytes()).update(&metadata.len().to_le_bytes());
        let mut sample = Vec::with_capacity(PAGE);
        for number in 0..SAMPLES {
            file.seek(SeekFrom::Start(metadata.len() / SAMPLES * number))?;
            sample.clear();
            (&file).take(PAGE as u64).read_to_end(&mut sample)?;
            hasher.update(&sample);
        }
        let mut path = network.as_os_str().to_owned();
        path.push(".unpacked");
        Ok(Self { path: path.into(), identity: hasher.finalize().into() })
    }

    /// The network and the warnings of the copy, if it belongs to this state of the file.
    pub(super) fn read(&self) -> Option<(NetworkFile, Vec<String>)> {
        let memory = LargeMemory::of_file(&open_regular_file(&self.path).ok()?).ok()?;
        let mut head = FileBytes(memory.bytes());
        let is_own = head.checked_take(MAGIC.len())? == MAGIC && head.checked_take(32)? == self.identity;
        let length = u64::from_le_bytes(*head.checked_take(8)?.first_chunk()?);
        if !is_own || length != memory.bytes().len() as u64 {
            return None;
        }
        let architecture: Architecture = text(&mut head)?.parse().ok()?;
        let mut notes = Vec::new();
        for _ in 0..number(&mut head)? {
            notes.push(text(&mut head)?);
        }
        let start = (memory.bytes().len() - head.0.len()).next_multiple_of(PAGE);
        let (features, l1) = architecture.transformer();
        let end = start + Transformer::length(l1, features.count());
        if length != (end + rest_length(&architecture)) as u64 {
            return None;
        }
        let mut rest = FileBytes(&memory.bytes()[end..]);
        let progress = architecture.has_progress().then(|| GameProgress::read(&mut rest));
        let stacks = (0..architecture.stacks()).map(|_| architecture.read_stack(&mut rest)).collect();
        let transformer = Transformer::in_memory(l1, Arc::new(memory), start..end);
        Some((NetworkFile { architecture, transformer, progress, stacks }, notes))
    }

    /// Writes the copy and returns the network backed by it; returns `network` unchanged if that
    /// fails.
    pub(super) fn share(&self, network: NetworkFile, notes: &[String]) -> NetworkFile {
        let mut beside = self.path.clone().into_os_string();
        beside.push(".new");
        let written = match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => {
                let outcome = self.write(file, &network, notes).and_then(|()| fs::rename(&beside, &self.path));
                if outcome.is_err() {
                    let _ = fs::remove_file(&beside);
                }
                outcome.is_ok()
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => self.wait(beside.as_ref()),
            Err(_) => false,
        };
        let shared = if written { self.read() } else { None };
        shared.map_or(network, |(shared, _)| shared)
    }

    /// Waits until another process has written the copy. Returns whether it has.
    fn wait(&self, beside: &Path) -> bool {
        let start = Instant::now();
        while start.elapsed() < WAIT {
            let Ok(metadata) = fs::metadata(beside) else { return true };
            let age = metadata.modified().ok().and_then(|time| time.elapsed().ok());
            if age.is_some_and(|age| age > STALE) {
                // The process that began it has ended. The next one writes another.
                let _ = fs::remove_file(beside);
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    fn write(&self, file: File, network: &NetworkFile, notes: &[String]) -> io::Result<()> {
        let NetworkFile { architecture, transformer, progress, stacks } = network;
        let mut head = [&MAGIC[..], &self.identity, &[0; size_of::<u64>()]].concat();
        push_text(&mut head, &architecture.to_string());
        head.extend((notes.len() as u32).to_le_bytes());
        notes.iter().for_each(|note| push_text(&mut head, note));
        head.resize(head.len().next_multiple_of(PAGE), 0);
        let numbers: &[u8] = bytemuck::must_cast_slice(transformer.numbers());
        let length = (head.len() + numbers.len() + rest_length(architecture)) as u64;
        head[LENGTH_AT..][..size_of::<u64>()].copy_from_slice(&length.to_le_bytes());
        let mut rest = Vec::new();
        progress.iter().for_each(|progress| progress.write(&mut rest));
        stacks.iter().for_each(|stack| architecture.write_stack(stack, &mut rest));
        let mut file = BufWriter::new(file);
        [&head, numbers, &rest].into_iter().try_for_each(|part| file.write_all(part))?;
        file.flush()
    }
}

/// Bytes after the rows of the transformer.
fn rest_length(architecture: &Architecture) -> usize {
    let progress = if architecture.has_progress() { 4 + 4 * GameProgress::WEIGHTS } else { 0 };
    progress + architecture.stacks() * layers_length(architecture.layers())
}

fn push_text(head: &mut Vec<u8>, text: &str) {
    head.extend((text.len() as u32).to_le_bytes());
    head.extend(text.as_bytes());
}

fn number(head: &mut FileBytes<'_>) -> Option<u32> {
    head.checked_take(size_of::<u32>())?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn text(head: &mut FileBytes<'_>) -> Option<String> {
    let length = number(head)?;
    String::from_utf8(head.checked_take(length as usize)?.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use kiki_tests::networks::{network_file, sfnn_file};

    use super::*;

    /// The parts of a network file, by way of its copy; and whether the memory is that of the copy.
    fn load(path: &Path) -> (NetworkFile, Vec<String>) {
        let (file, notes) = NetworkFile::from_bytes(&fs::read(path).unwrap(), None).unwrap();
        (UnpackedCopy::of(path, None).unwrap().share(file, &notes), notes)
    }

    #[test]
    fn a_network_comes_back_from_its_copy() {
        let folder = tempfile::tempdir().unwrap();
        let progress = sfnn_file(3, "kp_64_7_8_progress4");
        // A text that names no shape gives a warning.
        let odd = [&progress[..8], &4_u32.to_le_bytes(), b"mine", &progress[12 + usize::from(progress[8])..]].concat();
        let files = [network_file(1, [40, 8, 16]), sfnn_file(2, "ka2_128_15_32_k3k3"), progress, odd];
        for (number, file) in files.into_iter().enumerate() {
            let path = folder.path().join(format!("{number}.bin"));
            fs::write(&path, &file).unwrap();
            assert!(UnpackedCopy::of(&path, None).unwrap().read().is_none());
            let (expected, _) = NetworkFile::from_bytes(&file, None).unwrap();
            let (shared, notes) = load(&path);
            assert!(shared.transformer.is_shared() && shared == expected);
            assert_eq!(UnpackedCopy::of(&path, None).unwrap().read(), Some((shared, notes)));
        }
    }

    #[test]
    fn another_network_or_wish_has_another_copy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nn.bin");
        fs::write(&path, sfnn_file(1, "kp_64_7_8_k9k9")).unwrap();
        let (before, _) = load(&path);
        let wanted = "kp_64_7_8_k9k9z".parse().unwrap();
        assert!(UnpackedCopy::of(&path, Some(&wanted)).unwrap().read().is_none());
        fs::write(&path, sfnn_file(2, "kp_64_7_8_k9k9")).unwrap();
        assert!(UnpackedCopy::of(&path, None).unwrap().read().is_none());
        let (after, _) = load(&path);
        assert!(after != before && after.transformer.is_shared());
    }

    #[test]
    fn a_copy_that_is_damaged_or_cannot_be_written_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nn.bin");
        fs::write(&path, sfnn_file(1, "kp_64_7_8")).unwrap();
        let (expected, _) = load(&path);
        let copy = folder.path().join("nn.bin.unpacked");
        let bytes = fs::read(&copy).unwrap();
        for damaged in [&bytes[..bytes.len() - 1], &bytes[..90], &bytes[..20], &[]] {
            // The copy that is in use stays as it is.
            fs::remove_file(&copy).unwrap();
            fs::write(&copy, damaged).unwrap();
            assert!(UnpackedCopy::of(&path, None).unwrap().read().is_none());
            assert_eq!(load(&path).0, expected);
        }
        fs::remove_file(&copy).unwrap();
        fs::create_dir(&copy).unwrap();
        let (own, _) = load(&path);
        assert!(own == expected && !own.transformer.is_shared());
        assert!(!folder.path().join("nn.bin.unpacked.new").exists());
    }

    #[test]
    fn processes_that_begin_together_share_one_copy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nn.bin");
        fs::write(&path, sfnn_file(1, "kp_128_7_8_k3k3")).unwrap();
        let barrier = Barrier::new(8);
        std::thread::scope(|scope| {
            let begin = || {
                barrier.wait();
                load(&path).0.transformer.is_shared()
            };
            let all: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
            assert!(all.into_iter().all(|one| one.join().unwrap()));
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_copy_that_was_begun_long_ago_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nn.bin");
        fs::write(&path, sfnn_file(1, "kp_64_7_8")).unwrap();
        let begun = File::create(folder.path().join("nn.bin.unpacked.new")).unwrap();
        begun.set_modified(std::time::SystemTime::now() - 2 * STALE).unwrap();
        assert!(!load(&path).0.transformer.is_shared());
        assert!(load(&path).0.transformer.is_shared());
    }
}
