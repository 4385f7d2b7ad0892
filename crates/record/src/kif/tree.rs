//! A game and its variations while they are read.

use kiki_board::{Move, Position};

use crate::ending::Ending;
use crate::error::ReadProblem;
use crate::game::{DEEPEST_VARIATION, NESTED, PlayedMove, Variation};
use crate::japanese::{Notation, resolve};
use crate::text::add_line;

/// So many lines of a game are tried for variations that do not fit the latest one, then the game alone. A file with many would take for ever.
const MOST_TRIES: usize = 100_000;

/// The most lines before a variation that it may leave, beside the game.
const FARTHEST_LINE: usize = 1000;

/// The game, or a variation.
struct LineOfMoves {
    /// The line that it leaves, by its place in the tree; the game itself for the game.
    parent: usize,
    /// How many lines it is a variation of.
    depth: usize,
    /// How many moves of the game come before it.
    first: usize,
    /// The comment before its first move.
    comment: String,
    moves: Vec<PlayedMove>,
    /// The last one first.
    variations: Vec<Variation>,
    ending: Ending,
}

impl LineOfMoves {
    fn new(parent: usize, depth: usize, first: usize) -> Self {
        let (comment, moves, variations) = (String::new(), Vec::new(), Vec::new());
        Self { parent, depth, first, comment, moves, variations, ending: Ending::default() }
    }

    /// Whether a variation may leave it `after` a number of moves: behind one of its own moves, or where the game begins.
    fn may_be_left(&self, after: usize) -> bool {
        (self.first < after || self.depth == 0) && after <= self.first + self.moves.len()
    }
}

/// The game and its variations, in the order of the record.
pub(super) struct Tree {
    root: Position,
    /// After the last move of the last line.
    position: Position,
    game: LineOfMoves,
    /// A line stands behind the one that it leaves, whose place is one more than its index here.
    variations: Vec<LineOfMoves>,
    tries_left: usize,
}

impl Tree {
    pub(super) fn new(root: Position) -> Self {
        let game = LineOfMoves::new(0, 0, 0);
        Self { position: root.clone(), root, game, variations: Vec::new(), tries_left: MOST_TRIES }
    }

    /// The position after the last move.
    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// Whether a variation is read.
    pub(super) fn in_variation(&self) -> bool {
        !self.variations.is_empty()
    }

    /// The line that is read.
    fn last(&mut self) -> &mut LineOfMoves {
        self.variations.last_mut().unwrap_or(&mut self.game)
    }

    /// The line at a place; the game is at 0.
    fn line(&self, place: usize) -> &LineOfMoves {
        place.checked_sub(1).and_then(|index| self.variations.get(index)).unwrap_or(&self.game)
    }

    fn line_mut(&mut self, place: usize) -> &mut LineOfMoves {
        place.checked_sub(1).and_then(|index| self.variations.get_mut(index)).unwrap_or(&mut self.game)
    }

    /// The last move, with the position after it.
    pub(super) fn last_move(&mut self) -> Option<(&mut PlayedMove, &Position)> {
        let line = self.variations.last_mut().unwrap_or(&mut self.game);
        line.moves.last_mut().map(|played| (played, &self.position))
    }

    /// The comment on a variation of which no move was read.
    pub(super) fn comment_before_variation(&mut self) -> Option<&mut String> {
        self.variations.last_mut().filter(|line| line.moves.is_empty()).map(|line| &mut line.comment)
    }

    /// Makes a move. A comment before the first one of a variation becomes its own.
    pub(super) fn make(&mut self, mv: Move) {
        self.position.make(mv);
        let line = self.last();
        let comment = std::mem::take(&mut line.comment);
        line.moves.push(PlayedMove { comment, ..mv.into() });
    }

    /// Sets how the variation that is read ends.
    pub(super) fn set_ending(&mut self, ending: Ending) {
        self.last().ending = ending;
    }

    /// Begins a variation after a number of moves of the game. It leaves the latest line that is long enough and in which its own moves can be
    /// made; if they can be made in none, that which lets the most be made.
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
        self.variations.push(LineOfMoves::new(parent, depth, after));
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

    /// Leaves the last variation. The comment on one without moves becomes that of the move before it.
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

    /// The moves and variations of the game, and the comment that belongs before them.
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

/// Variations by the place where they leave a line, those of one place in the order of the record.
fn in_order(mut last_first: Vec<Variation>) -> Vec<Variation> {
    last_first.reverse();
    last_first.sort_by_key(|variation| variation.after);
    last_first
}

/// How many of the moves can be made one after the other.
fn count_legal(position: &Position, moves: &[(Notation, &str)]) -> usize {
    let mut position = position.clone();
    let legal =
        moves.iter().map_while(|(notation, text)| resolve(notation, text, &position).ok().map(|mv| position.make(mv)));
    legal.count()
}
