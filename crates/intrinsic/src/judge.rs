//! `kiki-lab intrinsic judge`: positions judged by a search of many moves to a fixed depth.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use kiki_board::Position;
use kiki_eval::SelectedEvaluator;
use kiki_run::evaluation::{EvaluationArgs, EvaluationNote, ThreadArgs};
use kiki_run::files::{absolute, shell_word};
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::stop_flag;
use kiki_run::journal::{JUDGING, Journal};
use kiki_run::output::{ProgressLine, print_json};
use kiki_run::parallel;
use kiki_run::say;
use kiki_search::{Bound, Limits, Options, RootScore, SearchInfo, Searched, Searcher};
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::choice::descending_values;
use crate::turns::{OPENING_PLIES, Turn, TurnFilter, line_of, turn_of, turns_of};

/// Judges the moves of games by a search of many moves to a fixed depth
#[derive(Args, Debug)]
pub(crate) struct JudgeArgs {
    /// The folder for the judgements
    folder: PathBuf,
    /// Resume the judging in this folder with its settings
    #[arg(long, hide = true, conflicts_with_all = ["games", "opening_plies", "per_player", "seed", "depth", "lines", "lopsided", "network", "fv_scale", "table"])]
    resume: bool,
    /// The games; may be given several times: a folder of a match, a game record or a folder of them
    #[arg(long, value_name = "PATH", required_unless_present = "resume")]
    games: Vec<PathBuf>,
    /// Number of plies at the start of each game to leave out as the opening
    #[arg(long, value_name = "PLIES", default_value_t = OPENING_PLIES)]
    opening_plies: u32,
    /// Number of positions of each player, drawn at random
    #[arg(long, value_name = "N", default_value_t = 1000)]
    per_player: usize,
    /// The seed of the draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Plies of each search
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Number of best moves to judge, besides the one that was played
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..=600))]
    lines: u32,
    /// Skip positions whose value is beyond this, in centipawns, in a first search of one line, 3
    /// plies less deep
    #[arg(long, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(i32).range(1..))]
    lopsided: Option<i32>,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    table: usize,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &JudgeArgs) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    let (mut judging, errors) = if arguments.resume { resume(&arguments.folder)? } else { begin(arguments)? };
    let stop = stop_flag()?;
    let to_judge = judging.to_judge();
    let mut line = ProgressLine::new("positions", to_judge as u64, judging.judgements.len() as u64);
    judging.run(threads, &stop, |done| line.show(done as u64, String::new))?;
    line.finish();
    let done = judging.judgements.len();
    if arguments.json {
        print_json(&json!({
            "ending": if done < to_judge { "interrupted" } else { "complete" },
            "folder": arguments.folder,
            "positions": to_judge,
            "judged": done,
            "left_out": judging.turns.len() - to_judge,
        }))?;
        return Ok(errors.exit_code_of_run(done < to_judge));
    }
    say!("{done} of {to_judge} positions judged, {} left out", judging.turns.len() - to_judge);
    if done < to_judge {
        say!("interrupted; go on with: kiki-lab resume {}", shell_word(&arguments.folder));
    }
    Ok(errors.exit_code_of_run(done < to_judge))
}

fn resume(folder: &Path) -> Result<(Judging, InputErrors)> {
    let judging = Judging::resume(folder)?;
    let errors = InputErrors::of_earlier_run(&judging.settings.left_out);
    Ok((judging, errors))
}

fn begin(arguments: &JudgeArgs) -> Result<(Judging, InputErrors)> {
    ensure!(arguments.per_player > 0, "--per-player 0: there is nothing to judge");
    let filter =
        TurnFilter { opening_plies: arguments.opening_plies, per_player: arguments.per_player, seed: arguments.seed };
    let mut errors = InputErrors::default();
    let turns = turns_of(&arguments.games, filter, &mut errors)?;
    let settings = JudgingSettings {
        sources: absolute(&arguments.games)?,
        opening_plies: arguments.opening_plies,
        evaluation: arguments.evaluation.note()?,
        depth: arguments.depth,
        lines: arguments.lines as usize,
        lopsided: arguments.lopsided,
        table_mebibytes: arguments.table,
        left_out: errors.texts().to_vec(),
    };
    Ok((Judging::begin(&arguments.folder, settings, turns)?, errors))
}

