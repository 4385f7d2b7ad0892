use kiki_board::COLORS;
use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::accumulator::fresh;
use super::*;

/// Pseudo-random numbers of a network, as `spec/nnue.md`'s test networks have them: from the generator splitmix64.
struct SplitMix(u64);

impl SplitMix {
    fn number(&mut self, range: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((z >> 33) % (2 * range as u64 + 1)) as i64 - range
    }
}

fn random_network(seed: u64, shape: Shape) -> NetworkParameters {
    let mut random = SplitMix(seed);
    let Shape { features, l1, h1, h2 } = shape;
    let transformer_biases = (0..l1).map(|_| random.number(64) as i16).collect();
    let transformer_weights = (0..l1 * features.count()).map(|_| random.number(24) as i16).collect();
    let mut layer = |inputs: usize, outputs: usize, last: bool| {
        let (bias, weight) = if last { (4000, 90) } else { (2000, 40) };
        let biases = (0..outputs).map(|_| random.number(bias) as i32).collect();
        let mut weights = Vec::new();
        for _ in 0..outputs {
            let row: Vec<i8> = (0..inputs.next_multiple_of(32)).map(|_| random.number(weight) as i8).collect();
            weights.extend(&row[..inputs]);
        }
        LayerParameters { biases, weights }
    };
    let layers = [layer(2 * l1, h1, false), layer(h1, h2, false), layer(h2, 1, true)];
    NetworkParameters { shape, transformer_biases, transformer_weights, layers }
}

/// Positions, outputs and values that an independent implementation gives for pseudo-random networks.
#[test]
fn outputs_are_those_of_an_independent_implementation() {
    let text = include_str!("../../tests/nnue_eval.tsv");
    let mut rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let mut checked = 0;
    while let Some(head) = rows.first().map(|row| row[..5].to_vec()) {
        let (now, rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row[..5] == head[..]);
        rows = rest;
        let features = if head[0] == "halfkp" { FeatureSet::HalfKp } else { FeatureSet::HalfKpVm };
        let [seed, l1, h1, h2] = [1, 2, 3, 4].map(|column| head[column].parse::<usize>().unwrap());
        let network = Arc::new(Network::new(&random_network(seed as u64, Shape { features, l1, h1, h2 }), 16));
        let mut evaluator = NetworkEvaluator::new(&network, &Position::startpos());
        for row in now {
            let position = Position::from_sfen(row[5]).unwrap();
            evaluator.reset(&position);
            assert_eq!(evaluator.output(&position).to_string(), row[6], "{row:?}");
            assert_eq!(evaluator.evaluate(&position).to_string(), row[7], "{row:?}");
            checked += 1;
        }
    }
    assert_eq!(checked, text.lines().count() - 1);
}

const SMALL: [Shape; 3] = [
    Shape { features: FeatureSet::HalfKp, l1: 32, h1: 16, h2: 16 },
    Shape { features: FeatureSet::HalfKpVm, l1: 40, h1: 8, h2: 32 },
    Shape { features: FeatureSet::HalfKp, l1: 7, h1: 3, h2: 5 },
];

/// Plays random games, with null moves, and now and then does not ask for the value.
#[test]
fn incremental_values_are_fresh_values_after_every_make_and_unmake() {
    let mut random = StdRng::seed_from_u64(5);
    for (seed, shape) in SMALL.into_iter().enumerate() {
        let network = Arc::new(Network::new(&random_network(seed as u64, shape), 16));
        for game in 0..8 {
            let mut position = Position::startpos();
            let mut evaluator = NetworkEvaluator::new(&network, &position);
            let mut outputs = vec![Some(evaluator.output(&position))];
            for _ in 0..150 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                evaluator.push(&position.make(moves[random.random_range(0..moves.len())]));
                let asked = random.random_range(0..8) >= game;
                outputs.push(asked.then(|| evaluator.output(&position)));
                if asked {
                    let mut other = NetworkEvaluator::new(&network, &position);
                    assert_eq!(Some(&Some(other.output(&position))), outputs.last(), "{}", position.to_sfen());
                    let [black, white] = fresh(&network.transformer, shape.features, &position);
                    let sums =
                        COLORS.map(|side| evaluator.accumulators.sums(&network.transformer, &position, side).to_vec());
                    assert_eq!(sums, [black, white]);
                }
                if random.random_range(0..10) == 0 && !position.in_check() {
                    position.make_null();
                    let mut other = NetworkEvaluator::new(&network, &position);
                    assert_eq!(evaluator.output(&position), other.output(&position));
                    position.unmake_null();
                }
            }
            while position.moves_made() > 0 {
                outputs.pop();
                position.unmake();
                evaluator.pop();
                if let Some(&Some(output)) = outputs.last() {
                    assert_eq!(evaluator.output(&position), output);
                }
            }
            evaluator.reset(&Position::startpos());
            assert_eq!(Some(evaluator.output(&Position::startpos())), outputs[0]);
        }
    }
}

#[test]
fn a_file_is_read_as_it_was_written() {
    for shape in SMALL {
        let parameters = random_network(9, shape);
        let file = parameters.to_bytes();
        let (read, notes) = NetworkParameters::from_bytes(&file).unwrap();
        assert!(read == parameters, "{shape}");
        assert_eq!(notes, [""; 0]);
    }
}

#[test]
fn a_file_that_is_no_network_is_refused_and_an_odd_one_is_read() {
    let shape = SMALL[0];
    let file = random_network(9, shape).to_bytes();
    let error = |bytes: &[u8]| NetworkParameters::from_bytes(bytes).unwrap_err().to_string();
    assert_eq!(error(&[]), "it is cut off: it has only 0 bytes");
    assert!(error(b"no network at all").starts_with("it is no network file: its first word is"));
    let fits_none = |bytes: &[u8]| {
        let error = error(bytes);
        assert!(
            error.contains("fits no HalfKP or HalfKP_vm network; HalfKP 32x2-16-16 as its text says would have"),
            "{error}"
        );
    };
    fits_none(&file[..file.len() - 1]);
    fits_none(&[&file[..], &[0]].concat());
    assert!(error(&file[..40]).starts_with("it is cut off"));
    let mut odd = file.clone();
    odd[4] ^= 1;
    let (read, notes) = NetworkParameters::from_bytes(&odd).unwrap();
    assert_eq!((read.shape, notes.len()), (shape, 1));
    assert!(notes[0].starts_with("the network's file hash is 0x"), "{notes:?}");
    // A text in other words of another length.
    let text_end = 12 + shape.text().len();
    let renamed = [&file[..8], &4_u32.to_le_bytes(), b"mine", &file[text_end..]].concat();
    let (read, _) = NetworkParameters::from_bytes(&renamed).unwrap();
    assert_eq!(read.shape, shape);
}
