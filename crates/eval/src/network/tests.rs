use kiki_board::{Move, PieceKind};
use kiki_tests::networks::{network_rows, random_network};
use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::accumulators::fresh;
use super::*;

fn random_parameters(seed: u64, shape: Shape) -> NetworkFile {
    let Shape { features, l1, h1, h2 } = shape;
    let network = random_network(seed, features.count(), [l1, h1, h2]);
    let stacks = vec![network.layers.map(|(biases, weights)| LayerParameters { biases, weights })];
    let [biases, weights] = [&network.transformer_biases, &network.transformer_weights];
    NetworkFile::new(Architecture::Classic(shape), biases, weights, None, stacks)
}

/// Positions, outputs and values that an independent implementation gives for pseudo-random
/// networks.
#[test]
fn outputs_are_those_of_an_independent_implementation() {
    let rows = network_rows();
    assert!(rows.len() > 180);
    for same in rows.chunk_by(|one, next| one.seed == next.seed) {
        let features = if same[0].features == "halfkp" { FeatureSet::HalfKp } else { FeatureSet::HalfKpVm };
        let [l1, h1, h2] = same[0].shape;
        let parameters = random_parameters(same[0].seed, Shape { features, l1, h1, h2 });
        let network = Arc::new(Network::new(parameters, DEFAULT_FV_SCALE));
        let mut evaluator = NetworkEvaluator::new(&network, &Position::startpos());
        for row in same {
            let position = Position::from_sfen(row.sfen).unwrap();
            evaluator.reset(&position);
            assert_eq!(
                (evaluator.output(&position), evaluator.evaluate(&position)),
                (row.output, row.value),
                "{row:?}"
            );
        }
    }
}

const SMALL: [Shape; 3] = [
    Shape { features: FeatureSet::HalfKp, l1: 32, h1: 16, h2: 16 },
    Shape { features: FeatureSet::HalfKpVm, l1: 40, h1: 8, h2: 32 },
    Shape { features: FeatureSet::HalfKp, l1: 7, h1: 3, h2: 5 },
];

/// With VNNI, if the processor has it, and without.
fn with_and_without_vnni(network: Network) -> Vec<Arc<Network>> {
    #[cfg(target_arch = "x86_64")]
    {
        let mut without = network.clone();
        without.stacks.iter_mut().for_each(|stack| stack.has_vnni = false);
        vec![Arc::new(network), Arc::new(without)]
    }
    #[cfg(not(target_arch = "x86_64"))]
    vec![Arc::new(network)]
}

/// A network of random numbers: those of the transformer up to `greatest`, the biases of layers
/// moderate, or extreme if `wild`.
fn random_numbers(name: &str, greatest: i16, wild: bool, random: &mut StdRng) -> NetworkFile {
    let architecture: Architecture = name.parse().unwrap();
    let (features, l1) = architecture.transformer();
    let mut words = |count| -> Vec<i16> { (0..count).map(|_| random.random_range(-greatest..=greatest)).collect() };
    let (biases, weights) = (words(l1), words(l1 * features.count()));
    let mut layer = |(inputs, outputs): (usize, usize)| {
        let extremes = [i32::MIN, i32::MAX];
        let mut bias = || if wild { extremes[random.random_range(0..2)] } else { random.random_range(-9000..9000) };
        let biases = (0..outputs).map(|_| bias()).collect();
        LayerParameters { biases, weights: (0..inputs * outputs).map(|_| random.random_range(-128..=127)).collect() }
    };
    let stacks = (0..architecture.stacks()).map(|_| architecture.layers().map(&mut layer)).collect();
    NetworkFile::new(architecture, &biases, &weights, None, stacks)
}

#[test]
fn outputs_of_every_size_are_those_of_the_definition_even_where_sums_wrap_around() {
    let mut random = StdRng::seed_from_u64(4);
    for name in [
        "K+P 256x2-32-32",
        "K+P 32x2-16-16",
        "K+P 1024x2-8-64",
        "K+P 64x2-64-8",
        "K+P 32x2-30-1",
        "K+P 40x2-5-3",
        "K+P 64x2-40-33",
        "K+P 7x2-3-5",
        "K+P 32x2-1-1",
        "K+P 96x2-12-64",
        "kp_64_7_1_hand4",
        "kp_64_8_64",
        "kp_128_15_32_hand4",
        "kp_64_16_33",
        "kp_64_23_5_hand4",
        "kp_64_31_32",
        "kp_128_40_16_hand4",
        "kp_64_63_8",
    ] {
        for (greatest, wild) in [(40, false), (40, true), (2_000, false), (i16::MAX, false), (i16::MAX, true)] {
            let file = random_numbers(name, greatest, wild, &mut random);
            let networks = with_and_without_vnni(Network::new(file.clone(), DEFAULT_FV_SCALE));
            for row in network_rows().iter().step_by(16) {
                let position = Position::from_sfen(row.sfen).unwrap();
                let expected = file.activations(&position);
                for network in &networks {
                    assert_eq!(network.stack(&position).unwrap_or(0), expected.stack);
                    let output = NetworkEvaluator::new(network, &position).output(&position);
                    assert_eq!(output, expected.output, "{name}, {greatest}, {wild}: {}", row.sfen);
                }
            }
        }
    }
}

