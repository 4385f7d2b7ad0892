//! Evaluation files: networks, and models of the error of shallow searches.

use std::sync::{Arc, LazyLock};

use kiki_board::Position;
use kiki_eval::sigma::{SigmaModel, progress_elements};
use kiki_eval::{
    Architecture, DEFAULT_FV_SCALE, Evaluator as _, FeatureSet, LayerParameters, Network, NetworkEvaluator,
    NetworkFile, Shape,
};
use kiki_tests::fixtures;
use kiki_tests::networks::sfnn_file;

use crate::common::check_error;

/// Number of bytes after which the numbers of a file repeat, so that small inputs make whole
/// networks.
const PERIOD: usize = 251;

/// Greatest width of a layer; larger ones take too long.
const GREATEST: usize = 8;

/// A file is a network, which evaluates every position and survives writing and reading, or gets a
/// one-line error.
///
/// The first four bytes give the widths of the layers and the number of bytes cut off at the end.
/// Then come the head of the file with its text, up to the byte 0xff, and repeating numbers. Two
/// leading bytes of 0xff mean a file as it is; two of 0xfe mean changes to a file with stacks.
pub(crate) fn check_network(bytes: &[u8]) {
    let Some((&[l1, h1, h2, cut], rest)) = bytes.split_first_chunk() else { return read(bytes) };
    if l1 == 0xff && h1 == 0xff {
        return read(rest);
    }
    if l1 == 0xfe && h1 == 0xfe {
        return read_changed_stacks(rest);
    }
    let size = |byte: u8, most: usize| usize::from(byte) % most + 1;
    let features = FeatureSet::ALL[usize::from(h1) % FeatureSet::ALL.len()];
    let shape = Shape { features, l1: size(l1, 2), h1: size(h1, GREATEST), h2: size(h2, GREATEST) };
    let (head, numbers) = rest.split_at(rest.iter().position(|&byte| byte == 0xff).unwrap_or(rest.len()));
    let mut file = network(shape, numbers).to_bytes();
    // The given head replaces the correct one.
    if !head.is_empty() {
        let text = u32::from_le_bytes([file[8], file[9], file[10], file[11]]) as usize;
        file.splice(..head.len().min(12 + text), head.iter().copied());
    }
    // Few inputs cut anything off.
    file.truncate(file.len() - usize::from(cut.saturating_sub(200)));
    read(&file);
}

/// Reads a file with stacks after changes: each is a place of four bytes and a new byte; a place
/// beyond the end cuts the file.
fn read_changed_stacks(changes: &[u8]) {
    static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| sfnn_file(1, "kp_64_7_8_k3k3"));
    let mut file = FILE.clone();
    for &[a, b, c, d, byte] in changes.as_chunks().0 {
        let place = u32::from_le_bytes([a, b, c, d]) as usize;
        match file.get_mut(place) {
            Some(changed) => *changed = byte,
            None => file.truncate(place % (file.len() + 1)),
        }
    }
    read(&file);
}

/// A network whose numbers repeat some bytes.
fn network(shape: Shape, bytes: &[u8]) -> NetworkFile {
    let at = |index: usize| bytes.get(index % PERIOD % bytes.len().max(1)).copied().unwrap_or(0);
    let word = |index: usize| i16::from_le_bytes([at(2 * index), at(2 * index + 1)]);
    let layer = |seed: usize, inputs: usize, outputs: usize| LayerParameters {
        biases: (0..outputs)
            .map(|index| i32::from(word(seed + index)) << 16 | i32::from(word(seed + index + 1)))
            .collect(),
        weights: (0..inputs * outputs).map(|index| at(seed + index) as i8).collect(),
    };
    let Shape { features, l1, h1, h2 } = shape;
    let [biases, weights] = [l1, l1 * features.count()].map(|count| (0..count).map(word).collect::<Vec<i16>>());
    let stacks = vec![[layer(1, 2 * l1, h1), layer(2, h1, h2), layer(3, h2, 1)]];
    NetworkFile::new(Architecture::Classic(shape), &biases, &weights, None, stacks)
}

