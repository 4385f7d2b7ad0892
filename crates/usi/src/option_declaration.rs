//! The options that an engine declares: types, defaults, the line `option`, and the values each
//! type takes.

use std::fmt::{self, Write as _};

use crate::text::{OneAsciiLine, Words, clamped, excerpt, number};

/// An option as an engine declares it. Its `Display` is the line `option name ..`.
///
/// Engines may declare anything, and [`crate::Reply::parse`] reads it.
/// [`OptionDeclaration::check_words`] checks whether every GUI understands a declaration.
///
/// ```
/// use kiki_usi::OptionDeclaration;
///
/// let threads = OptionDeclaration::spin("Threads", 4, 1, 512);
/// assert_eq!(threads.to_string(), "option name Threads type spin default 4 min 1 max 512");
/// let log = OptionDeclaration::filename("DebugLogFile", "");
/// assert_eq!(log.to_string(), "option name DebugLogFile type filename default <empty>");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionDeclaration {
    /// The name; names are compared without regard to case.
    pub name: String,
    /// The type.
    pub kind: OptionKind,
    /// The value unless set, of that type.
    pub default: OptionValue,
}

/// The types of options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// On or off.
    Check,
    /// An integer.
    Spin {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// All values.
        choices: Vec<String>,
    },
    /// Any text.
    String,
    /// The name of a file or folder; GUIs offer a file dialogue.
    Filename,
    /// An action without a value.
    Button,
}

impl OptionDeclaration {
    /// An option that is on or off.
    #[must_use]
    pub fn check(name: &str, default: bool) -> Self {
        Self::new(name, OptionKind::Check, OptionValue::Check(default))
    }

    /// An integer from `min` to `max`.
    #[must_use]
    pub fn spin(name: &str, default: i64, min: i64, max: i64) -> Self {
        Self::new(name, OptionKind::Spin { min, max }, OptionValue::Spin(default))
    }

    /// One of several words.
    #[must_use]
    pub fn combo(name: &str, default: &str, choices: &[&str]) -> Self {
        let choices = choices.iter().map(|&choice| choice.to_owned()).collect();
        Self::new(name, OptionKind::Combo { choices }, OptionValue::Text(default.to_owned()))
    }

    /// A text.
    #[must_use]
    pub fn string(name: &str, default: &str) -> Self {
        Self::new(name, OptionKind::String, OptionValue::Text(default.to_owned()))
    }

    /// The name of a file or folder.
    #[must_use]
    pub fn filename(name: &str, default: &str) -> Self {
        Self::new(name, OptionKind::Filename, OptionValue::Text(default.to_owned()))
    }

    /// An action.
    #[must_use]
    pub fn button(name: &str) -> Self {
        Self::new(name, OptionKind::Button, OptionValue::Button)
    }

    fn new(name: &str, kind: OptionKind, default: OptionValue) -> Self {
        Self { name: name.to_owned(), kind, default }
    }

    /// Whether the name is this option's, without regard to case.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

impl fmt::Display for OptionDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = &self.default;
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check => write!(f, "check default {default}"),
            OptionKind::Spin { min, max } => write!(f, "spin default {default} min {min} max {max}"),
            OptionKind::Combo { choices } => {
                write!(f, "combo default {default}")?;
                choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            OptionKind::String => write!(f, "string default {default}"),
            OptionKind::Filename => write!(f, "filename default {default}"),
            OptionKind::Button => f.write_str("button"),
        }
    }
}

/// How USI writes an empty text.
pub(crate) fn or_empty(text: &str) -> &str {
    if text.is_empty() { "<empty>" } else { text }
}

/// The text that `<empty>` stands for.
pub(crate) fn from_empty(text: &str) -> &str {
    if text == "<empty>" { "" } else { text }
}

/// Why an engine cannot declare an option. The text is ASCII.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("option `{name}`: {fault}")]
pub struct DeclarationError {
    /// The option, shortened.
    pub name: String,
    /// The part at fault, in words.
    pub fault: String,
}

