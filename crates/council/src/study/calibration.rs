//! Members' answers on positions, and the noises and choices of rules that follow.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use kiki_driver::EngineAnswer;
use kiki_play::openings;
use kiki_play::player::{Player, PlayerSpec};
use kiki_play::pool::{GameWorker, PoolEvent, RunOptions, WorkerPool};
use kiki_run::interrupt::Interrupt;
use kiki_run::list_run::{ItemLine, ListRun};
use kiki_run::output::{ProgressLine, name_option};
use kiki_stats::numeric::{mean, variance};
use kiki_usi::{BestMove, ScoreValue};
use serde::{Deserialize, Serialize};

use crate::decision::candidate_of;
use crate::model::{BestValue, Opinion, weigh};
use crate::settings::Rule;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CalibrationSettings {
    pub(crate) members: Vec<PlayerSpec>,
    /// The deep search. It has to know `searchmoves`.
    pub(crate) reference: PlayerSpec,
    /// Milliseconds to wait for an engine that no clock bounds.
    pub(crate) patience: u64,
    /// Errors in reading the sources of the positions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<String>,
}

/// Limit of values, in centipawns; mates have it too. A game at the limit is decided.
pub(super) const GREATEST_VALUE: i32 = 3000;

/// A move and its value in centipawns for the side to move, if reported. `resign` and `win` (a
/// declaration) have no value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EngineOpinion {
    pub(crate) best: String,
    pub(crate) value: Option<i32>,
}

pub(super) const RESIGN: &str = "resign";

pub(super) const WIN: &str = "win";

