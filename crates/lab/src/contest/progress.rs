//! What people see while a contest runs.

use super::game::Game;
use super::standings::{LEVEL, Standings};
use super::trial::Trial;
use crate::live::Live;
use crate::numbers::{interval, signed};

/// The games that were played and what they say.
pub(crate) struct Progress {
    live: Live,
}

impl Progress {
    pub(crate) fn new(standings: &Standings) -> Self {
        Self { live: Live::new("games", standings.scheduled() as u64, standings.played() as u64) }
    }

    pub(crate) fn show(&mut self, standings: &Standings, trial: Option<&Trial>) {
        self.live.show(standings.played() as u64, || line(standings, trial));
    }

    /// Tells at once that something went wrong in a game.
    pub(crate) fn tell_fault(&self, game: &Game) {
        if let Some(fault) = &game.fault {
            let lost = if game.voided { "failed, and the game is played again" } else { "lost" };
            self.live.tell(format_args!("game {}: {} {lost}: {}", game.game, fault.engine, fault.detail));
        }
    }

    pub(crate) fn finish(&self) {
        self.live.finish();
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
        let pairs: u64 = pairing.pairs.iter().sum();
        let counted = if pairs == 0 { "single games".to_owned() } else { format!("{pairs} pairs") };
        text += &format!(", Elo of {counted} {} {}", signed(estimates.elo), interval(estimates.elo_interval));
    }
    if let Some(trial) = trial {
        text += &format!(", LLR {:.2} ({:.2}, {:.2})", trial.llr, trial.bounds().lower, trial.bounds().upper);
    }
    text
}
