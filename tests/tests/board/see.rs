//! Static exchange evaluation gives the verdict of playing the exchange out on a diagram.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};

use kiki_board::{Color, Move, Position, Sq, exchange_value};
use kiki_tests::diagram::Diagram;
use kiki_tests::playout::{Dice, Manner, play};
use kiki_tests::{fixtures, parallel};

/// An exchange on one square.
struct Exchange {
    diagram: Diagram,
    /// By square: what the piece that stood there at first is worth.
    values: [i32; 81],
    to: Sq,
}

impl Exchange {
    /// The exchange that a move starts, the move itself being played, and the worth of the piece that has arrived.
    fn after(position: &Position, mv: Move) -> (Self, i32) {
        let mut diagram = Diagram::parse(&position.to_sfen());
        let mut values = [0; 81];
        for sq in Sq::all() {
            values[sq.index()] = exchange_value(position.cell(sq));
        }
        if !mv.is_drop() {
            let man = diagram.at(mv.from());
            diagram.set(mv.to(), man);
            diagram.set(mv.from(), None);
        }
        (Self { diagram, values, to: mv.to() }, exchange_value(position.arriving(mv)))
    }

    /// What a side wins by the best of capturing or not, a piece worth `at_stake` standing on the square.
    ///
    /// It captures with its cheapest piece whether pinned or not; with the king only if nothing takes back, the king having
    /// left its square. Of several cheapest ones any may be the first to go, and what comes to light behind it may differ: so
    /// the answer is a range.
    fn best_gain(&mut self, white: bool, at_stake: i32) -> RangeInclusive<i32> {
        let attackers = self.diagram.attackers(self.to, white);
        let cost = |sq: &Sq| {
            let man = self.diagram.at(*sq).expect("an attacker");
            (self.values[sq.index()], man.promoted, man.letter)
        };
        let Some(cheapest) = attackers.iter().map(cost).min() else {
            return 0..=0;
        };
        let captors: Vec<Sq> = attackers.into_iter().filter(|sq| cost(sq) == cheapest).collect();
        let (mut least, mut most) = (i32::MAX, i32::MIN);
        for captor in captors {
            let man = self.diagram.at(captor);
            self.diagram.set(captor, None);
            let is_king = cheapest.2 == 'K';
            if is_king && !self.diagram.attackers(self.to, !white).is_empty() {
                (least, most) = (0, 0);
            } else {
                let lost = self.best_gain(!white, cheapest.0);
                least = least.min(at_stake - lost.end());
                most = most.max(at_stake - lost.start());
            }
            self.diagram.set(captor, man);
        }
        least.max(0)..=most.max(0)
    }
}

/// What a move gains, the opponent answering as well as captures on its destination allow.
fn played_out(position: &Position, mv: Move) -> RangeInclusive<i32> {
    let (mut exchange, arrived) = Exchange::after(position, mv);
    let lost = exchange.best_gain(position.side_to_move() == Color::Black, arrived);
    let at_once = position.immediate_gain(mv);
    at_once - lost.end()..=at_once - lost.start()
}

/// What was compared.
#[derive(Default)]
struct Compared {
    moves: AtomicUsize,
    losing: AtomicUsize,
    ambiguous: AtomicUsize,
}

/// Compares every legal move at thresholds round its gain and at fixed ones.
fn check_exchanges(position: &Position, compared: &Compared) {
    for &mv in &position.legal_moves() {
        let gain = played_out(position, mv);
        let (least, most) = (*gain.start(), *gain.end());
        for threshold in [least - 400, least - 1, least, most + 1, most + 90, -300, 0, 100, 500] {
            let verdict = position.see_ge(mv, threshold);
            let possible = if verdict { threshold <= most } else { threshold > least };
            assert!(possible, "{mv} gains {gain:?}, threshold {threshold}: {verdict} in {}", position.to_sfen());
        }
        compared.moves.fetch_add(1, Ordering::Relaxed);
        compared.losing.fetch_add(usize::from(most < 0), Ordering::Relaxed);
        compared.ambiguous.fetch_add(usize::from(least < most), Ordering::Relaxed);
    }
}

#[test]
fn exchanges_gain_what_playing_them_out_gains() {
    let midgame = fixtures::midgame();
    let compared = Compared::default();
    parallel::for_each(&midgame, |row| {
        // Random moves lead to squares that many pieces of both sides look at, one behind the other.
        let mut dice = Dice::new(row.sfen.len() as u64, Manner::Any);
        play(fixtures::position(row.sfen), 10, &mut dice, |position, _| {
            check_exchanges(position, &compared);
        });
    });
    let Compared { moves, losing, ambiguous } = compared;
    let [moves, losing, ambiguous] = [moves, losing, ambiguous].map(AtomicUsize::into_inner);
    assert!(moves > 900_000, "{moves} moves");
    assert!(losing > moves / 4, "{losing} of {moves} moves lose something");
    assert!(ambiguous < moves / 1000, "{ambiguous} of {moves} gains hang on a tie");
}
