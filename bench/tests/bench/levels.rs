//! What levels of strength promise.

use kiki_bench::search;
use kiki_board::{Color, Move, Position};
use kiki_eval::{Formula, Weights};
use kiki_search::{Action, FULL_SKILL, Limits, Options, RootScore, Searcher, Skill};
use kiki_tests::{fixtures, parallel};

/// From here on no mate in one is allowed that could be avoided.
const MIDDLE: u32 = 8;

fn searcher(threads: usize) -> Searcher<Formula> {
    Searcher::new(Weights::default(), Options { threads, table_mebibytes: 1, ..Options::default() }).unwrap()
}

fn limits(level: u32, seed: u64) -> Limits {
    // A limit far beyond that of any level: without one the search would be an analysis.
    Limits { nodes: Some(1_000_000), skill: Skill::new(level, seed), ..Limits::default() }
}

fn played(searcher: &mut Searcher<Formula>, position: &Position, limits: Limits) -> Option<Move> {
    match search(searcher, position.clone(), limits).action {
        Action::Play(mv) => Some(mv),
        Action::Resign | Action::DeclareWin => None,
    }
}

#[test]
fn a_mate_in_one_is_given_at_every_level() {
    let rows: Vec<_> = fixtures::mates().into_iter().filter(|row| row.length == Some(1)).collect();
    assert!(rows.len() >= 10, "{}", rows.len());
    parallel::for_each(&rows, |row| {
        let mut searcher = searcher(1);
        for (level, seed) in (0..FULL_SKILL).flat_map(|level| (1..4).map(move |seed| (level, seed))) {
            let result = search(&mut searcher, fixtures::position(row.sfen), limits(level, seed));
            let Action::Play(mv) = result.action else { panic!("{result:?} for {}", row.sfen) };
            assert!(
                row.first_moves.split(' ').any(|text| text == mv.to_string()),
                "level {level}: {mv} in {}",
                row.sfen
            );
            assert_eq!(result.score, RootScore::Mate(1));
        }
    });
}

/// The positions of mates in one, with the defender to move: where it can do so legally and avoid the mate, and where nothing helps.
fn threats() -> (Vec<Position>, usize) {
    let mut hopeless = 0;
    let mut avoidable = Vec::new();
    for row in fixtures::mates().into_iter().filter(|row| row.length == Some(1)) {
        let other =
            if row.sfen.contains(" b ") { row.sfen.replace(" b ", " w ") } else { row.sfen.replace(" w ", " b ") };
        let Ok(mut position) = Position::from_sfen(&other) else { continue };
        let is_safe = |position: &mut Position, mv: Move| {
            position.make(mv);
            let mate = position.mate_in_one();
            position.unmake();
            mate.is_none()
        };
        let moves = position.legal_moves();
        let safe = moves.iter().filter(|&&mv| is_safe(&mut position, mv)).count();
        if safe == 0 {
            hopeless += 1;
        } else if safe < moves.len() {
            avoidable.push(position);
        }
    }
    (avoidable, hopeless)
}

#[test]
fn a_mate_in_one_that_can_be_avoided_is_from_the_middle_level_on() {
    let (positions, hopeless) = threats();
    assert!(positions.len() >= 5, "{} and {hopeless}", positions.len());
    let allowed = |level: u32, position: &Position| {
        let mut searcher = searcher(1);
        let mut allows = |seed| {
            let mut after = position.clone();
            played(&mut searcher, position, limits(level, seed)).is_some_and(|mv| {
                after.make(mv);
                after.mate_in_one().is_some()
            })
        };
        (1..4).filter(|&seed| allows(seed)).count()
    };
    for level in [MIDDLE, 11, 15, FULL_SKILL - 1] {
        positions
            .iter()
            .for_each(|position| assert_eq!(allowed(level, position), 0, "{level}: {}", position.to_sfen()));
    }
}

#[test]
fn an_answer_depends_on_level_and_seed_and_on_nothing_else() {
    let position =
        Position::from_sfen("lr5nl/3g1kg2/2n1ppsp1/p1pps1p1p/1p5P1/P1PPSPP1P/1PS1P1N2/2GK1G3/LN5RL b Bb 61").unwrap();
    let mut searchers = [searcher(1), searcher(3)];
    let mut answers = std::collections::BTreeSet::new();
    for (level, seed) in [(0, 1), (0, 2), (0, 3), (5, 1), (5, 2), (9, 1), (12, 1), (16, 1)] {
        let answer = |searcher: &mut Searcher<Formula>| {
            let result = search(searcher, position.clone(), limits(level, seed));
            (format!("{:?}", result.action), result.score, result.depth, result.nodes)
        };
        let [one, many] = &mut searchers;
        let alone = answer(one);
        // Something else is searched in between, with all threads, a table and histories.
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
fn an_infinite_search_is_as_strong_as_ever() {
    let position = Position::startpos();
    let depth = Limits { depth: Some(7), ..Limits::default() };
    let facts = |result: kiki_search::SearchResult| (result.depth, result.nodes, result.action, result.score);
    let whole = facts(search(&mut searcher(1), position.clone(), depth.clone()));
    let mut searcher = searcher(1);
    let level = search(&mut searcher, position.clone(), Limits { skill: Skill::new(0, 1), ..depth.clone() });
    assert!((whole.0, level.depth) == (7, 1));
    // What a level's errors have taught is not left to a search at full strength.
    assert_eq!(facts(search(&mut searcher, position.clone(), depth)), whole);
    let (sender, result) = std::sync::mpsc::channel();
    searcher.go(position, Limits { skill: Skill::new(0, 1), ..Limits::default() }, std::sync::Arc::new(Deep(sender)));
    result.recv().unwrap();
    searcher.stop();
    searcher.wait();
}

/// Tells when an iteration is reported that no level 0 reaches.
struct Deep(std::sync::mpsc::Sender<()>);

impl kiki_search::Reporter for Deep {
    fn info(&self, info: &kiki_search::SearchInfo) {
        if info.depth >= 7 {
            let _ = self.0.send(());
        }
    }
    fn note(&self, _: &str) {}
    fn finished(&self, _: &kiki_search::SearchResult) {}
}

/// The points of `black` in halves against `white`, each a level, from an opening; a game that is not over after 240 plies is level.
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

/// Four levels apart are some 450 Elo: of six games the weaker side takes two and a half once in hundreds of times. The seeds are fixed, so
/// that only a change of the search or of a level changes the result.
#[test]
fn a_level_beats_one_four_below() {
    let opening = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let matches: Vec<(u32, u64)> =
        [0, 4, 8].into_iter().flat_map(|level| (0..3).map(move |seed| (level, seed))).collect();
    let points = std::sync::Mutex::new([0; 3]);
    parallel::for_each(&matches, |&(level, seed)| {
        let won = game(opening, level + 4, level, 2 * seed) + 2 - game(opening, level, level + 4, 2 * seed + 1);
        points.lock().unwrap()[level as usize / 4] += won;
    });
    // Of twelve half points.
    let points = points.into_inner().unwrap();
    assert!(points.iter().all(|&points| points >= 8), "{points:?}");
}
