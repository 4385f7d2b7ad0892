//! `genfens`: openings for testing frameworks, whose engines generate training games.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow, bail, ensure};
use kiki_board::Position;
use kiki_search::{Limits, random_opening};
use kiki_usi::InfoString;
use rand::SeedableRng as _;
use rand::seq::IndexedRandom as _;
use rand_pcg::Pcg64;

use crate::bench::BenchSettings;
use crate::people::read_positions;

/// Nodes of the search that judges an opening, and MiB of its table. It takes some ten
/// milliseconds.
const NODES: u64 = 5_000;
const HASH: usize = 4;

/// Openings drawn for each one that is wanted. With all of them refused, there may be no more.
const MOST_DRAWN: usize = 500;

/// Random plies at most: longer walks end in mates.
const MOST_PLIES: u32 = 100;

/// The arguments of `genfens`.
pub(crate) struct GenfensPlan {
    count: usize,
    seed: u64,
    /// Where openings begin.
    starts: Vec<Position>,
    /// Random plies; half of the openings have one more, so that either side may be to move.
    plies: u32,
    /// The greatest value of an opening, in centipawns for whichever side.
    limit: i32,
}

/// Parses `N [seed S] [book FILE|None] [plies N] [limit CP]`.
pub(crate) fn plan(arguments: &[String]) -> Result<GenfensPlan> {
    let mut words = arguments.iter().map(String::as_str);
    let count = words.next().context("genfens: the number of openings is missing")?;
    let mut plan = GenfensPlan {
        count: number("number of openings", count)?,
        seed: 0,
        starts: vec![Position::startpos()],
        plies: 8,
        limit: 300,
    };
    while let Some(name) = words.next() {
        let mut value = || words.next().with_context(|| format!("genfens: `{name}` needs a value"));
        match name {
            "seed" => plan.seed = number(name, value()?)?,
            "book" => match value()? {
                none if none.eq_ignore_ascii_case("none") => {}
                path => plan.starts = read_positions(path).map_err(|error| anyhow!("genfens: {error}"))?,
            },
            "plies" => plan.plies = number(name, value()?)?,
            "limit" => plan.limit = number(name, value()?)?,
            other => bail!("genfens: `{other}` is not one of seed, book, plies, limit"),
        }
    }
    ensure!(!plan.starts.is_empty(), "genfens: the book has no positions");
    ensure!(plan.plies <= MOST_PLIES, "genfens: {} plies are above the maximum of {MOST_PLIES}", plan.plies);
    Ok(plan)
}

fn number<T: std::str::FromStr>(name: &str, token: &str) -> Result<T> {
    token.parse().ok().with_context(|| format!("genfens: the {name} `{token}` is not a number, or too large"))
}

