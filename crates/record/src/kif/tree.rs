//! A game and its variations while they are read: every variation leaves the line before it.

use kiki_board::{Move, Position};

use crate::error::ReadProblem;
use crate::game::{DEEPEST_VARIATION, NESTED, PlayedMove, Variation};
use crate::text::add_line;

/// A line whose end is not reached.
struct OpenLine {
    /// How many moves of the game come before it.
    first: usize,
    /// The comment before its first move.
    comment: String,
    moves: Vec<PlayedMove>,
    variations: Vec<Variation>,
}

impl OpenLine {
    fn new(first: usize) -> Self {
        Self { first, comment: String::new(), moves: Vec::new(), variations: Vec::new() }
    }
}

/// The lines from the game down to the variation that is read.
pub(super) struct Tree {
    root: Position,
    /// After the last move of the last line.
    position: Position,
    game: OpenLine,
    open: Vec<OpenLine>,
}

impl Tree {
    pub(super) fn new(root: Position) -> Self {
        Self { position: root.clone(), root, game: OpenLine::new(0), open: Vec::new() }
    }

    /// The position after the last move.
    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// The position before the first move of the game.
    pub(super) fn root(&self) -> Position {
        self.root.clone()
    }

    /// Whether a variation is read.
    pub(super) fn in_variation(&self) -> bool {
        !self.open.is_empty()
    }

    /// The last move, with the position after it.
    pub(super) fn last_move(&mut self) -> Option<(&mut PlayedMove, &Position)> {
        let line = self.open.last_mut().unwrap_or(&mut self.game);
        line.moves.last_mut().map(|played| (played, &self.position))
    }

    /// The comment on a variation of which no move was read.
    pub(super) fn comment_before_variation(&mut self) -> Option<&mut String> {
        self.open.last_mut().filter(|line| line.moves.is_empty()).map(|line| &mut line.comment)
    }

    /// Makes a move. A comment before the first one of a variation becomes its own.
    pub(super) fn make(&mut self, mv: Move) {
        self.position.make(mv);
        let line = self.open.last_mut().unwrap_or(&mut self.game);
        line.moves.push(PlayedMove { comment: std::mem::take(&mut line.comment), ..mv.into() });
    }

    /// Begins a variation after so many moves of the game. It leaves the latest line that it does not begin with.
    pub(super) fn begin_variation(&mut self, after: usize) -> Result<(), ReadProblem> {
        while self.open.last().is_some_and(|line| line.first >= after) {
            self.close();
        }
        let parent = self.open.last().unwrap_or(&self.game);
        if after > parent.first + parent.moves.len() {
            let token = format!("変化：{}手", after.saturating_add(1));
            return Err(ReadProblem::malformed(&token, "a variation of the moves before it"));
        }
        if self.open.len() == DEEPEST_VARIATION {
            return Err(ReadProblem::malformed("変化", NESTED));
        }
        self.position = self.root.clone();
        let lines: Vec<&OpenLine> = std::iter::once(&self.game).chain(&self.open).collect();
        for (index, line) in lines.iter().enumerate() {
            let end = lines.get(index + 1).map_or(after, |next| next.first);
            for played in line.moves.iter().take(end - line.first) {
                self.position.make(played.mv);
            }
        }
        self.open.push(OpenLine::new(after));
        Ok(())
    }

    /// Ends the last variation. The comment on one without moves becomes that of the move before it.
    fn close(&mut self) {
        let Some(mut line) = self.open.pop() else { return };
        let parent = self.open.last_mut().unwrap_or(&mut self.game);
        line.variations.sort_by_key(|variation| variation.after);
        let after = line.first - parent.first;
        if !line.moves.is_empty() {
            parent.variations.push(Variation { after, moves: line.moves, variations: line.variations });
        } else if !line.comment.is_empty() {
            let before = after.checked_sub(1).and_then(|index| parent.moves.get_mut(index));
            add_line(before.map_or(&mut parent.comment, |played| &mut played.comment), &line.comment);
        }
    }

    /// The moves and variations of the game, and the comment that belongs before them.
    pub(super) fn finish(mut self) -> (String, Vec<PlayedMove>, Vec<Variation>) {
        while self.in_variation() {
            self.close();
        }
        self.game.variations.sort_by_key(|variation| variation.after);
        (self.game.comment, self.game.moves, self.game.variations)
    }
}
