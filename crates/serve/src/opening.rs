//! Moves of the opening book, in games and as hints.

use kiki_board::{Move, Position};
use kiki_book::{BookKey, BookPolicy};
use kiki_usi::ScoreValue;
use rand::SeedableRng as _;
use rand::rngs::StdRng;

use crate::facts::{is_black_to_move, named_move};
use crate::outgoing::TabQuestion;
use crate::protocol::{EngineAction, Strength, TabReply};
use crate::settings::Settings;

/// The last ply of the book for level 0. Each level has one ply more: a beginner knows two moves.
const LAST_PLY: u32 = 4;

/// Good moves are equally likely, so that games differ.
const POLICY: BookPolicy =
    BookPolicy { value_difference: 40, least_value: -140, least_depth: 0, by_count: false, narrow: false };

impl Settings {
    /// The answer by the book, if it has a good move here that this level knows.
    pub(crate) fn book_answer(&self, question: &TabQuestion, strength: Strength) -> Option<TabReply> {
        let position = &question.position;
        let (mv, value) = self.book_move(position, strength)?;
        Some(TabReply::Answer {
            id: question.id,
            action: EngineAction::Move,
            mv: Some(named_move(position, mv)),
            value: value.map(ScoreValue::Cp).map(|value| if is_black_to_move(position) { value } else { -value }),
            nodes: 0,
            book: true,
        })
    }

    /// A move, and its value for the side to move if the book has one. The same game gets the same move in a position.
    fn book_move(&self, position: &Position, strength: Strength) -> Option<(Move, Option<i32>)> {
        if position.ply() > LAST_PLY.saturating_add(strength.level) {
            return None;
        }
        // A file in memory has no errors after it was read.
        let moves = self.book.as_ref()?.moves_of_either_colour(&BookKey::new(&position.to_sfen())?, true).ok()?;
        let legal: Vec<_> = moves.into_iter().filter(|found| position.parse_move(&found.mv).is_ok()).collect();
        let mut random = StdRng::seed_from_u64(strength.seed.wrapping_add(position.ply().into()));
        let chosen = POLICY.choose(&legal, &mut random)?;
        Some((position.parse_move(&chosen.mv).ok()?, chosen.value))
    }
}
