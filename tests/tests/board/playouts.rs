//! Taking back a move leaves no trace, and after every move all that is kept up to date is right.

use kiki_board::{COLORS, Effects, GameRepetition, HandCounts, Move, Position, SearchRepetition};
use kiki_tests::playout::{Dice, HANDICAPS, KINGLESS, Manner, SPARSE, play};
use kiki_tests::{fixtures, parallel};
use rand::seq::IndexedRandom;

/// Everything that a position tells about itself.
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

/// A position reached by moves and the same one read from text have the same keys, effects and moves.
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

/// A whole game taken back to the start, so that counters which saturate or tables which are shared show.
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
