//! What a fit of the formula sees of a position: counts of its terms, for the side to move.
//!
//! A [`TermGroup`] is a group of columns. [`FORMULA`] has the terms of the formula, [`CANDIDATES`]
//! has others that might join it.

use kiki_board::{ALL_KINDS, ByColor, COLORS, Color, Effects, HAND_KINDS, PieceKind, Position, Sq, opponent};
use kiki_eval::{KingDirection, Zone};

/// A position with its effect counts. Both kings are on the board.
pub struct TermView<'a> {
    position: &'a Position,
    /// Number of pieces of a colour that attack each square.
    counts: ByColor<[u8; Effects::LANES]>,
}

impl<'a> TermView<'a> {
    #[must_use]
    pub fn new(position: &'a Position) -> Self {
        Self { position, counts: ByColor::from_fn(|color| position.effects().counts(color)) }
    }
}

/// A side of a position, whose terms are counted.
struct TermSide<'a> {
    view: &'a TermView<'a>,
    color: Color,
}

impl TermSide<'_> {
    fn is_to_move(&self) -> bool {
        self.color == self.view.position.side_to_move()
    }

    fn king(&self) -> Sq {
        self.view.position.king(self.color)
    }

    fn enemy_king(&self) -> Sq {
        self.view.position.king(opponent(self.color))
    }

    /// Distance of a square from the own king.
    fn distance(&self, sq: Sq) -> usize {
        self.king().distance(sq)
    }

    /// Number of own pieces that attack a square.
    fn own(&self, sq: Sq) -> usize {
        self.view.counts[self.color][sq.index()].into()
    }

    /// Number of enemy pieces that attack a square.
    fn enemy(&self, sq: Sq) -> usize {
        self.view.counts[opponent(self.color)][sq.index()].into()
    }

    fn owner(&self, sq: Sq) -> Option<Color> {
        let cell = self.view.position.cell(sq);
        cell.kind().map(|_| cell.color())
    }

    fn pieces(&self) -> impl Iterator<Item = (PieceKind, Sq)> {
        let own = Sq::all().filter(|&sq| self.owner(sq) == Some(self.color));
        own.filter_map(|sq| Some((self.view.position.cell(sq).kind()?, sq)))
    }

    fn hand(&self, kind: PieceKind) -> usize {
        self.view.position.hand(self.color).count(kind)
    }

    /// From 0, the side's own home rank.
    fn rank(&self, sq: Sq) -> usize {
        if self.color == Color::Black { 8 - sq.rank() } else { sq.rank() }
    }
}

/// Number of occurrences of each term, positive for the side to move and negative for the other.
#[derive(Clone, Debug)]
pub struct TermCounts {
    counts: Vec<f32>,
    /// The first term of the current group.
    start: usize,
    /// Of the side whose terms are counted.
    sign: f32,
}

impl TermCounts {
    /// Zero for each of `terms` terms.
    #[must_use]
    pub fn new(terms: usize) -> Self {
        Self { counts: vec![0.0; terms], start: 0, sign: 1.0 }
    }

    /// Adds to a term of the current group.
    fn add(&mut self, term: usize, count: f32) {
        self.counts[self.start + term] += self.sign * count;
    }

    /// Counts the terms of groups in a position; indices continue from group to group. Returns
    /// index and count of each term that occurs.
    pub fn count(&mut self, view: &TermView<'_>, groups: &[&TermGroup]) -> impl Iterator<Item = (u16, f32)> {
        self.counts.fill(0.0);
        self.start = 0;
        for group in groups {
            for side in COLORS.map(|color| TermSide { view, color }) {
                self.sign = if side.is_to_move() { 1.0 } else { -1.0 };
                (group.count)(&side, self);
            }
            self.start += group.terms;
        }
        let counts = self.counts.iter().enumerate();
        counts.filter(|&(_, &count)| count != 0.0).map(|(term, &count)| (term as u16, count))
    }
}

pub struct TermGroup {
    /// The name on the command line.
    pub name: &'static str,
    pub meaning: &'static str,
    pub terms: usize,
    count: fn(&TermSide<'_>, &mut TermCounts),
}

/// Number of distances, 0 to 8.
pub const EFFECT_DISTANCES: usize = 9;
/// In the order of the columns.
const DIRECTIONS: [KingDirection; 3] = [KingDirection::Ahead, KingDirection::Beside, KingDirection::Behind];

/// A column of [`FORMULA`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormulaColumn {
    Board(PieceKind),
    /// A piece on its side's home ranks.
    Home(PieceKind),
    /// A piece in the enemy's camp.
    Camp(PieceKind),
    Hand(PieceKind),
    /// An effect of the king's own side, by direction and distance from the king.
    Own(KingDirection, usize),
    /// An enemy effect, by direction and distance from the king.
    Enemy(KingDirection, usize),
}

