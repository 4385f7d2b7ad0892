//! Reference records of an independent program: sigma, ProbCut and gambling.

mod gamble;
mod probcut;
mod sigma;
