//! The information matrix of a table as a sparse matrix, and its equations by two methods.
//!
//! Conjugate gradients suit players who meet at random. They are slow where players mostly meet
//! their neighbours, such as the versions of one program or the divisions of a league. There a
//! difference of strength between the far ends passes through thousands of players. But if such
//! players are numbered along the table, all entries lie near the diagonal. Cholesky's method then
//! keeps only the envelope: in each row the part from the first entry to the diagonal (Jennings
//! 1966). The numbering is that of Cuthill and McKee (1969), reversed. For few players the envelope
//! is the whole triangle.

use kiki_stats::{Result, StatsError};

use super::likelihood::{Adjacency, ComponentGames};

/// The weighted Laplacian of the graph of games: row sums are zero, so that its equations leave a
/// common shift of all unknowns open.
#[derive(Clone, Debug)]
pub(super) struct Laplacian {
    starts: Vec<usize>,
    /// Opponent and weight of the games, row by row.
    entries: Vec<(u32, f64)>,
    diagonal: Vec<f64>,
}

/// Number of right-hand sides solved together, which share the traffic through the matrix.
pub(super) const LANES: usize = 8;

impl Laplacian {
    /// The matrix for these weights of the encounters.
    pub(super) fn new(games: &ComponentGames, adjacency: &Adjacency, weights: &[f64]) -> Self {
        let n = games.players.len();
        let mut laplacian =
            Self { starts: vec![0], entries: Vec::with_capacity(2 * weights.len()), diagonal: Vec::with_capacity(n) };
        for player in 0..n {
            let row = adjacency.of(player);
            let weight = |number: u32| weights[number as usize];
            laplacian.entries.extend(row.iter().map(|&(opponent, number, _)| (opponent, weight(number))));
            laplacian.diagonal.push(row.iter().map(|&(_, number, _)| weight(number)).sum());
            laplacian.starts.push(laplacian.entries.len());
        }
        laplacian
    }

    pub(super) fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// Solves for several right-hand sides, less their means, which no solution could produce; the
    /// solutions have mean 0. Conjugate gradients with the diagonal as preconditioner, each side
    /// until its residual has fallen by `tolerance`. Fails if that takes too long, or the matrix is
    /// singular beyond the common shift.
    pub(super) fn solve<const K: usize>(&self, rhs: Vec<[f64; K]>, tolerance: f64) -> Result<Vec<[f64; K]>> {
        let n = self.len();
        let mut x = vec![[0.0; K]; n];
        let mut residual = rhs;
        // Rounding leaves a sum in a gradient that is nearly 0 everywhere.
        centre(&mut residual);
        let mut direction: Vec<[f64; K]> = self.preconditioned(&residual).collect();
        let mut image = vec![[0.0; K]; n];
        let mut energy = dot(&residual, &direction);
        let goal = energy.map(|energy| energy * tolerance * tolerance);
        let most = 20 * n + 200;
        for _ in 0..most {
            if (0..K).all(|k| energy[k] <= goal[k]) {
                centre(&mut x);
                return Ok(x);
            }
            self.multiply(&direction, &mut image);
            let curvature = dot(&direction, &image);
            // A lane that has converged stays fixed.
            let step: [f64; K] =
                std::array::from_fn(|k| if energy[k] > goal[k] { energy[k] / curvature[k] } else { 0.0 });
            if !step.iter().all(|step| step.is_finite()) {
                return Err(StatsError::Singular);
            }
            for i in 0..n {
                for k in 0..K {
                    x[i][k] += step[k] * direction[i][k];
                    residual[i][k] -= step[k] * image[i][k];
                }
            }
            let mut next = [0.0; K];
            for (row, &diagonal) in residual.iter().zip(&self.diagonal) {
                for k in 0..K {
                    next[k] += row[k] * row[k] / diagonal;
                }
            }
            let turn: [f64; K] = std::array::from_fn(|k| if energy[k] > goal[k] { next[k] / energy[k] } else { 0.0 });
            for i in 0..n {
                let scale = 1.0 / self.diagonal[i];
                for k in 0..K {
                    direction[i][k] = residual[i][k] * scale + turn[k] * direction[i][k];
                }
            }
            energy = next;
        }
        Err(StatsError::NotConverged { what: "the conjugate gradient method", iterations: most })
    }