impl GenfensPlan {
    /// Prints the openings, each once, as `info string genfens SFEN`. They depend on the plan and
    /// the evaluation alone, and those of a smaller number come first. Ends when `stop` is set.
    ///
    /// # Errors
    /// If there are too few such openings, or the system refuses memory or threads.
    pub(crate) fn run(
        &self,
        settings: &BenchSettings,
        stop: &AtomicBool,
        print_line: &mut dyn FnMut(String),
    ) -> Result<()> {
        let mut searcher = settings.searcher(1, HASH).map_err(|error| anyhow!("genfens: {error}"))?;
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        let mut random = Pcg64::seed_from_u64(self.seed);
        let mut known = HashSet::new();
        let is_stopped = || stop.load(Ordering::Relaxed);
        for found in 0..self.count {
            let mut draw = || {
                let start = self.starts.choose(&mut random)?;
                let (_, opening) = random_opening(start, self.plies..=self.plies + 1, &mut random)?;
                // A position without a legal move is a mate for the search.
                let is_candidate = !opening.in_check() && known.insert(opening.key());
                let searched = is_candidate.then(|| searcher.search_anew(&opening, &limits, stop))??;
                searched.result.score.is_within(self.limit).then_some(opening)
            };
            let opening = (0..MOST_DRAWN).take_while(|_| !is_stopped()).find_map(|_| draw());
            if is_stopped() {
                print_line(InfoString(format_args!("genfens: stopped after {found} openings")).to_string());
                return Ok(());
            }
            let opening = opening.with_context(|| {
                format!(
                    "genfens: {found} of {} openings found, then {MOST_DRAWN} draws were known, checks, or beyond {} centipawns",
                    self.count, self.limit
                )
            })?;
            print_line(InfoString(format_args!("genfens {}", opening.to_sfen())).to_string());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kiki_eval::SelectedWeights;

    use super::*;

    fn settings() -> Result<BenchSettings> {
        Ok(BenchSettings {
            weights: SelectedWeights::default(),
            probcut: kiki_search::ProbCutOptions::default(),
            model: std::sync::Arc::new(kiki_network::embedded_sigma(true)?),
        })
    }

    /// The result of the command, and the lines that it prints.
    fn said(arguments: &str) -> Result<(Result<()>, Vec<String>)> {
        let words: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        let mut lines = Vec::new();
        let result = plan(&words)?.run(&settings()?, &AtomicBool::new(false), &mut |line| lines.push(line));
        Ok((result, lines))
    }

    fn openings(arguments: &str) -> Result<Vec<Position>> {
        let (result, lines) = said(arguments)?;
        result?;
        let sfens = lines.iter().map(|line| line.strip_prefix("info string genfens ").context("another line"));
        sfens.map(|sfen| Ok(Position::from_sfen(sfen?)?)).collect()
    }

    #[test]
    fn openings_are_different_even_and_without_check() -> Result<()> {
        let openings = openings("40 seed 7 limit 150")?;
        let keys: HashSet<u64> = openings.iter().map(Position::key).collect();
        assert_eq!((openings.len(), keys.len()), (40, 40));
        let mut searcher = settings()?.searcher(1, HASH)?;
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        for opening in &openings {
            assert!((9..=10).contains(&opening.ply()) && !opening.in_check(), "{}", opening.to_sfen());
            let searched = searcher.search_anew(opening, &limits, &AtomicBool::new(false)).context("stopped")?;
            assert!(searched.result.score.is_within(150), "{}", opening.to_sfen());
        }
        let white = openings.iter().filter(|opening| opening.ply() == 10).count();
        assert!((8..=32).contains(&white), "{white} with White to move");
        Ok(())
    }

    #[test]
    fn the_seed_alone_chooses_and_a_smaller_number_is_a_beginning() -> Result<()> {
        let (_, long) = said("6 seed 3 book None")?;
        assert_eq!(said("6 seed 3")?.1, long);
        assert_eq!(said("2 seed 3")?.1, long[..2]);
        assert_ne!(said("6 seed 4")?.1, long);
        Ok(())
    }

    #[test]
    fn a_book_gives_the_starts() -> Result<()> {
        let book = tempfile::NamedTempFile::new()?;
        let lines = "# a comment\n\nstartpos moves 7g7f 3c3d\n\
                     lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 21\n\
                     sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 31 hmvc 0; fmvn 1;\n";
        std::fs::write(book.path(), lines)?;
        let openings = openings(&format!("30 seed 1 book {} plies 1", book.path().display()))?;
        let plies: HashSet<u32> = openings.iter().map(Position::ply).collect();
        assert_eq!(plies, HashSet::from([4, 5, 22, 23, 32, 33]));
        Ok(())
    }

    #[test]
    fn too_few_openings_are_an_error() -> Result<()> {
        let (result, lines) = said("40 plies 0")?;
        // The start position, and it after each of the 30 first moves, if even.
        assert!((20..=31).contains(&lines.len()), "{lines:#?}");
        let error = result.err().context("more openings than moves")?.to_string();
        assert!(error.contains(&format!("{} of 40 openings found", lines.len())), "{error}");
        Ok(())
    }
}
