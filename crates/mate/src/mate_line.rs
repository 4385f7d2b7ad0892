//! The moves of a mate, after it is proven.

use kiki_board::{CheckInfo, Move, Position, PromotionChoice};

use crate::proof::ProofState;
use crate::search::MateSearch;

/// The least number of nodes that may be spent on looking for a shorter mate, and on proving again what the table has lost. Where the
/// first proof took more nodes, as many may be spent.
const LEAST_BUDGET: u64 = 1_000_000;
/// Nodes that may be spent on finding the longest defence: along the whole line, and in one search.
const DEFENCE_BUDGET: u64 = 200_000;
const DEFENCE_STEP: u64 = 20_000;

impl MateSearch<'_> {
    /// The moves of the mate just proven, in at most `length` plies, or of a shorter mate: shorter ones are looked for about as long as it
    /// took to find the first. `None` if the table has lost too much of the proof.
    ///
    /// Each search for a mate within fewer plies is easier than the first, as its lines end early.
    pub(crate) fn shortest_line(&mut self, mut length: u16) -> Option<Vec<Move>> {
        // First of all, because a stop may come at any time: then this is the answer.
        let mut best = self.line(length, 0);
        let end = self.nodes + self.nodes.max(LEAST_BUDGET);
        let mut step = first_step(length);
        // Mates in one are found when a position is expanded, so a mate in three plies is the shortest.
        while length > 3 && !self.cancelled && self.nodes < end {
            self.most_nodes = self.nodes + (end - self.nodes).div_ceil(2);
            match self.run((length - step) | 1).0 {
                ProofState::Proven { length: shorter, .. } => {
                    length = shorter;
                    step = first_step(length);
                    best = self.line(length, 0).or(best);
                }
                _ if step == 2 => break,
                _ => step = ((step / 2) & !1).max(2),
            }
        }
        self.line(length, DEFENCE_BUDGET).or(best)
    }

    /// A line of the mate in at most `limit` plies that the current position, the attacker to move, is known to have: the checks with the
    /// shortest known mates, the defences with the longest. `None` if the table has lost too much of the proof.
    ///
    /// Up to `budget` nodes are spent on comparing the defences.
    fn line(&mut self, limit: u16, budget: u64) -> Option<Vec<Move>> {
        let mut line = Vec::new();
        let complete = self.extend(&mut line, limit, self.nodes + budget).is_some();
        line.iter().for_each(|_| self.position.unmake());
        (complete && is_mate(self.position, &line)).then_some(line)
    }

    /// Plays the line to the mate. The limit shrinks with every move, so this ends.
    fn extend(&mut self, line: &mut Vec<Move>, mut limit: u16, compare_until: u64) -> Option<()> {
        loop {
            self.most_nodes = self.nodes + self.nodes.max(LEAST_BUDGET);
            let (mv, left) = self.soonest_mate(limit)?;
            self.position.make(mv);
            line.push(mv);
            if self.position.is_checkmate() {
                return Some(());
            }
            let mut defences = self.defences(left.checked_sub(1)?)?;
            let longest = self.longest(&mut defences, compare_until);
            self.position.make(longest.mv);
            line.push(longest.mv);
            limit = longest.left;
        }
    }

    /// The check with the shortest known mate, and how many plies that takes after it.
    fn soonest_mate(&mut self, limit: u16) -> Option<(Move, u16)> {
        let start = self.list.len();
        let info = CheckInfo::new(self.position);
        self.position.all_checks(&mut self.list, &info, PromotionChoice::All);
        let mut soonest: Option<(Move, u16)> = None;
        for index in start..self.list.len() {
            let mv = self.list[index];
            self.position.make(mv);
            let left = if self.position.is_checkmate() { Some(0) } else { self.known_length(limit.checked_sub(1)?) };
            self.position.unmake();
            if let Some(left) = left
                && soonest.is_none_or(|(_, least)| left < least)
            {
                soonest = Some((mv, left));
            }
        }
        self.list.truncate(start);
        soonest.or_else(|| match self.run(limit) {
            (ProofState::Proven { length, .. }, mv) => Some((mv, length - 1)),
            _ => None,
        })
    }

    /// All answers to a check, each with the plies that the mate after it takes. `None` if one of them could not be proven again.
    fn defences(&mut self, limit: u16) -> Option<Vec<Defence>> {
        let start = self.list.len();
        self.position.evasions(&mut self.list, PromotionChoice::All);
        let moves = self.list[start..].to_vec();
        self.list.truncate(start);
        let mut defences = Vec::with_capacity(moves.len());
        for mv in moves {
            self.position.make(mv);
            let left = self.known_length(limit).or_else(|| self.proven_length(limit));
            self.position.unmake();
            defences.push(Defence { mv, left: left? });
        }
        Some(defences)
    }

    /// The answer that delays the mate longest. The known lengths are upper bounds, so while nodes may be spent, a search looks for a
    /// shorter mate after the answer with the greatest bound.
    fn longest(&mut self, defences: &mut [Defence], compare_until: u64) -> Defence {
        let best =
            |defences: &[Defence]| (0..defences.len()).rev().max_by_key(|&index| defences[index].left).unwrap_or(0);
        loop {
            let index = best(defences);
            let Defence { mv, left } = defences[index];
            if left < 3 || self.nodes >= compare_until || defences.len() == 1 {
                return defences[index];
            }
            self.most_nodes = compare_until.min(self.nodes + DEFENCE_STEP);
            self.position.make(mv);
            let shorter = self.proven_length(left - 2);
            self.position.unmake();
            match shorter {
                Some(shorter) => defences[index].left = shorter,
                None => return defences[index],
            }
        }
    }

    /// The length in plies of a mate within the limit that the table knows for the current position.
    fn known_length(&self, limit: u16) -> Option<u16> {
        match self.known(self.key(limit)) {
            ProofState::Proven { length, .. } => Some(length),
            _ => None,
        }
    }

    /// The same, found by a search.
    fn proven_length(&mut self, limit: u16) -> Option<u16> {
        match self.run(limit).0 {
            ProofState::Proven { length, .. } => Some(length),
            _ => None,
        }
    }
}

/// An answer to a check.
#[derive(Clone, Copy)]
struct Defence {
    mv: Move,
    /// Plies of the known mate after it.
    left: u16,
}

/// By how many plies to shorten the next search first. Long mates often contain detours, so their steps are larger.
fn first_step(length: u16) -> u16 {
    ((length / 4) & !1).max(2)
}

/// Whether a line is a mate by checks: all moves are legal, the attacker's moves (the first, third and so on) give check, and the last
/// one mates. Better defences are not looked for.
///
/// ```
/// use kiki_board::Position;
///
/// let mut position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1")?;
/// let mate = [position.parse_move("G*5b")?];
/// assert!(kiki_mate::is_mate(&mut position, &mate));
/// assert!(!kiki_mate::is_mate(&mut position, &[]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn is_mate(position: &mut Position, line: &[Move]) -> bool {
    let mut played = 0;
    for (ply, &mv) in line.iter().enumerate() {
        if !position.is_legal(mv) || (ply % 2 == 0 && !position.gives_check(mv)) {
            break;
        }
        position.make(mv);
        played += 1;
    }
    let mate = played == line.len() && played % 2 == 1 && position.is_checkmate();
    (0..played).for_each(|_| position.unmake());
    mate
}
