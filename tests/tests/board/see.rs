//! Static exchange evaluation agrees with playing out the exchange on a diagram.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};

use kiki_board::{Move, Position, Sq};
use kiki_tests::diagram::{Diagram, Man};
use kiki_tests::playout::{Dice, Manner, play};
use kiki_tests::{fixtures, parallel};

/// The capturing order of a piece, and its worth.
fn rank_and_worth(man: Man) -> (usize, i32) {
    match (man.letter, man.promoted) {
        ('P', false) => (0, 90),
        ('L', false) => (1, 315),
        ('N', false) => (2, 405),
        ('S', false) => (3, 495),
        ('G', _) | ('P' | 'L' | 'N' | 'S', true) => (4, 540),
        ('B', false) => (5, 855),
        ('R', false) => (6, 990),
        ('B', true) => (7, 945),
        ('R', true) => (8, 1395),
        ('K', _) => (9, 15_000),
        _ => panic!("no piece: {man:?}"),
    }
}

fn worth(man: Man) -> i32 {
    rank_and_worth(man).1
}

/// The pinned pieces of a side, and the enemy pieces that pin them.
#[derive(Clone, Default)]
struct Pins {
    pinned: Vec<Sq>,
    pinners: Vec<Sq>,
}

impl Pins {
    /// A piece is pinned if its king would be attacked without it.
    fn of(diagram: &Diagram, white: bool) -> Self {
        let mut pins = Self::default();
        let own: Vec<(Sq, Man)> = Sq::all()
            .filter_map(|sq| diagram.at(sq).map(|man| (sq, man)))
            .filter(|(_, man)| man.white == white)
            .collect();
        let Some(&(king, _)) = own.iter().find(|(_, man)| man.letter == 'K') else { return pins };
        let checkers = diagram.attackers(king, !white);
        let mut without = diagram.clone();
        for (sq, man) in own {
            without.set(sq, None);
            let new = without.attackers(king, !white).into_iter().filter(|attacker| !checkers.contains(attacker));
            let before = pins.pinners.len();
            pins.pinners.extend(new);
            if pins.pinners.len() > before {
                pins.pinned.push(sq);
            }
            without.set(sq, Some(man));
        }
        pins
    }
}

/// An exchange on one square.
struct Exchange<'a> {
    diagram: Diagram,
    to: Sq,
    /// The pins before the move, Black's first.
    pins: &'a [Pins; 2],
}

impl Exchange<'_> {
    /// What a side gains by the better of capturing or not, with a piece worth `at_stake` on the
    /// square.
    ///
    /// It captures with its cheapest piece, but with no pinned one while a pinner of any is in
    /// place. It captures with the king only if nothing recaptures, the king having left its
    /// square. Any of several cheapest ones may go first, and the pieces uncovered behind them may
    /// differ: so the answer is a range.
    fn best_gain(&mut self, white: bool, at_stake: i32) -> RangeInclusive<i32> {
        let mut attackers = self.diagram.attackers(self.to, white);
        let Pins { pinned, pinners } = &self.pins[usize::from(white)];
        if pinners.iter().any(|&sq| sq != self.to && self.diagram.at(sq).is_some()) {
            attackers.retain(|sq| !pinned.contains(sq));
        }
        let cost = |sq: &Sq| rank_and_worth(self.diagram.at(*sq).expect("an attacker"));
        let Some(cheapest) = attackers.iter().map(cost).min() else {
            return 0..=0;
        };
        let captors: Vec<Sq> = attackers.into_iter().filter(|sq| cost(sq) == cheapest).collect();
        let (mut least, mut most) = (i32::MAX, i32::MIN);
        for captor in captors {
            let man = self.diagram.at(captor);
            self.diagram.set(captor, None);
            let is_king = man.is_some_and(|man| man.letter == 'K');
            if is_king && !self.diagram.attackers(self.to, !white).is_empty() {
                (least, most) = (0, 0);
            } else {
                let lost = self.best_gain(!white, cheapest.1);
                least = least.min(at_stake - lost.end());
                most = most.max(at_stake - lost.start());
            }
            self.diagram.set(captor, man);
        }
        least.max(0)..=most.max(0)
    }
}

/// A position on a diagram, with its pins.
struct Scene {
    diagram: Diagram,
    pins: [Pins; 2],
}

impl Scene {
    fn of(position: &Position) -> Self {
        let diagram = Diagram::parse(&position.to_sfen());
        let pins = [false, true].map(|white| Pins::of(&diagram, white));
        Self { diagram, pins }
    }

