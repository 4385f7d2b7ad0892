//! How an engine declares its options.

use std::fmt;

/// An option as an engine declares it. Its `Display` is the line `option name ..`.
///
/// Engines may declare anything, and [`crate::Reply::parse`] takes it as it comes; [`OptionDeclaration::check_words`] tells what
/// every GUI understands.
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
    /// The type with its default.
    pub kind: OptionKind,
}

/// The types of options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// On or off.
    Check {
        /// The value unless set.
        default: bool,
    },
    /// An integer.
    Spin {
        /// The value unless set.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// The value unless set.
        default: String,
        /// All values.
        choices: Vec<String>,
    },
    /// Any text.
    String {
        /// The value unless set.
        default: String,
    },
    /// The name of a file or folder; GUIs offer a file dialogue.
    Filename {
        /// The value unless set.
        default: String,
    },
    /// An action without a value.
    Button,
}

impl OptionDeclaration {
    /// An option that is on or off.
    #[must_use]
    pub fn check(name: &str, default: bool) -> Self {
        Self::of(name, OptionKind::Check { default })
    }

    /// An integer from `min` to `max`.
    #[must_use]
    pub fn spin(name: &str, default: i64, min: i64, max: i64) -> Self {
        Self::of(name, OptionKind::Spin { default, min, max })
    }

    /// One of several words.
    #[must_use]
    pub fn combo(name: &str, default: &str, choices: &[&str]) -> Self {
        let choices = choices.iter().map(|&choice| choice.to_owned()).collect();
        Self::of(name, OptionKind::Combo { default: default.to_owned(), choices })
    }

    /// A text.
    #[must_use]
    pub fn string(name: &str, default: &str) -> Self {
        Self::of(name, OptionKind::String { default: default.to_owned() })
    }

    /// The name of a file or folder.
    #[must_use]
    pub fn filename(name: &str, default: &str) -> Self {
        Self::of(name, OptionKind::Filename { default: default.to_owned() })
    }

    /// An action.
    #[must_use]
    pub fn button(name: &str) -> Self {
        Self::of(name, OptionKind::Button)
    }

    fn of(name: &str, kind: OptionKind) -> Self {
        Self { name: name.to_owned(), kind }
    }

    /// Whether the name is this option's, without regard to case.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

impl fmt::Display for OptionDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, choices } => {
                write!(f, "combo default {default}")?;
                choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            OptionKind::String { default } => write!(f, "string default {}", or_empty(default)),
            OptionKind::Filename { default } => write!(f, "filename default {}", or_empty(default)),
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

#[cfg(test)]
mod tests {
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
}