impl DeclarationError {
    pub(crate) fn new(name: &str, fault: impl Into<String>) -> Self {
        Self { name: excerpt(name), fault: fault.into() }
    }
}

impl OptionDeclaration {
    /// Checks that every GUI will understand the declaration. GUIs split at blanks and differ in
    /// encoding, so name, choices and default are single ASCII words. The default is of the type,
    /// and in range.
    ///
    /// # Errors
    /// Names the part at fault. [`crate::OptionSet::declare`] calls this, so an engine notices its
    /// own mistakes.
    pub fn check_words(&self) -> Result<(), DeclarationError> {
        self.check_word("name", &self.name)?;
        match (&self.kind, &self.default) {
            (OptionKind::Check, OptionValue::Check(_)) | (OptionKind::Button, OptionValue::Button) => Ok(()),
            (&OptionKind::Spin { min, max }, &OptionValue::Spin(default)) => {
                if (min..=max).contains(&default) {
                    return Ok(());
                }
                Err(DeclarationError::new(&self.name, format!("the default {default} is not in {min}..={max}")))
            }
            (OptionKind::Combo { choices }, OptionValue::Text(default)) => {
                choices.iter().try_for_each(|choice| self.check_word("choice", choice))?;
                if choices.contains(default) {
                    return Ok(());
                }
                let fault = format!("the default `{}` is not one of the choices", excerpt(default));
                Err(DeclarationError::new(&self.name, fault))
            }
            (OptionKind::String | OptionKind::Filename, OptionValue::Text(default)) => {
                self.check_word("default", or_empty(default))
            }
            _ => Err(DeclarationError::new(&self.name, "the default is of another type")),
        }
    }

    fn check_word(&self, what: &str, text: &str) -> Result<(), DeclarationError> {
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(());
        }
        Err(DeclarationError::new(&self.name, format!("the {what} `{}` is not one ASCII word", excerpt(text))))
    }
}

/// The value of an option. Its `Display` is ASCII: `true`, `12`, a text or `<empty>`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionValue {
    /// Of a check.
    Check(bool),
    /// Of a spin.
    Spin(i64),
    /// Of a combo, a string or a file name.
    Text(String),
    /// A button has none.
    Button,
}

/// Why an option could not be set or read. Its value stays as it was. Tokens are shortened and
/// ASCII.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionError {
    /// No option has this name.
    #[error("no such option: {0}")]
    Unknown(String),
    /// The value is not of the option's type.
    #[error("option {name} takes {expected}, not `{value}`")]
    WrongValue {
        /// The option.
        name: String,
        /// The value.
        value: String,
        /// What it takes, in words.
        expected: String,
    },
    /// The option was read as another type than it was declared with.
    #[error("option {name} is not a {asked}")]
    WrongType {
        /// The option.
        name: String,
        /// The type it was read as.
        asked: &'static str,
    },
}

impl OptionDeclaration {
    pub(crate) fn read(&self, text: &str) -> Result<OptionValue, OptionError> {
        let value = match &self.kind {
            OptionKind::Check => text.to_ascii_lowercase().parse().ok().map(OptionValue::Check),
            OptionKind::Spin { min, max } => {
                let number = number(text).and_then(|number| i64::try_from(number).ok());
                number.filter(|number| (min..=max).contains(&number)).map(OptionValue::Spin)
            }
            OptionKind::Combo { choices } => {
                let mut choices = choices.iter();
                let choice = choices.find(|choice| choice.eq_ignore_ascii_case(text));
                choice.cloned().map(OptionValue::Text)
            }
            OptionKind::String | OptionKind::Filename => Some(OptionValue::Text(text.to_owned())),
            OptionKind::Button => Some(OptionValue::Button),
        };
        value.ok_or_else(|| OptionError::WrongValue {
            name: excerpt(&self.name),
            value: excerpt(text),
            expected: self.expected(),
        })
    }

