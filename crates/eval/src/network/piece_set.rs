//! The pieces of a position, and in what two positions differ.

use kiki_board::{ByColor, COLORS, Cell, Color, HAND_KINDS, HandCounts, PieceKind, Position, Sq};
use wide::u8x32;

use super::features::{FeatureSet, KingBucket, PieceIndex};

/// The pieces of a position.
#[derive(Clone, Copy)]
pub(super) struct PieceSet {
    /// By [`Sq::index`].
    cells: [Cell; Sq::COUNT],
    hands: ByColor<HandCounts>,
}

/// Features that a side has gained and lost.
#[derive(Clone, Default, Debug)]
pub(super) struct FeatureChanges {
    pub(super) added: Vec<u32>,
    pub(super) removed: Vec<u32>,
}

impl PieceSet {
    /// No piece at all.
    pub(super) const EMPTY: Self =
        Self { cells: [Cell::EMPTY; Sq::COUNT], hands: ByColor::new(HandCounts::NONE, HandCounts::NONE) };

    /// The features of [`PieceSet::EMPTY`]: all pieces are missing.
    pub(super) fn features_of_empty(king: KingBucket) -> [u32; FeatureSet::ACTIVE] {
        [king.feature(PieceIndex::MISSING); _]
    }

    /// Takes over the pieces of `position`, and tells what that changes for `side` with its king in a bucket.
    pub(super) fn change_to(
        &mut self,
        position: &Position,
        side: Color,
        king: KingBucket,
        changes: &mut FeatureChanges,
    ) {
        let FeatureChanges { added, removed } = changes;
        added.clear();
        removed.clear();
        let cells = position.cells();
        let mut squares = unequal(&self.cells, cells);
        while squares != 0 {
            let sq = Sq::new(squares.trailing_zeros() as usize);
            squares &= squares - 1;
            for (list, cell) in [(&mut *removed, self.cells[sq.index()]), (&mut *added, cells[sq.index()])] {
                if !cell.is_empty() && !cell.is_kind(PieceKind::King) {
                    list.push(king.feature(PieceIndex::on_board(side, cell, sq)));
                }
            }
        }
        self.cells = *cells;
        for owner in COLORS {
            let (before, now) = (self.hands[owner], position.hand(owner));
            if before == now {
                continue;
            }
            for kind in HAND_KINDS {
                let (before, now) = (before.count(kind), now.count(kind));
                if before == now {
                    continue;
                }
                let feature = |n| king.feature(PieceIndex::in_hand(side, owner, kind, n));
                added.extend((before..now).map(feature));
                removed.extend((now..before).map(feature));
            }
            self.hands[owner] = now;
        }
        // What is neither on the board nor in a hand is missing.
        let missing = king.feature(PieceIndex::MISSING);
        match added.len().checked_sub(removed.len()) {
            Some(fewer) => removed.extend(std::iter::repeat_n(missing, fewer)),
            None => added.resize(removed.len(), missing),
        }
    }
}

/// One bit for each square whose contents differ.
#[inline(always)]
fn unequal(one: &[Cell; Sq::COUNT], other: &[Cell; Sq::COUNT]) -> u128 {
    // The last vector overlaps the one before it.
    [0, 32, Sq::COUNT - 32].into_iter().fold(0, |squares, start| {
        let [one, other] = [one, other].map(|cells| {
            let (bytes, _) = bytemuck::cast_slice::<Cell, u8>(&cells[start..]).as_chunks::<32>();
            u8x32::new(bytes[0])
        });
        squares | u128::from(!one.simd_eq(other).to_bitmask()) << start
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::features::PiecePlacement;

    const SFENS: [&str; 4] = [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "l4k2l/7g1/p3rpn1p/2p3pB1/4s4/1Ps1pSP2/P4P1RP/2GS5/LN1K3NL b G3Pbgn4p 75",
        "4k4/9/9/9/9/9/9/9/K8 w R2p 1",
        "lnsgkgsnl/1r5b1/pppppp+Ppp/9/9/9/PPPPPPP1P/1B5R1/LNSGKGSNL w - 1",
    ];

    fn active(position: &Position, set: FeatureSet, side: Color) -> [u32; FeatureSet::ACTIVE] {
        let kings = ByColor::from_fn(|color| position.king(color));
        let hands = ByColor::from_fn(|color| position.hand(color));
        set.active(side, &PiecePlacement { cells: position.cells(), kings, hands })
    }

    #[test]
    fn changes_lead_from_the_features_of_one_position_to_those_of_another() {
        let positions = SFENS.map(|sfen| Position::from_sfen(sfen).unwrap());
        for (set, side) in FeatureSet::ALL.into_iter().flat_map(|set| COLORS.map(|side| (set, side))) {
            for (first, second) in
                positions.iter().flat_map(|first| positions.iter().map(move |second| (first, second)))
            {
                let mut pieces = PieceSet::EMPTY;
                // The bucket of one king for both, as if it had not moved.
                let king = set.king_bucket(side, second.king(side));
                let mut features = PieceSet::features_of_empty(king).to_vec();
                let mut changes = FeatureChanges::default();
                for position in [first, second] {
                    pieces.change_to(position, side, king, &mut changes);
                    for feature in &changes.removed {
                        let at = features.iter().position(|other| other == feature).expect("a feature that was there");
                        features.swap_remove(at);
                    }
                    features.extend(&changes.added);
                }
                features.sort_unstable();
                let mut expected = active(second, set, side);
                expected.sort_unstable();
                assert_eq!(features, expected);
            }
        }
    }

    #[test]
    fn the_last_squares_of_the_board_are_compared() {
        let (empty, mut cells) = ([Cell::EMPTY; Sq::COUNT], [Cell::EMPTY; Sq::COUNT]);
        for sq in [0, 31, 32, 48, 49, 63, 64, 80] {
            cells[sq] = Cell::new(PieceKind::Pawn, Color::White);
            assert_eq!(unequal(&empty, &cells), 1 << sq);
            cells[sq] = Cell::EMPTY;
        }
    }
}
