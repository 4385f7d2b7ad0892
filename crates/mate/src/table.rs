//! The mate solver's hash table: what is known about a board and the attacker's hand.
//!
//! Entries of the same board are close together, so that a lookup also finds a proof with a smaller
//! hand or a disproof with a larger one (Nagai 2002). Without a free entry, the one that took the
//! fewest nodes is replaced, and searched again if needed.

use bytemuck::Zeroable;
use kiki_board::HandCounts;

use crate::proof::{Dependency, ProofState, TableKey};

/// Number of entries searched for a key. A board that recurs with many hands needs many entries.
/// With a smaller window, long mates that use up pieces lose their own proofs.
const WINDOW: usize = 64;

const OPEN: u8 = 1;
const PROVEN: u8 = 2;
const DISPROVEN: u8 = 3;
/// Disproven on lines with a given beginning.
const DISPROVEN_ON_LINE: u8 = 4;

#[derive(Clone, Copy, Zeroable)]
#[repr(C)]
struct MateEntry {
    board: u64,
    hand: HandCounts,
    /// The proof number; for a disproof on a line, the lower half of the hash of that line's
    /// beginning.
    first: u32,
    /// The disproof number; for a disproof on a line, the upper half.
    second: u32,
    work: u32,
    /// For an open or disproven position: the most plies that the mate might take.
    limit: u16,
    /// For a proven position: the plies of the mate. For a disproof on a line: the depth down to
    /// which the line must be the same.
    length: u16,
    /// For a disproof on a line: the shallowest depth that it depends on.
    shallowest: i16,
    state: u8,
    generation: u8,
}

const _: () = assert!(size_of::<MateEntry>() == 32);

impl MateEntry {
    fn line(&self) -> u64 {
        u64::from(self.first) | u64::from(self.second) << 32
    }

    /// Whether this entry contains all that an older entry of the same board does.
    fn supersedes(&self, old: &Self) -> bool {
        match (self.state, old.state) {
            (OPEN, OPEN) => self.hand == old.hand && self.limit == old.limit,
            (PROVEN, OPEN) => old.hand.covers(self.hand) && old.limit >= self.length,
            (PROVEN, PROVEN) => old.hand.covers(self.hand) && old.length >= self.length,
            (DISPROVEN, OPEN | DISPROVEN | DISPROVEN_ON_LINE) => self.hand.covers(old.hand) && old.limit <= self.limit,
            (DISPROVEN_ON_LINE, DISPROVEN_ON_LINE) => self.hand.covers(old.hand) && old.limit == self.limit,
            _ => false,
        }
    }
}

/// Number of tags compared at a time.
const TAGS_AT_ONCE: usize = 16;

pub(crate) struct MateTable {
    entries: Box<[MateEntry]>,
    /// A part of each entry's board key, 0 for an empty entry. It rules out most entries of a
    /// window without reading them.
    tags: Box<[u16]>,
    generation: u8,
    /// Whether it was cleared and has not been used since.
    is_clear: bool,
}

impl MateTable {
    /// A table of `mebibytes`, at least one. Smaller if the system lacks that much memory.
    pub(crate) fn new(mebibytes: usize) -> Self {
        const ENTRY: usize = size_of::<MateEntry>() + size_of::<u16>();
        let mut count = mebibytes.max(1).saturating_mul(1 << 20) / ENTRY;
        loop {
            match (bytemuck::try_zeroed_slice_box(count), bytemuck::try_zeroed_slice_box(count)) {
                (Ok(entries), Ok(tags)) => break Self { entries, tags, generation: 1, is_clear: false },
                _ => count = (count / 2).max(2 * WINDOW),
            }
        }
    }

    /// Clears all entries, unless none was stored since the last time. The memory stays committed.
    pub(crate) fn clear(&mut self) {
        if std::mem::replace(&mut self.is_clear, true) {
            return;
        }
        self.entries.fill(MateEntry::zeroed());
        self.tags.fill(0);
        self.generation = 1;
    }

