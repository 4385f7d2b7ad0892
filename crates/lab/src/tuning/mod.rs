//! Numbers found by self-play: [`settings`] say what is looked for, [`pairs`] are played, each goes into the journal and from there into the
//! search, from which everything that is shown is computed. A tuning that is gone on with takes the same way, with the journal first.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, ensure};
use kiki_stats::spsa::Spsa;
use parking_lot::Mutex;

mod pairs;
mod picture;
mod report;
pub(crate) mod settings;

use crate::contest::Manner;
use crate::contest::journal::{Journal, Layout};
use crate::contest::pending::Pending;
use crate::files::write_atomically;
use crate::interrupt::Interrupt;
use crate::live::Live;
use crate::numbers::signed;
use pairs::{Orders, Search, Update};
use picture::Courses;
pub(crate) use report::print;
use settings::{Settings, parameters_text};

/// | file | what |
/// |---|---|
/// | `tuning.json` | the settings |
/// | `openings.sfen` | the openings in the order in which they are played |
/// | `updates.jsonl` | the journal: one line for each pair of games |
/// | `parameters.toml` | what was found, in the form in which parameters are given |
/// | `parameters.svg` | how it was found |
const TUNING: Layout = Layout { what: "tuning", settings: "tuning.json", journal: "updates.jsonl" };

/// The result is written anew after so many updates.
const WRITE_EVERY: u64 = 200;

/// A tuning with the updates that were played.
pub(crate) struct Tuning {
    settings: Settings,
    openings: Vec<String>,
    journal: Journal,
    spsa: Spsa,
    played: BTreeSet<u64>,
    courses: Courses,
}

impl Tuning {
    /// A new tuning in a folder.
    pub(crate) fn begin(folder: &Path, settings: Settings, openings: Vec<String>) -> Result<Self> {
        let spsa = settings.spsa()?;
        let journal = Journal::create(folder, TUNING, &settings, &openings)?;
        Ok(Self::with(settings, openings, journal, spsa))
    }

    /// A tuning that was begun before.
    pub(crate) fn resume(folder: &Path) -> Result<Self> {
        let (journal, settings, openings) = Journal::resume::<Settings>(folder, TUNING)?;
        let spsa = settings.spsa()?;
        let mut tuning = Self::with(settings, openings, journal, spsa);
        let Self { journal, spsa, played, courses, settings, .. } = &mut tuning;
        journal.replay(|update: Update| learn(spsa, played, courses, settings.updates, &update))?;
        Ok(tuning)
    }

    fn with(settings: Settings, openings: Vec<String>, journal: Journal, spsa: Spsa) -> Self {
        let courses = Courses::new(&settings);
        Self { settings, openings, journal, spsa, played: BTreeSet::new(), courses }
    }

    /// Plays the updates that are missing, or until somebody stops it.
    pub(crate) fn run(&mut self, manner: &Manner) -> Result<()> {
        let interrupt = Interrupt::listen()?;
        if !self.is_complete() && interrupt.unless(pairs::inspect(&self.settings, manner, &interrupt.cancel))? {
            self.play(manner, &interrupt)?;
        }
        self.write()
    }

    fn play(&mut self, manner: &Manner, interrupt: &Interrupt) -> Result<()> {
        let played = self.played.iter().map(|update| *update as usize - 1).collect();
        let pending = Pending::new(self.settings.updates as usize, played);
        let search = Mutex::new(Search { spsa: self.spsa.clone(), pending });
        let (settings, openings) = (self.settings.clone(), self.openings.clone());
        let orders = Orders { settings: &settings, openings: &openings, manner, search: &search };
        let mut live = Live::new("updates", settings.updates, self.played());
        let outcome = pairs::play(&orders, interrupt, |update| {
            if let Some(update) = update {
                self.journal.append(&update)?;
                learn(&mut self.spsa, &mut self.played, &mut self.courses, settings.updates, &update)?;
                if self.played().is_multiple_of(WRITE_EVERY) {
                    self.write()?;
                }
            }
            live.show(self.played(), || self.farthest());
            Ok(())
        });
        live.finish();
        outcome
    }

    /// Writes what was found.
    fn write(&self) -> Result<()> {
        let text = parameters_text(&self.settings.parameters, self.spsa.values());
        write_atomically(&self.folder().join("parameters.toml"), text.as_bytes())?;
        self.courses.write(&self.folder().join("parameters.svg"))
    }

    fn played(&self) -> u64 {
        self.played.len() as u64
    }

    /// Whether all updates have been played.
    pub(crate) fn is_complete(&self) -> bool {
        self.played() == self.settings.updates
    }

    fn folder(&self) -> &Path {
        self.journal.folder()
    }

    /// The parameters that went farthest, in steps.
    fn farthest(&self) -> String {
        const SHOWN: usize = 4;
        let mut findings: Vec<_> = self.findings().collect();
        findings.sort_by(|one, other| other.3.abs().total_cmp(&one.3.abs()));
        let shown = findings
            .iter()
            .take(SHOWN)
            .map(|(name, _, value, steps)| format!("{name} {value:.1} ({})", signed(*steps)));
        shown.collect::<Vec<_>>().join(", ")
    }

    /// What was found, with the distance from the start in steps.
    fn findings(&self) -> impl Iterator<Item = (&str, settings::Range, f64, f64)> {
        let values = self.spsa.values();
        self.settings.parameters.iter().zip(values).map(|((name, &range), &value)| {
            (name.as_str(), range, value, (value - f64::from(range.start)) / range.step)
        })
    }
}

fn learn(
    spsa: &mut Spsa,
    played: &mut BTreeSet<u64>,
    courses: &mut Courses,
    updates: u64,
    done: &Update,
) -> Result<()> {
    let Update { update, points, .. } = *done;
    ensure!((1..=updates).contains(&update), "there is no update {update} of {updates}");
    ensure!((0.0..=2.0).contains(&points), "two games do not give {points} points");
    ensure!(played.insert(update), "update {update} stands there twice");
    spsa.learn(update, done.advantage());
    courses.note(played.len() as u64, spsa.values());
    Ok(())
}
