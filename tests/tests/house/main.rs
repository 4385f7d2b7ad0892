//! The rules of the house that no lint knows.

mod circles;
mod rules;
mod source;
