//! Text of any origin: decoding, and putting it on one line.

use std::borrow::Cow;
use std::collections::BTreeSet;

use encoding_rs::{EUC_JP, Encoding, SHIFT_JIS};
use kiki_text::breaks_lines;

/// A text with blanks for its line breaks, and none around it.
pub(crate) fn one_line(text: &str) -> String {
    let line: String = text.chars().map(|c| if breaks_lines(c) { ' ' } else { c }).collect();
    line.trim().to_owned()
}

/// A comment line without blanks around it. One blank stays before `&`, which would begin a
/// bookmark.
pub(crate) fn comment_line(line: &str) -> String {
    let text = one_line(line);
    if text.starts_with('&') && !line.starts_with('&') { format!(" {text}") } else { text }
}

/// The lines of a comment. Blank lines at both ends are left out.
pub(crate) fn lines_of(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(comment_line).skip_while(String::is_empty).collect();
    lines.truncate(lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1));
    lines
}

/// A text on one line with semicolons for commas: some CSA readers take the text after a comma for
/// the next statement.
pub(crate) fn one_line_without_commas(text: &str) -> String {
    one_line(text).replace(',', ";")
}

/// The encoding of a written file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TextEncoding {
    /// UTF-8 without a byte order mark, for new programs.
    #[default]
    Utf8,
    /// Shift_JIS, for old Japanese programs. Letters that it lacks become similar ones, such as ▲
    /// for ☗, or else references like `&#54620;`.
    ShiftJis,
}

/// Letters that Shift_JIS lacks, with their replacements. The last are common kanji and a name.
const SIMILAR: [(char, char); 25] = [
    ('☗', '▲'),
    ('☖', '△'),
    ('⛊', '▲'),
    ('⛉', '△'),
    ('〜', '～'),
    ('−', '－'),
    ('–', '－'),
    ('—', '―'),
    ('‖', '∥'),
    ('‑', '‐'),
    ('⋯', '…'),
    ('•', '・'),
    ('«', '≪'),
    ('»', '≫'),
    ('¥', '￥'),
    ('¢', '￠'),
    ('£', '￡'),
    ('¬', '￢'),
    ('‾', '￣'),
    ('\u{a0}', ' '),
    ('𠮟', '叱'),
    ('塡', '填'),
    ('剝', '剥'),
    ('頰', '頬'),
    ('𠮷', '吉'),
];

impl TextEncoding {
    pub(crate) fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 => text.into(),
            Self::ShiftJis => SHIFT_JIS.encode(&text.chars().map(similar).collect::<String>()).0.into(),
        }
    }
}

/// The letters of a text that become references in Shift_JIS.
pub(crate) fn missing_in_shift_jis(text: &str) -> BTreeSet<char> {
    let mut letters: BTreeSet<char> = text.chars().map(similar).collect();
    letters.retain(|letter| !letter.is_ascii() && SHIFT_JIS.encode(letter.encode_utf8(&mut [0; 4])).2);
    letters
}

fn similar(letter: char) -> char {
    SIMILAR.iter().find(|(lacking, _)| *lacking == letter).map_or(letter, |&(_, other)| other)
}

/// The lines of a file, numbered from 1, without trailing blanks and byte order mark.
pub(crate) fn numbered_lines(bytes: &[u8]) -> Vec<(usize, String)> {
    let decoder = Decoder::for_file(bytes);
    let (bytes, line_end) = content(bytes);
    let lines = bytes.split(|&byte| byte == line_end).enumerate();
    lines.map(|(index, line)| (index + 1, decoder.decode(line).trim_end().to_owned())).collect()
}

/// The bytes of a file without a byte order mark and without the padding of DOS at its end. The
/// second value ends lines: CR if the file has no LF.
pub(crate) fn content(bytes: &[u8]) -> (&[u8], u8) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // A program may have added a line break to the padding.
    let end = bytes.iter().rposition(|byte| !b"\0\x1a\r\n".contains(byte)).map_or(0, |last| last + 1);
    let padding = bytes.iter().skip(end).position(|byte| b"\0\x1a".contains(byte));
    let length = padding.map_or(bytes.len(), |padding| end + padding);
    let line_end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
    (bytes.get(..length).unwrap_or(bytes), line_end)
}

pub(crate) fn add_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

/// Decodes the Japanese encodings of records.
pub(crate) struct Decoder {
    /// The encoding of lines that are not UTF-8.
    fallback: &'static Encoding,
    /// Whether it applies to all lines. Some kana in Shift_JIS are also valid UTF-8.
    is_certain: bool,
}

impl Decoder {
    /// Detects the encoding of a file. EUC-JP, used by records of the 1990s and 2000s, is tried
    /// first: Japanese text in Shift_JIS is hardly ever valid EUC-JP, but the reverse happens.
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

    /// The text of a line. Every line is UTF-8 if valid: joined files mix encodings, and broken
    /// bytes in a comment must not spoil the names on other lines.
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
    fn similar_letters_are_those_that_shift_jis_has() {
        for (lacking, similar) in SIMILAR {
            let comes_back =
                |letter: char| SHIFT_JIS.decode(&SHIFT_JIS.encode(&letter.to_string()).0).0 == letter.to_string();
            assert!(!comes_back(lacking) && comes_back(similar), "{lacking} {similar}");
        }
    }

    #[test]
    fn broken_bytes_are_replaced() {
        let bytes = b"N+\x83\n";
        assert_eq!(Decoder::for_file(bytes).decode(bytes), "N+\u{fffd}\n");
    }
}
