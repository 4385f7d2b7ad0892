//! The likelihood of the games inside the rated component, with its derivatives.

use nalgebra::DVector;

use super::classes::Anchors;
use super::options::FitOptions;
use super::table::{PairOrder, ResultTable};

/// The probabilities of a game by Davidson's model ("On extending the Bradley-Terry model to
/// accommodate ties in paired comparison experiments", 1970): a win, a draw and a loss have the
/// odds 1, `nu exp(-t/2)` and `exp(-t)`, where t is the difference of the two strengths. Without
/// draws, nu = 0, it is the model of Zermelo, Bradley and Terry.
///
/// The sufficient statistic stays the same: the points, with a draw as half of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutcomeModel {
    pub(super) win: f64,
    pub(super) draw: f64,
    pub(super) loss: f64,
    /// The derivative of the expected score by t; also the variance of the score.
    pub(super) weight: f64,
    /// The logarithm of the sum of the three terms, the greater of win and loss being 1.
    pub(super) ln_sum: f64,
}

impl OutcomeModel {
    /// For a difference t in log-odds; `nu` is 0 or more.
    pub(super) fn new(t: f64, nu: f64) -> Self {
        // The terms of a draw and of the less probable win.
        let root = (-0.5 * t.abs()).exp();
        let (tie, less) = (nu * root, root * root);
        let sum = 1.0 + tie + less;
        let (favourite, other) = (1.0 / sum, less / sum);
        let (win, loss) = if t >= 0.0 { (favourite, other) } else { (other, favourite) };
        let weight = (less + 0.25 * tie * (1.0 + less)) / (sum * sum);
        Self { win, draw: tie / sum, loss, weight, ln_sum: (tie + less).ln_1p() }
    }

    /// The logarithms of both expected scores, each with all its digits; for the same t and `nu`.
    pub(super) fn ln_scores(t: f64, nu: f64) -> [f64; 2] {
        let outcome = Self::new(t, nu);
        let half = 0.5 * t.abs();
        // The underdog's terms are exp(-2 half) and nu / 2 exp(-half).
        let rest = if nu > 0.0 { ((-half).exp() + 0.5 * nu).ln() } else { -half };
        let underdog = rest - half - outcome.ln_sum;
        let favourite = (-outcome.expected().min(outcome.conceded())).ln_1p();
        if t >= 0.0 { [favourite, underdog] } else { [underdog, favourite] }
    }

    pub(super) fn expected(&self) -> f64 {
        self.win + 0.5 * self.draw
    }

