//! Positions of games, some of each, and what a fit sees of them.

use std::fs;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use kiki_platform::{MOST_RECORDS, open_regular_file, read_regular_file};
use kiki_stats::regression::Observations;
use kiki_train::TrainingTarget;
use kiki_train::fit::{TermCounts, TermGroup, TermView};
use kiki_train::psv::TrainingRecord;
use kiki_train::selfplay::ShardProgress;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

use super::arguments::FitArgs;
use kiki_run::interrupt::Interrupt;
use kiki_run::progress_line::ProgressLine;

/// One of so many games is held out.
const HELD_OUT: u32 = 10;
/// Positions whose terms are counted at once.
const CHUNK: usize = 4096;

/// The unit in which coefficients are looked for, in centipawns to one unit of log-odds. What is printed does not depend on it.
pub(super) const UNIT: f64 = 600.0;

/// Observations to learn from and observations that were held out.
pub(super) struct Halves {
    pub(super) learned: Observations,
    pub(super) held_out: Observations,
}

/// The positions taken of some games, with the number of their game.
pub(super) struct GameSample {
    records: Vec<(TrainingRecord, u32)>,
    pub(super) games: u32,
    target: TrainingTarget,
}

impl GameSample {
    /// Reads files and takes positions of each of their games; `None` at Ctrl-C.
    ///
    /// # Errors
    /// If a file or its journal cannot be read, or there are no positions.
    pub(super) fn read(arguments: &FitArgs) -> Result<Option<Self>> {
        let interrupt = Interrupt::listen()?;
        let stopped = || interrupt.cancellation.token().is_cancelled();
        let mut sample = Self {
            records: Vec::new(),
            games: 0,
            target: TrainingTarget { lambda: arguments.lambda, score_scale: arguments.score_scale },
        };
        let mut random = Pcg64::seed_from_u64(arguments.seed);
        for path in &arguments.files {
            let place = || path.display().to_string();
            let bytes = fs::metadata(path).with_context(place)?.len();
            let journal = journal(path);
            let entries = read_regular_file(&journal, MOST_RECORDS)
                .with_context(|| format!("journal of games {}", journal.display()))?;
            let games = ShardProgress::read(&entries, bytes).with_context(|| journal.display().to_string())?.games;
            let mut file = BufReader::with_capacity(1 << 20, open_regular_file(path).with_context(place)?);
            let mut line = ProgressLine::new("games", games.len() as u64, 0);
            for (number, game) in games.iter().enumerate() {
                let mut bytes = vec![0; game.records as usize * TrainingRecord::BYTES];
                file.read_exact(&mut bytes).with_context(place)?;
                sample.take(arguments, &bytes, &mut random);
                line.show(number as u64, place);
                if stopped() {
                    line.finish();
                    return Ok(None);
                }
            }
            line.finish();
        }
        ensure!(sample.games >= 2 * HELD_OUT, "there are only {} games with positions to learn from", sample.games);
        Ok(Some(sample))
    }

    /// Takes positions of a game, evenly spread from a random start.
    fn take(&mut self, arguments: &FitArgs, bytes: &[u8], random: &mut Pcg64) {
        let limit = arguments.max_score.map_or(i32::MAX, i32::from);
        let records: Vec<TrainingRecord> = bytes
            .as_chunks()
            .0
            .iter()
            .map(TrainingRecord::from_bytes)
            .filter(|record| i32::from(record.score).abs() <= limit)
            .collect();
        let wanted = (arguments.per_game as usize).min(records.len());
        let shift: f64 = random.random();
        for i in 0..wanted {
            let place = (i as f64 + shift) * records.len() as f64 / wanted as f64;
            self.records.push((records[place as usize], self.games));
        }
        self.games += u32::from(wanted > 0);
    }

    /// What groups of terms count in all positions.
    ///
    /// # Errors
    /// If a record is none.
    pub(super) fn observations(&self, groups: &[&TermGroup]) -> Result<Halves> {
        let terms = groups.iter().map(|group| group.terms).sum();
        let empty = || Observations::new(terms);
        let mut halves = Halves { learned: empty(), held_out: empty() };
        for block in self.records.chunks(64 * CHUNK) {
            let counted: Vec<_> = block.par_chunks(CHUNK).map(|chunk| self.count(chunk, groups, terms)).collect();
            for counted in counted {
                for (features, outcome, game) in counted? {
                    let half = if game % HELD_OUT == 0 { &mut halves.held_out } else { &mut halves.learned };
                    half.push(&features, outcome, game)?;
                }
            }
        }
        Ok(halves)
    }

    #[expect(clippy::type_complexity, reason = "it is taken apart where it arrives")]
    fn count(
        &self,
        records: &[(TrainingRecord, u32)],
        groups: &[&TermGroup],
        terms: usize,
    ) -> Result<Vec<(Vec<(u16, f32)>, f32, u32)>> {
        let mut counts = TermCounts::new(terms);
        let each = |(record, game): &(TrainingRecord, u32)| {
            let position = record.position().with_context(|| format!("game {game}"))?;
            let view = TermView::new(&position);
            let features = counts.count(&view, groups).map(|(column, count)| (column, count / UNIT as f32)).collect();
            Ok((features, self.target.points(record.score, record.result) as f32, *game))
        };
        records.iter().map(each).collect()
    }

    /// How many positions there are.
    pub(super) fn positions(&self) -> usize {
        self.records.len()
    }
}

/// The journal of games beside a file of records.
fn journal(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".games");
    name.into()
}
