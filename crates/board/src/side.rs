//! The side to move as a type: code that runs at every node is written once and compiled for each colour.

use shogi_core::Color;

use crate::Bitboard;

/// A colour known at compile time.
///
/// Hot code is `fn f<S: Side>`, entered through one `match` on the side to move. No body is written twice.
pub(crate) trait Side: Copy + 'static {
    /// The colour.
    const COLOR: Color;
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
}

/// Black, who moves first and up the board (towards rank 1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlackSide;

/// White, who moves down the board (towards rank 9).
#[derive(Clone, Copy, Debug)]
pub(crate) struct WhiteSide;

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
    const ZONE: Bitboard = ranks(0, 2);
    const LAST_RANK: Bitboard = ranks(0, 0);
    const LAST_TWO_RANKS: Bitboard = ranks(0, 1);
    type Opponent = WhiteSide;

    fn forward(set: Bitboard) -> Bitboard {
        Bitboard((set.0 & !Self::LAST_RANK.0) >> 1)
    }
}

impl Side for WhiteSide {
    const COLOR: Color = Color::White;
    const ZONE: Bitboard = ranks(6, 8);
    const LAST_RANK: Bitboard = ranks(8, 8);
    const LAST_TWO_RANKS: Bitboard = ranks(7, 8);
    type Opponent = BlackSide;

    fn forward(set: Bitboard) -> Bitboard {
        Bitboard((set.0 & !Self::LAST_RANK.0) << 1)
    }
}
