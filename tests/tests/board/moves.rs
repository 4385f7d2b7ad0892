//! Legal moves: the generators list exactly them, and every way to find and make moves counts the
//! same trees as other programs.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use kiki_board::{
    CheckInfo, Color, Move, MoveList, PieceKind, Position, PromotionChoice, Sq, divide, perft, perft_by_making,
    perft_until,
};
use kiki_tests::fixtures::PerftRow;
use kiki_tests::moves::{MoveSet, all_conceivable, legal_set, set_of, texts};
use kiki_tests::playout::{Dice, HANDICAPS, KINGLESS, Manner, SPARSE, play};
use kiki_tests::{fixtures, parallel};

/// Checks everything that must hold between the generators, the legality predicate and the board,
/// in any position.
fn check_generators(position: &mut Position) {
    let all = legal_set(position, PromotionChoice::All);
    let sensible = legal_set(position, PromotionChoice::Sensible);
    let sfen = position.to_sfen();

    assert_eq!(position.count_legal_moves(), all.len() as u64, "the count in {sfen}");
    let predicate: MoveSet = all_conceivable().filter(|&mv| position.is_legal(mv)).map(Move::bits).collect();
    assert_same(&predicate, &all, "the predicate", &sfen);

    let left_out: MoveSet = all.difference(&sensible).copied().collect();
    let pointless: MoveSet = all.iter().copied().filter(|&bits| gives_up_a_promotion(position, &all, bits)).collect();
    assert!(sensible.is_subset(&all), "a sensible move is illegal in {sfen}");
    assert_same(&left_out, &pointless, "what a sensible choice leaves out", &sfen);
    assert_same(&set_of(|list| position.left_out_moves(list)), &left_out, "the moves left out", &sfen);

    for choice in [PromotionChoice::All, PromotionChoice::Sensible] {
        check_stages(position, choice, &sfen);
    }
    check_checks(position, [&all, &sensible], &sfen);
}

fn assert_same(found: &MoveSet, expected: &MoveSet, what: &str, sfen: &str) {
    assert!(
        found == expected,
        "{what}: missing [{}], wrong [{}] in {sfen}",
        texts(&expected.difference(found).copied().collect()),
        texts(&found.difference(expected).copied().collect())
    );
}

/// Whether a move could also promote, with a piece that never has a reason not to: pawns, bishops,
/// rooks, and lances that reach the last rank but one.
fn gives_up_a_promotion(position: &Position, all: &MoveSet, bits: u16) -> bool {
    let mv = Move::from_bits(bits);
    if mv.is_drop() || mv.is_promotion() {
        return false;
    }
    let twin = Move::board(mv.from(), mv.to(), true);
    let cell = position.cell(mv.from());
    let letter = b".PLNSGBRK"[cell.kind_index().min(8)];
    let last_but_one = if position.side_to_move() == Color::Black { 1 } else { 7 };
    all.contains(&twin.bits()) && (b"PBR".contains(&letter) || letter == b'L' && mv.to().rank() == last_but_one)
}

/// The stages have no move in common, and together have all.
fn check_stages(position: &Position, choice: PromotionChoice, sfen: &str) {
    let all = legal_set(position, choice);
    if position.in_check() {
        let evasions = set_of(|list| position.evasions(list, choice));
        return assert_same(&evasions, &all, "evasions", sfen);
    }
    let stage = |keep: &dyn Fn(Move) -> bool| -> MoveSet {
        all.iter().copied().filter(|&bits| keep(Move::from_bits(bits))).collect()
    };
    let captures = set_of(|list| position.captures(list, choice));
    let quiets = set_of(|list| position.quiets(list, choice));
    let drops = set_of(|list| position.drops(list));
    assert_same(&captures, &stage(&|mv| position.is_capture(mv)), "captures", sfen);
    assert_same(&quiets, &stage(&|mv| !mv.is_drop() && !position.is_capture(mv)), "quiets", sfen);
    assert_same(&drops, &stage(&Move::is_drop), "drops", sfen);
    assert_eq!(captures.len() + quiets.len() + drops.len(), all.len(), "the stages of {sfen}");
}

