//! What people see while a contest runs.

use std::io::{IsTerminal as _, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::game::Game;
use super::standings::{LEVEL, Standings};
use super::trial::Trial;
use crate::numbers::{interval, signed};

/// Where there is no terminal, a line is written this often.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// A live line on standard error, or a line now and then where that is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Without a terminal: when the last line was written.
    last_line: Option<Instant>,
    before: usize,
}

impl Progress {
    pub(crate) fn new(standings: &Standings) -> Self {
        let bar = ProgressBar::new(standings.scheduled() as u64);
        let style = ProgressStyle::with_template("{elapsed_precise} {wide_bar} {pos}/{len} games, {eta} left\n{msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let before = standings.played();
        bar.set_position(before as u64);
        // The games of an earlier run say nothing about the speed of this one.
        bar.reset_eta();
        let last_line = (!stderr().is_terminal()).then(Instant::now);
        Self { bar, last_line, before }
    }

    pub(crate) fn show(&mut self, standings: &Standings, trial: Option<&Trial>) {
        let Some(last) = self.last_line else {
            self.bar.set_position(standings.played() as u64);
            self.bar.set_message(line(standings, trial));
            return;
        };
        if last.elapsed() >= LINE_EVERY {
            self.last_line = Some(Instant::now());
            let speed = (standings.played() - self.before) as f64 / self.bar.elapsed().as_secs_f64();
            let (played, scheduled) = (standings.played(), standings.scheduled());
            eprintln!("{played}/{scheduled} games, {speed:.2} a second; {}", line(standings, trial));
        }
    }

    /// Tells at once that something went wrong in a game.
    pub(crate) fn tell_fault(&self, game: &Game) {
        if let Some(fault) = &game.fault {
            let line = format!("game {}: {} lost: {}", game.game, fault.engine, fault.detail);
            if self.last_line.is_some() { eprintln!("{line}") } else { self.bar.println(line) }
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The standings in one line.
fn line(standings: &Standings, trial: Option<&Trial>) -> String {
    let names = standings.names();
    let mut pairings = standings.pairings();
    let (Some(((first, _), pairing)), None) = (pairings.next(), pairings.next()) else {
        let scores = names.iter().zip(standings.habits()).map(|(name, habits)| {
            let tally = habits.tally;
            format!("{name} {}/{}", tally.wins as f64 + tally.draws as f64 / 2.0, tally.games())
        });
        return scores.collect::<Vec<_>>().join("  ");
    };
    let tally = pairing.tally;
    let mut text = format!("{} +{} ={} -{}", names[first], tally.wins, tally.draws, tally.losses);
    if let Ok(estimates) = pairing.counts().estimates(LEVEL) {
        text += &format!(", Elo {}", signed(estimates.elo));
        if let Ok(ends) = estimates.elo_interval {
            text += &format!(" {}", interval(ends));
        }
    }
    if let Some(trial) = trial {
        text += &format!(", LLR {:.2} ({:.2}, {:.2})", trial.llr, trial.bounds().lower, trial.bounds().upper);
    }
    text
}
