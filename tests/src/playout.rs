//! Random games from fixed seeds, equal on every machine and in every run.

use kiki_board::{ByColor, Move, Position};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// Starts of games with a handicap; White gives it and moves first.
pub const HANDICAPS: [&str; 8] = [
    "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
];

/// Few pieces and much space: random games that return to earlier positions, with and without
/// checks.
pub const SPARSE: [&str; 6] = [
    "4k4/9/9/9/9/9/9/9/4K4 b RBrb 1",
    "7rk/9/9/9/9/9/9/9/KR7 b - 1",
    "3gkg3/9/4p4/9/9/9/4P4/9/3GKG3 b Pp 1",
    "k8/9/9/9/4B4/4b4/9/9/8K w - 1",
    "8k/7g1/9/9/9/9/9/1G7/K8 b 2P2p 1",
    "4k4/4r4/9/9/9/9/9/4R4/4K4 w Ss 1",
];

/// Positions in which one side or both lack the king, as in mating problems.
pub const KINGLESS: [&str; 5] = [
    "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
    "9/9/9/9/9/4p4/9/9/4K4 w 2R2B3G4S4N4L17Pg 1",
    "lnsg1gsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSG1GSNL b - 1",
    "1r5b1/ppppppppp/9/9/9/9/9/PPPPPPPPP/1B5R1 w GSNLgsnl 1",
];

/// How a random game chooses its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// All legal moves are equally likely.
    Any,
    /// Pieces tend to return to their previous squares, so that positions recur.
    Returning,
}

#[derive(Debug)]
pub struct Dice {
    rng: StdRng,
    manner: Manner,
    /// By colour: the last move, if it was on the board and without promotion.
    last: ByColor<Option<Move>>,
}

impl Dice {
    #[must_use]
    pub fn new(seed: u64, manner: Manner) -> Self {
        Self { rng: StdRng::seed_from_u64(seed), manner, last: ByColor::default() }
    }

    /// A legal move; `None` if the side to move is mated.
    pub fn choose(&mut self, position: &Position) -> Option<Move> {
        let side = position.side_to_move();
        let back = self.last[side].map(|mv| Move::board(mv.to(), mv.from(), false));
        let mv = match back {
            Some(back) if self.manner == Manner::Returning && position.is_legal(back) && self.rng.random_bool(0.7) => {
                back
            }
            _ => *position.legal_moves().choose(&mut self.rng)?,
        };
        self.last[side] = (!mv.is_drop() && !mv.is_promotion()).then_some(mv);
        Some(mv)
    }

    /// The generator, for other choices.
    pub fn rng(&mut self) -> &mut StdRng {
        &mut self.rng
    }
}

/// Plays at most `plies` random moves from a position. Calls `visit` with every position on the
/// way, the first and the last included.
pub fn play(mut position: Position, plies: usize, dice: &mut Dice, mut visit: impl FnMut(&mut Position, &mut Dice)) {
    visit(&mut position, dice);
    for _ in 0..plies {
        let Some(mv) = dice.choose(&position) else {
            return;
        };
        position.make(mv);
        visit(&mut position, dice);
    }
}
