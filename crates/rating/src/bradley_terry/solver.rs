//! The equations of the information matrix, by two methods.
//!
//! Conjugate gradients suit players who meet at random. They are slow where players mostly meet
//! their neighbours, such as the versions of one program or the divisions of a league. There a
//! difference of strength between the far ends passes through thousands of players. But if such
//! players are numbered along the table, all entries lie near the diagonal. Cholesky's method then
//! keeps only the envelope: in each row the part from the first entry to the diagonal (Jennings
//! 1966). The order is that of a breadth-first walk, reversed (after Cuthill and McKee 1969, who
//! also sort neighbours by degree). For few players the envelope is the whole triangle.

use nalgebra::{DVector, SVector};
use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::{Bfs, Walker as _};
use rayon::prelude::*;

use kiki_stats::{Result, StatsError};

use super::likelihood::{ComponentGames, Evaluation};

/// Up to this number of players the whole triangle is factorised, and the whole covariance is
/// known.
pub(super) const FEW_PLAYERS: usize = 200;
/// Relative residual at which conjugate gradients stop.
const CG_TOLERANCE: f64 = 1e-11;
/// The same for the diagonal of the covariance, whose error is of the order of its square.
const VARIANCE_TOLERANCE: f64 = 1e-6;
/// Conjugate gradients go through the matrix a hundred times or more. Up to this number of
/// multiplications for each entry a factorisation within an envelope is better.
const ENVELOPE_WORK: f64 = 200.0;
/// Number of right-hand sides solved together, which share the traffic through the matrix.
const LANES: usize = 8;
/// The share of its information that a parameter besides the strengths keeps where the strengths
/// are unknown; less is a rounding error.
const LEAST_REST: f64 = 1e-9;

#[derive(Clone, Debug)]
pub(super) enum SolverMethod {
    Envelope(Profile),
    ConjugateGradients,
}

impl SolverMethod {
    pub(super) fn suiting(games: &ComponentGames) -> Self {
        let (profile, players) = (Profile::new(games), games.players.len());
        let rows = profile.first.iter().enumerate().take(players - 1);
        let work: f64 = rows.map(|(row, &first)| ((row - first) as f64).powi(2)).sum();
        let is_narrow = work <= ENVELOPE_WORK * 2.0 * games.encounters.len() as f64;
        if players <= FEW_PLAYERS || is_narrow { Self::Envelope(profile) } else { Self::ConjugateGradients }
    }
}

/// The order in which parameters are eliminated, and how far left each row reaches.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// The row of each parameter.
    rows: Vec<usize>,
    /// The column of the first entry of each row.
    first: Vec<usize>,
}

impl Profile {
    pub(super) fn new(games: &ComponentGames) -> Self {
        let players = games.players.len();
        let pairs = games.encounters.iter().map(|encounter| (encounter.a, encounter.b));
        // An edge to itself makes every player a node.
        let edges = (0..players).map(|player| (player, player)).chain(pairs);
        let graph = UnGraph::<(), (), usize>::from_edges(edges);
        let walk = |start: usize| -> Vec<usize> {
            Bfs::new(&graph, NodeIndex::new(start)).iter(&graph).map(NodeIndex::index).collect()
        };
        // The last player of a walk is far from its first: from there the levels of another walk
        // are narrow.
        let far = |start: usize| walk(start).last().copied().unwrap_or(0);
        let mut order = walk(far(far(0)));
        order.reverse();
        // The last row is that of a player, which follows from the others.
        order.splice(players - 1..players - 1, players..games.parameters());
        let mut rows = vec![0; order.len()];
        order.iter().enumerate().for_each(|(row, &parameter)| rows[parameter] = row);
        let mut first: Vec<usize> = (0..order.len()).collect();
        for encounter in &games.encounters {
            let places = games.change_of(encounter).map(|(parameter, _)| rows[parameter]);
            places.iter().for_each(|&row| first[row] = places.into_iter().fold(first[row], usize::min));
        }
        games.draws.into_iter().for_each(|draws| first[rows[draws]] = 0);
        Self { rows, first }
    }
}

