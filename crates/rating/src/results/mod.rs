//! Results of games from files of any kind: this laboratory's records, ShogiArena's, CSA, PGN and
//! plain lines.

mod result_file;

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Context as _, Error, Result, anyhow, ensure};
use kiki_run::input_errors::InputErrors;
use kiki_run::repeats::{Repeats, SeenGames};
use rayon::prelude::*;
use serde::Serialize;

use result_file::{RawResult, ResultFile, leave_out_repeats};

/// Some games between two players.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ResultRow {
    /// Black, if the colours are known.
    pub(crate) first: usize,
    pub(crate) second: usize,
    pub(crate) wins: f64,
    pub(crate) losses: f64,
    pub(crate) draws: f64,
    pub(crate) colors_known: bool,
}

/// Results in the order in which they were read.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Results {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    pub(crate) rows: Vec<ResultRow>,
    /// Games without a result in their record.
    pub(crate) unfinished: u64,
    pub(crate) repeats: Repeats,
}

impl ResultRow {
    fn games(&self) -> f64 {
        self.wins + self.losses + self.draws
    }
}

impl Results {
    /// Reads files and folders. The folder of a match or run counts by its main file; of other
    /// folders all records below count. A game with several records counts once. Errors with file,
    /// line and token name what cannot be read, games of a player against itself, and games without
    /// names of players; the others count. A file in which nothing can be read has one error.
    ///
    /// Fails for an excluded or renamed name that does not occur, and for two players who become
    /// one although they played each other.
    pub(crate) fn read(paths: &[PathBuf], selection: &PlayerSelection, errors: &mut InputErrors) -> Result<Self> {
        let mut sources = Vec::new();
        for path in paths {
            errors.readable(ResultFile::find(path, &mut sources));
        }
        let (mut results, mut seen) = (Self::default(), SeenGames::default());
        leave_out_repeats(&mut sources, &mut seen);
        let rows = read_all(&sources, errors);
        selection.check(&rows)?;
        for (source, rows) in sources.iter().zip(rows) {
            let group = seen.group(source.group());
            for row in rows {
                let place = || match &row.place {
                    Some(place) => format!("{}: {place}", source.place()),
                    None => source.place(),
                };
                if selection.excludes(&row) {
                    continue;
                }
                match selection.fault_of(&row) {
                    Some(fault) => errors.tell(&fault.context(place())),
                    None => results.add(&row, group, selection, &mut seen).with_context(place)?,
                }
            }
        }
        results.repeats = seen.repeats;
        Ok(results)
    }

    fn add(&mut self, row: &RawResult, group: usize, selection: &PlayerSelection, seen: &mut SeenGames) -> Result<()> {
        if !seen.counts(group, row.identity) {
            return Ok(());
        }
        let Some([wins, losses, draws]) = row.counts else {
            self.unfinished += 1;
            return Ok(());
        };
        let [first, second] = [&row.first, &row.second].map(|name| self.number(selection.renamed(name)));
        // The command line is wrong, not the file.
        ensure!(first != second, "{}", selection.self_play(row));
        self.rows.push(ResultRow { first, second, wins, losses, draws, colors_known: row.colors_known });
        Ok(())
    }

    /// The index of a player, who is added if unknown.
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Keeps some players and the rows between them, with indices without gaps.
    fn keep_players(&mut self, stays: &[bool]) {
        let names = std::mem::take(&mut self.names);
        self.numbers.clear();
        let numbers: Vec<_> = names.iter().zip(stays).map(|(name, stays)| stays.then(|| self.number(name))).collect();
        // Rows of players without a number are gone already.
        self.rows.retain_mut(|row| match (numbers[row.first], numbers[row.second]) {
            (Some(first), Some(second)) => {
                (row.first, row.second) = (first, second);
                true
            }
            _ => false,
        });
    }

    /// The players; rows hold indices of these.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The index of a player.
    pub(crate) fn find(&self, name: &str) -> Result<usize> {
        let known = || self.names.join(", ");
        self.numbers.get(name).copied().with_context(|| format!("no player is named `{name}`: there are {}", known()))
    }

