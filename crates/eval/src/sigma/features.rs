//! What a position looks like to a model of sigma: a number for each of many features, most of them 0.

use std::ops::Range;

use kiki_board::{ALL_KINDS, Color, HAND_KINDS, Position, Sq, opponent};

use super::progress::{ELEMENT_NAMES, PROGRESS_ELEMENTS, ProgressWeights, progress_elements, relative_rank};

const KINDS: usize = ALL_KINDS.len();
const RANKS: usize = 9;
/// Files by their distance from the middle one: a mirrored position is as hard.
const FILES: usize = 5;
/// Counts of pieces in hand that are told apart, from 1 on; more count as the last.
const HAND_COUNTS: usize = 8;
/// By how much attackers may outnumber defenders, or the reverse, until it makes no difference any more.
const SURPLUS: i32 = 4;
const SURPLUSES: usize = 2 * SURPLUS as usize + 1;

/// A kind of features. Each describes the position from the view of the side to move: what is said of one side is said of the other by a
/// feature of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeatureGroup {
    /// 1 everywhere.
    Constant,
    /// The progress of the game.
    Progress,
    /// What the progress is made of.
    ProgressElements,
    /// Pieces on the board by kind and rank, seen from their owner.
    Ranks,
    /// Pieces on the board by kind and distance from the middle file.
    Files,
    /// Pieces in hand by kind and count.
    Hands,
    /// Pinned pieces by kind.
    Pins,
    /// Pieces next to each king by kind, its own and the enemy's.
    KingPieces,
    /// Squares next to each king by how much the enemy's effects outnumber its own side's.
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

    const fn len(self) -> usize {
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
        let (mut start, mut index) = (0, 0);
        while Self::ALL[index] as usize != self as usize {
            start += Self::ALL[index].len();
            index += 1;
        }
        start
    }

    /// The numbers of its features.
    #[must_use]
    pub const fn features(self) -> Range<usize> {
        self.start()..self.start() + self.len()
    }
}

/// How many features there are.
pub const FEATURES: usize = FeatureGroup::KingEffects.start() + FeatureGroup::KingEffects.len();

/// Calls `each` with the number and the value of each feature of a position that is not 0; a feature may come several times, and its value is
/// the sum then. The constant comes first.
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

/// The side to move, number 0, and its opponent.
fn sides(position: &Position) -> [(usize, Color); 2] {
    let us = position.side_to_move();
    [(0, us), (1, opponent(us))]
}

/// The place among [`ALL_KINDS`] of the kind of the piece on a square.
fn kind_at(position: &Position, sq: Sq) -> usize {
    position.cell(sq).kind_index() - 1
}

/// What a feature says, in words.
///
/// # Panics
/// For a number that no feature has.
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

#[cfg(test)]
mod tests;