    /// Starts a new generation: entries of earlier problems will be replaced first.
    pub(crate) fn age(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    #[inline(always)]
    fn start(&self, board: u64) -> usize {
        // The high bits of the key select the entry, so the table may have any size.
        ((u128::from(board) * (self.entries.len() - WINDOW) as u128) >> 64) as usize
    }

    /// Prefetches the tags of these boards, all at the same time.
    pub(crate) fn touch(&self, boards: impl Iterator<Item = u64>) {
        let ends = boards.map(|board| {
            let start = self.start(board);
            self.tags[start] ^ self.tags[start + WINDOW / 2] ^ self.tags[start + WINDOW - 1]
        });
        std::hint::black_box(ends.fold(0, |all, tags| all ^ tags));
    }

    /// The indices of the entries that may belong to a board.
    #[inline(always)]
    fn candidates(&self, board: u64) -> impl Iterator<Item = usize> + '_ {
        let start = self.start(board);
        let wanted = tag(board);
        let chunks = self.tags[start..start + WINDOW].chunks_exact(TAGS_AT_ONCE).enumerate();
        let found = move |chunk: &[u16]| chunk.iter().fold(false, |any, &tag| any | (tag == wanted));
        chunks.filter(move |(_, chunk)| found(chunk)).flat_map(move |(number, chunk)| {
            let first = start + number * TAGS_AT_ONCE;
            (first..).zip(chunk).filter(move |&(_, &tag)| tag == wanted).map(|(index, _)| index)
        })
    }

    /// What is known about a key. `line` returns the hash of the current line down to a depth.
    ///
    /// The numbers of the same board with other hands or limits are bounds. A larger hand or more
    /// plies are no easier to refute; a smaller hand or fewer plies are no easier to mate with.
    #[inline]
    pub(crate) fn probe(&self, key: TableKey, line: impl Fn(usize) -> Option<u64>) -> ProofState {
        let (mut proof, mut disproof) = (0, 0);
        let mut mate: Option<(HandCounts, u16)> = None;
        for entry in self.candidates(key.board).map(|index| &self.entries[index]) {
            if entry.board != key.board {
                continue;
            }
            let (no_more, no_less) = (entry.hand.covers(key.hand), key.hand.covers(entry.hand));
            match entry.state {
                PROVEN
                    if no_less && entry.length <= key.limit && mate.is_none_or(|(_, length)| entry.length < length) =>
                {
                    mate = Some((entry.hand, entry.length));
                }
                DISPROVEN if no_more && entry.limit >= key.limit => {
                    return ProofState::Disproven { hand: entry.hand, dependency: Dependency::NONE };
                }
                DISPROVEN_ON_LINE
                    if no_more && entry.limit == key.limit && line(usize::from(entry.length)) == Some(entry.line()) =>
                {
                    let dependency = Dependency { shallowest: entry.shallowest, deepest: entry.length as i16 };
                    return ProofState::Disproven { hand: entry.hand, dependency };
                }
                OPEN => {
                    let (no_more, no_less) = (no_more && entry.limit >= key.limit, no_less && entry.limit <= key.limit);
                    proof = if no_more { entry.first.max(proof) } else { proof };
                    disproof = if no_less { entry.second.max(disproof) } else { disproof };
                }
                _ => {}
            }
        }
        match mate {
            Some((hand, length)) => ProofState::Proven { hand, length },
            None if proof > 1 || disproof > 1 => ProofState::Open { proof: proof.max(1), disproof: disproof.max(1) },
            None => ProofState::Unknown,
        }
    }

    /// Stores what is known. `line` is the hash of the current line down to the depth of the
    /// dependency, `work` the nodes spent.
    pub(crate) fn store(&mut self, key: TableKey, state: ProofState, line: u64, work: u64) {
        let mut entry = MateEntry {
            board: key.board,
            hand: key.hand,
            limit: key.limit,
            generation: self.generation,
            work: u32::try_from(work).unwrap_or(u32::MAX),
            ..MateEntry::zeroed()
        };
        match state {
            ProofState::Unknown => return,
            ProofState::Open { proof, disproof } => (entry.state, entry.first, entry.second) = (OPEN, proof, disproof),
            ProofState::Proven { hand, length } => (entry.state, entry.hand, entry.length) = (PROVEN, hand, length),
            ProofState::Disproven { hand, dependency } if dependency.is_none() => {
                (entry.state, entry.hand) = (DISPROVEN, hand);
            }
            ProofState::Disproven { hand, dependency } => {
                (entry.state, entry.hand) = (DISPROVEN_ON_LINE, hand);
                (entry.first, entry.second) = (line as u32, (line >> 32) as u32);
                (entry.length, entry.shallowest) = (dependency.deepest() as u16, dependency.shallowest);
            }
        }
        self.insert(entry);
    }

