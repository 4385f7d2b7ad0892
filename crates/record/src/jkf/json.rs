//! The JSON of a game as it is read. Entries of moves stay text, so that errors can tell their line. `null` is as good as a value that is not there.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A game.
#[derive(Deserialize)]
pub(super) struct GameJson<'a> {
    #[serde(default)]
    pub(super) header: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) initial: Option<InitialJson>,
    #[serde(borrow)]
    pub(super) moves: Vec<&'a RawValue>,
}

/// Where a game begins.
#[derive(Deserialize)]
pub(super) struct InitialJson {
    #[serde(default)]
    pub(super) preset: String,
    #[serde(default)]
    pub(super) data: Option<PositionJson>,
}

/// A position: files from 1 to 9, each from rank 1 to 9.
#[derive(Deserialize)]
pub(super) struct PositionJson {
    pub(super) color: u8,
    pub(super) board: Vec<Vec<CellJson>>,
    #[serde(default)]
    pub(super) hands: Vec<BTreeMap<String, u32>>,
}

/// A square; empty without a kind.
#[derive(Deserialize)]
pub(super) struct CellJson {
    #[serde(default)]
    pub(super) color: Option<u8>,
    #[serde(default)]
    pub(super) kind: Option<String>,
}

/// A move, the end of the game, or the comment before the first move.
#[derive(Deserialize)]
pub(super) struct EntryJson<'a> {
    #[serde(default)]
    pub(super) comments: Option<Vec<String>>,
    #[serde(default, rename = "move")]
    pub(super) mv: Option<MoveJson>,
    #[serde(default)]
    pub(super) time: Option<TimeJson>,
    #[serde(default)]
    pub(super) special: Option<String>,
    #[serde(borrow, default)]
    pub(super) forks: Option<Vec<Vec<&'a RawValue>>>,
}

#[derive(Deserialize)]
pub(super) struct MoveJson {
    #[serde(default)]
    pub(super) color: Option<u8>,
    #[serde(default)]
    pub(super) from: Option<PlaceJson>,
    #[serde(default)]
    pub(super) to: Option<PlaceJson>,
    #[serde(default)]
    pub(super) piece: Option<String>,
    #[serde(default)]
    pub(super) promote: Option<bool>,
    #[serde(default)]
    pub(super) relative: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
pub(super) struct PlaceJson {
    pub(super) x: usize,
    pub(super) y: usize,
}

#[derive(Deserialize)]
pub(super) struct TimeJson {
    #[serde(default)]
    pub(super) now: Option<ClockJson>,
}

#[derive(Deserialize)]
pub(super) struct ClockJson {
    #[serde(default)]
    pub(super) h: Option<u64>,
    #[serde(default)]
    pub(super) m: Option<u64>,
    #[serde(default)]
    pub(super) s: Option<u64>,
}

impl ClockJson {
    pub(super) fn milliseconds(&self) -> Option<u64> {
        let [hours, minutes, seconds] = [self.h, self.m, self.s].map(Option::unwrap_or_default);
        let minutes = hours.checked_mul(60)?.checked_add(minutes)?;
        minutes.checked_mul(60)?.checked_add(seconds)?.checked_mul(1000)
    }
}
