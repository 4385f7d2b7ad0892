//! Features: every pair of the own king's square and another piece, seen from each side; and the differences between two positions.
//!
//! A feature is `1548 * king + piece`. In a side's view the board is turned so that this side moves up, and its own pieces are "friends".

use kiki_board::{ByColor, ByKind, COLORS, Cell, Color, HAND_KINDS, HandCounts, PieceKind, Position, Sq};
use wide::u8x32;

/// One more than the greatest piece index.
pub(super) const PIECES: usize = 1548;

/// Which features a network sees.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FeatureSet {
    /// King and piece.
    HalfKp,
    /// The same, with files mirrored so that the own king stands on the files 1 to 5.
    HalfKpVm,
}

impl FeatureSet {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::HalfKp, Self::HalfKpVm];
    /// The number of features that are set for each side, in every position.
    pub const ACTIVE: usize = 38;
    /// Number of piece indices: a feature is this times the king's square plus the piece.
    pub const PIECES: usize = PIECES;

    /// The name in a network file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::HalfKp => "HalfKP",
            Self::HalfKpVm => "HalfKP_vm",
        }
    }

    /// The number of features of a side.
    #[must_use]
    pub fn count(self) -> usize {
        self.king_squares() * PIECES
    }

    /// The number of king squares that have features of their own.
    #[must_use]
    pub fn king_squares(self) -> usize {
        match self {
            Self::HalfKp => 81,
            Self::HalfKpVm => 45,
        }
    }

    /// The features that are set, as `side` sees the position; missing pieces last.
    #[must_use]
    pub fn active(self, side: Color, position: &PiecePlacement<'_>) -> [u32; Self::ACTIVE] {
        let king = self.king_bucket(side, position.kings[side]);
        let mut features = [king.feature(PieceIndex::MISSING); Self::ACTIVE];
        let mut slots = features.iter_mut();
        // No position has more pieces than a set.
        let mut set = |piece: PieceIndex| slots.next().into_iter().for_each(|slot| *slot = king.feature(piece));
        for sq in Sq::all() {
            let cell = position.cells[sq.index()];
            if !cell.is_empty() && !cell.is_kind(PieceKind::King) {
                set(PieceIndex::on_board(side, cell, sq));
            }
        }
        for color in COLORS {
            for kind in HAND_KINDS {
                (0..position.hands[color].count(kind)).for_each(|n| set(PieceIndex::in_hand(side, color, kind, n)));
            }
        }
        features
    }

    pub(super) fn hash(self) -> u32 {
        match self {
            Self::HalfKp => 0x5D69_D5B8,
            Self::HalfKpVm => 0x0B6B_1D9A,
        }
    }

    /// Where a king stands in its own side's view, and whether that view is mirrored. A missing king, as in problems, counts as standing in
    /// the middle: networks know no boards without a king.
    pub(super) fn king_bucket(self, color: Color, king: Sq) -> KingBucket {
        let sq = seen_by(color, if king == Sq::NONE { Sq::at(4, 4) } else { king });
        match self {
            Self::HalfKpVm if sq >= 45 => KingBucket { sq: mirrored(sq), mirrored: true },
            _ => KingBucket { sq, mirrored: false },
        }
    }
}

/// The placement of all pieces: all that features depend on.
#[derive(Clone, Copy, Debug)]
pub struct PiecePlacement<'a> {
    /// The contents of the squares, by [`Sq::index`].
    pub cells: &'a [Cell; 81],
    /// The squares of the kings.
    pub kings: ByColor<Sq>,
    /// The pieces in hand.
    pub hands: ByColor<HandCounts>,
}

/// The data that determine all features of a side: its king's square, and whether files are mirrored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KingBucket {
    sq: usize,
    mirrored: bool,
}

impl KingBucket {
    /// One more than the greatest [`KingBucket::index`].
    pub(super) const COUNT: usize = 2 * Sq::COUNT;

    /// A number of its own for each square and mirroring.
    pub(super) fn index(self) -> usize {
        self.sq + if self.mirrored { Sq::COUNT } else { 0 }
    }

    /// The feature of this king and a piece.
    #[inline(always)]
    pub(super) fn feature(self, piece: PieceIndex) -> u32 {
        let piece = usize::from(piece.0);
        let piece = if self.mirrored { usize::from(MIRRORED[piece]) } else { piece };
        (self.sq * PIECES + piece) as u32
    }
}

/// A piece on a square or in hand as a side sees it: 0 for a piece that is not there at all.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct PieceIndex(u16);

impl PieceIndex {
    /// A piece that is missing, as in handicap games.
    pub(super) const MISSING: Self = Self(0);

    /// A piece on the board other than a king.
    #[inline(always)]
    pub(super) fn on_board(side: Color, cell: Cell, sq: Sq) -> Self {
        let enemy = cell.color() != side;
        Self(ON_BOARD[cell] + if enemy { 81 } else { 0 } + seen_by(side, sq) as u16)
    }

