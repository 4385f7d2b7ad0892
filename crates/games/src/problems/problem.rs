//! A mating problem: the proof that it is one, how hard it is, and how pleasant.

use std::sync::atomic::{AtomicBool, Ordering};

use kiki_board::{CheckInfo, Color, Move, MoveList, PieceKind, Position, PromotionChoice, Sq, opponent};
use kiki_mate::{MateResult, Solver};

/// Distance from the king, in squares: problems look alike if nearer pieces and the moves are the same.
const NEAR: usize = 2;
/// More checks at the first move make a problem more pleasant, up to this number.
const MOST_CHOICE: usize = 8;

/// A position with a mate that has one solution, no cook, and a length proved the shortest.
pub(super) struct Problem {
    pub(super) game: u64,
    /// Its move number is the length.
    pub(super) sfen: String,
    pub(super) length: usize,
    /// Nodes that the solver needs: the measure of difficulty.
    pub(super) nodes: u64,
    /// Higher is better.
    pub(super) merit: i32,
    /// The moves of the attacker as the king sees them, the same for a mirrored problem.
    pub(super) pattern: String,
    /// What stands near the king, likewise.
    pub(super) surroundings: String,
}

impl Problem {
    /// What two problems that look alike share.
    pub(super) fn look(&self) -> (&str, &str) {
        (&self.pattern, &self.surroundings)
    }
}

/// A solver with limits.
pub(super) struct Judge<'a> {
    pub(super) solver: Solver,
    pub(super) shortest: usize,
    pub(super) longest: usize,
    /// Nodes of the solver for a proof.
    pub(super) nodes: u64,
    pub(super) stop: &'a AtomicBool,
}

impl Judge<'_> {
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The shortest mate, if it is found and proved within `nodes`, and is not too long.
    pub(super) fn mate(&mut self, position: &mut Position, nodes: u64) -> Option<Vec<Move>> {
        self.solver.set_shortest(true);
        let stop = self.stop;
        let mut proceed = |spent: u64| spent < nodes && !stop.load(Ordering::Relaxed);
        match self.solver.solve(position, &mut proceed) {
            MateResult::Mate(line) => (self.solver.is_shortest() && line.len() <= self.longest).then_some(line),
            MateResult::NoMate | MateResult::Unknown => None,
        }
    }

    /// Whether a mate has no alternative and no useless drop.
    pub(super) fn is_unique(&mut self, position: &mut Position, solution: &[Move], nodes: u64) -> bool {
        let stop = self.stop;
        let mut proceed = |spent: u64| spent < nodes && !stop.load(Ordering::Relaxed);
        !has_useless_drop(solution) && {
            let cooks = self.solver.cooks(position, solution, &mut proceed);
            cooks.alternatives.is_empty() && cooks.open.is_empty()
        }
    }

    /// The problem of a position, if it is one.
    pub(super) fn problem(&mut self, position: &mut Position, game: u64) -> Option<Problem> {
        self.solver.clear();
        let solution = self.mate(position, self.nodes)?;
        let nodes = self.solver.nodes();
        if solution.len() < self.shortest || !self.is_unique(position, &solution, self.nodes) {
            return None;
        }
        let board = position.to_sfen();
        let (board, _) = board.rsplit_once(' ')?;
        let length = solution.len();
        let seen = [false, true].map(|mirrored| seen_from_king(position, &solution, mirrored));
        let (pattern, surroundings) = seen.into_iter().min()?;
        let merit = merit(position, &solution);
        Some(Problem { game, sfen: format!("{board} {length}"), length, nodes, merit, pattern, surroundings })
    }
}

/// Whether the defender drops a piece that is captured at once: such a drop may not count (無駄合い).
fn has_useless_drop(solution: &[Move]) -> bool {
    solution[1..].chunks_exact(2).any(|pair| pair[0].is_drop() && pair[0].to() == pair[1].to())
}

/// How pleasant a problem is: pieces given away, moves that do not promote, many checks to choose
/// from, few pieces and few captures. The weights are a matter of taste.
fn merit(position: &mut Position, solution: &[Move]) -> i32 {
    let attacker = position.side_to_move();
    let in_hand: usize = kiki_board::HAND_KINDS.iter().map(|&kind| position.hand(attacker).count(kind)).sum();
    let mut checks = MoveList::new();
    position.all_checks(&mut checks, &CheckInfo::new(position), PromotionChoice::All);
    let mut merit =
        checks.iter().count().min(MOST_CHOICE) as i32 - (position.occupied().count() as usize + in_hand) as i32;
    for (ply, &mv) in solution.iter().enumerate() {
        if ply % 2 == 0 {
            let is_capture = !position.cell(mv.to()).is_empty();
            merit -= if is_capture && ply == 0 { 8 } else { 3 * i32::from(is_capture) };
            let is_given = solution.get(ply + 1).is_some_and(|reply| reply.to() == mv.to());
            let kind = mv.dropped_kind().or_else(|| position.cell(mv.from()).kind());
            merit += if is_given { 5 * i32::from(kind != Some(PieceKind::Pawn)) + 1 } else { 0 };
            merit += 4 * i32::from(keeps_unpromoted(position, mv));
        }
        position.make(mv);
    }
    solution.iter().for_each(|_| position.unmake());
    merit
}

/// Whether a piece could promote and does not.
fn keeps_unpromoted(position: &Position, mv: Move) -> bool {
    !mv.is_drop() && !mv.is_promotion() && position.is_legal(Move::board(mv.from(), mv.to(), true))
}

/// A problem as the king sees it from its first square: the moves of the attacker, and the squares
/// near the king.
fn seen_from_king(position: &Position, solution: &[Move], mirrored: bool) -> (String, String) {
    let attacker = position.side_to_move();
    let king = position.king(opponent(attacker));
    let mut position = position.clone();
    // Seen with the attacker's side below.
    let place = |sq: Sq| {
        let files = sq.file() as i32 - king.file() as i32;
        let ranks = sq.rank() as i32 - king.rank() as i32;
        let (files, ranks) = if attacker == Color::White { (-files, -ranks) } else { (files, ranks) };
        (if mirrored { -files } else { files }, ranks)
    };
    let mut near: Vec<String> = Sq::all()
        .filter(|&sq| king.distance(sq) <= NEAR && !position.cell(sq).is_empty())
        .map(|sq| format!("{:?}{:?}{}", place(sq), position.cell(sq).kind(), position.cell(sq).color() == attacker))
        .collect();
    near.sort_unstable();
    let mut pattern = String::new();
    for (ply, &mv) in solution.iter().enumerate() {
        if ply % 2 == 0 {
            let kind = mv.dropped_kind().or_else(|| position.cell(mv.from()).kind());
            pattern += &format!("{kind:?}{}{}{:?}", mv.is_drop(), mv.is_promotion(), place(mv.to()));
        }
        position.make(mv);
    }
    (pattern, near.concat())
}
