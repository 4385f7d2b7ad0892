//! The likelihood of the games inside the rated component, with its derivatives.

use super::classes::Anchors;
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

    pub(super) fn expected(&self) -> f64 {
        self.win + 0.5 * self.draw
    }

    /// The expected score of the opponent, without the rounding of a subtraction.
    pub(super) fn conceded(&self) -> f64 {
        self.loss + 0.5 * self.draw
    }
}

/// The estimated share of draws.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DrawShare {
    /// The share of their games that equal players draw, `nu / (nu + 2)`.
    pub share: f64,
    /// Its standard error by the Fisher information.
    pub error: f64,
}

impl DrawShare {
    /// From ln nu and its variance.
    pub(super) fn new(ln_nu: f64, variance: f64) -> Self {
        let nu = ln_nu.exp();
        let share = nu / (nu + 2.0);
        Self { share, error: share * (1.0 - share) * variance.sqrt() }
    }
}

/// The results of two players of the component in one order of moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairGames {
    /// Positions within the component; equal for two fixed players.
    pub(super) a: u32,
    pub(super) b: u32,
    /// The table's numbers of the two.
    pub(super) players: [usize; 2],
    /// The part of a's strength minus b's that is fixed, in log-odds.
    pub(super) offset: f64,
    /// 1 if a moved first in all of these games, 0 if that is not known.
    pub(super) first: f64,
    pub(super) games: f64,
}

/// A point in parameter space. Strengths and the advantage are in log-odds, one unit being
/// [`kiki_stats::logistic::ELO_SCALE`] Elo; the strengths have mean 0.
#[derive(Clone, Debug)]
pub(super) struct ParameterPoint {
    pub(super) strengths: Vec<f64>,
    /// The value of the first move.
    pub(super) advantage: f64,
    /// The logarithm of Davidson's nu; minus infinity without draws.
    pub(super) ln_nu: f64,
}

/// The outcome of the games.
#[derive(Clone, Debug)]
pub(super) struct ObservedPoints {
    /// The points of a in each encounter.
    pub(super) points: Vec<f64>,
    /// All drawn games, which are in the points as halves.
    pub(super) draws: f64,
}

/// All encounters of a component.
#[derive(Clone, Debug)]
pub(super) struct ComponentGames {
    /// The table's number of the player at each position; the anchor stands for all fixed players.
    pub(super) players: Vec<usize>,
    pub(super) encounters: Vec<PairGames>,
    pub(super) observed: ObservedPoints,
    /// Whether the first move's advantage is a parameter.
    pub(super) with_advantage: bool,
    /// Whether the share of draws is a parameter.
    pub(super) with_draws: bool,
}

/// Which parameters there are besides the strengths.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExtraParameters {
    pub(super) advantage: bool,
    pub(super) draws: bool,
}

#[derive(Clone, Debug)]
pub(super) struct LikelihoodEvaluation {
    pub(super) ln_likelihood: f64,
    /// The derivatives by the strengths, and by the advantage.
    pub(super) gradient: Vec<f64>,
    pub(super) gradient_advantage: f64,
    /// The derivative by ln nu.
    pub(super) gradient_draws: f64,
    /// The information of each encounter about its difference: games times the variance of the
    /// score.
    pub(super) weights: Vec<f64>,
    /// The mixed information of each encounter about its difference and ln nu; empty if that is no
    /// parameter.
    pub(super) mixed: Vec<f64>,
    /// The information about ln nu.
    pub(super) information_draws: f64,
}

impl ComponentGames {
    /// The games of a table between players of a component.
    pub(super) fn new(table: &ResultTable, core: &[usize], anchors: &Anchors, extras: ExtraParameters) -> Self {
        let players: Vec<usize> = core.iter().copied().filter(|&player| anchors.node(player) == player).collect();
        let mut position = vec![u32::MAX; table.players()];
        for (index, &player) in players.iter().enumerate() {
            position[player] = index as u32;
        }
        for &player in core {
            position[player] = position[anchors.node(player)];
        }
        let is_core = |player: usize| position[player] != u32::MAX;
        let inside = table.draws().filter(|(pairing, _)| is_core(pairing.a) && is_core(pairing.b));
        let observed = ObservedPoints { points: Vec::new(), draws: inside.map(|(_, draws)| draws).sum() };
        let (with_advantage, with_draws) = (extras.advantage, extras.draws);
        let mut games = Self { players, encounters: Vec::new(), observed, with_advantage, with_draws };
        let mut add = |pairing: PairOrder, points: [f64; 2]| {
            let (a, b) = (position[pairing.a], position[pairing.b]);
            if a != u32::MAX && b != u32::MAX {
                let first = f64::from(u8::from(pairing.a_first));
                let offset = anchors.offset(pairing.a) - anchors.offset(pairing.b);
                let players = [pairing.a, pairing.b];
                games.encounters.push(PairGames { a, b, players, offset, first, games: points[0] + points[1] });
                games.observed.points.push(points[0]);
            }
        };
        if extras.advantage {
            table.results().for_each(|(pairing, points)| add(pairing, points));
        } else {
            // Without the advantage the order of moves does not matter, and half the work can be
            // saved.
            for pair in table.pairs() {
                add(PairOrder { a: pair.players[0], b: pair.players[1], a_first: false }, pair.points);
            }
        }
        games
    }

