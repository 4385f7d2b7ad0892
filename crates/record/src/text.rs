//! Texts of any origin: decoded, cut to one line.

use std::borrow::Cow;

use encoding_rs::{EUC_JP, Encoding, SHIFT_JIS};
use kiki_board::breaks_lines;

/// A text on one line, without blanks around it.
pub(crate) fn one_line(text: &str) -> String {
    let line: String = text.chars().map(|c| if breaks_lines(c) { ' ' } else { c }).collect();
    line.trim().to_owned()
}

/// The lines of a text of several, without blanks around them. Blank ones are kept between others.
pub(crate) fn lines_of(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(one_line).skip_while(String::is_empty).collect();
    lines.truncate(lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1));
    lines
}

/// A text on one line, its commas made semicolons: some CSA readers take what follows a comma for the next statement.
pub(crate) fn one_line_without_commas(text: &str) -> String {
    one_line(text).replace(',', ";")
}

/// How a text is written into a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TextEncoding {
    /// UTF-8 without a byte order mark, as new programs expect it.
    #[default]
    Utf8,
    /// Shift_JIS, as old Japanese programs expect it. A character that it lacks becomes a reference like `&#9751;`.
    ShiftJis,
}

impl TextEncoding {
    /// The bytes of a text.
    pub(crate) fn encode(self, text: String) -> Vec<u8> {
        match self {
            Self::Utf8 => text.into_bytes(),
            Self::ShiftJis => SHIFT_JIS.encode(&text).0.into_owned(),
        }
    }
}

/// The lines of a file with their numbers, which begin with 1, without blanks at their ends and without a byte order mark.
pub(crate) fn numbered_lines(bytes: &[u8]) -> Vec<(usize, String)> {
    let decoder = Decoder::for_file(bytes);
    let (bytes, line_end) = content(bytes);
    let lines = bytes.split(|&byte| byte == line_end).enumerate();
    lines.map(|(index, line)| (index + 1, decoder.decode(line).trim_end().to_owned())).collect()
}

/// The bytes of a file without a byte order mark and without what DOS and others put behind its end, and the byte that ends its lines: CR
/// where there is no LF.
pub(crate) fn content(bytes: &[u8]) -> (&[u8], u8) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let length = bytes.iter().rposition(|&byte| !matches!(byte, 0 | 0x1a)).map_or(0, |last| last + 1);
    let line_end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
    (bytes.get(..length).unwrap_or(bytes), line_end)
}

/// Adds a line to a text of several.
pub(crate) fn add_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// Reads the Japanese encodings that records come in.
pub(crate) struct Decoder {
    /// What lines are in that are not UTF-8.
    fallback: &'static Encoding,
    /// Whether all lines are in it: some kana in Shift_JIS are well-formed UTF-8 too.
    is_certain: bool,
}

impl Decoder {
    /// Finds out how a file is encoded. Kana and kanji in Shift_JIS are hardly ever well-formed EUC-JP, whereas the reverse happens,
    /// so EUC-JP (records of the 1990s and 2000s) is tried first.
    pub(crate) fn for_file(bytes: &[u8]) -> Self {
        let is_declared = ["'CSA encoding=SHIFT_JIS", "#KIF version=2.0 encoding=Shift_JIS"]
            .iter()
            .any(|start| bytes.get(..start.len()).is_some_and(|first| first.eq_ignore_ascii_case(start.as_bytes())));
        let is_euc = std::str::from_utf8(bytes).is_err()
            && !is_declared
            && EUC_JP.decode_without_bom_handling_and_without_replacement(bytes).is_some();
        let is_certain = is_declared
            && std::str::from_utf8(bytes).is_err()
            && SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes).is_some();
        Self { fallback: if is_euc { EUC_JP } else { SHIFT_JIS }, is_certain }
    }

    /// The text of a line. Each line is taken for UTF-8 if it can be: joined files may mix encodings, and broken bytes in the comment
    /// of one line should not spoil the names on others.
    pub(crate) fn decode<'a>(&self, line: &'a [u8]) -> Cow<'a, str> {
        match std::str::from_utf8(line) {
            Ok(text) if !self.is_certain => text.into(),
            _ => self.fallback.decode_without_bom_handling(line).0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn japanese_names_are_read_in_three_encodings() {
        for name in ["先手の名前", "カタカナ", "山田 太郎"] {
            for bytes in [name.as_bytes().to_vec(), SHIFT_JIS.encode(name).0.to_vec(), EUC_JP.encode(name).0.to_vec()] {
                assert_eq!(Decoder::for_file(&bytes).decode(&bytes), name);
            }
        }
    }

    #[test]
    fn broken_bytes_are_replaced() {
        let bytes = b"N+\x83\n";
        assert_eq!(Decoder::for_file(bytes).decode(bytes), "N+\u{fffd}\n");
    }
}
