//! Properties of the levels of strength, and forced mates that the search finds at the root.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use kiki_board::{Color, Move, Position};
use kiki_eval::{Formula, Weights};
use kiki_search::{
    Action, ClockTimes, FULL_SKILL, Limits, Options, Reporter, RootScore, Rules, SearchInfo, SearchResult, Searcher,
    Skill,
};
use kiki_tests::fixtures::{self, Mate};
use kiki_tests::parallel;

/// From this level on every avoidable mate in one is avoided.
const MIDDLE: u32 = 8;

fn search(searcher: &mut Searcher<Formula>, position: Position, limits: Limits) -> SearchResult {
    searcher.search(position, limits, &false.into()).result
}

fn searcher(threads: usize) -> Searcher<Formula> {
    Searcher::new(Weights::default(), Options { threads, table_mebibytes: 1, ..Options::default() }).unwrap()
}

fn limits(level: u32, seed: u64) -> Limits {
    // A limit far above every level's: without one the search would be an analysis.
    Limits { nodes: Some(1_000_000), skill: Skill::new(level, seed), ..Limits::default() }
}

fn played(searcher: &mut Searcher<Formula>, position: &Position, limits: Limits) -> Option<Move> {
    match search(searcher, position.clone(), limits).action {
        Action::Play(mv) => Some(mv),
        Action::Resign | Action::DeclareWin => None,
    }
}

fn mates_in_one() -> Vec<Mate> {
    let rows: Vec<_> = fixtures::mates().into_iter().filter(|row| row.length == Some(1)).collect();
    assert!(rows.len() >= 10, "{}", rows.len());
    rows
}

/// Searches a mate in one, which must be found.
fn check_mate(searcher: &mut Searcher<Formula>, row: &Mate, limits: &Limits) {
    let result = search(searcher, fixtures::position(row.sfen), limits.clone());
    let Action::Play(mv) = result.action else { panic!("{result:?} for {}", row.sfen) };
    assert!(row.first_moves.split(' ').any(|text| text == mv.to_string()), "{limits:?}: {mv} in {}", row.sfen);
    assert_eq!(result.score, RootScore::Mate(1));
}

#[test]
fn a_mate_in_one_is_given_at_every_level() {
    parallel::for_each(&mates_in_one(), |row| {
        let mut searcher = searcher(1);
        for (level, seed) in (0..FULL_SKILL).flat_map(|level| (1..4).map(move |seed| (level, seed))) {
            check_mate(&mut searcher, row, &limits(level, seed));
        }
    });
}

#[test]
fn a_mate_in_one_is_given_by_the_clock() {
    let clocks = Some(ClockTimes { byoyomi: Duration::from_millis(60), ..ClockTimes::default() });
    for threads in [1, 3] {
        let mut searcher = searcher(threads);
        for row in mates_in_one() {
            check_mate(&mut searcher, &row, &Limits { clocks, ..Limits::default() });
        }
    }
}

/// Whether a move lets the other side mate at once.
fn allows_mate(position: &Position, mv: Move) -> bool {
    let mut after = position.clone();
    after.make(mv);
    after.mate_in_one().is_some()
}

/// Positions with a mate in one threatened, and a move that avoids it.
fn threats() -> Vec<Position> {
    let turned = |sfen: &str| {
        let other = if sfen.contains(" b ") { sfen.replace(" b ", " w ") } else { sfen.replace(" w ", " b ") };
        Position::from_sfen(&other).ok()
    };
    let can_be_avoided = |position: &Position| {
        let moves = position.legal_moves();
        (1..moves.len()).contains(&moves.iter().filter(|&&mv| !allows_mate(position, mv)).count())
    };
    let positions: Vec<_> = mates_in_one().iter().filter_map(|row| turned(row.sfen)).filter(can_be_avoided).collect();
    assert!(positions.len() >= 5, "{}", positions.len());
    positions
}

