//! Seeded games, and shorthands for reading and writing games in tests.

use std::num::NonZeroI32;

use kiki_board::{Move, Position, mix};
use kiki_record::{EndReason, Game, GameOutcome, PlayedMove, RecordForm, ScoreValue, TextEncoding, read_records};

/// The same numbers for the same seed, on every machine.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = mix(self.0);
        self.0
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn maybe<T>(&mut self, value: T) -> Option<T> {
        (self.below(2) == 0).then_some(value)
    }

    /// Up to three random moves from a position.
    pub(crate) fn moves(&mut self, start: &Position) -> Vec<Move> {
        let mut position = start.clone();
        let mut moves = Vec::new();
        for _ in 0..self.below(4) {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv = legal[self.below(legal.len())];
            position.make(mv);
            moves.push(mv);
        }
        moves
    }

    fn score(&mut self) -> ScoreValue {
        let number = self.below(6001) as i32 - 3000;
        match NonZeroI32::new(number) {
            Some(plies) if self.below(3) == 0 => ScoreValue::Mate(plies),
            _ => ScoreValue::Cp(number),
        }
    }
}

/// A game of random moves with random notes from a root, and its last position. The game has no
/// result yet.
pub(crate) fn playout(seed: u64, root: Option<&str>, plies: usize) -> (Game, Position) {
    let mut dice = Dice(seed);
    let mut position = root.map_or_else(Position::startpos, |sfen| Position::from_sfen(sfen).unwrap());
    let mut moves = Vec::new();
    for _ in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[dice.below(legal.len())];
        let (time, depth, nodes) = (dice.next() % 100_000, dice.below(40) as u32, dice.next() >> dice.below(64));
        let score = dice.score();
        let score = dice.maybe(score);
        let (time_ms, depth, nodes) = (dice.maybe(time), dice.maybe(depth), dice.maybe(nodes));
        position.make(mv);
        // No form can hold a variation without a score.
        let pv = if score.is_some() { dice.moves(&position) } else { Vec::new() };
        moves.push(PlayedMove { time_ms, score, depth, nodes, pv, ..PlayedMove::from(mv) });
    }
    let game = Game {
        black: format!("black {seed}"),
        white: "白 \"W\" \\".to_owned(),
        event: "a test".to_owned(),
        site: "loopback".to_owned(),
        start_time: "2026/01/31 09:30:00".to_owned(),
        time_control: if seed.is_multiple_of(2) { "00:15+10" } else { "10+0.1" }.to_owned(),
        root: root.map(str::to_owned),
        moves,
        ..Game::default()
    };
    (game, position)
}

/// Roots of every kind: White to move, hands, promoted pieces, a handicap.
pub(crate) const ROOTS: [Option<&str>; 5] = [
    None,
    Some("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    Some("lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
    Some("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RG5Pgsn 1"),
    Some("4k4/9/9/9/9/9/9/9/4K4 b RB2G2S2N2L9Prb2g2s2n2l9p 1"),
];

/// The head of a game in KIF, and two moves.
pub(crate) const KIF: &str = "手合割：平手\n手数----指手---------消費時間--\n";
pub(crate) const TWO: &str = "   1 ７六歩(77)\n   2 ３四歩(33)\n";

pub(crate) const OUTCOMES: [GameOutcome; 4] =
    [GameOutcome::BlackWins, GameOutcome::WhiteWins, GameOutcome::Draw, GameOutcome::Unknown];

/// The only game of a file.
pub(crate) fn one(name: &str, bytes: &[u8]) -> Game {
    let mut games = read_records(name, bytes);
    assert_eq!(games.len(), 1, "{name}: {}", String::from_utf8_lossy(bytes));
    games.remove(0).unwrap_or_else(|error| panic!("{name}: {error}\n{}", String::from_utf8_lossy(bytes)))
}

/// The first error of a file.
pub(crate) fn refused(name: &str, text: &str) -> String {
    let error = read_records(name, text.as_bytes()).into_iter().find_map(Result::err);
    error.unwrap_or_else(|| panic!("{name} is read: {text}")).to_string()
}

pub(crate) fn written(form: RecordForm, game: &Game) -> String {
    String::from_utf8(form.write(std::slice::from_ref(game), TextEncoding::Utf8).unwrap()).unwrap()
}

/// Checks that a game comes back unchanged from each of these forms.
pub(crate) fn comes_back(game: &Game, forms: &[RecordForm]) {
    for &form in forms {
        let text = written(form, game);
        assert_eq!(form.read(text.as_bytes()), [Ok(game.clone())], "{form:?}\n{text}");
    }
}

pub(crate) fn usi(moves: &[PlayedMove]) -> String {
    moves.iter().map(|played| played.mv.to_string()).collect::<Vec<_>>().join(" ")
}

pub(crate) fn moves(game: &Game) -> String {
    usi(&game.moves)
}

pub(crate) fn end(game: &Game) -> (GameOutcome, Option<EndReason>) {
    (game.outcome, game.reason)
}

/// Whether a text is the expected one, in which two dots stand for any text.
pub(crate) fn fits(text: &str, expected: &str) -> bool {
    let parts: Vec<&str> = expected.split("..").collect();
    let [start, middle @ .., end] = &parts[..] else { return text == expected };
    text.starts_with(start) && text.ends_with(end) && middle.iter().all(|part| text.contains(part))
}
