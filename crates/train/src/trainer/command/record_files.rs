//! Records in the order of a training: chunks in random order, pooled, each pool shuffled.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::data::ReturnsWeights;
use crate::psv::TrainingRecord;
use crate::recorded::{FilePart, TrainingFile};
use crate::shards::{RecordBytes, shuffled};
use anyhow::{Context as _, Result, anyhow, ensure};
use kiki_board::mix;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64;

/// Minimum number of records that are shuffled together, unless the files have fewer.
const POOL: u64 = 1 << 20;

#[derive(Clone, Copy, Debug)]
struct Chunk {
    file: usize,
    part: FilePart,
}

/// Appends the records of a game. Scores of a file of games become returns.
fn append_game(
    mut game: Vec<TrainingRecord>,
    weights: ReturnsWeights,
    score_scale: Option<f64>,
    records: &mut Vec<RecordBytes>,
) {
    if let Some(score_scale) = score_scale {
        weights.returns(score_scale).apply(&mut game);
    }
    records.extend(game.iter().map(TrainingRecord::to_bytes));
}

/// The first `most` records of some files, in their order.
pub(super) fn first_records(
    paths: impl IntoIterator<Item = PathBuf>,
    weights: ReturnsWeights,
    most: u64,
) -> Result<Vec<RecordBytes>> {
    let mut records = Vec::new();
    for path in paths {
        let place = || path.display().to_string();
        let file = TrainingFile::open(&path).with_context(place)?;
        let score_scale = file.note().map(|note| note.score_scale);
        for game in file.into_games() {
            append_game(game.with_context(place)?, weights, score_scale, &mut records);
            if records.len() as u64 >= most {
                records.truncate(most as usize);
                return Ok(records);
            }
        }
    }
    Ok(records)
}

/// The records of a training without end: all of the files in every epoch, each epoch in another
/// order. The order depends on the seed alone, so that a training can resume at any record. A
/// thread reads ahead.
pub(super) struct RecordOrder {
    pools: Receiver<Result<Vec<RecordBytes>>>,
    pool: Vec<RecordBytes>,
    /// Number of records of the pool already returned.
    given: usize,
}

impl RecordOrder {
    /// Starts at record `from`, counted over all epochs. Refuses files without records.
    pub(super) fn open(
        paths: impl IntoIterator<Item = PathBuf>,
        weights: ReturnsWeights,
        seed: u64,
        from: u64,
    ) -> Result<Self> {
        let (mut files, mut chunks) = (Vec::new(), Vec::new());
        for path in paths {
            let place = || path.display().to_string();
            let file = TrainingFile::open(&path).with_context(place)?;
            file.check_end().with_context(place)?;
            chunks.extend(file.parts().into_iter().map(|part| Chunk { file: files.len(), part }));
            files.push((path, file));
        }
        let records = count(&chunks);
        ensure!(records > 0, "there are no records to learn from");
        let (sender, pools) = sync_channel(1);
        let reader = PoolReader { files, chunks, records, weights, seed };
        std::thread::Builder::new().name("reader".to_owned()).spawn(move || reader.send_all(from, &sender))?;
        Ok(Self { pools, pool: Vec::new(), given: 0 })
    }

    /// Replaces a list by the next `batch` records.
    pub(super) fn next(&mut self, batch: usize, records: &mut Vec<RecordBytes>) -> Result<()> {
        records.clear();
        while records.len() < batch {
            if self.given == self.pool.len() {
                self.pool = self.pools.recv().map_err(|_| anyhow!("the reader of the records ended"))??;
                self.given = 0;
            }
            let end = self.pool.len().min(self.given + batch - records.len());
            records.extend_from_slice(&self.pool[self.given..end]);
            self.given = end;
        }
        Ok(())
    }
}

fn count(chunks: &[Chunk]) -> u64 {
    chunks.iter().map(|chunk| chunk.part.records).sum()
}

/// Reads chunks and shuffles their records.
struct PoolReader {
    files: Vec<(PathBuf, TrainingFile)>,
    chunks: Vec<Chunk>,
    records: u64,
    weights: ReturnsWeights,
    seed: u64,
}

