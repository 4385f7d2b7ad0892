//! Features: pieces on squares and in hands as each side sees them, mostly combined with the square
//! of its own king. Also the differences between two positions.
//!
//! A feature is `pieces * king + piece`. In a side's view the board is rotated so that this side
//! moves up, and its own pieces are "friends".

use kiki_board::{ByColor, ByKind, COLORS, Cell, Color, HAND_KINDS, HandCounts, PieceKind, Placement, Position, Sq};
use wide::u8x32;

/// One more than the greatest index of a piece other than a king.
const KINGS: usize = 1548;
/// The first index of a piece on the board.
const FIRST_ON_BOARD: usize = 90;
/// Possible distances in files, or ranks, of a piece from a king: -8 to 8.
const OFFSETS: usize = 17;
/// One more than the greatest piece index of any set.
const MOST_PIECES: usize = KINGS + 3 * Sq::COUNT;

/// Which features a network sees. `Half` means: combined with the square of the side's own king.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FeatureSet {
    /// King and piece.
    HalfKp,
    /// The same, with files mirrored so that the own king is on files 1 to 5.
    HalfKpVm,
    /// King and piece, kings included.
    HalfKa1,
    /// The same, mirrored.
    HalfKaHm1,
    /// King and piece, kings included. Both kings have the same indices.
    HalfKa2,
    /// The same, mirrored.
    HalfKaHm2,
    /// Pieces and kings.
    Kp,
    /// Pieces and kings. Both kings have the same indices, and each has a second feature of its
    /// own.
    Ka2,
}

/// What tells a feature set from the others.
pub(super) struct SetFacts {
    name: &'static str,
    /// The hash in files of the classic form.
    pub(super) hash: u32,
    squares: usize,
    /// The first indices of a side's own king and of the enemy's, one pair for each feature of a
    /// king.
    pub(super) planes: &'static [[usize; 2]],
}