    fn preconditioned<const K: usize>(&self, residual: &[[f64; K]]) -> impl Iterator<Item = [f64; K]> {
        residual.iter().zip(&self.diagonal).map(|(row, &diagonal)| row.map(|value| value / diagonal))
    }

    fn multiply<const K: usize>(&self, x: &[[f64; K]], image: &mut [[f64; K]]) {
        for (i, image) in image.iter_mut().enumerate() {
            let mut sum = x[i].map(|value| value * self.diagonal[i]);
            for &(j, weight) in &self.entries[self.starts[i]..self.starts[i + 1]] {
                let other = &x[j as usize];
                for k in 0..K {
                    sum[k] -= weight * other[k];
                }
            }
            *image = sum;
        }
    }
}

/// The scalar products, lane by lane.
fn dot<const K: usize>(x: &[[f64; K]], y: &[[f64; K]]) -> [f64; K] {
    let mut sum = [0.0; K];
    for (x, y) in x.iter().zip(y) {
        for k in 0..K {
            sum[k] += x[k] * y[k];
        }
    }
    sum
}

/// Makes the mean of every lane 0.
fn centre<const K: usize>(x: &mut [[f64; K]]) {
    let n = x.len() as f64;
    let ones = vec![[1.0; K]; x.len()];
    let mean = dot(x, &ones).map(|sum| sum / n);
    for row in x {
        for k in 0..K {
            row[k] -= mean[k];
        }
    }
}

/// A numbering of the players, and how far left each row reaches.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// The new number of each player.
    number: Vec<usize>,
    /// By new number: the column of the first entry of the row.
    first: Vec<usize>,
}

impl Profile {
    /// Numbers the players of a connected table.
    pub(super) fn new(adjacency: &Adjacency) -> Self {
        // The last player of a walk is far from its first: from there the levels of a second walk
        // are narrow.
        let far = walk(adjacency, walk(adjacency, 0).last().copied().unwrap_or(0));
        let order = walk(adjacency, far.last().copied().unwrap_or(0));
        let n = adjacency.len();
        let mut number = vec![0; n];
        for (place, &player) in order.iter().rev().enumerate() {
            number[player] = place;
        }
        let mut first: Vec<usize> = (0..n).collect();
        for player in 0..n {
            let row = number[player];
            for &(opponent, _, _) in adjacency.of(player) {
                first[row] = first[row].min(number[opponent as usize]);
            }
        }
        Self { number, first }
    }

    /// Number of multiplications of the factorisation.
    pub(super) fn work(&self) -> f64 {
        self.first.iter().enumerate().map(|(row, &first)| ((row - first) as f64).powi(2)).sum()
    }
}

/// The players in the order of a breadth-first walk, those with fewer opponents first.
fn walk(adjacency: &Adjacency, start: usize) -> Vec<usize> {
    let mut seen = vec![false; adjacency.len()];
    let mut order = vec![start];
    seen[start] = true;
    let mut next = 0;
    while next < order.len() {
        let player = order[next];
        next += 1;
        let begin = order.len();
        for &(opponent, _, _) in adjacency.of(player) {
            if !seen[opponent as usize] {
                seen[opponent as usize] = true;
                order.push(opponent as usize);
            }
        }
        order[begin..].sort_by_key(|&player| adjacency.of(player).len());
    }
    order
}

/// The Cholesky factor of the Laplacian without the row and column of the last player, whose
/// strength is 0 until the mean is taken off.
#[derive(Clone, Debug)]
pub(super) struct Envelope {
    number: Vec<usize>,
    first: Vec<usize>,
    /// Where each row begins in `entries`; it ends with its diagonal entry.
    starts: Vec<usize>,
    entries: Vec<f64>,
}

