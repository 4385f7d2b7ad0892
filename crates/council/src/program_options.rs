//! The options of a member's program, which are set again in every new process.

use std::mem;

use kiki_driver::{EngineError, SetOptionError, UsiEngine};
use kiki_usi::{OptionError, OptionKind};

/// An option with a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ProgramOption {
    pub(crate) name: String,
    pub(crate) value: String,
    /// Whether all members are given it: it is not sent where it is in force, and a program that does not have it does without.
    pub(crate) shared: bool,
}

/// Options in the order in which they were set. While a process runs they are in force there; without one some may still be refused.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgramOptions {
    given: Vec<ProgramOption>,
}

impl ProgramOptions {
    pub(crate) fn new(options: impl Iterator<Item = (String, String)>) -> Self {
        Self { given: options.map(|(name, value)| ProgramOption { name, value, shared: false }).collect() }
    }

    /// Keeps an option for the next process. The value before it is kept too: this one may be refused.
    pub(crate) fn keep(&mut self, option: ProgramOption) {
        if option.shared {
            self.given.retain(|known| !(known.shared && is_same(known, &option)));
        }
        self.given.push(option);
    }

    /// Sets an option in the process that runs. A refused value leaves the one before it in force; one by which the process failed is set
    /// in the next.
    ///
    /// # Errors
    /// The option is refused, or the process has failed.
    pub(crate) fn set(&mut self, engine: &mut UsiEngine, option: ProgramOption) -> Result<(), SetOptionError> {
        let in_force = self.given.iter().any(|known| is_same(known, &option) && known.value == option.value);
        if option.shared && in_force {
            return Ok(());
        }
        let is_button = is_button(engine, &option.name);
        match engine.set_option(&option.name, &option.value) {
            Err(error) if option.shared && is_unknown(&error) => Ok(()),
            Err(error @ SetOptionError::Invalid { .. }) => Err(error),
            // A button is pressed once.
            result => {
                if !is_button {
                    self.remember(option);
                }
                result
            }
        }
    }

    /// Sets all in a new process and returns why some were refused; these are forgotten.
    ///
    /// # Errors
    /// The process has failed. All are kept for the next.
    pub(crate) fn set_all(&mut self, engine: &mut UsiEngine) -> Result<Vec<String>, EngineError> {
        let mut refused = Vec::new();
        let mut given = mem::take(&mut self.given).into_iter();
        while let Some(option) = given.next() {
            match self.set(engine, option) {
                Ok(()) => {}
                Err(SetOptionError::Failed(error)) => {
                    self.given.extend(given);
                    return Err(error);
                }
                Err(error) => refused.push(error.to_string()),
            }
        }
        Ok(refused)
    }

    fn remember(&mut self, option: ProgramOption) {
        self.given.retain(|known| !is_same(known, &option));
        self.given.push(option);
    }
}

fn is_same(known: &ProgramOption, option: &ProgramOption) -> bool {
    known.name.eq_ignore_ascii_case(&option.name)
}

fn is_unknown(error: &SetOptionError) -> bool {
    matches!(error, SetOptionError::Invalid { error: OptionError::Unknown(_), .. })
}

fn is_button(engine: &UsiEngine, name: &str) -> bool {
    let mut options = engine.identity().options.iter();
    options.any(|option| option.is_named(name) && option.kind == OptionKind::Button)
}
