//! Longer problems out of problems, by small changes.

use kiki_board::{HAND_KINDS, PieceKind, Position};
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;
use shogi_core::{Color, PartialPosition, Piece, Square};

use super::problem::Judge;
use super::reduce::{Reduction, composed, distance, held};

/// Changes of one try, at most.
const MOST_CHANGES: usize = 2;
/// Squares from the king up to which pieces are put and moved.
const NEAR: u8 = 3;

/// Lengthens a problem by small random changes. A try changes one piece or two, and reduces the result.
/// The search goes on from it if its mate is longer and has no alternative. Returns the last one.
pub(super) fn varied(judge: &mut Judge, position: &Position, tries: usize) -> Option<Position> {
    judge.solver.clear();
    let mut core = composed(position);
    let mut start = Position::from_core(&core).ok()?;
    let nodes = judge.nodes;
    let mut length = judge.mate(&mut start, nodes)?.len();
    let mut spent = judge.solver.nodes();
    let mut random = Pcg64::seed_from_u64(position.key());
    let mut found = None;
    for _ in 0..tries {
        if judge.is_stopped() || length >= judge.longest {
            break;
        }
        let mut changed = core.clone();
        for _ in 0..random.random_range(1..=MOST_CHANGES) {
            change(&mut changed, &mut random);
        }
        let better = Reduction::of(judge, changed, spent).filter(|reduction| reduction.length() > length);
        let Some((better, (more, nodes))) = better.and_then(|reduction| reduction.run(&mut random)) else { continue };
        core = better.to_core();
        (length, spent) = (more, nodes);
        found = Some(better);
    }
    found
}

/// Moves a piece to a square near it or near the king, takes one away, or adds one.
fn change(core: &mut PartialPosition, random: &mut Pcg64) {
    let Some(king) = core.king_position(Color::White) else { return };
    let near = |from: Square, most: u8| move |&square: &Square| distance(from, square) <= most;
    let empty: Vec<Square> = Square::all().filter(|&square| core.piece_at(square).is_none()).collect();
    let taken: Vec<Square> = Square::all().filter(|&square| core.piece_at(square).is_some()).collect();
    let around: Vec<Square> = empty.iter().copied().filter(near(king, NEAR)).collect();
    let in_hand =
        |color| -> Vec<PieceKind> { HAND_KINDS.into_iter().filter(|&kind| held(core, color, kind) > 0).collect() };
    let (free, own) = (in_hand(Color::White), in_hand(Color::Black));
    let (Some(&from), Some(&place)) = (taken.choose(random), around.choose(random)) else { return };
    let new = free.choose(random).copied();
    match random.random_range(0..8) {
        0..3 => {
            let beside: Vec<Square> = empty.into_iter().filter(near(from, 1)).collect();
            let piece = core.piece_at(from);
            if let Some(&to) = beside.choose(random) {
                core.piece_set(from, None);
                core.piece_set(to, piece);
            }
        }
        3 if from != king => core.piece_set(from, None),
        4 | 5 => {
            if let Some(kind) = new {
                let color = if random.random_range(0..3) == 0 { Color::Black } else { Color::White };
                let piece = Piece::new(kind, color);
                let promoted = piece.promote().filter(|_| random.random_range(0..4) == 0);
                core.piece_set(place, promoted.or(Some(piece)));
            }
        }
        6 => {
            let hand = core.hand_of_a_player_mut(Color::Black);
            *hand = new.and_then(|kind| hand.added(kind)).unwrap_or(*hand);
        }
        _ => {
            // A piece of the hand becomes another.
            let hand = core.hand_of_a_player_mut(Color::Black);
            let without = own.choose(random).and_then(|&kind| hand.removed(kind)).unwrap_or(*hand);
            *hand = new.and_then(|kind| without.added(kind)).unwrap_or(without);
        }
    }
}