    pub(crate) fn games_of(&self, player: usize) -> f64 {
        let rows = self.rows.iter().filter(|row| row.first == player || row.second == player);
        rows.map(ResultRow::games).sum()
    }

    pub(crate) fn games(&self) -> f64 {
        self.rows.iter().map(ResultRow::games).sum()
    }
}

/// Reads all files, in parallel.
fn read_all(sources: &[ResultFile], errors: &mut InputErrors) -> Vec<Vec<RawResult>> {
    let read = |source: &ResultFile| source.rows().with_context(|| source.place());
    let read: Vec<Result<Vec<Result<RawResult>>>> = sources.par_iter().map(read).collect();
    let readable = |(source, rows): (&ResultFile, Result<Vec<Result<RawResult>>>)| {
        let mut good = Vec::new();
        if let Some(rows) = errors.readable(rows) {
            errors.each_row(&source.place(), rows, |row| {
                good.push(row);
                Ok(())
            });
        }
        good
    };
    sources.iter().zip(read).map(readable).collect()
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct LeftOutPlayer {
    pub(crate) name: String,
    /// Its games against those that were not left out before it.
    pub(crate) games: f64,
}

/// Leaves out players with fewer than `least` games, and their games, until all others have enough.
/// Returns who was left out, in that order.
pub(crate) fn with_least_games(mut results: Results, least: f64) -> (Results, Vec<LeftOutPlayer>) {
    let mut left_out = Vec::new();
    if least <= 0.0 {
        return (results, left_out);
    }
    let mut stays = vec![true; results.names().len()];
    loop {
        let mut games = vec![0.0; results.names().len()];
        for row in &results.rows {
            games[row.first] += row.games();
            games[row.second] += row.games();
        }
        let before = left_out.len();
        for player in 0..results.names().len() {
            if stays[player] && games[player] < least {
                stays[player] = false;
                left_out.push(LeftOutPlayer { name: results.names()[player].clone(), games: games[player] });
            }
        }
        if left_out.len() == before {
            break;
        }
        results.rows.retain(|row| stays[row.first] && stays[row.second]);
    }
    results.keep_players(&stays);
    (results, left_out)
}

/// Which players count, and under which names.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlayerSelection {
    pub(crate) exclude: Vec<String>,
    /// Old and new names.
    pub(crate) rename: Vec<(String, String)>,
}

impl PlayerSelection {
    /// Reads `old=new`.
    pub(crate) fn parse_rename(text: &str) -> Result<(String, String), String> {
        let (old, new) = text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form old=new"))?;
        if new.is_empty() { Err(format!("`{text}` has no new name")) } else { Ok((old.to_owned(), new.to_owned())) }
    }

    fn excludes(&self, row: &RawResult) -> bool {
        self.exclude.iter().any(|excluded| *excluded == row.first || *excluded == row.second)
    }

    /// Why a row is left out: a player has no name, or plays against itself.
    fn fault_of(&self, row: &RawResult) -> Option<Error> {
        let is_nameless = |name: &String| self.renamed(name).is_empty();
        if is_nameless(&row.first) || is_nameless(&row.second) {
            return Some(anyhow!("it does not tell who played, and is left out"));
        }
        (row.first == row.second).then(|| anyhow!("`{}` plays against itself, which is left out", row.first))
    }

    /// The message about a row whose players have one name after renaming.
    fn self_play(&self, row: &RawResult) -> String {
        let name = self.renamed(&row.first);
        format!("`{}` plays against `{}`: renamed, `{name}` plays against itself", row.first, row.second)
    }

    fn renamed<'a>(&'a self, name: &'a str) -> &'a str {
        self.rename.iter().find(|(old, _)| old == name).map_or(name, |(_, new)| new)
    }