    /// The log-odds of a win of a in an encounter that is not drawn.
    pub(super) fn log_odds(&self, encounter: &PairGames, point: &ParameterPoint) -> f64 {
        let difference = point.strengths[encounter.a as usize] - point.strengths[encounter.b as usize];
        difference + encounter.offset + encounter.first * point.advantage
    }

    /// Number of games.
    pub(super) fn number(&self) -> f64 {
        self.encounters.iter().map(|encounter| encounter.games).sum()
    }

    /// The log-likelihood of results and its derivatives at a point.
    pub(super) fn evaluate(&self, observed: &ObservedPoints, at: &ParameterPoint) -> LikelihoodEvaluation {
        let mut result = LikelihoodEvaluation {
            ln_likelihood: 0.0,
            gradient: vec![0.0; self.players.len()],
            gradient_advantage: 0.0,
            gradient_draws: 0.0,
            weights: Vec::with_capacity(self.encounters.len()),
            mixed: Vec::new(),
            information_draws: 0.0,
        };
        let nu = at.ln_nu.exp();
        if self.with_draws {
            result.ln_likelihood = observed.draws * at.ln_nu;
            result.gradient_draws = observed.draws;
        }
        for (encounter, &won) in self.encounters.iter().zip(&observed.points) {
            let t = self.log_odds(encounter, at);
            let outcome = OutcomeModel::new(t, nu);
            let lost = encounter.games - won;
            // The underdog's points, with the halves of draws.
            let against = if t >= 0.0 { lost } else { won };
            result.ln_likelihood -= against * t.abs() + encounter.games * outcome.ln_sum;
            // won - games * expected, without cancellation where that is near 1.
            let excess = won * outcome.conceded() - lost * outcome.expected();
            result.gradient[encounter.a as usize] += excess;
            result.gradient[encounter.b as usize] -= excess;
            result.gradient_advantage += encounter.first * excess;
            result.weights.push(encounter.games * outcome.weight);
            if self.with_draws {
                let draws = encounter.games * outcome.draw;
                result.gradient_draws -= draws;
                result.mixed.push(0.5 * draws * (outcome.loss - outcome.win));
                result.information_draws += draws * (outcome.win + outcome.loss);
            }
        }
        if !self.with_advantage {
            result.gradient_advantage = 0.0;
        }
        result
    }
}

/// The encounters of every player.
#[derive(Clone, Debug)]
pub(super) struct Adjacency {
    starts: Vec<usize>,
    /// The opponent, the encounter's number, and whether the player is its a.
    entries: Vec<(u32, u32, bool)>,
}

impl Adjacency {
    pub(super) fn new(games: &ComponentGames) -> Self {
        let n = games.players.len();
        let mut starts = vec![0; n + 1];
        // A game of two players with fixed ratings holds no information about strengths.
        let between = || games.encounters.iter().enumerate().filter(|(_, encounter)| encounter.a != encounter.b);
        for (_, encounter) in between() {
            starts[encounter.a as usize + 1] += 1;
            starts[encounter.b as usize + 1] += 1;
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0, false); 2 * between().count()];
        for (number, encounter) in between() {
            for (from, to, is_a) in [(encounter.a, encounter.b, true), (encounter.b, encounter.a, false)] {
                entries[next[from as usize]] = (to, number as u32, is_a);
                next[from as usize] += 1;
            }
        }
        Self { starts, entries }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of entries of all players.
    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn of(&self, player: usize) -> &[(u32, u32, bool)] {
        &self.entries[self.starts[player]..self.starts[player + 1]]
    }

    /// Whether all players are one strong component, with these points of a in each encounter.
    pub(super) fn is_strong(&self, games: &ComponentGames, points: &[f64]) -> bool {
        let took = |number: u32, is_a: bool| {
            let won = points[number as usize];
            if is_a { won > 0.0 } else { won < games.encounters[number as usize].games }
        };
        // From the first player along the points taken, and along the points given.
        self.reaches_all(took) && self.reaches_all(|number, is_a| took(number, !is_a))
    }

    fn reaches_all(&self, follows: impl Fn(u32, bool) -> bool) -> bool {
        let mut seen = vec![false; self.len()];
        let mut stack = vec![0];
        let mut count = 1;
        seen[0] = true;
        while let Some(player) = stack.pop() {
            for &(opponent, number, is_a) in self.of(player) {
                let opponent = opponent as usize;
                if !seen[opponent] && follows(number, is_a) {
                    seen[opponent] = true;
                    count += 1;
                    stack.push(opponent);
                }
            }
        }
        count == self.len()
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
