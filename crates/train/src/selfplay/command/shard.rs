//! A file of games of self-play: its note, and how it is begun, continued and filled.

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::games::{BlockGames, GameFile, GameFileNote, GameFileWriter, RecordRule, TrainingGame};
use crate::selfplay::SelfPlaySettings;
use crate::selfplay::command::job::SelfPlayJob;
use anyhow::{Context as _, Result, ensure};
use kiki_machines::coordinator::{NextTask, RunPlan};
use kiki_machines::workforce::Workforce;
use kiki_run::PROGRAM;
use kiki_run::evaluation::EvaluationNote;
use serde::{Deserialize, Serialize};

/// The part of a file's note that is about self-play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayNote {
    pub commit: Option<String>,
    pub signature: Option<u64>,
    pub evaluation: EvaluationNote,
    pub settings: SelfPlaySettings,
    /// The number of positions first asked for.
    pub positions: u64,
}

/// A file of self-play that grows game by game.
pub struct Shard {
    path: PathBuf,
    note: SelfPlayNote,
    writer: GameFileWriter,
    /// Of all games so far.
    hashes: HashSet<u64>,
    counts: ShardCounts,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ShardCounts {
    /// Positions to learn from.
    pub positions: u64,
    /// Games, those left out included.
    pub games: u64,
    /// Games that repeat the moves of an earlier one.
    pub left_out: u64,
}

const RULE: RecordRule = RecordRule::Quiet;

impl Shard {
    /// Creates a file. An existing one is refused. The default of `score_scale` is that of the
    /// evaluation.
    pub fn create(path: PathBuf, note: SelfPlayNote, score_scale: Option<f64>) -> Result<Self> {
        ensure!(
            !path.exists(),
            "{} exists already: name a new file; `kiki-lab resume` goes on with this one",
            path.display()
        );
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let default_scale = if matches!(note.evaluation, EvaluationNote::Formula) { 1000.0 } else { 800.0 };
        let file_note = GameFileNote {
            program: PROGRAM.to_owned(),
            records: RULE,
            score_scale: score_scale.unwrap_or(default_scale),
            origin: serde_json::to_value(&note)?,
        };
        let writer = GameFileWriter::create(&path, &file_note).with_context(|| path.display().to_string())?;
        Ok(Self { path, note, writer, hashes: HashSet::new(), counts: ShardCounts::default() })
    }

    /// Opens a file of an earlier process and reads its games.
    pub fn resume(path: &Path) -> Result<Self> {
        let read = || {
            let mut file = GameFile::open(path)?;
            let note = note_of(&file)?;
            let (mut hashes, mut counts) = (HashSet::new(), ShardCounts::default());
            for block in file.blocks().to_vec() {
                let mut games = BlockGames::new(file.read(block)?);
                while let Some(game) = games.next_game().with_context(|| format!("block from byte {}", block.offset))? {
                    counts.games += 1;
                    match game {
                        Some(game) => {
                            hashes.insert(game.hash());
                        }
                        None => counts.left_out += 1,
                    }
                }
            }
            counts.positions = file.records();
            Ok((note, hashes, counts))
        };
        let resumed = GameFileWriter::resume(path, read).with_context(|| path.display().to_string())?;
        let (writer, (note, hashes, counts)) = resumed;
        Ok(Self { path: path.to_owned(), note, writer, hashes, counts })
    }

    #[must_use]
    pub fn note(&self) -> &SelfPlayNote {
        &self.note
    }

    #[must_use]
    pub fn counts(&self) -> ShardCounts {
        self.counts
    }

    /// Plays games until the file has `wanted` positions, or `stop` is set. Calls `show` with the
    /// counts as the file grows. Writes the last games also before an error: they count.
    pub fn generate(
        mut self,
        wanted: u64,
        workforce: &Workforce,
        stop: &AtomicBool,
        show: impl FnMut(ShardCounts) -> Result<()>,
    ) -> Result<ShardCounts> {
        let played = self.play(wanted, workforce, stop, show);
        self.writer.finish().with_context(|| self.path.display().to_string())?;
        played.map(|()| self.counts)
    }

    fn play(
        &mut self,
        wanted: u64,
        workforce: &Workforce,
        stop: &AtomicBool,
        mut show: impl FnMut(ShardCounts) -> Result<()>,
    ) -> Result<()> {
        if self.counts.positions >= wanted {
            return Ok(());
        }
        let path = self.path.clone();
        let SelfPlayNote { evaluation, settings, .. } = self.note.clone();
        settings.check()?;
        let first = self.counts.games;
        let job = SelfPlayJob::new(evaluation, settings);
        let is_stopped = || stop.load(Ordering::Relaxed);
        let (first_task, mut written) = (first / job.games_a_task(), (first % job.games_a_task()) as usize);
        let plan = RunPlan { job: &job, place: &path, first: first_task, is_new: first == 0, is_stopped: &is_stopped };
        workforce.run(
            &plan,
            |_| Ok(NextTask::Task(())),
            |games| {
                for bytes in games.iter().skip(std::mem::take(&mut written)) {
                    let game = BlockGames::new(bytes).next_game()?.flatten().context("a task without a game")?;
                    self.append(&game)?;
                    if self.counts.positions >= wanted {
                        return Ok(ControlFlow::Break(()));
                    }
                    show(self.counts)?;
                }
                Ok(ControlFlow::Continue(()))
            },
        )
    }

    /// Appends the next game, without its moves if it repeats an earlier one.
    fn append(&mut self, game: &TrainingGame) -> Result<()> {
        let is_new = self.hashes.insert(game.hash());
        let positions = if is_new { game.records(RULE)?.len() } else { 0 };
        self.writer.append(is_new.then_some(game), positions).with_context(|| self.path.display().to_string())?;
        self.counts.games += 1;
        self.counts.left_out += u64::from(!is_new);
        self.counts.positions += positions as u64;
        Ok(())
    }
}

fn note_of(file: &GameFile) -> Result<SelfPlayNote> {
    serde_json::from_value(file.note().origin.clone()).context("no file of self-play")
}

/// Whether a file is one of games of self-play.
pub fn is_self_play(path: &Path) -> bool {
    GameFile::open(path).is_ok_and(|file| note_of(&file).is_ok())
}
