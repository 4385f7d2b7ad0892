//! The rules of the house that no lint knows. All of it is tests.
#![cfg(test)]

mod circles;
mod names;
mod prose;
mod rules;
mod source;
mod supply;
