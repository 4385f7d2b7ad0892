//! `kiki-lab intrinsic judge`: positions judged by a search of many moves to a fixed depth.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use kiki_board::Position;
use kiki_eval::SelectedEvaluator;
use kiki_machines::context::{StopSignal, WorkerContext};
use kiki_machines::coordinator::{NextTask, RunPlan};
use kiki_machines::job::{Job, JobNeeds};
use kiki_machines::workforce::{MachinesArgs, Workforce};
use kiki_run::ensure_usage;
use kiki_run::evaluation::{EvaluationNote, SearchRunArgs, SearcherArgs, SharedEvaluation};
use kiki_run::files::absolute;
use kiki_run::input_errors::{InputErrors, exit_code_of_run, tell_left_out};
use kiki_run::interrupt::{how_to_resume, stop_flag};
use kiki_run::journal::{JUDGING, Journal};
use kiki_run::list_run::{ItemLine, ListRun};
use kiki_run::output::{ProgressLine, print_json};
use kiki_run::say;
use kiki_search::{Bound, Limits, Options, RootScore, SearchInfo, Searched, Searcher};
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::choice::descending_values;
use crate::turns::{PlayerTurn, TurnFilter, text_of, turn_of, turns_of};

/// Judges the moves of games by a search of many moves to a fixed depth
#[derive(Args, Debug)]
pub(crate) struct JudgeArgs {
    /// The folder for the judgements
    folder: PathBuf,
    /// The games; may be given several times: a folder of a match, a game record or a folder of
    /// them
    #[arg(long, value_name = "PATH", required = true)]
    games: Vec<PathBuf>,
    #[command(flatten)]
    filter: TurnFilter,
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
    search: SearcherArgs,
    #[command(flatten)]
    machines: MachinesArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What a resumed run may change.
#[derive(Args, Debug)]
pub struct JudgeResumeArgs {
    #[command(flatten)]
    search: SearchRunArgs,
    #[command(flatten)]
    machines: MachinesArgs,
}

pub(crate) fn run(arguments: &JudgeArgs) -> Result<ExitCode> {
    let workforce = Workforce::new(&arguments.search.threads, &arguments.machines)?;
    go_on(begin(arguments)?, &workforce, arguments.json)
}

/// Goes on with an earlier judging.
pub fn resume(folder: &Path, options: &JudgeResumeArgs) -> Result<ExitCode> {
    let workforce = Workforce::new(&options.search.threads, &options.machines)?;
    let journal = Journal::<JudgingSettings>::resume(folder, JUDGING)?;
    tell_left_out(&journal.settings.left_out);
    go_on(journal, &workforce, options.search.json)
}

fn begin(arguments: &JudgeArgs) -> Result<Journal<JudgingSettings>> {
    ensure_usage!(arguments.filter.per_player > 0, "--per-player 0: there is nothing to judge");
    let mut errors = InputErrors::default();
    let turns = turns_of(&arguments.games, arguments.filter, &mut errors)?;
    let settings = JudgingSettings {
        sources: absolute(&arguments.games)?,
        opening_plies: arguments.filter.opening_plies,
        evaluation: arguments.search.evaluation.note()?,
        depth: arguments.depth,
        lines: arguments.lines as usize,
        lopsided: arguments.lopsided,
        table_mebibytes: arguments.search.table,
        left_out: errors.texts().to_vec(),
    };
    Journal::begin(&arguments.folder, JUDGING, settings, turns.iter().map(text_of).collect())
}

fn go_on(journal: Journal<JudgingSettings>, workforce: &Workforce, as_json: bool) -> Result<ExitCode> {
    let mut judging = Judging::new(journal, turn_of)?;
    let wanted = to_judge(&judging);
    let all = wanted.len();
    judge(&mut judging, &wanted, workforce)?;
    let (done, left_out, folder) = (judging.found.len(), judging.items.len() - all, judging.journal.folder());
    if as_json {
        print_json(&json!({
            "ending": if done < all { "interrupted" } else { "complete" },
            "folder": folder,
            "positions": all,
            "judged": done,
            "left_out": left_out,
        }))?;
    } else {
        say!("{done} of {all} positions judged, {left_out} left out");
        if done < all {
            say!("{}", how_to_resume(folder, workforce.resume_options()));
        }
    }
    Ok(exit_code_of_run(&judging.journal.settings.left_out, done < all))
}

/// The first search, which finds lopsided positions, is this number of plies less deep.
const LOPSIDED_PLIES: u32 = 3;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgingSettings {
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) opening_plies: u32,
    pub(crate) evaluation: EvaluationNote,
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

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnJudgement {
    /// The values of moves in centipawns for the side to move, best first, and which of them was
    /// played.
    Values { values: Vec<i32>, played: usize },
    /// The best move mates, or every move is mated.
    Mate,
    /// A quick search has a value beyond the limit.
    Lopsided,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgementLine {
    /// The place of the turn in the list, from 0.
    turn: usize,
    #[serde(flatten)]
    pub(crate) judgement: TurnJudgement,
}

impl ItemLine for JudgementLine {
    fn item(&self) -> usize {
        self.turn
    }
}

pub(crate) type Judging = ListRun<JudgingSettings, PlayerTurn, JudgementLine>;

pub(crate) fn read(folder: &Path) -> Result<Judging> {
    Judging::new(Journal::read(folder, JUDGING)?, turn_of)
}

/// Indices of the positions to judge, in random order.
fn to_judge(judging: &Judging) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..judging.items.len()).collect();
    indices.retain(|&index| judging.items[index].unjudged.is_none());
    // Shuffled, so that an interrupted run has judged a sample of all games, not the first ones.
    indices.shuffle(&mut Pcg64::seed_from_u64(0));
    indices
}

