//! The progress line of a contest.

use kiki_board::printable;
use kiki_play::game::PlayedGame;

use super::sprt_run::SprtRun;
use super::standings::{LEVEL, Standings};
use crate::numbers::{interval, signed};
use crate::progress_line::ProgressLine;

/// Shows how many games were played, and the standings.
pub(crate) struct ContestProgress {
    line: ProgressLine,
}

impl ContestProgress {
    pub(crate) fn new(standings: &Standings) -> Self {
        Self { line: ProgressLine::new("games", standings.scheduled() as u64, standings.played() as u64) }
    }

    pub(crate) fn show(&mut self, standings: &Standings, sprt: Option<&SprtRun>) {
        self.line.show(standings.played() as u64, || printable(&text(standings, sprt)).into_owned());
    }

    /// Prints at once that something went wrong in a game.
    pub(crate) fn print_fault(&self, game: &PlayedGame) {
        if let Some(fault) = &game.fault {
            let lost = if game.voided { "failed, and the game is played again" } else { "lost" };
            let line = format!("game {}: {} {lost}: {}", game.game, fault.engine, fault.detail);
            self.line.print(printable(&line));
        }
    }

    pub(crate) fn finish(&self) {
        self.line.finish();
    }
}

/// The standings in one line.
fn text(standings: &Standings, sprt: Option<&SprtRun>) -> String {
    let names = standings.names();
    let mut pairings = standings.pairings();
    let (Some(((first, _), pairing)), None) = (pairings.next(), pairings.next()) else {
        let scores = names.iter().zip(standings.engines()).map(|(name, engine)| {
            let tally = engine.tally;
            format!("{name} {}/{}", tally.wins as f64 + tally.draws as f64 / 2.0, tally.games())
        });
        return scores.collect::<Vec<_>>().join("  ");
    };
    let tally = pairing.tally;
    let mut text = format!("{} +{} ={} -{}", names[first], tally.wins, tally.draws, tally.losses);
    if let Ok(estimates) = pairing.counts().estimates(LEVEL) {
        let pairs: u64 = pairing.pairs.iter().sum();
        let counted = if pairs == 0 { "single games".to_owned() } else { format!("{pairs} pairs") };
        text += &format!(", Elo of {counted} {} {}", signed(estimates.elo), interval(estimates.elo_interval));
    }
    if let Some(sprt) = sprt {
        text += &format!(", LLR {:.2} ({:.2}, {:.2})", sprt.llr, sprt.bounds().lower, sprt.bounds().upper);
    }
    text
}
