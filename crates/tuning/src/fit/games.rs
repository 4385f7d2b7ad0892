//! Arguments of `fit`, its sample of positions, and the observations made of them.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::{Args, ValueEnum};
use kiki_run::interrupt::Interrupt;
use kiki_run::output::{ProgressLine, print_warning};
use kiki_stats::regression::Observations;
use kiki_train::TrainingTarget;
use kiki_train::fit::{TermCounts, TermGroup, TermView};
use kiki_train::psv::TrainingRecord;
use kiki_train::recorded::TrainingFile;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

const EXAMPLE: &str = "\
Example:
  kiki-lab fit results/data/formula-1.games --output results/fit.toml --samples results/fit
  kiki-lab distances results/fit/*.toml --plot results/distances.svg

A tenth of the games is held out of the fit and judges it. Errors allow for the common result of all positions of a game.";

/// Arguments of the fit of the formula alone.
const OF_THE_FORMULA: [&str; 7] = ["start", "promoted_in_full", "published_terms", "hold", "keep", "output", "samples"];

/// The formula's numbers under which the results of games are most likely (logistic regression)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct FormulaFitArgs {
    /// Files of games, or of records game by game
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// Number of positions of each game, evenly spread
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) per_game: u32,
    /// Skip positions with a score beyond this, in centipawns
    #[arg(long, value_name = "CENTIPAWNS")]
    pub(super) max_score: Option<u16>,
    /// Weight of the score beside the result, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    pub(super) lambda: f64,
    /// Score in centipawns that stands for 75 percent of the points, for --lambda
    #[arg(long, default_value_t = 600.0, value_name = "CENTIPAWNS")]
    pub(super) score_scale: f64,
    /// Seed of the choice of positions
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// File of parameters to start from instead of the numbers in use
    #[arg(long, value_name = "FILE")]
    pub(super) start: Option<PathBuf>,
    /// Promoted pieces have no discount on the board
    #[arg(long)]
    pub(super) promoted_in_full: bool,
    /// Fit only the numbers of the published formula: no zones, no directions
    #[arg(long)]
    pub(super) published_terms: bool,
    /// Numbers that keep their values
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) hold: Vec<String>,
    /// Quantity whose size stays the same, because the search has margins in centipawns
    #[arg(long, value_enum, default_value_t = ScaleRule::Values)]
    pub(super) keep: ScaleRule,
    /// Write the numbers as a file of parameters
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Write 200 files of parameters drawn from the error of the fit, for `kiki-lab distances`
    #[arg(long, value_name = "FOLDER")]
    pub(super) samples: Option<PathBuf>,
    /// Try each group of other terms beside the formula, and print its gain
    #[arg(long, conflicts_with_all = OF_THE_FORMULA)]
    pub(super) screen: bool,
    /// Other terms to fit as well, named as --screen prints them
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with_all = OF_THE_FORMULA)]
    pub(super) with: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Quantity whose size stays that of the numbers in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum ScaleRule {
    /// The root mean square of the values of the positions
    Values,
    /// The root mean square of the material of the positions
    Material,
}

/// One game in this many is held out.
const HELD_OUT: u32 = 10;
/// Number of positions in a chunk of work.
const CHUNK: usize = 4096;

/// Centipawns to one unit of log-odds within a fit. Results do not depend on it.
pub(super) const UNIT: f64 = 600.0;

/// Observations to learn from, and held-out ones.
pub(super) struct Halves {
    pub(super) learned: Observations,
    pub(super) held_out: Observations,
}

fn hash_of(game: &[TrainingRecord]) -> u64 {
    let mut hasher = DefaultHasher::new();
    game.hash(&mut hasher);
    hasher.finish()
}

/// Positions of some games, with the number of their game.
pub(super) struct GameSample {
    records: Vec<(TrainingRecord, u32)>,
    pub(super) games: u32,
    target: TrainingTarget,
}

impl GameSample {
    /// Samples positions of each game in the files; `None` at Ctrl-C.
    pub(super) fn read(arguments: &FormulaFitArgs) -> Result<Option<Self>> {
        let interrupt = Interrupt::listen()?;
        let stopped = || interrupt.cancellation.token().is_cancelled();
        let mut sample = Self {
            records: Vec::new(),
            games: 0,
            target: TrainingTarget { lambda: arguments.lambda, score_scale: arguments.score_scale },
        };
        let mut random = Pcg64::seed_from_u64(arguments.seed);
        let (mut seen, mut repeated) = (HashSet::new(), 0_u64);
        for path in &arguments.files {
            let place = || path.display().to_string();
            let file = TrainingFile::open(path).with_context(place)?;
            let (mut line, mut read) = (ProgressLine::new("positions", file.records(), 0), 0);
            for game in file.into_games() {
                let game = game.with_context(place)?;
                read += game.len() as u64;
                // A game that counts twice would make the errors too small.
                if seen.insert(hash_of(&game)) {
                    sample.take(arguments, game, &mut random);
                } else {
                    repeated += 1;
                }
                line.show(read, place);
                if stopped() {
                    line.finish();
                    return Ok(None);
                }
            }
            line.finish();
        }
        if repeated > 0 {
            print_warning(&format!("games that were read before, each of which counts once: {repeated}"));
        }
        ensure!(sample.games >= 2 * HELD_OUT, "there are only {} games with positions to learn from", sample.games);
        Ok(Some(sample))
    }

    /// Takes positions of a game, evenly spread from a random start.
    fn take(&mut self, arguments: &FormulaFitArgs, mut records: Vec<TrainingRecord>, random: &mut Pcg64) {
        let limit = arguments.max_score.map_or(i32::MAX, i32::from);
        records.retain(|record| i32::from(record.score).abs() <= limit);
        let wanted = (arguments.per_game as usize).min(records.len());
        let shift: f64 = random.random();
        for i in 0..wanted {
            let place = (i as f64 + shift) * records.len() as f64 / wanted as f64;
            self.records.push((records[place as usize], self.games));
        }
        self.games += u32::from(wanted > 0);
    }

    /// Counts the terms of the groups in all positions.
    pub(super) fn observations(&self, groups: &[&TermGroup]) -> Result<Halves> {
        let terms = groups.iter().map(|group| group.terms).sum();
        let empty = || Observations::new(terms);
        let mut halves = Halves { learned: empty(), held_out: empty() };
        for block in self.records.chunks(64 * CHUNK) {
            let counted: Vec<_> = block.par_chunks(CHUNK).map(|chunk| self.count(chunk, groups, terms)).collect();
            for counted in counted {
                for (features, outcome, game) in counted? {
                    let half = if game % HELD_OUT == 0 { &mut halves.held_out } else { &mut halves.learned };
                    half.push(&features, outcome, game)?;
                }
            }
        }
        Ok(halves)
    }

    #[expect(clippy::type_complexity, reason = "it is taken apart where it arrives")]
    fn count(
        &self,
        records: &[(TrainingRecord, u32)],
        groups: &[&TermGroup],
        terms: usize,
    ) -> Result<Vec<(Vec<(u16, f32)>, f32, u32)>> {
        let mut counts = TermCounts::new(terms);
        let each = |(record, game): &(TrainingRecord, u32)| {
            let position = record.position().with_context(|| format!("game {game}"))?;
            let view = TermView::new(&position);
            let features = counts.count(&view, groups).map(|(column, count)| (column, count / UNIT as f32)).collect();
            Ok((features, self.target.points(record.score, record.result) as f32, *game))
        };
        records.iter().map(each).collect()
    }

    pub(super) fn positions(&self) -> usize {
        self.records.len()
    }
}