    /// The `n`-th piece of a kind in a hand, counted from 0.
    #[inline(always)]
    pub(super) fn in_hand(side: Color, owner: Color, kind: PieceKind, n: usize) -> Self {
        let base = if owner == side { OWN_HAND } else { ENEMY_HAND };
        Self(base[kind] + n as u16)
    }
}

/// A square as a side sees it.
#[inline(always)]
fn seen_by(side: Color, sq: Sq) -> usize {
    match side {
        Color::Black => sq.index(),
        Color::White => 80 - sq.index(),
    }
}

const fn mirrored(sq: usize) -> usize {
    (8 - sq / 9) * 9 + sq % 9
}

/// The first index of a kind on the board: friends first, then enemies.
const ON_BOARD: ByKind<u16> = {
    const GOLD: u16 = 738;
    //                P   L    N    S    G     B    R     K  +P    +L    +N    +S    +B    +R
    ByKind::new(0, [90, 252, 414, 576, GOLD, 900, 1224, 0, GOLD, GOLD, GOLD, GOLD, 1062, 1386])
};
/// The first index of a kind in a hand.
const OWN_HAND: ByKind<u16> = ByKind::new(0, [1, 39, 49, 59, 69, 79, 85, 0, 0, 0, 0, 0, 0, 0]);
const ENEMY_HAND: ByKind<u16> = ByKind::new(0, [20, 44, 54, 64, 74, 82, 88, 0, 0, 0, 0, 0, 0, 0]);
/// The first index of a piece on the board.
const FIRST_ON_BOARD: usize = 90;

/// By piece index: the same piece with files mirrored.
static MIRRORED: [u16; PIECES] = {
    let mut table = [0; PIECES];
    let mut piece = 0;
    while piece < PIECES {
        table[piece] = if piece < FIRST_ON_BOARD {
            piece as u16
        } else {
            let sq = (piece - FIRST_ON_BOARD) % 81;
            (piece - sq + mirrored(sq)) as u16
        };
        piece += 1;
    }
    table
};

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

    /// Takes over the pieces of `position`, and lists the features that this changes for `side` with its king in a bucket.
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
        // Pieces neither on the board nor in a hand are missing.
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
    use kiki_board::Position;

    use super::*;

    const SFENS: [&str; 4] = [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "l4k2l/7g1/p3rpn1p/2p3pB1/4s4/1Ps1pSP2/P4P1RP/2GS5/LN1K3NL b G3Pbgn4p 75",
        "4k4/9/9/9/9/9/9/9/K8 w R2p 1",
        "lnsgkgsnl/1r5b1/pppppp+Ppp/9/9/9/PPPPPPP1P/1B5R1/LNSGKGSNL w - 1",
    ];

    /// The features that a side sees, in ascending order.
    fn active(position: &Position, set: FeatureSet, side: Color) -> [u32; FeatureSet::ACTIVE] {
        let kings = ByColor::from_fn(|color| position.king(color));
        let hands = ByColor::from_fn(|color| position.hand(color));
        let mut active = set.active(side, &PiecePlacement { cells: position.cells(), kings, hands });
        active.sort_unstable();
        active
    }

    #[test]
    fn a_missing_king_has_a_bucket_too() {
        for set in [FeatureSet::HalfKp, FeatureSet::HalfKpVm] {
            for color in [Color::Black, Color::White] {
                assert_eq!(set.king_bucket(color, Sq::NONE), set.king_bucket(color, Sq::at(4, 4)));
            }
        }
    }

    #[test]
    fn both_sides_see_the_same_at_the_start() {
        let [black, white] = COLORS.map(|side| active(&Position::startpos(), FeatureSet::HalfKp, side));
        assert_eq!(black, white);
        // The king stands on 5i, the own lance on 1i.
        assert!(black.contains(&(44 * 1548 + 252 + 8)));
    }

    #[test]
    fn missing_pieces_are_counted() {
        let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b R2p 1").unwrap();
        let white = active(&position, FeatureSet::HalfKp, Color::White);
        let mut expected = [44 * 1548; FeatureSet::ACTIVE];
        expected[35..].copy_from_slice(&[1, 2, 88].map(|piece| 44 * 1548 + piece));
        assert_eq!(white, expected);
    }

    #[test]
    fn a_king_on_the_left_is_mirrored_with_its_pieces_but_not_with_its_hand() {
        let king = FeatureSet::HalfKpVm.king_bucket(Color::Black, Sq::at(8, 8));
        assert_eq!(king, KingBucket { sq: 8, mirrored: true });
        let pawn = PieceIndex(90 + 81 + 80);
        assert_eq!(king.feature(pawn), 8 * 1548 + 90 + 81 + 8);
        assert_eq!(king.feature(PieceIndex(88)), 8 * 1548 + 88);
        assert_eq!(
            FeatureSet::HalfKpVm.king_bucket(Color::Black, Sq::at(4, 8)),
            KingBucket { sq: 44, mirrored: false }
        );
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
                assert_eq!(features, active(second, set, side));
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