const HOME: usize = ALL_KINDS.len();
const CAMP: usize = HOME + ALL_KINDS.len();
const HAND: usize = CAMP + ALL_KINDS.len();
const OWN: usize = HAND + HAND_KINDS.len();
const ENEMY: usize = OWN + DIRECTIONS.len() * EFFECT_DISTANCES;
const COLUMNS: usize = ENEMY + DIRECTIONS.len() * EFFECT_DISTANCES;

impl FormulaColumn {
    /// Number of columns. The king on the board never counts.
    pub const COUNT: usize = COLUMNS;

    /// All columns in their order.
    #[must_use]
    pub fn all() -> [Self; COLUMNS] {
        let effect = |of_side: fn(KingDirection, usize) -> Self, place: usize| {
            of_side(DIRECTIONS[place / EFFECT_DISTANCES], place % EFFECT_DISTANCES)
        };
        std::array::from_fn(|column| match column {
            0..HOME => Self::Board(ALL_KINDS[column]),
            HOME..CAMP => Self::Home(ALL_KINDS[column - HOME]),
            CAMP..HAND => Self::Camp(ALL_KINDS[column - CAMP]),
            HAND..OWN => Self::Hand(HAND_KINDS[column - HAND]),
            OWN..ENEMY => effect(Self::Own, column - OWN),
            _ => effect(Self::Enemy, column - ENEMY),
        })
    }
}

/// The terms of the formula, in the order of [`FormulaColumn::all`].
pub const FORMULA: TermGroup = TermGroup {
    name: "formula",
    meaning: "pieces by kind and zone, effects by direction and distance",
    terms: COLUMNS,
    count: |side, counts| {
        for (kind, sq) in side.pieces() {
            let place = kind.array_index();
            if kind != PieceKind::King {
                counts.add(place, 1.0);
            }
            match Zone::of(side.color, sq) {
                Zone::Home => counts.add(HOME + place, 1.0),
                Zone::Middle => {}
                Zone::Camp => counts.add(CAMP + place, 1.0),
            }
        }
        for (place, kind) in HAND_KINDS.into_iter().enumerate() {
            counts.add(HAND + place, side.hand(kind) as f32);
        }
        for_effects(side, counts, ENEMY - OWN, |sq, count, _| {
            let direction = KingDirection::of(side.color, side.king(), sq) as usize;
            (OWN + direction * EFFECT_DISTANCES + side.distance(sq), count as f32)
        });
    },
};

