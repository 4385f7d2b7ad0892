//! The members of JKF, in the order in which they are written. `null` counts as a missing value.

use std::collections::BTreeMap;

use kiki_board::{Color, Sq};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A game. Its entries are JSON text while they are read, and values while they are written.
#[derive(Deserialize, Serialize)]
pub(super) struct GameJson<Entry> {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) header: BTreeMap<String, Value>,
    pub(super) initial: Option<InitialJson>,
    pub(super) moves: Vec<Entry>,
}

/// The start position of a game.
#[derive(Deserialize, Serialize)]
pub(super) struct InitialJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<PositionJson>,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) preset: String,
}

/// A position: files from 1 to 9, each from rank 1 to 9.
#[derive(Deserialize, Serialize)]
pub(super) struct PositionJson {
    pub(super) board: Vec<Vec<CellJson>>,
    pub(super) color: u8,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) hands: Vec<BTreeMap<String, u32>>,
}

/// A square; empty without a kind.
#[derive(Default, Deserialize, Serialize)]
pub(super) struct CellJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) color: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<String>,
}

/// A move, the end of the game, or the comment before the first move.
#[derive(Deserialize, Serialize)]
pub(super) struct EntryJson<Entry> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) special: Option<String>,
    #[serde(skip_serializing_if = "has_nothing")]
    pub(super) forks: Option<Vec<Vec<Entry>>>,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub(super) mv: Option<MoveJson>,
    #[serde(skip_serializing_if = "has_nothing")]
    pub(super) comments: Option<Vec<Option<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<TimeJson>,
}

fn or_default<'de, T: Default + Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

fn has_nothing<T>(list: &Option<Vec<T>>) -> bool {
    list.as_ref().is_none_or(Vec::is_empty)
}

/// A move. Readers need neither `same` nor `capture`.
#[derive(Deserialize, Serialize)]
pub(super) struct MoveJson {
    pub(super) color: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<PlaceJson>,
    pub(super) to: Option<PlaceJson>,
    pub(super) piece: Option<String>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(super) same: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) promote: Option<bool>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(super) capture: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) relative: Option<String>,
}

/// The letters in `relative`, with the words of Japanese notation.
pub(super) const RELATIVE: [(char, char); 7] =
    [('L', '左'), ('C', '直'), ('R', '右'), ('U', '上'), ('M', '寄'), ('D', '引'), ('H', '打')];

/// A square: file and rank, from 1.
#[derive(Clone, Copy, Deserialize, Serialize)]
pub(super) struct PlaceJson {
    pub(super) x: usize,
    pub(super) y: usize,
}

impl From<Sq> for PlaceJson {
    fn from(sq: Sq) -> Self {
        Self { x: sq.file() + 1, y: sq.rank() + 1 }
    }
}

/// The time of a move or of an end, and the total time of its player.
#[derive(Deserialize, Serialize)]
pub(super) struct TimeJson {
    pub(super) now: Option<ClockJson>,
    #[serde(skip_deserializing)]
    pub(super) total: Option<ClockJson>,
}

/// Hours, minutes and seconds.
#[derive(Deserialize, Serialize)]
pub(super) struct ClockJson {
    h: Option<u64>,
    m: Option<u64>,
    s: Option<u64>,
}

impl ClockJson {
    pub(super) fn of(milliseconds: u64) -> Self {
        let seconds = milliseconds / 1000;
        Self { h: Some(seconds / 3600), m: Some(seconds / 60 % 60), s: Some(seconds % 60) }
    }

    pub(super) fn milliseconds(&self) -> Option<u64> {
        let [hours, minutes, seconds] = [self.h, self.m, self.s].map(Option::unwrap_or_default);
        let minutes = hours.checked_mul(60)?.checked_add(minutes)?;
        minutes.checked_mul(60)?.checked_add(seconds)?.checked_mul(1000)
    }
}

pub(super) fn number_of(side: Color) -> u8 {
    u8::from(side == Color::White)
}

pub(super) fn side_of(number: u8) -> Color {
    if number == 0 { Color::Black } else { Color::White }
}
