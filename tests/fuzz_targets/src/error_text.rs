//! What programs say when they refuse something.

/// What an error says to people: one line, not long.
pub(crate) fn check_error(error: &dyn std::fmt::Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.lines().count() == 1 && text.len() < 1000, "{text:?}");
}
