//! A worker for tests, with an evaluation so small that what the search makes of it can be said beforehand.

use std::sync::Arc;

use kiki_board::{Color, Delta, HAND_KINDS, Move, Position, Sq, exchange_value};
use kiki_eval::{Evaluator, Value, Weights};

use crate::clock::Clock;
use crate::limits::Rules;
use crate::node::{Context, Window};
use crate::shared::Shared;
use crate::tt::Table;
use crate::worker::Worker;

/// The values of pieces on the board and in hand, and a constant for Black.
pub(crate) struct Plain {
    for_black: Value,
}

impl Evaluator for Plain {
    /// The constant for Black.
    type Weights = Value;

    fn new(for_black: &Arc<Value>, _: &Position) -> Self {
        Self { for_black: **for_black }
    }

    fn reset(&mut self, _: &Position) {}

    fn push(&mut self, _: &Delta) {}

    fn pop(&mut self) {}

    fn evaluate(&self, position: &Position) -> Value {
        let of_side = |color| {
            let board: Value =
                position.pieces_of(color).into_iter().map(|sq: Sq| exchange_value(position.cell(sq))).sum();
            let values = Weights::default().material;
            board
                + HAND_KINDS.map(|kind| position.hand(color).count(kind) as Value * values[kind]).iter().sum::<Value>()
        };
        let black = self.for_black + of_side(Color::Black) - of_side(Color::White);
        if position.side_to_move() == Color::Black { black } else { -black }
    }
}

/// A worker that stands at the root of a search to a great depth.
pub(crate) fn worker(sfen: &str, for_black: Value) -> Worker<Plain> {
    let position = Position::from_sfen(sfen).expect("an SFEN");
    let shared = Arc::new(Shared::new(Arc::new(for_black), Table::new(1).expect("a MiB")));
    let counter = Arc::default();
    shared.set_threads(vec![Arc::clone(&counter)], None);
    shared.begin(false, false, None, None);
    let mut worker = Worker::new(0, &shared, counter);
    worker.set_up(position, Rules::default(), Clock::start());
    worker.set_root_moves(&[]);
    worker.root_depth = 40;
    worker
}

/// Plays a move given in USI.
pub(crate) fn make(worker: &mut Worker<Plain>, text: &str) {
    let mv = parse(worker, text);
    let slot = worker.tried_move(mv).slot;
    worker.make(mv, slot);
}

pub(crate) fn parse(worker: &Worker<Plain>, text: &str) -> Move {
    worker.position.parse_move(text).expect("a legal move")
}

/// What the steps of a node with a null window read.
pub(crate) fn context(worker: &mut Worker<Plain>, alpha: Value, depth: i32) -> Context {
    let in_check = worker.position.in_check();
    worker.look_around(Window::null(alpha), depth, false, in_check, None)
}