#[test]
fn a_mate_in_one_that_can_be_avoided_is_from_the_middle_level_on() {
    for position in threats() {
        for level in [MIDDLE, 11, 15, FULL_SKILL - 1] {
            let mut searcher = searcher(1);
            for seed in 1..4 {
                let mv = played(&mut searcher, &position, limits(level, seed));
                assert!(!mv.is_some_and(|mv| allows_mate(&position, mv)), "{level}: {}", position.to_sfen());
            }
        }
    }
}

#[test]
fn every_level_takes_what_hangs() {
    let position = fixtures::position("4k4/9/9/4r4/4P4/9/9/9/4K4 b - 1");
    let mut searcher = searcher(1);
    for (level, seed) in (0..FULL_SKILL).flat_map(|level| (0..40).map(move |seed| (level, seed))) {
        let mv = played(&mut searcher, &position, limits(level, seed)).unwrap();
        assert_eq!(mv.to_string(), "5e5d", "level {level}, seed {seed}");
    }
}

#[test]
fn an_answer_depends_on_level_and_seed_and_on_nothing_else() {
    let position =
        Position::from_sfen("lr5nl/3g1kg2/2n1ppsp1/p1pps1p1p/1p5P1/P1PPSPP1P/1PS1P1N2/2GK1G3/LN5RL b Bb 61").unwrap();
    let mut searchers = [searcher(1), searcher(3)];
    let mut answers = BTreeSet::new();
    for (level, seed) in [(0, 1), (0, 2), (0, 3), (5, 1), (5, 2), (9, 1), (12, 1), (16, 1)] {
        let answer = |searcher: &mut Searcher<Formula>| {
            let result = search(searcher, position.clone(), limits(level, seed));
            (format!("{:?}", result.action), result.score, result.depth, result.nodes)
        };
        let [one, many] = &mut searchers;
        let alone = answer(one);
        // Another search in between uses all threads, the table and the histories.
        search(one, position.clone(), Limits { nodes: Some(20_000), ..Limits::default() });
        search(many, position.clone(), Limits { nodes: Some(20_000), ..Limits::default() });
        assert_eq!(answer(one), alone, "level {level}");
        assert_eq!(answer(many), alone, "level {level}");
        assert!(alone.3 <= Skill::new(level, seed).unwrap().nodes(), "level {level}: {alone:?}");
        answers.insert(alone.0);
    }
    assert!(answers.len() > 2, "{answers:?}");
}

#[test]
fn an_infinite_search_has_the_full_strength() {
    let position = Position::startpos();
    let depth = Limits { depth: Some(7), ..Limits::default() };
    let facts = |result: SearchResult| (result.depth, result.nodes, result.action, result.score);
    let whole = facts(search(&mut searcher(1), position.clone(), depth.clone()));
    let mut searcher = searcher(1);
    let level = search(&mut searcher, position.clone(), Limits { skill: Skill::new(0, 1), ..depth.clone() });
    assert!((whole.0, level.depth) == (7, 1));
    // The errors of a level teach a search at full strength nothing.
    assert_eq!(facts(search(&mut searcher, position.clone(), depth)), whole);
    let (sender, result) = mpsc::channel();
    searcher.go(position, Limits { skill: Skill::new(0, 1), ..Limits::default() }, Arc::new(Deep(sender)));
    result.recv().unwrap();
    searcher.stop();
    searcher.wait();
}

/// Signals when an iteration beyond the reach of level 0 is reported.
struct Deep(mpsc::Sender<()>);

impl Reporter for Deep {
    fn info(&self, info: &SearchInfo) {
        if info.depth >= 7 {
            let _ = self.0.send(());
        }
    }
    fn note(&self, _: &str) {}
    fn finished(&self, _: &SearchResult) {}
}

/// The half points of level `black` against level `white` from an opening. A game unfinished after
/// 240 plies is drawn.
fn game(opening: &str, black: u32, white: u32, seed: u64) -> u32 {
    let mut searcher = searcher(1);
    let mut position = fixtures::position(opening);
    for _ in 0..240 {
        let black_to_move = position.side_to_move() == Color::Black;
        let level = if black_to_move { black } else { white };
        let Some(mv) = played(&mut searcher, &position, limits(level, seed)) else {
            return if black_to_move { 0 } else { 2 };
        };
        position.make(mv);
    }
    1
}

