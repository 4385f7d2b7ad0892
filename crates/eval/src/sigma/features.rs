//! The features of a position and of its values, for a model of sigma. Most are 0.

use std::ops::Range;

use kiki_board::{ALL_KINDS, COLORS, Color, HAND_KINDS, PieceKind, Position, Sq, opponent};

use crate::Value;

/// Number of elements of the progress.
pub const PROGRESS_ELEMENTS: usize = 7;

/// The elements of the progress, each counted for both sides together.
pub const ELEMENT_NAMES: [&str; PROGRESS_ELEMENTS] = [
    "pieces in hand but pawns",
    "pawns in hand",
    "promoted pieces",
    "pieces in the enemy camp",
    "squares next to kings under attack",
    "golds and silvers away from their king",
    "ranks that pawns have advanced",
];

/// The divisor of each element, which makes it about 1 at the end of a game.
const SCALES: [f32; PROGRESS_ELEMENTS] = [10.0, 8.0, 8.0, 8.0, 16.0, 8.0, 20.0];

/// Distance in squares from which golds and silvers defend a king.
const GUARD_DISTANCE: usize = 2;

/// Weights of the progress of a game, which runs from 0 at the start to 1 at the end: the
/// constant's, then one for each element.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ProgressWeights(pub [f32; PROGRESS_ELEMENTS + 1]);

impl ProgressWeights {
    /// The progress of a position with these elements: the logistic function of their weighted sum.
    #[must_use]
    pub fn progress(&self, elements: &[f32; PROGRESS_ELEMENTS]) -> f32 {
        let sum: f32 = self.0[1..].iter().zip(elements).map(|(weight, element)| weight * element).sum();
        1.0 / (1.0 + (-(self.0[0] + sum)).exp())
    }
}

/// The elements of the progress of a position, each about 0 at the start of a game and 1 at the
/// end. They are the same for both sides.
#[must_use]
pub fn progress_elements(position: &Position) -> [f32; PROGRESS_ELEMENTS] {
    let mut counts = [0; PROGRESS_ELEMENTS];
    // Each side's two golds and two silvers, less the guards. Captured ones count as missing.
    counts[5] = 8;
    for color in COLORS {
        let hand = position.hand(color);
        for kind in HAND_KINDS {
            counts[usize::from(kind == PieceKind::Pawn)] += hand.count(kind);
        }
        counts[4] += (position.king_ring(color) & position.effects().attacked(opponent(color))).count() as usize;
        counts[5] -= guards(position, color).min(4);
        counts[6] += advanced_pawns(position, color);
    }
    for kind in ALL_KINDS {
        let pieces = position.pieces(kind);
        if kind.unpromote().is_some() {
            counts[2] += pieces.count() as usize;
        }
        if kind != PieceKind::King {
            for color in COLORS {
                let own = pieces & position.pieces_of(color);
                counts[3] += own.into_iter().filter(|&sq| relative_rank(sq, color) < 3).count();
            }
        }
    }
    std::array::from_fn(|element| counts[element] as f32 / SCALES[element])
}

fn guards(position: &Position, color: Color) -> usize {
    let king = position.king(color);
    let near = |sq: &Sq| sq.distance(king) <= GUARD_DISTANCE;
    let pieces = (position.pieces(PieceKind::Gold) | position.pieces(PieceKind::Silver)) & position.pieces_of(color);
    pieces.into_iter().filter(near).count()
}

fn advanced_pawns(position: &Position, color: Color) -> usize {
    let pawns = position.pieces(PieceKind::Pawn) & position.pieces_of(color);
    pawns.into_iter().map(|sq| 6usize.saturating_sub(relative_rank(sq, color))).sum()
}

/// The rank of a square as its owner counts: 0 is the farthest rank of the enemy camp.
fn relative_rank(sq: Sq, color: Color) -> usize {
    if color == Color::Black { sq.rank() } else { 8 - sq.rank() }
}

const KINDS: usize = ALL_KINDS.len();
const RANKS: usize = 9;
/// Files by their distance from the centre file: a mirrored position is as hard.
const FILES: usize = 5;
/// Counts of pieces in hand with features of their own, from 1. Higher counts share the last.
const HAND_COUNTS: usize = 8;
/// The greatest surplus of attackers or defenders; greater ones count as this.
const SURPLUS: i32 = 4;
const SURPLUSES: usize = 2 * SURPLUS as usize + 1;

