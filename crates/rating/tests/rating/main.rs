//! What ratings promise: their properties, and values that other programs found.

mod ab_test;
mod binomial_coverage;
mod bradley_terry;
mod draws_and_anchors;
mod matches;
mod table;
