//! Features: every pair of the own king's square and another piece, seen from each side.
//!
//! A feature is `1548 * king + piece`. In a side's view the board is turned so that this side moves up, and its own pieces are "friends".

use kiki_board::{ByColor, ByKind, COLORS, Cell, Color, HAND_KINDS, HandCounts, PieceKind, Position, Sq};

/// One more than the greatest piece index.
pub(super) const PIECES: usize = 1548;
/// All pieces but the kings.
const FULL_SET: usize = FeatureSet::ACTIVE;

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
    /// The number of features of a side that are set in any position.
    pub const ACTIVE: usize = 38;
    /// What a piece can be: a feature is this times the king's square plus the piece.
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

    /// The number of squares that a king is told apart by.
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
        let mut features = [king.feature(PieceIndex::MISSING) as u32; Self::ACTIVE];
        let mut slots = features.iter_mut();
        // No position has more pieces than a set.
        let mut set = |piece: PieceIndex| slots.next().into_iter().for_each(|slot| *slot = king.feature(piece) as u32);
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

    /// Where a king stands in its own side's view, and whether that view is mirrored.
    pub(super) fn king_bucket(self, color: Color, king: Sq) -> KingBucket {
        let sq = seen_by(color, king);
        match self {
            Self::HalfKpVm if sq >= 45 => KingBucket { sq: mirrored(sq), mirrored: true },
            _ => KingBucket { sq, mirrored: false },
        }
    }
}

/// What stands where: all that features depend on.
#[derive(Clone, Copy, Debug)]
pub struct PiecePlacement<'a> {
    /// The contents of the squares, by [`Sq::index`].
    pub cells: &'a [Cell; 81],
    /// The squares of the kings.
    pub kings: ByColor<Sq>,
    /// The pieces in hand.
    pub hands: ByColor<HandCounts>,
}

/// What decides about all features of a side: its king's square, and whether files are mirrored.
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
    pub(super) fn feature(self, piece: PieceIndex) -> usize {
        let piece = usize::from(piece.0);
        let piece = if self.mirrored { usize::from(MIRRORED[piece]) } else { piece };
        self.sq * PIECES + piece
    }
}

/// A piece on a square or in hand as a side sees it: 0 for a piece that is not there at all.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct PieceIndex(u16);

impl PieceIndex {
    /// A piece that is missing, as in handicap games.
    pub(super) const MISSING: Self = Self(0);

    /// A piece on the board that is no king.
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

/// The pieces of a position as a side sees them, kings left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PieceSet {
    /// One bit for each piece index.
    words: [u64; PIECES.div_ceil(64)],
    /// How many pieces of a full set are not there.
    missing: usize,
}

impl PieceSet {
    /// Nothing, not even missing pieces.
    pub(super) const EMPTY: Self = Self { words: [0; PIECES.div_ceil(64)], missing: 0 };

    /// The pieces of a position.
    pub(super) fn new(position: &Position, side: Color) -> Self {
        let mut set = Self { missing: FULL_SET, ..Self::EMPTY };
        for color in COLORS {
            for sq in position.pieces_of(color) {
                let cell = position.cell(sq);
                if !cell.is_kind(PieceKind::King) {
                    set.insert(PieceIndex::on_board(side, cell, sq));
                }
            }
            for kind in HAND_KINDS {
                (0..position.hand(color).count(kind))
                    .for_each(|n| set.insert(PieceIndex::in_hand(side, color, kind, n)));
            }
        }
        set
    }

    fn insert(&mut self, piece: PieceIndex) {
        let bit = usize::from(piece.0);
        self.words[bit / 64] |= 1 << (bit % 64);
        self.missing = self.missing.saturating_sub(1);
    }

    /// What `other` has and this set does not, missing pieces one by one.
    pub(super) fn lacking(&self, other: &Self) -> impl Iterator<Item = PieceIndex> {
        let missing = other.missing.saturating_sub(self.missing);
        let words =
            std::array::from_fn::<u64, { PIECES.div_ceil(64) }, _>(|word| other.words[word] & !self.words[word]);
        let pieces = words.into_iter().enumerate().flat_map(|(word, mut bits)| {
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                Some(PieceIndex((64 * word + bit) as u16))
            })
        });
        pieces.chain(std::iter::repeat_n(PieceIndex::MISSING, missing))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_see_the_same_at_the_start() {
        let position = Position::startpos();
        let seen = COLORS.map(|side| PieceSet::new(&position, side));
        assert_eq!(seen[0], seen[1]);
        assert_eq!(PieceSet::EMPTY.lacking(&seen[0]).count(), FULL_SET);
        let king = |set: FeatureSet, side| set.king_bucket(side, position.king(side));
        assert_eq!(king(FeatureSet::HalfKp, Color::Black), king(FeatureSet::HalfKp, Color::White));
        assert_eq!(king(FeatureSet::HalfKp, Color::Black).sq, 44, "5i");
    }

    #[test]
    fn active_features_are_those_of_the_set_of_pieces() {
        for sfen in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l4k2l/7g1/p3rpn1p/2p3pB1/4s4/1Ps1pSP2/P4P1RP/2GS5/LN1K3NL b G3Pbgn4p 75",
            "4k4/9/9/9/9/9/9/9/K8 w R2p 1",
        ] {
            let position = Position::from_sfen(sfen).unwrap();
            let cells = std::array::from_fn(|at| position.cell(Sq::new(at)));
            let kings = ByColor::from_fn(|color| position.king(color));
            let hands = ByColor::from_fn(|color| position.hand(color));
            for (set, side) in FeatureSet::ALL.into_iter().flat_map(|set| COLORS.map(|side| (set, side))) {
                let king = set.king_bucket(side, position.king(side));
                let pieces = PieceSet::new(&position, side);
                let mut expected: Vec<u32> =
                    PieceSet::EMPTY.lacking(&pieces).map(|piece| king.feature(piece) as u32).collect();
                let mut active = set.active(side, &PiecePlacement { cells: &cells, kings, hands });
                expected.sort_unstable();
                active.sort_unstable();
                assert_eq!(active[..], expected, "{sfen}");
            }
        }
    }

    #[test]
    fn missing_pieces_are_counted() {
        let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b R2p 1").unwrap();
        let list: Vec<PieceIndex> = PieceSet::EMPTY.lacking(&PieceSet::new(&position, Color::White)).collect();
        let mut expected = vec![PieceIndex(1), PieceIndex(2), PieceIndex(88)];
        expected.resize(FULL_SET, PieceIndex::MISSING);
        assert_eq!(list, expected);
    }

    #[test]
    fn a_king_on_the_left_is_mirrored_with_its_pieces_but_not_with_its_hand() {
        let king = FeatureSet::HalfKpVm.king_bucket(Color::Black, Sq::at(8, 8));
        assert_eq!(king, KingBucket { sq: 8, mirrored: true });
        let pawn = PieceIndex(90 + 81 + 80);
        assert_eq!(king.feature(pawn), 8 * PIECES + 90 + 81 + 8);
        assert_eq!(king.feature(PieceIndex(88)), 8 * PIECES + 88);
        assert_eq!(
            FeatureSet::HalfKpVm.king_bucket(Color::Black, Sq::at(4, 8)),
            KingBucket { sq: 44, mirrored: false }
        );
    }
}
