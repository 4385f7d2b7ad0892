//! What a fit of the formula sees of a position: counts of its terms, for the side to move.
//!
//! A [`TermGroup`] is a group of columns. [`FORMULA`] has the terms of the formula, [`CANDIDATES`]
//! has others that might join it.

use kiki_board::{ALL_KINDS, ByColor, COLORS, Color, Effects, HAND_KINDS, PieceKind, Position, Sq, opponent};
use kiki_eval::{KingDirection, Zone};

/// A position with its effect counts.
pub struct TermView<'a> {
    pub position: &'a Position,
    /// Number of pieces of a colour that attack each square.
    pub counts: ByColor<[u8; Effects::LANES]>,
}

impl<'a> TermView<'a> {
    #[must_use]
    pub fn new(position: &'a Position) -> Self {
        Self { position, counts: ByColor::from_fn(|color| position.effects().counts(color)) }
    }

    /// Both sides, with 1 for the side to move and -1 for the other.
    pub fn sides(&self) -> [(Color, f32); 2] {
        COLORS.map(|color| (color, if color == self.position.side_to_move() { 1.0 } else { -1.0 }))
    }

    /// Number of pieces of a colour that attack a square.
    #[must_use]
    pub fn count(&self, color: Color, sq: Sq) -> usize {
        self.counts[color][sq.index()].into()
    }
}

/// Distance of a square from a king: files to the side, ranks ahead (towards the enemy's camp) or
/// behind (negative).
#[must_use]
fn offset(color: Color, king: Sq, sq: Sq) -> (usize, i32) {
    let ahead = king.rank() as i32 - sq.rank() as i32;
    (king.file().abs_diff(sq.file()), if color == Color::Black { ahead } else { -ahead })
}

/// Number of occurrences of each term, positive for the side to move and negative for the other.
#[derive(Clone, Debug)]
pub struct TermCounts {
    counts: Vec<f32>,
    start: usize,
}

impl TermCounts {
    /// Zero for each of `terms` terms.
    #[must_use]
    pub fn new(terms: usize) -> Self {
        Self { counts: vec![0.0; terms], start: 0 }
    }

    /// Adds to a term of the current group.
    pub fn add(&mut self, term: usize, count: f32) {
        self.counts[self.start + term] += count;
    }

    /// Counts the terms of groups in a position; indices continue from group to group. Returns
    /// index and count of each term that occurs.
    pub fn count(&mut self, view: &TermView<'_>, groups: &[&TermGroup]) -> impl Iterator<Item = (u16, f32)> {
        self.counts.fill(0.0);
        self.start = 0;
        for group in groups {
            (group.count)(view, self);
            self.start += group.terms;
        }
        let counts = self.counts.iter().enumerate();
        counts.filter(|&(_, &count)| count != 0.0).map(|(term, &count)| (term as u16, count))
    }
}

