//! `option` lines of any engine.

use crate::options::{OptionDeclaration, OptionKind, from_empty};
use crate::text::{Words, clamped};

impl OptionDeclaration {
    /// Reads what follows the word `option`: names, defaults and choices may hold blanks, and anything but name and type may be missing.
    pub(crate) fn parse(mut words: Words<'_>) -> Option<Self> {
        if words.next() != Some("name") {
            return None;
        }
        let name = phrase(&mut words, &["type"]);
        words.next();
        let kind = match words.next()? {
            "check" => {
                words.next();
                OptionKind::Check { default: words.next().is_some_and(|word| word.eq_ignore_ascii_case("true")) }
            }
            "spin" => spin(words),
            "combo" => combo(words),
            "string" => OptionKind::String { default: text_default(words) },
            "filename" => OptionKind::Filename { default: text_default(words) },
            "button" => OptionKind::Button,
            _ => return None,
        };
        Some(Self { name, kind })
    }
}

fn spin(mut words: Words<'_>) -> OptionKind {
    let (mut default, mut min, mut max) = (None, i64::MIN, i64::MAX);
    while let Some(word) = words.next() {
        let mut number = || words.next_number().map(|number| clamped(number, i64::MIN, i64::MAX));
        match word {
            "default" => default = number(),
            "min" => min = number().unwrap_or(min),
            "max" => max = number().unwrap_or(max),
            _ => {}
        }
    }
    let default = default.unwrap_or_else(|| 0.min(max).max(min));
    OptionKind::Spin { default, min, max }
}

fn combo(mut words: Words<'_>) -> OptionKind {
    let mut default = String::new();
    let mut choices = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "default" => default = phrase(&mut words, &["default", "var"]),
            "var" => choices.push(phrase(&mut words, &["default", "var"])),
            _ => {}
        }
    }
    OptionKind::Combo { default, choices }
}

fn text_default(mut words: Words<'_>) -> String {
    words.next();
    from_empty(words.rest()).to_owned()
}

/// The words up to one of `ends`, but at least one word whatever it is.
fn phrase(words: &mut Words<'_>, ends: &[&str]) -> String {
    let mut phrase = words.next().unwrap_or_default().to_owned();
    while let Some(word) = words.peek().filter(|word| !ends.contains(word)) {
        phrase.push(' ');
        phrase.push_str(word);
        words.next();
    }
    phrase
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reply;

    fn declared(line: &str) -> OptionDeclaration {
        let Reply::Option(declaration) = Reply::parse(line.as_bytes()) else { panic!("{line}") };
        declaration
    }

    #[test]
    fn options_may_hold_blanks() {
        let declaration = declared("option name Book File type filename default my books/a b.db");
        assert_eq!(declaration, OptionDeclaration::filename("Book File", "my books/a b.db"));
        let declaration = declared("option name Style type combo default very calm var very calm var wild");
        assert_eq!(declaration, OptionDeclaration::combo("Style", "very calm", &["very calm", "wild"]));
    }

    #[test]
    fn options_may_lack_what_others_have() {
        assert_eq!(declared("option name A type string"), OptionDeclaration::string("A", ""));
        assert_eq!(declared("option name A type string default <empty>"), OptionDeclaration::string("A", ""));
        assert_eq!(declared("option name A type check"), OptionDeclaration::check("A", false));
        assert_eq!(declared("option name A type spin min 3"), OptionDeclaration::spin("A", 3, 3, i64::MAX));
        assert_eq!(declared("option name A type combo"), OptionDeclaration::combo("A", "", &[]));
        for line in
            ["option", "option name", "option name A", "option name A type", "option name A type dial", "option A"]
        {
            assert_eq!(Reply::parse(line.as_bytes()), Reply::Other(line.to_owned()));
        }
    }
}
