//! Both colours are treated alike: a position and its 180-degree rotation with colours swapped give
//! the same answers.

use std::collections::BTreeMap;
use std::sync::Mutex;

use kiki_board::{
    Bitboard, COLORS, CheckInfo, Color, DeclarationRule, DeclarationVerdict, Move, Position, PromotionChoice, Sq,
    opponent,
};
use kiki_tests::diagram::Diagram;
use kiki_tests::moves::{legal_set, rotated, texts};
use kiki_tests::playout::{Dice, HANDICAPS, KINGLESS, Manner, SPARSE, play};
use kiki_tests::{fixtures, parallel};

/// A position and its rotation, moved together.
struct Pair {
    plain: Position,
    mirror: Position,
}

impl Pair {
    fn new(sfen: &str) -> Self {
        let mirror = Diagram::parse(sfen).rotated().to_sfen();
        Self { plain: fixtures::position(sfen), mirror: fixtures::position(&mirror) }
    }

    fn make(&mut self, mv: Move) {
        self.plain.make(mv);
        self.mirror.make(rotated(mv));
    }

    fn check_all(&mut self) {
        let sfen = self.plain.to_sfen();
        assert_eq!(Diagram::parse(&sfen).rotated().to_sfen(), self.mirror.to_sfen());
        self.check_effects(&sfen);
        self.check_moves(&sfen);
        self.check_declarations(&sfen);
        self.check_repetition();
        assert_eq!(self.plain.is_checkmate(), self.mirror.is_checkmate(), "{sfen}");
        let mates = [&mut self.plain, &mut self.mirror].map(|side| side.mate_in_one().is_some());
        assert_eq!(mates[0], mates[1], "mate in one in {sfen}");
    }

    fn check_effects(&self, sfen: &str) {
        let (plain, mirror) = (&self.plain, &self.mirror);
        for sq in Sq::all() {
            for color in COLORS {
                let counts = [plain.effects().count(color, sq), mirror.effects().count(opponent(color), sq.rotated())];
                assert_eq!(counts[0], counts[1], "effects on {sq:?} in {sfen}");
            }
        }
        assert_eq!(plain.checkers().rotated(), mirror.checkers(), "checkers in {sfen}");
        assert_eq!(plain.pinned().rotated(), mirror.pinned(), "pinned pieces in {sfen}");
        let turned: Bitboard = plain.occupied().into_iter().map(Sq::rotated).collect();
        assert_eq!(turned, mirror.occupied(), "{sfen}");
    }

    fn check_moves(&self, sfen: &str) {
        let (plain, mirror) = (&self.plain, &self.mirror);
        for choice in [PromotionChoice::All, PromotionChoice::Sensible] {
            let turned =
                legal_set(plain, choice).into_iter().map(|bits| rotated(Move::from_bits(bits)).bits()).collect();
            assert_eq!(texts(&turned), texts(&legal_set(mirror, choice)), "moves of {sfen}");
        }
        let infos = [plain, mirror].map(CheckInfo::new);
        for &mv in &plain.legal_moves() {
            let turned = rotated(mv);
            assert_eq!(plain.is_capture(mv), mirror.is_capture(turned), "{mv} in {sfen}");
            assert_eq!(
                infos[0].gives_check(mv, plain.arriving(mv)),
                infos[1].gives_check(turned, mirror.arriving(turned)),
                "whether {mv} gives check in {sfen}"
            );
            for threshold in [-900, -400, -90, 0, 1, 90, 300, 600, 1000] {
                assert_eq!(
                    plain.see_ge(mv, threshold),
                    mirror.see_ge(turned, threshold),
                    "whether {mv} gains {threshold} in {sfen}"
                );
            }
        }
    }

    /// The handicap rules are left out, because only White gives a handicap. By 27 points White
    /// needs one point less than Black.
    fn check_declarations(&self, sfen: &str) {
        use DeclarationVerdict::{No, Win, WinBy};
        for rule in [DeclarationRule::None, DeclarationRule::Points24, DeclarationRule::Try] {
            let turned = match self.plain.declaration(rule) {
                WinBy(mv) => WinBy(rotated(mv)),
                verdict => verdict,
            };
            assert_eq!(turned, self.mirror.declaration(rule), "{rule:?} in {sfen}");
        }
        let mut verdicts = [&self.plain, &self.mirror].map(|side| side.declaration(DeclarationRule::Points27));
        if self.plain.side_to_move() == Color::White {
            verdicts.reverse();
        }
        assert!(matches!(verdicts, [No, No | Win] | [Win, Win]), "{verdicts:?} in {sfen}");
    }

    fn check_repetition(&self) {
        let (plain, mirror) = (&self.plain, &self.mirror);
        assert_eq!(plain.game_repetition(), mirror.game_repetition());
        for ply in [0, 6, plain.moves_made()] {
            assert_eq!(plain.search_repetition(ply), mirror.search_repetition(ply));
        }
    }
}

/// Plays a random game on both boards and counts the repetition verdicts of the search.
fn check_game(sfen: &str, plies: usize, dice: &mut Dice, verdicts: &Mutex<BTreeMap<String, usize>>) {
    let mut pair = Pair::new(sfen);
    play(fixtures::position(sfen), plies, dice, |position, _| {
        if let Some(mv) = position.last_move() {
            pair.make(mv);
        }
        pair.check_all();
        let verdict = format!("{:?}", pair.plain.search_repetition(pair.plain.moves_made()));
        *verdicts.lock().expect("no check has failed").entry(verdict).or_default() += 1;
    });
}

#[test]
fn the_rotation_of_a_fixture_is_judged_alike() {
    let mut sfens: Vec<&str> = fixtures::midgame().iter().map(|row| row.sfen).collect();
    sfens.extend(fixtures::rules().iter().map(|row| row.sfen));
    sfens.extend(fixtures::mates().iter().map(|row| row.sfen));
    sfens.extend(fixtures::perft().iter().map(|row| row.sfen));
    sfens.extend(KINGLESS);
    parallel::for_each(&sfens, |sfen| Pair::new(sfen).check_all());
}

#[test]
fn the_rotation_of_a_random_game_is_judged_alike() {
    let midgame = fixtures::midgame();
    let starts: Vec<&str> =
        HANDICAPS.into_iter().chain(KINGLESS).chain(midgame.iter().step_by(10).map(|row| row.sfen)).collect();
    let verdicts = Mutex::default();
    parallel::for_each(&starts, |start| {
        check_game(start, 80, &mut Dice::new(start.len() as u64, Manner::Any), &verdicts);
    });
}

#[test]
fn the_rotation_of_a_repetition_is_judged_alike() {
    let games: Vec<(&str, u64)> = SPARSE.iter().flat_map(|&start| (0..10).map(move |seed| (start, seed))).collect();
    let verdicts = Mutex::default();
    parallel::for_each(&games, |&(start, seed)| {
        check_game(start, 100, &mut Dice::new(seed, Manner::Returning), &verdicts);
    });
    for row in fixtures::rules().iter().filter(|row| row.category == "repetition") {
        let mut pair = Pair::new(row.sfen);
        for mv in row.moves.split(' ') {
            let mv = pair.plain.parse_move(mv).expect("a legal move of the fixture");
            pair.make(mv);
            pair.check_repetition();
        }
    }
    let verdicts = verdicts.into_inner().expect("no check has failed");
    for verdict in ["Draw", "Loss", "Win"] {
        assert!(verdicts.contains_key(verdict), "no game came to a {verdict}: {verdicts:?}");
    }
}