/// The information about the parameters, ready to be solved. The matrix is singular, as a common
/// shift of all strengths changes no game. Its inverse here is the pseudo-inverse, which gives
/// strengths of mean 0.
#[derive(Clone, Debug)]
pub(super) struct InformationSolver {
    players: usize,
    parameters: usize,
    matrix: Matrix,
}

#[derive(Clone, Debug)]
enum Matrix {
    Envelope(Envelope),
    Sparse(SparseMatrix),
}

/// A value for each right-hand side.
type Lanes<const K: usize> = SVector<f64, K>;

impl InformationSolver {
    pub(super) fn new(games: &ComponentGames, at: &Evaluation, method: &SolverMethod) -> Result<Self> {
        let matrix = match method {
            SolverMethod::Envelope(profile) => Matrix::Envelope(Envelope::new(games, at, profile)?),
            SolverMethod::ConjugateGradients => Matrix::Sparse(SparseMatrix::new(games, at)?),
        };
        Ok(Self { players: games.players.len(), parameters: games.parameters(), matrix })
    }

    /// Solves for one right-hand side, less the mean of its strengths.
    pub(super) fn solve(&self, rhs: &DVector<f64>) -> Result<DVector<f64>> {
        let solution = self.solve_lanes(rhs.iter().map(|&value| Lanes::<1>::new(value)).collect(), CG_TOLERANCE)?;
        Ok(DVector::from_iterator(self.parameters, solution.iter().map(|value| value.x)))
    }

    fn solve_lanes<const K: usize>(&self, mut rhs: Vec<Lanes<K>>, tolerance: f64) -> Result<Vec<Lanes<K>>> {
        // Rounding leaves a sum in a gradient that is nearly 0 everywhere.
        centre(&mut rhs[..self.players]);
        let mut solution = match &self.matrix {
            Matrix::Envelope(envelope) => envelope.solve(&rhs),
            Matrix::Sparse(matrix) => matrix.solve(rhs, tolerance)?,
        };
        centre(&mut solution[..self.players]);
        Ok(solution)
    }

    pub(super) fn covariance_column(&self, parameter: usize) -> Result<DVector<f64>> {
        let mut unit = DVector::zeros(self.parameters);
        unit[parameter] = 1.0;
        self.solve(&unit)
    }

    /// The variances of the strengths about their mean: one equation for each player, in parallel.
    pub(super) fn variances(&self) -> Result<Vec<f64>> {
        let of_block = |block: usize| -> Result<Vec<f64>> {
            let players = block * LANES..((block + 1) * LANES).min(self.players);
            let mut rhs = vec![Lanes::<LANES>::zeros(); self.parameters];
            players.clone().enumerate().for_each(|(lane, player)| rhs[player][lane] = 1.0);
            let solution = self.solve_lanes(rhs, VARIANCE_TOLERANCE)?;
            Ok(players.enumerate().map(|(lane, player)| solution[player][lane]).collect())
        };
        let blocks = (0..self.players.div_ceil(LANES)).into_par_iter().map(of_block);
        Ok(blocks.collect::<Result<Vec<_>>>()?.concat())
    }
}

fn centre<const K: usize>(values: &mut [Lanes<K>]) {
    let mean = values.iter().sum::<Lanes<K>>() / values.len() as f64;
    values.iter_mut().for_each(|value| *value -= mean);
}

fn dot<const K: usize>(x: &[Lanes<K>], y: &[Lanes<K>]) -> Lanes<K> {
    x.iter().zip(y).map(|(x, y)| x.component_mul(y)).sum()
}

/// The error for a row that the others determine.
fn undetermined(games: &ComponentGames, parameter: Option<usize>) -> StatsError {
    let (what, reason) = match parameter {
        Some(_) if parameter == games.advantage => (
            "the first move's advantage",
            "the games do not tell it from the players' strengths; both colours must be played",
        ),
        Some(_) if parameter == games.draws => {
            ("the share of draws", "the games do not tell it from the players' strengths")
        }
        _ => return StatsError::Singular,
    };
    StatsError::NotEstimable { what, reason }
}

