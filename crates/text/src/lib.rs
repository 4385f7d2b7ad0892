//! Text from outside, made safe to show: short, on one line, and without characters that a terminal
//! interprets.

use std::borrow::Cow;

/// Longer tokens are cut.
const LONGEST_EXCERPT: usize = 60;

/// A token to quote in an error: one printable line, at most 60 characters and `...`.
///
/// ```
/// assert_eq!(kiki_text::excerpt("歩\n"), "歩\\u{a}");
/// ```
#[must_use]
pub fn excerpt(text: &str) -> String {
    excerpt_of(text, LONGEST_EXCERPT)
}

/// The same for longer text, such as a path: at most `longest` characters, escapes counted, and
/// `...`.
#[must_use]
pub fn excerpt_of(text: &str, longest: usize) -> String {
    let mut shown = String::new();
    let mut left = longest;
    for character in text.chars() {
        let before = shown.len();
        push_visible(&mut shown, character);
        let Some(rest) = left.checked_sub(shown[before..].chars().count()) else {
            shown.truncate(before);
            shown.push_str("...");
            break;
        };
        left = rest;
    }
    shown
}

/// Text from outside as one line. Escapes what a terminal would interpret or hide: control
/// characters, line ends, changes of direction and invisible characters.
///
/// ```
/// assert_eq!(kiki_text::printable("Kiki 歩"), "Kiki 歩");
/// assert_eq!(kiki_text::printable("a\x1b[2Jb\n"), "a\\u{1b}[2Jb\\u{a}");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(2 * text.len());
    text.chars().for_each(|character| push_visible(&mut shown, character));
    Cow::Owned(shown)
}

fn push_visible(shown: &mut String, character: char) {
    if is_printable(character) {
        shown.push(character);
    } else {
        shown.extend(character.escape_unicode());
    }
}

/// Whether a terminal shows a character in its own place and does not move its neighbours.
#[must_use]
pub fn is_printable(character: char) -> bool {
    !breaks_lines(character) && !turns_writing(character) && !is_invisible(character)
}

/// Whether some program may take a character for the end of a line, or of the text.
#[must_use]
pub fn breaks_lines(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

/// The marks, embeddings, overrides and isolates of bidirectional text.
fn turns_writing(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Characters without a shape that can hide text or make two names look the same; not the joiners
/// of letters.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
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

    #[test]
    fn escapes_count_towards_the_length() {
        let shown = excerpt(&"\x1b".repeat(100));
        assert_eq!((shown.matches("\\u{1b}").count(), shown.ends_with("...")), (10, true));
        assert_eq!(excerpt_of("\x1b", 5), "...");
        assert_eq!(excerpt_of("\x1b", 6), "\\u{1b}");
    }

    #[test]
    fn nothing_reaches_a_terminal_that_it_obeys() {
        for character in
            (0..=0x1f).chain(0x7f..=0x9f).chain(0x200e..=0x200f).chain(0x2028..=0x202e).chain(0x2066..=0x2069)
        {
            let text = format!("a{}b", char::from_u32(character).unwrap());
            assert_eq!(printable(&text), format!("a\\u{{{character:x}}}b"));
            assert_eq!(excerpt(&text), printable(&text));
        }
        for text in ["", "Kiki (White) \\", "持将棋 ☗７六歩 é", "👨\u{200d}👩"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
    }
}
