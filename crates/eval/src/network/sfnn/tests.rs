use std::sync::Arc;

use kiki_board::{COLORS, Position};
use kiki_tests::networks::{RandomSfnn, sfnn_rows};

use super::*;
use crate::Evaluator as _;
use crate::network::features::{FeatureSet, all_active};
use crate::network::tests::check_random_games;
use crate::network::{Architecture, DEFAULT_FV_SCALE, LayerParameters, Network, NetworkEvaluator, NetworkFile};

/// A pseudo-random network whose transformer has the rows of these features.
fn random_sfnn(shape: SfnnShape, seed: u64, needed: impl IntoIterator<Item = u32>) -> NetworkFile {
    let SfnnShape { features, l1, h1, h2, shards, choice } = shape;
    let random = RandomSfnn {
        seed,
        features: features.count(),
        l1,
        h1,
        h2,
        seen: shards.map_or(l1, |Shards { common, shard, .. }| common + shard),
        has_progress: choice.progress > 1,
    };
    let mut weights = vec![0; l1 * features.count()];
    for feature in needed {
        weights[feature as usize * l1..][..l1].copy_from_slice(&random.row(feature as usize));
    }
    let progress = random.progress().map(|(bias, weights)| GameProgress { bias, weights });
    let stacks = (0..choice.stacks())
        .map(|stack| random.stack(stack).map(|(biases, weights)| LayerParameters { biases, weights }))
        .collect();
    NetworkFile::new(Architecture::Sfnn(shape), &random.biases(), &weights, progress, stacks)
}

/// The same for SFNN networks: the stack, output and value.
#[test]
fn outputs_of_stacks_are_those_of_an_independent_implementation() {
    let rows = sfnn_rows();
    assert_eq!(rows.len(), 270);
    for same in rows.chunk_by(|one, next| (one.name, one.seed) == (next.name, next.seed)) {
        let shape: SfnnShape = same[0].name.parse().unwrap();
        let positions: Vec<Position> = same.iter().map(|row| Position::from_sfen(row.sfen).unwrap()).collect();
        let views = positions.iter().flat_map(|position| COLORS.map(|side| (position, side)));
        let needed = views.flat_map(|(position, side)| all_active(position, shape.features, side));
        let network = Arc::new(Network::new(random_sfnn(shape, same[0].seed, needed), DEFAULT_FV_SCALE));
        let mut evaluator = NetworkEvaluator::new(&network, &Position::startpos());
        for (row, position) in same.iter().zip(&positions) {
            evaluator.reset(position);
            let found = (network.stack(position), evaluator.output(position), evaluator.evaluate(position));
            assert_eq!(found, (Some(row.stack), row.output, row.value), "{row:?}");
        }
    }
}

/// A complete pseudo-random network.
fn small(name: &str) -> NetworkFile {
    let shape: SfnnShape = name.parse().unwrap();
    random_sfnn(shape, 3, 0..shape.features.count() as u32)
}

/// Plays games with handicaps, and with kings near the centre.
#[test]
fn incremental_values_are_fresh_values_for_all_features() {
    let starts = [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "9/4k4/9/p1p1p1p1p/9/P1P1P1P1P/9/4K4/9 b RB2G2SNLrb2g2snl 1",
    ];
    let starts = starts.map(|sfen| Position::from_sfen(sfen).unwrap());
    for features in FeatureSet::ALL {
        let network = small(&format!("{}_64_7_8_k3k3_hand4", features.word()));
        check_random_games(Network::new(network, DEFAULT_FV_SCALE), &starts);
    }
}

#[test]
fn a_file_is_read_as_it_was_written() {
    for name in [
        "kp_64_7_8",
        "ka2_128_8_32_k3k3",
        "kp_64_15_32_hand4_k3k3",
        "ka2_64_7_32_progress4",
        "kp_192_15_32_c64_s64x2_k3k3",
    ] {
        let parameters = small(name);
        let file = parameters.to_bytes();
        let (read, notes) = NetworkFile::from_bytes(&file, None).unwrap();
        assert!(read == parameters, "{name}");
        assert_eq!(notes, [""; 0]);
        let named = name.parse().unwrap();
        assert!(NetworkFile::from_bytes(&file, Some(&named)).unwrap().0 == read, "{name}");
    }
}

/// A file with another text.
fn renamed(file: &[u8], text: &str) -> Vec<u8> {
    let length = u32::from_le_bytes(*file[8..].first_chunk().unwrap()) as usize;
    [&file[..8], &(text.len() as u32).to_le_bytes(), text.as_bytes(), &file[12 + length..]].concat()
}

#[test]
fn a_file_that_does_not_name_its_shape_is_read_by_the_lengths_of_its_parts() {
    for (name, text) in [
        ("kp_64_15_32_k3k3", ""),
        ("ka2_64_7_64_hand16", "ModelType=Mine;Network=SFNN-1536-V2{LayerStack=16}"),
        ("kp_64_15_32_hand4_k3k3", "Features=K+P[1710->64x2],Network=SFNN_KP_64_15_32_K3K3"),
        ("ka2_64_7_32_k9k9", "mine"),
        ("kp_64_7_24_progress4", "mine"),
        // As long as with 16 and without a shortcut.
        ("kp_64_15_40", ""),
    ] {
        let parameters = small(name);
        let (read, notes) = NetworkFile::from_bytes(&renamed(&parameters.to_bytes(), text), None).unwrap();
        assert!(read == parameters, "{name} is read as {}", read.architecture);
        let [note] = &notes[..] else { panic!("{notes:?}") };
        assert!(note.contains(&format!("it is SFNN_{name} by the lengths of its parts")), "{note}");
    }
}

