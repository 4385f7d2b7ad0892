//! The options of an engine with their current values, from commands and from a settings file.

use crate::option_declaration::{DeclarationError, OptionDeclaration, OptionError, OptionValue, from_empty};
use crate::text::{Words, decode, excerpt, is_damaged, trim};

/// Declared options and their values.
///
/// ```
/// use kiki_usi::{OptionEffect, OptionDeclaration, OptionSet};
///
/// let mut options = OptionSet::default();
/// options.declare(OptionDeclaration::spin("MultiPV", 1, 1, 600))?;
/// let change = options.set("multipv", Some("3"))?;
/// assert_eq!((change.name.as_str(), change.effect), ("MultiPV", OptionEffect::Changed));
/// assert!(options.set("MultiPV", Some("many")).is_err());
/// assert_eq!(options.spin("MultiPV")?, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OptionSet {
    entries: Vec<DeclaredOption>,
}

#[derive(Clone, Debug)]
struct DeclaredOption {
    declaration: OptionDeclaration,
    value: OptionValue,
    /// The option that this name is an alias of; it has the value.
    alias_of: Option<usize>,
    /// Whether the alias was ever set to anything but its default.
    was_told: bool,
}

/// The result of [`OptionSet::set`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionChange {
    /// The option, spelled as it was declared.
    pub name: String,
    /// What happened to it.
    pub effect: OptionEffect,
}

/// What happened to an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionEffect {
    /// It has another value than before.
    Changed,
    /// It had this value already: GUIs send every option again at every start.
    Unchanged,
    /// It is a button and was pressed.
    Pressed,
}

impl OptionSet {
    /// Adds an option with its default value. Options are listed in the order of their
    /// declarations.
    pub fn declare(&mut self, declaration: OptionDeclaration) -> Result<(), DeclarationError> {
        self.add(declaration, None)
    }