const fn group(
    name: &'static str,
    terms: usize,
    meaning: &'static str,
    count: fn(&TermSide<'_>, &mut TermCounts),
) -> TermGroup {
    TermGroup { name, meaning, terms, count }
}

pub const CANDIDATES: &[TermGroup] = &[
    group("tempo", 1, "the right to move", |side, counts| {
        if side.is_to_move() {
            counts.add(0, 1.0);
        }
    }),
    group("attacked_at_all", 2 * 9, "squares with an effect at all, by distance to the king", |side, counts| {
        for_effects(side, counts, 9, |sq, count, _| (side.distance(sq), f32::from(count > 0)));
    }),
    group("effect_counts", 2 * 9 * 5, "squares with 1, 2, 3, 4, 5 or more effects, by distance", |side, counts| {
        for_effects(side, counts, 9 * 5, |sq, count, _| {
            (side.distance(sq) * 5 + count.clamp(1, 5) - 1, f32::from(count > 0))
        });
    }),
    group(
        "effect_directions",
        2 * 9 * 3,
        "effects ahead of, beside and behind the king, by distance",
        |side, counts| {
            for_effects(side, counts, 9 * 3, |sq, count, _| {
                let direction = KingDirection::of(side.color, side.king(), sq) as usize;
                (side.distance(sq) * 3 + direction, count as f32)
            });
        },
    ),
    group("effect_grid", 2 * 153, "effects by files to the side and ranks ahead of the king", |side, counts| {
        for_effects(side, counts, 153, |sq, count, _| {
            let files = side.king().file().abs_diff(sq.file());
            (files * 17 + side.rank(sq) + 8 - side.rank(side.king()), count as f32)
        });
    }),
    group(
        "superiority",
        2 * 9,
        "squares with more effects of one side than of the other, by distance",
        |side, counts| for_effects(side, counts, 9, |sq, count, other| (side.distance(sq), f32::from(count > other))),
    ),
    group("undefended", 2 * 9, "squares with effects of one side only, by distance", |side, counts| {
        for_effects(side, counts, 9, |sq, count, other| (side.distance(sq), f32::from(count > 0 && other == 0)));
    }),
    group("king_rank", 9, "the king's rank", |side, counts| counts.add(side.rank(side.king()), 1.0)),
    group("king_file", 5, "the king's file, from the middle", |side, counts| {
        counts.add(side.king().file().abs_diff(4), 1.0);
    }),
    group(
        "empty_beside_king",
        4,
        "empty squares beside the king under attack, by the count of own effects",
        |side, counts| beside_king(side, counts, None),
    ),
    group(
        "own_beside_king",
        4,
        "own pieces beside the king under attack, by the count of own effects",
        |side, counts| beside_king(side, counts, Some(side.color)),
    ),
    group("enemy_beside_king", 4, "enemy pieces beside the king, by the count of own effects", |side, counts| {
        beside_king(side, counts, Some(opponent(side.color)));
    }),
    group("escapes", 9, "squares to which the king could go", |side, counts| {
        let is_free = |&sq: &Sq| side.distance(sq) == 1 && side.owner(sq) != Some(side.color) && side.enemy(sq) == 0;
        counts.add(Sq::all().filter(is_free).count(), 1.0);
    }),
    group(
        "hanging",
        2 * 14,
        "pieces attacked and undefended, by kind, of the side to move and of the other",
        |side, counts| pieces_that(side, counts, |sq| side.enemy(sq) > 0 && side.own(sq) == 0),
    ),
    group(
        "attacked",
        2 * 14,
        "pieces attacked and defended, by kind, of the side to move and of the other",
        |side, counts| pieces_that(side, counts, |sq| side.enemy(sq) > 0 && side.own(sq) > 0),
    ),
    group("supported", 14, "pieces with support of their own side, by kind", |side, counts| {
        for (kind, _) in side.pieces().filter(|&(kind, sq)| kind != PieceKind::King && side.own(sq) > 0) {
            counts.add(kind.array_index(), 1.0);
        }
    }),
    group(
        "hand_counts",
        7 + 5,
        "the second piece of a kind in hand, the 3rd, 4th, 5th, 6th, 8th pawn",
        |side, counts| {
            for (place, kind) in HAND_KINDS.into_iter().enumerate() {
                counts.add(place, f32::from(side.hand(kind) >= 2));
            }
            for (place, least) in [3, 4, 5, 6, 8].into_iter().enumerate() {
                counts.add(7 + place, f32::from(side.hand(PieceKind::Pawn) >= least));
            }
        },
    ),
    group("hand_variety", 1, "kinds of pieces in hand", |side, counts| {
        counts.add(0, HAND_KINDS.into_iter().filter(|&kind| side.hand(kind) > 0).count() as f32);
    }),
    group("pawn_files", 2, "files without own pawn with a pawn in hand; such files at all", |side, counts| {
        let has_pawn = |file: &usize| side.pieces().any(|(kind, sq)| kind == PieceKind::Pawn && sq.file() == *file);
        let open = (0..9).filter(|file| !has_pawn(file)).count() as f32;
        counts.add(0, if side.hand(PieceKind::Pawn) > 0 { open } else { 0.0 });
        counts.add(1, open);
    }),
    group("mobility", 6, "squares that rook, bishop, lance reach; those of them in the enemy's camp", mobility),
    group("own_king_distance", 14 * 9, "own pieces by kind and distance to their king", |side, counts| {
        for (kind, sq) in side.pieces() {
            counts.add(kind.array_index() * 9 + side.distance(sq), 1.0);
        }
    }),
    group("enemy_king_distance", 14 * 9, "own pieces by kind and distance to the enemy's king", |side, counts| {
        for (kind, sq) in side.pieces() {
            counts.add(kind.array_index() * 9 + side.enemy_king().distance(sq), 1.0);
        }
    }),
    group("piece_rank", 14 * 9, "pieces by kind and rank", |side, counts| {
        for (kind, sq) in side.pieces() {
            counts.add(kind.array_index() * 9 + side.rank(sq), 1.0);
        }
    }),
    group(
        "attack_with_hand",
        4,
        "attacked empty squares beside the enemy's king times pieces in hand: all, and but pawns; \
         all attacked squares there times pieces but pawns, and squared",
        |side, counts| {
            let ring = || Sq::all().filter(|&sq| side.enemy_king().distance(sq) == 1 && side.own(sq) > 0);
            let open = ring().filter(|&sq| side.owner(sq).is_none()).count() as f32;
            let ring = ring().count() as f32;
            let all: usize = HAND_KINDS.into_iter().map(|kind| side.hand(kind)).sum();
            let better = (all - side.hand(PieceKind::Pawn)) as f32;
            for (term, count) in [open * all as f32, open * better, ring * better, ring * ring].into_iter().enumerate()
            {
                counts.add(term, count);
            }
        },
    ),
    group("camp_effects", 9, "effects by rank", |side, counts| {
        Sq::all().for_each(|sq| counts.add(side.rank(sq), side.own(sq) as f32));
    }),
];

/// Counts own and enemy effects on each square. `term` gives the term and its count for a square,
/// the effects of a side and those of the other. Enemy terms follow the `terms` own ones.
fn for_effects(
    side: &TermSide<'_>,
    counts: &mut TermCounts,
    terms: usize,
    term: impl Fn(Sq, usize, usize) -> (usize, f32),
) {
    for sq in Sq::all() {
        let (own, enemy) = (side.own(sq), side.enemy(sq));
        let (place, count) = term(sq, own, enemy);
        counts.add(place, count);
        let (place, count) = term(sq, enemy, own);
        counts.add(terms + place, -count);
    }
}

/// Counts attacked squares beside the king with the pieces of `owner`, by own effects (the king's
/// too).
fn beside_king(side: &TermSide<'_>, counts: &mut TermCounts, owner: Option<Color>) {
    for sq in Sq::all().filter(|&sq| side.distance(sq) == 1 && side.enemy(sq) > 0 && side.owner(sq) == owner) {
        counts.add(side.own(sq).min(4) - 1, -1.0);
    }
}

/// Counts pieces but the king by kind, those of the side to move first, on the squares that
/// `is_one` accepts.
fn pieces_that(side: &TermSide<'_>, counts: &mut TermCounts, is_one: impl Fn(Sq) -> bool) {
    for (kind, _) in side.pieces().filter(|&(kind, sq)| kind != PieceKind::King && is_one(sq)) {
        counts.add(kind.array_index() + if side.is_to_move() { 0 } else { 14 }, 1.0);
    }
}

fn mobility(side: &TermSide<'_>, counts: &mut TermCounts) {
    const STRAIGHT: [(i32, i32); 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];
    const DIAGONAL: [(i32, i32); 4] = [(1, -1), (1, 1), (-1, -1), (-1, 1)];
    let ahead = if side.color == Color::Black { &STRAIGHT[..1] } else { &STRAIGHT[1..2] };
    for (kind, sq) in side.pieces() {
        let (place, lines) = match kind {
            PieceKind::Rook | PieceKind::ProRook => (0, &STRAIGHT[..]),
            PieceKind::Bishop | PieceKind::ProBishop => (1, &DIAGONAL[..]),
            PieceKind::Lance => (2, ahead),
            _ => continue,
        };
        for (file, rank) in lines {
            let (mut f, mut r) = (sq.file() as i32 + file, sq.rank() as i32 + rank);
            while (0..9).contains(&f) && (0..9).contains(&r) {
                let reached = Sq::at(f as usize, r as usize);
                let owner = side.owner(reached);
                if owner != Some(side.color) {
                    counts.add(place, 1.0);
                    counts.add(3 + place, f32::from(side.rank(reached) >= 6));
                }
                if owner.is_some() {
                    break;
                }
                (f, r) = (f + file, r + rank);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiki_board::{Color, MoveList, Position};
    use kiki_eval::{Explanation, Weights};

    /// The columns, weighted by the numbers of the formula, give its value apart from rounding.
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
            FormulaColumn::Own(direction, distance) => f64::from(weights.own.at(distance, direction)) / 256.0,
            FormulaColumn::Enemy(direction, distance) => f64::from(weights.enemy.at(distance, direction)) / 256.0,
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
