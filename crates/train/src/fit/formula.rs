//! The terms of the formula: pieces on the board and in hand by kind, pieces by zone, effects by direction and distance.

use kiki_board::{ALL_KINDS, HAND_KINDS, PieceKind, Sq, opponent};
use kiki_eval::{KingDirection, Zone};

use super::view::{TermCounts, TermGroup, TermView};

/// Distances from 0 to 8.
pub const EFFECT_DISTANCES: usize = 9;
/// In the order of the columns.
const DIRECTIONS: [KingDirection; 3] = [KingDirection::Ahead, KingDirection::Beside, KingDirection::Behind];

/// A column of [`FORMULA`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormulaColumn {
    /// A piece on the board.
    Board(PieceKind),
    /// A piece on its side's home ranks.
    Home(PieceKind),
    /// A piece in the enemy's camp.
    Camp(PieceKind),
    /// A piece in hand.
    Hand(PieceKind),
    /// An effect of the king's side in a direction at a distance.
    Own(KingDirection, usize),
    /// An enemy effect in a direction at a distance.
    Enemy(KingDirection, usize),
}

const HOME: usize = ALL_KINDS.len();
const CAMP: usize = HOME + ALL_KINDS.len();
const HAND: usize = CAMP + ALL_KINDS.len();
const OWN: usize = HAND + HAND_KINDS.len();
const ENEMY: usize = OWN + DIRECTIONS.len() * EFFECT_DISTANCES;
const COLUMNS: usize = ENEMY + DIRECTIONS.len() * EFFECT_DISTANCES;

impl FormulaColumn {
    /// How many there are. The king on the board is never counted.
    pub const COUNT: usize = COLUMNS;

    /// All of them, in order.
    #[must_use]
    pub fn all() -> [Self; COLUMNS] {
        let effect = |place: usize| (DIRECTIONS[place / EFFECT_DISTANCES], place % EFFECT_DISTANCES);
        std::array::from_fn(|column| match column {
            0..HOME => Self::Board(ALL_KINDS[column]),
            HOME..CAMP => Self::Home(ALL_KINDS[column - HOME]),
            CAMP..HAND => Self::Camp(ALL_KINDS[column - CAMP]),
            HAND..OWN => Self::Hand(HAND_KINDS[column - HAND]),
            OWN..ENEMY => Self::Own(effect(column - OWN).0, effect(column - OWN).1),
            _ => Self::Enemy(effect(column - ENEMY).0, effect(column - ENEMY).1),
        })
    }
}

/// The terms of the formula, in the order of [`FormulaColumn::all`].
pub const FORMULA: TermGroup = TermGroup {
    name: "formula",
    meaning: "pieces by kind and zone, effects by direction and distance",
    terms: COLUMNS,
    count,
};

fn count(view: &TermView<'_>, counts: &mut TermCounts) {
    for (color, sign) in view.sides() {
        for sq in Sq::all() {
            let cell = view.position.cell(sq);
            if let Some(kind) = cell.kind().filter(|_| cell.color() == color) {
                let place = kind.array_index();
                if kind != PieceKind::King {
                    counts.add(place, sign);
                }
                match Zone::of(color, sq) {
                    Zone::Home => counts.add(HOME + place, sign),
                    Zone::Middle => {}
                    Zone::Camp => counts.add(CAMP + place, sign),
                }
            }
        }
        for (place, kind) in HAND_KINDS.into_iter().enumerate() {
            counts.add(HAND + place, sign * view.position.hand(color).count(kind) as f32);
        }
        let king = view.position.king(color);
        for sq in Sq::all().filter(|_| king != Sq::NONE) {
            let place = KingDirection::of(color, king, sq) as usize * EFFECT_DISTANCES + king.distance(sq);
            counts.add(OWN + place, sign * view.count(color, sq) as f32);
            counts.add(ENEMY + place, -sign * view.count(opponent(color), sq) as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_board::{Color, MoveList, Position};
    use kiki_eval::{Explanation, Weights};

    /// The columns, weighted by the numbers of the formula, give its value but for what it rounds.
    #[test]
    fn weighted_counts_are_the_formula() {
        let mut weights = Weights::published();
        for (number, name) in
            ["home_king", "camp_rook", "camp_pro_pawn", "own_beside", "enemy_behind"].iter().enumerate()
        {
            assert!(weights.set(name, 300 + 40 * number as i32));
        }
        let coefficients = FormulaColumn::all().map(|column| match column {
            FormulaColumn::Board(kind) => f64::from(weights.material[kind] - weights.discount(kind)),
            FormulaColumn::Home(kind) => f64::from(weights.home[kind]),
            FormulaColumn::Camp(kind) => f64::from(weights.camp[kind]),
            FormulaColumn::Hand(kind) => f64::from(weights.material[kind]),
            FormulaColumn::Own(direction, distance) => f64::from(weights.own_effect_at(distance, direction)) / 256.0,
            FormulaColumn::Enemy(direction, distance) => {
                f64::from(weights.enemy_effect_at(distance, direction)) / 256.0
            }
        });
        let mut position = Position::startpos();
        for ply in 0..120 {
            let moves: MoveList = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.make(moves[(ply * 37 + 11) % moves.len()]);
            let mut counts = TermCounts::new(FormulaColumn::COUNT);
            let value: f64 = counts
                .count(&TermView::new(&position), &[&FORMULA])
                .map(|(column, count)| coefficients[usize::from(column)] * f64::from(count))
                .sum();
            let black = Explanation::new(&weights, &position).total();
            let exact = if position.side_to_move() == Color::Black { black } else { -black };
            assert!((value - f64::from(exact)).abs() < 100.0, "{value} and {exact}: {}", position.to_sfen());
        }
    }
}
