//! The value of an option, read by the rules of its declaration.

use std::fmt::{self, Write as _};

use crate::options::{OptionDeclaration, OptionKind, or_empty};
use crate::text::{OneAsciiLine, excerpt, number};

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

/// Why an option could not be set or read. Its value is what it was before. Tokens are shortened and ASCII.
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
    /// Reads a value of this option's type.
    pub(crate) fn read(&self, text: &str) -> Result<OptionValue, OptionError> {
        let value = match &self.kind {
            OptionKind::Check { .. } => text.to_ascii_lowercase().parse().ok().map(OptionValue::Check),
            OptionKind::Spin { min, max, .. } => {
                let number = number(text).and_then(|number| i64::try_from(number).ok());
                number.filter(|number| (min..=max).contains(&number)).map(OptionValue::Spin)
            }
            OptionKind::Combo { choices, .. } => {
                let mut choices = choices.iter();
                let choice = choices.find(|choice| choice.eq_ignore_ascii_case(text));
                choice.cloned().map(OptionValue::Text)
            }
            OptionKind::String { .. } | OptionKind::Filename { .. } => Some(OptionValue::Text(text.to_owned())),
            OptionKind::Button => Some(OptionValue::Button),
        };
        value.ok_or_else(|| OptionError::WrongValue {
            name: excerpt(&self.name),
            value: excerpt(text),
            expected: self.expected(),
        })
    }

    /// The same option with another default; as it is if the value is not of its type.
    pub(crate) fn with_default(&self, value: &OptionValue) -> Self {
        let mut changed = self.clone();
        match (&mut changed.kind, value) {
            (OptionKind::Check { default }, OptionValue::Check(value)) => *default = *value,
            (OptionKind::Spin { default, .. }, OptionValue::Spin(value)) => *default = *value,
            (
                OptionKind::Combo { default, .. } | OptionKind::String { default } | OptionKind::Filename { default },
                OptionValue::Text(value),
            ) => default.clone_from(value),
            _ => {}
        }
        changed
    }

    /// What a value must be, in words.
    fn expected(&self) -> String {
        match &self.kind {
            OptionKind::Check { .. } => "true or false".to_owned(),
            OptionKind::Spin { min, max, .. } => format!("a number from {min} to {max}"),
            OptionKind::Combo { choices, .. } => format!("one of {}", choices.join(", ")),
            OptionKind::String { .. } | OptionKind::Filename { .. } => "a text".to_owned(),
            OptionKind::Button => "nothing".to_owned(),
        }
    }
}

impl OptionValue {
    pub(crate) fn default_of(kind: &OptionKind) -> Self {
        match kind {
            OptionKind::Check { default } => Self::Check(*default),
            OptionKind::Spin { default, .. } => Self::Spin(*default),
            OptionKind::Combo { default, .. } | OptionKind::String { default } | OptionKind::Filename { default } => {
                Self::Text(default.clone())
            }
            OptionKind::Button => Self::Button,
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