/// Terms that belong together.
pub struct TermGroup {
    /// The name on the command line.
    pub name: &'static str,
    /// What the terms count.
    pub meaning: &'static str,
    /// Number of terms.
    pub terms: usize,
    pub count: fn(&TermView<'_>, &mut TermCounts),
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

macro_rules! candidates {
    ($($name:ident, $terms:expr, $meaning:literal;)*) => {
        pub const CANDIDATES: &[TermGroup] =
            &[$(TermGroup { name: stringify!($name), meaning: $meaning, terms: $terms, count: $name }),*];
    };
}

candidates! {
    tempo, 1, "the right to move";
    attacked_at_all, 2 * 9, "squares with an effect at all, by distance to the king";
    effect_counts, 2 * 9 * 5, "squares with 1, 2, 3, 4, 5 or more effects, by distance";
    effect_directions, 2 * 9 * 3, "effects ahead of, beside and behind the king, by distance";
    effect_grid, 2 * 153, "effects by files to the side and ranks ahead of the king";
    superiority, 2 * 9, "squares with more effects of one side than of the other, by distance";
    undefended, 2 * 9, "squares with effects of one side only, by distance";
    king_rank, 9, "the king's rank";
    king_file, 5, "the king's file, from the middle";
    empty_beside_king, 4, "empty squares beside the king under attack, by the count of own effects";
    own_beside_king, 4, "own pieces beside the king under attack, by the count of own effects";
    enemy_beside_king, 4, "enemy pieces beside the king, by the count of own effects";
    escapes, 9, "squares to which the king could go";
    hanging, 2 * 14, "pieces attacked and undefended, by kind, of the side to move and of the other";
    attacked, 2 * 14, "pieces attacked and defended, by kind, of the side to move and of the other";
    supported, 14, "pieces with support of their own side, by kind";
    hand_counts, 7 + 5, "the second piece of a kind in hand, the 3rd, 4th, 5th, 6th, 8th pawn";
    hand_variety, 1, "kinds of pieces in hand";
    pawn_files, 2, "files without own pawn with a pawn in hand; such files at all";
    mobility, 6, "squares that rook, bishop, lance reach; those of them in the enemy's camp";
    own_king_distance, 14 * 9, "own pieces by kind and distance to their king";
    enemy_king_distance, 14 * 9, "own pieces by kind and distance to the enemy's king";
    piece_rank, 14 * 9, "pieces by kind and rank";
    attack_with_hand, 4, "attacked empty squares beside the enemy's king times pieces in hand: all, and but pawns; all attacked squares there times pieces but pawns, and squared";
    camp_effects, 9, "effects by rank";
}

/// Calls `each` with colour, sign, king, distance and square, for each king and each square.
fn near_kings(view: &TermView<'_>, mut each: impl FnMut(Color, f32, Sq, usize, Sq)) {
    for (color, sign) in view.sides() {
        let king = view.position.king(color);
        for sq in Sq::all().filter(|_| king != Sq::NONE) {
            each(color, sign, king, king.distance(sq), sq);
        }
    }
}

/// Counts a term of own and of enemy effects at each square; enemy terms follow the own ones.
fn by_distance(
    view: &TermView<'_>,
    counts: &mut TermCounts,
    terms: usize,
    term: impl Fn(Color, Sq, Sq, usize, usize) -> Option<(usize, f32)>,
) {
    near_kings(view, |color, sign, king, _, sq| {
        let (own, enemy) = (view.count(color, sq), view.count(opponent(color), sq));
        if let Some((place, count)) = term(color, king, sq, own, enemy) {
            counts.add(place, sign * count);
        }
        if let Some((place, count)) = term(color, king, sq, enemy, own) {
            counts.add(terms + place, -sign * count);
        }
    });
}

fn tempo(_: &TermView<'_>, counts: &mut TermCounts) {
    counts.add(0, 1.0);
}

fn attacked_at_all(view: &TermView<'_>, counts: &mut TermCounts) {
    by_distance(view, counts, 9, |_, king, sq, count, _| (count > 0).then(|| (king.distance(sq), 1.0)));
}

fn effect_counts(view: &TermView<'_>, counts: &mut TermCounts) {
    by_distance(view, counts, 9 * 5, |_, king, sq, count, _| {
        (count > 0).then(|| (king.distance(sq) * 5 + count.min(5) - 1, 1.0))
    });
}

fn effect_directions(view: &TermView<'_>, counts: &mut TermCounts) {
    by_distance(view, counts, 9 * DIRECTIONS.len(), |color, king, sq, count, _| {
        let direction = KingDirection::of(color, king, sq) as usize;
        Some((king.distance(sq) * DIRECTIONS.len() + direction, count as f32))
    });
}

fn effect_grid(view: &TermView<'_>, counts: &mut TermCounts) {
    by_distance(view, counts, 153, |color, king, sq, count, _| {
        let (side, ahead) = offset(color, king, sq);
        Some((side * 17 + (ahead + 8) as usize, count as f32))
    });
}

fn superiority(view: &TermView<'_>, counts: &mut TermCounts) {
    by_distance(view, counts, 9, |_, king, sq, count, other| (count > other).then(|| (king.distance(sq), 1.0)));
}

fn undefended(view: &TermView<'_>, counts: &mut TermCounts) {
    by_distance(view, counts, 9, |_, king, sq, count, other| {
        (count > 0 && other == 0).then(|| (king.distance(sq), 1.0))
    });
}

/// From 0, the side's own home rank.
fn rank_from_home(color: Color, sq: Sq) -> usize {
    if color == Color::Black { 8 - sq.rank() } else { sq.rank() }
}

fn king_rank(view: &TermView<'_>, counts: &mut TermCounts) {
    view.sides().into_iter().for_each(|(c, sign)| counts.add(rank_from_home(c, view.position.king(c)), sign));
}

fn king_file(view: &TermView<'_>, counts: &mut TermCounts) {
    view.sides().into_iter().for_each(|(c, sign)| counts.add(view.position.king(c).file().abs_diff(4), sign));
}

/// Counts attacked squares beside kings, if `contents` accepts them, by own effects (the king's
/// too).
fn beside_king(view: &TermView<'_>, counts: &mut TermCounts, contents: impl Fn(Color, Option<Color>) -> bool) {
    near_kings(view, |color, sign, _, distance, sq| {
        let cell = view.position.cell(sq);
        let owner = cell.kind().map(|_| cell.color());
        if distance == 1 && view.count(opponent(color), sq) > 0 && contents(color, owner) {
            counts.add(view.count(color, sq).min(4) - 1, -sign);
        }
    });
}

fn empty_beside_king(view: &TermView<'_>, counts: &mut TermCounts) {
    beside_king(view, counts, |_, owner| owner.is_none());
}

fn own_beside_king(view: &TermView<'_>, counts: &mut TermCounts) {
    beside_king(view, counts, |color, owner| owner == Some(color));
}

fn enemy_beside_king(view: &TermView<'_>, counts: &mut TermCounts) {
    beside_king(view, counts, |color, owner| owner == Some(opponent(color)));
}

fn escapes(view: &TermView<'_>, counts: &mut TermCounts) {
    for (color, sign) in view.sides() {
        let king = view.position.king(color);
        let free = |sq: &Sq| {
            let cell = view.position.cell(*sq);
            king.distance(*sq) == 1
                && (cell.kind().is_none() || cell.color() != color)
                && view.count(opponent(color), *sq) == 0
        };
        counts.add(Sq::all().filter(free).count(), sign);
    }
}

/// Calls `each` with kind, colour and square of each piece, and 1 for the side to move or -1.
fn pieces(view: &TermView<'_>, mut each: impl FnMut(PieceKind, Color, Sq, f32)) {
    for sq in Sq::all() {
        let cell = view.position.cell(sq);
        if let Some(kind) = cell.kind() {
            let sign = if cell.color() == view.position.side_to_move() { 1.0 } else { -1.0 };
            each(kind, cell.color(), sq, sign);
        }
    }
}

fn attacked_pieces(view: &TermView<'_>, counts: &mut TermCounts, defended: bool) {
    pieces(view, |kind, color, sq, sign| {
        if kind != PieceKind::King && view.count(opponent(color), sq) > 0 && (view.count(color, sq) > 0) == defended {
            counts.add(kind.array_index() + if sign > 0.0 { 0 } else { 14 }, sign);
        }
    });
}

fn hanging(view: &TermView<'_>, counts: &mut TermCounts) {
    attacked_pieces(view, counts, false);
}

fn attacked(view: &TermView<'_>, counts: &mut TermCounts) {
    attacked_pieces(view, counts, true);
}

fn supported(view: &TermView<'_>, counts: &mut TermCounts) {
    pieces(view, |kind, color, sq, sign| {
        if kind != PieceKind::King && view.count(color, sq) > 0 {
            counts.add(kind.array_index(), sign);
        }
    });
}

fn hand_counts(view: &TermView<'_>, counts: &mut TermCounts) {
    for (color, sign) in view.sides() {
        let count = |kind| view.position.hand(color).count(kind);
        for (place, kind) in HAND_KINDS.into_iter().enumerate() {
            if count(kind) >= 2 {
                counts.add(place, sign);
            }
        }
        for (place, least) in [3, 4, 5, 6, 8].into_iter().enumerate() {
            if count(PieceKind::Pawn) >= least {
                counts.add(7 + place, sign);
            }
        }
    }
}

fn hand_variety(view: &TermView<'_>, counts: &mut TermCounts) {
    for (color, sign) in view.sides() {
        let kinds = HAND_KINDS.into_iter().filter(|&kind| view.position.hand(color).count(kind) > 0).count();
        counts.add(0, sign * kinds as f32);
    }
}

fn pawn_files(view: &TermView<'_>, counts: &mut TermCounts) {
    for (color, sign) in view.sides() {
        let mut files = [true; 9];
        pieces(view, |kind, owner, sq, _| {
            if kind == PieceKind::Pawn && owner == color {
                files[sq.file()] = false;
            }
        });
        let open = files.into_iter().filter(|&open| open).count() as f32;
        counts.add(1, sign * open);
        if view.position.hand(color).count(PieceKind::Pawn) > 0 {
            counts.add(0, sign * open);
        }
    }
}

fn mobility(view: &TermView<'_>, counts: &mut TermCounts) {
    const STRAIGHT: [(i32, i32); 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];
    const DIAGONAL: [(i32, i32); 4] = [(1, -1), (1, 1), (-1, -1), (-1, 1)];
    pieces(view, |kind, color, sq, sign| {
        let ahead = if color == Color::Black { &STRAIGHT[..1] } else { &STRAIGHT[1..2] };
        let (place, lines) = match kind {
            PieceKind::Rook | PieceKind::ProRook => (0, &STRAIGHT[..]),
            PieceKind::Bishop | PieceKind::ProBishop => (1, &DIAGONAL[..]),
            PieceKind::Lance => (2, ahead),
            _ => return,
        };
        for (file, rank) in lines {
            let (mut f, mut r) = (sq.file() as i32 + file, sq.rank() as i32 + rank);
            while (0..9).contains(&f) && (0..9).contains(&r) {
                let reached = Sq::at(f as usize, r as usize);
                let cell = view.position.cell(reached);
                if cell.kind().is_none() || cell.color() != color {
                    counts.add(place, sign);
                    if rank_from_home(color, reached) >= 6 {
                        counts.add(3 + place, sign);
                    }
                }
                if cell.kind().is_some() {
                    break;
                }
                (f, r) = (f + file, r + rank);
            }
        }
    });
}

fn own_king_distance(view: &TermView<'_>, counts: &mut TermCounts) {
    pieces(view, |kind, color, sq, sign| {
        counts.add(kind.array_index() * EFFECT_DISTANCES + view.position.king(color).distance(sq), sign);
    });
}

fn enemy_king_distance(view: &TermView<'_>, counts: &mut TermCounts) {
    pieces(view, |kind, color, sq, sign| {
        counts.add(kind.array_index() * EFFECT_DISTANCES + view.position.king(opponent(color)).distance(sq), sign);
    });
}

fn piece_rank(view: &TermView<'_>, counts: &mut TermCounts) {
    pieces(view, |kind, color, sq, sign| counts.add(kind.array_index() * 9 + rank_from_home(color, sq), sign));
}

fn attack_with_hand(view: &TermView<'_>, counts: &mut TermCounts) {
    for (color, sign) in view.sides() {
        let king = view.position.king(opponent(color));
        let open =
            |sq: &Sq| king.distance(*sq) == 1 && view.count(color, *sq) > 0 && view.position.cell(*sq).kind().is_none();
        let open = Sq::all().filter(open).count() as f32;
        let hand = |kind| view.position.hand(color).count(kind) as f32;
        let all: f32 = HAND_KINDS.into_iter().map(hand).sum();
        let better = all - hand(PieceKind::Pawn);
        let ring = Sq::all().filter(|&sq| king.distance(sq) == 1 && view.count(color, sq) > 0).count() as f32;
        counts.add(0, sign * open * all);
        counts.add(1, sign * open * better);
        counts.add(2, sign * ring * better);
        counts.add(3, sign * ring * ring);
    }
}

fn camp_effects(view: &TermView<'_>, counts: &mut TermCounts) {
    for (color, sign) in view.sides() {
        Sq::all().for_each(|sq| counts.add(rank_from_home(color, sq), sign * view.count(color, sq) as f32));
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
