//! Positions judged by a search of many moves to a fixed depth.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result};
use kiki_board::Position;
use kiki_search::{Bound, Limits, Options, RootScore, SearchInfo};
use serde::{Deserialize, Serialize};

use super::turns::{Turn, line_of, turn_of};
use kiki_run::evaluation_note::EvaluationNote;
use kiki_run::journal::Journal;
use kiki_run::journal_layouts::JUDGING;
use kiki_run::parallel;
use kiki_run::position_search::{PositionSearcher, SearchedPosition};

/// Values beyond this, in centipawns, are taken to be this.
const GREATEST_VALUE: i32 = 3000;

/// So many plies less deep is the search that tells lopsided positions, before any of them is searched with all lines.
const LOPSIDED_PLIES: u32 = 3;

/// What positions are judged with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgingSettings {
    /// Where the games come from.
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) opening_plies: u32,
    pub(crate) evaluation: EvaluationNote,
    /// The plies of each search.
    pub(crate) depth: u32,
    /// How many moves are judged in each position; the one that was played always is.
    pub(crate) lines: usize,
    /// A position whose value by a quick search is beyond this, in centipawns, is left out.
    #[serde(default)]
    pub(crate) lopsided: Option<i32>,
    /// Of each search's table.
    pub(crate) table_mebibytes: usize,
    /// What could not be read of the games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<String>,
}

/// What the judge says about a position.
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

/// Positions with what was judged so far.
pub(crate) struct Judging {
    pub(crate) settings: JudgingSettings,
    pub(crate) turns: Vec<Turn>,
    /// By the place of the turn.
    pub(crate) judgements: BTreeMap<usize, Judgement>,
    journal: Journal,
}

impl Judging {
    /// Begins in a folder.
    pub(crate) fn begin(folder: &Path, settings: JudgingSettings, turns: Vec<Turn>) -> Result<Self> {
        let list: Vec<String> = turns.iter().map(line_of).collect();
        let journal = Journal::create(folder, JUDGING, &settings, &list)?;
        Ok(Self { settings, turns, judgements: BTreeMap::new(), journal })
    }

    /// What was begun before, to go on with.
    pub(crate) fn resume(folder: &Path) -> Result<Self> {
        let (journal, settings, list) = Journal::resume(folder, JUDGING)?;
        Self::of(journal, settings, &list)
    }

    /// What was judged so far.
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

    /// How many positions are to be judged in all.
    pub(crate) fn to_judge(&self) -> usize {
        self.turns.iter().filter(|turn| turn.unjudged.is_none()).count()
    }

    /// Judges what was not judged yet, until `stop` is set. `each` is called with the number of positions done.
    ///
    /// # Errors
    /// If the evaluation cannot be loaded, the system refuses memory, or the journal cannot be written.
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
        let missing: Vec<usize> = (0..turns.len()).filter(is_missing).collect();
        let new_searcher = || Ok(PositionSearcher::new(&weights, options)?);
        let look = |searcher: &mut PositionSearcher, &index: &usize| judge.judge(searcher, &turns[index]).transpose();
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
    /// What a search says about a turn; nothing if it was stopped.
    fn judge(&self, searcher: &mut PositionSearcher, turn: &Turn) -> Result<Option<Judgement>> {
        let position = Position::from_sfen(&turn.sfen).with_context(|| turn.sfen.clone())?;
        searcher.searcher.clear();
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
        let mut lines = ranked(&searched.infos);
        if let Some(played) = lines.iter().position(|(mv, _)| *mv == turn.played) {
            return Ok(Some(Judgement::Values { values: values_of(&lines), played }));
        }
        let mv = position
            .parse_move(&turn.played)
            .map_err(|_| anyhow::anyhow!("`{}` is illegal in {}", turn.played, turn.sfen))?;
        let alone = Limits { depth: Some(self.depth), search_moves: vec![mv], ..Limits::default() };
        let Some(found) = searcher.search(&position, &alone, self.stop) else { return Ok(None) };
        let value = found.result.score.centipawns();
        // It is not among the best, so it is no better than the last of them.
        let worst = lines.last().map_or(value, |line| line.1.min(value));
        lines.push((turn.played.clone(), worst));
        Ok(Some(Judgement::Values { values: values_of(&lines), played: lines.len() - 1 }))
    }

    /// Searches so many lines to a depth, with what is known of the position.
    fn search(
        &self,
        searcher: &mut PositionSearcher,
        position: &Position,
        multipv: usize,
        depth: u32,
    ) -> Result<Option<SearchedPosition>> {
        searcher.searcher.set_options(Options { multipv, ..self.options })?;
        Ok(searcher.search(position, &Limits { depth: Some(depth), ..Limits::default() }, self.stop))
    }
}

/// The moves with their values of the deepest iteration that has all ranks, best first.
fn ranked(infos: &[SearchInfo]) -> Vec<(String, i32)> {
    let mut last: BTreeMap<usize, (String, i32)> = BTreeMap::new();
    for info in infos.iter().filter(|info| info.bound == Bound::Exact) {
        if let Some(first) = info.pv.first() {
            last.insert(info.multipv, (first.to_string(), info.score.centipawns()));
        }
    }
    let mut lines: Vec<(String, i32)> = Vec::with_capacity(last.len());
    for (mv, value) in last.into_values() {
        // An iteration that was not finished may tell of a move at two ranks.
        if lines.iter().all(|(known, _)| *known != mv) {
            lines.push((mv, value));
        }
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.1));
    lines
}

fn values_of(lines: &[(String, i32)]) -> Vec<i32> {
    lines.iter().map(|line| line.1.clamp(-GREATEST_VALUE, GREATEST_VALUE)).collect()
}
