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

/// What the effects of one side near a king are worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EffectWeights {
    /// An effect on the king's square, in centipawns.
    pub on_king: i32,
    /// By Chebyshev distance to the king: the share of `on_king` that remains, in 1024ths.
    pub distance: [i32; 9],
    /// The share that remains beside and behind the king, in 1024ths.
    pub direction: [i32; 2],
}

impl EffectWeights {
    /// The value of an effect at a distance from the king and in a direction, in 256ths of a
    /// centipawn: from 0 to below 256 centipawns.
    #[must_use]
    pub fn at(&self, distance: usize, direction: KingDirection) -> i32 {
        let [beside, behind] = self.direction;
        let part = match direction {
            KingDirection::Ahead => ONE,
            KingDirection::Beside => beside,
            KingDirection::Behind => behind,
        };
        // Quarters of 1024ths are 256ths.
        (self.on_king * self.distance[distance] / 4 * part / ONE).clamp(0, u16::MAX.into())
    }
}

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
    /// The effects of the king's side.
    pub own: EffectWeights,
    /// The enemy's effects.
    pub enemy: EffectWeights,
}

impl Weights {
    /// The numbers that `YaneuraOu` published in its series on a hand-made evaluation: the
    /// discount, the two effects, and distances by `1024 / (d + 1)`. Its material is that of Apery
    /// at the World Computer Shogi Championship 26. Zones and directions count for nothing.
    #[must_use]
    pub fn published() -> Self {
        let effect = |on_king| EffectWeights {
            on_king,
            distance: [1024, 512, 341, 256, 204, 170, 146, 128, 113],
            direction: [ONE; 2],
        };
        Self {
            // P, L, N, S, G, B, R, K, then promoted P, L, N, S, B, R.
            material: ByKind::new(0, [90, 315, 405, 495, 540, 855, 990, 0, 540, 540, 540, 540, 945, 1395]),
            board_discount: 104,
            discount_promoted: true,
            home: ByKind::filled(0),
            camp: ByKind::filled(0),
            own: effect(68),
            enemy: effect(96),
        }
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

/// By square, padded like the effect counts: the value of an effect there, in 256ths of a
/// centipawn.
pub(crate) type EffectRow = [u16; Effects::LANES];

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
    pub(crate) own: ByColor<Vec<EffectRow>>,
    /// By king and its square: the values of enemy effects.
    pub(crate) enemy: ByColor<Vec<EffectRow>>,
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
            own: ByColor::from_fn(|color| rows(color, &weights.own)),
            enemy: ByColor::from_fn(|color| rows(color, &weights.enemy)),
        }
    }
}

/// One row for each king square, and an empty one for a side without king.
fn rows(color: Color, weights: &EffectWeights) -> Vec<EffectRow> {
    let mut rows = vec![[0; Effects::LANES]; Sq::COUNT + 1];
    for king in Sq::all() {
        for sq in Sq::all() {
            let value = weights.at(king.distance(sq), KingDirection::of(color, king, sq));
            rows[king.index()][sq.index()] = value as u16;
        }
    }
    rows
}
