//! Names in Japanese and English.

use kiki_board::Color;
use serde::{Serialize, Serializer};

/// What people call a handicap, an opening or a castle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Name {
    pub japanese: &'static str,
    pub english: &'static str,
}

impl Name {
    /// The name of a handicap by its first position in SFEN. The even game has one too.
    #[must_use]
    pub fn of_handicap(sfen: &str) -> Option<Self> {
        kiki_record::handicap_names(sfen).map(|(japanese, english)| Self { japanese, english })
    }
}

fn side_name(side: Color) -> &'static str {
    match side {
        Color::Black => "black",
        Color::White => "white",
    }
}

/// As `black` or `white`.
pub(crate) fn serialize_side<S: Serializer>(side: &Color, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(side_name(*side))
}

/// The same; null for both sides.
pub(crate) fn serialize_sides<S: Serializer>(side: &Option<Color>, serializer: S) -> Result<S::Ok, S::Error> {
    side.map(side_name).serialize(serializer)
}
