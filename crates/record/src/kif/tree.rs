//! A game and its variations while they are read.

use kiki_board::{Move, Position};

use crate::ending::Ending;
use crate::error::ReadProblem;
use crate::game::{DEEPEST_VARIATION, NESTED, PlayedMove, Variation};
use crate::japanese::{Notation, resolve};
use crate::text::add_line;

/// Number of lines tried in a game for variations that do not fit the latest line. Beyond that only
/// the game itself is tried, so that a file with many such variations is read in reasonable time.
const MOST_TRIES: usize = 100_000;

/// Number of lines before a variation that it may branch off, besides the game.
const FARTHEST_LINE: usize = 1000;

#[derive(Default)]
struct LineOfMoves {
    /// The place in the tree of the line that it branches off. The game has its own.
    parent: usize,
    /// Its nesting; 0 for the game.
    depth: usize,
    /// The number of moves of the game before it.
    first: usize,
    comment: String,
    moves: Vec<PlayedMove>,
    /// Its variations, the last one first.
    variations: Vec<Variation>,
    ending: Ending,
}

impl LineOfMoves {
    /// Whether a variation may branch off `after` a number of moves: after one of its own moves, or
    /// at the beginning of the game.
    fn may_be_left(&self, after: usize) -> bool {
        (self.first < after || self.depth == 0) && after <= self.first + self.moves.len()
    }
}

/// The game and its variations, in the order of the record.
pub(super) struct Tree {
    root: Position,
    position: Position,
    game: LineOfMoves,
    /// A variation's place in the tree is its index plus one. A line comes after the one that it
    /// branches off.
    variations: Vec<LineOfMoves>,
    tries_left: usize,
}

impl Tree {
    pub(super) fn new(root: Position) -> Self {
        let (game, variations) = (LineOfMoves::default(), Vec::new());
        Self { position: root.clone(), root, game, variations, tries_left: MOST_TRIES }
    }

    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    pub(super) fn in_variation(&self) -> bool {
        !self.variations.is_empty()
    }

    fn last(&mut self) -> &mut LineOfMoves {
        self.variations.last_mut().unwrap_or(&mut self.game)
    }

    /// The line at a place of the tree. The game is at 0.
    fn line(&self, place: usize) -> &LineOfMoves {
        place.checked_sub(1).and_then(|index| self.variations.get(index)).unwrap_or(&self.game)
    }

    fn line_mut(&mut self, place: usize) -> &mut LineOfMoves {
        place.checked_sub(1).and_then(|index| self.variations.get_mut(index)).unwrap_or(&mut self.game)
    }

    pub(super) fn last_move(&mut self) -> Option<(&mut PlayedMove, &Position)> {
        let line = self.variations.last_mut().unwrap_or(&mut self.game);
        line.moves.last_mut().map(|played| (played, &self.position))
    }

    /// The comment of the current variation before its first move.
    pub(super) fn comment_before_variation(&mut self) -> Option<&mut String> {
        self.variations.last_mut().filter(|line| line.moves.is_empty()).map(|line| &mut line.comment)
    }

    /// Makes a move. The first move of a variation takes over the comment before it.
    pub(super) fn make(&mut self, mv: Move) {
        self.position.make(mv);
        let line = self.last();
        let comment = std::mem::take(&mut line.comment);
        line.moves.push(PlayedMove { comment, ..mv.into() });
    }

    pub(super) fn set_ending(&mut self, ending: Ending) {
        self.last().ending = ending;
    }

    /// Begins a variation after a number of moves of the game. It branches off the latest line in
    /// which all its moves are legal, or else the line with the most legal ones.
    pub(super) fn begin_variation(&mut self, after: usize, moves: &[(Notation, &str)]) -> Result<(), ReadProblem> {
        self.close();
        let mut best: Option<(usize, usize, Position)> = None;
        for place in (1..=self.variations.len()).rev().take(FARTHEST_LINE).chain([0]) {
            let is_skipped = self.tries_left == 0 && best.is_some() && place > 0;
            if is_skipped || !self.line(place).may_be_left(after) {
                continue;
            }
            let position = self.position_in(place, after);
            let legal = count_legal(&position, moves);
            if best.as_ref().is_none_or(|(most, ..)| legal > *most) {
                best = Some((legal, place, position));
            }
            if legal == moves.len() {
                break;
            }
            self.tries_left = self.tries_left.saturating_sub(1);
        }
        let Some((_, parent, position)) = best else {
            let token = format!("変化：{}手", after.saturating_add(1));
            return Err(ReadProblem::malformed(&token, "a variation of the moves before it"));
        };
        let depth = self.line(parent).depth + 1;
        if depth > DEEPEST_VARIATION {
            return Err(ReadProblem::malformed("変化", NESTED));
        }
        self.position = position;
        self.variations.push(LineOfMoves { parent, depth, first: after, ..LineOfMoves::default() });
        Ok(())
    }

    /// The position in a line after a number of moves of the game.
    fn position_in(&self, place: usize, after: usize) -> Position {
        let mut path = Vec::new();
        let (mut place, mut end) = (place, after);
        loop {
            let line = self.line(place);
            path.push(line.moves.get(..end - line.first).unwrap_or(&line.moves));
            if line.depth == 0 {
                break;
            }
            (place, end) = (line.parent, line.first);
        }
        let mut position = self.root.clone();
        path.into_iter().rev().flatten().for_each(|played| {
            position.make(played.mv);
        });
        position
    }

    /// Closes the last variation. If it has no moves, its comment goes to the move before it.
    fn close(&mut self) {
        let Some(line) = self.variations.last_mut().filter(|line| line.moves.is_empty()) else { return };
        let comment = std::mem::take(&mut line.comment);
        let (parent, first, is_nothing) = (line.parent, line.first, !line.ending.is_known());
        if is_nothing {
            self.variations.pop();
        }
        if !comment.is_empty() {
            let parent = self.line_mut(parent);
            let before = first.checked_sub(parent.first + 1).and_then(|index| parent.moves.get_mut(index));
            add_line(before.map_or(&mut parent.comment, |played| &mut played.comment), &comment);
        }
    }

    /// The comment before the first move, the moves and the variations of the game.
    pub(super) fn finish(mut self) -> (String, Vec<PlayedMove>, Vec<Variation>) {
        self.close();
        while let Some(line) = self.variations.pop() {
            let LineOfMoves { parent, first, moves, variations, ending, .. } = line;
            let parent = self.line_mut(parent);
            let after = first - parent.first;
            parent.variations.push(Variation { after, moves, variations: in_order(variations), ending });
        }
        (self.game.comment, self.game.moves, in_order(self.game.variations))
    }
}

/// Variations in the order in which they branch off, and in the record's order at the same place.
fn in_order(mut last_first: Vec<Variation>) -> Vec<Variation> {
    last_first.reverse();
    last_first.sort_by_key(|variation| variation.after);
    last_first
}

fn count_legal(position: &Position, moves: &[(Notation, &str)]) -> usize {
    let mut position = position.clone();
    let legal =
        moves.iter().map_while(|(notation, text)| resolve(notation, text, &position).ok().map(|mv| position.make(mv)));
    legal.count()
}
