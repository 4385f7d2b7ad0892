//! Static exchange evaluation (SEE): what a series of captures on one square gains.

use crate::tables::{bishop_attacks, lance_attacks, line, rook_attacks};
use crate::{Bitboard, ByKind, Cell, Color, Move, PieceKind, Position, Sq, opponent};

/// The value of a capture in centipawns, half of the shift in the balance of material: the mean of the piece's value on the board and
/// the value of what enters the captor's hand. A test of the evaluation compares this table with its material. The king's value only has
/// to exceed everything that can be won.
const EXCHANGE: ByKind<i32> = ByKind::new(0, [91, 301, 342, 490, 538, 738, 892, 15_000, 302, 423, 425, 492, 837, 1042]);

/// In centipawns: half of what the balance of material shifts when a piece promotes; 0 for a kind that does not. A piece that
/// promotes and is taken then costs what the unpromoted one costs.
const PROMOTION: ByKind<i32> = {
    const fn gain(kind: PieceKind, promoted: PieceKind) -> i32 {
        EXCHANGE.get(promoted) - EXCHANGE.get(kind)
    }
    let pawn = gain(PieceKind::Pawn, PieceKind::ProPawn);
    let lance = gain(PieceKind::Lance, PieceKind::ProLance);
    let knight = gain(PieceKind::Knight, PieceKind::ProKnight);
    let silver = gain(PieceKind::Silver, PieceKind::ProSilver);
    let bishop = gain(PieceKind::Bishop, PieceKind::ProBishop);
    let rook = gain(PieceKind::Rook, PieceKind::ProRook);
    ByKind::new(0, [pawn, lance, knight, silver, 0, bishop, rook, 0, 0, 0, 0, 0, 0, 0])
};

/// In capturing order: cheapest first.
const ORDER: [PieceKind; 14] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::ProPawn,
    PieceKind::Knight,
    PieceKind::ProLance,
    PieceKind::ProKnight,
    PieceKind::Silver,
    PieceKind::ProSilver,
    PieceKind::Gold,
    PieceKind::Bishop,
    PieceKind::ProBishop,
    PieceKind::Rook,
    PieceKind::ProRook,
    PieceKind::King,
];

/// The value of a piece in an exchange, in centipawns; 0 for an empty square. Its capture shifts the material balance by twice as much.
#[must_use]
#[inline(always)]
pub fn exchange_value(cell: Cell) -> i32 {
    EXCHANGE[cell]
}

impl Position {
    /// What a legal move gains by its capture and promotion alone, in centipawns.
    #[must_use]
    #[inline(always)]
    pub fn immediate_gain(&self, mv: Move) -> i32 {
        let promotion = if mv.is_promotion() { PROMOTION[self.cell(mv.from())] } else { 0 };
        exchange_value(self.cell(mv.to())) + promotion
    }

    /// Static exchange evaluation: whether a legal move and the captures that follow on its destination gain `threshold` centipawns or
    /// more. Both sides capture with their cheapest piece and stop when that is better for them. Pins are ignored, but a king does not
    /// capture a defended piece.
    #[must_use]
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        let (to, us) = (mv.to(), self.side_to_move());
        let surplus = self.immediate_gain(mv) - threshold;
        if surplus < 0 {
            return false;
        }
        // What the side to capture next would gain, counted from where the threshold is just met.
        let mut at_stake = exchange_value(self.arriving(mv)) - surplus;
        if at_stake <= 0 {
            return true;
        }
        if let Some(decided) = self.exchange_by_effects(mv) {
            return decided;
        }
        let mut occupied = self.occupied() | Bitboard::of(to);
        if !mv.is_drop() {
            occupied = occupied - Bitboard::of(mv.from());
        }
        let mut attackers = self.attackers(to, occupied) & occupied;
        let mut side = us;
        // Whether the threshold is met if nobody captures any more.
        let mut met = true;
        loop {
            side = opponent(side);
            let Some((from, kind)) = self.cheapest(attackers & self.pieces_of(side), side) else { break };
            if kind == PieceKind::King && (attackers & self.pieces_of(opponent(side))).any() {
                // It would be taken.
                break;
            }
            met = !met;
            at_stake = EXCHANGE[kind] - at_stake;
            // Even losing the captor leaves this side where it wants to be.
            if at_stake < i32::from(met) {
                break;
            }
            occupied = occupied - Bitboard::of(from);
            attackers = (attackers | self.uncovered(to, from, occupied)) & occupied;
        }
        met
    }

    /// Decides an exchange from the effect counts where they suffice. Losing the moved piece must miss the threshold. True if the opponent
    /// cannot capture it; false if it can and this side cannot recapture.
    #[inline(always)]
    fn exchange_by_effects(&self, mv: Move) -> Option<bool> {
        let (to, us, effects) = (mv.to(), self.side_to_move(), self.effects());
        // Sliders may reach the destination through the square that the piece leaves.
        let through = if mv.is_drop() { Bitboard::EMPTY } else { line(to, mv.from()) };
        if !effects.attacks(opponent(us), to) {
            let left = !mv.is_drop() && effects.attacks(opponent(us), mv.from());
            return (!left || !self.snipers(to, opponent(us)).intersects(through)).then_some(true);
        }
        // The piece attacks its destination itself; sliders of its side also through a captor that leaves its place.
        let others = effects.count(us, to) > u8::from(!mv.is_drop());
        let sliders = self.snipers(to, us) - if mv.is_drop() { Bitboard::EMPTY } else { Bitboard::of(mv.from()) };
        (!others && sliders.is_empty()).then_some(false)
    }

    /// The cheapest piece of a set, with its kind. Among several of that kind the choice mirrors with the colour, so that both colours
    /// get the same result.
    fn cheapest(&self, own: Bitboard, side: Color) -> Option<(Sq, PieceKind)> {
        if own.is_empty() {
            return None;
        }
        let first = |set: Bitboard| if side == Color::Black { set.first() } else { set.last() };
        ORDER.iter().find_map(|&kind| first(own & self.pieces(kind)).map(|sq| (sq, kind)))
    }

    /// The sliders of both sides that attack `to` through the square that a captor has left (X-rays).
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
