//! House rules that no lint checks, all as tests.
#![cfg(test)]

mod circles;
mod prose;
mod rules;
mod source;
mod supply;
