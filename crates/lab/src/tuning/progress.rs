//! What people see while a tuning runs.

use std::io::{IsTerminal as _, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::Tuning;
use crate::numbers::signed;

/// Where there is no terminal, a line is written this often.
const LINE_EVERY: Duration = Duration::from_secs(30);
/// Parameters that a line tells of.
const SHOWN: usize = 4;

/// A live line on standard error, or a line now and then where that is no terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Without a terminal: when the last line was written.
    last_line: Option<Instant>,
}

impl Progress {
    pub(super) fn new(updates: u64, played: u64) -> Self {
        let bar = ProgressBar::new(updates);
        let style = ProgressStyle::with_template("{elapsed_precise} {wide_bar} {pos}/{len} updates, {eta} left\n{msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(played);
        bar.reset_eta();
        Self { bar, last_line: (!stderr().is_terminal()).then(Instant::now) }
    }

    pub(super) fn show(&mut self, tuning: &Tuning) {
        let Some(last) = self.last_line else {
            self.bar.set_position(tuning.played());
            self.bar.set_message(line(tuning));
            return;
        };
        if last.elapsed() >= LINE_EVERY {
            self.last_line = Some(Instant::now());
            eprintln!("{}/{} updates; {}", tuning.played(), tuning.settings.updates, line(tuning));
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The parameters that went farthest, in steps.
fn line(tuning: &Tuning) -> String {
    let mut findings: Vec<_> = tuning.findings().collect();
    findings.sort_by(|one, other| other.3.abs().total_cmp(&one.3.abs()));
    let shown =
        findings.iter().take(SHOWN).map(|(name, _, value, steps)| format!("{name} {value:.1} ({})", signed(*steps)));
    shown.collect::<Vec<_>>().join(", ")
}
