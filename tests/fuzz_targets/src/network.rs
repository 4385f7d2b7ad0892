//! Network files.

use std::sync::Arc;

use kiki_eval::{
    DEFAULT_FV_SCALE, Evaluator as _, FeatureSet, LayerParameters, Network, NetworkEvaluator, NetworkParameters, Shape,
};
use kiki_tests::fixtures;

use crate::error_text::check_error;

/// Numbers of a file beyond those that are given begin anew after so many bytes, so that small inputs make whole networks.
const PERIOD: usize = 251;

/// The most layers of a network that is built up: larger ones take too long.
const GREATEST: usize = 8;

/// A file is a network that evaluates every position and is the same after it was written and read again, or is refused in one line.
///
/// The first four bytes say how many outputs the layers have and how much is cut off at the end of the file. What follows are the head of the file, with
/// its text, up to the byte 0xff, and numbers that are repeated. Two bytes of 0xff at the front stand for a file as it is.
pub fn check(bytes: &[u8]) {
    let Some((&[l1, h1, h2, cut], rest)) = bytes.split_first_chunk() else { return read(bytes) };
    if l1 == 0xff && h1 == 0xff {
        return read(rest);
    }
    let size = |byte: u8, most: usize| usize::from(byte) % most + 1;
    let features = FeatureSet::ALL[usize::from(h1) % FeatureSet::ALL.len()];
    let shape = Shape { features, l1: size(l1, 2), h1: size(h1, GREATEST), h2: size(h2, GREATEST) };
    let (head, numbers) = rest.split_at(rest.iter().position(|&byte| byte == 0xff).unwrap_or(rest.len()));
    let mut file = network(shape, numbers).to_bytes();
    // The head that was given stands in the place of the right one.
    if !head.is_empty() {
        let text = u32::from_le_bytes([file[8], file[9], file[10], file[11]]) as usize;
        file.splice(..head.len().min(12 + text), head.iter().copied());
    }
    // Mostly nothing is cut off.
    file.truncate(file.len() - usize::from(cut.saturating_sub(200)));
    read(&file);
}

/// A network whose numbers are some bytes again and again.
fn network(shape: Shape, bytes: &[u8]) -> NetworkParameters {
    let at = |index: usize| bytes.get(index % PERIOD % bytes.len().max(1)).copied().unwrap_or(0);
    let word = |index: usize| i16::from_le_bytes([at(2 * index), at(2 * index + 1)]);
    let layer = |seed: usize, inputs: usize, outputs: usize| LayerParameters {
        biases: (0..outputs)
            .map(|index| i32::from(word(seed + index)) << 16 | i32::from(word(seed + index + 1)))
            .collect(),
        weights: (0..inputs * outputs).map(|index| at(seed + index) as i8).collect(),
    };
    let Shape { features, l1, h1, h2 } = shape;
    NetworkParameters {
        shape,
        transformer_biases: (0..l1).map(word).collect(),
        transformer_weights: (0..l1 * features.count()).map(word).collect(),
        layers: [layer(1, 2 * l1, h1), layer(2, h1, h2), layer(3, h2, 1)],
    }
}

fn read(file: &[u8]) {
    let (parameters, notes) = match NetworkParameters::from_bytes(file) {
        Ok(read) => read,
        Err(error) => return check_error(&error),
    };
    notes.iter().for_each(|note| check_error(note));
    let (again, _) = NetworkParameters::from_bytes(&parameters.to_bytes()).expect("what was written can be read");
    assert!(again == parameters, "{}", parameters.shape);
    let network = Arc::new(Network::new(&parameters, DEFAULT_FV_SCALE));
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
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
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
        // The greatest bias of the last layer, and products beside it.
        vec![0, 0, 0xc4, 0x80, 0xff, 0x7f],
        [&[1, 7, 7, 0, 0xff], &[0xff, 0x7f, 0x00, 0x80, 0x80, 0x7f][..]].concat(),
        [&[0xff; 4], head].concat(),
    ]
}
