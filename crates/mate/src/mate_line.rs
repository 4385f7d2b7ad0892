//! The moves of a proven mate.
//!
//! The length of a line bounds the mate from above, whatever the defence. The table's lengths are
//! upper bounds. Where two lines lead to one position, the bound may shrink behind a move that was
//! chosen for it. So lines are refined: when the mate after a defence proves shorter, the defences
//! are compared again.

use std::collections::HashMap;

use kiki_board::{CheckInfo, HandCounts, Move, Position, PromotionChoice};

use crate::proof::ProofState;
use crate::search::MateSearch;

/// Number of nodes to prove again what the table has lost, and the least number to look for a
/// shorter mate. A first proof that took more nodes allows as many for a shorter mate.
const LEAST_BUDGET: u64 = 1_000_000;
/// Number of nodes to find the longest defence: along the whole line, and in one search.
const DEFENCE_BUDGET: u64 = 200_000;
const DEFENCE_STEP: u64 = 20_000;

impl MateSearch<'_> {
    /// The moves of the mate just proven, in at most `length` plies, or of a shorter mate; and
    /// whether the mate is proven shortest. The search for shorter mates takes about as long as the
    /// first, or with `to_the_end` as long as necessary. `None` if the table has lost too much of
    /// the proof.
    ///
    /// Each search for a shorter mate is easier than the first, as its lines end early.
    pub(crate) fn shortest_line(&mut self, length: u16, to_the_end: bool) -> Option<(Vec<Move>, bool)> {
        // First, as a stop may come at any time: then this is the answer.
        let mut best = self.line(length, u64::MAX, 0)?;
        let end = if to_the_end { u64::MAX } else { self.nodes + self.nodes.max(LEAST_BUDGET) };
        let mut step = first_step(best.len());
        // Expanding a position finds mates in one, so a mate in three plies is the shortest.
        let mut shortest = best.len() <= 3;
        while !shortest && !self.cancelled && self.nodes < end {
            // Large steps usually fail, and only the last step must be decided.
            let share = (end - self.nodes).div_ceil(2);
            let last = to_the_end && step == 2;
            self.most_nodes = self.nodes + if last { share } else { share.min((self.nodes / 8).max(LEAST_BUDGET / 2)) };
            let shorter = (best.len() - step) as u16;
            match self.run(shorter).0 {
                ProofState::Proven { length, .. } => {
                    let Some(line) = self.line(length, u64::MAX, 0) else { break };
                    best = line;
                    step = first_step(best.len());
                    shortest = best.len() <= 3;
                }
                state if step == 2 && state.is_refuted() => shortest = true,
                _ if step == 2 => break,
                _ => step = ((step / 2) & !1).max(2),
            }
        }
        let best = self.line(best.len() as u16, LEAST_BUDGET, DEFENCE_BUDGET).unwrap_or(best);
        Some((best, shortest))
    }

    /// A line of the known mate in at most `limit` plies, with the attacker to move. The length of
    /// the line, and of its rest after each of its moves, is an upper bound of the mate, whatever
    /// the defence. `None` if the table has lost too much of the proof.
    ///
    /// To prove again what the table has lost takes up to `proving` nodes each time. To compare
    /// defences of equal bounds takes up to `comparing` nodes.
    pub(crate) fn line(&mut self, limit: u16, proving: u64, comparing: u64) -> Option<Vec<Move>> {
        let compare_until = self.nodes.saturating_add(comparing);
        let mut known = KnownSteps { proving, compare_until, ..KnownSteps::default() };
        let mut length = limit;
        loop {
            known.steps.clear();
            known.stale = false;
            length = self.refine(&mut known, length)?;
            if !known.stale {
                break;
            }
        }
        let mut line = Vec::new();
        while let Some(step) = known.steps.get(&self.place()) {
            for mv in [step.check, step.defence].into_iter().filter(|&mv| mv != Move::NONE) {
                line.push(mv);
                self.position.make(mv);
            }
        }
        line.iter().for_each(|_| self.position.unmake());
        (line.len() == usize::from(length) && is_mate(self.position, &line)).then_some(line)
    }

    /// Like [`Self::line`] for the mate that begins with `check`, in at most `limit` plies
    /// including it.
    pub(crate) fn line_with(&mut self, check: Move, limit: u16) -> Option<Vec<Move>> {
        if limit == 1 {
            return Some(vec![check]).filter(|line| is_mate(self.position, line));
        }
        let known = KnownSteps { proving: u64::MAX, ..KnownSteps::default() };
        self.position.make(check);
        let defences = self.defences(&known, limit - 2);
        let replies = defences.map(|defences| {
            let mut point = LinePoint { check, defences, chosen: 0 };
            loop {
                let Some(defence) = self.choose(0, &mut point) else { return Some(Vec::new()) };
                self.position.make(defence.mv);
                let line = self.line(defence.left, u64::MAX, 0);
                self.position.unmake();
                let line = line?;
                if line.len() == usize::from(defence.left) {
                    return Some([&[defence.mv][..], &line].concat());
                }
                point.refine(line.len() as u16);
            }
        });
        self.position.unmake();
        let line = [&[check][..], &replies??].concat();
        is_mate(self.position, &line).then_some(line)
    }

    /// Finds the first two moves and the length of the line from here and from every later
    /// attacker's position on it. Returns the length.
    fn refine(&mut self, known: &mut KnownSteps, limit: u16) -> Option<u16> {
        let mut points = Vec::new();
        let length = self.refine_points(known, &mut points, limit);
        // The checks on the way, and the defences between them.
        (1..2 * points.len()).for_each(|_| self.position.unmake());
        length
    }

    fn refine_points(&mut self, known: &mut KnownSteps, points: &mut Vec<LinePoint>, limit: u16) -> Option<u16> {
        points.push(self.check(known, limit)?);
        while let Some(point) = points.last_mut() {
            let check = point.check;
            let (defence, length) = match self.choose(known.compare_until, point) {
                None => (Move::NONE, 1),
                Some(Defence { mv, left, refined: true, .. }) => (mv, left + 2),
                Some(Defence { mv, left, .. }) => {
                    self.position.make(mv);
                    match known.steps.get(&self.place()).filter(|step| step.length <= left) {
                        Some(step) => {
                            self.position.unmake();
                            point.refine(step.length);
                        }
                        None => match self.check(known, left) {
                            Some(next) => points.push(next),
                            None => {
                                self.position.unmake();
                                return None;
                            }
                        },
                    }
                    continue;
                }
            };
            points.pop();
            self.position.unmake();
            known.learn(self.place(), LineStep { check, defence, length });
            match points.last_mut() {
                Some(before) => {
                    self.position.unmake();
                    before.refine(length);
                }
                None => return Some(length),
            }
        }
        None
    }

    /// Makes the check with the shortest known mate within `limit` plies, and lists all answers to
    /// it. `None`, without a move made, if the mate cannot be proven again.
    fn check(&mut self, known: &KnownSteps, limit: u16) -> Option<LinePoint> {
        self.most_nodes = self.nodes.saturating_add(known.proving);
        let (check, left) = self.soonest_mate(limit)?;
        self.position.make(check);
        let defences = if left == 0 { Some(Vec::new()) } else { self.defences(known, left - 1) };
        if defences.is_none() {
            self.position.unmake();
        }
        Some(LinePoint { check, defences: defences?, chosen: 0 })
    }

    /// The check with the shortest known mate, and the number of plies of the mate after it.
    fn soonest_mate(&mut self, limit: u16) -> Option<(Move, u16)> {
        let start = self.list.len();
        let info = CheckInfo::new(self.position);
        self.position.all_checks(&mut self.list, &info, PromotionChoice::All);
        let mut soonest: Option<(Move, u16)> = None;
        for index in start..self.list.len() {
            let mv = self.list[index];
            self.position.make(mv);
            let left = if self.position.is_checkmate() { Some(0) } else { self.known(self.key(limit - 1)).length() };
            self.position.unmake();
            if let Some(left) = left
                && soonest.is_none_or(|(_, least)| left < least)
            {
                soonest = Some((mv, left));
            }
        }
        self.list.truncate(start);
        soonest.or_else(|| {
            let (state, mv) = self.run(limit);
            Some((mv, state.length()? - 1))
        })
    }

    /// All answers to a check, each with the plies of the mate after it. `None` if one of them
    /// cannot be proven again.
    fn defences(&mut self, known: &KnownSteps, limit: u16) -> Option<Vec<Defence>> {
        let start = self.list.len();
        self.position.evasions(&mut self.list, PromotionChoice::All);
        let moves = self.list[start..].to_vec();
        self.list.truncate(start);
        let mut defences = Vec::with_capacity(moves.len());
        for mv in moves {
            self.position.make(mv);
            let key = self.key(limit);
            let bound = self.known(key).length().or_else(|| self.run(limit).0.length());
            self.table.keep(key);
            let learned = known.lengths.get(&self.place()).copied().unwrap_or(u16::MAX);
            self.position.unmake();
            defences.push(Defence { mv, left: bound?.min(learned), refined: false, longest: None });
        }
        Some(defences)
    }

    /// The answer that delays the mate longest; `None` if there is no answer. Of equal bounds,
    /// prefers one whose bound is known to be the length, then one whose line is known.
    fn choose(&mut self, compare_until: u64, point: &mut LinePoint) -> Option<Defence> {
        loop {
            let most = point.defences.iter().map(|defence| defence.left).max()?;
            let equals = |index: &usize| point.defences[*index].left == most;
            let mut equals: Vec<usize> = (0..point.defences.len()).filter(equals).collect();
            equals.sort_by_key(|&index| !point.defences[index].refined);
            let longest = equals.iter().find(|&&index| self.holds_out(compare_until, &mut point.defences[index]));
            if longest.is_none() && equals.iter().any(|&index| point.defences[index].left < most) {
                continue;
            }
            point.chosen = *longest.or(equals.first())?;
            return Some(point.defences[point.chosen]);
        }
    }

    /// Whether the mate after an answer is known to take no less than its bound. While nodes
    /// remain, a search decides; it lowers the bound if it finds a shorter mate.
    fn holds_out(&mut self, compare_until: u64, defence: &mut Defence) -> bool {
        if defence.left < 3 {
            return true;
        }
        if let Some(longest) = defence.longest {
            return longest;
        }
        let shorter = defence.left - 2;
        self.position.make(defence.mv);
        let mut state = self.known(self.key(shorter));
        if !state.is_settled() && self.nodes < compare_until {
            self.most_nodes = compare_until.min(self.nodes + DEFENCE_STEP);
            state = self.run(shorter).0;
        }
        self.position.unmake();
        if let Some(length) = state.length() {
            (defence.left, defence.refined) = (length, false);
            return false;
        }
        *defence.longest.insert(state.is_refuted())
    }

    fn place(&self) -> LinePosition {
        (self.position.board_key(), self.position.hand(self.problem.attacker))
    }
}

