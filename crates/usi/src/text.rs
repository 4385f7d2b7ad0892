//! Splits bytes into words and numbers, defines command errors, and turns any text into one line of
//! ASCII.

use std::borrow::Cow;
use std::fmt;
use std::num::IntErrorKind;

use encoding_rs::SHIFT_JIS;

/// The greatest integer that every program reads exactly: many store numbers as floating point.
pub const GREATEST_INTEGER: i64 = (1 << 53) - 1;

/// The most characters of a foreign token that an error quotes.
pub(crate) const LONGEST_EXCERPT: usize = 40;

/// The separators of words: blanks and all other ASCII control bytes, so that CR, tabs and NULs do
/// not stick to a word.
fn is_separator(character: char) -> bool {
    character <= ' ' || character == '\x7f'
}

/// A line as text. A line that is not UTF-8 is read as Shift_JIS, in which many programs on Windows
/// write paths. In a line that is neither, bytes that are not UTF-8 become U+FFFD. A byte order
/// mark, as some shells write, is dropped.
///
/// ```
/// assert_eq!(kiki_usi::decode("定跡.db".as_bytes()), "定跡.db");
/// assert_eq!(kiki_usi::decode(b"\x92\xe8\x90\xd5.db"), "定跡.db");
/// ```
#[must_use]
pub fn decode(line: &[u8]) -> Cow<'_, str> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    match std::str::from_utf8(line) {
        Ok(text) => text.into(),
        Err(_) => SHIFT_JIS
            .decode_without_bom_handling_and_without_replacement(line)
            .unwrap_or_else(|| String::from_utf8_lossy(line)),
    }
}

/// Whether part of a line could not be decoded, given the decoded text. A UTF-8 line may itself
/// contain U+FFFD.
pub(crate) fn is_damaged(line: &[u8], text: &str) -> bool {
    text.contains(char::REPLACEMENT_CHARACTER) && std::str::from_utf8(line).is_err()
}

/// Why a line is not a command. Tokens are shortened and ASCII.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CommandError {
    /// No command begins with this word.
    #[error("unknown command `{0}`")]
    Unknown(String),
    /// The text after a word is missing, or is no number.
    #[error("`{after}` needs {expected}")]
    Missing {
        /// The word.
        after: String,
        /// What must follow, and what follows instead.
        expected: String,
    },
    /// A `position` command names no position.
    #[error("`{after}` needs {expected}")]
    NoPosition {
        /// The word.
        after: &'static str,
        /// What must follow.
        expected: &'static str,
    },
    /// The value of an option has bytes that are neither UTF-8 nor Shift_JIS, so it cannot be
    /// stored.
    #[error("the value of the option `{name}` is neither UTF-8 nor Shift_JIS: `{value}`")]
    NotText {
        /// The option.
        name: String,
        /// Its value, with `\u{fffd}` for unreadable parts.
        value: String,
    },
}

impl CommandError {
    pub(crate) fn missing(after: &str, expected: impl Into<String>) -> Self {
        Self::Missing { after: excerpt(after), expected: expected.into() }
    }
}

/// Text without the separators around it. Separators inside stay.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_separator)
}