    /// Protects the proof of a key from replacement as long as possible.
    pub(crate) fn keep(&mut self, key: TableKey) {
        let start = self.start(key.board);
        for entry in &mut self.entries[start..start + WINDOW] {
            let proves = entry.state == PROVEN && entry.board == key.board && key.hand.covers(entry.hand);
            if proves && entry.length <= key.limit {
                (entry.work, entry.generation) = (u32::MAX, self.generation);
            }
        }
    }

    fn insert(&mut self, mut new: MateEntry) {
        self.is_clear = false;
        let mut slot = None;
        let mut found = [0; WINDOW];
        let mut count = 0;
        for index in self.candidates(new.board) {
            (found[count], count) = (index, count + 1);
        }
        for &index in &found[..count] {
            let old = &mut self.entries[index];
            if old.board == new.board && new.supersedes(old) {
                if old.state == new.state {
                    new.work = new.work.max(old.work);
                }
                // The first such entry is replaced; others become the first to be replaced later.
                (old.work, old.generation) = (0, self.generation.wrapping_sub(1));
                slot.get_or_insert(index);
            }
        }
        let index = slot.unwrap_or_else(|| self.slot_in(self.start(new.board)));
        (self.entries[index], self.tags[index]) = (new, tag(new.board));
    }

    /// The index of a free entry in the window at `start`, or of the one that took the least work.
    fn slot_in(&self, start: usize) -> usize {
        let window = start..start + WINDOW;
        if let Some(free) = self.tags[window.clone()].iter().position(|&tag| tag == 0) {
            return start + free;
        }
        let worth = |index: &usize| (self.entries[*index].generation == self.generation, self.entries[*index].work);
        window.min_by_key(worth).unwrap_or(start)
    }
}