    /// Refuses a name that does not occur in the results.
    fn check(&self, rows: &[Vec<RawResult>]) -> Result<()> {
        for name in self.exclude.iter().chain(self.rename.iter().map(|(old, _)| old)) {
            let occurs = rows.iter().flatten().any(|row| row.first == *name || row.second == *name);
            ensure!(occurs, "no player is named `{name}`");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "# A B wins losses draws\nA B 3 2 1\n\nB C 4 1\n").unwrap();
        let pgn = "[White \"A\"]\n[Black \"C\"]\n[Result \"0-1\"]\n\n0-1\n\n[White \"A\"]\n[Black \"C\"]\n[Result \"*\"]\n\n*\n";
        fs::write(folder.path().join("b.pgn"), pgn).unwrap();
        fs::write(folder.path().join("c.csa"), "V2\nN+C\nN-D\nPI\n+\n+7776FU\n%TORYO\n").unwrap();
        let line = r#"{"black":"D","white":"A","result":"draw","moves":["7g7f"]}"#;
        fs::write(folder.path().join("d.jsonl"), format!("{line}\n")).unwrap();
        folder
    }

    fn read(folder: &Path, selection: &PlayerSelection) -> Results {
        let mut errors = InputErrors::default();
        let results = Results::read(&[folder.to_owned()], selection, &mut errors).unwrap();
        assert_eq!(errors.texts(), [""; 0]);
        results
    }

    #[test]
    fn every_kind_of_file_is_read_from_a_folder() {
        let folder = folder();
        let results = read(folder.path(), &PlayerSelection::default());
        assert_eq!(results.names(), ["A", "B", "C", "D"]);
        let rows: Vec<_> =
            results.rows.iter().map(|row| (row.first, row.second, row.wins, row.losses, row.draws)).collect();
        assert_eq!(
            rows,
            [
                (0, 1, 3.0, 2.0, 1.0),
                (1, 2, 4.0, 1.0, 0.0),
                (0, 2, 0.0, 1.0, 0.0),
                (2, 3, 1.0, 0.0, 0.0),
                (3, 0, 0.0, 0.0, 1.0),
            ]
        );
        assert_eq!((results.games(), results.unfinished), (14.0, 1));
        assert_eq!(
            results.rows.iter().map(|row| row.colors_known).collect::<Vec<_>>(),
            [false, false, true, true, true]
        );
    }

    #[test]
    fn players_are_renamed_and_left_out() {
        let folder = folder();
        let selection =
            PlayerSelection { exclude: vec!["C".to_owned()], rename: vec![("D".to_owned(), "B".to_owned())] };
        let results = read(folder.path(), &selection);
        assert_eq!((results.names(), results.games()), (["A".to_owned(), "B".to_owned()].as_slice(), 7.0));
        let selection = PlayerSelection { exclude: vec!["X".to_owned()], ..PlayerSelection::default() };
        let paths = [folder.path().to_owned()];
        let error = Results::read(&paths, &selection, &mut InputErrors::default()).unwrap_err();
        assert_eq!(error.to_string(), "no player is named `X`");
    }