#[derive(Clone)]
pub(crate) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    /// The unread rest, as it was written.
    pub(crate) fn rest(&self) -> &'a str {
        trim(self.rest)
    }

    /// The next word, which stays unread.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Reads the next word if it is a number, rounding it down to an integer.
    pub(crate) fn next_number(&mut self) -> Option<i128> {
        let number = number(self.peek()?)?;
        self.next();
        Some(number)
    }

    pub(crate) fn required_number(&mut self, keyword: &str) -> Result<i128, CommandError> {
        self.next_number().ok_or_else(|| match self.peek() {
            Some(token) => CommandError::missing(keyword, format!("a number, not `{}`", excerpt(token))),
            None => CommandError::missing(keyword, "a number"),
        })
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

/// A number of any length, rounded down to an integer: `1000`, `999.5`, `1e3`. Values beyond 128
/// bits become the nearest within.
///
/// Some programs compute times and limits in floating point and write them that way.
pub(crate) fn number(word: &str) -> Option<i128> {
    integer(word).or_else(|| rounded_down(word))
}

/// The integer at or below a decimal number with a fraction or an exponent.
fn rounded_down(word: &str) -> Option<i128> {
    let (is_negative, magnitude) = match word.strip_prefix('-') {
        Some(magnitude) => (true, magnitude),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let (mantissa, exponent) = magnitude.split_once(['e', 'E']).unwrap_or((magnitude, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let point = integer(exponent)?.saturating_add(whole.len() as i128);
    let has_digits = |digits: &str| digits.bytes().any(|digit| digit != b'0');
    let (kept, cut) = digits.split_at(clamped(point, 0, digits.len()));
    let missing_zeros = (point - kept.len() as i128).max(0);
    let truncated = match kept {
        _ if !has_digits(kept) => 0,
        // More digits than the greatest number has.
        _ if missing_zeros > 39 => i128::MAX,
        _ => integer(&format!("{kept}{}", "0".repeat(missing_zeros as usize)))?,
    };
    Some(if is_negative { (-truncated).saturating_sub(i128::from(has_digits(cut))) } else { truncated })
}

/// An integer of any length; values beyond 128 bits become the nearest within.
fn integer(word: &str) -> Option<i128> {
    match word.parse() {
        Ok(number) => Some(number),
        Err(error) => match error.kind() {
            IntErrorKind::PosOverflow => Some(i128::MAX),
            IntErrorKind::NegOverflow => Some(i128::MIN),
            _ => None,
        },
    }
}

/// The nearest number within a range of a narrower type.
pub(crate) fn clamped<T: TryFrom<i128> + Ord + Copy>(number: i128, least: T, most: T) -> T {
    let nearest = if number < 0 { least } else { most };
    T::try_from(number).unwrap_or(nearest).max(least).min(most)
}

/// A token for quoting in an error: short ASCII on one line.
pub(crate) fn excerpt(text: &str) -> String {
    ascii_excerpt(text, LONGEST_EXCERPT)
}

/// The beginning of a text for quoting: ASCII on one line, at most `longest` characters and `...`.
#[must_use]
pub fn ascii_excerpt(text: &str, longest: usize) -> String {
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

/// The text; one with more than `longest` characters keeps beginning and end, with `...` between
/// them.
pub(crate) fn middle_cut(text: &str, longest: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= longest {
        return text.into();
    }
    let half = longest / 2;
    text.chars().take(half).chain("...".chars()).chain(text.chars().skip(count - half)).collect::<String>().into()
}

fn push_ascii(shown: &mut String, character: char) {
    if matches!(character, ' '..='~') {
        shown.push(character);
    } else {
        shown.extend(character.escape_default());
    }
}

/// Passes text on in ASCII on one line: control characters become blanks, others `\u{..}`.
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
    fn what_is_no_utf8_is_shift_jis() {
        for (line, text) in [
            ("評価".as_bytes(), "評価"),
            (b"\x95\x5d\x89\xbf", "評価"),
            (b"C:\\\x8f\xab\x8a\xfb\\\x92\xe8\x90\xd5.db", "C:\\将棋\\定跡.db"),
            // The second byte of a character may be a backslash or a bar.
            (b"\x95\x5c \x83\x7c", "表 ポ"),
            (b"\xb6\xc5", "ｶﾅ"),
            (b"\xef\xbb\xbfusi", "usi"),
        ] {
            assert_eq!(decode(line), text);
            assert!(!is_damaged(line, &decode(line)), "{text}");
        }
        for (line, damaged) in [(&b"a\xff\x95"[..], true), ("a\u{fffd}\u{fffd}".as_bytes(), false)] {
            assert_eq!(decode(line), "a\u{fffd}\u{fffd}");
            assert_eq!(is_damaged(line, &decode(line)), damaged);
        }
    }

    #[test]
    fn numbers_are_rounded_down() {
        for (word, expected) in [
            ("1000.0", 1000),
            ("999.5", 999),
            ("999.", 999),
            (".5", 0),
            ("-0.5", -1),
            ("-2.0", -2),
            ("+7.9", 7),
            ("1e3", 1000),
            ("1.5E+3", 1500),
            ("12345e-2", 123),
            ("-12345e-2", -124),
            ("1e-99999999999999999999999999999999999999999", 0),
            ("0e99999", 0),
            ("1e99999999999999999999999999999999999999999", i128::MAX),
            ("-1e400", -i128::MAX),
        ] {
            assert_eq!(number(word), Some(expected), "{word}");
        }
        for word in
            ["", ".", "-", "e3", ".e3", "1e", "1e1.5", "1.2.3", "1,5", "1_000", "0x10", "1s", "inf", "nan", "--1"]
        {
            assert_eq!(number(word), None, "{word}");
        }
    }
}