    /// Declares an alias of a declared option. Both names are listed; they share one value.
    ///
    /// Some programs send every option at every start, under both names, with the user's value
    /// under only one. So the default sent under the alias changes nothing until the alias has been
    /// set to another value.
    ///
    /// # Errors
    /// As for [`OptionSet::declare`]; and the option must exist.
    ///
    /// ```
    /// use kiki_usi::{OptionDeclaration, OptionSet};
    ///
    /// let mut options = OptionSet::default();
    /// options.declare(OptionDeclaration::spin("MultiPV", 1, 1, 600))?;
    /// options.declare_alias("USI_MultiPV", "MultiPV")?;
    /// options.set("USI_MultiPV", Some("3"))?;
    /// assert_eq!((options.spin("MultiPV")?, options.spin("USI_MultiPV")?), (3, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn declare_alias(&mut self, name: &str, option: &str) -> Result<(), DeclarationError> {
        let mut entries = self.entries.iter().enumerate();
        let Some((index, entry)) = entries.find(|(_, entry)| entry.declaration.is_named(option)) else {
            let fault = format!("it is another name of `{}`, which is not declared", excerpt(option));
            return Err(DeclarationError::new(name, fault));
        };
        self.add(OptionDeclaration { name: name.to_owned(), ..entry.declaration.clone() }, Some(index))
    }

    fn add(&mut self, declaration: OptionDeclaration, alias_of: Option<usize>) -> Result<(), DeclarationError> {
        declaration.check_words()?;
        if self.entry(&declaration.name).is_ok() {
            return Err(DeclarationError::new(&declaration.name, "it is declared twice"));
        }
        let value = declaration.default.clone();
        self.entries.push(DeclaredOption { declaration, value, alias_of, was_told: false });
        Ok(())
    }

    /// The declarations, to print them.
    pub fn declarations(&self) -> impl Iterator<Item = &OptionDeclaration> {
        self.entries.iter().map(|entry| &entry.declaration)
    }

    /// Makes the current values the defaults, so that a GUI that reads the options and sends all of
    /// them back changes nothing. If some GUI would not understand a value as a default
    /// ([`OptionDeclaration::check_words`]), the declared default stays.
    pub fn adopt_values_as_defaults(&mut self) {
        let values: Vec<OptionValue> = self.entries.iter().map(|entry| self.shared(entry).value.clone()).collect();
        for (entry, default) in self.entries.iter_mut().zip(values) {
            let adopted = OptionDeclaration { default, ..entry.declaration.clone() };
            if adopted.check_words().is_ok() {
                entry.declaration = adopted;
            }
            entry.was_told = false;
        }
    }

    /// Sets an option like `setoption`: no value and `<empty>` both mean empty, and a button
    /// ignores its value.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<OptionChange, OptionError> {
        let named = self.entries.iter_mut().find(|entry| entry.declaration.is_named(name));
        let Some(mut entry) = named else { return Err(OptionError::Unknown(excerpt(name))) };
        let value = entry.declaration.read(from_empty(trim(value.unwrap_or_default())))?;
        if let Some(index) = entry.alias_of {
            entry.was_told |= value != entry.declaration.default;
            let counts = entry.was_told;
            let Some(shared) = self.entries.get_mut(index) else { return Err(OptionError::Unknown(excerpt(name))) };
            if !counts {
                let name = shared.declaration.name.clone();
                return Ok(OptionChange { name, effect: OptionEffect::Unchanged });
            }
            entry = shared;
        }
        let effect = match value {
            OptionValue::Button => OptionEffect::Pressed,
            _ if value == entry.value => OptionEffect::Unchanged,
            _ => OptionEffect::Changed,
        };
        entry.value = value;
        Ok(OptionChange { name: entry.declaration.name.clone(), effect })
    }

    /// The value of any option.
    pub fn get(&self, name: &str) -> Result<&OptionValue, OptionError> {
        self.entry(name).map(|entry| &entry.value)
    }

    /// The value of a check.
    pub fn check(&self, name: &str) -> Result<bool, OptionError> {
        match self.get(name)? {
            OptionValue::Check(value) => Ok(*value),
            _ => Err(wrong_type(name, "check")),
        }
    }

    /// The value of a spin.
    pub fn spin(&self, name: &str) -> Result<i64, OptionError> {
        match self.get(name)? {
            OptionValue::Spin(value) => Ok(*value),
            _ => Err(wrong_type(name, "spin")),
        }
    }

    /// The value of a combo, a string or a file name.
    pub fn text(&self, name: &str) -> Result<&str, OptionError> {
        match self.get(name)? {
            OptionValue::Text(value) => Ok(value),
            _ => Err(wrong_type(name, "combo, string or filename")),
        }
    }

    fn entry(&self, name: &str) -> Result<&DeclaredOption, OptionError> {
        let named = self.entries.iter().find(|entry| entry.declaration.is_named(name));
        named.map(|entry| self.shared(entry)).ok_or_else(|| OptionError::Unknown(excerpt(name)))
    }

    /// The option that has the value: itself, or for an alias the other one.
    fn shared<'a>(&'a self, entry: &'a DeclaredOption) -> &'a DeclaredOption {
        entry.alias_of.and_then(|index| self.entries.get(index)).unwrap_or(entry)
    }
}

fn wrong_type(name: &str, asked: &'static str) -> OptionError {
    OptionError::WrongType { name: excerpt(name), asked }
}

/// A line of a settings file, to pass to [`crate::OptionSet::set`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionSetting {
    /// The number of the line; the first is 1.
    pub line: usize,
    /// The option's name.
    pub name: String,
    /// The text after it, with blanks inside; `None` without text.
    pub value: Option<String>,
}

/// Why a line of a settings file cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line} is neither UTF-8 nor Shift_JIS: `{text}`")]
pub struct SettingError {
    /// The number of the line; the first is 1.
    pub line: usize,
    /// The line, shortened and ASCII.
    pub text: String,
}

/// Reads the contents of a settings file line by line, without blank lines and comments.
///
/// A comment is a whole line: elsewhere `#` and `//` may belong to a file name.
///
/// ```
/// let file = b"# my settings\r\nThreads 4\nBookDir C:\\my books\n";
/// let settings: Vec<_> = kiki_usi::settings(file).collect::<Result<_, _>>()?;
/// assert_eq!((settings[0].name.as_str(), settings[0].value.as_deref()), ("Threads", Some("4")));
/// assert_eq!((settings[1].line, settings[1].value.as_deref()), (3, Some("C:\\my books")));
/// # Ok::<(), kiki_usi::SettingError>(())
/// ```
pub fn settings(contents: &[u8]) -> impl Iterator<Item = Result<OptionSetting, SettingError>> {
    let lines = contents.split(|&byte| byte == b'\n');
    lines.enumerate().filter_map(|(index, line)| setting(index + 1, line).transpose())
}

