//! The information matrix of many players, as a sparse matrix, and its equations by conjugate gradients.

use kiki_stats::{Result, StatsError};

use super::games::{Adjacency, ComponentGames};

/// The weighted Laplacian of the graph of games: row sums are zero, so that its equations leave a common shift of all unknowns open.
#[derive(Clone, Debug)]
pub(super) struct Laplacian {
    starts: Vec<usize>,
    /// Opponent and weight of the games, row by row.
    entries: Vec<(u32, f64)>,
    diagonal: Vec<f64>,
}

/// Right-hand sides that are solved side by side share the traffic through the matrix.
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

    /// Solves for several right-hand sides, less their means, which no solution could produce; the solutions have mean 0. Conjugate
    /// gradients with the diagonal as preconditioner, each side until its residual has fallen by `tolerance`.
    ///
    /// # Errors
    /// If that takes unreasonably long, or the matrix is singular beyond the common shift.
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
            // A lane that has arrived stands still.
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