/// The part of a board's key that is compared first.
#[inline(always)]
fn tag(board: u64) -> u16 {
    (board as u16).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::UNLIMITED;
    use kiki_board::PieceKind::{self, Bishop, Gold, Pawn, Rook};

    const NOT_ON_LINE: fn(usize) -> Option<u64> = |_| None;

    fn hand(kinds: &[PieceKind]) -> HandCounts {
        kinds.iter().fold(HandCounts::NONE, |hand, &kind| hand.with(kind))
    }

    fn at(board: u64, kinds: &[PieceKind], limit: u16) -> TableKey {
        TableKey { board, hand: hand(kinds), limit }
    }

    #[test]
    fn a_mate_with_less_in_hand_is_a_mate_with_more() {
        let mut table = MateTable::new(1);
        let proven = ProofState::Proven { hand: hand(&[Gold]), length: 5 };
        table.store(at(7, &[Pawn, Gold], UNLIMITED), proven, 0, 10);
        for kinds in [&[Gold][..], &[Gold, Pawn], &[Gold, Gold, Rook]] {
            assert_eq!(table.probe(at(7, kinds, UNLIMITED), NOT_ON_LINE), proven);
            assert_eq!(table.probe(at(7, kinds, 5), NOT_ON_LINE), proven);
            assert_eq!(table.probe(at(7, kinds, 4), NOT_ON_LINE), ProofState::Unknown, "the mate takes longer");
        }
        assert_eq!(table.probe(at(7, &[Pawn], UNLIMITED), NOT_ON_LINE), ProofState::Unknown);
        assert_eq!(table.probe(at(8, &[Gold], UNLIMITED), NOT_ON_LINE), ProofState::Unknown);
        let shorter = ProofState::Proven { hand: hand(&[Gold, Bishop]), length: 3 };
        table.store(at(7, &[Gold, Bishop], UNLIMITED), shorter, 0, 1);
        assert_eq!(table.probe(at(7, &[Gold, Bishop], UNLIMITED), NOT_ON_LINE), shorter);
    }

    #[test]
    fn no_mate_with_more_in_hand_is_no_mate_with_less_nor_in_fewer_plies() {
        let mut table = MateTable::new(1);
        let disproven = ProofState::Disproven { hand: hand(&[Gold, Rook]), dependency: Dependency::NONE };
        table.store(at(7, &[Gold], 9), disproven, 0, 10);
        for kinds in [&[][..], &[Gold], &[Rook]] {
            assert_eq!(table.probe(at(7, kinds, 9), NOT_ON_LINE), disproven);
            assert_eq!(table.probe(at(7, kinds, 7), NOT_ON_LINE), disproven);
            assert_eq!(table.probe(at(7, kinds, 11), NOT_ON_LINE), ProofState::Unknown);
        }
        assert_eq!(table.probe(at(7, &[Pawn], 9), NOT_ON_LINE), ProofState::Unknown);
    }

    #[test]
    fn a_disproof_by_repetition_is_found_only_on_lines_that_begin_alike() {
        let mut table = MateTable::new(1);
        let dependency = Dependency::on(2).and(Dependency::on(5));
        let disproven = ProofState::Disproven { hand: hand(&[Pawn]), dependency };
        table.store(at(7, &[Pawn], UNLIMITED), disproven, 12345, 10);
        let line = |depth| (depth == 5).then_some(12345);
        assert_eq!(table.probe(at(7, &[], UNLIMITED), line), disproven);
        assert_eq!(table.probe(at(7, &[], UNLIMITED), |_| Some(54321)), ProofState::Unknown);
        assert_eq!(table.probe(at(7, &[], UNLIMITED), NOT_ON_LINE), ProofState::Unknown);
    }

    #[test]
    fn numbers_of_other_hands_and_limits_are_bounds() {
        let mut table = MateTable::new(1);
        table.store(at(7, &[Gold], UNLIMITED), ProofState::Open { proof: 6, disproof: 4 }, 0, 10);
        let probe = |kinds: &[PieceKind]| table.probe(at(7, kinds, UNLIMITED), NOT_ON_LINE);
        assert_eq!(probe(&[Gold]), ProofState::Open { proof: 6, disproof: 4 });
        assert_eq!(probe(&[Gold, Pawn]), ProofState::Open { proof: 1, disproof: 4 });
        assert_eq!(probe(&[]), ProofState::Open { proof: 6, disproof: 1 });
        assert_eq!(probe(&[Rook]), ProofState::Unknown);
        table.store(at(8, &[Gold], 9), ProofState::Open { proof: 6, disproof: 4 }, 0, 10);
        let within = |limit| table.probe(at(8, &[Gold], limit), NOT_ON_LINE);
        assert_eq!(within(9), ProofState::Open { proof: 6, disproof: 4 });
        assert_eq!(within(7), ProofState::Open { proof: 6, disproof: 1 }, "it is not easier in fewer plies");
        assert_eq!(within(11), ProofState::Open { proof: 1, disproof: 4 }, "nor easier to refute in more");
    }

    #[test]
    fn what_is_stored_after_one_clearing_is_gone_after_the_next() {
        let mut table = MateTable::new(1);
        let key = at(7, &[Gold], UNLIMITED);
        for _ in 0..2 {
            table.store(key, ProofState::Open { proof: 6, disproof: 4 }, 0, 10);
            table.clear();
            assert_eq!(table.probe(key, NOT_ON_LINE), ProofState::Unknown);
            table.clear();
        }
    }

    #[test]
    fn a_full_neighbourhood_gives_up_what_took_least_work() {
        let mut table = MateTable::new(1);
        let open = ProofState::Open { proof: 2, disproof: 2 };
        // Keys this small share the same window of entries.
        for board in 1..=WINDOW as u64 {
            table.store(at(board, &[], UNLIMITED), open, 0, 100 + board);
        }
        table.store(at(100, &[], UNLIMITED), open, 0, 1);
        assert_eq!(table.probe(at(1, &[], UNLIMITED), NOT_ON_LINE), ProofState::Unknown);
        assert_eq!(table.probe(at(100, &[], UNLIMITED), NOT_ON_LINE), open);
        table.age();
        table.store(at(100, &[], UNLIMITED), open, 0, 1);
        table.store(at(101, &[], UNLIMITED), open, 0, 1);
        assert_eq!(table.probe(at(100, &[], UNLIMITED), NOT_ON_LINE), open, "what is old goes first");
    }
}
