//! The parameters of the hand-crafted evaluation.

use kiki_board::{ALL_KINDS, ByColor, ByKind, COLORS, Cell, Color, Effects, PieceKind, Sq, unpromoted};

/// The position of a square relative to a king. Diagonals are ahead or behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingDirection {
    /// Towards the enemy's camp; the king's own square too.
    Ahead,
    /// On the king's rank.
    Beside,
    /// Towards its own side of the board.
    Behind,
}

impl KingDirection {
    /// The direction of `sq` from a king of `color`.
    #[must_use]
    pub fn of(color: Color, king: Sq, sq: Sq) -> Self {
        let (king_rank, rank) = (ranks_from_home(color, king), ranks_from_home(color, sq));
        if rank > king_rank || sq == king {
            Self::Ahead
        } else if rank == king_rank {
            Self::Beside
        } else {
            Self::Behind
        }
    }
}

/// A third of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Zone {
    /// The three ranks on which a side begins.
    Home,
    /// The three ranks between.
    Middle,
    /// The three ranks where pieces promote.
    Camp,
}

impl Zone {
    /// The zone of a square for a piece of `color`.
    #[must_use]
    pub fn of(color: Color, sq: Sq) -> Self {
        [Self::Home, Self::Middle, Self::Camp][ranks_from_home(color, sq) / 3]
    }
}

/// 0 on the rank nearest to the side, 8 on the farthest.
fn ranks_from_home(color: Color, sq: Sq) -> usize {
    if color == Color::Black { 8 - sq.rank() } else { sq.rank() }
}

/// The unit of the fractions below: 1024 stands for 1.
const ONE: i32 = 1024;

/// All parameters of [`crate::Formula`]. [`crate::TUNABLES`] has their defaults and sources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    /// Centipawns of a piece in hand. On the board it is worth less by the discount.
    pub material: ByKind<i32>,
    /// The share of its value that a piece loses on the board, in 1024ths: a piece in hand counts
    /// more.
    pub board_discount: i32,
    /// Whether promoted pieces lose it too, though they are never held in hand.
    pub discount_promoted: bool,
    /// Centipawns that a piece, the king included, gains on its side's three home ranks over the
    /// middle.
    pub home: ByKind<i32>,
    /// Centipawns that a piece, the king included, gains in the enemy's camp over the middle.
    pub camp: ByKind<i32>,
    /// The value of an effect of the king's side on the king's square, in centipawns.
    pub own_effect: i32,
    /// The value of an enemy effect on the king's square, in centipawns.
    pub enemy_effect: i32,
    /// By Chebyshev distance to the king: the share of `own_effect` that remains, in 1024ths.
    pub own_distance: [i32; 9],
    /// By Chebyshev distance to the king: the share of `enemy_effect` that remains, in 1024ths.
    pub enemy_distance: [i32; 9],
    /// The share of an own effect that remains beside and behind the king, in 1024ths.
    pub own_direction: [i32; 2],
    /// The share of an enemy effect that remains beside and behind the king, in 1024ths.
    pub enemy_direction: [i32; 2],
}

impl Weights {
    /// The numbers that `YaneuraOu` published in its series on a hand-made evaluation: the
    /// discount, the two effects, and distances by `1024 / (d + 1)`. Its material is that of Apery
    /// at the World Computer Shogi Championship 26. Zones and directions count for nothing.
    #[must_use]
    pub fn published() -> Self {
        let harmonic = [1024, 512, 341, 256, 204, 170, 146, 128, 113];
        Self {
            // P, L, N, S, G, B, R, K, then promoted P, L, N, S, B, R.
            material: ByKind::new(0, [90, 315, 405, 495, 540, 855, 990, 0, 540, 540, 540, 540, 945, 1395]),
            board_discount: 104,
            discount_promoted: true,
            home: ByKind::filled(0),
            camp: ByKind::filled(0),
            own_effect: 68,
            enemy_effect: 96,
            own_distance: harmonic,
            enemy_distance: harmonic,
            own_direction: [ONE; 2],
            enemy_direction: [ONE; 2],
        }
    }

    /// The value of an effect of the king's side at a distance from the king and in a direction, in
    /// 256ths of a centipawn.
    #[must_use]
    pub fn own_effect_at(&self, distance: usize, direction: KingDirection) -> i32 {
        faded(self.own_effect, self.own_distance[distance], self.own_direction, direction)
    }

