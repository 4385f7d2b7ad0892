//! The formula with additions for a test.

use std::marker::PhantomData;
use std::sync::Arc;

use kiki_board::{Delta, Position};
use kiki_eval::{Evaluator, Formula, Value};

/// What a test adds.
pub(crate) trait Addition: 'static {
    /// Called before each evaluation.
    fn before_evaluation() {}

    /// What [`Evaluator::judges_moves`] returns.
    const JUDGES_MOVES: bool = false;
}

/// The formula with an addition.
pub(crate) struct Wrapped<A>(Formula, PhantomData<A>);

impl<A: Addition> Evaluator for Wrapped<A> {
    type Weights = <Formula as Evaluator>::Weights;

    fn new(weights: &Arc<Self::Weights>, position: &Position) -> Self {
        Self(Formula::new(weights, position), PhantomData)
    }

    fn reset(&mut self, position: &Position) {
        self.0.reset(position);
    }

    fn push(&mut self, delta: &Delta) {
        self.0.push(delta);
    }

    fn pop(&mut self) {
        self.0.pop();
    }

    fn evaluate(&mut self, position: &Position) -> Value {
        A::before_evaluation();
        self.0.evaluate(position)
    }

    fn judges_moves(&self) -> bool {
        A::JUDGES_MOVES
    }
}