impl PoolReader {
    /// Sends pool after pool, starting at record `from`, until nobody receives.
    fn send_all(mut self, from: u64, sender: &SyncSender<Result<Vec<RecordBytes>>>) {
        let mut skipped = from % self.records;
        for epoch in from / self.records.. {
            for (number, chunks) in self.pools(epoch).iter().enumerate() {
                let records = count(chunks);
                if skipped >= records {
                    skipped -= records;
                    continue;
                }
                let pool = self.read(epoch, number, chunks).map(|mut pool| {
                    pool.drain(..std::mem::take(&mut skipped) as usize);
                    pool
                });
                if sender.send(pool).is_err() {
                    return;
                }
            }
        }
    }

    fn pools(&self, epoch: u64) -> Vec<Vec<Chunk>> {
        let mut chunks = self.chunks.clone();
        chunks.shuffle(&mut Pcg64::seed_from_u64(mix(self.seed ^ mix(epoch))));
        let mut pools: Vec<Vec<Chunk>> = vec![Vec::new()];
        let (mut records, mut left) = (0, self.records);
        for chunk in chunks {
            // A rest smaller than a pool joins the last one.
            if records >= POOL && left >= POOL {
                pools.push(Vec::new());
                records = 0;
            }
            records += chunk.part.records;
            left -= chunk.part.records;
            pools.iter_mut().last().into_iter().for_each(|pool| pool.push(chunk));
        }
        pools
    }

    fn read(&mut self, epoch: u64, number: usize, chunks: &[Chunk]) -> Result<Vec<RecordBytes>> {
        let mut pool = Vec::new();
        for chunk in chunks {
            let (path, file) = &mut self.files[chunk.file];
            let score_scale = file.note().map(|note| note.score_scale);
            for game in file.read(chunk.part).with_context(|| path.display().to_string())? {
                append_game(game, self.weights, score_scale, &mut pool);
            }
        }
        shuffled(&mut pool, self.seed ^ mix(epoch), number);
        Ok(pool)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::recorded::PART_RECORDS;

    /// Files of numbered records.
    fn files(folder: &Path, counts: &[u32]) -> Vec<PathBuf> {
        let mut number = 0_u32;
        let mut file = |(name, &count): (usize, &u32)| {
            let bytes: Vec<u8> = (0..count)
                .flat_map(|_| {
                    let mut bytes = [0; 40];
                    bytes[..4].copy_from_slice(&number.to_le_bytes());
                    number += 1;
                    bytes
                })
                .collect();
            let path = folder.join(name.to_string());
            std::fs::write(&path, bytes).unwrap();
            path
        };
        counts.iter().enumerate().map(&mut file).collect()
    }

    fn numbers(paths: &[PathBuf], seed: u64, from: u64, count: usize) -> Vec<u32> {
        let mut order = RecordOrder::open(paths.to_vec(), ReturnsWeights::default(), seed, from).unwrap();
        let (mut records, mut batch) = (Vec::new(), Vec::new());
        while records.len() < count {
            order.next(1000.min(count - records.len()), &mut batch).unwrap();
            records.extend_from_slice(&batch);
        }
        records.iter().map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect()
    }

    #[test]
    fn an_epoch_gives_every_record_once_and_the_next_one_in_another_order() {
        let folder = tempfile::tempdir().unwrap();
        let total = 20_000 + 1_100_000 + 7 + 1_200_000;
        let paths = files(folder.path(), &[20_000, 1_100_000, 7, 1_200_000]);
        let all = numbers(&paths, 1, 0, total + 3000);
        let mut sorted = all[..total].to_vec();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..total as u32));
        assert_ne!(all[total..], all[..3000]);
        assert_eq!(numbers(&paths, 1, 0, 500), all[..500]);
        assert_ne!(numbers(&paths, 2, 0, 500), all[..500]);
        for from in [1, 1_050_000, total - 100, total + 11] {
            assert_eq!(numbers(&paths, 1, from as u64, 300)[..], all[from..from + 300], "from {from}");
        }
        // Records that are read together come from the whole of the files.
        let jumps = all.windows(2).take(10_000).filter(|pair| pair[0].abs_diff(pair[1]) > PART_RECORDS as u32).count();
        assert!(jumps > 9_000, "{jumps}");
    }

    #[test]
    fn the_first_records_are_those_of_the_first_files() {
        let folder = tempfile::tempdir().unwrap();
        let paths = files(folder.path(), &[3, 1, 2]);
        let first = first_records(paths, ReturnsWeights::default(), 5).unwrap();
        assert_eq!(first.iter().map(|record| record[0]).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }
}