impl FeatureSet {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::HalfKp,
        Self::HalfKpVm,
        Self::HalfKa1,
        Self::HalfKaHm1,
        Self::HalfKa2,
        Self::HalfKaHm2,
        Self::Kp,
        Self::Ka2,
    ];
    /// The number of features that are set for each side in every position, without those of the
    /// kings.
    const ACTIVE: usize = 38;

    #[inline(always)]
    pub(super) fn facts(self) -> &'static SetFacts {
        const OWN: usize = KINGS;
        const ENEMY: usize = KINGS + Sq::COUNT;
        const APART: &[[usize; 2]] = &[[OWN, ENEMY]];
        const SAME: &[[usize; 2]] = &[[OWN, OWN]];
        const BOTH: &[[usize; 2]] = &[[OWN, OWN], [OWN + Sq::COUNT, ENEMY + Sq::COUNT]];
        match self {
            Self::HalfKp => &SetFacts { name: "HalfKP", hash: 0x5D69_D5B8, squares: 81, planes: &[] },
            Self::HalfKpVm => &SetFacts { name: "HalfKP_vm", hash: 0x0B6B_1D9A, squares: 45, planes: &[] },
            Self::HalfKa1 => &SetFacts { name: "HalfKA1", hash: 0x5F13_4CB8, squares: 81, planes: APART },
            Self::HalfKaHm1 => &SetFacts { name: "HalfKA_hm1", hash: 0x7F13_4CB8, squares: 45, planes: APART },
            Self::HalfKa2 => &SetFacts { name: "HalfKA2", hash: 0x5F23_4CB8, squares: 81, planes: SAME },
            Self::HalfKaHm2 => &SetFacts { name: "HalfKA_hm2", hash: 0x7F23_4CB8, squares: 45, planes: SAME },
            Self::Kp => &SetFacts { name: "K+P", hash: 0x3F57_17FF, squares: 1, planes: APART },
            Self::Ka2 => &SetFacts { name: "K+A2", hash: 0x97D5_765E, squares: 1, planes: BOTH },
        }
    }

    /// The name within that of an architecture.
    pub(super) fn word(self) -> String {
        self.name().to_ascii_lowercase().replace(['_', '+'], "")
    }

    /// The name in the text of a network file.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Their name in the text of a network file.
    pub(super) fn description(self) -> String {
        format!("{}{}", self.name(), if self.depends_on_king() { "(Friend)" } else { "" })
    }

    /// The number of features of a side.
    #[must_use]
    pub fn count(self) -> usize {
        self.king_squares() * self.pieces()
    }

    /// Number of piece indices: a feature is this times the king's square plus the piece.
    #[must_use]
    pub fn pieces(self) -> usize {
        match self {
            Self::HalfKp | Self::HalfKpVm => KINGS,
            Self::HalfKa2 | Self::HalfKaHm2 => KINGS + Sq::COUNT,
            Self::HalfKa1 | Self::HalfKaHm1 | Self::Kp => KINGS + 2 * Sq::COUNT,
            Self::Ka2 => KINGS + 3 * Sq::COUNT,
        }
    }

    /// The number of king squares that have features of their own.
    #[must_use]
    pub fn king_squares(self) -> usize {
        self.facts().squares
    }

    /// Number of relations between a piece and a side's own king, for [`FeatureSet::relation`].
    #[must_use]
    pub fn relations(self) -> usize {
        if self.depends_on_king() { (self.pieces() - FIRST_ON_BOARD) / Sq::COUNT * OFFSETS * OFFSETS } else { 0 }
    }

    /// The relation of a piece on the board to the king of a feature: its kind, its side, and its
    /// distance in files and ranks. The king's square does not matter. `None` for pieces in hand.
    #[must_use]
    pub fn relation(self, piece: usize, king: usize) -> Option<usize> {
        let on_board = piece.checked_sub(FIRST_ON_BOARD)?;
        let (kind, sq) = (on_board / Sq::COUNT, on_board % Sq::COUNT);
        let offset = |of_piece: usize, of_king: usize| of_piece + OFFSETS / 2 - of_king;
        Some((kind * OFFSETS + offset(sq / 9, king / 9)) * OFFSETS + offset(sq % 9, king % 9))
    }

    /// Whether all features change when a side's own king moves.
    #[inline(always)]
    pub(super) fn depends_on_king(self) -> bool {
        !matches!(self, Self::Kp | Self::Ka2)
    }

    /// The number of features that are set for each side, in every position.
    #[must_use]
    pub fn active_count(self) -> usize {
        Self::ACTIVE + 2 * self.facts().planes.len()
    }

    /// The features of a king on a square, as `side` sees it with its own king in a bucket.
    #[inline(always)]
    pub(super) fn of_king(
        self,
        bucket: KingBucket,
        side: Color,
        owner: Color,
        king: Sq,
    ) -> impl ExactSizeIterator<Item = u32> {
        let sq = seen_by(side, king);
        let plane = usize::from(owner != side);
        self.facts().planes.iter().map(move |planes| bucket.feature(PieceIndex((planes[plane] + sq) as u16)))
    }

    /// The features that are set, as each of `sides` sees the position. Fills each side's list of
    /// [`FeatureSet::active_count`] with the pieces of its features. Returns the king index of each
    /// side, below [`FeatureSet::king_squares`]. A feature is [`FeatureSet::pieces`] times the king
    /// index plus the piece.
    ///
    /// # Panics
    /// If a list is shorter.
    #[must_use]
    pub fn piece_views(self, sides: [Color; 2], placement: &Placement, lists: [&mut [u32]; 2]) -> [usize; 2] {
        let kings = sides.map(|side| self.king_bucket(side, placement.kings[side]));
        let [one, other] = lists;
        let (pieces, king_features) = one.split_at_mut(Self::ACTIVE);
        let (other_pieces, other_king_features) = other.split_at_mut(Self::ACTIVE);
        let mut slots = pieces.iter_mut().zip(&mut *other_pieces);
        // No position has more pieces than a full set.
        for_each_piece(sides, placement, |piece| {
            if let Some((one, other)) = slots.next() {
                *one = kings[0].oriented(piece[0]).into();
                *other = kings[1].oriented(piece[1]).into();
            }
        });
        slots.for_each(|(one, other)| (*one, *other) = (0, 0));
        for (list, (side, king)) in [king_features, other_king_features].into_iter().zip(sides.into_iter().zip(kings)) {
            let features =
                COLORS.into_iter().flat_map(|owner| self.of_king(king, side, owner, present(placement.kings[owner])));
            list.iter_mut().zip(features).for_each(|(piece, feature)| *piece = feature - king.first);
        }
        kings.map(|king| king.first as usize / self.pieces())
    }

    /// All pieces but the kings, as `side` sees the position; missing pieces last.
    pub(super) fn piece_indices(side: Color, placement: &Placement) -> [PieceIndex; Self::ACTIVE] {
        let mut pieces = [PieceIndex::MISSING; Self::ACTIVE];
        let mut slots = pieces.iter_mut();
        // No position has more pieces than a full set.
        for_each_piece([side], placement, |[piece]| slots.next().into_iter().for_each(|slot| *slot = piece));
        pieces
    }

    /// The king bucket that all features of a side share.
    pub(super) fn king_bucket(self, color: Color, king: Sq) -> KingBucket {
        if !self.depends_on_king() {
            return KingBucket { index: 0, first: 0, is_mirrored: false };
        }
        let sq = seen_by(color, present(king));
        let is_mirrored = self.king_squares() < Sq::COUNT && sq >= self.king_squares();
        let bucket = if is_mirrored { mirrored(sq) } else { sq };
        KingBucket { index: sq, first: (bucket * self.pieces()) as u32, is_mirrored }
    }
}

