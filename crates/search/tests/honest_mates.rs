//! Nobody is told to be mated whom a move that the search leaves out would save: a bishop, rook, lance or pawn that does not promote.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use kiki_board::{MoveList, Position, PromotionChoice};
use kiki_eval::{Formula, Weights};
use kiki_search::{Limits, Options, Reporter, RootScore, SearchInfo, SearchResult, Searcher};

struct Listener(mpsc::Sender<RootScore>);

impl Reporter for Listener {
    fn info(&self, info: &SearchInfo) {
        if info.multipv == 1 {
            let _ = self.0.send(info.score);
        }
    }

    fn note(&self, text: &str) {
        panic!("{text}");
    }

    fn finished(&self, _: &SearchResult) {}
}

/// The scores of the best line that a search tells, in order.
fn scores(sfen: &str, limits: Limits, multipv: usize) -> Vec<RootScore> {
    let options =
        Options { threads: 1, table_mebibytes: 16, multipv, pv_interval: Duration::ZERO, ..Options::default() };
    let mut searcher = Searcher::<Formula>::new(Weights::default(), options).expect("threads");
    let (sender, said) = mpsc::channel();
    searcher.go(Position::from_sfen(sfen).expect("an SFEN"), limits, Arc::new(Listener(sender)));
    searcher.wait();
    drop(searcher);
    said.iter().collect()
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// A mate in 5 with a bishop that does not promote, so that the pawn may be dropped. With all other moves Black is mated.
const BLACK_MATES: &str = "5B1n1/8k/6Rpp/9/9/9/1+p7/9/K8 b rb4g4s3n4l15p 1";
/// The same for White.
const WHITE_MATES: &str = "k8/9/1+P7/9/9/9/6rPP/8K/5b1N1 w RB4G4S3N4L15P 1";

#[test]
fn who_mates_by_not_promoting_is_not_told_to_be_mated() {
    for sfen in [BLACK_MATES, WHITE_MATES] {
        for multipv in [1, 3] {
            let told = scores(sfen, nodes(300_000), multipv);
            assert!(!told.iter().any(|score| matches!(score, RootScore::Mate(..0))), "{sfen}: {told:?}");
            // With other lines beside it takes longer to find.
            assert!(multipv > 1 || told.contains(&RootScore::Mate(5)), "{sfen}: {told:?}");
        }
    }
}

#[test]
fn nobody_is_told_to_mate_where_the_other_side_does_so_by_not_promoting() {
    // White's only move allowed leads to the position above.
    let position = Position::from_sfen("5B1n1/8k/6Rpp/9/9/1+p7/9/9/K8 w rb4g4s3n4l15p 1").expect("an SFEN");
    let limits = Limits { search_moves: vec![position.parse_move("8f8g").expect("a move")], ..nodes(300_000) };
    let told = scores(&position.to_sfen(), limits, 1);
    assert!(!told.iter().any(|score| matches!(score, RootScore::Mate(1..))), "{told:?}");
    assert!(told.contains(&RootScore::Mate(-6)), "{told:?}");
}

#[test]
fn the_moves_that_are_left_out_are_all_moves_but_the_sensible_ones() {
    for sfen in
        [BLACK_MATES, WHITE_MATES, "1l1R1b2k/LP5P1/2B1P4/9/9/9/9/9/4K4 b - 1", "4k4/9/9/9/9/3p5/p8/l2r5/4K3B w b 1"]
    {
        let position = Position::from_sfen(sfen).expect("an SFEN");
        let set = |fill: &dyn Fn(&mut MoveList)| {
            let mut list = MoveList::new();
            fill(&mut list);
            list.iter().map(ToString::to_string).collect::<std::collections::BTreeSet<_>>()
        };
        let all = set(&|list| position.all_moves(list, PromotionChoice::All));
        let sensible = set(&|list| position.all_moves(list, PromotionChoice::Sensible));
        let left_out = set(&|list| position.left_out_moves(list));
        assert!(!left_out.is_empty());
        assert_eq!(left_out, all.difference(&sensible).cloned().collect(), "{sfen}");
    }
}