/// The Cholesky factor of the information without the last row, whose player has the strength 0
/// until the mean is taken off.
#[derive(Clone, Debug)]
struct Envelope {
    /// The row of each parameter.
    places: Vec<usize>,
    /// Each row from its first entry to the diagonal.
    rows: Vec<Vec<f64>>,
}

impl Envelope {
    /// Fails if the matrix is not positive definite.
    fn new(games: &ComponentGames, at: &Evaluation, profile: &Profile) -> Result<Self> {
        let Profile { rows: places, first } = profile;
        let last = first.len() - 1;
        let mut rows: Vec<Vec<f64>> = (0..last).map(|row| vec![0.0; row - first[row] + 1]).collect();
        games.information(at, |row, column, value| {
            let (row, column) = (places[row], places[column]);
            if column <= row && row < last {
                rows[row][column - first[row]] += value;
            }
        });
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        for row in 0..last {
            let (done, rest) = rows.split_at_mut(row);
            let (this, start) = (&mut rest[0], first[row]);
            for column in start..row {
                let other = &done[column];
                let from = start.max(first[column]);
                let sum =
                    dot(&this[from - start..column - start], &other[from - first[column]..column - first[column]]);
                this[column - start] = (this[column - start] - sum) / other[column - first[column]];
            }
            let diagonal = this[row - start];
            let pivot = diagonal - dot(&this[..row - start], &this[..row - start]);
            let is_strength = row + 1 < games.players.len();
            let least = if is_strength { 0.0 } else { LEAST_REST * diagonal };
            if pivot.is_nan() || pivot <= least {
                return Err(undetermined(games, places.iter().position(|&place| place == row)));
            }
            this[row - start] = pivot.sqrt();
        }
        Ok(Self { places: places.clone(), rows })
    }

    fn solve<const K: usize>(&self, rhs: &[Lanes<K>]) -> Vec<Lanes<K>> {
        let mut x = vec![Lanes::<K>::zeros(); rhs.len()];
        rhs.iter().zip(&self.places).for_each(|(value, &place)| x[place] = *value);
        x[rhs.len() - 1] = Lanes::zeros();
        // Each row from its first entry on: what is left of the diagonal, and the pivot.
        let parts = |row: usize| self.rows[row].split_last().map(|(pivot, left)| (row - left.len(), left, *pivot));
        for (row, (first, left, pivot)) in (0..self.rows.len()).filter_map(|row| Some((row, parts(row)?))) {
            let sum = left.iter().zip(&x[first..]).fold(x[row], |sum, (factor, value)| sum - *factor * value);
            x[row] = sum / pivot;
        }
        for (row, (first, left, pivot)) in (0..self.rows.len()).rev().filter_map(|row| Some((row, parts(row)?))) {
            x[row] /= pivot;
            let this = x[row];
            left.iter().zip(&mut x[first..]).for_each(|(factor, value)| *value -= *factor * this);
        }
        self.places.iter().map(|&place| x[place]).collect()
    }
}

/// The information about the strengths, and the other parameters apart, as their rows are full.
#[derive(Clone, Debug)]
struct SparseMatrix {
    diagonal: Vec<f64>,
    /// Column and value of the entries beside the diagonal, row by row.
    rows: Vec<Vec<(usize, f64)>>,
    borders: Vec<Border>,
}

/// A parameter after the strengths and the borders before it.
#[derive(Clone, Debug)]
struct Border {
    /// The solution for its column.
    solution: Vec<Lanes<1>>,
    /// The information about it where the parameters before it are unknown.
    rest: f64,
}