    /// The expected score of the opponent, without the rounding of a subtraction.
    pub(super) fn conceded(&self) -> f64 {
        self.loss + 0.5 * self.draw
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DrawShare {
    /// The share of their games that equal players draw, `nu / (nu + 2)`.
    pub share: f64,
    /// Its standard error by the Fisher information.
    pub error: f64,
}

impl DrawShare {
    /// From nu, and the variance of its logarithm.
    pub(super) fn new(nu: f64, variance: f64) -> Self {
        let share = nu / (nu + 2.0);
        Self { share, error: share * (1.0 - share) * variance.sqrt() }
    }
}

/// The results of two players of the component in one order of moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairGames {
    /// Positions within the component; equal for two fixed players.
    pub(super) a: usize,
    pub(super) b: usize,
    /// The table's numbers of the two.
    pub(super) players: [usize; 2],
    /// The part of a's strength minus b's that is fixed, in log-odds.
    pub(super) offset: f64,
    /// 1 if a moved first in all of these games, 0 if that is not known.
    pub(super) first: f64,
    pub(super) games: f64,
}

#[derive(Clone, Debug)]
pub(super) struct ObservedPoints {
    /// The points of a in each encounter.
    pub(super) points: Vec<f64>,
    /// All drawn games, which are in the points as halves.
    pub(super) draws: f64,
}

/// All encounters of a component, and the parameters of their likelihood.
///
/// Parameters are one vector: the strengths, of mean 0; then, if they are estimated, the value of
/// the first move, and the logarithm of Davidson's nu. Strengths and that value are in log-odds,
/// one unit being [`kiki_stats::logistic::ELO_SCALE`] Elo.
#[derive(Clone, Debug)]
pub(super) struct ComponentGames {
    /// The table's number of the player at each position; the anchor stands for all fixed players.
    pub(super) players: Vec<usize>,
    /// For each player of the table, its position.
    pub(super) positions: Vec<Option<usize>>,
    pub(super) encounters: Vec<PairGames>,
    pub(super) observed: ObservedPoints,
    /// The parameter of the first move's advantage.
    pub(super) advantage: Option<usize>,
    /// The parameter of the share of draws.
    pub(super) draws: Option<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Evaluation {
    pub(super) ln_likelihood: f64,
    pub(super) gradient: DVector<f64>,
    /// The information of each encounter about its difference: games times the variance of the
    /// score.
    weights: Vec<f64>,
    /// The mixed information of each encounter about its difference and ln nu; empty if that is no
    /// parameter.
    mixed: Vec<f64>,
    information_draws: f64,
}

impl ComponentGames {
    /// The games of a table between players of a component.
    pub(super) fn new(table: &ResultTable, core: &[usize], anchors: &Anchors, options: &FitOptions) -> Self {
        let players: Vec<usize> = core.iter().copied().filter(|&player| anchors.nodes[player] == player).collect();
        let mut positions = vec![None; table.players()];
        for (position, &player) in players.iter().enumerate() {
            positions[player] = Some(position);
        }
        for &player in core {
            positions[player] = positions[anchors.nodes[player]];
        }
        let is_inside = |pairing: PairOrder| positions[pairing.a].is_some() && positions[pairing.b].is_some();
        let draws = table.draws().filter(|(pairing, _)| is_inside(*pairing)).map(|(_, draws)| draws).sum();
        let mut observed = ObservedPoints { points: Vec::new(), draws };
        let mut encounters = Vec::new();
        let mut add = |pairing: PairOrder, points: [f64; 2]| {
            let (Some(a), Some(b)) = (positions[pairing.a], positions[pairing.b]) else { return };
            let first = f64::from(u8::from(pairing.a_first));
            let offset = anchors.offsets[pairing.a] - anchors.offsets[pairing.b];
            let players = [pairing.a, pairing.b];
            encounters.push(PairGames { a, b, players, offset, first, games: points[0] + points[1] });
            observed.points.push(points[0]);
        };
        if options.first_move {
            table.results().for_each(|(pairing, points)| add(pairing, points));
        } else {
            // Without the advantage the order of moves does not matter, and half the work can be
            // saved.
            for pair in table.pairs() {
                add(PairOrder { a: pair.players[0], b: pair.players[1], a_first: false }, pair.points);
            }
        }
        let advantage = options.first_move.then_some(players.len());
        let draws = options.draws.then_some(players.len() + usize::from(options.first_move));
        Self { players, positions, encounters, observed, advantage, draws }
    }

    pub(super) fn parameters(&self) -> usize {
        self.players.len() + usize::from(self.advantage.is_some()) + usize::from(self.draws.is_some())
    }

    pub(super) fn number(&self) -> f64 {
        self.encounters.iter().map(|encounter| encounter.games).sum()
    }

    /// The value of the first move; 0 if it is not estimated.
    pub(super) fn advantage_at(&self, point: &DVector<f64>) -> f64 {
        self.advantage.map_or(0.0, |index| point[index])
    }

    /// The log-odds of a win of a in an encounter that is not drawn.
    pub(super) fn log_odds(&self, encounter: &PairGames, point: &DVector<f64>) -> f64 {
        let difference = point[encounter.a] - point[encounter.b];
        difference + encounter.offset + encounter.first * self.advantage_at(point)
    }

    /// Davidson's nu; 0 if it is not estimated.
    pub(super) fn nu_at(&self, point: &DVector<f64>) -> f64 {
        self.draws.map_or(0.0, |index| point[index].exp())
    }

