//! Text with words from outside, such as names and lines of engines, in a form that terminals do not obey.

use std::fmt::Write as _;

use kiki_board::{is_printable, printable};

/// The lines of a text, each printable. Line ends and tabs stay; those within words from outside must have been escaped before.
pub fn printable_lines(text: &str) -> String {
    let line = |line: &str| line.split('\t').map(printable).collect::<Vec<_>>().join("\t");
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// JSON in several lines with the escapes of JSON, so that its values stay the same.
pub fn printable_json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '\n' || is_printable(character) {
            shown.push(character);
        } else {
            // Only texts hold such characters.
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\x1b[2J\u{9b}31m\u{202e}\u{e0041}\u{7f}歩";

    #[test]
    fn lines_stay_lines_and_hold_nothing_that_is_obeyed() {
        assert_eq!(printable_lines("a\tb\r\n\x1b\n"), "a\tb\\u{d}\n\\u{1b}\n");
        assert_eq!(printable_lines(HOSTILE), printable(HOSTILE));
    }

    #[test]
    fn json_keeps_its_values() {
        let value = serde_json::json!({ HOSTILE: [HOSTILE, "\n\t\"\\"], "n": 1.5 });
        let text = printable_json(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(printable_lines(&text), text);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