    /// The value of an enemy effect at a distance from the king and in a direction, in 256ths of a
    /// centipawn.
    #[must_use]
    pub fn enemy_effect_at(&self, distance: usize, direction: KingDirection) -> i32 {
        faded(self.enemy_effect, self.enemy_distance[distance], self.enemy_direction, direction)
    }

    /// What a piece gains in a zone over the middle of the board, in centipawns.
    #[must_use]
    pub fn in_zone(&self, kind: PieceKind, zone: Zone) -> i32 {
        match zone {
            Zone::Home => self.home[kind],
            Zone::Middle => 0,
            Zone::Camp => self.camp[kind],
        }
    }

    /// What a piece of a kind loses on the board, in centipawns.
    #[must_use]
    pub fn discount(&self, kind: PieceKind) -> i32 {
        if kind.unpromote().is_some() && !self.discount_promoted {
            0
        } else {
            self.material[kind] * self.board_discount / ONE
        }
    }

    /// The value of a piece on the board, in centipawns: its value in hand less the discount. Zone
    /// and effects are added.
    #[must_use]
    pub fn on_board(&self, kind: PieceKind) -> i32 {
        self.material[kind] - self.discount(kind)
    }
}

/// A coefficient scaled by distance and direction, in 256ths of a centipawn: from 0 to below 256
/// centipawns.
fn faded(coefficient: i32, distance: i32, [beside, behind]: [i32; 2], direction: KingDirection) -> i32 {
    let part = match direction {
        KingDirection::Ahead => ONE,
        KingDirection::Beside => beside,
        KingDirection::Behind => behind,
    };
    // Quarters of 1024ths are 256ths.
    (coefficient * distance / 4 * part / ONE).clamp(0, u16::MAX.into())
}

/// By square, padded like the effect counts: the value of an effect there, in 256ths of a
/// centipawn.
pub(crate) type Row = [u16; Effects::LANES];

/// Lookup tables made from the weights.
#[derive(Clone, Debug)]
pub(crate) struct EvalTables {
    /// By cell and square: centipawns on the board, White's negative.
    pub(crate) on_board: Vec<[i32; Sq::COUNT]>,
    /// Centipawns in hand.
    pub(crate) in_hand: ByKind<i32>,
    /// Centipawns in the captor's hand, by the kind that is captured.
    pub(crate) captured: ByKind<i32>,
    /// By king and its square: the values of effects of the king's side.
    pub(crate) own: ByColor<Vec<Row>>,
    /// By king and its square: the values of enemy effects.
    pub(crate) enemy: ByColor<Vec<Row>>,
}

impl EvalTables {
    pub(crate) fn new(weights: &Weights) -> Self {
        let mut on_board = vec![[0; Sq::COUNT]; Cell::COUNT];
        let mut captured = ByKind::filled(0);
        for kind in ALL_KINDS {
            captured[kind] = weights.material[unpromoted(kind)];
            for (color, sq) in COLORS.into_iter().flat_map(|color| Sq::all().map(move |sq| (color, sq))) {
                let value = weights.on_board(kind) + weights.in_zone(kind, Zone::of(color, sq));
                on_board[Cell::new(kind, color).index()][sq.index()] =
                    if color == Color::Black { value } else { -value };
            }
        }
        Self {
            on_board,
            in_hand: weights.material,
            captured,
            own: ByColor::from_fn(|color| {
                rows(color, |distance, direction| weights.own_effect_at(distance, direction))
            }),
            enemy: ByColor::from_fn(|color| {
                rows(color, |distance, direction| weights.enemy_effect_at(distance, direction))
            }),
        }
    }
}

/// One row for each king square, and an empty one for a side without king.
fn rows(color: Color, value: impl Fn(usize, KingDirection) -> i32) -> Vec<Row> {
    let mut rows = vec![[0; Effects::LANES]; Sq::COUNT + 1];
    for king in Sq::all() {
        for sq in Sq::all() {
            let value = value(king.distance(sq), KingDirection::of(color, king, sq));
            rows[king.index()][sq.index()] = value as u16;
        }
    }
    rows
}
