//! The model of how long games last, a walk and other plies: its moments, its distribution, games
//! drawn from it. And the gamma distribution that it is compared with.

use kiki_stats::Result;
use kiki_stats::error::{check, positive};
use kiki_stats::normal::cdf;
use kiki_stats::random::stream;
use rand::Rng;
use rand_distr::{Distribution as _, StandardNormal};
use rayon::prelude::*;

use crate::walk::{LengthMoments, Walk};

/// The greatest mean and deviation of the other plies; more would take long to draw and to compare.
const MOST_PLIES: f64 = 10_000.0;

#[derive(Clone, Debug)]
pub struct GameLengthModel {
    walk: Walk,
    /// The mean number of plies outside the walk, the deciding one among them.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

impl GameLengthModel {
    /// A walk with this standard deviation of a step, and a normal number of other plies. Refuses a
    /// step that [`Walk::new`] refuses, a mean or deviation beyond 10,000 plies, and a negative
    /// deviation.
    pub fn new(step: f64, mean: f64, deviation: f64) -> Result<Self> {
        let mean =
            check("the mean of the other plies", mean, |mean| mean.abs() <= MOST_PLIES, "between -10,000 and 10,000")?;
        let possible = |deviation| (0.0..=MOST_PLIES).contains(&deviation);
        let deviation = check("the deviation of the other plies", deviation, possible, "between 0 and 10,000")?;
        Ok(Self { walk: Walk::new(step)?, mean, deviation })
    }

    pub fn walk(&self) -> &Walk {
        &self.walk
    }

    pub fn moments(&self) -> LengthMoments {
        let walk = self.walk.moments();
        let other = self.deviation * self.deviation;
        LengthMoments {
            mean: walk.mean - 1.0 + self.mean,
            variance: walk.variance + other,
            third: walk.third,
            fourth: walk.fourth + 6.0 * walk.variance * other + 3.0 * other * other,
        }
    }

    /// The distribution of the whole length.
    pub fn distribution(&self) -> LengthDistribution {
        let walk = self.walk.distribution();
        let mut sum = 0.0;
        let add = |probability: &f64| {
            sum += probability;
            sum
        };
        let ended = [0.0].into_iter().chain(walk.iter().map(add)).collect();
        LengthDistribution { walk, ended, mean: self.mean, deviation: self.deviation }
    }
}

#[derive(Clone, Debug)]
pub struct LengthDistribution {
    walk: Vec<f64>,
    /// The probability that it has ended before step 1, 2, ..
    ended: Vec<f64>,
    mean: f64,
    deviation: f64,
}

/// Number of deviations beyond which a normal distribution has less than 1e-18.
const REACH: f64 = 9.0;
/// Spacing of the grid of a first search for a gap, in deviations of the other plies: the
/// distribution is smooth between its places.
const GRID: f64 = 0.125;
/// The least spacing, in plies.
const LEAST_GRID: f64 = 0.5;
/// Below this deviation the distribution is a staircase, and every stair is searched.
const STAIRS: f64 = 0.5;
/// A local maximum below this share of the greatest on the grid cannot exceed it between two places
/// of the grid.
const NEAR_GREATEST: f64 = 0.8;

impl LengthDistribution {
    /// The probability that the walk ends with step 1, 2, ..
    pub fn walk(&self) -> &[f64] {
        &self.walk
    }

    /// The probability of a game of at most `plies`.
    pub fn cdf(&self, plies: f64) -> f64 {
        let of_other = |other: f64| {
            if self.deviation > 0.0 { cdf((other - self.mean) / self.deviation) } else { f64::from(other >= self.mean) }
        };
        // With a shorter walk the other plies surely fit, with a longer one they surely do not.
        let (middle, reach) = (plies - self.mean, REACH * self.deviation + 1.0);
        let [first, end] = [middle - reach, middle + reach].map(|place| (place.max(0.0) as usize).min(self.walk.len()));
        let between = self.walk[first..end].iter().zip(first..);
        self.ended[first]
            + between.map(|(probability, before)| probability * of_other(plies - before as f64)).sum::<f64>()
    }

