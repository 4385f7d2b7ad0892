//! Two boards behind one interface, and the positions on which they are compared.
//!
//! The rival is `haitaka`, a board that plays moves on copies instead of taking them back. It
//! misses some pawn drops that mate, so counts may differ by a few nodes in a million: speed uses
//! each program's own count.

use kiki_tests::fixtures;

/// A board that can walk the tree of legal moves.
pub(crate) trait PerftBoard: Sized {
    const NAME: &'static str;

    fn read(sfen: &str) -> Self;

    /// Calls `visit` on the board after each legal move, and returns the sum.
    fn sum_over_moves(&mut self, visit: impl FnMut(&mut Self) -> u64) -> u64;

    /// The number of legal moves, by the program's fastest way.
    fn count_moves(&mut self) -> u64;
}

/// Kiki's own board: moves are made and taken back.
pub(crate) struct Kiki(kiki_board::Position);

impl PerftBoard for Kiki {
    const NAME: &'static str = "kiki";

    fn read(sfen: &str) -> Self {
        Self(fixtures::position(sfen))
    }

    fn sum_over_moves(&mut self, mut visit: impl FnMut(&mut Self) -> u64) -> u64 {
        let mut sum = 0;
        for &mv in &self.0.legal_moves() {
            self.0.make(mv);
            sum += visit(self);
            self.0.unmake();
        }
        sum
    }

    fn count_moves(&mut self) -> u64 {
        self.0.count_legal_moves()
    }
}

/// The rival: every move is played on a copy of the board.
pub(crate) struct Haitaka(haitaka::Board);

impl PerftBoard for Haitaka {
    const NAME: &'static str = "haitaka";

    fn read(sfen: &str) -> Self {
        Self(haitaka::Board::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error:?}")))
    }

    fn sum_over_moves(&mut self, mut visit: impl FnMut(&mut Self) -> u64) -> u64 {
        let mut sum = 0;
        self.0.generate_moves(|moves| {
            for mv in moves {
                let mut after = Self(self.0.clone());
                after.0.play_unchecked(mv);
                sum += visit(&mut after);
            }
            false
        });
        sum
    }

    fn count_moves(&mut self) -> u64 {
        let mut count = 0;
        self.0.generate_moves(|moves| {
            count += moves.len() as u64;
            false
        });
        count
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastPly {
    /// Its moves are counted.
    Counted,
    /// Its moves are played.
    Played,
}

impl LastPly {
    pub(crate) const BOTH: [Self; 2] = [Self::Counted, Self::Played];

    /// Its name in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Counted => "last ply counted",
            Self::Played => "every move played",
        }
    }
}

/// The number of sequences of `depth` legal moves.
pub(crate) fn perft<B: PerftBoard>(board: &mut B, depth: u32, last_ply: LastPly) -> u64 {
    match depth {
        0 => 1,
        1 if last_ply == LastPly::Counted => board.count_moves(),
        _ => board.sum_over_moves(|after| perft(after, depth - 1, last_ply)),
    }
}

/// Trees to walk.
pub(crate) struct Forest {
    /// Its name in the tables.
    pub(crate) name: &'static str,
    sfens: Vec<&'static str>,
    /// By [`LastPly`]: counting reaches a ply deeper in the same time.
    depths: [u32; 2],
}

impl Forest {
    /// The start position, one with many drops, and twenty from the middle of games.
    pub(crate) fn all() -> [Self; 3] {
        let perft = fixtures::perft();
        let tagged = |tag: &str| -> Vec<&'static str> {
            let row = perft.iter().find(|row| row.tag == tag);
            vec![row.unwrap_or_else(|| panic!("no position is tagged {tag}")).sfen]
        };
        let midgame = fixtures::midgame();
        let every = midgame.len() / 20;
        let twenty = midgame.iter().step_by(every).take(20).map(|row| row.sfen).collect();
        [
            Self { name: "start", sfens: tagged("hand:startpos"), depths: [5, 4] },
            Self { name: "many drops", sfens: tagged("hand:matsuri"), depths: [4, 3] },
            Self { name: "twenty midgames", sfens: twenty, depths: [3, 2] },
        ]
    }

    pub(crate) fn depth(&self, last_ply: LastPly) -> u32 {
        self.depths[usize::from(last_ply == LastPly::Played)]
    }

    pub(crate) fn roots<B: PerftBoard>(&self) -> Vec<B> {
        self.sfens.iter().map(|sfen| B::read(sfen)).collect()
    }

    /// Walks all trees and returns the number of leaves.
    pub(crate) fn walk<B: PerftBoard>(&self, roots: &mut [B], last_ply: LastPly) -> u64 {
        roots.iter_mut().map(|root| perft(root, self.depth(last_ply), last_ply)).sum()
    }
}
