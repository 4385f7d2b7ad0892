//! Options that are set: by `setoption`, and by a file beside the program.

#[cfg(feature = "tune")]
use std::sync::Arc;

use kiki_platform::{MOST_SETTINGS, read_regular_file};
use kiki_usi::OptionEffect;

use super::options;
use super::session::UsiSession;

/// Options that the user keeps beside the program, one `Name Value` a line.
const SETTINGS_FILE: &str = "engine_options.txt";

impl UsiSession {
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) {
        match self.options.set(name, value) {
            Err(error) => self.warn(error),
            Ok(change) if change.effect == OptionEffect::Pressed => self.press(&change.name),
            Ok(change) => {
                self.options_changed |= change.effect == OptionEffect::Changed;
                // Settings begin with the numbers of the search.
                #[cfg(feature = "tune")]
                self.tune(&change.name);
                match options::settings(&self.options) {
                    // A search in progress keeps its options; the next one takes these.
                    Ok(settings) => {
                        self.settings = settings;
                        self.after_change(&change.name);
                    }
                    Err(error) => self.warn(error),
                }
            }
        }
    }

    fn press(&mut self, name: &str) {
        if name == "Clear_Hash" && !self.is_searching() {
            self.mates.clear();
            if let Some(searcher) = &mut self.searcher {
                searcher.clear_in_background(|| {});
            }
        }
    }

    fn after_change(&mut self, name: &str) {
        if name == "DebugLogFile" {
            let path = self.options.text(name).unwrap_or_default();
            if let Err(error) = self.output.log_to(path) {
                self.warn(format_args!("DebugLogFile: {error}"));
            }
        }
    }

    /// Sets a number of the search or of the formula, if the option is one.
    #[cfg(feature = "tune")]
    fn tune(&mut self, name: &str) {
        if let Ok(value) = self.options.spin(name) {
            let value = value as i32;
            if !kiki_search::params::set(name, value) {
                Arc::make_mut(&mut self.formula).set(name, value);
            }
        }
    }

    /// Options kept beside the program. A missing file is the usual case. What it says is also declared as the default: some GUIs send every option at
    /// every start, and would put the built-in values back.
    pub(super) fn read_settings_file(&mut self) {
        let Some(path) = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(SETTINGS_FILE))) else {
            return;
        };
        let Ok(contents) = read_regular_file(path, MOST_SETTINGS) else { return };
        for setting in kiki_usi::settings(&contents) {
            match setting {
                Ok(setting) => self.set_option(&setting.name, setting.value.as_deref()),
                Err(error) => self.warn(format_args!("{SETTINGS_FILE}: {error}")),
            }
        }
        self.options.adopt_values_as_defaults();
    }
}
