//! A search by the clock mates in one, whatever else it could win.

use std::time::Duration;

use kiki_board::{Move, Position};
use kiki_eval::{Formula, Weights};
use kiki_search::{Action, ClockTimes, Limits, Options, RootScore, Searcher};
use kiki_tests::fixtures;
use kiki_tests::playout::{Dice, Manner, SPARSE, play};

/// Positions of random games in which the side to move can mate at once.
fn mates_in_one() -> Vec<String> {
    let mates = |position: &mut Position, mv: Move| {
        position.make(mv);
        let mated = position.is_checkmate();
        position.unmake();
        mated
    };
    let midgame = fixtures::midgame();
    let starts = midgame.iter().map(|row| row.sfen).chain(SPARSE);
    let mut found = Vec::new();
    for (seed, start) in starts.enumerate() {
        let mut dice = Dice::new(seed as u64, Manner::Any);
        let mut last = None;
        play(fixtures::position(start), 150, &mut dice, |position, _| {
            let moves = position.legal_moves();
            if moves.iter().any(|&mv| mates(position, mv)) {
                last = Some(position.to_sfen());
            }
        });
        found.extend(last);
    }
    found
}

#[test]
fn a_mate_in_one_is_given_by_the_clock() {
    let sfens = mates_in_one();
    assert!(sfens.len() >= 40, "{}", sfens.len());
    let clocks = Some(ClockTimes { byoyomi: Duration::from_millis(60), ..ClockTimes::default() });
    for threads in [1, 3] {
        let options = Options { threads, table_mebibytes: 8, ..Options::default() };
        let mut searcher = Searcher::<Formula>::new(Weights::default(), options).unwrap();
        for sfen in &sfens {
            let mut position = Position::from_sfen(sfen).unwrap();
            let limits = Limits { clocks, ..Limits::default() };
            let result = searcher.search(position.clone(), limits, &false.into()).result;
            let Action::Play(mv) = result.action else { panic!("{result:?} for {sfen}") };
            position.make(mv);
            assert!(position.is_checkmate(), "{mv} with {threads} threads for {sfen}: {result:?}");
            assert_eq!(result.score, RootScore::Mate(1), "{sfen}");
        }
    }
}