/// A group of features. Features describe the position for the side to move; each side has its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeatureGroup {
    /// 1 everywhere.
    Constant,
    /// The progress of the game.
    Progress,
    /// The elements of the progress.
    ProgressElements,
    /// Pieces on the board by kind and rank, as their owner sees it.
    Ranks,
    /// Pieces on the board by kind and distance from the centre file.
    Files,
    /// Pieces in hand by kind and count.
    Hands,
    /// Pinned pieces by kind.
    Pins,
    /// Pieces next to each king by kind, own and enemy ones.
    KingPieces,
    /// Squares next to each king by the surplus of enemy effects over its own side's.
    KingEffects,
}

impl FeatureGroup {
    /// All of them, in the order of their features.
    pub const ALL: [Self; 9] = [
        Self::Constant,
        Self::Progress,
        Self::ProgressElements,
        Self::Ranks,
        Self::Files,
        Self::Hands,
        Self::Pins,
        Self::KingPieces,
        Self::KingEffects,
    ];

    /// The number of its features.
    const fn length(self) -> usize {
        match self {
            Self::Constant | Self::Progress => 1,
            Self::ProgressElements => PROGRESS_ELEMENTS,
            Self::Ranks => 2 * KINDS * RANKS,
            Self::Files => 2 * KINDS * FILES,
            Self::Hands => 2 * HAND_KINDS.len() * HAND_COUNTS,
            Self::Pins => 2 * KINDS,
            Self::KingPieces => 2 * 2 * KINDS,
            Self::KingEffects => 2 * SURPLUSES,
        }
    }

    const fn start(self) -> usize {
        let (mut start, mut group) = (0, 0);
        while Self::ALL[group] as usize != self as usize {
            start += Self::ALL[group].length();
            group += 1;
        }
        start
    }

    /// The indices of its features.
    #[must_use]
    pub const fn features(self) -> Range<usize> {
        self.start()..self.start() + self.length()
    }
}

/// Number of features.
pub const FEATURES: usize = FeatureGroup::KingEffects.features().end;

/// Calls `each` with index and value of each feature of a position that is not 0. A feature may
/// come several times: its value is the sum. The constant comes first.
#[inline(always)]
pub fn for_each_feature(position: &Position, progress: &ProgressWeights, mut each: impl FnMut(usize, f32)) {
    let elements = progress_elements(position);
    each(FeatureGroup::Constant.start(), 1.0);
    each(FeatureGroup::Progress.start(), progress.progress(&elements));
    for (index, &element) in elements.iter().enumerate() {
        each(FeatureGroup::ProgressElements.start() + index, element);
    }
    for (kind_index, kind) in ALL_KINDS.into_iter().enumerate() {
        let pieces = position.pieces(kind);
        for (side, color) in sides(position) {
            for sq in pieces & position.pieces_of(color) {
                let place = side * KINDS + kind_index;
                each(FeatureGroup::Ranks.start() + place * RANKS + relative_rank(sq, color), 1.0);
                each(FeatureGroup::Files.start() + place * FILES + sq.file().abs_diff(4), 1.0);
            }
        }
    }
    for (side, color) in sides(position) {
        for (kind_index, kind) in HAND_KINDS.into_iter().enumerate() {
            let count = position.hand(color).count(kind).min(HAND_COUNTS);
            if count > 0 {
                let place = (side * HAND_KINDS.len() + kind_index) * HAND_COUNTS;
                each(FeatureGroup::Hands.start() + place + count - 1, 1.0);
            }
        }
        for sq in position.pinned_of(color) {
            each(FeatureGroup::Pins.start() + side * KINDS + kind_at(position, sq), 1.0);
        }
        king_features(position, side, color, &mut each);
    }
}

#[inline(always)]
fn king_features(position: &Position, side: usize, color: Color, each: &mut impl FnMut(usize, f32)) {
    let ring = position.king_ring(color);
    for sq in ring & position.occupied() {
        let enemy = usize::from(position.cell(sq).color() != color);
        let place = (side * 2 + enemy) * KINDS + kind_at(position, sq);
        each(FeatureGroup::KingPieces.start() + place, 1.0);
    }
    let effects = position.effects();
    for sq in ring {
        let surplus = i32::from(effects.count(opponent(color), sq)) - i32::from(effects.count(color, sq));
        let place = (surplus.clamp(-SURPLUS, SURPLUS) + SURPLUS) as usize;
        each(FeatureGroup::KingEffects.start() + side * SURPLUSES + place, 1.0);
    }
}

