//! The trainer as a whole.

use std::sync::Arc;

use kiki_board::{MoveList, Position};
use kiki_eval::{Evaluator as _, Network, NetworkEvaluator};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::layers::{Adam, Dense, EPSILON};
use super::samples::{TrainingSample, samples};
use super::*;
use crate::psv::TrainingRecord;
use crate::shards::RecordBytes;

pub(super) fn settings() -> TrainingSettings {
    TrainingSettings {
        shape: "HalfKP_vm 16x2-8-8".parse().unwrap(),
        factorised: true,
        batch: 512,
        positions: 512 * 300,
        learning_rate: 0.01,
        final_rate: 0.1,
        row_epsilon: 1e-8,
        lambda: 1.0,
        score_scale: 600.0,
        network_scale: 600.0,
        seed: 1,
    }
}

/// Positions of random games.
fn records(seed: u64, count: usize) -> Vec<TrainingRecord> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut records = Vec::new();
    let mut position = Position::startpos();
    while records.len() < count {
        let moves: MoveList = position.legal_moves();
        if moves.is_empty() || position.moves_made() > 120 {
            position = Position::startpos();
            continue;
        }
        let mv = moves[random.random_range(0..moves.len())];
        let score = random.random_range(-1500..1500);
        records.push(TrainingRecord::new(&position, mv, score, random.random_range(-1..=1)).unwrap());
        position.make(mv);
    }
    records
}

fn bytes(records: &[TrainingRecord]) -> Vec<RecordBytes> {
    records.iter().map(TrainingRecord::to_bytes).collect()
}

/// Records whose scores are the values of a network.
fn labelled(network: &Model, settings: &TrainingSettings, seed: u64, count: usize) -> Vec<RecordBytes> {
    let mut records = records(seed, count);
    let outputs = network.outputs(&samples(&bytes(&records), settings).unwrap());
    for (record, output) in records.iter_mut().zip(outputs) {
        record.score = (output / 16.0).round() as i16;
    }
    bytes(&records)
}

#[test]
fn gradients_are_those_of_differences() {
    for factorised in [true, false] {
        let settings = TrainingSettings { factorised, lambda: 0.6, ..settings() };
        let samples = samples(&bytes(&records(3, 256)), &settings).unwrap();
        let mut model = Model::new(settings.shape, factorised, 5);
        let mut gradients = BatchGradients::default();
        // The step of Adam from 0 has the sign of the gradient and hides its size, so the gradient is read from the first moment.
        let (gradient, _) = gradients.compute(&model, &samples, &settings);
        let loss = |model: &Model| performance(model, &samples, &settings).loss();
        let mut stepped = model.clone();
        let adam = Adam::new(1e-6, EPSILON, 0);
        stepped.update(&gradient, &gradients.index, &gradients.of_views, [adam; 2], 0);
        let check = |numbers: fn(&mut Model) -> (&mut [f32], &[f32]), model: &mut Model, stepped: &mut Model| {
            let moments: Vec<f32> = numbers(stepped).1.to_vec();
            let mut greatest: Vec<usize> = (0..moments.len()).collect();
            greatest.sort_by(|&a, &b| moments[b].abs().total_cmp(&moments[a].abs()));
            for &at in &greatest[..moments.len().min(5)] {
                let step = 0.002;
                let before = numbers(model).0[at];
                numbers(model).0[at] = before + step;
                let above = loss(model);
                numbers(model).0[at] = before - step;
                let below = loss(model);
                numbers(model).0[at] = before;
                let expected = (above - below) / f64::from(2.0 * step);
                let found = f64::from(moments[at]) / 0.1;
                assert!((expected - found).abs() < 0.05 * expected.abs() + 2e-4, "{at}: {expected} and {found}");
                assert!(found.abs() > 1e-6, "a gradient of nothing says nothing");
            }
        };
        let both = [&mut model, &mut stepped];
        let [model, stepped] = both;
        check(|model| (&mut model.table.rows.numbers, &model.table.rows.moments.first), model, stepped);
        check(|model| (&mut model.biases, &model.bias_moments.first), model, stepped);
        check(|model| (model.layers[0].weights.as_mut_slice(), &model.layers[0].weight_moments.first), model, stepped);
        check(|model| (model.layers[1].weights.as_mut_slice(), &model.layers[1].weight_moments.first), model, stepped);
        check(|model| (model.layers[2].weights.as_mut_slice(), &model.layers[2].weight_moments.first), model, stepped);
        check(|model| (&mut model.layers[0].biases, &model.layers[0].bias_moments.first), model, stepped);
        if factorised {
            check(|model| (&mut model.table.pieces.numbers, &model.table.pieces.moments.first), model, stepped);
        }
    }
}

/// A network whose values differ by some hundred centipawns from position to position.
fn teacher(settings: &TrainingSettings) -> Model {
    let mut teacher = Model::new(settings.shape, true, 77);
    teacher.layers.iter_mut().for_each(|layer| layer.weights *= 1.8);
    let middle = |layer: &mut Dense| {
        for (bias, row) in layer.biases.iter_mut().zip(layer.weights.row_iter()) {
            // Half of the inputs' sum is taken away, so that sums are as often too great as too small.
            *bias = 0.5 - row.sum() / 2.0;
        }
    };
    teacher.layers.iter_mut().for_each(middle);
    teacher.layers[2].biases[0] -= 0.5;
    teacher
}

/// Mean and standard deviation.
fn spread(numbers: &[f64]) -> (f64, f64) {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / numbers.len() as f64;
    (mean, variance.sqrt())
}