impl EngineOpinion {
    pub(super) fn is_move(&self) -> bool {
        self.best != RESIGN && self.best != WIN
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PositionAnswers {
    /// Index of the position in the list.
    pub(crate) position: usize,
    pub(crate) members: Vec<EngineOpinion>,
    pub(crate) reference: EngineOpinion,
    /// The reference's value of every move that a member names and the reference does not.
    pub(crate) others: BTreeMap<String, Option<i32>>,
}

struct AskTask<'a> {
    positions: &'a [String],
    missing: &'a [usize],
    patience: Duration,
    next: AtomicUsize,
}

/// Asks all members and the reference about the remaining positions; ends without an error after
/// a cancellation.
pub(crate) fn ask(calibration: &mut CalibrationRun, options: &RunOptions, interrupt: &Interrupt) -> Result<()> {
    let missing = calibration.missing();
    let ListRun { journal, items, found } = calibration;
    let CalibrationSettings { members, reference, patience, .. } = &journal.settings;
    let patience = Duration::from_millis(*patience);
    let task = AskTask { positions: items, missing: &missing, patience, next: AtomicUsize::new(0) };
    let engines: Vec<PlayerSpec> = members.iter().chain([reference]).cloned().collect();
    let pool = WorkerPool { engines: &engines, options, cancellation: &interrupt.cancellation };
    let new_task = || |worker: &mut GameWorker<'_>| task.ask_next(worker);
    let mut line = ProgressLine::new("positions", items.len() as u64, found.len() as u64);
    pool.run(missing.len(), new_task, |event| {
        if let PoolEvent::Result(answers) = event {
            journal.append(&answers)?;
            found.insert(answers.position, answers);
            line.show(found.len() as u64, String::new);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    line.finish();
    Ok(())
}

impl AskTask<'_> {
    /// All answers about the next position; `None` after the last one.
    fn ask_next(&self, worker: &mut GameWorker<'_>) -> Result<Option<PositionAnswers>> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(&position) = self.missing.get(next) else { return Ok(None) };
        let sfen = &self.positions[position];
        let (reference, members) = worker.players.split_last_mut().context("there are no engines")?;
        let members: Vec<EngineOpinion> =
            members.iter_mut().map(|member| self.opinion(member, sfen, None)).collect::<Result<_>>()?;
        let found = self.opinion(reference, sfen, None)?;
        let mut others = BTreeMap::new();
        let is_open = found.value.is_some();
        for member in members.iter().filter(|member| is_open && member.is_move() && member.best != found.best) {
            if !others.contains_key(&member.best) {
                let value = self.opinion(reference, sfen, Some(&member.best))?.value;
                others.insert(member.best.clone(), value);
            }
        }
        Ok(Some(PositionAnswers { position, members, reference: found, others }))
    }

    /// The opinion of an engine, on one move alone if given. The engine gets ready first, so that
    /// nothing is left of earlier searches.
    fn opinion(&self, player: &mut Player<'_>, sfen: &str, alone: Option<&str>) -> Result<EngineOpinion> {
        let (spec, position) = openings::position(sfen)?;
        let answer = player.search(&spec, position.side_to_move(), alone, self.patience).map_err(name_option)?;
        let name = &player.spec.name;
        let found = opinion_of(answer.map_err(|failure| anyhow!("{sfen}: `{name}` {failure}"))?);
        let is_legal = !found.is_move() || position.parse_move(&found.best).is_ok();
        ensure!(is_legal, "{sfen}: `{name}` names the illegal move `{}`", found.best);
        let Some(best) = alone.filter(|&best| best != found.best) else { return Ok(found) };
        ensure!(
            !found.is_move(),
            "{sfen}: `{name}` does not know `searchmoves`: asked for `{best}` it names `{}`",
            found.best
        );
        // After this move the engine would resign.
        Ok(EngineOpinion { best: best.to_owned(), value: Some(-GREATEST_VALUE) })
    }
}

fn opinion_of(answer: EngineAnswer) -> EngineOpinion {
    let best = match answer.best {
        BestMove::Move { best, .. } => best,
        BestMove::Resign => return EngineOpinion { best: RESIGN.to_owned(), value: None },
        BestMove::Win => return EngineOpinion { best: WIN.to_owned(), value: None },
    };
    let value = answer.info.score.map(|score| match score.value {
        ScoreValue::Cp(centipawns) => centipawns.clamp(-GREATEST_VALUE, GREATEST_VALUE),
        ScoreValue::Mate(plies) => GREATEST_VALUE * plies.get().signum(),
    });
    EngineOpinion { best, value }
}

pub(crate) const FEWEST_POSITIONS: usize = 10;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct CalibrationSummary {
    pub(crate) positions: usize,
    /// Positions that the reference takes as decided, or that lack a value.
    pub(crate) left_out: usize,
    pub(crate) members: Vec<MemberNumbers>,
    /// The mean loss of a wrong move, in centipawns of the reference.
    pub(crate) loss: Option<f64>,
    pub(crate) pairs: Vec<PairNumbers>,
    pub(crate) rules: Vec<RuleNumbers>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct MemberNumbers {
    pub(crate) name: String,
    /// The factor that brings its values nearest to the reference's.
    pub(crate) scale: f64,
    /// The standard deviation of the residuals, in centipawns of the reference.
    pub(crate) noise: f64,
    pub(crate) moves: MoveAccuracy,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct MoveAccuracy {
    /// How often the reference's move is named.
    pub(crate) rate: f64,
    #[serde(flatten)]
    pub(crate) loss: MeanLoss,
}

/// A mean loss of moves by the reference, in centipawns.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct MeanLoss {
    #[serde(rename = "loss")]
    pub(crate) mean: f64,
    /// Its standard error.
    #[serde(rename = "loss_error")]
    pub(crate) error: f64,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct PairNumbers {
    pub(crate) members: [String; 2],
    /// How often both name the same move.
    pub(crate) agreement: f64,
    /// How often each names the reference's move.
    #[serde(skip)]
    pub(crate) rates: [f64; 2],
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct RuleNumbers {
    pub(crate) rule: String,
    pub(crate) moves: MoveAccuracy,
    /// The loss of its moves less that of the strongest member's moves.
    pub(crate) against_strongest: MeanLoss,
}

/// A position for which all engines report a value.
struct ComparedPosition {
    /// Moves by number: 0 is the reference's.
    moves: Vec<usize>,
    values: Vec<f64>,
    best: f64,
    /// The loss of each move, by its number.
    losses: Vec<f64>,
}

impl CalibrationSummary {
    /// Refuses too few positions, and a member whose values are all 0.
    pub(super) fn new<'a>(names: Vec<String>, answers: impl Iterator<Item = &'a PositionAnswers>) -> Result<Self> {
        let all: Vec<Option<ComparedPosition>> = answers.map(ComparedPosition::new).collect();
        let asked = all.len();
        let cases: Vec<ComparedPosition> = all.into_iter().flatten().collect();
        ensure!(
            cases.len() >= FEWEST_POSITIONS,
            "{} of {asked} positions have values of all engines; {FEWEST_POSITIONS} are needed",
            cases.len()
        );
        let members: Vec<MemberNumbers> =
            names.into_iter().enumerate().map(|(index, name)| member(&cases, index, name)).collect::<Result<_>>()?;
        let wrong: Vec<f64> = cases.iter().flat_map(|case| case.losses.iter().skip(1).copied()).collect();
        let loss = (!wrong.is_empty()).then(|| mean(&wrong)).filter(|loss| *loss > 0.0);
        let count = members.len();
        let pairs = (0..count).flat_map(|first| (first + 1..count).map(move |second| [first, second]));
        let pair = |pair: [usize; 2]| {
            let same = cases.iter().filter(|case| case.moves[pair[0]] == case.moves[pair[1]]).count();
            PairNumbers {
                members: pair.map(|member| members[member].name.clone()),
                agreement: same as f64 / cases.len() as f64,
                rates: pair.map(|member| members[member].moves.rate),
            }
        };
        let (pairs, rules) = (pairs.map(pair).collect(), rules(&cases, &members, loss)?);
        Ok(Self { positions: cases.len(), left_out: asked - cases.len(), members, loss, pairs, rules })
    }
}

impl ComparedPosition {
    /// `None` if the game is decided, or a value is missing.
    fn new(answers: &PositionAnswers) -> Option<Self> {
        let is_open = |value: &i32| value.abs() < GREATEST_VALUE;
        let best = f64::from(answers.reference.value.filter(is_open)?);
        let mut names = vec![answers.reference.best.as_str()];
        let mut losses = vec![0.0];
        for (name, value) in &answers.others {
            names.push(name);
            losses.push(best - f64::from((*value)?));
        }
        let values = answers.members.iter().map(|member| member.value.map(f64::from)).collect::<Option<_>>()?;
        let number = |best: &String| names.iter().position(|name| name == best);
        let moves = answers.members.iter().map(|member| number(&member.best)).collect::<Option<_>>()?;
        Some(Self { moves, values, best, losses })
    }
}

fn member(cases: &[ComparedPosition], index: usize, name: String) -> Result<MemberNumbers> {
    let values = || cases.iter().map(|case| case.values[index]);
    let squares: f64 = values().map(|value| value * value).sum();
    ensure!(squares > 0.0, "`{name}` tells the value 0 in every position");
    let products: f64 = cases.iter().map(|case| case.values[index] * case.best).sum();
    let scale = products / squares;
    ensure!(scale > 0.0, "the values of `{name}` have nothing to do with those of the reference");
    let left: Vec<f64> = cases.iter().map(|case| case.best - scale * case.values[index]).collect();
    let chosen: Vec<usize> = cases.iter().map(|case| case.moves[index]).collect();
    let noise = (left.iter().map(|left| left * left).sum::<f64>() / (left.len() - 1) as f64).sqrt();
    // A member that always agrees with the reference has noise 0, which `weigh` refuses.
    Ok(MemberNumbers { name, scale, noise: noise.max(1.0), moves: numbers(cases, &chosen) })
}

fn numbers(cases: &[ComparedPosition], chosen: &[usize]) -> MoveAccuracy {
    let losses: Vec<f64> = cases.iter().zip(chosen).map(|(case, &number)| case.losses[number]).collect();
    let right = chosen.iter().filter(|number| **number == 0).count();
    MoveAccuracy { rate: right as f64 / cases.len() as f64, loss: MeanLoss::of(&losses) }
}

impl MeanLoss {
    fn of(losses: &[f64]) -> Self {
        Self { mean: mean(losses), error: (variance(losses) / losses.len() as f64).sqrt() }
    }
}

/// The choices of the rules, with scales, noises and loss from the same positions.
fn rules(cases: &[ComparedPosition], members: &[MemberNumbers], loss: Option<f64>) -> Result<Vec<RuleNumbers>> {
    // Without any wrong move any loss will do.
    let loss = loss.unwrap_or(1.0);
    let opinions = |case: &ComparedPosition| -> Vec<Opinion> {
        let opinion = |(index, member): (usize, &MemberNumbers)| Opinion {
            candidate: case.moves[index],
            value: member.scale * case.values[index],
            noise: member.noise,
        };
        members.iter().enumerate().map(opinion).collect()
    };
    let strongest = members
        .iter()
        .enumerate()
        .min_by(|a, b| a.1.moves.loss.mean.total_cmp(&b.1.moves.loss.mean))
        .map_or(0, |(index, _)| index);
    let of_rule = |rule: Option<Rule>| {
        let choose = |case: &ComparedPosition| match rule {
            Some(rule) => candidate_of(rule, &opinions(case), loss),
            None => weigh(&opinions(case), loss, BestValue::Known(case.best)).map(|weighing| weighing.best()),
        };
        let chosen: Vec<usize> = cases.iter().map(choose).collect::<kiki_stats::Result<_>>()?;
        let more: Vec<f64> = cases
            .iter()
            .zip(&chosen)
            .map(|(case, &number)| case.losses[number] - case.losses[case.moves[strongest]])
            .collect();
        let (moves, against_strongest) = (numbers(cases, &chosen), MeanLoss::of(&more));
        Ok(RuleNumbers { rule: rule.map_or_else(|| "best known".to_owned(), Rule::name), moves, against_strongest })
    };
    RULES.into_iter().map(of_rule).collect()
}

/// The compared rules. `None` is the weighted vote that knows the value of the best move, which no
/// council does: what the weights could gain at most.
const RULES: [Option<Rule>; 7] = [
    Some(Rule::Majority),
    Some(Rule::Optimistic),
    Some(Rule::Pessimistic),
    Some(Rule::Best),
    None,
    Some(Rule::Predicted),
    Some(Rule::Precision),
];

pub(crate) type CalibrationRun = ListRun<CalibrationSettings, String, PositionAnswers>;

impl ItemLine for PositionAnswers {
    fn item(&self) -> usize {
        self.position
    }
}

pub(crate) fn summary(calibration: &CalibrationRun) -> Result<CalibrationSummary> {
    let names = calibration.journal.settings.members.iter().map(|member| member.name.clone()).collect();
    CalibrationSummary::new(names, calibration.found.values())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(
        position: usize,
        members: &[(&str, i32)],
        reference: (&str, i32),
        others: &[(&str, i32)],
    ) -> PositionAnswers {
        let opinion = |(best, value): (&str, i32)| EngineOpinion { best: best.to_owned(), value: Some(value) };
        let others: BTreeMap<String, Option<i32>> =
            others.iter().map(|&(best, value)| (best.to_owned(), Some(value))).collect();
        PositionAnswers {
            position,
            members: members.iter().copied().map(opinion).collect(),
            reference: opinion(reference),
            others,
        }
    }

    #[test]
    fn scales_noises_losses_and_rules_are_those_of_the_answers() {
        // The first member reports half of the true value and is always right; the others agree on
        // a move that loses 60.
        let all: Vec<PositionAnswers> = (0..20)
            .map(|index| {
                let truth = 100 + 10 * index as i32;
                let members = [("7g7f", truth / 2), ("2g2f", truth - 80), ("2g2f", truth - 120)];
                answers(index, &members, ("7g7f", truth), &[("2g2f", truth - 60)])
            })
            .collect();
        let found = CalibrationSummary::new(["a", "b", "c"].map(str::to_owned).to_vec(), all.iter()).unwrap();
        assert_eq!((found.positions, found.left_out, found.loss), (20, 0, Some(60.0)));
        assert!((found.members[0].scale - 2.0).abs() < 0.01 && found.members[0].noise < 2.0);
        assert_eq!((found.members[0].moves.rate, found.members[1].moves.loss.mean), (1.0, 60.0));
        let agreements: Vec<f64> = found.pairs.iter().map(|pair| pair.agreement).collect();
        assert_eq!((agreements, &found.pairs[1].members), (vec![0.0, 0.0, 1.0], &["a".to_owned(), "c".to_owned()]));
        let rule = |name: &str| found.rules.iter().find(|rule| rule.rule == name).unwrap();
        assert_eq!((rule("majority").moves.rate, rule("majority").against_strongest.mean), (0.0, 60.0));
        assert_eq!((rule("precision").moves.rate, rule("best").moves.rate), (1.0, 1.0));
    }

    #[test]
    fn positions_without_values_are_left_out() {
        let mut all: Vec<PositionAnswers> =
            (0..13).map(|index| answers(index, &[("7g7f", 50)], ("7g7f", 60), &[])).collect();
        all[3].members[0].value = None;
        all[4].reference.value = Some(GREATEST_VALUE);
        all[5].members[0] = EngineOpinion { best: RESIGN.to_owned(), value: None };
        let found = CalibrationSummary::new(vec!["a".to_owned()], all.iter()).unwrap();
        assert_eq!((found.positions, found.left_out, found.loss), (10, 3, None));
        assert!(CalibrationSummary::new(vec!["a".to_owned()], all[..12].iter()).is_err());
    }
}
