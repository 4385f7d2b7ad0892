//! Foreign text in errors.

/// Longer tokens are cut.
const LONGEST_EXCERPT: usize = 60;

/// A token to quote in an error: one line, at most 60 characters and `...`.
///
/// ```
/// assert_eq!(kiki_board::excerpt("歩\n"), "歩\\u{a}");
/// ```
#[must_use]
pub fn excerpt(text: &str) -> String {
    excerpt_of(text, LONGEST_EXCERPT)
}

/// The same of text that may be longer, such as a path: at most so many characters and `...`.
#[must_use]
pub fn excerpt_of(text: &str, longest: usize) -> String {
    let mut shown: String = text.chars().take(longest).flat_map(visible).collect();
    if text.chars().nth(longest).is_some() {
        shown.push_str("...");
    }
    shown
}

fn visible(character: char) -> impl Iterator<Item = char> {
    let escaped = breaks_lines(character).then(|| character.escape_unicode());
    let plain = escaped.is_none().then_some(character);
    escaped.into_iter().flatten().chain(plain)
}

/// Whether some program may take a character for the end of a line, or of the text.
#[must_use]
pub fn breaks_lines(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_one_line() {
        assert_eq!(excerpt("+7776FU"), "+7776FU");
        assert_eq!(excerpt("歩\n\0\u{2028}"), "歩\\u{a}\\u{0}\\u{2028}");
        let long = excerpt(&"歩".repeat(1_000_000));
        assert!(long.ends_with("...") && long.chars().count() == LONGEST_EXCERPT + 3);
        assert_eq!((excerpt_of("abc", 3).as_str(), excerpt_of("abcd", 3).as_str()), ("abc", "abc..."));
    }
}
