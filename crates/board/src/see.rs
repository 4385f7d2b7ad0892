//! Static exchange evaluation (SEE): what a series of captures on one square gains.

use crate::tables::{between, bishop_attacks, lance_attacks, line, rook_attacks};
use crate::{Bitboard, ByKind, Cell, Color, Move, PieceKind, Position, Sq, opponent};

/// The value of a piece in an exchange, in units of the search (a pawn is 90), with YaneuraOu's
/// values. The king's value only has to exceed all possible gains.
const EXCHANGE: ByKind<i32> = ByKind::new(0, [90, 315, 405, 495, 540, 855, 990, 15_000, 540, 540, 540, 540, 945, 1395]);

/// In capturing order: cheapest first. Gold stands for all pieces that move like it.
const CAPTORS: [PieceKind; 10] = {
    use PieceKind::{Bishop, Gold, King, Knight, Lance, Pawn, ProBishop, ProRook, Rook, Silver};
    [Pawn, Lance, Knight, Silver, Gold, Bishop, Rook, ProBishop, ProRook, King]
};

/// The value of a piece in an exchange, in units of the search; 0 for an empty square.
#[must_use]
#[inline(always)]
pub fn exchange_value(cell: Cell) -> i32 {
    EXCHANGE[cell]
}

impl Position {
    /// Static exchange evaluation: whether a legal move and the captures that follow on its
    /// destination gain `threshold` or more. Both sides capture with their cheapest piece and stop
    /// when that is better for them. Promotions gain nothing. Pinned pieces do not capture while a
    /// piece that pins stands, and a king does not capture a defended piece.
    #[must_use]
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        let (to, us) = (mv.to(), self.side_to_move());
        let surplus = exchange_value(self.cell(to)) - threshold;
        if surplus < 0 {
            return false;
        }
        let moved = mv.dropped_kind().map_or_else(|| exchange_value(self.cell(mv.from())), |kind| EXCHANGE[kind]);
        // What the side to capture next would gain, counted from where the threshold is just met.
        let mut at_stake = moved - surplus;
        if at_stake <= 0 {
            return true;
        }
        if let Some(decided) = self.exchange_by_effects(mv) {
            return decided;
        }
        let mut occupied = self.occupied() ^ Bitboard::of(to);
        if !mv.is_drop() {
            occupied = occupied - Bitboard::of(mv.from());
        }
        let mut attackers = self.attackers(to, occupied) & occupied;
        let mut side = us;
        // Whether the threshold is met if nobody captures any more.
        let mut met = true;
        loop {
            side = opponent(side);
            let own = self.without_pinned(attackers & self.pieces_of(side), side, occupied);
            let Some((from, kind)) = self.cheapest(own, side) else { break };
            if kind == PieceKind::King && (attackers & self.pieces_of(opponent(side))).any() {
                // It would be taken.
                break;
            }
            met = !met;
            at_stake = EXCHANGE[kind] - at_stake;
            // This side meets its goal even if it loses the captor.
            if at_stake < i32::from(met) {
                break;
            }
            occupied = occupied - Bitboard::of(from);
            attackers = (attackers | self.uncovered(to, from, occupied)) & occupied;
        }
        met
    }

    /// The pieces of `own` that may capture. Pinned pieces of `side` may not while a piece that
    /// pins one of them stands.
    #[inline(always)]
    fn without_pinned(&self, own: Bitboard, side: Color, occupied: Bitboard) -> Bitboard {
        if own.is_empty() {
            return own;
        }
        let pinned = self.pinned_of(side);
        if own.intersects(pinned) && self.pinners(side).intersects(occupied) { own - pinned } else { own }
    }

    /// The pieces that pin a piece of `side` to its king.
    fn pinners(&self, side: Color) -> Bitboard {
        let (king, pinned) = (self.king(side), self.pinned_of(side));
        let snipers = self.snipers(king, opponent(side)).into_iter();
        snipers
            .filter(|&sniper| {
                let between = between(king, sniper) & self.occupied();
                !between.several() && between.intersects(pinned)
            })
            .fold(Bitboard::EMPTY, |set, sniper| set | Bitboard::of(sniper))
    }

    /// Decides an exchange by the effect counts where they suffice. Losing the moved piece must
    /// miss the threshold. True if the opponent cannot capture it; false if it can and this side
    /// cannot recapture.
    #[inline(always)]
    fn exchange_by_effects(&self, mv: Move) -> Option<bool> {
        let (to, us, effects) = (mv.to(), self.side_to_move(), self.effects());
        // Sliders may reach the destination through the square that the piece leaves.
        let through = if mv.is_drop() { Bitboard::EMPTY } else { line(to, mv.from()) };
        if !effects.attacks(opponent(us), to) {
            let left = !mv.is_drop() && effects.attacks(opponent(us), mv.from());
            return (!left || !self.snipers(to, opponent(us)).intersects(through)).then_some(true);
        }
        // The moved piece itself attacks the destination. Sliders of its side may attack it through
        // a captor that leaves its place.
        let others = effects.count(us, to) > u8::from(!mv.is_drop());
        let sliders = self.snipers(to, us) - if mv.is_drop() { Bitboard::EMPTY } else { Bitboard::of(mv.from()) };
        (!others && sliders.is_empty() && self.pinned_of(opponent(us)).is_empty()).then_some(false)
    }

    /// The cheapest piece of a set, with its kind. Ties mirror with the colour, so that both
    /// colours get the same result.
    fn cheapest(&self, own: Bitboard, side: Color) -> Option<(Sq, PieceKind)> {
        if own.is_empty() {
            return None;
        }
        let first = |set: Bitboard| if side == Color::Black { set.first() } else { set.last() };
        CAPTORS.iter().find_map(|&kind| {
            let set = if kind == PieceKind::Gold { self.golds() } else { self.pieces(kind) };
            first(own & set).map(|sq| (sq, kind))
        })
    }

    /// The sliders of both sides that attack `to` through the square that a captor has left
    /// (X-rays).
    #[inline]
    fn uncovered(&self, to: Sq, left: Sq, occupied: Bitboard) -> Bitboard {
        let through = line(to, left);
        if through.is_empty() {
            return Bitboard::EMPTY;
        }
        let set = (self.snipers(to, Color::Black) | self.snipers(to, Color::White)) & through;
        if set.is_empty() {
            return set;
        }
        let reach = rook_attacks(to, occupied) | bishop_attacks(to, occupied);
        debug_assert!(lance_attacks(Color::Black, to, occupied) - reach == Bitboard::EMPTY);
        set & reach
    }
}