#[test]
fn a_known_network_is_recovered_from_its_own_labels() {
    let settings = TrainingSettings { positions: 512 * 600, final_rate: 0.02, ..settings() };
    let teacher = teacher(&settings);
    let training = labelled(&teacher, &settings, 1, 40_000);
    let held_out = labelled(&teacher, &settings, 2, 2_000);
    let mut learner = Learner::new(settings.clone()).unwrap();
    let mut random = Pcg64::seed_from_u64(settings.seed);
    let deviation = |learner: &Learner| {
        let found = learner.outputs(&held_out).unwrap();
        let scores: Vec<f64> =
            held_out.iter().map(|record| f64::from(TrainingRecord::from_bytes(record).score)).collect();
        let unexplained: f64 = found.iter().zip(&scores).map(|(found, score)| (found / 16.0 - score).powi(2)).sum();
        unexplained / (scores.len() as f64 * spread(&scores).1.powi(2))
    };
    assert!(deviation(&learner) > 0.5);
    for _ in 0..settings.steps() {
        let batch: Vec<RecordBytes> =
            (0..settings.batch).map(|_| training[random.random_range(0..training.len())]).collect();
        learner.step(&batch).unwrap();
    }
    let left = deviation(&learner);
    assert!(left < 0.15, "{left} of the variance of values in held-out games is not explained");
}

#[test]
fn a_training_that_was_interrupted_ends_as_if_it_had_not_been_on_any_number_of_threads() {
    let settings = TrainingSettings { positions: 512 * 6, ..settings() };
    let batch = |step: usize| bytes(&records(step as u64, 512));
    let on_threads = |threads: usize, interrupted: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut learner = Learner::new(settings.clone()).unwrap();
            for step in 0..6 {
                if interrupted && step == 3 {
                    let mut file = Vec::new();
                    learner.save(&mut file).unwrap();
                    learner = Learner::load(settings.clone(), &mut &file[..]).unwrap();
                    assert_eq!(learner.steps(), 3);
                }
                learner.step(&batch(step)).unwrap();
            }
            (learner.take_recent(), learner.model)
        })
    };
    let whole = on_threads(1, false);
    assert!(on_threads(3, true) == whole);
    assert!(on_threads(2, false) == whole);
}

#[test]
fn what_is_no_checkpoint_is_refused() {
    let mut learner = Learner::new(settings()).unwrap();
    let mut file = Vec::new();
    learner.save(&mut file).unwrap();
    let load = |bytes: &[u8], settings| Learner::load(settings, &mut &bytes[..]).err().map(|error| error.to_string());
    assert_eq!(load(&file, settings()), None);
    assert!(load(&file[..file.len() - 1], settings()).unwrap().contains("cannot be read"));
    assert!(load(&[&file[..], &[0]].concat(), settings()).unwrap().contains("longer"));
    assert!(load(&[b"K", &file[..]].concat(), settings()).unwrap().contains("no checkpoint"));
    let larger = TrainingSettings { shape: "HalfKP_vm 32x2-8-8".parse().unwrap(), ..settings() };
    assert!(load(&file, larger).is_some());
}

#[test]
fn a_training_may_begin_with_the_numbers_of_another_and_only_with_those() {
    let mut first = Learner::new(settings()).unwrap();
    first.step(&bytes(&records(1, 512))).unwrap();
    let held_out = bytes(&records(2, 100));
    let outputs = first.outputs(&held_out).unwrap();
    let again = TrainingSettings { seed: 9, lambda: 0.5, ..settings() };
    let second = Learner::after(again, first).unwrap();
    assert_eq!(second.outputs(&held_out).unwrap(), outputs);
    let mut fresh = Model::new(settings().shape, true, 1);
    fresh.table.rows.numbers.clone_from(&second.model.table.rows.numbers);
    assert!(fresh.table.rows == second.model.table.rows && second.steps() == 0, "no moments, no steps");
    let other = TrainingSettings { shape: "HalfKP_vm 16x2-8-16".parse().unwrap(), ..settings() };
    assert!(Learner::after(other, second).err().unwrap().to_string().contains("16x2-8-8"));
}

#[test]
fn a_record_that_is_no_position_is_named_and_changes_nothing() {
    let mut learner = Learner::new(settings()).unwrap();
    let before = learner.model.clone();
    let mut batch = bytes(&records(1, 512));
    batch[300] = [0xff; 40];
    let error = learner.step(&batch).unwrap_err();
    assert!(error.to_string().starts_with("record 300 "), "{error}");
    assert!(learner.model == before && learner.steps() == 0);
    assert_eq!(learner.step(&[]).unwrap_err(), TrainingError::Empty);
}

/// The rounding of a few hundred numbers to 1/127 and 1/64 moves a value by some centipawns.
#[test]
fn the_integers_of_the_file_say_what_the_floating_point_numbers_say() {
    let settings = settings();
    let teacher = teacher(&settings);
    let network = Arc::new(Network::new(teacher.to_network(), 16));
    let records = records(9, 500);
    let samples: Vec<TrainingSample> = samples(&bytes(&records), &settings).unwrap();
    let floating = teacher.outputs(&samples);
    let errors: Vec<f64> = records
        .iter()
        .zip(&floating)
        .map(|(record, output)| {
            let position = record.position().unwrap();
            let mut evaluator = NetworkEvaluator::new(&network, &position);
            (f64::from(evaluator.output(&position)) - output).abs() / 16.0
        })
        .collect();
    let (mean, deviation) = (errors.iter().sum::<f64>() / 500.0, spread(&floating).1 / 16.0);
    assert!(deviation > 50.0 && mean < 0.12 * deviation, "mean error {mean} of values with a deviation of {deviation}");
}