/// The first search, which finds lopsided positions, is this number of plies less deep.
const LOPSIDED_PLIES: u32 = 3;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgingSettings {
    /// Where the games come from.
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) opening_plies: u32,
    pub(crate) evaluation: EvaluationNote,
    /// The plies of each search.
    pub(crate) depth: u32,
    /// Number of best moves judged in each position, besides the one that was played.
    pub(crate) lines: usize,
    /// A position whose value by a quick search is beyond this, in centipawns, is left out.
    #[serde(default)]
    pub(crate) lopsided: Option<i32>,
    /// Of each search's table.
    pub(crate) table_mebibytes: usize,
    /// Errors in reading the games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<String>,
}

/// The judgement of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Judgement {
    /// The values of moves in centipawns for the side to move, best first, and which of them was played.
    Values { values: Vec<i32>, played: usize },
    /// The best move mates, or every move is mated.
    Mate,
    /// A quick search has a value beyond the limit.
    Lopsided,
}

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JudgementLine {
    /// The place of the turn in the list, from 0.
    turn: usize,
    #[serde(flatten)]
    judgement: Judgement,
}

/// Positions with the judgements so far.
pub(crate) struct Judging {
    pub(crate) settings: JudgingSettings,
    pub(crate) turns: Vec<Turn>,
    /// By the place of the turn.
    pub(crate) judgements: BTreeMap<usize, Judgement>,
    journal: Journal,
}

impl Judging {
    pub(crate) fn begin(folder: &Path, settings: JudgingSettings, turns: Vec<Turn>) -> Result<Self> {
        let list: Vec<String> = turns.iter().map(line_of).collect();
        let journal = Journal::create(folder, JUDGING, &settings, &list)?;
        Ok(Self { settings, turns, judgements: BTreeMap::new(), journal })
    }

    pub(crate) fn resume(folder: &Path) -> Result<Self> {
        let (journal, settings, list) = Journal::resume(folder, JUDGING)?;
        Self::of(journal, settings, &list)
    }

    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let (journal, settings, list) = Journal::read(folder, JUDGING)?;
        Self::of(journal, settings, &list)
    }

    fn of(mut journal: Journal, settings: JudgingSettings, list: &[String]) -> Result<Self> {
        let place = || journal.folder().join(JUDGING.list).display().to_string();
        let turn =
            |(index, line): (usize, &String)| turn_of(line).with_context(|| format!("{}, line {}", place(), index + 1));
        let turns: Vec<Turn> = list.iter().enumerate().map(turn).collect::<Result<_>>()?;
        let mut judgements = BTreeMap::new();
        journal.replay(|JudgementLine { turn, judgement }| {
            turns.get(turn).with_context(|| format!("there is no turn {turn}"))?;
            judgements.insert(turn, judgement);
            Ok(())
        })?;
        Ok(Self { settings, turns, judgements, journal })
    }

    /// Number of positions to judge in all.
    pub(crate) fn to_judge(&self) -> usize {
        self.turns.iter().filter(|turn| turn.unjudged.is_none()).count()
    }

    /// Judges the remaining positions until `stop` is set. Calls `each` with the number of positions done.
    pub(crate) fn run(&mut self, threads: usize, stop: &AtomicBool, mut each: impl FnMut(usize)) -> Result<()> {
        let weights = self.settings.evaluation.load()?;
        let options = Options {
            table_mebibytes: self.settings.table_mebibytes,
            multipv: self.settings.lines,
            ..Options::default()
        };
        let judge = Judge { options, depth: self.settings.depth, lopsided: self.settings.lopsided, stop };
        let Self { turns, judgements, journal, .. } = self;
        let is_missing = |index: &usize| turns[*index].unjudged.is_none() && !judgements.contains_key(index);
        let mut missing: Vec<usize> = (0..turns.len()).filter(is_missing).collect();
        // Shuffled, so that an interrupted run has judged a sample of all games, not the first
        // ones.
        missing.shuffle(&mut Pcg64::seed_from_u64(judgements.len() as u64));
        let new_searcher = || Ok(Searcher::new(weights.clone(), options)?);
        let look = |searcher: &mut Searcher<SelectedEvaluator>, &index: &usize| {
            judge.judge(searcher, &turns[index]).transpose()
        };
        parallel::for_each(&missing, threads, new_searcher, look, |index, judgement| {
            let turn = missing[index];
            let judgement = judgement?;
            journal.append(&JudgementLine { turn, judgement: judgement.clone() })?;
            judgements.insert(turn, judgement);
            each(judgements.len());
            Ok(())
        })
    }
}

