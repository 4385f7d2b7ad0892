//! The games of a block.

use super::bits::BitReader;
use super::code::{GameError, GameView, decode};
use super::game::{GamePart, RecordRule, TrainingGame};
use crate::psv::TrainingRecord;

/// Reads the games of a block, or their records.
pub struct BlockGames<'a> {
    bits: BitReader<'a>,
    bytes: &'a [u8],
}

impl<'a> BlockGames<'a> {
    /// `bytes` are those that [`super::GameFile::read`] returns.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bits: BitReader::new(bytes), bytes }
    }

    fn is_at_end(&mut self) -> bool {
        self.bits.next_byte().is_none_or(|at| at >= self.bytes.len())
    }

    /// The records of the next game, empty for a game that is left out; `None` at the end.
    pub fn next_records(&mut self, rule: RecordRule) -> Result<Option<Vec<TrainingRecord>>, GameError> {
        if self.is_at_end() {
            return Ok(None);
        }
        let mut records = Vec::new();
        decode(&mut self.bits, |view| {
            if let GameView::Ply(position, ply, ending) = view {
                records.extend(rule.record(position, ply, ending));
            }
        })?;
        Ok(Some(records))
    }

    /// The next game: `Some(None)` for one that is left out, `None` at the end.
    pub fn next_game(&mut self) -> Result<Option<Option<TrainingGame>>, GameError> {
        if self.is_at_end() {
            return Ok(None);
        }
        let mut parts: Vec<GamePart> = Vec::new();
        let ending = decode(&mut self.bits, |view| match view {
            GameView::Part(start) => parts.push(GamePart { start, plies: Vec::new() }),
            GameView::Ply(_, ply, _) => parts.iter_mut().last().into_iter().for_each(|part| part.plies.push(ply)),
        })?;
        Ok(Some(ending.map(|ending| TrainingGame { parts, ending })))
    }
}