impl Envelope {
    /// Factorises the matrix for these weights of the encounters; [`StatsError::Singular`] if it is
    /// not positive definite.
    pub(super) fn new(games: &ComponentGames, profile: &Profile, weights: &[f64]) -> Result<Self> {
        let rows = profile.first.len() - 1;
        let mut starts = vec![0];
        for row in 0..rows {
            starts.push(starts[row] + row - profile.first[row] + 1);
        }
        let mut envelope = Self {
            number: profile.number.clone(),
            first: profile.first[..rows].to_vec(),
            entries: vec![0.0; starts[rows]],
            starts,
        };
        for (encounter, &weight) in games.encounters.iter().zip(weights) {
            let (a, b) = (profile.number[encounter.a as usize], profile.number[encounter.b as usize]);
            if a == b {
                continue;
            }
            let (low, high) = (a.min(b), a.max(b));
            *envelope.entry(low, low) += weight;
            if high < rows {
                *envelope.entry(high, high) += weight;
                *envelope.entry(high, low) -= weight;
            }
        }
        envelope.factorise()?;
        Ok(envelope)
    }

    fn entry(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.entries[self.starts[row] + column - self.first[row]]
    }

    fn factorise(&mut self) -> Result<()> {
        for row in 0..self.first.len() {
            let (done, rest) = self.entries.split_at_mut(self.starts[row]);
            let this = &mut rest[..self.starts[row + 1] - self.starts[row]];
            let first = self.first[row];
            for column in first..=row {
                let from = first.max(self.first[column]);
                let (left, right) = this.split_at_mut(column - first);
                let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
                if column == row {
                    let pivot = right[0] - dot(left, left);
                    if pivot.is_nan() || pivot <= 0.0 {
                        return Err(StatsError::Singular);
                    }
                    right[0] = pivot.sqrt();
                } else {
                    let other = &done[self.starts[column]..self.starts[column + 1]];
                    let (above, pivot) = other.split_at(column - self.first[column]);
                    right[0] = (right[0] - dot(&left[from - first..], &above[from - self.first[column]..])) / pivot[0];
                }
            }
        }
        Ok(())
    }

    /// Solves for several right-hand sides, less their means; the solutions have mean 0.
    pub(super) fn solve<const K: usize>(&self, rhs: &[[f64; K]]) -> Vec<[f64; K]> {
        let n = self.number.len();
        let mean = mean(rhs);
        let mut x = vec![[0.0; K]; n];
        for (player, value) in rhs.iter().enumerate() {
            x[self.number[player]] = std::array::from_fn(|k| value[k] - mean[k]);
        }
        x[n - 1] = [0.0; K];
        for row in 0..n - 1 {
            let (left, pivot) = self.row(row);
            let mut sum = x[row];
            for (factor, value) in left.iter().zip(&x[self.first[row]..]) {
                for k in 0..K {
                    sum[k] -= factor * value[k];
                }
            }
            x[row] = sum.map(|value| value / pivot);
        }
        for row in (0..n - 1).rev() {
            let (left, pivot) = self.row(row);
            let (above, this) = x.split_at_mut(row);
            this[0] = this[0].map(|value| value / pivot);
            for (factor, value) in left.iter().zip(&mut above[self.first[row]..]) {
                for k in 0..K {
                    value[k] -= factor * this[0][k];
                }
            }
        }
        let shift = self::mean(&x);
        self.number.iter().map(|&number| std::array::from_fn(|k| x[number][k] - shift[k])).collect()
    }

    /// A row left of the diagonal, and its diagonal entry.
    fn row(&self, row: usize) -> (&[f64], f64) {
        let entries = &self.entries[self.starts[row]..self.starts[row + 1]];
        (&entries[..entries.len() - 1], entries[entries.len() - 1])
    }
}

fn mean<const K: usize>(x: &[[f64; K]]) -> [f64; K] {
    let mut sum = [0.0; K];
    for row in x {
        for k in 0..K {
            sum[k] += row[k];
        }
    }
    sum.map(|sum| sum / x.len() as f64)
}