    #[test]
    fn what_cannot_be_read_is_named_with_file_line_and_token_and_the_rest_counts() {
        let folder = tempfile::tempdir().unwrap();
        let good = folder.path().join("good.txt");
        fs::write(&good, "A B 5 5\n").unwrap();
        for (file, text, expected, games) in [
            ("x.txt", "A B 1 2\nA B one 2\n", "line 2: `one` is not a number of games", 13.0),
            ("x.txt", "A B 1\n", "line 1: `A B 1` is not of the form: player player wins losses [draws]", 10.0),
            ("x.txt", "B A 1 1\nA A 1 1\n", "x.txt: line 2: `A` plays against itself", 12.0),
            (
                "x.pgn",
                "[White \"A\"]\n[Black \"B\"]\n[Result \"2-0\"]\n\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n",
                "line 3: `2-0`",
                11.0,
            ),
            ("x.csa", "N+A\nN-B\nPI\n+\n+7775FU\n", "line 5: the move `+7775FU`", 10.0),
            ("x.csa", "N+A\nN-B\nPI\n+\n+77\n/\nN+A\nN-B\nPI\n+\n+7776FU\n%TORYO\n", "x.csa: line 5: ", 11.0),
            ("x.csa", "N+A\nPI\n+\n+7776FU\n%TORYO\n", "x.csa: it does not tell who played", 10.0),
            (
                "x.csa",
                "N+A\nN-B\nPI\n+\n%TORYO\n/\nPI\n+\n+7776FU\n%TORYO\n",
                "x.csa: game 2: it does not tell who played",
                11.0,
            ),
            (
                "x.jsonl",
                "{\"black\":\"A\"}\n{\"black\":\"A\",\"white\":\"B\",\"result\":\"draw\"}\n",
                "line 1, column 13: missing field `white`",
                11.0,
            ),
            (
                "results/tournament_results.json",
                r#"{"pair_results":{"x":{"A_wins":1},"y":{"A_wins":1,"B_wins":2}}}"#,
                "pair `x`: it has 1 players",
                13.0,
            ),
            (
                "x.jsonl",
                "{\"black\":\"\",\"white\":\"B\",\"result\":\"draw\"}\n",
                "x.jsonl: line 1: it does not tell who played",
                10.0,
            ),
            // The last line may lack its end, and may be cut off.
            (
                "x.jsonl",
                "{\"black\":\"A\"}\n{\"black\":\"A\",\"white\":\"B\",\"result\":\"draw\"}",
                "line 1, column 13: missing field `white`",
                11.0,
            ),
            (
                "x.jsonl",
                "{\"black\":\"A\",\"white\":\"B\",\"result\":\"draw\"}\n{\"black\":\"A\"",
                "line 2, column 12: EOF",
                11.0,
            ),
            // A file without results has one error.
            ("x.jsonl", "{\"positions\":1}\n{\"positions\":2}\n", "line 1, column 15: missing field `black`", 10.0),
            ("x.txt", "Some words.\nAnd some more words.\n", "line 1: `Some words.` is not of the form", 10.0),
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let mut errors = InputErrors::default();
            let paths = [path.clone(), folder.path().join("none"), good.clone()];
            let results = Results::read(&paths, &PlayerSelection::default(), &mut errors).unwrap();
            let told = errors.texts();
            assert!(told.len() == 2 && told.iter().any(|text| text.contains("none: ")), "{told:?}");
            assert!(told.iter().any(|text| text.contains(expected) && text.contains(file)), "{told:?}");
            assert_eq!(results.games(), games, "{expected}");
            fs::remove_file(path).unwrap();
        }
    }

    #[test]
    fn two_names_for_players_who_met_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.txt");
        fs::write(&path, "A B 1 1\nC B 1 1\n").unwrap();
        let selection =
            PlayerSelection { rename: vec![("C".to_owned(), "B".to_owned())], ..PlayerSelection::default() };
        let error = Results::read(&[path], &selection, &mut InputErrors::default()).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.ends_with("x.txt: line 2: `C` plays against `B`: renamed, `B` plays against itself"), "{error}");
    }

    fn results(pairs: &[(&str, &str, f64)]) -> Results {
        let mut results = Results::default();
        for &(a, b, wins) in pairs {
            let (first, second) = (results.number(a), results.number(b));
            results.rows.push(ResultRow { first, second, wins, losses: 0.0, draws: 0.0, colors_known: false });
        }
        results
    }

    #[test]
    fn who_loses_its_opponents_is_left_out_as_well() {
        // Without d, c has too few games; without c, a and b have enough.
        let few = results(&[("d", "c", 4.0), ("a", "b", 9.0), ("c", "a", 3.0), ("b", "e", 1.0)]);
        let (kept, left_out) = with_least_games(few, 5.0);
        let names: Vec<_> = left_out.iter().map(|left| (left.name.as_str(), left.games)).collect();
        assert_eq!(names, [("d", 4.0), ("e", 1.0), ("c", 3.0)]);
        assert_eq!((kept.names(), kept.games()), (["a".to_owned(), "b".to_owned()].as_slice(), 9.0));
        assert_eq!((kept.rows[0].first, kept.rows[0].second, kept.find("b").unwrap()), (0, 1, 1));
        // Nobody may be left.
        let (kept, left_out) = with_least_games(results(&[("a", "b", 1.0)]), 2.0);
        assert_eq!((kept.names().len(), kept.rows.len(), left_out.len()), (0, 0, 2));
        let all = results(&[("a", "b", 1.0)]);
        assert_eq!(with_least_games(all.clone(), 0.0), (all, Vec::new()));
    }
}
