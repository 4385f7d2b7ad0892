use std::collections::HashSet;

use kiki_board::Position;
use kiki_tests::diagram::Diagram;
use kiki_tests::playout::{Dice, Manner, play};

use super::*;

const PROGRESS: ProgressWeights = ProgressWeights([-2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);

fn features(position: &Position) -> Vec<f32> {
    let mut features = vec![0.0; FEATURES];
    for_each_feature(position, &PROGRESS, |feature, value| features[feature] += value);
    features
}

/// The sum of a group.
fn sum(features: &[f32], group: FeatureGroup) -> f32 {
    features[group.features()].iter().sum()
}

#[test]
fn every_feature_has_a_name_of_its_own_and_a_group() {
    let names: HashSet<String> = (0..FEATURES).map(feature_name).collect();
    assert_eq!(names.len(), FEATURES);
    let mut covered = 0;
    for group in FeatureGroup::ALL {
        assert_eq!(group.features().start, covered);
        covered = group.features().end;
    }
    assert_eq!(covered, FEATURES);
}

#[test]
fn a_position_looks_the_same_turned_and_mirrored() {
    for seed in 0..4 {
        play(Position::startpos(), 120, &mut Dice::new(seed, Manner::Any), |position, _| {
            let expected = features(position);
            let diagram = Diagram::parse(&position.to_sfen());
            for other in [diagram.rotated(), diagram.mirrored()] {
                let other = Position::from_sfen(&other.to_sfen()).unwrap();
                assert_eq!(features(&other), expected, "{}", position.to_sfen());
            }
        });
    }
}

#[test]
fn the_first_position_has_its_pieces_and_nothing_else() {
    let features = features(&Position::startpos());
    assert_eq!(sum(&features, FeatureGroup::Constant), 1.0);
    assert_eq!(sum(&features, FeatureGroup::Ranks), 40.0);
    assert_eq!(sum(&features, FeatureGroup::Files), 40.0);
    assert_eq!(sum(&features, FeatureGroup::Hands), 0.0);
    assert_eq!(sum(&features, FeatureGroup::Pins), 0.0);
    // Two golds beside each king; five squares beside each.
    assert_eq!(sum(&features, FeatureGroup::KingPieces), 4.0);
    assert_eq!(sum(&features, FeatureGroup::KingEffects), 10.0);
    assert_eq!(sum(&features, FeatureGroup::ProgressElements), 0.0);
}

#[test]
fn each_group_sees_what_it_is_for() {
    // Black's silver is pinned by a lance, Black holds three pawns and a rook, and White's gold attacks a square beside the king twice covered.
    let position = Position::from_sfen("4k4/9/4l4/9/4S4/9/9/3g5/4K4 b R3P 1").unwrap();
    let features = features(&position);
    let value = |name: &str| features[(0..FEATURES).find(|&feature| feature_name(feature) == name).unwrap()];
    for name in [
        "own Silver on rank 5",
        "own Silver 0 files off",
        "enemy Lance on rank 7",
        "own hand 3 Pawn",
        "own hand 1 Rook",
        "own pinned Silver",
        "enemy Gold on rank 2",
        "own king beside a hostile Gold",
    ] {
        assert_eq!(value(name), 1.0, "{name}");
    }
    assert_eq!(value("enemy pinned Lance"), 0.0);
    assert_eq!(value("pieces in hand but pawns"), 0.1);
    assert_eq!(value("pawns in hand"), 3.0 / 8.0);
    // The gold on 6h attacks 6i (5h too): the king covers both once.
    assert_eq!(value("own king square attacked by +0"), 2.0);
    assert_eq!(value("own king square attacked by -1"), 3.0);
}

#[test]
fn progress_grows_from_the_first_position_to_an_endgame() {
    let of = |sfen: &str| PROGRESS.progress(&progress_elements(&Position::from_sfen(sfen).unwrap()));
    let first = of("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    let endgame = of("8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124");
    assert!(first < 0.2 && endgame > 0.6, "{first} {endgame}");
}
