//! Properties of all kinds of input: an error has one line, and an accepted position supports every
//! operation.

use std::cell::RefCell;
use std::sync::Arc;

use kiki_board::{DeclarationRule, DeclarationVerdict, Position, perft, perft_by_making};
use kiki_eval::{Evaluator, Formula, Value, Weights};
use kiki_mate::{MateResult, Solver, is_mate};

const RULES: [DeclarationRule; 6] = [
    DeclarationRule::None,
    DeclarationRule::Points24,
    DeclarationRule::Points24Handicap,
    DeclarationRule::Points27,
    DeclarationRule::Points27Handicap,
    DeclarationRule::Try,
];

const MATE_NODES: u64 = 300;

/// The formula and the mate solver, kept because creating their tables takes longer than an input.
struct Tools {
    /// Updated move by move.
    followed: Formula,
    /// Reset at each position.
    fresh: Formula,
    solver: Solver,
}

impl Tools {
    fn new() -> Self {
        let followed = Formula::new(&Arc::new(Weights::default()), &Position::startpos());
        Self { fresh: followed.clone(), followed, solver: Solver::new(1) }
    }

    /// The evaluation of a position from scratch.
    fn fresh_value(&mut self, position: &Position) -> Value {
        self.fresh.reset(position);
        self.fresh.evaluate(position)
    }
}

thread_local! {
    static TOOLS: RefCell<Tools> = RefCell::new(Tools::new());
}

/// Panics if an error text is empty, long or has several lines.
pub(crate) fn check_error(error: &dyn std::fmt::Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.lines().count() == 1 && text.len() < 1000, "{text:?}");
}

/// Panics if the board, the formula or the mate solver breaks a property.
pub(crate) fn check_position(position: &mut Position) {
    position.validate();
    let sfen = position.to_sfen();
    check_text(position, &sfen);
    for rule in RULES {
        if let DeclarationVerdict::WinBy(mv) = position.declaration(rule) {
            assert!(position.legal_moves().contains(&mv), "{sfen}: {mv}");
        }
    }
    let _ = (position.game_repetition(), position.search_repetition(0));
    TOOLS.with_borrow_mut(|tools| {
        check_moves(position, &sfen, tools);
        check_mates(position, &sfen, &mut tools.solver);
    });
    assert_eq!(position.to_sfen(), sfen, "the position is left as it was");
}

/// Positions survive writing and reading.
fn check_text(position: &Position, sfen: &str) {
    let again = Position::from_sfen(sfen).expect("what was written can be read");
    assert_eq!(again.to_sfen(), sfen);
    assert_eq!(again.key(), position.key(), "{sfen}");
    let core = Position::from_core(&position.to_core()).expect("the same position");
    assert_eq!(core.key(), position.key(), "{sfen}");
}

/// Every legal move can be made and taken back, and the evaluation follows.
fn check_moves(position: &mut Position, sfen: &str, tools: &mut Tools) {
    tools.followed.reset(position);
    let before = tools.followed.evaluate(position);
    let moves = position.legal_moves();
    for &mv in moves.iter() {
        assert_eq!(position.parse_move(&mv.to_string()).ok(), Some(mv), "{sfen}: {mv}");
        let _ = (position.see_ge(mv, 0), position.is_capture(mv));
        let key = position.key_after(mv);
        let delta = position.make(mv);
        position.validate();
        assert_eq!(position.key(), key, "{sfen}: {mv}");
        tools.followed.push(&delta);
        assert_eq!(tools.followed.evaluate(position), tools.fresh_value(position), "{sfen}: {mv}");
        tools.followed.pop();
        position.unmake();
    }
    assert_eq!(tools.followed.evaluate(position), before, "{sfen}");
    assert_eq!(perft(position, 1), moves.len() as u64, "{sfen}");
    assert_eq!(perft_by_making(position, 1), moves.len() as u64, "{sfen}");
    // The search passes where it may.
    if !position.in_check() {
        position.make_null();
        position.validate();
        position.unmake_null();
    }
}

/// Every mate found is a mate.
fn check_mates(position: &mut Position, sfen: &str, solver: &mut Solver) {
    if let Some(mv) = position.mate_in_one() {
        assert!(is_mate(position, &[mv]), "{sfen}: {mv}");
    }
    // The result must depend on the input alone.
    solver.clear();
    if let MateResult::Mate(line) = solver.solve(position, &mut |nodes| nodes < MATE_NODES) {
        assert!(is_mate(position, &line), "{sfen}: {line:?}");
    }
}
