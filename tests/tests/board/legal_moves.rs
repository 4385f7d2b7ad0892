//! The generators list exactly the legal moves, in whichever way they are asked.

use kiki_board::{CheckInfo, Color, Move, MoveList, PieceKind, Position, PromotionChoice, Sq};
use kiki_tests::moves::{MoveSet, all_conceivable, legal_set, set_of, texts};
use kiki_tests::playout::{Dice, HANDICAPS, KINGLESS, Manner, SPARSE, play};
use kiki_tests::{fixtures, parallel};

/// All that must hold between the generators, the legality predicate and the board, in any position.
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

    for choice in [PromotionChoice::All, PromotionChoice::Sensible] {
        check_stages(position, choice, &sfen);
    }
    check_checks(position, &all, &sensible, &sfen);
}

fn assert_same(found: &MoveSet, expected: &MoveSet, what: &str, sfen: &str) {
    assert!(
        found == expected,
        "{what}: missing [{}], wrong [{}] in {sfen}",
        texts(&expected.difference(found).copied().collect()),
        texts(&found.difference(expected).copied().collect())
    );
}

/// Whether a move could as well promote, and its piece never has a reason not to: pawns, bishops, rooks, and lances that
/// would stand on the last rank but one.
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

/// The stages share no move and together have all.
fn check_stages(position: &Position, choice: PromotionChoice, sfen: &str) {
    let all = legal_set(position, choice);
    if position.in_check() {
        let evasions = set_of(|list| position.evasions(list, choice));
        return assert_same(&evasions, &all, "evasions", sfen);
    }
    let is_noisy = |mv: Move| {
        !position.cell(mv.to()).is_empty()
            || mv.is_promotion() && position.cell(mv.from()).kind() == Some(PieceKind::Pawn)
    };
    let stage = |keep: &dyn Fn(Move) -> bool| -> MoveSet {
        all.iter().copied().filter(|&bits| keep(Move::from_bits(bits))).collect()
    };
    let captures = set_of(|list| position.captures(list, choice));
    let quiets = set_of(|list| position.quiets(list, choice));
    let drops = set_of(|list| position.drops(list));
    assert_same(&captures, &stage(&|mv| !mv.is_drop() && is_noisy(mv)), "captures", sfen);
    assert_same(&quiets, &stage(&|mv| !mv.is_drop() && !is_noisy(mv)), "quiets", sfen);
    assert_same(&drops, &stage(&Move::is_drop), "drops", sfen);
    assert_eq!(captures.len() + quiets.len() + drops.len(), all.len(), "the stages of {sfen}");
}

/// Checks are foreseen exactly, and generated exactly.
fn check_checks(position: &mut Position, all: &MoveSet, sensible: &MoveSet, sfen: &str) {
    let info = CheckInfo::new(position);
    let mut checks = MoveSet::new();
    for &bits in all {
        let mv = Move::from_bits(bits);
        let foreseen = info.gives_check(mv, position.arriving(mv));
        assert_eq!(foreseen, position.gives_check(mv), "{mv} in {sfen}");
        let arriving = position.arriving(mv);
        let delta = position.make(mv);
        assert_eq!(delta.arrived.cell, arriving, "{mv} in {sfen}");
        assert_eq!(foreseen, position.in_check(), "whether {mv} gives check in {sfen}");
        position.unmake();
        if foreseen && sensible.contains(&bits) {
            checks.insert(bits);
        }
    }
    if position.in_check() {
        return;
    }
    let mut found = set_of(|list| position.quiet_checks(list, &info));
    for bits in set_of(|list| position.captures(list, PromotionChoice::Sensible)) {
        let mv = Move::from_bits(bits);
        if info.gives_check(mv, position.arriving(mv)) {
            assert!(found.insert(bits), "{mv} is a capture and a quiet check in {sfen}");
        }
    }
    assert_same(&found, &checks, "checks", sfen);
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

#[test]
fn the_generators_agree_in_every_position_of_the_fixtures() {
    let mut sfens: Vec<&str> = fixtures::midgame().iter().map(|row| row.sfen).collect();
    sfens.extend(fixtures::perft().iter().filter(|row| row.depth == 1).map(|row| row.sfen));
    sfens.extend(fixtures::mates().iter().map(|row| row.sfen));
    sfens.extend(fixtures::rules().iter().map(|row| row.sfen));
    assert_eq!(sfens.len(), 1260 + 124 + 104 + 155);
    parallel::for_each(&sfens, |sfen| check_generators(&mut fixtures::position(sfen)));
}

/// Random games reach what real ones avoid: kings in the open, many pieces in hand, pins on all sides, a missing king.
#[test]
fn the_generators_agree_along_random_games() {
    let mut games = Vec::new();
    for start in HANDICAPS.iter().chain(&SPARSE).chain(&KINGLESS) {
        games.extend((0..20).map(|seed| (start, seed)));
    }
    parallel::for_each(&games, |&(start, seed)| {
        let mut dice = Dice::new(seed, Manner::Any);
        play(fixtures::position(start), 60, &mut dice, |position, _| check_generators(position));
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

/// The pawn would mate only because the interposing bishop is pinned; found on a square that is no first candidate, in check.
#[test]
fn a_pawn_that_interposes_and_mates_is_illegal() {
    let position = fixtures::position("3lkb2R/9/4G4/9/9/K8/9/9/9 b 2GSNP 1");
    let pawn = Move::drop(PieceKind::Pawn, Sq::at(4, 1));
    assert!(!position.is_legal(pawn));
    assert!(!position.legal_moves().contains(&pawn));
    assert_eq!(position.legal_moves().len(), 22);
}
