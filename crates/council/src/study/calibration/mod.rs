//! Members measured on common positions against a deep search.

mod answers;
mod asking;
mod summary;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use kiki_play::pool::RunOptions;

use answers::PositionAnswers;
use kiki_run::interrupt::Interrupt;
use kiki_run::journal::Journal;
use kiki_run::journal_layouts::CALIBRATION;

pub(crate) use answers::CalibrationSettings;
pub(crate) use summary::{CalibrationSummary, MemberNumbers, MoveNumbers, RuleNumbers};

/// Members with what they have said so far.
pub(crate) struct Calibration {
    pub(crate) settings: CalibrationSettings,
    pub(crate) positions: Vec<String>,
    /// By the place of the position.
    pub(crate) answers: BTreeMap<usize, PositionAnswers>,
    journal: Journal,
}

impl Calibration {
    /// Begins in a folder.
    pub(crate) fn begin(folder: &Path, settings: CalibrationSettings, positions: Vec<String>) -> Result<Self> {
        let journal = Journal::create(folder, CALIBRATION, &settings, &positions)?;
        Ok(Self { settings, positions, answers: BTreeMap::new(), journal })
    }

    /// What was begun before, to go on with.
    pub(crate) fn resume(folder: &Path) -> Result<Self> {
        let (mut journal, settings, positions) = Journal::resume(folder, CALIBRATION)?;
        let mut answers = BTreeMap::new();
        journal.replay(|found: PositionAnswers| {
            answers.insert(found.position, found);
            Ok(())
        })?;
        Ok(Self { settings, positions, answers, journal })
    }

    /// Asks about all positions that were not asked about yet, until it is interrupted. `each` is called with the number of positions done.
    ///
    /// # Errors
    /// An engine fails, or the journal cannot be written.
    pub(crate) fn run(
        &mut self,
        options: &RunOptions,
        interrupt: &Interrupt,
        mut each: impl FnMut(usize),
    ) -> Result<()> {
        let Self { settings, positions, answers, journal } = self;
        let missing: Vec<usize> = (0..positions.len()).filter(|index| !answers.contains_key(index)).collect();
        asking::ask(settings, positions, &missing, options, &interrupt.cancellation, |found| {
            journal.append(&found)?;
            answers.insert(found.position, found);
            each(answers.len());
            Ok(())
        })
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.answers.len() == self.positions.len()
    }

    /// The numbers that follow.
    ///
    /// # Errors
    /// If there are too few positions for them.
    pub(crate) fn summary(&self) -> Result<CalibrationSummary> {
        let names = self.settings.members.iter().map(|member| member.name.clone()).collect();
        CalibrationSummary::new(names, self.answers.values())
    }
}
