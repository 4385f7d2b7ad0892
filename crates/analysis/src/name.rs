//! Names in Japanese and English.

use kiki_board::Color;
use serde::Serialize;

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

/// `black` or `white`.
#[must_use]
pub const fn side_name(side: Color) -> &'static str {
    match side {
        Color::Black => "black",
        Color::White => "white",
    }
}
