//! A position as terms are counted in it.

use kiki_board::{ByColor, COLORS, Color, Effects, Position, Sq};

/// A position with its effect counts.
pub struct TermView<'a> {
    /// The position.
    pub position: &'a Position,
    /// How many pieces of a colour attack each square.
    pub counts: ByColor<[u8; Effects::LANES]>,
}

impl<'a> TermView<'a> {
    /// The view of a position.
    #[must_use]
    pub fn new(position: &'a Position) -> Self {
        Self { position, counts: ByColor::from_fn(|color| position.effects().counts(color)) }
    }

    /// Both sides, with 1 for the side to move and -1 for the other.
    pub fn sides(&self) -> [(Color, f32); 2] {
        COLORS.map(|color| (color, if color == self.position.side_to_move() { 1.0 } else { -1.0 }))
    }

    /// How many pieces of a colour attack a square.
    #[must_use]
    pub fn count(&self, color: Color, sq: Sq) -> usize {
        self.counts[color][sq.index()].into()
    }
}

/// How far a square lies from a king: files to the side, ranks ahead (towards the enemy's camp) or behind (negative).
#[must_use]
pub(super) fn offset(color: Color, king: Sq, sq: Sq) -> (usize, i32) {
    let ahead = king.rank() as i32 - sq.rank() as i32;
    (king.file().abs_diff(sq.file()), if color == Color::Black { ahead } else { -ahead })
}

/// How often each term of a group is there, for the side to move: what the other side has counts negative.
#[derive(Clone, Debug)]
pub struct TermCounts {
    counts: Vec<f32>,
    start: usize,
}

impl TermCounts {
    /// None, of so many terms.
    #[must_use]
    pub fn new(terms: usize) -> Self {
        Self { counts: vec![0.0; terms], start: 0 }
    }

    /// Adds to a term of the group that is being counted.
    pub fn add(&mut self, term: usize, count: f32) {
        self.counts[self.start + term] += count;
    }

    /// Counts the terms of groups in a position, one group behind the other, and shows those that are there.
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

/// Terms of one idea.
pub struct TermGroup {
    /// As it is chosen on the command line.
    pub name: &'static str,
    /// What is counted.
    pub meaning: &'static str,
    /// How many terms it has.
    pub terms: usize,
    /// Counts them.
    pub count: fn(&TermView<'_>, &mut TermCounts),
}