/// Four levels are some 450 Elo: the weaker side gets two and a half of six games once in hundreds
/// of matches. The seeds are fixed, so only a change of the search or of a level changes the
/// result.
#[test]
fn a_level_beats_one_four_below() {
    let opening = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let matches: Vec<(u32, u64)> =
        [0, 4, 8].into_iter().flat_map(|level| (0..3).map(move |seed| (level, seed))).collect();
    let points = Mutex::new([0; 3]);
    parallel::for_each(&matches, |&(level, seed)| {
        let won = game(opening, level + 4, level, 2 * seed) + 2 - game(opening, level, level + 4, 2 * seed + 1);
        points.lock().unwrap()[level as usize / 4] += won;
    });
    // Out of twelve half points.
    let points = points.into_inner().unwrap();
    assert!(points.iter().all(|&points| points >= 8), "{points:?}");
}

/// Enough although the solver runs only after each iteration and the last iterations are long.
const NODES: u64 = 600_000;

fn look(sfen: &str, nodes: u64, rules: Rules) -> SearchResult {
    let options = Options { threads: 1, table_mebibytes: 16, rules, ..Options::default() };
    let mut searcher = Searcher::<Formula>::new(Weights::default(), options).unwrap();
    search(&mut searcher, fixtures::position(sfen), Limits { nodes: Some(nodes), ..Limits::default() })
}

/// Whether a new search after the move finds its opponent mated.
fn is_proved_again(sfen: &str, mv: Move) -> bool {
    let mut position = fixtures::position(sfen);
    position.make(mv);
    matches!(look(&position.to_sfen(), 4 * NODES, Rules::default()).score, RootScore::Mate(..0))
}

#[test]
fn long_mates_of_the_table_are_found_and_are_mates() {
    let rows: Vec<_> =
        fixtures::mates().into_iter().filter(|row| (9..=13).contains(&row.length.unwrap_or(0))).collect();
    assert!(rows.len() >= 14, "{}", rows.len());
    parallel::for_each(&rows, |row| {
        let result = look(row.sfen, NODES, Rules::default());
        let (RootScore::Mate(1..), Action::Play(mv)) = (result.score, result.action) else {
            panic!("{result:?} for {}", row.sfen)
        };
        let mates_by_checks = row.first_moves.contains(&mv.to_string());
        assert!(mates_by_checks || is_proved_again(row.sfen, mv), "{mv} for {}", row.sfen);
        assert!(result.nodes <= NODES);
    });
}

#[test]
fn a_mate_beyond_the_end_of_the_game_does_not_count() {
    let sfen = "l1s1R4/1kg6/1pp1+B1+Npp/p6g1/4+B1p2/2P6/PP3PPPP/2S1K1S2/2R2G1NL b GS2N2L5P 101";
    let rules = |max_moves| Rules { max_moves, ..Rules::default() };
    let last = Position::from_sfen(sfen).unwrap().ply() + 9 - 1;
    assert_eq!(look(sfen, 600_000, rules(last)).score, RootScore::Mate(9));
    assert!(matches!(look(sfen, 50_000, rules(last - 2)).score, RootScore::Centipawns(_)));
}

#[test]
fn an_answer_that_allows_a_mate_by_a_sacrifice_is_not_played() {
    // After 6a7b Black mates in five plies, beginning with a rook that a gold can take.
    let sfen = "l2gkg2+R/2S3s2/p2+Pppnp1/1p6p/b2n1b3/2Pg2P2/PP2PP2P/1Sp2KS2/LN4GNL w R3Pl 84";
    let result = look(sfen, 200_000, Rules::default());
    let Action::Play(mv) = result.action else { panic!("{result:?}") };
    assert_ne!(mv.to_string(), "6a7b");
}