/// How a position is judged.
struct Judge<'a> {
    options: Options,
    depth: u32,
    lopsided: Option<i32>,
    stop: &'a AtomicBool,
}

impl Judge<'_> {
    /// The result of a search of a turn; `None` if it was stopped.
    fn judge(&self, searcher: &mut Searcher<SelectedEvaluator>, turn: &Turn) -> Result<Option<Judgement>> {
        let position = Position::from_sfen(&turn.sfen).with_context(|| turn.sfen.clone())?;
        searcher.clear();
        if let Some(limit) = self.lopsided {
            let Some(quick) = self.search(searcher, &position, 1, self.depth.saturating_sub(LOPSIDED_PLIES).max(1))?
            else {
                return Ok(None);
            };
            match quick.result.score {
                RootScore::Mate(_) => return Ok(Some(Judgement::Mate)),
                score if score.centipawns().abs() > limit => return Ok(Some(Judgement::Lopsided)),
                _ => {}
            }
        }
        let Some(searched) = self.search(searcher, &position, self.options.multipv, self.depth)? else {
            return Ok(None);
        };
        if matches!(searched.result.score, RootScore::Mate(_)) {
            return Ok(Some(Judgement::Mate));
        }
        let mut lines = ranked(&searched.lines);
        if let Some(played) = lines.iter().position(|(mv, _)| *mv == turn.played) {
            return Ok(Some(Judgement::Values { values: values_of(&lines), played }));
        }
        let mv =
            position.parse_move(&turn.played).map_err(|_| anyhow!("`{}` is illegal in {}", turn.played, turn.sfen))?;
        let alone = Limits { depth: Some(self.depth), search_moves: vec![mv], ..Limits::default() };
        let Some(found) = searcher.search_unless_stopped(&position, &alone, self.stop) else { return Ok(None) };
        lines.push((turn.played.clone(), found.result.score.centipawns()));
        Ok(Some(Judgement::Values { values: values_of(&lines), played: lines.len() - 1 }))
    }

    /// Searches `multipv` lines. The table keeps what earlier searches of the position found.
    fn search(
        &self,
        searcher: &mut Searcher<SelectedEvaluator>,
        position: &Position,
        multipv: usize,
        depth: u32,
    ) -> Result<Option<Searched>> {
        searcher.set_options(Options { multipv, ..self.options })?;
        Ok(searcher.search_unless_stopped(position, &Limits { depth: Some(depth), ..Limits::default() }, self.stop))
    }
}

/// The last exact move and value of each rank, best first.
fn ranked(infos: &[SearchInfo]) -> Vec<(String, i32)> {
    let mut last: BTreeMap<usize, (String, i32)> = BTreeMap::new();
    for info in infos.iter().filter(|info| info.bound == Bound::Exact) {
        if let Some(first) = info.pv.first() {
            last.insert(info.multipv, (first.to_string(), info.score.centipawns()));
        }
    }
    let mut lines: Vec<(String, i32)> = Vec::with_capacity(last.len());
    for (mv, value) in last.into_values() {
        // An unfinished iteration may list a move at two ranks.
        if lines.iter().all(|(known, _)| *known != mv) {
            lines.push((mv, value));
        }
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.1));
    lines
}

fn values_of(lines: &[(String, i32)]) -> Vec<i32> {
    descending_values(lines.iter().map(|line| line.1))
}
