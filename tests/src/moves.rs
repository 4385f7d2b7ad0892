//! Sets of moves, for comparisons.

use std::collections::BTreeSet;

use kiki_board::{HAND_KINDS, Move, MoveList, Position, PromotionChoice, Sq};

/// Moves as a set, by their bits.
pub type MoveSet = BTreeSet<u16>;

/// The moves that a generator lists. Panics at a repeated one.
pub fn set_of(generate: impl FnOnce(&mut MoveList)) -> MoveSet {
    let mut list = MoveList::new();
    generate(&mut list);
    let set: MoveSet = list.iter().map(|mv| mv.bits()).collect();
    assert_eq!(set.len(), list.len(), "a move is listed twice: {}", texts(&set));
    set
}

#[must_use]
pub fn legal_set(position: &Position, choice: PromotionChoice) -> MoveSet {
    set_of(|list| position.all_moves(list, choice))
}

/// The moves of a set as USI, sorted by text.
#[must_use]
pub fn texts(set: &MoveSet) -> String {
    let mut texts: Vec<String> = set.iter().map(|&bits| Move::from_bits(bits).to_string()).collect();
    texts.sort();
    texts.join(" ")
}

/// Every move that can be encoded, legal or not: each square to each square with and without
/// promotion, and each kind dropped on each square.
pub fn all_conceivable() -> impl Iterator<Item = Move> {
    let board = Sq::all()
        .flat_map(|from| Sq::all().flat_map(move |to| [false, true].map(|promote| Move::board(from, to, promote))));
    let drops = HAND_KINDS.into_iter().flat_map(|kind| Sq::all().map(move |to| Move::drop(kind, to)));
    board.chain(drops)
}
