//! One entry of the transposition table, and its packed form of 64 bits.

use kiki_board::Move;

use crate::value::{Bound, MATE_BOUND, Value};

/// What the table knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TableEntry {
    /// The best move or the one that cut; none if nothing is known.
    pub(crate) mv: Move,
    /// For the side to move. In memory mate distances count from the position itself, outside from the root.
    pub(crate) value: Value,
    /// The static evaluation before corrections; `NONE` in check.
    pub(crate) eval: Value,
    /// Plies that were searched below the position.
    pub(crate) depth: i32,
    /// Whether `value` is exact.
    pub(crate) bound: Bound,
    /// Whether the position was part of a principal variation.
    pub(crate) pv: bool,
}

impl TableEntry {
    /// Table cutoff: whether the stored value decides if the position reaches `beta`.
    #[inline(always)]
    pub(crate) fn causes_cutoff(&self, beta: Value) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value < beta,
        }
    }

    /// Whether the stored value tells more than the static evaluation `eval`: it is a bound on the other side of it, and no mate.
    #[inline(always)]
    pub(crate) fn improves_evaluation(&self, eval: Value) -> bool {
        self.value.abs() < MATE_BOUND
            && match self.bound {
                Bound::Exact => true,
                Bound::Lower => self.value > eval,
                Bound::Upper => self.value < eval,
            }
    }

    /// Whether this entry replaces an older one of the same position. The older move is kept if this entry has none.
    pub(super) fn supersedes(&mut self, old: &Self, same_search: bool) -> bool {
        if self.mv.is_none() {
            self.mv = old.mv;
        }
        self.bound == Bound::Exact || !same_search || self.depth + 3 + 2 * i32::from(self.pv) > old.depth
    }
}

/// Move 16 bits, value 16, evaluation 16, depth 8, generation 5, principal variation 1, bound 2.
pub(super) fn pack(entry: &TableEntry, generation: u8) -> u64 {
    let bound = match entry.bound {
        Bound::Upper => 1,
        Bound::Lower => 2,
        Bound::Exact => 3,
    };
    u64::from(entry.mv.bits())
        | u64::from(entry.value as i16 as u16) << 16
        | u64::from(entry.eval as i16 as u16) << 32
        | u64::from(entry.depth as i8 as u8) << 48
        | u64::from(generation << 3 | u8::from(entry.pv) << 2 | bound) << 56
}

/// The entry that [`pack`] was given.
pub(super) fn unpack(data: u64) -> TableEntry {
    let flags = (data >> 56) as u8;
    TableEntry {
        mv: Move::from_bits(data as u16),
        value: Value::from((data >> 16) as u16 as i16),
        eval: Value::from((data >> 32) as u16 as i16),
        depth: i32::from((data >> 48) as u8 as i8),
        bound: match flags & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        },
        pv: flags & 4 != 0,
    }
}

/// The generation that [`pack`] was given.
pub(super) fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

/// A value whose mate distance counts from the root, as it is stored: counting from the position, `ply` plies below the root.
pub(super) fn to_table(value: Value, ply: usize) -> Value {
    match value {
        MATE_BOUND.. => value + ply as Value,
        _ if value <= -MATE_BOUND => value - ply as Value,
        _ => value,
    }
}

/// The inverse of [`to_table`].
pub(super) fn from_table(value: Value, ply: usize) -> Value {
    match value {
        MATE_BOUND.. => value - ply as Value,
        _ if value <= -MATE_BOUND => value + ply as Value,
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_unpacked_as_it_was_packed() {
        for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
            for (value, eval, depth, pv) in
                [(0, 0, 0, false), (-32_000, 32_002, -1, true), (31_999, -25_000, 126, false)]
            {
                let entry = TableEntry { mv: Move::from_bits(0xabcd), value, eval, depth, bound, pv };
                let data = pack(&entry, 29);
                assert_eq!((unpack(data), generation_of(data)), (entry, 29));
            }
        }
    }

    #[test]
    fn a_bound_cuts_on_its_own_side_of_beta_only() {
        let cuts = |bound, value| {
            let entry = TableEntry { mv: Move::NONE, value, eval: 0, depth: 1, bound, pv: false };
            entry.causes_cutoff(100)
        };
        assert!(cuts(Bound::Exact, 0) && cuts(Bound::Exact, 200));
        assert!(cuts(Bound::Lower, 100) && !cuts(Bound::Lower, 99));
        assert!(cuts(Bound::Upper, 99) && !cuts(Bound::Upper, 100));
    }
}