/// Captures and checks are predicted exactly, and checks generated exactly.
fn check_checks(position: &mut Position, [all, sensible]: [&MoveSet; 2], sfen: &str) {
    let info = CheckInfo::new(position);
    let mut checks = MoveSet::new();
    for &bits in all {
        let mv = Move::from_bits(bits);
        let foreseen = info.gives_check(mv, position.arriving(mv));
        assert_eq!(foreseen, position.gives_check(mv), "{mv} in {sfen}");
        let (arriving, is_capture) = (position.arriving(mv), position.is_capture(mv));
        let delta = position.make(mv);
        assert_eq!(delta.arrived.cell, arriving, "{mv} in {sfen}");
        assert_eq!(is_capture, !delta.captured.cell.is_empty(), "whether {mv} captures in {sfen}");
        assert_eq!(foreseen, position.in_check(), "whether {mv} gives check in {sfen}");
        let is_direct = position.checkers().contains(mv.to());
        assert_eq!(info.is_direct(mv, arriving), is_direct, "whether {mv} itself gives check in {sfen}");
        position.unmake();
        if foreseen {
            checks.insert(bits);
        }
    }
    let found = |choice| set_of(|list| position.all_checks(list, &info, choice));
    assert_same(&found(PromotionChoice::All), &checks, "checks", sfen);
    checks.retain(|bits| sensible.contains(bits));
    assert_same(&found(PromotionChoice::Sensible), &checks, "sensible checks", sfen);
}

#[test]
fn the_table_of_legal_moves_is_reproduced() {
    let rows = fixtures::legal_moves();
    assert_eq!(rows.len(), 186);
    for row in rows {
        let mut position = fixtures::position(row.sfen);
        let all = legal_set(&position, PromotionChoice::All);
        assert_eq!(texts(&all), row.moves, "{}", row.sfen);
        assert_eq!(all.len(), row.count, "{}", row.sfen);
        assert_eq!(position.in_check(), row.in_check, "{}", row.sfen);
        check_generators(&mut position);
    }
}

/// Random games reach what real ones avoid: exposed kings, many pieces in hand, pins on all sides,
/// a missing king.
#[test]
fn the_generators_agree_in_every_position_of_the_fixtures_and_along_random_games() {
    let mut sfens: Vec<&str> = fixtures::midgame().iter().map(|row| row.sfen).collect();
    sfens.extend(fixtures::perft().iter().filter(|row| row.depth == 1).map(|row| row.sfen));
    sfens.extend(fixtures::mates().iter().map(|row| row.sfen));
    sfens.extend(fixtures::rules().iter().map(|row| row.sfen));
    assert_eq!(sfens.len(), 1260 + 124 + 104 + 155);
    let mut games: Vec<(&str, u64, usize)> = Vec::new();
    for start in HANDICAPS.into_iter().chain(SPARSE).chain(KINGLESS) {
        games.extend((0..20).map(|seed| (start, seed, 60)));
    }
    games.extend(sfens.into_iter().map(|sfen| (sfen, 0, 0)));
    parallel::for_each(&games, |&(start, seed, plies)| {
        let mut dice = Dice::new(seed, Manner::Any);
        play(fixtures::position(start), plies, &mut dice, |position, _| check_generators(position));
    });
}

#[test]
fn any_sixteen_bits_are_legal_only_if_the_generator_lists_them() {
    let midgame = fixtures::midgame();
    let chosen = midgame.iter().step_by(40).map(|row| row.sfen).chain(KINGLESS);
    for sfen in chosen {
        let position = fixtures::position(sfen);
        let predicate: MoveSet = (0..=u16::MAX).filter(|&bits| position.is_legal(Move::from_bits(bits))).collect();
        assert_same(&predicate, &legal_set(&position, PromotionChoice::All), "all bits", sfen);
    }
}

#[test]
fn a_new_list_has_room_for_the_most_moves_that_a_position_can_have() {
    let row = fixtures::perft().into_iter().find(|row| row.tag == "hand:max-legal-593");
    let position = fixtures::position(row.expect("the position of 593 moves").sfen);
    let mut list = MoveList::new();
    let memory = list.as_ptr();
    position.all_moves(&mut list, PromotionChoice::All);
    assert_eq!(list.len(), 593);
    assert_eq!(list.as_ptr(), memory, "it had to grow");
}