    /// The greatest difference from another distribution of lengths, which is 0 below 0.
    pub fn greatest_gap(&self, other: impl Fn(f64) -> f64) -> f64 {
        let gap = |plies: f64| (self.cdf(plies) - other(plies)).abs();
        let places = self.places();
        let gaps: Vec<f64> = places.iter().map(|&place| gap(place)).collect();
        let greatest = gaps.iter().copied().fold(0.0, f64::max);
        let is_peak = |at: usize| {
            let around = [at.checked_sub(1), Some(at + 1)].map(|near| near.and_then(|near| gaps.get(near)));
            gaps[at] >= NEAR_GREATEST * greatest && around.into_iter().flatten().all(|near| *near <= gaps[at])
        };
        let refined = (0..gaps.len())
            .filter(|&at| is_peak(at))
            .map(|at| greatest_within(places[at.saturating_sub(1)], places[(at + 1).min(places.len() - 1)], gap));
        refined.fold(greatest, f64::max)
    }

    /// Places from 0 to where no game is longer, in order; between two neighbours the distribution
    /// does not bend back.
    fn places(&self) -> Vec<f64> {
        let longest = self.walk.len() as f64 + self.mean + REACH * self.deviation;
        let step = (GRID * self.deviation).max(LEAST_GRID);
        let mut places: Vec<f64> = (0..=(longest.max(0.0) / step).ceil() as usize).map(|at| at as f64 * step).collect();
        if self.deviation < STAIRS {
            let stair = |before: usize| self.mean + before as f64;
            let around =
                |place: f64| (-6..=6).map(move |at| place + f64::from(at) * self.deviation).chain([place.next_down()]);
            places.extend((0..self.walk.len()).flat_map(|before| around(stair(before))).filter(|&place| place >= 0.0));
            places.sort_by(f64::total_cmp);
        }
        places
    }
}

/// The greatest value of a function with one maximum between two places, by the golden section
/// (Kiefer 1953).
fn greatest_within(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
    const SECTION: f64 = 0.618_033_988_749_894_8;
    let mut inner = [high - SECTION * (high - low), low + SECTION * (high - low)];
    let mut values = inner.map(&function);
    // Near a maximum a function changes with the square of the distance.
    while high - low > 1e-7 * high.max(1.0) {
        if values[0] > values[1] {
            high = inner[1];
            inner = [high - SECTION * (high - low), inner[0]];
            values = [function(inner[0]), values[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + SECTION * (high - low)];
            values = [values[1], function(inner[1])];
        }
    }
    values[0].max(values[1])
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SimulatedGame {
    /// The steps of its walk, the deciding one counted.
    pub steps: u32,
    /// Its length in plies: the steps but the last, and the plies outside the walk, which need not
    /// be a whole number.
    pub length: f64,
}

/// A number of games, each with a random stream of its own.
pub fn simulate(model: &GameLengthModel, games: u32, seed: u64) -> Vec<SimulatedGame> {
    (0..games).into_par_iter().map(|game| one(model, &mut stream(seed, u64::from(game)))).collect()
}

fn one(model: &GameLengthModel, random: &mut impl Rng) -> SimulatedGame {
    let mut normal = || -> f64 { StandardNormal.sample(random) };
    let other = model.mean + model.deviation * normal();
    let (mut place, mut steps) = (0.0_f64, 0);
    while place.abs() < 1.0 {
        place += model.walk().step() * normal();
        steps += 1;
    }
    SimulatedGame { steps, length: f64::from(steps - 1) + other }
}

/// A factor with a lower logarithm changes no probability near 1.
const LEAST_LOGARITHM: f64 = -40.0;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GammaLength {
    pub shape: f64,
    pub scale: f64,
}

impl GammaLength {
    /// The gamma distribution with this mean and standard deviation, both above 0.
    pub fn with(mean: f64, deviation: f64) -> Result<Self> {
        positive("the mean length", mean)?;
        positive("the deviation of lengths", deviation)?;
        Ok(Self { shape: (mean / deviation).powi(2), scale: deviation * deviation / mean })
    }

    pub fn moments(&self) -> LengthMoments {
        let variance = self.shape * self.scale.powi(2);
        LengthMoments {
            mean: self.shape * self.scale,
            variance,
            third: 2.0 * self.shape * self.scale.powi(3),
            fourth: 3.0 * variance * variance + 6.0 * self.shape * self.scale.powi(4),
        }
    }

    /// The probability of a game of at most `plies`.
    pub fn cdf(&self, plies: f64) -> f64 {
        if plies <= 0.0 { 0.0 } else { lower_share(self.shape, plies / self.scale) }
    }
}

/// The regularised lower incomplete gamma function, by its series (Abramowitz and Stegun 6.5.29).
fn lower_share(shape: f64, x: f64) -> f64 {
    let ln_factor = shape * x.ln() - x - libm::lgamma(shape);
    // Above the mean the rest is smaller than this factor.
    if x > shape + 1.0 && ln_factor < LEAST_LOGARITHM {
        return 1.0;
    }
    let (mut term, mut sum) = (1.0 / shape, 1.0 / shape);
    let mut n = shape;
    while term > 1e-17 * sum {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    (ln_factor.exp() * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use crate::walk::LEAST_STEP;

    use super::*;

    /// The gap between a model and the gamma distribution with its mean and deviation.
    fn gap(step: f64, mean: f64, deviation: f64) -> (f64, f64) {
        let model = GameLengthModel::new(step, mean, deviation).unwrap();
        let moments = model.moments();
        let gamma = GammaLength::with(moments.mean, moments.deviation()).unwrap();
        let distribution = model.distribution();
        let fine = (0..20_000).map(|place| f64::from(place) * 1e-2);
        let searched = fine.map(|plies| (distribution.cdf(plies) - gamma.cdf(plies)).abs()).fold(0.0, f64::max);
        (distribution.greatest_gap(|plies| gamma.cdf(plies)), searched)
    }

    #[test]
    fn the_greatest_gap_is_that_of_a_fine_search() {
        // A smooth distribution, and one that is narrow between whole and half plies.
        for (step, mean, deviation) in [(0.25, 100.0, 5.0), (2.0, 20.13, 0.8)] {
            let (found, searched) = gap(step, mean, deviation);
            assert!(found >= searched - 1e-12 && found < searched + 1e-5, "{step} {deviation}: {found} {searched}");
        }
        // Staircases: the fine search only comes near their steps.
        for (step, mean, deviation) in [(0.5, 12.3, 0.05), (0.4, 10.25, 0.0)] {
            let (found, searched) = gap(step, mean, deviation);
            assert!(found >= searched - 1e-12 && found < searched + 1e-3, "{step} {deviation}: {found} {searched}");
        }
    }

    #[test]
    fn a_gap_beyond_a_thousand_plies_is_found() {
        let walk = GameLengthModel::new(LEAST_STEP, 10.0, 5.0).unwrap();
        let distribution = walk.distribution();
        // No game ends at this length.
        let found = distribution.greatest_gap(|_| 0.0);
        assert!((found - 1.0).abs() < 1e-9, "{found}");
    }

    #[test]
    fn the_sum_leaves_nothing_out() {
        let distribution = GameLengthModel::new(0.3, 40.0, 12.0).unwrap().distribution();
        for plies in [-20.0, 0.0, 37.5, 52.0, 90.0, 1e6] {
            let of_other = |before: usize| cdf((plies - before as f64 - 40.0) / 12.0);
            let whole: f64 = distribution.walk.iter().enumerate().map(|(before, p)| p * of_other(before)).sum();
            assert!((distribution.cdf(plies) - whole).abs() < 1e-14, "{plies}");
        }
    }

    #[test]
    fn the_games_do_not_depend_on_the_number_of_threads() {
        let model = GameLengthModel::new(0.25, 95.0, 21.0).unwrap();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| simulate(&model, 2000, 7))
        };
        assert_eq!(on(1), on(3));
        assert_ne!(on(1)[0], simulate(&model, 1, 8)[0]);
    }

    #[test]
    fn known_distributions_come_out() {
        // Shape 1 is exponential; shape 3: 1 - exp(-x) (1 + x + x^2 / 2).
        for x in [0.01, 0.5, 1.0, 3.0, 5.0, 30.0] {
            let exponential: f64 = -f64::exp_m1(-x);
            assert!((lower_share(1.0, x) - exponential).abs() < 1e-14, "{x}");
            let third = 1.0 - (-x).exp() * (1.0 + x + x * x / 2.0);
            assert!((lower_share(3.0, x) - third).abs() < 1e-14, "{x}");
        }
        let gamma = GammaLength::with(116.0, 27.9).unwrap();
        assert_eq!(gamma.cdf(-1.0), 0.0);
        assert!((gamma.cdf(1e5) - 1.0).abs() < 1e-15);
        assert!(GammaLength::with(0.0, 1.0).is_err() && GammaLength::with(1.0, 0.0).is_err());
    }
}
