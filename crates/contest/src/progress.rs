//! The progress line of a contest.

use kiki_board::printable;
use kiki_play::game::PlayedGame;
use kiki_stats::sprt::remaining_games;

use super::sprt_run::SprtRun;
use super::standings::{LEVEL, Standings};
use kiki_run::numbers::{interval, signed};
use kiki_run::progress_line::ProgressLine;

/// Shows how many games were played, and the standings.
pub(crate) struct ContestProgress {
    line: ProgressLine,
}

impl ContestProgress {
    pub(crate) fn new(standings: &Standings) -> Self {
        Self { line: ProgressLine::new("games", standings.scheduled() as u64, standings.played() as u64) }
    }

    pub(crate) fn show(&mut self, standings: &Standings, sprt: Option<&SprtRun>) {
        let played = standings.played() as u64;
        let left = sprt.and_then(games_left);
        if let Some(left) = left {
            self.line.expect(played.saturating_add(left).min(standings.scheduled() as u64));
        }
        self.line.show(played, || printable(&text(standings, sprt, left)).into_owned());
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

/// How many games a test will still take, by the drift of its ratio; none while nothing tells.
fn games_left(sprt: &SprtRun) -> Option<u64> {
    // A conversion of a number that is too large gives the largest.
    remaining_games(&sprt.sprt, &sprt.counts).ok().map(|remaining| remaining.games.ceil() as u64)
}

/// The standings in one line.
fn text(standings: &Standings, sprt: Option<&SprtRun>, left: Option<u64>) -> String {
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
    if let Some(left) = left {
        text += &format!(", about {left} games left");
    }
    text
}

#[cfg(test)]
mod tests {
    use kiki_stats::sprt::Counts;

    use super::super::sprt_run::SprtSettings;
    use super::*;

    #[test]
    fn the_games_left_follow_from_the_drift() {
        let left = |elo1: f64, pairs: [u64; 5]| {
            let mut run = SprtRun::new(&SprtSettings { elo1, ..SprtSettings::default() }).unwrap();
            run.counts = Counts::Pentanomial(pairs);
            run.llr = run.sprt.llr(&run.counts).unwrap();
            games_left(&run)
        };
        assert_eq!(left(20.0, [0; 5]), None);
        // About half way to the bound, and beyond it.
        let clear = left(20.0, [0, 2, 10, 10, 8]).unwrap();
        assert!((10..80).contains(&clear), "{clear}");
        assert!(left(100.0, [2, 8, 20, 8, 2]).unwrap() < 100);
        assert_eq!(left(20.0, [0, 0, 0, 50, 100]), Some(0));
    }
}
