//! The entering-king declaration.

use super::Position;
use crate::side::{BlackSide, Side, WhiteSide};
use crate::tables::step::king_steps;
use crate::{Bitboard, COLORS, Color, HAND_KINDS, Move, PieceKind, Sq};

/// Which rule on entering kings is in force.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DeclarationRule {
    /// No declaration.
    None,
    /// 24-point rule: 31 points win, 24 to 30 draw.
    Points24,
    /// 24-point rule in handicap games: the pieces that White, who gives the handicap, lacks from the start count for White.
    Points24Handicap,
    /// 27-point rule: Black wins with 28 points, White with 27.
    #[default]
    Points27,
    /// 27-point rule in handicap games: the pieces that White, who gives the handicap, lacks from the start count for White.
    Points27Handicap,
    /// Try rule: a king that reaches the square where the opponent's king stands at the start of a game (5a for Black, 5i for White) wins.
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

/// The points of the 38 pieces other than kings: 4 big ones (rooks and bishops) at 5, 34 small ones at 1.
const POINTS_OF_FULL_SET: u32 = 54;

impl Position {
    /// What the side to move may claim under a rule.
    ///
    /// For the point rules the king stands in the enemy camp, not in check, with at least ten other own pieces there; the pieces there
    /// and in hand count 5 (rook, bishop, promoted or not) or 1.
    #[must_use]
    pub fn declaration(&self, rule: DeclarationRule) -> DeclarationVerdict {
        match self.side {
            Color::Black => self.declaration_for::<BlackSide>(rule),
            Color::White => self.declaration_for::<WhiteSide>(rule),
        }
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
        let (win, draw) = match rule {
            DeclarationRule::Points24 | DeclarationRule::Points24Handicap => (31, 24),
            _ if S::COLOR == Color::Black => (28, u32::MAX),
            _ => (27, u32::MAX),
        };
        if points >= win {
            DeclarationVerdict::Win
        } else if points >= draw {
            DeclarationVerdict::Draw
        } else {
            DeclarationVerdict::No
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
