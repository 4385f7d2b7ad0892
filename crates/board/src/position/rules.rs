//! Rules on the end of a game: repetition and the declaration of an entered king.

use super::{Position, StateInfo};
use crate::squares::{Side, for_side};
use crate::tables::king_steps;
use crate::{Bitboard, COLORS, Color, HAND_KINDS, Move, PieceKind, Sq, opponent};

/// The result by the rules when a position (board, hands and side to move) occurs for the fourth
/// time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameRepetition {
    /// The position has occurred fewer than four times.
    None,
    /// Sennichite: a draw.
    Draw,
    /// Every move of the side to move since the first occurrence gave check: it loses.
    SideToMoveLoses,
    /// Every move of the opponent since the first occurrence gave check: the side to move wins.
    SideToMoveWins,
}

/// What a repetition of the board means for the side to move, within a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchRepetition {
    /// No repetition that counts.
    None,
    /// Same board and hands: a draw.
    Draw,
    /// The opponent has given check with every move since the first occurrence (perpetual check):
    /// the side to move wins.
    Win,
    /// The side to move has given check with every move since the first occurrence (perpetual
    /// check): it loses.
    Loss,
    /// Same board, but the side to move has more in hand than before, and the opponent less.
    Superior,
    /// Same board, but the side to move has less in hand than before.
    Inferior,
}

impl Position {
    /// The result by the rules for the current position. The start position counts as an
    /// occurrence. A side that has given check with every move since the first occurrence loses.
    #[must_use]
    pub fn game_repetition(&self) -> GameRepetition {
        let (now, states) = (self.state(), self.states.states());
        let same = |at: &StateInfo| at.fields.board_key == now.board_key && at.fields.hands == now.hands;
        let Some(fourth) = (0..states.len()).rev().filter(|&i| same(&states[i])).nth(3) else {
            return GameRepetition::None;
        };
        // With more than four occurrences, the first of all counts.
        let first = (0..=fourth).find(|&i| same(&states[i])).unwrap_or(fourth);
        let moves = states.len() - 1 - first;
        match (self.checked_always(self.side, moves), self.checked_always(opponent(self.side), moves)) {
            (true, false) => GameRepetition::SideToMoveLoses,
            (false, true) => GameRepetition::SideToMoveWins,
            _ => GameRepetition::Draw,
        }
    }

    /// Whether all moves of a side among the latest `moves` moves gave check.
    fn checked_always(&self, side: Color, moves: usize) -> bool {
        // The side that is not to move made the last move, and every second one before it.
        let skipped = usize::from(side == self.side);
        let mut after = self.states.states().iter().rev().take(moves).skip(skipped).step_by(2);
        after.all(|state| state.in_check(opponent(side)))
    }

    /// What the search may conclude from earlier occurrences of the board, `ply` plies after the
    /// root of the search. Occurrences before the last null move do not count.
    ///
    /// One repetition of a position within the tree, the root included, is enough: a side that can
    /// repeat once can repeat again. Occurrences before the root count by the rules: only the
    /// fourth ends the game, and they are never [`SearchRepetition::Superior`] or
    /// [`SearchRepetition::Inferior`].
    #[must_use]
    #[inline(always)]
    pub fn search_repetition(&self, ply: usize) -> SearchRepetition {
        if self.state().since_null < 4 || !self.states.may_have_occurred() {
            return SearchRepetition::None;
        }
        self.look_back(ply)
    }

    #[cold]
    fn look_back(&self, ply: usize) -> SearchRepetition {
        let (now, states) = (self.state(), self.states.states());
        let (us, them) = (self.side, opponent(self.side));
        let last = states.len() - 1;
        let furthest = usize::from(now.since_null).min(last);
        let (mut occurrences, mut within_tree, mut first) = (1, false, 0);
        for distance in (4..=furthest).step_by(2) {
            let then = &states[last - distance].fields;
            if then.board_key != now.board_key {
                continue;
            }
            if then.hands == now.hands {
                occurrences += 1;
                within_tree |= distance <= ply;
                first = distance;
            } else if occurrences == 1 && distance <= ply {
                if now.hands[us].covers(then.hands[us]) {
                    return SearchRepetition::Superior;
                }
                if then.hands[us].covers(now.hands[us]) {
                    return SearchRepetition::Inferior;
                }
            }
        }
        if !within_tree && occurrences < 4 {
            return SearchRepetition::None;
        }
        // All moves since the first occurrence count, so a single move without check among them
        // makes it a draw.
        match (self.checked_always(us, first), self.checked_always(them, first)) {
            (true, false) => SearchRepetition::Loss,
            (false, true) => SearchRepetition::Win,
            _ => SearchRepetition::Draw,
        }
    }
}