impl SparseMatrix {
    fn new(games: &ComponentGames, at: &Evaluation) -> Result<Self> {
        let (players, parameters) = (games.players.len(), games.parameters());
        let mut diagonal = vec![0.0; parameters];
        let mut rows = vec![Vec::new(); players];
        let mut columns: Vec<_> = (players..parameters).map(|row| vec![Lanes::<1>::zeros(); row]).collect();
        games.information(at, |row, column, value| {
            if row == column {
                diagonal[row] += value;
            } else if row < players && column < players {
                rows[row].push((column, value));
            } else if column < row {
                columns[row - players][column].x += value;
            }
        });
        for row in &mut rows {
            row.sort_by_key(|&(column, _)| column);
            row.dedup_by(|next, sum| {
                let is_same = next.0 == sum.0;
                sum.1 += if is_same { next.1 } else { 0.0 };
                is_same
            });
        }
        let of_borders = diagonal.split_off(players);
        if diagonal.iter().any(|&diagonal| diagonal <= 0.0) {
            return Err(StatsError::Singular);
        }
        let mut matrix = Self { diagonal, rows, borders: Vec::new() };
        for (parameter, (mut column, diagonal)) in (players..).zip(columns.into_iter().zip(of_borders)) {
            centre(&mut column[..players]);
            let solution = matrix.solve(column.clone(), CG_TOLERANCE)?;
            let rest = diagonal - dot(&column, &solution).x;
            if rest.is_nan() || rest <= LEAST_REST * diagonal {
                return Err(undetermined(games, Some(parameter)));
            }
            matrix.borders.push(Border { solution, rest });
        }
        Ok(matrix)
    }

    /// Solves for the strengths, then for one border after the other.
    fn solve<const K: usize>(&self, mut rhs: Vec<Lanes<K>>, tolerance: f64) -> Result<Vec<Lanes<K>>> {
        let of_borders = rhs.split_off(self.rows.len());
        let mut x = self.strengths(rhs.clone(), tolerance)?;
        for (Border { solution, rest }, value) in self.borders.iter().zip(of_borders) {
            let known = rhs.iter().zip(solution).fold(value, |sum, (rhs, factor)| sum - rhs * factor.x);
            let this = known / *rest;
            x.iter_mut().zip(solution).for_each(|(x, factor)| *x -= this * factor.x);
            x.push(this);
            rhs.push(value);
        }
        Ok(x)
    }

    /// Conjugate gradients with the diagonal as preconditioner, each side until its residual has
    /// fallen by `tolerance`. Fails if that takes too long.
    fn strengths<const K: usize>(&self, rhs: Vec<Lanes<K>>, tolerance: f64) -> Result<Vec<Lanes<K>>> {
        // A lane that has converged to the last digit stays where it is.
        let ratio = |above: Lanes<K>, below: Lanes<K>| above.zip_map(&below, |a, b| if b == 0.0 { 0.0 } else { a / b });
        let preconditioned = |residual: &[Lanes<K>]| -> Vec<Lanes<K>> {
            residual.iter().zip(&self.diagonal).map(|(value, diagonal)| value / *diagonal).collect()
        };
        let mut x = vec![Lanes::<K>::zeros(); rhs.len()];
        let mut residual = rhs;
        let mut direction = preconditioned(&residual);
        let mut energy = dot(&residual, &direction);
        let goal = energy * tolerance * tolerance;
        let most = 20 * x.len() + 200;
        for _ in 0..most {
            if energy.iter().zip(&goal).all(|(energy, goal)| energy <= goal) {
                return Ok(x);
            }
            let image = self.times(&direction);
            let step = ratio(energy, dot(&direction, &image));
            for (row, image) in image.iter().enumerate() {
                x[row] += step.component_mul(&direction[row]);
                residual[row] -= step.component_mul(image);
            }
            let next = preconditioned(&residual);
            let before = std::mem::replace(&mut energy, dot(&residual, &next));
            let turn = ratio(energy, before);
            direction
                .iter_mut()
                .zip(next)
                .for_each(|(direction, next)| *direction = next + turn.component_mul(direction));
        }
        Err(StatsError::NotConverged { what: "the conjugate gradient method", iterations: most })
    }

    fn times<const K: usize>(&self, x: &[Lanes<K>]) -> Vec<Lanes<K>> {
        let row = |row: usize| {
            let start = x[row] * self.diagonal[row];
            self.rows[row].iter().fold(start, |sum, &(column, value)| sum + x[column] * value)
        };
        (0..x.len()).map(row).collect()
    }
}
