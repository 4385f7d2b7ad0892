//! Texts in two languages.

use serde::Serialize;

/// The same text twice.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize)]
pub struct Words {
    /// In Japanese.
    pub ja: String,
    /// In English.
    pub en: String,
}

impl Words {
    /// These texts.
    pub fn new(ja: impl Into<String>, en: impl Into<String>) -> Self {
        Self { ja: ja.into(), en: en.into() }
    }
}

/// A share as percent with one decimal.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}
