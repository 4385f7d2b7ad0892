//! The evaluation term by term and square by square: to show to people, and to test the fast version against.

use kiki_board::{Color, HAND_KINDS, PieceKind, Position, Sq, opponent};

use crate::{KingDirection, Value, Weights, Zone};

/// One term of the evaluation, for Black.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// The name, as it is shown to people.
    pub name: &'static str,
    /// Centipawns by square index.
    pub squares: [Value; Sq::COUNT],
    /// What belongs to no square, in centipawns: the pieces in hand.
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

/// The value of the effects on one square to a side's king: effects of its own side count for it, those of the enemy against it, the
/// less the further away the square is.
fn near_king(weights: &Weights, position: &Position, color: Color, sq: Sq) -> Value {
    let king = position.king(color);
    if king == Sq::NONE {
        return 0;
    }
    let (distance, direction) = (king.distance(sq), KingDirection::of(color, king, sq));
    let count = |color| Value::from(position.effects().count(color, sq));
    // Each is rounded down, as the fast version does it.
    count(color) * weights.own_effect_at(distance, direction) / 256
        - count(opponent(color)) * weights.enemy_effect_at(distance, direction) / 256
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_board::COLORS;

    /// Golden values of the specification of the formula: material, discount, effects, sums of the effect counts.
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
