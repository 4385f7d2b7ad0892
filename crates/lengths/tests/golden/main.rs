//! Reference records of an independent program: trees and the random walk of game lengths.

mod alpha_beta;
mod random_walk;
