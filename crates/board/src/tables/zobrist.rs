//! Random numbers whose exclusive or names a position (Zobrist 1970).

use crate::{Cell, Color, PieceKind, Sq};

/// One step of the generator splitmix64 (Steele, Lea and Flood 2014): the state it leaves and the number it gives.
const fn splitmix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

/// A hand never holds more than 18 of a kind.
const HAND_COUNTS: usize = 19;

struct ZobristKeys {
    board: [[u64; 81]; Cell::COUNT],
    hand: [[[u64; HAND_COUNTS]; 8]; 2],
    side: u64,
}

static KEYS: ZobristKeys = {
    let mut keys = ZobristKeys { board: [[0; 81]; Cell::COUNT], hand: [[[0; HAND_COUNTS]; 8]; 2], side: 0 };
    let mut state = 0x6b69_6b69; // "kiki"
    let mut cell = 1;
    while cell < Cell::COUNT {
        let mut sq = 0;
        while sq < 81 {
            (state, keys.board[cell][sq]) = splitmix(state);
            sq += 1;
        }
        cell += 1;
    }
    let mut color = 0;
    while color < 2 {
        let mut kind = 1;
        while kind < 8 {
            // An empty hand contributes nothing.
            let mut count = 1;
            while count < HAND_COUNTS {
                (state, keys.hand[color][kind][count]) = splitmix(state);
                count += 1;
            }
            kind += 1;
        }
        color += 1;
    }
    (_, keys.side) = splitmix(state);
    keys
};

/// The number of a piece on a square.
#[inline(always)]
pub(crate) fn board_key(cell: Cell, sq: Sq) -> u64 {
    KEYS.board[cell.index()][sq.index()]
}

/// The number of holding `count` pieces of a kind.
#[inline(always)]
pub(crate) fn hand_key(color: Color, kind: PieceKind, count: usize) -> u64 {
    KEYS.hand[color.array_index()][kind as usize][count]
}

/// The number of White being to move; it belongs to the board key.
#[inline(always)]
pub(crate) fn side_key() -> u64 {
    KEYS.side
}