    fn expected(&self) -> String {
        match &self.kind {
            OptionKind::Check => "true or false".to_owned(),
            OptionKind::Spin { min, max } => format!("a number from {min} to {max}"),
            OptionKind::Combo { choices } => format!("one of {}", choices.join(", ")),
            OptionKind::String | OptionKind::Filename => "a text".to_owned(),
            OptionKind::Button => "nothing".to_owned(),
        }
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(value) => write!(f, "{value}"),
            Self::Spin(value) => write!(f, "{value}"),
            Self::Text(value) => OneAsciiLine(f).write_str(or_empty(value)),
            Self::Button => f.write_str("<button>"),
        }
    }
}

impl OptionDeclaration {
    /// Reads the text after the word `option`: names, defaults and choices may have blanks, and all
    /// but name and type may be missing.
    pub(crate) fn parse(mut words: Words<'_>) -> Option<Self> {
        if words.next() != Some("name") {
            return None;
        }
        let name = phrase(&mut words, &["type"]);
        words.next();
        let (kind, default) = match words.next()? {
            "check" => {
                words.next();
                let is_on = words.next().is_some_and(|word| word.eq_ignore_ascii_case("true"));
                (OptionKind::Check, OptionValue::Check(is_on))
            }
            "spin" => spin(words),
            "combo" => combo(words),
            "string" => (OptionKind::String, text_default(words)),
            "filename" => (OptionKind::Filename, text_default(words)),
            "button" => (OptionKind::Button, OptionValue::Button),
            _ => return None,
        };
        Some(Self { name, kind, default })
    }
}

fn spin(mut words: Words<'_>) -> (OptionKind, OptionValue) {
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
    (OptionKind::Spin { min, max }, OptionValue::Spin(default))
}

fn combo(mut words: Words<'_>) -> (OptionKind, OptionValue) {
    let mut default = String::new();
    let mut choices = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "default" => default = phrase(&mut words, &["default", "var"]),
            "var" => choices.push(phrase(&mut words, &["default", "var"])),
            _ => {}
        }
    }
    (OptionKind::Combo { choices }, OptionValue::Text(default))
}

fn text_default(mut words: Words<'_>) -> OptionValue {
    words.next();
    OptionValue::Text(from_empty(words.rest()).to_owned())
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
    use crate::Reply;

    use super::*;

    #[test]
    fn every_type_has_its_line() {
        let lines = [
            (OptionDeclaration::check("USI_Ponder", false), "option name USI_Ponder type check default false"),
            (OptionDeclaration::combo("A", "x", &["x", "y"]), "option name A type combo default x var x var y"),
            (OptionDeclaration::string("B", "z"), "option name B type string default z"),
            (OptionDeclaration::string("B", ""), "option name B type string default <empty>"),
            (OptionDeclaration::button("Clear_Hash"), "option name Clear_Hash type button"),
        ];
        for (declaration, line) in lines {
            assert_eq!(declaration.to_string(), line);
            assert_eq!(declaration.check_words(), Ok(()));
        }
    }

    #[test]
    fn names_choices_and_defaults_are_single_ascii_words_and_a_default_can_be_set() {
        for (declaration, is_word) in [
            (OptionDeclaration::check("Clear Hash", true), false),
            (OptionDeclaration::check("", true), false),
            (OptionDeclaration::check("利き", true), false),
            (OptionDeclaration::filename("BookDir", "my books"), false),
            (OptionDeclaration::combo("A", "x", &["x", "y z"]), false),
            (OptionDeclaration::spin("A", 0, 1, 2), true),
            (OptionDeclaration::spin("A", 1, 2, 1), true),
            (OptionDeclaration::combo("A", "z", &["x", "y"]), true),
            (OptionDeclaration::combo("A", "", &[]), true),
            (OptionDeclaration { kind: OptionKind::Button, ..OptionDeclaration::spin("A", 1, 1, 2) }, true),
        ] {
            let error = declaration.check_words().unwrap_err();
            assert_eq!(error.fault.ends_with("is not one ASCII word"), !is_word, "{error}");
            assert!(error.to_string().is_ascii());
        }
    }

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
