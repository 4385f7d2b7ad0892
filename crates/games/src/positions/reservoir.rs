//! A sample of a stream of unknown length.

use anyhow::Result;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use super::SampledPosition;

/// Keeps a fixed number of the items offered, each with the same probability, in no special order
/// (Vitter's algorithm R, 1985).
pub(super) struct Reservoir {
    count: usize,
    /// Only positions with this ply to play.
    ply: Option<u32>,
    offered: usize,
    games: u64,
    random: Pcg64,
    pub(super) kept: Vec<SampledPosition>,
}

impl Reservoir {
    pub(super) fn new(count: usize, seed: u64, ply: Option<u32>) -> Self {
        Self { count, ply, offered: 0, games: 0, random: Pcg64::seed_from_u64(seed), kept: Vec::new() }
    }

    /// The number of a new game.
    pub(super) fn next_game(&mut self) -> u64 {
        self.games += 1;
        self.games - 1
    }

    /// Offers a position; `ply` is the ply to play, if known. Calls `make` only for a position that
    /// is kept.
    pub(super) fn offer(&mut self, ply: Option<u32>, make: impl FnOnce() -> Result<SampledPosition>) -> Result<()> {
        if self.ply.is_some() && self.ply != ply {
            return Ok(());
        }
        self.offered += 1;
        if self.kept.len() < self.count {
            self.kept.push(make()?);
            return Ok(());
        }
        let place = self.random.random_range(0..self.offered);
        if place < self.count {
            self.kept[place] = make()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kiki_board::Position;

    use super::*;

    #[test]
    fn a_sample_has_each_position_with_the_same_probability() {
        let mut counts = [0; 10];
        for seed in 0..4000 {
            let mut reservoir = Reservoir::new(3, seed, None);
            for game in 0..10 {
                let sampled = SampledPosition { position: Position::startpos(), game, progress: None, played: None };
                reservoir.offer(None, || Ok(sampled)).unwrap();
            }
            reservoir.kept.iter().for_each(|sampled| counts[sampled.game as usize] += 1);
        }
        // 1200 each, with a standard deviation of 29.
        assert!(counts.iter().all(|count| (1080..=1320).contains(count)), "{counts:?}");
    }
}
