//! The mock's options.

use std::io::Write;

use super::state::{Mock, Next};

/// The `option` lines.
pub(super) fn declarations(fault: &str) -> Vec<&'static str> {
    let mut lines = vec![
        "option name USI_Ponder type check default false",
        "option name USI_Hash type spin default 16 min 1 max 1024",
        "option name MultiPV type spin default 1 min 1 max 10",
        "option name PvInterval type spin default 300 min 0 max 100000",
        "option name Style type combo default calm var calm var wild",
        "option name BookFile type string default book.db",
        "option name LogFile type filename default <empty>",
        "option name Clear_Hash type button",
    ];
    lines.extend(match fault {
        "option-lines:blank" => Some("option name Clear Book type button"),
        "option-lines:range" => Some("option name Skill type spin default 30 min 0 max 20"),
        "option-lines:twice" => Some("option name clear_hash type button"),
        _ => None,
    });
    lines
}

impl<W: Write> Mock<W> {
    /// How many lines of play are told.
    pub(super) fn lines(&self) -> usize {
        self.options.get("multipv").and_then(|value| value.parse().ok()).unwrap_or(1)
    }

    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) -> Next {
        let (value, name) = (value.unwrap_or_default(), if name == "mULTIpv" { self.spelled(name) } else { name });
        let is_fatal = match self.fault.as_str() {
            "options-resent" => name == "USI_Hash" && value == "32",
            "option-unknown" => name == "NoSuchButton",
            "option-bad-value" => value == "many",
            "option-empty" => name == "BookFile" && value.is_empty(),
            "option-blanks" => name == "BookFile" && value.contains(' '),
            "option-button" => name == "Clear_Hash",
            _ => false,
        };
        if is_fatal {
            return Next::Exit(1);
        }
        if name.eq_ignore_ascii_case("MultiPV")
            && let Some(lines) = value.parse::<usize>().ok().filter(|lines| (1..=10).contains(lines))
        {
            let is_kept = self.breaks("option-between-searches") && lines < self.lines();
            if !is_kept {
                self.options.insert("multipv".to_owned(), lines.to_string());
            }
        }
        if name == "PvInterval" {
            self.options.insert("pvinterval".to_owned(), value.to_owned());
        }
        let is_known = declarations("")
            .iter()
            .any(|line| line.split(' ').nth(2).is_some_and(|known| known.eq_ignore_ascii_case(name)));
        if is_known { Next::ReadOn } else { self.tell_mistake() }
    }

    /// A name in unusual case, which a fault does not know.
    fn spelled<'a>(&self, name: &'a str) -> &'a str {
        if self.breaks("option-name-case") { "" } else { name }
    }
}
