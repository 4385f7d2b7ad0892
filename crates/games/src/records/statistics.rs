//! Statistics of a collection of game records.

use std::collections::BTreeMap;

use kiki_record::{EndReason, Game, GameOutcome};

use kiki_stats::numeric::{mean, quantile, variance};
use serde::Serialize;

#[derive(Default)]
pub struct RecordStatistics {
    pub games: u64,
    pub files: u64,
    /// Files with an unreadable part.
    pub broken_files: u64,
    pub broken_games: u64,
    outcomes: BTreeMap<&'static str, u64>,
    endings: BTreeMap<Option<EndReason>, u64>,
    plies: Vec<f64>,
    /// The points of the side that moved first, of each game with a result.
    points: Vec<f64>,
    players: BTreeMap<String, u64>,
    pub days: Option<(String, String)>,
    pub without_day: u64,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PlyStatistics {
    pub mean: f64,
    pub shortest: f64,
    /// The lower quartile, the median and the upper quartile.
    pub quartiles: [f64; 3],
    pub longest: f64,
}

/// The mean points of the side that moves first, and their standard error if there are at least two
/// games.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct FirstMoveScore {
    pub games: usize,
    pub score: f64,
    #[serde(rename = "standard_error")]
    pub error: Option<f64>,
}

impl RecordStatistics {
    pub fn add(&mut self, game: &Game) {
        self.games += 1;
        *self.outcomes.entry(game.outcome.name()).or_default() += 1;
        *self.endings.entry(game.reason).or_default() += 1;
        self.plies.push(game.moves.len() as f64);
        self.points.extend(first_movers_points(game));
        for name in [&game.black, &game.white].into_iter().filter(|name| !name.is_empty()) {
            *self.players.entry(name.clone()).or_default() += 1;
        }
        match date(&game.start_time) {
            None => self.without_day += 1,
            Some(day) => {
                let (first, last) = self.days.take().unwrap_or_else(|| (day.clone(), day.clone()));
                self.days = Some((first.min(day.clone()), last.max(day)));
            }
        }
    }

    /// How many games ended in each outcome that occurs.
    pub fn outcomes(&self) -> Vec<(&'static str, u64)> {
        let known = [GameOutcome::BlackWins, GameOutcome::WhiteWins, GameOutcome::Draw, GameOutcome::Unknown];
        known.iter().filter_map(|outcome| Some((outcome.name(), *self.outcomes.get(outcome.name())?))).collect()
    }

    /// How many games ended for each reason, the most frequent first; `unknown` if the record names
    /// none.
    pub fn endings(&self) -> Vec<(&'static str, u64)> {
        let name = |reason: &Option<EndReason>| reason.map_or("unknown", EndReason::json_name);
        by_count(self.endings.iter().map(|(reason, &count)| (name(reason), count)))
    }

    /// The players, those with the most games first.
    pub fn players(&self) -> Vec<(&str, u64)> {
        by_count(self.players.iter().map(|(name, &count)| (name.as_str(), count)))
    }

    /// Lengths; `None` without games.
    pub fn plies(&self) -> Option<PlyStatistics> {
        let mut sorted = self.plies.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let (&shortest, &longest) = (sorted.first()?, sorted.last()?);
        let quartiles = [0.25, 0.5, 0.75].map(|share| quantile(&sorted, share));
        Some(PlyStatistics { mean: mean(&sorted), shortest, quartiles, longest })
    }

    /// The score of the side that moves first; `None` without results.
    pub fn first_move(&self) -> Option<FirstMoveScore> {
        let games = self.points.len();
        if games == 0 {
            return None;
        }
        let error = (games > 1).then(|| (variance(&self.points) / games as f64).sqrt());
        Some(FirstMoveScore { games, score: mean(&self.points), error })
    }
}

fn by_count<T: Ord>(counts: impl Iterator<Item = (T, u64)>) -> Vec<(T, u64)> {
    let mut sorted: Vec<(T, u64)> = counts.collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    sorted
}

fn first_movers_points(game: &Game) -> Option<f64> {
    let points = game.outcome.points_of_black()?;
    let white_begins = game.root.as_deref().is_some_and(|sfen| sfen.split_ascii_whitespace().nth(1) == Some("w"));
    Some(if white_begins { 1.0 - points } else { points })
}

/// The day of a moment as `YYYY-MM-DD`: the first three numbers in it. `None` if they are not a
/// day.
fn date(moment: &str) -> Option<String> {
    let mut numbers = moment.split(|letter: char| !letter.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let mut next = || numbers.next()?.parse::<u32>().ok();
    let (year, month, day) = (next()?, next()?, next()?);
    let is_day = (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_day.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use kiki_record::RecordForm;

    use super::*;

    fn game(line: &str, outcome: GameOutcome, reason: Option<EndReason>) -> Game {
        let game = RecordForm::Usi.read(line.as_bytes()).remove(0).unwrap();
        Game { outcome, reason, black: "a".to_owned(), white: "b".to_owned(), ..game }
    }

    #[test]
    fn numbers_of_a_small_collection() {
        let mut found = RecordStatistics::default();
        assert_eq!((found.plies(), found.first_move()), (None, None));
        let handicap = "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves 3c3d";
        for (line, outcome, reason, day) in [
            ("startpos", GameOutcome::BlackWins, Some(EndReason::Time), "2020/02/03 10:00"),
            ("startpos moves 7g7f", GameOutcome::Draw, Some(EndReason::Sennichite), "2019年1月2日"),
            ("startpos moves 7g7f 3c3d 2g2f", GameOutcome::WhiteWins, Some(EndReason::Time), "2020-12-31T00:00:00Z"),
            ("startpos moves 7g7f 3c3d", GameOutcome::Unknown, None, ""),
            (handicap, GameOutcome::WhiteWins, Some(EndReason::Resignation), "99/99/99"),
        ] {
            found.add(&Game { start_time: day.to_owned(), ..game(line, outcome, reason) });
        }
        assert_eq!(found.outcomes(), [("black-wins", 1), ("white-wins", 2), ("draw", 1), ("unknown", 1)]);
        assert_eq!(found.endings(), [("time", 2), ("resignation", 1), ("sennichite", 1), ("unknown", 1)]);
        let expected = PlyStatistics { mean: 1.4, shortest: 0.0, quartiles: [1.0, 1.0, 2.0], longest: 3.0 };
        assert_eq!(found.plies(), Some(expected));
        // Points 1, 1/2, 0 and, for White who began, 1: variance 11/48.
        let first = found.first_move().unwrap();
        assert_eq!((first.games, first.score), (4, 0.625));
        assert!((first.error.unwrap() - (11.0_f64 / 48.0 / 4.0).sqrt()).abs() < 1e-12);
        assert_eq!(found.players(), [("a", 5), ("b", 5)]);
        assert_eq!(found.days, Some(("2019-01-02".to_owned(), "2020-12-31".to_owned())));
        assert_eq!(found.without_day, 2);
    }
}