    pub(super) fn evaluate(&self, observed: &ObservedPoints, at: &DVector<f64>) -> Evaluation {
        let mut result = Evaluation {
            ln_likelihood: self.draws.map_or(0.0, |index| observed.draws * at[index]),
            gradient: DVector::zeros(self.parameters()),
            weights: Vec::with_capacity(self.encounters.len()),
            mixed: Vec::new(),
            information_draws: 0.0,
        };
        let nu = self.nu_at(at);
        let mut drawn = 0.0;
        for (encounter, &won) in self.encounters.iter().zip(&observed.points) {
            let t = self.log_odds(encounter, at);
            let outcome = OutcomeModel::new(t, nu);
            let lost = encounter.games - won;
            // The underdog's points, with the halves of draws.
            let against = if t >= 0.0 { lost } else { won };
            result.ln_likelihood -= against * t.abs() + encounter.games * outcome.ln_sum;
            // won - games * expected, without cancellation where that is near 1.
            let excess = won * outcome.conceded() - lost * outcome.expected();
            for (parameter, by) in self.change_of(encounter) {
                result.gradient[parameter] += by * excess;
            }
            result.weights.push(encounter.games * outcome.weight);
            if self.draws.is_some() {
                let draws = encounter.games * outcome.draw;
                drawn += draws;
                result.mixed.push(0.5 * draws * (outcome.loss - outcome.win));
                result.information_draws += draws * (outcome.win + outcome.loss);
            }
        }
        if let Some(index) = self.draws {
            result.gradient[index] = observed.draws - drawn;
        }
        result
    }

    /// The derivatives of the log-odds of an encounter by the parameters; one is 0 without an
    /// advantage.
    pub(super) fn change_of(&self, encounter: &PairGames) -> [(usize, f64); 3] {
        let first = self.advantage.map_or((encounter.a, 0.0), |index| (index, encounter.first));
        [(encounter.a, 1.0), (encounter.b, -1.0), first]
    }

    /// Hands out the parts of the information matrix: row, column, value. Parts of one entry add
    /// up.
    pub(super) fn information(&self, at: &Evaluation, mut add: impl FnMut(usize, usize, f64)) {
        for (index, (encounter, weight)) in self.encounters.iter().zip(&at.weights).enumerate() {
            let change = self.change_of(encounter);
            for (row, by) in change {
                change.iter().for_each(|&(column, with)| add(row, column, by * with * weight));
                if let Some(draws) = self.draws {
                    add(row, draws, by * at.mixed[index]);
                    add(draws, row, by * at.mixed[index]);
                }
            }
        }
        if let Some(draws) = self.draws {
            add(draws, draws, at.information_draws);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_stats::logistic::logistic;

    #[test]
    fn without_draws_it_is_the_logistic_curve() {
        for t in [-40.0, -1.5, 0.0, 0.3, 700.0] {
            let outcome = OutcomeModel::new(t, 0.0);
            assert!((outcome.expected() - logistic(t)).abs() < 1e-15 && outcome.draw == 0.0);
            let weight = logistic(t) * logistic(-t);
            assert!((outcome.weight - weight).abs() <= 1e-14 * weight, "{t}");
        }
    }

    #[test]
    fn the_weight_is_derivative_and_variance() {
        for (t, nu) in [(0.0, 1.0), (1.2, 0.4), (-3.0, 7.0)] {
            let outcome = OutcomeModel::new(t, nu);
            assert!((outcome.win + outcome.draw + outcome.loss - 1.0).abs() < 1e-15);
            assert!((outcome.win / outcome.loss / f64::exp(t) - 1.0).abs() < 1e-12);
            let step = 1e-5;
            let slope = (OutcomeModel::new(t + step, nu).expected() - OutcomeModel::new(t - step, nu).expected())
                / (2.0 * step);
            assert!((slope - outcome.weight).abs() < 1e-9);
            let variance = outcome.win + 0.25 * outcome.draw - outcome.expected().powi(2);
            assert!((variance - outcome.weight).abs() < 1e-14);
        }
    }
}