fn setting(line: usize, bytes: &[u8]) -> Result<Option<OptionSetting>, SettingError> {
    let text = decode(bytes);
    let mut words = Words::new(&text);
    let Some(name) = words.next().filter(|word| !word.starts_with('#') && !word.starts_with("//")) else {
        return Ok(None);
    };
    if is_damaged(bytes, &text) {
        return Err(SettingError { line, text: excerpt(&text) });
    }
    let value = Some(words.rest()).filter(|value| !value.is_empty());
    Ok(Some(OptionSetting { line, name: name.to_owned(), value: value.map(str::to_owned) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> OptionSet {
        let mut options = OptionSet::default();
        for declaration in [
            OptionDeclaration::check("USI_Ponder", false),
            OptionDeclaration::spin("Threads", 2, 1, 8),
            OptionDeclaration::combo("EnteringKingRule", "CSARule27", &["NoEnteringKing", "CSARule27"]),
            OptionDeclaration::filename("BookFile", "no_book"),
            OptionDeclaration::button("Clear_Hash"),
        ] {
            options.declare(declaration).unwrap();
        }
        options
    }

    #[test]
    fn defaults_hold_until_something_is_set() {
        let mut options = options();
        assert_eq!(options.check("usi_ponder"), Ok(false));
        assert_eq!(options.text("EnteringKingRule"), Ok("CSARule27"));
        options.set("USI_PONDER", Some("TRUE")).unwrap();
        options.set("ENTERINGKINGRULE", Some("noenteringking")).unwrap();
        assert_eq!(options.check("USI_Ponder"), Ok(true));
        assert_eq!(options.text("EnteringKingRule"), Ok("NoEnteringKing"));
    }

    #[test]
    fn values_that_every_gui_understands_become_defaults() {
        let mut options = options();
        for (name, value) in [
            ("usi_ponder", "true"),
            ("Threads", "3"),
            ("EnteringKingRule", "noenteringking"),
            ("BookFile", "C:\\books\\a.db"),
        ] {
            options.set(name, Some(value)).unwrap();
        }
        options.adopt_values_as_defaults();
        let lines: Vec<String> = options.declarations().map(ToString::to_string).collect();
        let expected = [
            "option name USI_Ponder type check default true",
            "option name Threads type spin default 3 min 1 max 8",
            "option name EnteringKingRule type combo default NoEnteringKing var NoEnteringKing var CSARule27",
            "option name BookFile type filename default C:\\books\\a.db",
            "option name Clear_Hash type button",
        ];
        assert_eq!(lines, expected);
        for (value, default) in [("my books.db", "C:\\books\\a.db"), ("定跡.db", "C:\\books\\a.db"), ("", "<empty>")]
        {
            options.set("BookFile", Some(value)).unwrap();
            options.adopt_values_as_defaults();
            let line = options.declarations().nth(3).unwrap().to_string();
            assert_eq!(line, format!("option name BookFile type filename default {default}"));
            assert_eq!(options.text("BookFile"), Ok(value), "the value stays");
        }
    }

    #[test]
    fn what_does_not_fit_changes_nothing_and_is_named() {
        let mut options = options();
        for (name, value) in [
            ("Threads", "0"),
            ("Threads", "9"),
            ("Threads", "0.9"),
            ("Threads", "four"),
            ("Threads", ""),
            ("Threads", "99999999999999999999999"),
            ("USI_Ponder", "perhaps"),
            ("EnteringKingRule", "CSARule28"),
            ("EnteringKingRule", "<empty>"),
        ] {
            let before = options.get(name).unwrap().clone();
            let error = options.set(name, Some(value)).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
            assert_eq!(options.get(name), Ok(&before));
        }
        assert_eq!(options.set("Undeclared", None), Err(OptionError::Unknown("Undeclared".to_owned())));
    }

    #[test]
    fn setting_tells_what_changed() {
        let mut options = options();
        let mut effect = |name, value| options.set(name, value).unwrap().effect;
        assert_eq!(effect("Threads", Some("2")), OptionEffect::Unchanged);
        assert_eq!(effect("Threads", Some(" 3 ")), OptionEffect::Changed);
        assert_eq!(effect("Threads", Some("3.0")), OptionEffect::Unchanged);
        assert_eq!(effect("Clear_Hash", None), OptionEffect::Pressed);
        assert_eq!(effect("Clear_Hash", Some("x")), OptionEffect::Pressed);
        assert_eq!(effect("BookFile", None), OptionEffect::Changed);
        assert_eq!(effect("BookFile", Some("<empty>")), OptionEffect::Unchanged);
    }

    #[test]
    fn values_are_shown_in_ascii() {
        let mut options = options();
        options.set("BookFile", Some("定跡\r\n.db")).unwrap();
        assert_eq!(options.get("BookFile").unwrap().to_string(), "\\u{5b9a}\\u{8de1}  .db");
        options.set("BookFile", None).unwrap();
        assert_eq!(options.get("BookFile").unwrap().to_string(), "<empty>");
    }

    #[test]
    fn two_names_have_one_value() {
        let mut options = options();
        options.declare_alias("USI_Threads", "threads").unwrap();
        let line = options.declarations().last().unwrap().to_string();
        assert_eq!(line, "option name USI_Threads type spin default 2 min 1 max 8");
        let mut after = |name, value| {
            let change = options.set(name, Some(value)).unwrap();
            assert_eq!(change.name, "Threads");
            assert_eq!(options.spin("usi_threads"), options.spin("Threads"));
            options.spin("Threads").unwrap()
        };
        assert_eq!(after("Threads", "5"), 5);
        assert_eq!(after("USI_Threads", "2"), 5, "sent with all other options, it says nothing");
        assert_eq!(after("USI_Threads", "7"), 7);
        assert_eq!(after("USI_Threads", "2"), 2, "by now it does");
        assert_eq!(after("Threads", "3"), 3);
        assert!(options.set("USI_Threads", Some("9")).is_err());
        // An adopted default counts as little as the declared one.
        options.set("USI_Threads", Some("4")).unwrap();
        options.adopt_values_as_defaults();
        let defaults = options.declarations().filter(|declaration| declaration.to_string().contains("default 4 "));
        assert_eq!(defaults.count(), 2);
        options.set("Threads", Some("6")).unwrap();
        options.set("USI_Threads", Some("4")).unwrap();
        assert_eq!(options.spin("Threads"), Ok(6));
        assert_eq!(options.spin("BookFile").unwrap_err().to_string(), "option BookFile is not a spin");
        for (name, option) in [("A", "Undeclared"), ("USI_Threads", "Threads"), ("a b", "Threads")] {
            assert!(options.declare_alias(name, option).is_err(), "{name} {option}");
        }
    }

    #[test]
    fn each_line_of_a_file_is_a_setting_a_comment_or_a_fault() {
        let setting = |line, name: &str, value: Option<&str>| {
            Ok(OptionSetting { line, name: name.to_owned(), value: value.map(str::to_owned) })
        };
        let no_text = |line, text: &str| Err(SettingError { line, text: text.to_owned() });
        for (file, expected) in [
            (&b"\xef\xbb\xbf# a\n // b\r\n\r\n \t\n#\xff"[..], vec![]),
            (b"", vec![]),
            (b"\nClear_Hash  \r\n", vec![setting(2, "Clear_Hash", None)]),
            ("BookDir 定跡\n".as_bytes(), vec![setting(1, "BookDir", Some("定跡"))]),
            (b"BookFile \x92\xe8\x90\xd5.db\r\n", vec![setting(1, "BookFile", Some("定跡.db"))]),
            (
                b"BookFile \x92\xff\nThreads 4",
                vec![no_text(1, "BookFile \\u{fffd}\\u{fffd}"), setting(2, "Threads", Some("4"))],
            ),
        ] {
            assert_eq!(settings(file).collect::<Vec<_>>(), expected);
        }
    }
}