#[test]
fn incremental_values_are_fresh_values_after_every_make_and_unmake() {
    for (seed, shape) in SMALL.into_iter().enumerate() {
        let network = Network::new(random_parameters(seed as u64, shape), 16);
        check_random_games(network, &[Position::startpos()]);
    }
}

/// Plays random games from positions, with null moves, and skips some evaluations.
pub(super) fn check_random_games(network: Network, starts: &[Position]) {
    let mut random = StdRng::seed_from_u64(5);
    let network = Arc::new(network);
    for game in 0..8 {
        let start = &starts[game % starts.len()];
        let mut position = start.clone();
        let mut evaluator = NetworkEvaluator::new(&network, &position);
        let mut outputs = vec![Some(evaluator.output(&position))];
        for _ in 0..150 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            // Kings move more often than by chance.
            let is_of_king = |mv: &&Move| !mv.is_drop() && position.cell(mv.from()).is_kind(PieceKind::King);
            let of_king: Vec<&Move> = moves.iter().filter(is_of_king).collect();
            let mv = match of_king.get(random.random_range(0..3 * of_king.len().max(1))) {
                Some(&&mv) => mv,
                None => moves[random.random_range(0..moves.len())],
            };
            evaluator.push(&position.make(mv));
            if random.random() {
                evaluator.prepare(&position);
            }
            let asked = random.random_range(0..8) >= game;
            outputs.push(asked.then(|| evaluator.output(&position)));
            if asked {
                let mut other = NetworkEvaluator::new(&network, &position);
                assert_eq!(Some(&Some(other.output(&position))), outputs.last(), "{}", position.to_sfen());
                let sums = evaluator.accumulators.sums(&network.transformer, &position);
                assert_eq!(sums.map(<[_]>::to_vec), fresh(&network.transformer, network.features(), &position));
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
        evaluator.reset(start);
        assert_eq!(Some(evaluator.output(start)), outputs[0]);
    }
}

#[test]
fn a_file_is_read_as_it_was_written() {
    for shape in SMALL {
        let parameters = random_parameters(9, shape);
        let file = parameters.to_bytes();
        let (read, notes) = NetworkFile::from_bytes(&file, None).unwrap();
        assert_eq!(notes, [""; 0]);
        let (packed, notes) = NetworkFile::from_bytes(&parameters.to_leb128(), None).unwrap();
        assert_eq!(notes, [""; 0]);
        assert!(read == parameters && packed == read, "{shape}");
    }
}

#[test]
fn a_file_that_is_no_network_is_refused_and_an_odd_one_is_read() {
    let shape = SMALL[0];
    let file = random_parameters(9, shape).to_bytes();
    let error = |bytes: &[u8]| NetworkFile::from_bytes(bytes, None).unwrap_err().to_string();
    assert_eq!(error(&[]), "it is cut off: it has only 0 bytes");
    assert!(error(b"no network at all").starts_with("it is no network file: its first word is"));
    let fits_none = |bytes: &[u8]| {
        let error = error(bytes);
        assert!(error.contains("bytes of the network HalfKP 32x2-16-16 that it says it is"), "{error}");
    };
    fits_none(&file[..file.len() - 1]);
    fits_none(&[&file[..], &[0]].concat());
    assert!(error(&file[..40]).starts_with("it is cut off"));
    let mut odd = file.clone();
    odd[4] ^= 1;
    let (read, notes) = NetworkFile::from_bytes(&odd, None).unwrap();
    assert_eq!((read.architecture, notes.len()), (Architecture::Classic(shape), 1));
    assert!(notes[0].starts_with("the network's file hash is 0x"), "{notes:?}");
    // A text in other words of another length.
    let text_end = 12 + shape.text().len();
    let renamed = [&file[..8], &4_u32.to_le_bytes(), b"mine", &file[text_end..]].concat();
    let (read, _) = NetworkFile::from_bytes(&renamed, None).unwrap();
    assert_eq!(read.architecture, Architecture::Classic(shape));
}
