//! Newton's method for the likelihood, which is concave.

use kiki_stats::logistic::ELO_SCALE;
use kiki_stats::{Result, StatsError};

use super::games::{Adjacency, ComponentGames, LikelihoodEvaluation, ObservedPoints, ParameterPoint};
use super::solver::{InformationSolver, NewtonStep, SolverMethod};

/// Rounds are usually five to ten.
const MAX_ROUNDS: usize = 200;
/// Beyond this the advantage of the first move diverges.
const MAX_ADVANTAGE: f64 = 4000.0;

/// The maximum and what is known there.
#[derive(Clone, Debug)]
pub(super) struct Maximum {
    pub(super) point: ParameterPoint,
    pub(super) evaluation: LikelihoodEvaluation,
    pub(super) rounds: usize,
}

/// Climbs from a point until no parameter moves by `tolerance` Elo. Steps are halved until the likelihood does not fall.
pub(super) fn maximise(
    games: &ComponentGames,
    adjacency: &Adjacency,
    observed: &ObservedPoints,
    start: ParameterPoint,
    method: &SolverMethod,
    tolerance: f64,
) -> Result<Maximum> {
    if games.with_draws && !(observed.draws > 0.0 && observed.draws < games.number()) {
        let reason = "there are no drawn games, or no others";
        return Err(StatsError::NotEstimable { what: "the share of draws", reason });
    }
    let mut evaluation = games.evaluate(observed, &start);
    let mut point = start;
    let mut last = f64::INFINITY;
    for rounds in 1..=MAX_ROUNDS {
        let step = InformationSolver::new(games, adjacency, &evaluation, method)?.step(&evaluation)?;
        let others = step.advantage.abs().max(step.ln_nu.abs());
        let largest = step.strengths.iter().fold(others, |most, step| most.max(step.abs())) * ELO_SCALE;
        let (taken, next) = shortened(games, observed, &point, &step, &evaluation, largest);
        point = taken;
        evaluation = next;
        if point.advantage.abs() * ELO_SCALE > MAX_ADVANTAGE {
            let reason = "it has no finite maximum; whoever moved first won too often";
            return Err(StatsError::NotEstimable { what: "the first move's advantage", reason });
        }
        // In a badly conditioned table rounding keeps the steps above the tolerance: they stop shrinking.
        if largest < tolerance || (largest < 1e-6 && largest > 0.5 * last) {
            return Ok(Maximum { point, evaluation, rounds });
        }
        last = largest;
    }
    Err(StatsError::NotConverged { what: "the likelihood of the ratings", iterations: MAX_ROUNDS })
}

/// The point after the step, or after as much of it as does not make the likelihood fall.
fn shortened(
    games: &ComponentGames,
    observed: &ObservedPoints,
    from: &ParameterPoint,
    step: &NewtonStep,
    evaluation: &LikelihoodEvaluation,
    largest: f64,
) -> (ParameterPoint, LikelihoodEvaluation) {
    // Within a hundredth of a point of the maximum the full step is right, and rounding hides whether the likelihood grew.
    let floor = if largest < 0.01 { f64::NEG_INFINITY } else { evaluation.ln_likelihood };
    let mut part = 1.0;
    loop {
        let moved = |(from, step): (&f64, &f64)| from + part * step;
        let point = ParameterPoint {
            strengths: from.strengths.iter().zip(&step.strengths).map(moved).collect(),
            advantage: from.advantage + part * step.advantage,
            ln_nu: from.ln_nu + part * step.ln_nu,
        };
        let next = games.evaluate(observed, &point);
        if next.ln_likelihood >= floor || part < 1e-9 {
            return (point, next);
        }
        part *= 0.5;
    }
}
