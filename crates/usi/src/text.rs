//! Bytes into words and numbers, and any text into ASCII that fits one line.

use std::borrow::Cow;
use std::fmt;
use std::num::IntErrorKind;

/// The most characters of a foreign token that an error quotes.
const LONGEST_EXCERPT: usize = 40;

/// What separates words: blanks and every other ASCII control byte, so that CR, tabs and NULs cannot stick to a word.
fn is_separator(character: char) -> bool {
    character <= ' ' || character == '\x7f'
}

/// A line as text. Bytes that are no UTF-8 become U+FFFD; the byte order mark that some shells put first disappears.
pub(crate) fn decode(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line))
}

/// Text without the separators around it. Those inside stay.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_separator)
}

/// The words of a text, one after the other.
#[derive(Clone)]
pub(crate) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// Everything that was not read yet, as it was written.
    pub(crate) fn rest(&self) -> &'a str {
        trim(self.rest)
    }

    /// The next word, which stays unread.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Reads the next word if it is an integer.
    pub(crate) fn next_integer(&mut self) -> Option<i128> {
        let number = integer(self.peek()?)?;
        self.next();
        Some(number)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start_matches(is_separator);
        let (word, rest) = text.split_once(is_separator).unwrap_or((text, ""));
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// An integer of any length; what exceeds 128 bits becomes the nearest that does not.
pub(crate) fn integer(word: &str) -> Option<i128> {
    match word.parse() {
        Ok(number) => Some(number),
        Err(error) => match error.kind() {
            IntErrorKind::PosOverflow => Some(i128::MAX),
            IntErrorKind::NegOverflow => Some(i128::MIN),
            _ => None,
        },
    }
}

/// The nearest number between two of a narrower type.
pub(crate) fn clamped<T: TryFrom<i128> + Ord + Copy>(number: i128, least: T, most: T) -> T {
    let nearest = if number < 0 { least } else { most };
    T::try_from(number).unwrap_or(nearest).max(least).min(most)
}

/// A token to quote in an error: ASCII, one line, short.
pub(crate) fn excerpt(text: &str) -> String {
    excerpt_of(text, LONGEST_EXCERPT)
}

/// Like [`excerpt`], with the most characters given.
pub(crate) fn excerpt_of(text: &str, longest: usize) -> String {
    let mut shown = String::new();
    for character in text.chars() {
        let before = shown.len();
        push_ascii(&mut shown, character);
        if shown.len() > longest {
            shown.truncate(before);
            shown.push_str("...");
            break;
        }
    }
    shown
}

fn push_ascii(shown: &mut String, character: char) {
    if matches!(character, ' '..='~') {
        shown.push(character);
    } else {
        shown.extend(character.escape_default());
    }
}

/// Passes text on in ASCII and without line breaks: control characters become blanks, others `\u{..}`.
pub(crate) struct OneAsciiLine<'a, 'b>(pub(crate) &'a mut fmt::Formatter<'b>);

impl fmt::Write for OneAsciiLine<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|character| self.write_char(character))
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        match character {
            ' '..='~' => self.0.write_char(character),
            _ if character.is_ascii_control() => self.0.write_char(' '),
            _ => write!(self.0, "{}", character.escape_unicode()),
        }
    }
}

/// Writes ` a b c`: a blank before each.
pub(crate) fn write_words(f: &mut fmt::Formatter<'_>, words: &[String]) -> fmt::Result {
    words.iter().try_for_each(|word| write!(f, " {word}"))
}

/// Writes ` name value` if there is a value.
pub(crate) fn write_field<T: fmt::Display>(f: &mut fmt::Formatter<'_>, name: &str, value: Option<&T>) -> fmt::Result {
    match value {
        Some(value) => write!(f, " {name} {value}"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_blanks_tabs_and_nuls() {
        let words: Vec<_> = Words::new("  go\t\tdepth \0 5\r\n").collect();
        assert_eq!(words, ["go", "depth", "5"]);
        assert_eq!(Words::new(" \r\n\0").next(), None);
    }

    #[test]
    fn the_rest_keeps_its_inner_blanks() {
        let mut words = Words::new("value  a  b \r\n");
        words.next();
        assert_eq!(words.rest(), "a  b");
    }

    #[test]
    fn huge_integers_saturate() {
        assert_eq!(integer("-5"), Some(-5));
        assert_eq!(integer(&"9".repeat(1000)), Some(i128::MAX));
        assert_eq!(integer(&format!("-{}", "9".repeat(1000))), Some(i128::MIN));
        assert_eq!(integer("5x"), None);
        assert_eq!(integer("-"), None);
        assert_eq!(clamped(-1, 0_u32, u32::MAX), 0);
        assert_eq!(clamped(1 << 40, 0_u32, u32::MAX), u32::MAX);
    }

    #[test]
    fn excerpts_are_short_and_ascii() {
        assert_eq!(excerpt("C:\\a b"), "C:\\a b");
        assert_eq!(excerpt("歩\n"), "\\u{6b69}\\n");
        let long = excerpt(&"歩".repeat(1_000_000));
        assert!(long.is_ascii() && long.ends_with("...") && long.len() <= LONGEST_EXCERPT + 3);
    }
}