fn read(file: &[u8]) {
    let (parameters, notes) = match NetworkFile::from_bytes(file, None) {
        Ok(read) => read,
        Err(error) => return check_error(&error),
    };
    notes.iter().for_each(|note| check_error(note));
    let (again, _) = NetworkFile::from_bytes(&parameters.to_bytes(), None).expect("a written network");
    assert!(again == parameters, "{}", parameters.architecture);
    let network = Arc::new(Network::new(parameters, DEFAULT_FV_SCALE));
    for row in fixtures::midgame().iter().take(2) {
        let mut position = fixtures::position(row.sfen);
        let mut evaluator = NetworkEvaluator::new(&network, &position);
        let mv = position.legal_moves()[0];
        evaluator.push(&position.make(mv));
        let value = evaluator.evaluate(&position);
        assert_eq!(value, NetworkEvaluator::new(&network, &position).evaluate(&position), "{}", row.sfen);
    }
}

/// Small networks, and heads of files.
pub(crate) fn network_seeds() -> Vec<Vec<u8>> {
    let shape = Shape { features: FeatureSet::ALL[0], l1: 1, h1: 1, h2: 1 };
    let file = network(shape, &[]).to_bytes();
    let text = u32::from_le_bytes([file[8], file[9], file[10], file[11]]) as usize;
    let head = &file[..12 + text];
    let numbers: Vec<u8> = (0..=250).rev().collect();
    vec![
        [&[0, 0, 0, 0], head, &[0xff], &numbers].concat(),
        [&[1, 7, 3, 0, 0xff], &numbers[..]].concat(),
        [&[1, 7, 3, 255, 0xff], &numbers[..]].concat(),
        [&[0, 0, 0, 0, 0xff], &[0x7f; 100][..]].concat(),
        // The greatest bias of the last layer, and products next to it.
        vec![0, 0, 0xc4, 0x80, 0xff, 0x7f],
        [&[1, 7, 7, 0, 0xff], &[0xff, 0x7f, 0x00, 0x80, 0x80, 0x7f][..]].concat(),
        [&[0xff; 4], head].concat(),
        vec![0xfe; 4],
        // The transformer's hash, the word of the first list, its length, a number of it.
        vec![0xfe, 0xfe, 0, 0, 104, 0, 0, 0, 1, 112, 0, 0, 0, b'_', 125, 0, 0, 0, 200, 140, 0, 0, 0, 0x80],
    ]
}

/// A text is a model, which survives writing and reading and has an answer for every position, or
/// gets a one-line error.
pub(crate) fn check_sigma(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let model = match SigmaModel::from_text(text) {
        Ok(model) => model,
        Err(error) => return check_error(&error),
    };
    assert_eq!(SigmaModel::from_text(&model.to_text()).as_ref(), Ok(&model));
    for sfen in [Position::startpos().to_sfen().as_str(), fixtures::midgame()[0].sfen] {
        let position = fixtures::position(sfen);
        let elements = progress_elements(&position);
        for (number, pair) in model.pairs.iter().enumerate() {
            assert_eq!(model.pair(pair.shallow.into(), pair.deep.into()), Some(number));
            let _ = model.value_fit(number, &elements);
            let all = [
                model.sigma_of_progress(number, &elements),
                model.sigma_of_features(number, &position),
                model.sigma_of_values(number, &elements, -100, 200),
            ];
            assert!(all.iter().all(|&sigma| sigma > 0.0), "{all:?}");
        }
    }
}

/// The built-in models.
pub(crate) fn sigma_seeds() -> Vec<Vec<u8>> {
    let model = |of_formula| kiki_network::embedded_sigma(of_formula).expect("the program's model");
    [false, true].map(|of_formula| model(of_formula).to_text().into_bytes()).to_vec()
}