#[test]
fn a_file_is_the_network_that_is_asked_for_or_refused() {
    let file = small("kp_64_15_32_k9k9").to_bytes();
    let read = |name: &str| NetworkFile::from_bytes(&file, Some(&name.parse().unwrap()));
    for name in ["SFNN_kp_64_15_32_k9k9", "SFNN_kp_64_15_32_k9k9z"] {
        assert_eq!(read(name).unwrap().0.architecture.to_string(), name);
    }
    for (name, error) in [
        (
            "SFNN_ka2_64_15_32_k9k9",
            "it is an SFNN network of K+P with L1 64, not the SFNN_ka2_64_15_32_k9k9 that was asked for",
        ),
        (
            "SFNN_kp_128_15_32_k9k9",
            "it is an SFNN network of K+P with L1 64, not the SFNN_kp_128_15_32_k9k9 that was asked for",
        ),
        (
            "SFNN_kp_64_15_32_k3k3",
            "it has 184680 bytes after its transformer, not the 20520 of the network SFNN_kp_64_15_32_k3k3 that was asked for",
        ),
        ("K+P 64x2-15-32", "it is an SFNN network, not the K+P 64x2-15-32 that was asked for"),
    ] {
        assert_eq!(read(name).unwrap_err().to_string(), error);
    }
}

#[test]
fn odd_hashes_are_told_and_an_underscore_before_a_list_is_skipped() {
    let parameters = small("kp_64_7_8_k3k3");
    let file = parameters.to_bytes();
    let text = u32::from_le_bytes(*file[8..].first_chunk().unwrap()) as usize;
    let stack = file.len() - "kp_64_7_8_k3k3".parse::<SfnnShape>().unwrap().stack_length();
    for (at, what) in [(4, "file"), (12 + text, "transformer"), (stack, "stack")] {
        let mut odd = file.clone();
        odd[at] ^= 1;
        let (read, notes) = NetworkFile::from_bytes(&odd, None).unwrap();
        assert!(read == parameters && notes.len() == 1, "{notes:?}");
        assert!(notes[0].starts_with(&format!("the network's {what} hash is 0x")), "{notes:?}");
    }
    let list = 16 + text;
    let marked = [&file[..list], b"_", &file[list..]].concat();
    assert!(NetworkFile::from_bytes(&marked, None).unwrap().0 == parameters);
}

#[test]
fn damaged_files_and_other_kinds_are_refused_in_one_line_that_names_them() {
    let parameters = small("kp_64_7_8_k3k3");
    let file = parameters.to_bytes();
    let text = u32::from_le_bytes(*file[8..].first_chunk().unwrap()) as usize;
    let list = 16 + text;
    let changed = |at: usize, byte: u8| {
        let mut file = file.clone();
        file[at] = byte;
        file
    };
    let head = |first: u32, text: &str| renamed(&[&first.to_le_bytes(), &file[4..]].concat(), text);
    let cases: [(Vec<u8>, &str); 16] = [
        (
            file[..file.len() - 1].to_vec(),
            "it has 7847 bytes after its transformer, not the 7848 of the network SFNN_kp_64_7_8_k3k3 that it says it is",
        ),
        ([&file[..], &[0]].concat(), "it has 7849 bytes after its transformer, not the 7848"),
        (
            renamed(&file[..file.len() - 1], ""),
            "it is an SFNN network of K+P with L1 64 that is cut off, damaged or of an unknown shape: 7847 bytes",
        ),
        (file[..list + 40].to_vec(), "it is a damaged SFNN network: the biases of its transformer are"),
        (file[..list + 19].to_vec(), "it is a damaged SFNN network: the biases of its transformer are"),
        (file[..20_000].to_vec(), "it is a damaged SFNN network: the weights of its transformer are"),
        (
            changed(list + 3, b'x'),
            "it is a damaged SFNN network: the biases of its transformer do not begin with COMPRESSED_LEB128",
        ),
        (changed(list + 17, 0xFF), "it is a damaged SFNN network: the weights of its transformer do not begin with"),
        (changed(list + 200, 0x80), "transformer fit no features"),
        (file[..10].to_vec(), "it is cut off: it has only 10 bytes"),
        (head(0x7AF3_2F17, ""), "it is a network of the form nn16"),
        (head(0x7AF3_2F20, ""), "it is a network for chess"),
        (
            head(0x7AF3_2F16, "Features=HalfKP(Friend)[41024->256x2],Network=AffineTransform[1<-32]"),
            "it is a network for chess",
        ),
        (
            head(0x7AF3_2F16, "Features=HalfKA_hm2(Friend)[73305->1536x2],PSQT=8"),
            "it is a network with values of pieces (PSQT)",
        ),
        (vec![0; 81 * 81 * 8], "it is a table of pieces and kings (KPP, KPPT or KKPT), and no network"),
        (vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0], "it is compressed (gzip): unpack it first"),
    ];
    for (file, expected) in cases {
        let error = NetworkFile::from_bytes(&file, None).unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}, not {expected}");
    }
}
