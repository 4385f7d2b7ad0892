//! Texts in two languages.

use serde::Serialize;

/// A text in both languages.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize)]
pub struct Bilingual {
    pub ja: String,
    pub en: String,
}

impl Bilingual {
    pub fn new(ja: impl Into<String>, en: impl Into<String>) -> Self {
        Self { ja: ja.into(), en: en.into() }
    }
}

/// A share as percent with one decimal.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}
