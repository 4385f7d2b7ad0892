//! Checks that option declarations are understood by every GUI.

use crate::options::{OptionDeclaration, OptionKind};
use crate::text::excerpt;

/// Why some GUIs would misread an option declaration.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DeclarationError {
    /// GUIs cut at blanks and differ in encoding, so names, choices and defaults are single ASCII words.
    #[error("option `{name}`: the {what} `{text}` is not one ASCII word")]
    NotAWord {
        /// The option.
        name: String,
        /// Its part at fault.
        what: &'static str,
        /// The text of that part.
        text: String,
    },
    /// The default is not between the least and the greatest value.
    #[error("option `{name}`: the default {default} is not in {min}..={max}")]
    DefaultOutOfRange {
        /// The option.
        name: String,
        /// Its default.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// The default is none of the choices.
    #[error("option `{name}`: the default `{default}` is none of the choices")]
    DefaultNotAChoice {
        /// The option.
        name: String,
        /// Its default.
        default: String,
    },
    /// There is no option of which the name could be another one.
    #[error("option `{name}` is another name of `{option}`, which is not declared")]
    NoOption {
        /// The other name.
        name: String,
        /// The option.
        option: String,
    },
    /// Two options have the same name, apart from case.
    #[error("option `{name}` is declared twice")]
    Twice {
        /// The option.
        name: String,
    },
}

impl OptionDeclaration {
    /// Checks that every GUI will understand the declaration: single ASCII words, a default that may be set.
    ///
    /// # Errors
    /// The part at fault is named. [`crate::OptionSet::declare`] asks this, so an engine cannot get it wrong unnoticed.
    pub fn check_words(&self) -> Result<(), DeclarationError> {
        self.check_word("name", &self.name)?;
        match &self.kind {
            OptionKind::Check { .. } | OptionKind::Button => Ok(()),
            &OptionKind::Spin { default, min, max } => {
                if (min..=max).contains(&default) {
                    return Ok(());
                }
                Err(DeclarationError::DefaultOutOfRange { name: excerpt(&self.name), default, min, max })
            }
            OptionKind::Combo { default, choices } => {
                choices.iter().try_for_each(|choice| self.check_word("choice", choice))?;
                if choices.contains(default) {
                    return Ok(());
                }
                Err(DeclarationError::DefaultNotAChoice { name: excerpt(&self.name), default: excerpt(default) })
            }
            OptionKind::String { default } | OptionKind::Filename { default } if default.is_empty() => Ok(()),
            OptionKind::String { default } | OptionKind::Filename { default } => self.check_word("default", default),
        }
    }

    fn check_word(&self, what: &'static str, text: &str) -> Result<(), DeclarationError> {
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(());
        }
        Err(DeclarationError::NotAWord { name: excerpt(&self.name), what, text: excerpt(text) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choices_and_defaults_are_single_ascii_words() {
        for declaration in [
            OptionDeclaration::check("Clear Hash", true),
            OptionDeclaration::check("", true),
            OptionDeclaration::check("利き", true),
            OptionDeclaration::filename("BookDir", "my books"),
            OptionDeclaration::combo("A", "x", &["x", "y z"]),
        ] {
            let error = declaration.check_words().unwrap_err();
            assert!(matches!(error, DeclarationError::NotAWord { .. }), "{error}");
            assert!(error.to_string().is_ascii());
        }
    }

    #[test]
    fn a_default_can_be_set() {
        for declaration in [
            OptionDeclaration::spin("A", 0, 1, 2),
            OptionDeclaration::spin("A", 1, 2, 1),
            OptionDeclaration::combo("A", "z", &["x", "y"]),
            OptionDeclaration::combo("A", "", &[]),
        ] {
            assert!(declaration.check_words().is_err(), "{declaration}");
        }
    }
}
