//! Forced mates at the root, found by the search itself.

use kiki_bench::search;
use kiki_board::{Move, Position};
use kiki_eval::{Formula, Weights};
use kiki_search::{Action, Limits, Options, RootScore, Rules, SearchResult, Searcher};
use kiki_tests::{fixtures, parallel};

/// The solver is asked after each iteration only, and the last ones are long.
const NODES: u64 = 600_000;

fn look(sfen: &str, nodes: u64, rules: Rules) -> SearchResult {
    let options = Options { threads: 1, table_mebibytes: 16, rules, ..Options::default() };
    let mut searcher = Searcher::<Formula>::new(Weights::default(), options).unwrap();
    search(&mut searcher, fixtures::position(sfen), Limits { nodes: Some(nodes), ..Limits::default() })
}

/// Whether a new search, begun after the move, finds its opponent mated.
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
fn a_mate_beyond_the_end_of_the_game_is_none() {
    let sfen = "l1s1R4/1kg6/1pp1+B1+Npp/p6g1/4+B1p2/2P6/PP3PPPP/2S1K1S2/2R2G1NL b GS2N2L5P 101";
    let rules = |max_moves| Rules { max_moves, ..Rules::default() };
    let last = Position::from_sfen(sfen).unwrap().ply() + 9 - 1;
    assert_eq!(look(sfen, 200_000, rules(last)).score, RootScore::Mate(9));
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