/// The square of a king, or the centre for a missing one, as in problems: networks know no boards
/// without a king.
pub(super) fn present(king: Sq) -> Sq {
    if king == Sq::NONE { Sq::at(4, 4) } else { king }
}

/// Calls `visit` with every piece but the kings, as each of `sides` sees it.
#[inline(always)]
fn for_each_piece<const SIDES: usize>(
    sides: [Color; SIDES],
    placement: &Placement,
    mut visit: impl FnMut([PieceIndex; SIDES]),
) {
    let mut squares = unequal(&placement.cells, &[Cell::EMPTY; Sq::COUNT]);
    while squares != 0 {
        let sq = Sq::new(squares.trailing_zeros() as usize);
        squares &= squares - 1;
        let cell = placement.cells[sq.index()];
        if !cell.is_kind(PieceKind::King) {
            visit(sides.map(|side| PieceIndex::on_board(side, cell, sq)));
        }
    }
    for (owner, kind) in COLORS.into_iter().flat_map(|owner| HAND_KINDS.map(|kind| (owner, kind))) {
        let held = placement.hands[owner].count(kind);
        (0..held).for_each(|n| visit(sides.map(|side| PieceIndex::in_hand(side, owner, kind, n))));
    }
}

/// What all features of a side share: its king's square, and whether files are mirrored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KingBucket {
    /// The king's square in its own view.
    pub(super) index: usize,
    /// The feature of the piece with index 0.
    first: u32,
    is_mirrored: bool,
}

impl KingBucket {
    /// One more than the greatest [`KingBucket::index`].
    pub(super) const COUNT: usize = Sq::COUNT;

    /// The feature of this king bucket and a piece.
    #[inline(always)]
    pub(super) fn feature(self, piece: PieceIndex) -> u32 {
        self.first + u32::from(self.oriented(piece))
    }

    /// The index of a piece, with files mirrored if the bucket is mirrored.
    #[inline(always)]
    fn oriented(self, piece: PieceIndex) -> u16 {
        if self.is_mirrored { MIRRORED[usize::from(piece.0)] } else { piece.0 }
    }
}

