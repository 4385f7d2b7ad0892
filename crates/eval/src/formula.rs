//! The hand-crafted evaluation: material by zone, and effects near the kings.

use std::sync::Arc;

use kiki_board::{COLORS, Color, Delta, Effects, HAND_KINDS, PieceOn, Position, Sq};

use crate::weights::{EvalTables, Row};
use crate::{Evaluator, Value, Weights};

/// Material, where a piece in hand counts more than on the board and a piece on the board by its zone, and effects weighted by their
/// distance to the kings and their direction from them.
///
/// Material is updated move by move. The effect counts are read from the position and all weighted again at every evaluation, which
/// takes fewer instructions than finding out which have changed (see `docs/decisions`).
#[derive(Clone, Debug)]
pub struct Formula {
    tables: Arc<EvalTables>,
    /// Material in centipawns for Black, at the root and after each move pushed; the last is current.
    material: Vec<Value>,
}

impl Evaluator for Formula {
    type Weights = Weights;

    fn new(weights: &Arc<Weights>, position: &Position) -> Self {
        let mut formula = Self { tables: Arc::new(EvalTables::new(weights)), material: Vec::with_capacity(512) };
        formula.reset(position);
        formula
    }

    fn reset(&mut self, position: &Position) {
        self.material.clear();
        self.material.push(material(&self.tables, position));
    }

    #[inline(always)]
    fn push(&mut self, delta: &Delta) {
        let value = |piece: PieceOn| self.tables.on_board[piece.cell.index()][piece.sq.index()];
        let mut change = value(delta.arrived) - value(delta.left) - value(delta.captured);
        let hands = if delta.is_drop() {
            -self.tables.in_hand[delta.arrived.cell]
        } else {
            self.tables.captured[delta.captured.cell]
        };
        change += if delta.arrived.cell.color() == Color::Black { hands } else { -hands };
        self.material.push(self.material.last().copied().unwrap_or(0) + change);
    }

    #[inline(always)]
    fn pop(&mut self) {
        self.material.pop();
    }

    #[inline(always)]
    fn evaluate(&mut self, position: &Position) -> Value {
        let black = self.material.last().copied().unwrap_or(0) + effects(&self.tables, position);
        if position.side_to_move() == Color::Black { black } else { -black }
    }
}

/// Material for Black: pieces on the board at a discount and by their zone, pieces in hand in full.
fn material(tables: &EvalTables, position: &Position) -> Value {
    let board: Value = Sq::all().map(|sq| tables.on_board[position.cell(sq).index()][sq.index()]).sum();
    let hand = |color| {
        HAND_KINDS
            .into_iter()
            .map(|kind| position.hand(color).count(kind) as Value * tables.in_hand[kind])
            .sum::<Value>()
    };
    board + hand(Color::Black) - hand(Color::White)
}

/// The effect terms, in centipawns for Black: near each king, effects of its own side count for it and those of the enemy against it.
#[inline(always)]
fn effects(tables: &EvalTables, position: &Position) -> Value {
    let [black, white] = COLORS.map(|color| position.effects().counts(color));
    let [black_king, white_king] = COLORS.map(|color| position.king(color).index());
    weigh(&black, &tables.own[Color::Black][black_king], &tables.enemy[Color::White][white_king])
        - weigh(&white, &tables.own[Color::White][white_king], &tables.enemy[Color::Black][black_king])
}

/// The sum over the squares of `count * value / 256` for both kings, each rounded down: sixteen squares at a time.
#[inline(always)]
fn weigh(counts: &[u8; Effects::LANES], own: &Row, enemy: &Row) -> Value {
    // count << 8 times a value, shifted right by 16: one instruction for the high half of a product.
    let product = |count: u16, value: u16| ((u32::from(count << 8) * u32::from(value)) >> 16) as u16;
    let mut sums = [0_u16; 16];
    for start in (0..Effects::LANES).step_by(16) {
        for lane in 0..16 {
            let count = u16::from(counts[start + lane]);
            sums[lane] += product(count, own[start + lane]) + product(count, enemy[start + lane]);
        }
    }
    sums.iter().map(|&sum| Value::from(sum)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TUNABLES;
    use kiki_board::MoveList;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    /// The same evaluation computed square by square from its definition.
    fn by_definition(weights: &Weights, position: &Position) -> Value {
        let explanation = crate::Explanation::new(weights, position);
        let black = explanation.total();
        if position.side_to_move() == Color::Black { black } else { -black }
    }

    /// The numbers in use, all numbers that an optimizer may set at their greatest, and some between.
    #[test]
    fn incremental_and_fresh_values_agree_with_the_definition_after_every_make_and_unmake() {
        let mut random = StdRng::seed_from_u64(12);
        let mut greatest = Weights::default();
        TUNABLES.iter().for_each(|tunable| assert!(greatest.set(tunable.name, tunable.max)));
        let mut weights = vec![Weights::default(), Weights::published(), greatest];
        for _ in 0..20 {
            let mut between = Weights::default();
            for tunable in TUNABLES {
                between.set(tunable.name, random.random_range(tunable.min..=tunable.max));
            }
            weights.push(between);
        }
        for weights in weights.into_iter().map(Arc::new) {
            let mut position = Position::startpos();
            let mut formula = Formula::new(&weights, &position);
            let mut values = vec![formula.evaluate(&position)];
            for _ in 0..200 {
                let moves: MoveList = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.random_range(0..moves.len())];
                formula.push(&position.make(mv));
                let value = formula.evaluate(&position);
                assert_eq!(value, Formula::new(&weights, &position).evaluate(&position));
                assert_eq!(value, by_definition(&weights, &position));
                values.push(value);
            }
            while position.moves_made() > 0 {
                values.pop();
                position.unmake();
                formula.pop();
                assert_eq!(Some(&formula.evaluate(&position)), values.last());
            }
        }
    }
}
