//! The trainer as a whole.

use std::sync::Arc;

use kiki_board::{Move, MoveList, Position};
use kiki_eval::{Architecture, Evaluator as _, Network, NetworkEvaluator};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::adam::{Adam, EPSILON};
use super::batch::Batch;
use super::samples::Samples;
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
        tail: 0.0,
        weight_decay: 0.0,
        row_epsilon: 1e-8,
        lambda: 1.0,
        score_scale: 600.0,
        network_scale: 600.0,
        seed: 1,
    }
}

fn sfnn_settings() -> TrainingSettings {
    TrainingSettings { shape: "SFNN_halfkahm2_64_7_8_k3k3".parse().unwrap(), ..settings() }
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

fn samples(records: &[TrainingRecord], settings: &TrainingSettings) -> Samples {
    let mut samples = Samples::default();
    samples.fill(&bytes(records), settings).unwrap();
    samples
}

/// Records whose scores are the values of a network.
fn labelled(network: &Model, settings: &TrainingSettings, seed: u64, count: usize) -> Vec<RecordBytes> {
    let mut records = records(seed, count);
    let outputs = Batch::default().outputs(network, &samples(&records, settings));
    for (record, output) in records.iter_mut().zip(outputs) {
        record.score = (output / 16.0).round() as i16;
    }
    bytes(&records)
}

/// The numbers of a kind, or those of each stack that change together, and their first moments,
/// which are empty if the network lacks the kind.
fn numbers(model: &mut Model, kind: usize) -> (Vec<&mut [f32]>, Vec<f32>) {
    let Model { table, biases, bias_moments, stacks, .. } = model;
    let width = stacks.rows.width;
    let last = stacks.rows.numbers.len() - width;
    match kind {
        0 => (vec![&mut biases[..]], bias_moments.first.clone()),
        1 => (vec![&mut table.rows.numbers[..]], table.rows.moments.first.clone()),
        2 => (vec![&mut table.pieces.numbers[..]], table.pieces.moments.first.clone()),
        3 => (vec![&mut table.relations.numbers[..]], table.relations.moments.first.clone()),
        4 => (stacks.rows.numbers.chunks_exact_mut(width).collect(), stacks.common.first.clone()),
        _ => (vec![&mut stacks.rows.numbers[last..]], stacks.rows.moments.first[last..].to_vec()),
    }
}

#[test]
fn gradients_are_those_of_differences() {
    let shapes = [settings().shape, sfnn_settings().shape, "SFNN_halfkp_64_8_8".parse().unwrap()];
    for (shape, factorised) in shapes.into_iter().flat_map(|shape| [(shape, true), (shape, false)]) {
        let settings = TrainingSettings { shape, factorised, lambda: 0.6, ..settings() };
        let samples = samples(&records(3, 256), &settings);
        let mut model = teacher(&settings);
        let mut batch = Batch::default();
        // The step of Adam from 0 has the sign of the gradient and hides its size, so the gradient
        // is read from the first moment.
        let (gradient, _) = batch.gradients(&model, &samples, &settings);
        let mut stepped = model.clone();
        stepped.update(&gradient, batch.of_features(), [Adam::new(1e-6, EPSILON, 0.0, 0); 2], 0);
        let mut loss = |model: &Model| batch.performance(model, &samples, &settings).loss();
        for kind in 0..6 {
            let moments = numbers(&mut stepped, kind).1;
            let change = |model: &mut Model, at: usize, by: f32| {
                numbers(model, kind).0.into_iter().for_each(|numbers| numbers[at] += by);
            };
            let mut greatest: Vec<usize> = (0..moments.len()).collect();
            greatest.sort_by(|&a, &b| moments[b].abs().total_cmp(&moments[a].abs()));
            let layers = model.stacks.layers;
            let places = if moments.len() == model.stacks.rows.width {
                // The greatest gradients of all weights and biases of each layer.
                let of = |place: std::ops::Range<usize>| greatest.iter().find(|at| place.contains(at)).copied();
                layers.iter().flat_map(|layer| [of(layer.weights()), of(layer.biases())]).flatten().collect()
            } else {
                greatest[..moments.len().min(5)].to_vec()
            };
            for at in places {
                // Weights count in whole units, in which the loss is less smooth.
                let is_of_layer = moments.len() == model.stacks.rows.width;
                let is_weight = is_of_layer && layers.iter().any(|layer| layer.weights().contains(&at));
                let (step, tolerance) = match (is_weight, is_of_layer) {
                    (true, _) => (1.0 / 64.0, 2e-3),
                    (false, true) => (0.002, 2e-4),
                    (false, false) => (1.0 / 127.0, 1e-3),
                };
                change(&mut model, at, step);
                let above = loss(&model);
                change(&mut model, at, -2.0 * step);
                let below = loss(&model);
                change(&mut model, at, step);
                let expected = (above - below) / f64::from(2.0 * step);
                let found = f64::from(moments[at]) / 0.1;
                let place = format!("{shape}, factorised: {factorised}, kind {kind}, number {at}");
                assert!(
                    (expected - found).abs() < 0.05 * expected.abs() + tolerance,
                    "{place}: {expected} and {found}"
                );
                assert!(found.abs() > 1e-6, "{place}: a gradient of nothing says nothing");
            }
        }
    }
}

/// A network whose values differ by some hundred centipawns from position to position, and whose
/// stacks differ.
fn teacher(settings: &TrainingSettings) -> Model {
    let mut teacher = Model::new(settings.shape, true, 77);
    let mut random = Pcg64::seed_from_u64(78);
    let is_sfnn = matches!(settings.shape, Architecture::Sfnn(_));
    let stacks = &mut teacher.stacks;
    for numbers in stacks.rows.numbers.chunks_exact_mut(stacks.rows.width) {
        for layer in &stacks.layers {
            numbers[layer.weights()].iter_mut().for_each(|weight| *weight *= 1.8);
            if is_sfnn {
                numbers[layer.weights()].iter_mut().for_each(|weight| *weight += random.random_range(-0.05..=0.05));
            }
            // Half of the inputs' sum is taken away, so that sums are as often too great as too
            // small.
            let mean_input = if is_sfnn { 0.25 } else { 0.5 };
            for output in 0..layer.biases().len() {
                let row = numbers[layer.weights()].iter().skip(output).step_by(layer.biases().len());
                let sum: f32 = row.sum();
                numbers[layer.biases()][output] = 0.5 - mean_input * sum;
            }
        }
        let last = stacks.layers[2].biases().start;
        numbers[last] -= 0.5;
    }
    if !settings.factorised {
        let own = Model::new(settings.shape, false, 77);
        teacher.table = own.table;
        teacher.stacks.common = own.stacks.common;
    }
    teacher
}

fn deviation(numbers: &[f64]) -> f64 {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    (numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / numbers.len() as f64).sqrt()
}

/// Learns from the values of a teacher. Returns the unexplained share of their variance in held-out
/// games, before and after.
fn unexplained(settings: &TrainingSettings) -> [f64; 2] {
    let teacher = teacher(settings);
    let training = labelled(&teacher, settings, 1, 40_000);
    let held_out = labelled(&teacher, settings, 2, 2_000);
    let mut learner = Learner::new(settings.clone()).unwrap();
    let mut random = Pcg64::seed_from_u64(settings.seed);
    let share = |learner: &Learner| {
        let found = learner.outputs(&held_out).unwrap();
        let scores: Vec<f64> =
            held_out.iter().map(|record| f64::from(TrainingRecord::from_bytes(record).score)).collect();
        let unexplained: f64 = found.iter().zip(&scores).map(|(found, score)| (found / 16.0 - score).powi(2)).sum();
        unexplained / (scores.len() as f64 * deviation(&scores).powi(2))
    };
    let before = share(&learner);
    for _ in 0..settings.steps() {
        let batch: Vec<RecordBytes> =
            (0..settings.batch).map(|_| training[random.random_range(0..training.len())]).collect();
        learner.step(&batch).unwrap();
    }
    [before, share(&learner)]
}

#[test]
fn a_known_network_is_recovered_from_its_own_labels() {
    for (settings, limit) in [(settings(), 0.15), (sfnn_settings(), 0.25)] {
        let settings = TrainingSettings { positions: 512 * 600, final_rate: 0.02, learning_rate: 0.006, ..settings };
        let [before, left] = unexplained(&settings);
        assert!(before > 0.5, "{}: {before}", settings.shape);
        assert!(left < limit, "{}: {left} of the variance in held-out games is not explained", settings.shape);
    }
}

#[test]
fn a_training_that_was_interrupted_ends_as_if_it_had_not_been_on_any_number_of_threads() {
    let apart = TrainingSettings { factorised: false, weight_decay: 0.5, tail: 0.5, ..sfnn_settings() };
    for settings in [settings(), sfnn_settings(), apart] {
        let settings = TrainingSettings { positions: 512 * 6, ..settings };
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
}

#[test]
fn weights_decay_and_biases_do_not() {
    for settings in [settings(), sfnn_settings()] {
        let learned = |weight_decay: f64| {
            let mut learner = Learner::new(TrainingSettings { weight_decay, ..settings.clone() }).unwrap();
            (0..4).for_each(|step| learner.step(&bytes(&records(step, 512))).unwrap());
            learner.model
        };
        let (free, decayed) = (learned(0.0), learned(1.0));
        // At most the greatest rate in each of four steps: 4 percent.
        let least = (1.0 - settings.learning_rate as f32).powi(4);
        let size = |numbers: &[f32]| numbers.iter().map(|number| number.abs()).sum::<f32>();
        let layers = free.stacks.layers;
        let of_pieces = |model: &Model| size(&model.table.pieces.numbers);
        let of_layer = |model: &Model| size(&model.stacks.rows.numbers[layers[0].weights()]);
        for share in [of_pieces(&decayed) / of_pieces(&free), of_layer(&decayed) / of_layer(&free)] {
            assert!(share < 0.99 && share > least - 0.005, "{}: {share}", settings.shape);
        }
        let share = size(&decayed.biases) / size(&free.biases);
        assert!((share - 1.0).abs() < 0.008, "{}: {share} of the biases is left", settings.shape);
    }
}

#[test]
fn what_is_no_checkpoint_is_refused() {
    let mut learner = Learner::new(settings()).unwrap();
    let mut file = Vec::new();
    learner.save(&mut file).unwrap();
    let load =
        |bytes: &[u8], settings| Learner::load(settings, &mut &bytes[..]).err().map(|error| format!("{error:#}"));
    assert_eq!(load(&file, settings()), None);
    assert!(load(&file[..file.len() - 1], settings()).unwrap().contains("cannot be read"));
    assert!(load(&[&file[..], &[0]].concat(), settings()).unwrap().contains("longer"));
    assert!(load(&[b"K", &file[..]].concat(), settings()).unwrap().contains("another file"));
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
fn a_training_that_begins_with_a_network_file_has_its_numbers_and_refuses_another_shape() {
    for (shape, other) in
        [("HalfKP_vm 16x2-8-8", "HalfKP_vm 16x2-8-16"), ("SFNN_halfkahm2_64_7_8_k3k3", "SFNN_halfkahm2_64_7_8_k9k9")]
    {
        let of_shape = |text: &str| TrainingSettings { shape: text.parse().unwrap(), ..settings() };
        let mut first = Learner::new(of_shape(shape)).unwrap();
        first.step(&bytes(&records(1, 512))).unwrap();
        let held_out = bytes(&records(2, 100));
        let network = first.network();
        for factorised in [true, false] {
            let settings = TrainingSettings { factorised, seed: 9, ..of_shape(shape) };
            let second = Learner::after_network(settings, &network).unwrap();
            assert!(second.network() == network, "{shape} {factorised}");
            let common = second.model.table.pieces.numbers.iter().map(|number| number.abs()).sum::<f32>();
            assert_eq!(common > 1.0, factorised, "{shape} {factorised}: {common}");
            let [one, other] = [&first, &second].map(|learner| learner.evaluate(&held_out).unwrap().loss());
            assert!((one - other).abs() < 1e-3, "{shape} {factorised}: {one} {other}");
        }
        let refused = Learner::after_network(of_shape(other), &network).err().unwrap().to_string();
        assert!(refused.contains(shape), "{refused}");
    }
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
    assert_eq!(learner.step(&[]).unwrap_err().to_string(), "there are no records");
}

/// The rounding of a few hundred numbers to 1/127 and 1/64 moves a value by some centipawns.
#[test]
fn the_integers_of_the_file_say_what_the_floating_point_numbers_say() {
    let other = TrainingSettings { shape: "SFNN_halfka2_128_8_16_hand4".parse().unwrap(), ..settings() };
    for settings in [settings(), sfnn_settings(), other] {
        let teacher = teacher(&settings);
        let file = teacher.to_network().to_bytes();
        let (network, notes) = Network::read(&file, None, 16).unwrap();
        assert_eq!((network.architecture(), notes), (settings.shape, vec![]));
        let network = Arc::new(network);
        let records = records(9, 500);
        let floating = Batch::default().outputs(&teacher, &samples(&records, &settings));
        let errors: Vec<f64> = records
            .iter()
            .zip(&floating)
            .map(|(record, output)| {
                let position = record.position().unwrap();
                let mut evaluator = NetworkEvaluator::new(&network, &position);
                (f64::from(evaluator.output(&position)) - output).abs() / 16.0
            })
            .collect();
        let (mean, deviation) = (errors.iter().sum::<f64>() / 500.0, deviation(&floating) / 16.0);
        let shape = settings.shape;
        assert!(
            deviation > 50.0 && mean < 0.03 * deviation,
            "{shape}: error {mean} of values that deviate {deviation}"
        );
    }
}

#[test]
fn a_learned_network_is_evaluated_move_by_move_with_the_stacks_it_was_learned_with() {
    let settings = sfnn_settings();
    let mut learner = Learner::new(settings.clone()).unwrap();
    for step in 0..20 {
        learner.step(&bytes(&records(step, 512))).unwrap();
    }
    let network = Arc::new(Network::read(&learner.network().to_bytes(), None, 16).unwrap().0);
    let mut random = Pcg64::seed_from_u64(5);
    let mut position = Position::startpos();
    let mut evaluator = NetworkEvaluator::new(&network, &position);
    let (mut outputs, mut played) = (Vec::new(), Vec::new());
    while position.moves_made() < 200 {
        let moves: MoveList = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        // Kings walk far, so that many stacks are needed.
        let is_of_king = |mv: &&Move| !mv.is_drop() && mv.from() == position.king(position.side_to_move());
        let kings: Vec<Move> = moves.iter().filter(is_of_king).copied().collect();
        let some = if kings.is_empty() || random.random() { &moves[..] } else { &kings };
        let mv = some[random.random_range(0..some.len())];
        played.push(TrainingRecord::new(&position, mv, 0, 0).unwrap());
        outputs.push((evaluator.output(&position), network.stack(&position).unwrap()));
        assert_eq!(outputs.last().unwrap().0, NetworkEvaluator::new(&network, &position).output(&position));
        evaluator.push(&position.make(mv));
    }
    let samples = samples(&played, &settings);
    let labels = samples.labels(0..samples.len()).map(|label| label.stack as usize);
    assert_eq!(samples.in_order_of_records(labels), outputs.iter().map(|output| output.1).collect::<Vec<_>>());
    let stacks: std::collections::BTreeSet<usize> = outputs.iter().map(|output| output.1).collect();
    assert!(stacks.len() > 2, "{stacks:?}: too few stacks to tell them apart");
}

#[test]
fn networks_with_parts_that_are_not_learned_are_refused() {
    for shape in ["SFNN_halfkp_64_7_8_progress2", "SFNN_halfkp_256_7_8_c128_s64x2"] {
        let settings = TrainingSettings { shape: shape.parse().unwrap(), ..settings() };
        assert!(settings.check().unwrap_err().to_string().contains("stacks by progress and shards"));
    }
    for shape in
        ["SFNN_kp_64_8_8_hand16", "SFNN_ka2_64_7_8", "K+P 16x2-8-8", "HalfKA_hm1 16x2-8-8", "SFNN_halfkpvm_64_7_8"]
    {
        let settings = TrainingSettings { shape: shape.parse().unwrap(), ..settings() };
        let mut learner = Learner::new(settings.clone()).unwrap();
        let batch = bytes(&records(1, 512));
        let loss = |learner: &Learner| learner.evaluate(&batch).unwrap().loss();
        let before = loss(&learner);
        (0..5).for_each(|_| learner.step(&batch).unwrap());
        assert!(loss(&learner) < before, "{shape}");
        assert_eq!(Network::read(&learner.network().to_bytes(), None, 16).unwrap().0.architecture(), settings.shape);
    }
}
