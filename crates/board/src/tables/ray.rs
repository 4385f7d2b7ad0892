//! Lines between pairs of squares, and the open lines through one.

use super::slide::{until_highest, until_lowest};
use super::step::shifted;
use crate::{Bitboard, ByColor, Color, Sq};

const DIRECTIONS: [(i32, i32); 8] = [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1), (-1, 1), (1, -1)];

/// `[from][to]`: the squares strictly between, if the two share a line.
static BETWEEN: [[Bitboard; 82]; 82] = {
    let mut table = [[Bitboard::EMPTY; 82]; 82];
    let mut from = 0;
    while from < 81 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = DIRECTIONS[direction];
            let mut passed = Bitboard::EMPTY;
            let mut at = Sq::new(from);
            while let Some(next) = shifted(at, files, ranks) {
                table[from][next.index()] = passed;
                passed.0 |= 1 << next.index();
                at = next;
            }
            direction += 1;
        }
        from += 1;
    }
    table
};

/// `[through][square]`: the whole line through both, edge to edge, if they share one.
static LINE: [[Bitboard; 82]; 82] = {
    let mut table = [[Bitboard::EMPTY; 82]; 82];
    let mut from = 0;
    while from < 81 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = DIRECTIONS[direction];
            let mut whole = Bitboard(1 << from);
            let mut sign = -1;
            while sign <= 1 {
                let mut at = Sq::new(from);
                while let Some(next) = shifted(at, sign * files, sign * ranks) {
                    whole.0 |= 1 << next.index();
                    at = next;
                }
                sign += 2;
            }
            let mut at = Sq::new(from);
            while let Some(next) = shifted(at, files, ranks) {
                table[from][next.index()] = whole;
                at = next;
            }
            direction += 1;
        }
        from += 1;
    }
    table
};

/// The open lines through one square, the square itself left out.
#[derive(Clone, Copy)]
pub(crate) struct OpenLines {
    /// All that a bishop reaches on an empty board.
    pub(crate) diagonals: Bitboard,
    /// All that a rook reaches on an empty board.
    pub(crate) orthogonals: Bitboard,
    /// By colour: where a lance of that colour stands if it looks at the square along its file.
    pub(crate) lances_behind: ByColor<Bitboard>,
}

static OPEN: [OpenLines; 82] = {
    const NOTHING: OpenLines = OpenLines {
        diagonals: Bitboard::EMPTY,
        orthogonals: Bitboard::EMPTY,
        lances_behind: ByColor::new(Bitboard::EMPTY, Bitboard::EMPTY),
    };
    let mut table = [NOTHING; 82];
    let mut from = 0;
    while from < 81 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = DIRECTIONS[direction];
            let mut at = Sq::new(from);
            while let Some(next) = shifted(at, files, ranks) {
                let bit = 1 << next.index();
                if files != 0 && ranks != 0 {
                    table[from].diagonals.0 |= bit;
                } else {
                    table[from].orthogonals.0 |= bit;
                }
                if files == 0 {
                    // A black lance looks towards rank 1, so it stands on a higher rank.
                    let color = if ranks == 1 { Color::Black } else { Color::White };
                    table[from].lances_behind.0[color.array_index()].0 |= bit;
                }
                at = next;
            }
            direction += 1;
        }
        from += 1;
    }
    table
};

/// The ray of a slider through a square.
#[derive(Clone, Copy)]
pub(crate) struct Through {
    /// The squares strictly between.
    pub(crate) before: Bitboard,
    /// The squares behind, to the edge.
    beyond: Bitboard,
}

impl Through {
    /// The squares behind, up to and including the first occupied one. `up`: whether their indices grow.
    #[inline(always)]
    pub(crate) fn reach(&self, up: bool, occupied: Bitboard) -> Bitboard {
        let (beyond, occupied) = (self.beyond.0, occupied.0);
        Bitboard(if up { until_lowest(beyond, occupied) } else { until_highest(beyond, occupied) })
    }
}

/// `[slider][square]`.
static THROUGH: [[Through; 82]; 82] = {
    let mut table = [[Through { before: Bitboard::EMPTY, beyond: Bitboard::EMPTY }; 82]; 82];
    let mut from = 0;
    while from < 81 {
        let mut to = 0;
        while to < 81 {
            let before = BETWEEN[from][to];
            let line = LINE[from][to];
            let behind = if to > from { u128::MAX << to << 1 } else { (1 << to) - 1 };
            table[from][to] = Through { before, beyond: Bitboard(line.0 & behind) };
            to += 1;
        }
        from += 1;
    }
    table
};

/// The line from a slider through a square; empty if they share none.
#[inline(always)]
pub(crate) fn through(slider: Sq, sq: Sq) -> &'static Through {
    &THROUGH[slider.index()][sq.index()]
}

/// The squares strictly between two squares that share a line; empty otherwise.
#[inline(always)]
pub(crate) fn between(from: Sq, to: Sq) -> Bitboard {
    BETWEEN[from.index()][to.index()]
}

/// The whole line through two squares that share one; empty otherwise.
#[inline(always)]
pub(crate) fn line(a: Sq, b: Sq) -> Bitboard {
    LINE[a.index()][b.index()]
}

/// The open lines through a square.
#[inline(always)]
pub(crate) fn open_lines(sq: Sq) -> &'static OpenLines {
    &OPEN[sq.index()]
}
