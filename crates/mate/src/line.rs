//! The moves of a mate, once it is proven.

use kiki_board::{CheckInfo, Choice, Move, Position};

use crate::proof::Knowledge;
use crate::search::Search;

/// Nodes that may be spent on shortening whatever the proof took.
const LEAST_BUDGET: u64 = 300_000;
/// Nodes that may be spent on parts of the proof that the table has lost.
const REPAIR_BUDGET: u64 = 50_000;

impl Search<'_> {
    /// Looks for shorter mates than one of `length` plies for about as long as that took to find. Returns the length of the shortest.
    ///
    /// A mate in at most so many plies is another problem, and an easier one: no line of it goes deep.
    pub(crate) fn shorten(&mut self, mut length: u16) -> u16 {
        let end = self.nodes + self.nodes.max(LEAST_BUDGET);
        let mut step = first_step(length);
        // A mate in one is seen before any in three.
        while length > 3 && !self.cancelled && self.nodes < end {
            self.most_nodes = self.nodes + (end - self.nodes).div_ceil(2);
            match self.run((length - step) | 1).0 {
                Knowledge::Proven { length: shorter, .. } => {
                    length = shorter;
                    step = first_step(length);
                }
                _ if step == 2 => break,
                _ => step = (step / 2 & !1).max(2),
            }
        }
        length
    }

    /// A line of the mate in at most `limit` plies that the current position, the attacker to move, is known to have: checks that are
    /// known to mate soonest, defences that are known to hold out longest. None if too much of the proof was lost.
    pub(crate) fn line(&mut self, limit: u16) -> Option<Vec<Move>> {
        self.most_nodes = self.nodes + REPAIR_BUDGET;
        self.obedient = false;
        let mut line = Vec::new();
        let complete = self.extend(&mut line, limit).is_some();
        line.iter().for_each(|_| self.position.unmake());
        (complete && is_mate(self.position, &line)).then_some(line)
    }

    /// Plays a line to its end. Every move leaves a smaller limit, so there is one.
    fn extend(&mut self, line: &mut Vec<Move>, mut limit: u16) -> Option<()> {
        loop {
            let (mv, left) = self.soonest_mate(limit)?;
            self.position.make(mv);
            line.push(mv);
            if self.position.is_checkmate() {
                return Some(());
            }
            let (mv, left) = self.longest_defence(left)?;
            self.position.make(mv);
            line.push(mv);
            limit = left;
        }
    }

    /// The check after which the mate takes the fewest plies, and how many.
    fn soonest_mate(&mut self, limit: u16) -> Option<(Move, u16)> {
        let start = self.list.len();
        let info = CheckInfo::new(self.position);
        self.position.all_checks(&mut self.list, &info, Choice::All);
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
            (Knowledge::Proven { length, .. }, mv) => Some((mv, length - 1)),
            _ => None,
        })
    }

    /// The answer to a check after which the mate takes the most plies, and how many.
    fn longest_defence(&mut self, limit: u16) -> Option<(Move, u16)> {
        let limit = limit.checked_sub(1)?;
        let start = self.list.len();
        self.position.evasions(&mut self.list, Choice::All);
        let defences = self.list[start..].to_vec();
        self.list.truncate(start);
        let mut longest: Option<(Move, u16)> = None;
        for mv in defences {
            self.position.make(mv);
            let left = self.known_length(limit).or_else(|| self.proven_length(limit));
            self.position.unmake();
            let left = left?;
            if longest.is_none_or(|(_, most)| left > most) {
                longest = Some((mv, left));
            }
        }
        longest
    }

    /// The length of the mate that the table knows the current position to have, if within the limit.
    fn known_length(&self, limit: u16) -> Option<u16> {
        match self.known(self.place(limit)) {
            Knowledge::Proven { length, .. } => Some(length),
            _ => None,
        }
    }

    /// The same, found out by a search.
    fn proven_length(&mut self, limit: u16) -> Option<u16> {
        match self.run(limit).0 {
            Knowledge::Proven { length, .. } => Some(length),
            _ => None,
        }
    }
}

/// Large steps for long mates: these often hold needless detours.
fn first_step(length: u16) -> u16 {
    (length / 4 & !1).max(2)
}


/// Whether a line is a mate by checks: all moves legal, every other one from the first on a check, the last one mate. (Whether the
/// defender could have done better is another question.)
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