/// A piece on a square or in hand as a side sees it; 0 for a missing piece.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct PieceIndex(pub(super) u16);

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
pub(super) fn seen_by(side: Color, sq: Sq) -> usize {
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

/// By piece index: the same piece with files mirrored.
static MIRRORED: [u16; MOST_PIECES] = {
    let mut table = [0; MOST_PIECES];
    let mut piece = 0;
    while piece < MOST_PIECES {
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
    kings: ByColor<Sq>,
}

/// Features that a side has gained and lost.
#[derive(Clone, Default, Debug)]
pub(super) struct FeatureChanges {
    pub(super) added: Vec<u32>,
    pub(super) removed: Vec<u32>,
}

impl PieceSet {
    /// No piece at all.
    pub(super) const EMPTY: Self = Self {
        cells: [Cell::EMPTY; Sq::COUNT],
        hands: ByColor::new(HandCounts::NONE, HandCounts::NONE),
        kings: ByColor::new(Sq::NONE, Sq::NONE),
    };

    /// The features of [`PieceSet::EMPTY`]: all pieces are missing, kings too.
    pub(super) fn features_of_empty(king: KingBucket) -> [u32; FeatureSet::ACTIVE] {
        [king.feature(PieceIndex::MISSING); _]
    }

    /// Takes over the pieces of `position`. Lists the features that this changes for `side` with
    /// its king in a bucket.
    pub(super) fn change_to(
        &mut self,
        position: &Position,
        set: FeatureSet,
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
        for owner in COLORS {
            let (before, now) = (self.kings[owner], present(position.king(owner)));
            if before == now {
                continue;
            }
            if before != Sq::NONE {
                removed.extend(set.of_king(king, side, owner, before));
            }
            added.extend(set.of_king(king, side, owner, now));
            self.kings[owner] = now;
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

/// All features that are set, as `side` sees the position, by their definition.
pub(super) fn all_active(position: &Position, set: FeatureSet, side: Color) -> Vec<u32> {
    let placement = position.placement();
    let king = set.king_bucket(side, position.king(side));
    let pieces = FeatureSet::piece_indices(side, &placement).map(|piece| king.feature(piece));
    let kings = COLORS.into_iter().flat_map(|owner| set.of_king(king, side, owner, present(position.king(owner))));
    pieces.into_iter().chain(kings).collect()
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
    fn active(position: &Position, set: FeatureSet, side: Color) -> Vec<u32> {
        let mut active = all_active(position, set, side);
        active.sort_unstable();
        active
    }

    #[test]
    fn a_missing_king_has_a_bucket_too() {
        for set in FeatureSet::ALL {
            for color in [Color::Black, Color::White] {
                assert_eq!(set.king_bucket(color, Sq::NONE), set.king_bucket(color, Sq::at(4, 4)));
            }
        }
    }

    #[test]
    fn the_pieces_of_both_views_make_the_features_of_each() {
        for (set, sfen) in FeatureSet::ALL.into_iter().flat_map(|set| SFENS.map(|sfen| (set, sfen))) {
            let position = Position::from_sfen(sfen).unwrap();
            let sides = [Color::White, Color::Black];
            // What a list holds before must not matter.
            let mut lists = [7, 9].map(|before| vec![before; set.active_count()]);
            let [one, other] = &mut lists;
            let kings = set.piece_views(sides, &position.placement(), [one, other]);
            for ((side, pieces), king) in sides.into_iter().zip(lists).zip(kings) {
                assert!(king < set.king_squares());
                let mut features: Vec<u32> = pieces.iter().map(|piece| (set.pieces() * king) as u32 + piece).collect();
                features.sort_unstable();
                assert_eq!(features, active(&position, set, side), "{set:?}, {sfen}");
            }
        }
    }

    #[test]
    fn a_relation_says_kind_side_and_distance_from_the_king() {
        for set in FeatureSet::ALL.into_iter().filter(|set| set.depends_on_king()) {
            let mut meant: Vec<Option<[usize; 3]>> = vec![None; set.relations()];
            for (piece, king) in
                (0..set.pieces()).flat_map(|piece| (0..set.king_squares()).map(move |king| (piece, king)))
            {
                let Some(relation) = set.relation(piece, king) else {
                    assert!(piece < FIRST_ON_BOARD);
                    continue;
                };
                let (kind, sq) = ((piece - FIRST_ON_BOARD) / 81, (piece - FIRST_ON_BOARD) % 81);
                let meaning = [kind, 9 + sq / 9 - king / 9, 9 + sq % 9 - king % 9];
                assert_eq!(*meant[relation].get_or_insert(meaning), meaning, "{set:?}, {piece}, {king}");
            }
            // All king squares give every file distance; mirrored ones only those from -4 to 8.
            let files = if set.king_squares() == 81 { 17 } else { 13 };
            assert_eq!(meant.iter().flatten().count(), meant.len() / 17 * files, "{set:?}");
        }
        assert_eq!(FeatureSet::Kp.relations(), 0);
    }

    /// No table of outputs has this set.
    #[test]
    fn kings_are_features_of_halfka_hm1() {
        // As both see it, with files mirrored: the own king on 1i, the other one on 1a.
        let position = Position::from_sfen("k8/9/9/9/9/9/9/9/K8 w - 1").unwrap();
        for side in COLORS {
            let features = active(&position, FeatureSet::HalfKaHm1, side);
            assert_eq!(features[FeatureSet::ACTIVE..], [8 * 1710 + 1548 + 8, 8 * 1710 + 1629]);
        }
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
                    pieces.change_to(position, set, side, king, &mut changes);
                    for feature in &changes.removed {
                        let at = features.iter().position(|other| other == feature).expect("a feature that was there");
                        features.swap_remove(at);
                    }
                    features.extend(&changes.added);
                }
                features.sort_unstable();
                assert_eq!(features, active(second, set, side), "{set:?}");
            }
        }
    }
}