/// The pawn would mate only because the interposing bishop is pinned. Found on a square that is no
/// first candidate, in check.
#[test]
fn a_pawn_that_interposes_and_mates_is_illegal() {
    let position = fixtures::position("3lkb2R/9/4G4/9/9/K8/9/9/9 b 2GSNP 1");
    let pawn = Move::drop(PieceKind::Pawn, Sq::at(4, 1));
    assert!(!position.is_legal(pawn));
    assert!(!position.legal_moves().contains(&pawn));
    assert_eq!(position.legal_moves().len(), 22);
}

/// Trees up to this size are also counted leaf by leaf. With debug assertions every move validates
/// the whole position, which takes most of the test's time. The larger trees have the same
/// positions a ply earlier.
const MAKING_LIMIT: u64 = 300_000;
const ROWS: usize = 427;
const POSITIONS: usize = 124;

/// Counts every row of at most `limit` nodes, largest first. Returns how many rows and positions
/// there were.
fn count_rows(limit: u64, count: impl Fn(&mut Position, u32) -> u64 + Sync) -> (usize, usize) {
    let mut rows: Vec<PerftRow> = fixtures::perft();
    assert_eq!(rows.len(), ROWS);
    rows.retain(|row| row.nodes <= limit);
    rows.sort_by_key(|row| std::cmp::Reverse(row.nodes));
    let checked = AtomicUsize::new(0);
    parallel::for_each(&rows, |row| {
        let mut position = fixtures::position(row.sfen);
        assert_eq!(count(&mut position, row.depth), row.nodes, "{} at depth {}: {}", row.tag, row.depth, row.sfen);
        checked.fetch_add(1, Ordering::Relaxed);
    });
    let positions: BTreeSet<&str> = rows.iter().map(|row| row.sfen).collect();
    (checked.into_inner(), positions.len())
}

#[test]
fn every_row_by_counting_the_last_ply() {
    assert_eq!(count_rows(u64::MAX, perft), (ROWS, POSITIONS));
}

#[test]
fn every_position_by_making_every_move() {
    assert_eq!(count_rows(MAKING_LIMIT, perft_by_making), (362, POSITIONS));
}

#[test]
fn an_interrupted_count_tells_what_it_has_and_leaves_the_position_as_it_was() {
    let mut position = Position::startpos();
    let before = position.to_sfen();
    let mut last = 0;
    // Each of the 900 positions after two plies calls `stop` once.
    for most in [0, 1, 29, 30, 899] {
        let mut questions = 0;
        let count = perft_until(&mut position, 4, || {
            questions += 1;
            questions > most
        });
        assert!(!count.complete && count.nodes < 719_731 && (count.nodes > last || most == 0), "{most}: {count:?}");
        assert_eq!((position.to_sfen(), position.moves_made()), (before.clone(), 0));
        last = count.nodes;
    }
    let whole = perft_until(&mut position, 4, || false);
    assert_eq!((whole.nodes, whole.complete), (719_731, true));
}

#[test]
fn a_divided_count_is_told_move_by_move_until_it_is_interrupted() {
    let mut position = Position::startpos();
    let mut parts: Vec<(Move, u64)> = Vec::new();
    let whole = divide(&mut position, 3, || false, |mv, below| parts.push((mv, below)));
    assert_eq!((whole.nodes, whole.complete, parts.len()), (25_470, true, 30));
    assert_eq!(parts.iter().map(|&(_, below)| below).sum::<u64>(), 25_470);
    // One call for each first move: the third is not counted.
    let (mut questions, mut heard) = (0, Vec::new());
    let part = divide(
        &mut position,
        3,
        || {
            questions += 1;
            questions > 2
        },
        |mv, below| heard.push((mv, below)),
    );
    assert!(!part.complete);
    assert_eq!(heard, parts[..2]);
    assert_eq!(part.nodes, heard.iter().map(|&(_, below)| below).sum::<u64>());
    assert_eq!(position.moves_made(), 0);
}