/// Which rule on entering kings is in force.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DeclarationRule {
    /// No declaration.
    None,
    /// 24-point rule: 31 points win, 24 to 30 draw.
    Points24,
    /// 24-point rule in handicap games: the pieces that White, who gives the handicap, lacks from
    /// the start count for White.
    Points24Handicap,
    /// 27-point rule: Black wins with 28 points, White with 27.
    #[default]
    Points27,
    /// 27-point rule in handicap games: the pieces that White, who gives the handicap, lacks from
    /// the start count for White.
    Points27Handicap,
    /// Try rule: a king wins on the square where the opponent's king starts the game (5a for Black,
    /// 5i for White).
    Try,
}

/// What the side to move may claim by declaring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclarationVerdict {
    /// Nothing.
    No,
    /// A draw (24-point rule).
    Draw,
    /// The game, by declaring.
    Win,
    /// The game, by this king move (try rule).
    WinBy(Move),
}

/// The points of the 38 pieces other than kings: 4 big ones (rooks and bishops) at 5, 34 small ones
/// at 1.
const POINTS_OF_FULL_SET: u32 = 54;

impl Position {
    /// What the side to move may claim under a rule.
    ///
    /// Under the point rules the king must stand in the enemy camp, not in check, with at least ten
    /// other own pieces there. The pieces there and in hand count 5 points (rook and bishop,
    /// promoted or not) or 1.
    #[must_use]
    pub fn declaration(&self, rule: DeclarationRule) -> DeclarationVerdict {
        for_side!(self.side, S => self.declaration_for::<S>(rule))
    }

    #[inline]
    fn declaration_for<S: Side>(&self, rule: DeclarationRule) -> DeclarationVerdict {
        let king = self.king(S::COLOR);
        if king == Sq::NONE || rule == DeclarationRule::None {
            return DeclarationVerdict::No;
        }
        if rule == DeclarationRule::Try {
            return self.try_rule::<S>(king);
        }
        if !S::ZONE.contains(king) || self.in_check() {
            return DeclarationVerdict::No;
        }
        let camp = (self.board.by_color[S::COLOR] & S::ZONE) - Bitboard::of(king);
        if camp.count() < 10 {
            return DeclarationVerdict::No;
        }
        let handicap = matches!(rule, DeclarationRule::Points24Handicap | DeclarationRule::Points27Handicap);
        let missing =
            if handicap && S::COLOR == Color::White { POINTS_OF_FULL_SET.saturating_sub(self.all_points()) } else { 0 };
        let points = self.points_of(S::COLOR, camp) + missing;
        let by_24 = matches!(rule, DeclarationRule::Points24 | DeclarationRule::Points24Handicap);
        match (by_24, S::COLOR) {
            (true, _) if points >= 31 => DeclarationVerdict::Win,
            (true, _) if points >= 24 => DeclarationVerdict::Draw,
            (false, Color::Black) if points >= 28 => DeclarationVerdict::Win,
            (false, Color::White) if points >= 27 => DeclarationVerdict::Win,
            _ => DeclarationVerdict::No,
        }
    }

    /// The points of a colour's pieces within `area` and in its hand. Kings must not be in `area`.
    fn points_of(&self, color: Color, area: Bitboard) -> u32 {
        let big = (self.diagonal_sliders() | self.orthogonal_sliders()) & area;
        let hand = self.hand(color);
        let value = |kind| if matches!(kind, PieceKind::Bishop | PieceKind::Rook) { 5 } else { 1 };
        let held: usize = HAND_KINDS.into_iter().map(|kind| hand.count(kind) * value(kind)).sum();
        area.count() + 4 * big.count() + held as u32
    }

    /// The points of all pieces on the board and in the hands; less than 54 in a handicap game.
    fn all_points(&self) -> u32 {
        let kings = self.board.by_kind[PieceKind::King];
        COLORS.into_iter().map(|color| self.points_of(color, self.board.by_color[color] - kings)).sum()
    }

    fn try_rule<S: Side>(&self, king: Sq) -> DeclarationVerdict {
        let goal = if S::COLOR == Color::Black { Sq::at(4, 0) } else { Sq::at(4, 8) };
        if !king_steps(king).contains(goal) {
            return DeclarationVerdict::No;
        }
        let mv = Move::board(king, goal, false);
        if self.is_legal(mv) { DeclarationVerdict::WinBy(mv) } else { DeclarationVerdict::No }
    }
}