/// The side to move, with number 0, and its opponent.
fn sides(position: &Position) -> [(usize, Color); 2] {
    let us = position.side_to_move();
    [(0, us), (1, opponent(us))]
}

/// The index in [`ALL_KINDS`] of the piece on a square.
fn kind_at(position: &Position, sq: Sq) -> usize {
    position.cell(sq).kind_index() - 1
}

/// Name of a feature.
///
/// # Panics
/// If the number is not below [`FEATURES`].
#[must_use]
pub fn feature_name(feature: usize) -> String {
    assert!(feature < FEATURES, "feature {feature} of {FEATURES}");
    let in_group = |group: &&FeatureGroup| group.features().contains(&feature);
    let Some(&group) = FeatureGroup::ALL.iter().find(in_group) else { unreachable!("groups hold every feature") };
    let index = feature - group.start();
    let side = |divisor: usize| ["own", "enemy"][index / divisor % 2];
    let kind = |divisor: usize| format!("{:?}", ALL_KINDS[index / divisor % KINDS]);
    match group {
        FeatureGroup::Constant => "constant".to_owned(),
        FeatureGroup::Progress => "progress".to_owned(),
        FeatureGroup::ProgressElements => ELEMENT_NAMES[index].to_owned(),
        FeatureGroup::Ranks => format!("{} {} on rank {}", side(KINDS * RANKS), kind(RANKS), index % RANKS + 1),
        FeatureGroup::Files => format!("{} {} {} files off", side(KINDS * FILES), kind(FILES), index % FILES),
        FeatureGroup::Hands => {
            let piece = HAND_KINDS[index / HAND_COUNTS % HAND_KINDS.len()];
            format!("{} hand {} {piece:?}", side(HAND_KINDS.len() * HAND_COUNTS), index % HAND_COUNTS + 1)
        }
        FeatureGroup::Pins => format!("{} pinned {}", side(KINDS), kind(1)),
        FeatureGroup::KingPieces => {
            let owner = ["its own", "a hostile"][index / KINDS % 2];
            format!("{} king beside {owner} {}", side(2 * KINDS), kind(1))
        }
        FeatureGroup::KingEffects => {
            let surplus = (index % SURPLUSES) as i32 - SURPLUS;
            format!("{} king square attacked by {surplus:+}", side(SURPLUSES))
        }
    }
}

/// Number of features of a pair of values.
pub const VALUE_FEATURES: usize = 3;

/// Names of these features.
pub const VALUE_FEATURE_NAMES: [&str; VALUE_FEATURES] =
    ["distance of the shallow value from the static one", "its square", "distance of the shallow value from 0"];

/// Greater distances count as this, in centipawns.
const GREATEST_DISTANCE: Value = 1500;
const GREATEST_VALUE: Value = 2000;

/// The features of a position's static value and of a shallow search's value, each about 1 where
/// the value is surprising. If the two are far apart, a deeper search may refute exchanges and
/// threats that the shallow one saw.
#[must_use]
pub fn value_features(static_value: Value, shallow: Value) -> [f32; VALUE_FEATURES] {
    let distance = (shallow - static_value).abs().min(GREATEST_DISTANCE) as f32 / 500.0;
    [distance, distance * distance, shallow.abs().min(GREATEST_VALUE) as f32 / 1000.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    use kiki_tests::diagram::Diagram;
    use kiki_tests::playout::{Dice, Manner, play};

    #[test]
    fn surprising_values_have_great_features_up_to_a_limit() {
        assert_eq!(value_features(100, 100), [0.0, 0.0, 0.1]);
        assert_eq!(value_features(-250, 250), [1.0, 1.0, 0.25]);
        assert_eq!(value_features(0, 30_000), value_features(0, -2000));
    }

    const PROGRESS: ProgressWeights = ProgressWeights([-2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);

    fn features(position: &Position) -> Vec<f32> {
        let mut features = vec![0.0; FEATURES];
        for_each_feature(position, &PROGRESS, |feature, value| features[feature] += value);
        features
    }

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
        // Black's silver is pinned by a lance, Black holds three pawns and a rook, and White's gold
        // attacks a square beside the king twice covered.
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
}
