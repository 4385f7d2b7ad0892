//! The side to move as a type: code that runs at every node is written once and compiled for each colour.

use shogi_core::Color;

use crate::Bitboard;

/// A colour known at compile time.
///
/// Hot code is `fn f<S: Side>`, entered through one `match` on the side to move. No body is written twice.
pub trait Side: Copy + 'static {
    /// The colour.
    const COLOR: Color;
    /// Its index: 0 for Black, 1 for White.
    const INDEX: usize;
    /// The three ranks where this side promotes.
    const ZONE: Bitboard;
    /// The rank where its pawns and lances can move no further.
    const LAST_RANK: Bitboard;
    /// The two ranks where its knights can move no further.
    const LAST_TWO_RANKS: Bitboard;
    /// The other side.
    type Opponent: Side;

    /// Moves a set one rank forward; squares that would leave the board are dropped.
    fn forward(set: Bitboard) -> Bitboard;

    /// Whether `rank` (0 to 8) is the `n`-th from the far edge or nearer to it, `n` counted from 1.
    fn within_last(n: usize, rank: usize) -> bool;
}

/// Black, who moves first and up the board (towards rank 1).
#[derive(Clone, Copy, Debug)]
pub struct BlackSide;

/// White, who moves down the board (towards rank 9).
#[derive(Clone, Copy, Debug)]
pub struct WhiteSide;

const fn ranks(from: usize, to: usize) -> Bitboard {
    let mut bits = 0;
    let mut rank = from;
    while rank <= to {
        bits |= Bitboard::rank(rank).0;
        rank += 1;
    }
    Bitboard(bits)
}

impl Side for BlackSide {
    const COLOR: Color = Color::Black;
    const INDEX: usize = 0;
    const ZONE: Bitboard = ranks(0, 2);
    const LAST_RANK: Bitboard = ranks(0, 0);
    const LAST_TWO_RANKS: Bitboard = ranks(0, 1);
    type Opponent = WhiteSide;

    fn forward(set: Bitboard) -> Bitboard {
        Bitboard((set.0 & !Self::LAST_RANK.0) >> 1)
    }

    fn within_last(n: usize, rank: usize) -> bool {
        rank < n
    }
}

impl Side for WhiteSide {
    const COLOR: Color = Color::White;
    const INDEX: usize = 1;
    const ZONE: Bitboard = ranks(6, 8);
    const LAST_RANK: Bitboard = ranks(8, 8);
    const LAST_TWO_RANKS: Bitboard = ranks(7, 8);
    type Opponent = BlackSide;

    fn forward(set: Bitboard) -> Bitboard {
        Bitboard((set.0 & !Self::LAST_RANK.0) << 1)
    }

    fn within_last(n: usize, rank: usize) -> bool {
        rank + n >= 9
    }
}