type LinePosition = (u64, HandCounts);

/// The first moves of a line, and its length in plies.
#[derive(Clone, Copy)]
struct LineStep {
    check: Move,
    /// [`Move::NONE`] after the last check.
    defence: Move,
    length: u16,
}

/// The lines that were found while one line was refined.
#[derive(Default)]
struct KnownSteps {
    steps: HashMap<LinePosition, LineStep>,
    /// The least length at each position that has a step so far.
    lengths: HashMap<LinePosition, u16>,
    /// Whether a shorter step replaced another, so that lengths before it are too large.
    stale: bool,
    /// Number of nodes, each time, to prove again what the table has lost.
    proving: u64,
    /// Searches compare defences until this node count.
    compare_until: u64,
}

impl KnownSteps {
    fn learn(&mut self, place: LinePosition, step: LineStep) {
        let least = self.lengths.entry(place).or_insert(step.length);
        *least = step.length.min(*least);
        self.stale |= self.steps.insert(place, step).is_some();
    }
}

/// A check on the line and the answers to it.
struct LinePoint {
    check: Move,
    defences: Vec<Defence>,
    /// The index of the defence that is on the line.
    chosen: usize,
}

impl LinePoint {
    /// Refines the chosen defence: its line has this length.
    fn refine(&mut self, length: u16) {
        let chosen = &mut self.defences[self.chosen];
        if length < chosen.left {
            chosen.longest = None;
        }
        (chosen.left, chosen.refined) = (length, true);
    }
}

#[derive(Clone, Copy)]
struct Defence {
    mv: Move,
    /// Plies of the known mate after it.
    left: u16,
    /// Whether a line of exactly this length is known.
    refined: bool,
    /// Whether a search has shown that there is no shorter mate.
    longest: Option<bool>,
}

/// The number of plies by which to shorten the first search for a shorter mate. Long mates often
/// contain detours, so their steps are larger.
fn first_step(length: usize) -> usize {
    ((length / 4) & !1).max(2)
}

/// Whether a line is a mate by checks: all moves are legal, the attacker's moves (the first, third
/// and so on) give check, and the last one mates. Does not look for better defences.
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
