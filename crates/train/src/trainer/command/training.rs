//! The course of a training: batches, evaluations on the held-out records, checkpoints.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::psv::TrainingRecord;
use crate::shards::RecordBytes;
use crate::trainer::{Learner, Performance};
use anyhow::{Context as _, Result, ensure};
use kiki_eval::{DEFAULT_FV_SCALE, Evaluator as _, Network, NetworkEvaluator, NetworkFile};

use super::curve::{CurvePoint, draw};
use super::folder::TrainingFolder;
use super::note::{BestNetwork, TrainingNote, paths};
use super::record_files::{RecordOrder, first_records};
use kiki_run::files::write_atomically;
use kiki_run::say;

/// Approximate time between two checkpoints, which are only written after an evaluation on the
/// held-out records.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(120);
/// Number of held-out records on which integers are compared with floating point.
const COMPARED: usize = 2_000;

pub(super) struct Training {
    pub(super) folder: TrainingFolder,
    _lock: File,
    pub(super) note: TrainingNote,
    learner: Learner,
    data: TrainingData,
    curve: Vec<CurvePoint>,
    saved: Instant,
}

pub(super) struct TrainingData {
    order: RecordOrder,
    held_out: Vec<RecordBytes>,
}

impl TrainingData {
    /// The records after those of `steps` steps.
    pub(super) fn open(note: &TrainingNote, steps: u64) -> Result<Self> {
        let from = steps * note.settings.batch as u64;
        let held_out = first_records(paths(&note.held_out), note.returns, note.evaluation.held_out_positions)?;
        ensure!(!held_out.is_empty(), "there are no held-out records");
        let order = RecordOrder::open(paths(&note.data), note.returns, note.settings.seed, from)?;
        Ok(Self { order, held_out })
    }
}

impl Training {
    pub(super) fn new(
        folder: TrainingFolder,
        lock: File,
        mut note: TrainingNote,
        data: TrainingData,
        learner: Learner,
    ) -> Result<Self> {
        let positions = learner.steps() * note.settings.batch as u64;
        // A process may have ended between its last note and its last checkpoint.
        note.result.ended &= note.result.positions <= positions;
        note.result.positions = positions;
        let curve = folder.read_curve(positions)?;
        Ok(Self { folder, _lock: lock, note, learner, data, curve, saved: Instant::now() })
    }

    /// Learns until the end or until `stop` is set. Returns whether the end was reached. Calls
    /// `show` after each step with the positions learned from, and the evaluation on the held-out
    /// records if there was one.
    pub(super) fn run(
        &mut self,
        stop: &AtomicBool,
        mut show: impl FnMut(u64, Option<&CurvePoint>) -> Result<()>,
    ) -> Result<bool> {
        let settings = self.note.settings.clone();
        let batch = settings.batch as u64;
        let (started, earlier) = (Instant::now(), self.note.result.seconds);
        let mut records = Vec::with_capacity(settings.batch);
        while !self.note.result.ended && !stop.load(Ordering::Relaxed) {
            self.data.order.next(settings.batch, &mut records)?;
            self.learner.step(&records).with_context(|| format!("step {}", self.learner.steps() + 1))?;
            let positions = self.learner.steps() * batch;
            self.note.result.positions = positions;
            self.note.result.seconds = earlier + started.elapsed().as_secs_f64();
            self.note.result.ended = self.learner.steps() >= settings.steps();
            let is_due = positions % self.note.evaluation.evaluate_every < batch || self.note.result.ended;
            let point = if is_due { Some(self.evaluate()?) } else { None };
            show(positions, point.as_ref())?;
        }
        self.save()?;
        Ok(self.note.result.ended)
    }

    /// Evaluates the network on the held-out records, and keeps it if it is the best so far.
    fn evaluate(&mut self) -> Result<CurvePoint> {
        let held_out = self.learner.evaluate(&self.data.held_out).context("held-out records")?;
        let rate = self.note.settings.rate(self.learner.steps() - 1);
        let point = CurvePoint::new(self.note.result.positions, rate, self.learner.take_recent(), held_out);
        self.curve.push(point);
        self.folder.write_curve(&self.curve)?;
        draw(&self.curve, &format!("Training of {}", self.note.settings.shape), &self.folder.picture)?;
        let best = self.note.result.best.as_ref();
        if best.is_none_or(|best| held_out.loss() < best.loss) {
            self.keep(held_out)?;
        }
        let best = self.note.result.best.as_ref().map_or(0, |best| best.positions);
        let since_best = self.curve.iter().filter(|point| point.positions > best).count();
        self.note.result.ended |= since_best >= self.note.evaluation.patience as usize;
        if self.saved.elapsed() >= CHECKPOINT_EVERY {
            self.save()?;
        }
        Ok(point)
    }

    fn keep(&mut self, held_out: Performance) -> Result<()> {
        let network = self.learner.network();
        let bytes = network.to_bytes();
        let errors = self.integer_errors(network)?;
        write_atomically(&self.folder.network, &bytes)?;
        self.note.result.best = Some(BestNetwork {
            positions: self.note.result.positions,
            loss: held_out.loss(),
            result_loss: held_out.result_loss(),
            accuracy: held_out.accuracy(),
            integer_error: errors.iter().sum::<f64>() / errors.len() as f64,
            greatest_integer_error: errors.iter().copied().fold(0.0, f64::max),
            blake3: blake3::hash(&bytes).to_string(),
        });
        Ok(())
    }

    /// For each held-out record, the difference between the integer and the floating-point value,
    /// in centipawns.
    fn integer_errors(&self, network: NetworkFile) -> Result<Vec<f64>> {
        let records = &self.data.held_out[..self.data.held_out.len().min(COMPARED)];
        let network = Arc::new(Network::new(network, DEFAULT_FV_SCALE));
        let outputs = self.learner.outputs(records)?;
        let compare = |(bytes, output): (&RecordBytes, f64)| {
            let position = TrainingRecord::from_bytes(bytes).position().context("a held-out record")?;
            let integer = NetworkEvaluator::new(&network, &position).output(&position);
            Ok((f64::from(integer) - output).abs() / f64::from(DEFAULT_FV_SCALE))
        };
        records.iter().zip(outputs).map(compare).collect()
    }

    pub(super) fn save(&mut self) -> Result<()> {
        // The note first: if it is newer than the checkpoint, the training finds its best network
        // again; an older note would forget one.
        self.folder.write_note(&self.note)?;
        self.folder.write_checkpoint(&mut self.learner)?;
        self.saved = Instant::now();
        Ok(())
    }

    /// Positions learned from, and the total.
    pub(super) fn positions(&self) -> [u64; 2] {
        let settings = &self.note.settings;
        [self.note.result.positions, settings.steps() * settings.batch as u64]
    }

    pub(super) fn report(&self) {
        let result = &self.note.result;
        say!(
            "{}: {} positions in {:.0} s, {:.0} a second",
            self.folder.path.display(),
            result.positions,
            result.seconds,
            result.positions as f64 / result.seconds.max(1e-9)
        );
        if let Some(best) = &result.best {
            say!(
                "best network ({}) after {} positions: held-out loss {:.5}, of results alone {:.5}, accuracy {:.2} %",
                self.folder.network.display(),
                best.positions,
                best.loss,
                best.result_loss,
                100.0 * best.accuracy
            );
            say!(
                "integers instead of floating point change a value by {:.1} centipawns on the mean, {:.0} at most",
                best.integer_error,
                best.greatest_integer_error
            );
        }
    }
}