    /// The gain of a move, with the opponent's best answer by captures on its destination.
    fn played_out(&self, mv: Move) -> RangeInclusive<i32> {
        let (mut diagram, white) = (self.diagram.clone(), self.diagram.white_to_move);
        let man = match mv.dropped_kind() {
            Some(_) => Man { letter: mv.to_string().chars().next().expect("a letter"), promoted: false, white },
            None => diagram.at(mv.from()).expect("the piece that moves"),
        };
        let at_once = diagram.at(mv.to()).map_or(0, worth);
        if !mv.is_drop() {
            diagram.set(mv.from(), None);
        }
        // It takes no part before it is captured, so whether it is promoted does not matter.
        diagram.set(mv.to(), Some(man));
        let lost = Exchange { diagram, to: mv.to(), pins: &self.pins }.best_gain(!white, worth(man));
        at_once - lost.end()..=at_once - lost.start()
    }
}

#[derive(Default)]
struct Compared {
    moves: AtomicUsize,
    losing: AtomicUsize,
    ambiguous: AtomicUsize,
    by_pins: AtomicUsize,
}

/// Compares every legal move at thresholds around its gain and at fixed ones.
fn check_exchanges(position: &Position, compared: &Compared) {
    let scene = Scene::of(position);
    let free = Scene { diagram: scene.diagram.clone(), pins: Default::default() };
    for &mv in &position.legal_moves() {
        let gain = scene.played_out(mv);
        let (least, most) = (*gain.start(), *gain.end());
        for threshold in [least - 400, least - 1, least, most + 1, most + 90, -300, 0, 100, 500] {
            let verdict = position.see_ge(mv, threshold);
            let possible = if verdict { threshold <= most } else { threshold > least };
            assert!(possible, "{mv} gains {gain:?}, threshold {threshold}: {verdict} in {}", position.to_sfen());
        }
        compared.moves.fetch_add(1, Ordering::Relaxed);
        compared.losing.fetch_add(usize::from(most < 0), Ordering::Relaxed);
        compared.ambiguous.fetch_add(usize::from(least < most), Ordering::Relaxed);
        compared.by_pins.fetch_add(usize::from(gain != free.played_out(mv)), Ordering::Relaxed);
    }
}

#[test]
fn exchanges_gain_what_playing_them_out_gains() {
    let midgame = fixtures::midgame();
    let compared = Compared::default();
    parallel::for_each(&midgame, |row| {
        // Random moves lead to squares attacked by many pieces of both sides, one behind the other.
        let mut dice = Dice::new(row.sfen.len() as u64, Manner::Any);
        play(fixtures::position(row.sfen), 10, &mut dice, |position, _| {
            check_exchanges(position, &compared);
        });
    });
    let Compared { moves, losing, ambiguous, by_pins } = compared;
    let [moves, losing, ambiguous, by_pins] = [moves, losing, ambiguous, by_pins].map(AtomicUsize::into_inner);
    assert!(moves > 900_000, "{moves} moves");
    assert!(losing > moves / 4, "{losing} of {moves} moves lose something");
    assert!(ambiguous < moves / 1000, "{ambiguous} of {moves} gains hang on a tie");
    assert!(by_pins > moves / 1000, "{by_pins} of {moves} gains hang on pins");
}

#[test]
fn exchanges_by_hand() {
    for (sfen, mv, gain) in [
        // The gold is pinned and may not take the silver; without the pin it does.
        ("4k4/4g4/9/9/9/9/9/9/K3R4 b S 1", "S*4c", 0),
        ("4k4/4g4/9/9/9/9/9/9/K2R5 b S 1", "S*4c", -495),
        // The rook has left the square from which it pinned the gold. Promoted or not, it counts as
        // a rook.
        ("4k4/4g4/9/9/9/9/9/9/K3R4 b - 1", "5i5c", -990),
        ("4k4/4g4/9/9/9/9/9/9/K3R4 b - 1", "5i5c+", -990),
        // Rook, silver and pawn fall: the rook that pinned the lance was captured, so the lance may
        // take.
        ("4k4/9/9/4p4/4r4/5S3/9/4L4/4K4 b - 1", "4f5e", 990 - 495 + 90),
        // The bishop that pinned the silver has moved, but the rook still pins the gold; then
        // without it.
        ("4k4/4gs3/9/7B1/9/9/9/9/K3R4 b - 1", "2d3c", 0),
        ("4k4/4gs3/9/7B1/9/9/9/9/K8 b - 1", "2d3c", -855),
        // A king does not take a piece defended by a pinned one.
        ("3rk4/9/3S5/9/9/9/9/9/3K5 b G 1", "G*5b", 0),
        ("3rk4/9/9/9/9/9/9/9/2K6 b G 1", "G*5b", -540),
        // The rook takes before the horse, though it is worth more: with the horse first White
        // would win 45.
        ("8k/4r4/9/5+b3/9/5S3/9/K8/9 b S 1", "S*5e", 0),
    ] {
        let position = fixtures::position(sfen);
        let mv = position.parse_move(mv).expect("a legal move");
        assert_eq!(Scene::of(&position).played_out(mv), gain..=gain, "{mv} in {sfen}");
        assert!(position.see_ge(mv, gain) && !position.see_ge(mv, gain + 1), "{mv} does not gain {gain} in {sfen}");
    }
}
