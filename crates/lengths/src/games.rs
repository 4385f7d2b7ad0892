//! Lengths of games that were played.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::fit::WeightedLength;
use anyhow::Context as _;
use kiki_board::Color;
use kiki_platform::{MOST_RECORDS, read_regular_text};
use kiki_record::EndReason;

use kiki_games::played_games::for_each_new_game;
use kiki_run::files::is_record;
use kiki_run::input_errors::InputErrors;
use kiki_run::repeats::SeenGames;
use kiki_text::excerpt;

#[derive(Clone, Debug)]
pub(crate) struct LengthFilter {
    /// How they must have ended. Lengths without a record have no ending, and count.
    pub(crate) endings: Vec<EndReason>,
    pub(crate) range: (u32, u32),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct GameLengths {
    lengths: Vec<(u32, Option<Color>)>,
    /// Number of games that ended otherwise, by how they did.
    other_endings: BTreeMap<&'static str, u64>,
    /// Number of shorter or longer games.
    pub(crate) out_of_range: u64,
}

impl GameLengths {
    /// Reads folders of matches, game records of any form, folders of them, and text files with a
    /// number of plies on each line. Errors name what cannot be read; the others count.
    pub(crate) fn read(paths: &[PathBuf], filter: &LengthFilter, errors: &mut InputErrors) -> Self {
        let (mut found, mut seen) = (Self::default(), SeenGames::default());
        for path in paths {
            if path.is_dir() || is_record(path) {
                for_each_new_game(path, &mut seen, errors, |game| {
                    found.add_game(game.moves.len(), game.reason, game.outcome.winner(), filter);
                    Ok(())
                });
            } else if seen.is_new_file(path) {
                found.add_list(path, filter, errors);
            }
        }
        seen.repeats.warn();
        found
    }

    pub(crate) fn other_endings(&self) -> u64 {
        self.other_endings.values().sum()
    }

    /// How many games count, and how many do not.
    pub(crate) fn counts(&self) -> String {
        let named: Vec<String> = self.other_endings.iter().map(|(name, count)| format!("{count} {name}")).collect();
        let named = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
        let (counted, others, out_of_range) = (self.lengths.len(), self.other_endings(), self.out_of_range);
        format!("{counted} games count; {others} ended otherwise{named}, {out_of_range} were shorter or longer")
    }

    /// The same, with the option that lets the others count.
    pub(crate) fn counts_with_advice(&self) -> String {
        let names: Vec<&str> = self.other_endings.keys().copied().collect();
        let advice =
            if names.is_empty() { String::new() } else { format!("; --endings {} counts these", names.join(",")) };
        self.counts() + &advice
    }

    /// The lengths with their weights. All wins of Black weigh as much as all wins of White.
    pub(crate) fn weighted(&self) -> Vec<WeightedLength> {
        let won = |side| self.lengths.iter().filter(|(_, winner)| *winner == Some(side)).count() as f64;
        let (black, white) = (won(Color::Black), won(Color::White));
        let weight = |winner| match winner {
            // No weights can balance games that one side has always won.
            Some(_) if black == 0.0 || white == 0.0 => 1.0,
            Some(Color::Black) => 0.5 * (black + white) / black,
            Some(Color::White) => 0.5 * (black + white) / white,
            None => 1.0,
        };
        self.lengths
            .iter()
            .map(|&(plies, winner)| WeightedLength { plies: plies.into(), weight: weight(winner) })
            .collect()
    }

    fn add_list(&mut self, path: &Path, filter: &LengthFilter, errors: &mut InputErrors) {
        let place = path.display().to_string();
        let text = read_regular_text(path, MOST_RECORDS).with_context(|| place.clone());
        let Some(text) = errors.readable(text) else { return };
        let lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, line)| !line.is_empty());
        let row = |(number, line): (u64, &str)| {
            line.parse().with_context(|| format!("line {number}: `{}` is no number of plies", excerpt(line)))
        };
        errors.each_row(&place, lines.map(row), |plies| {
            self.add_length(plies, None, filter);
            Ok(())
        });
    }

    fn add_game(&mut self, plies: usize, reason: Option<EndReason>, winner: Option<Color>, filter: &LengthFilter) {
        if reason.is_some_and(|reason| filter.endings.contains(&reason)) {
            self.add_length(plies as u32, winner, filter);
        } else {
            *self.other_endings.entry(reason.map_or("unknown", EndReason::name)).or_default() += 1;
        }
    }

    fn add_length(&mut self, plies: u32, winner: Option<Color>, filter: &LengthFilter) {
        if (filter.range.0..=filter.range.1).contains(&plies) {
            self.lengths.push((plies, winner));
        } else {
            self.out_of_range += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_of_both_sides_count_alike_and_other_games_are_counted() {
        let filter = LengthFilter { endings: vec![EndReason::Resignation], range: (30, 400) };
        let mut found = GameLengths::default();
        for (plies, reason, winner) in [
            (100, EndReason::Resignation, Color::Black),
            (90, EndReason::Resignation, Color::Black),
            (110, EndReason::Resignation, Color::Black),
            (120, EndReason::Resignation, Color::White),
            (29, EndReason::Resignation, Color::White),
            (401, EndReason::Resignation, Color::White),
            (150, EndReason::Checkmate, Color::White),
        ] {
            found.add_game(plies, Some(reason), Some(winner), &filter);
        }
        found.add_game(100, None, None, &filter);
        assert_eq!((found.lengths.len(), found.out_of_range, found.other_endings()), (4, 2, 2));
        let weights: Vec<f64> = found.weighted().iter().map(|length| length.weight).collect();
        let sum: f64 = weights.iter().sum();
        assert!((sum - 4.0).abs() < 1e-12);
        let one_sided = GameLengths { lengths: vec![(80, Some(Color::Black)), (90, None)], ..GameLengths::default() };
        assert!(one_sided.weighted().iter().all(|length| length.weight == 1.0));
        assert!((weights[0] - 2.0 / 3.0).abs() < 1e-12 && (weights[3] - 2.0).abs() < 1e-12);
    }
}
