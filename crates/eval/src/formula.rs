//! The hand-crafted evaluation: material by zone, and effects near the kings. Explains itself term
//! by term.

use std::sync::Arc;

use kiki_board::{COLORS, Color, Delta, Effects, HAND_KINDS, PieceKind, PieceOn, Position, Sq, opponent};

use crate::weights::{EffectRow, EvalTables};
use crate::{Evaluator, KingDirection, Value, Weights, Zone};

/// Material and effects near the kings. A piece in hand counts in full; on the board it counts
/// less, by its zone. Effects are weighted by distance and direction from the kings.
///
/// Material is updated move by move. Every evaluation weighs all effect counts anew: that takes
/// fewer instructions than finding the changed ones (see `docs/decisions`).
#[derive(Clone, Debug)]
pub struct Formula {
    tables: Arc<EvalTables>,
    /// Material in centipawns for Black, at the root and after each move pushed; the last is
    /// current.
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

    fn judges_moves(&self) -> bool {
        false
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

/// The effect terms, in centipawns for Black: near each king, effects of its own side count for it,
/// enemy effects against it.
#[inline(always)]
fn effects(tables: &EvalTables, position: &Position) -> Value {
    let [black, white] = COLORS.map(|color| position.effects().counts(color));
    let [black_king, white_king] = COLORS.map(|color| position.king(color).index());
    weigh(&black, &tables.own[Color::Black][black_king], &tables.enemy[Color::White][white_king])
        - weigh(&white, &tables.own[Color::White][white_king], &tables.enemy[Color::Black][black_king])
}

/// The sum over the squares of `count * value / 256` for both kings, each rounded down: sixteen
/// squares at a time.
#[inline(always)]
fn weigh(counts: &[u8; Effects::LANES], own: &EffectRow, enemy: &EffectRow) -> Value {
    // count << 8 times a value, shifted right by 16: one instruction for the high half of a
    // product.
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

/// One term of the evaluation, for Black.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// The name, as it is shown to people.
    pub name: &'static str,
    /// Centipawns by square index.
    pub squares: [Value; Sq::COUNT],
    /// The part without squares, in centipawns: the pieces in hand.
    pub elsewhere: Value,
}

impl Term {
    /// The sum over all squares and the pieces in hand.
    #[must_use]
    pub fn total(&self) -> Value {
        self.squares.iter().sum::<Value>() + self.elsewhere
    }
}

/// All terms of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// Material, discount, zones, effects near Black's king, effects near White's king.
    pub terms: [Term; 5],
}

impl Explanation {
    /// Computes every term from its definition.
    #[must_use]
    pub fn new(weights: &Weights, position: &Position) -> Self {
        let sign = |color| if color == Color::Black { 1 } else { -1 };
        let term = |name, value: &dyn Fn(Sq) -> Value, elsewhere| {
            let mut squares = [0; Sq::COUNT];
            Sq::all().for_each(|sq| squares[sq.index()] = value(sq));
            Term { name, squares, elsewhere }
        };
        let signed = |sq, value: &dyn Fn(PieceKind, Color) -> Value| {
            let cell = position.cell(sq);
            cell.kind().map_or(0, |kind| sign(cell.color()) * value(kind, cell.color()))
        };
        let hand = |color| -> Value {
            HAND_KINDS.into_iter().map(|kind| position.hand(color).count(kind) as Value * weights.material[kind]).sum()
        };
        let near = |king, sq| near_king(weights, position, king, sq) * sign(king);
        Self {
            terms: [
                term(
                    "material",
                    &|sq| signed(sq, &|kind, _| weights.material[kind]),
                    hand(Color::Black) - hand(Color::White),
                ),
                term("discount on the board", &|sq| signed(sq, &|kind, _| -weights.discount(kind)), 0),
                term("zones", &|sq| signed(sq, &|kind, color| weights.in_zone(kind, Zone::of(color, sq))), 0),
                term("effects near Black's king", &|sq| near(Color::Black, sq), 0),
                term("effects near White's king", &|sq| near(Color::White, sq), 0),
            ],
        }
    }

    /// The whole evaluation, for Black.
    #[must_use]
    pub fn total(&self) -> Value {
        self.terms.iter().map(Term::total).sum()
    }
}

/// The value of the effects on one square near a side's king. The side's own effects count for it,
/// enemy effects against it; both fade with distance.
fn near_king(weights: &Weights, position: &Position, color: Color, sq: Sq) -> Value {
    let king = position.king(color);
    if king == Sq::NONE {
        return 0;
    }
    let (distance, direction) = (king.distance(sq), KingDirection::of(color, king, sq));
    let count = |color| Value::from(position.effects().count(color, sq));
    // Each is rounded down, as the fast version does it.
    count(color) * weights.own.at(distance, direction) / 256
        - count(opponent(color)) * weights.enemy.at(distance, direction) / 256
}

#[cfg(test)]
mod tests {
    use kiki_board::{COLORS, MoveList};
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    use crate::TUNABLES;

    use super::*;

    /// The same evaluation computed square by square from its definition.
    fn by_definition(weights: &Weights, position: &Position) -> Value {
        let explanation = Explanation::new(weights, position);
        let black = explanation.total();
        if position.side_to_move() == Color::Black { black } else { -black }
    }

    /// The weights in use, the greatest that an optimizer may set, and some between.
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

    /// Golden values of the specification of the formula: material, discount, effects, sums of the
    /// effect counts.
    #[test]
    fn golden_positions_have_their_known_terms() {
        let rows = [
            ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", [0, 0, 0], [51, 51]),
            ("lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2", [0, 0, 140], [55, 51]),
            ("l4k2l/7g1/p3rpn1p/2p3pB1/4s4/1Ps1pSP2/P4P1RP/2GS5/LN1K3NL b G3Pbgn4p 75", [-180, -118, 145], [47, 42]),
        ];
        for (sfen, [material, discount, effects], counts) in rows {
            let position = Position::from_sfen(sfen).unwrap();
            let terms = Explanation::new(&Weights::published(), &position).terms.map(|term| term.total());
            assert_eq!(terms[0], material, "{sfen}");
            assert_eq!(terms[1], discount, "{sfen}");
            assert_eq!(terms[2], 0, "{sfen}");
            assert_eq!(terms[3] + terms[4], effects, "{sfen}");
            let sums: [u32; 2] =
                COLORS.map(|color| position.effects().counts(color).iter().map(|&count| u32::from(count)).sum());
            assert_eq!(sums, counts, "{sfen}");
        }
    }

    #[test]
    fn promoted_pieces_keep_their_full_value_if_asked() {
        let position = Position::from_sfen("4k4/9/9/9/4+B4/9/9/9/4K4 b - 1").unwrap();
        let discount = |discount_promoted| {
            Explanation::new(&Weights { discount_promoted, ..Weights::published() }, &position).terms[1].total()
        };
        assert_eq!(discount(true), -95);
        assert_eq!(discount(false), 0);
    }
}
