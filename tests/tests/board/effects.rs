//! Effects, checks and what a move reports about itself agree with plain loops over a diagram.

use kiki_board::{COLORS, Color, Delta, HAND_KINDS, Move, Position, Sq};
use kiki_tests::diagram::Diagram;
use kiki_tests::playout::{Dice, HANDICAPS, KINGLESS, Manner, SPARSE, play};
use kiki_tests::{fixtures, parallel};

fn check_effects(position: &Position) {
    let sfen = position.to_sfen();
    let diagram = Diagram::parse(&sfen);
    for (color, white) in [(Color::Black, false), (Color::White, true)] {
        let mut counts = [0; 81];
        for from in Sq::all().filter(|&sq| diagram.at(sq).is_some_and(|man| man.white == white)) {
            for to in diagram.attacks_from(from) {
                counts[to.index()] += 1;
            }
        }
        for sq in Sq::all() {
            let count = position.effects().count(color, sq);
            assert_eq!(count, counts[sq.index()], "effects of {color:?} on {sq:?} in {sfen}");
        }
        assert_eq!(position.effects().counts(color)[81..], [0; 15], "the lanes beyond the board");
    }
    let king = position.king(position.side_to_move());
    if king != Sq::NONE {
        let checkers = diagram.attackers(king, !diagram.white_to_move);
        assert_eq!(position.checkers().into_iter().collect::<Vec<_>>(), checkers, "{sfen}");
        assert_eq!(position.in_check(), !checkers.is_empty(), "{sfen}");
        check_pins(position, &diagram, king);
    }
}

/// A piece is pinned if its absence gives one check more.
fn check_pins(position: &Position, diagram: &Diagram, king: Sq) {
    let them = !diagram.white_to_move;
    let before = diagram.attackers(king, them).len();
    for sq in position.pieces_of(position.side_to_move()) {
        if sq == king {
            continue;
        }
        let mut without = diagram.clone();
        without.set(sq, None);
        let pinned = without.attackers(king, them).len() > before;
        assert_eq!(position.pinned().contains(sq), pinned, "{sq:?} in {}", position.to_sfen());
    }
}

/// An evaluation hears of a move only through its delta, so the delta must not lie.
fn check_delta(before: &Position, mv: Move, delta: &Delta, after: &Position) {
    let sfen = before.to_sfen();
    let mover = before.side_to_move();
    assert_eq!(delta.is_drop(), mv.is_drop());
    if !mv.is_drop() {
        assert_eq!((delta.left.sq, delta.left.cell), (mv.from(), before.cell(mv.from())), "{sfen}");
    }
    assert_eq!((delta.captured.sq, delta.captured.cell), (mv.to(), before.cell(mv.to())), "{sfen}");
    assert_eq!((delta.arrived.sq, delta.arrived.cell), (mv.to(), after.cell(mv.to())), "{sfen}");
    for sq in Sq::all() {
        if sq != mv.to() && (mv.is_drop() || sq != mv.from()) {
            assert_eq!(before.cell(sq), after.cell(sq), "{mv} in {sfen}");
        }
        for color in COLORS {
            let unchanged = before.effects().count(color, sq) == after.effects().count(color, sq);
            assert!(unchanged || delta.effects_touched.contains(sq), "{sq:?}: {mv} in {sfen}");
        }
    }
    for color in COLORS {
        for kind in HAND_KINDS {
            let taken = delta.captured.cell.hand_kind() == Some(kind);
            let gain = usize::from(color == mover && taken);
            let loss = usize::from(color == mover && mv.dropped_kind() == Some(kind));
            let (then, now) = (before.hand(color).count(kind), after.hand(color).count(kind));
            assert_eq!(now + loss, then + gain, "hand of {color:?} after {mv} in {sfen}");
        }
    }
}

#[test]
fn effects_checkers_and_pins_agree_with_a_diagram() {
    let midgame = fixtures::midgame();
    parallel::for_each(&midgame, |row| check_effects(&fixtures::position(row.sfen)));
    parallel::for_each(&KINGLESS, |sfen| check_effects(&fixtures::position(sfen)));
}

#[test]
fn effects_checkers_and_pins_agree_along_random_games() {
    let starts: Vec<&str> = HANDICAPS.into_iter().chain(SPARSE).chain(KINGLESS).collect();
    parallel::for_each(&starts, |start| {
        for seed in 0..4 {
            let mut dice = Dice::new(seed, Manner::Any);
            play(fixtures::position(start), 80, &mut dice, |position, _| check_effects(position));
        }
    });
}

#[test]
fn a_move_reports_all_that_it_changes() {
    let midgame = fixtures::midgame();
    parallel::for_each(&midgame, |row| {
        let mut position = fixtures::position(row.sfen);
        let before = position.clone();
        for &mv in &position.legal_moves() {
            let delta = position.make(mv);
            check_delta(&before, mv, &delta, &position);
            position.unmake();
        }
    });
}