fn judge(judging: &mut Judging, indices: &[usize], workforce: &Workforce) -> Result<()> {
    let &JudgingSettings { depth, lines, lopsided, table_mebibytes, ref evaluation, .. } = &judging.journal.settings;
    let job =
        JudgeJob { evaluation: SharedEvaluation::new(evaluation.clone()), depth, lines, lopsided, table_mebibytes };
    let interrupted = stop_flag()?;
    let Judging { journal, items, found } = judging;
    let mut progress = ProgressLine::new("positions", indices.len() as u64, found.len() as u64);
    let missing: Vec<bool> = indices.iter().map(|index| !found.contains_key(index)).collect();
    let mut order = indices.iter().zip(&missing).filter(|(_, missing)| **missing).map(|(index, _)| *index);
    let next = |number: u64| {
        let turn = indices.get(number as usize).map(|&index| &items[index]);
        Ok(match missing.get(number as usize).zip(turn) {
            None => NextTask::None,
            Some((false, _)) => NextTask::Skip,
            Some((true, turn)) => NextTask::Task((turn.sfen.clone(), turn.played.clone())),
        })
    };
    let is_stopped = || interrupted.load(Ordering::Relaxed);
    let (place, is_new) = (journal.folder().to_owned(), found.is_empty());
    let plan = RunPlan { job: &job, place: &place, first: 0, is_new, is_stopped: &is_stopped };
    let outcome = workforce.run(&plan, next, |judgement| {
        let turn = order.next().context("an outcome without a position")?;
        let line = JudgementLine { turn, judgement };
        journal.append(&line)?;
        found.insert(turn, line);
        progress.show(found.len() as u64, String::new);
        Ok(ControlFlow::Continue(()))
    });
    progress.finish();
    outcome
}

/// Judgements as tasks for many machines.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeJob {
    evaluation: SharedEvaluation,
    depth: u32,
    lines: usize,
    lopsided: Option<i32>,
    table_mebibytes: usize,
}

impl Job for JudgeJob {
    const KIND: &'static str = "judging";
    /// The SFEN of a position and the move that was played.
    type Task = (String, String);
    type Outcome = TurnJudgement;
    type State<'a> = Searcher<SelectedEvaluator>;

    fn needs(&mut self) -> JobNeeds<'_> {
        JobNeeds::Evaluations(vec![&mut self.evaluation])
    }

    fn begin(&self, _: &WorkerContext<'_>) -> Result<Self::State<'_>> {
        Ok(Searcher::new(self.evaluation.weights()?, self.options())?)
    }

    fn work(
        &self,
        searcher: &mut Self::State<'_>,
        _: u64,
        (sfen, played): (String, String),
        stop: &StopSignal,
    ) -> Result<Option<TurnJudgement>> {
        self.judge(searcher, &sfen, &played, stop.flag())
    }
}

impl JudgeJob {
    fn options(&self) -> Options {
        Options { table_mebibytes: self.table_mebibytes, multipv: self.lines, ..Options::default() }
    }

    /// The result of a search of a turn; `None` if it was stopped.
    fn judge(
        &self,
        searcher: &mut Searcher<SelectedEvaluator>,
        sfen: &str,
        played: &str,
        stop: &AtomicBool,
    ) -> Result<Option<TurnJudgement>> {
        let position = Position::from_sfen(sfen).with_context(|| sfen.to_owned())?;
        searcher.clear();
        if let Some(limit) = self.lopsided {
            let depth = self.depth.saturating_sub(LOPSIDED_PLIES).max(1);
            let Some(quick) = self.search(searcher, &position, 1, depth, stop)? else { return Ok(None) };
            match quick.result.score {
                RootScore::Mate(_) => return Ok(Some(TurnJudgement::Mate)),
                score if score.centipawns().abs() > limit => return Ok(Some(TurnJudgement::Lopsided)),
                _ => {}
            }
        }
        let Some(searched) = self.search(searcher, &position, self.lines, self.depth, stop)? else { return Ok(None) };
        if matches!(searched.result.score, RootScore::Mate(_)) {
            return Ok(Some(TurnJudgement::Mate));
        }
        let mut lines = ranked(&searched.lines);
        if let Some(played) = lines.iter().position(|(mv, _)| mv == played) {
            return Ok(Some(TurnJudgement::Values { values: values_of(&lines), played }));
        }
        let mv = position.parse_move(played).map_err(|_| anyhow!("`{played}` is illegal in {sfen}"))?;
        let alone = Limits { depth: Some(self.depth), search_moves: vec![mv], ..Limits::default() };
        let Some(found) = searcher.search_unless_stopped(&position, &alone, stop) else { return Ok(None) };
        lines.push((played.to_owned(), found.result.score.centipawns()));
        Ok(Some(TurnJudgement::Values { values: values_of(&lines), played: lines.len() - 1 }))
    }

    /// Searches `multipv` lines. The table keeps what earlier searches of the position found.
    fn search(
        &self,
        searcher: &mut Searcher<SelectedEvaluator>,
        position: &Position,
        multipv: usize,
        depth: u32,
        stop: &AtomicBool,
    ) -> Result<Option<Searched>> {
        searcher.set_options(Options { multipv, ..self.options() })?;
        Ok(searcher.search_unless_stopped(position, &Limits { depth: Some(depth), ..Limits::default() }, stop))
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
