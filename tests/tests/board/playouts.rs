//! Moves made and taken back: incremental state stays right, and taking back leaves no trace.

use kiki_board::{
    COLORS, Color, Delta, Effects, GameRepetition, HAND_KINDS, HandCounts, Move, Position, SearchRepetition, Sq,
};
use kiki_tests::diagram::Diagram;
use kiki_tests::playout::{Dice, HANDICAPS, KINGLESS, Manner, SPARSE, play};
use kiki_tests::{fixtures, parallel};
use rand::seq::IndexedRandom;

/// Everything that a position reports about itself.
#[derive(PartialEq, Debug)]
struct Snapshot {
    sfen: String,
    keys: [u64; 3],
    effects: Effects,
    hands: [HandCounts; 2],
    kings: [usize; 2],
    moves: Vec<Move>,
    last_move: Option<Move>,
    moves_made: usize,
    game: GameRepetition,
    search: SearchRepetition,
}

impl Snapshot {
    fn of(position: &Position) -> Self {
        Self {
            sfen: position.to_sfen(),
            keys: [position.key(), position.board_key(), position.hand_key()],
            effects: *position.effects(),
            hands: COLORS.map(|color| position.hand(color)),
            kings: COLORS.map(|color| position.king(color).index()),
            moves: position.legal_moves().to_vec(),
            last_move: position.last_move(),
            moves_made: position.moves_made(),
            game: position.game_repetition(),
            search: position.search_repetition(position.moves_made()),
        }
    }
}

/// Makes and takes back a null move and some legal ones, two plies deep.
fn check_taking_back(position: &mut Position, dice: &mut Dice) {
    position.validate();
    let before = Snapshot::of(position);
    if !position.in_check() {
        position.make_null();
        position.validate();
        assert_eq!(position.last_move(), Some(Move::NONE));
        assert_eq!(position.search_repetition(position.moves_made()), SearchRepetition::None);
        assert_eq!(position.hand_key(), before.keys[2]);
        assert_eq!(*position.effects(), before.effects);
        try_some_moves(position, dice);
        position.unmake_null();
        assert_eq!(Snapshot::of(position), before);
    }
    try_some_moves(position, dice);
    position.validate();
    assert_eq!(Snapshot::of(position), before);
}

fn try_some_moves(position: &mut Position, dice: &mut Dice) {
    let moves = position.legal_moves();
    for &mv in moves.sample(dice.rng(), 4) {
        let before = Snapshot::of(position);
        position.make(mv);
        position.validate();
        assert_ne!(position.board_key(), before.keys[1], "{mv} leaves the board as it was");
        assert_eq!(position.ply() as usize, ply_of(&before.sfen) + 1);
        assert_same_from_text(position);
        if let Some(answer) = dice.choose(position) {
            position.make(answer);
            position.validate();
            position.unmake();
        }
        position.unmake();
        position.validate();
        assert_eq!(Snapshot::of(position), before, "after {mv} was taken back");
    }
}

fn ply_of(sfen: &str) -> usize {
    sfen.rsplit(' ').next().and_then(|ply| ply.parse().ok()).expect("a move number")
}

/// A position reached by moves and the same one read from text have the same keys, effects and
/// moves.
fn assert_same_from_text(position: &Position) {
    let read = fixtures::position(&position.to_sfen());
    let [reached, read] = [position, &read].map(Snapshot::of);
    assert_eq!(reached.sfen, read.sfen);
    assert_eq!(reached.keys, read.keys, "keys of {}", reached.sfen);
    assert_eq!(reached.effects, read.effects, "effects of {}", reached.sfen);
    assert_eq!(reached.hands, read.hands, "hands of {}", reached.sfen);
    assert_eq!(reached.kings, read.kings, "kings of {}", reached.sfen);
    assert_eq!(reached.moves, read.moves, "moves of {}", reached.sfen);
}

#[test]
fn random_games_can_be_taken_back_at_every_move() {
    let midgame = fixtures::midgame();
    let starts: Vec<&str> = HANDICAPS
        .into_iter()
        .chain(KINGLESS)
        .chain(SPARSE)
        .chain(midgame.iter().step_by(20).map(|row| row.sfen))
        .collect();
    parallel::for_each(&starts, |start| {
        for (seed, manner) in [(1, Manner::Any), (2, Manner::Returning)] {
            let mut dice = Dice::new(seed, manner);
            play(fixtures::position(start), 60, &mut dice, check_taking_back);
        }
    });
}

/// A whole game taken back to its start, so that saturating counters or shared tables show.
#[test]
fn a_long_game_can_be_taken_back_to_its_start() {
    for (seed, manner) in [(3, Manner::Any), (4, Manner::Returning)] {
        let mut position = Position::startpos();
        let mut dice = Dice::new(seed, manner);
        let mut snapshots = vec![Snapshot::of(&position)];
        while snapshots.len() < 3000 {
            let Some(mv) = dice.choose(&position) else {
                break;
            };
            position.make(mv);
            snapshots.push(Snapshot::of(&position));
        }
        assert!(snapshots.len() > 100);
        while let Some(then) = snapshots.pop() {
            assert_eq!(Snapshot::of(&position), then);
            if position.moves_made() > 0 {
                position.unmake();
            }
        }
    }
}

/// Different positions have different keys: board, hands and turn all count.
#[test]
fn keys_name_positions() {
    let mut names = std::collections::HashMap::new();
    for seed in 0..20 {
        let mut dice = Dice::new(seed, Manner::Returning);
        play(Position::startpos(), 300, &mut dice, |position, _| {
            let sfen = position.to_sfen();
            let (name, _ply) = sfen.rsplit_once(' ').expect("fields");
            let known = names.entry(position.key()).or_insert_with(|| name.to_owned());
            assert_eq!(known, name, "two positions of one key");
        });
    }
    assert!(names.len() > 1000, "{} positions", names.len());
}

fn check_effects(position: &Position) {
    let sfen = position.to_sfen();
    let diagram = Diagram::parse(&sfen);
    for (color, white) in [(Color::Black, false), (Color::White, true)] {
        let mut counts = [0; Effects::LANES];
        for from in Sq::all().filter(|&sq| diagram.at(sq).is_some_and(|man| man.white == white)) {
            for to in diagram.attacks_from(from) {
                counts[to.index()] += 1;
            }
        }
        for sq in Sq::all() {
            let count = position.effects().count(color, sq);
            assert_eq!(count, counts[sq.index()], "effects of {color:?} on {sq:?} in {sfen}");
        }
        assert_eq!(position.effects().counts(color), counts, "{sfen}");
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

/// An evaluation sees only a move's delta, so the delta must be right.
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
    let games = HANDICAPS.into_iter().chain(SPARSE).chain(KINGLESS);
    let games = games.flat_map(|start| (0..4).map(move |seed| (start, seed, 80)));
    let starts: Vec<(&str, u64, usize)> = games.chain(midgame.iter().map(|row| (row.sfen, 0, 0))).collect();
    parallel::for_each(&starts, |&(start, seed, plies)| {
        let mut dice = Dice::new(seed, Manner::Any);
        play(fixtures::position(start), plies, &mut dice, |position, _| check_effects(position));
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
