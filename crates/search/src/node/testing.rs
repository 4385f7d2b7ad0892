//! A worker for tests. Its evaluation is so simple that tests know the values of a search.

use std::sync::Arc;
use std::time::Instant;

use kiki_board::{Color, Delta, HAND_KINDS, Move, Position, Sq, exchange_value};
use kiki_eval::{Evaluator, Value, Weights};

use super::root_moves::RootMoves;
use super::worker::Worker;
use super::{Context, NonPvNode, Window};
use crate::control::SearchControl;
use crate::limits::{Limits, Rules};
use crate::order::history::{Histories, SearchedMove, SharedHistories};
use crate::table::TranspositionTable;

pub(crate) const BARE: &str = "4k4/9/9/9/9/9/9/9/4K4 b - 1";
/// Black's pawn can take a rook; in the second position it is too far away.
pub(crate) const FREE_ROOK: &str = "4k4/9/9/4r4/4P4/9/9/9/4K4 b - 1";
pub(crate) const SAFE_ROOK: &str = "4k4/9/9/3r5/4P4/9/9/9/4K4 b - 1";
/// White threatens to mate by dropping a gold before the king.
pub(crate) const THREAT: &str = "4k4/9/9/9/9/9/4p4/9/4K4 b RBg 1";

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

    fn evaluate(&mut self, position: &Position) -> Value {
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

/// A worker at the root of a search to a great depth.
pub(crate) fn worker(sfen: &str, for_black: Value) -> Worker<Plain> {
    let position = Position::from_sfen(sfen).expect("an SFEN");
    let control = Arc::new(SearchControl::new(2, 2));
    control.begin(None, &Limits::default());
    let shared = Arc::new(SharedHistories::new(1).expect("memory"));
    let histories = Histories::new(shared);
    let mut worker = Worker::new(0, &Arc::new(for_black), control, histories);
    place(&mut worker, &position);
    worker
}

/// Sets a worker to a position.
pub(crate) fn place(worker: &mut Worker<Plain>, position: &Position) {
    let table = Arc::new(TranspositionTable::new(1).expect("a MiB"));
    worker.set_up(position.clone(), Rules::default(), table, Instant::now());
    worker.root_moves = RootMoves::of(&worker.position, &[], worker.rules.choice);
    worker.root_depth = 40;
}

pub(crate) fn make(worker: &mut Worker<Plain>, text: &str) {
    let mv = SearchedMove::new(&worker.position, parse(worker, text));
    worker.make(&mv);
}

pub(crate) fn parse(worker: &Worker<Plain>, text: &str) -> Move {
    worker.position.parse_move(text).expect("a legal move")
}

/// The context of a cut node, entered and evaluated.
pub(crate) fn context(worker: &mut Worker<Plain>, alpha: Value, depth: i32) -> Context {
    let mut context = worker.enter::<NonPvNode>(Window::null(alpha), depth, true);
    worker.evaluate_node(&mut context);
    context
}
