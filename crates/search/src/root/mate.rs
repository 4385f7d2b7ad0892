//! Forced wins at the root: declarations, mates by proof-number search between iterations, and
//! completed mate lines.
//!
//! Proof-number search finds long mates by checks first, alpha-beta finds them last. Most positions
//! have none, and proof-number search mostly needs few positions to show that.

use kiki_board::{CheckInfo, DeclarationVerdict, GameRepetition, Move, MoveList, Position, PromotionChoice};
use kiki_eval::Evaluator;
use kiki_mate::{MateResult, Solver};

use crate::limits::{Limits, Rules};
use crate::node::worker::Worker;
use crate::params;
use crate::report::{Action, RootLine, SearchInfo, WorkDone};
use crate::table::TranspositionTable;
use crate::value::{Bound, MATE, MATE_BOUND, Value};

/// The win by the rules at the root, without a search: a declaration of the entered king, or a try.
/// Where the root moves are limited (`searchmoves`), only a win among them counts.
pub(crate) fn known_win(position: &Position, limits: &Limits, rules: &Rules) -> Option<Action> {
    let Limits { search_moves, skill, .. } = limits;
    // Below full strength (`SkillLevel`) the root moves are limited too, and every win counts.
    let is_open = search_moves.is_empty() || skill.is_some();
    match position.declaration(rules.declaration) {
        DeclarationVerdict::Win if is_open => Some(Action::DeclareWin),
        DeclarationVerdict::WinBy(mv) if is_open || search_moves.contains(&mv) => Some(Action::Play(mv)),
        _ => None,
    }
}

/// At most `count` lines to report, best first: the known win, then the searched lines.
pub(crate) fn lines_to_report(
    win: Option<Action>,
    searched: &[RootLine],
    count: usize,
    work: WorkDone,
) -> Vec<SearchInfo> {
    let winning = if let Some(Action::Play(mv)) = win { Some(mv) } else { None };
    let depth = searched.first().map_or(1, |line| line.depth);
    let known = win.map(|_| RootLine { depth, seldepth: 1, value: MATE - 1, moves: winning.into_iter().collect() });
    let others = searched.iter().filter(|line| line.moves.first() != winning.as_ref()).cloned();
    let lines = known.into_iter().chain(others).take(count.max(1));
    lines.enumerate().map(|(index, line)| line.info(index + 1, Bound::Exact, work)).collect()
}

/// Nodes charged for a position of the proof-number search: about the number of moves played there.
const NODES_A_POSITION: u64 = 5;
/// Fewest positions worth starting the solver for.
const LEAST_POSITIONS: u64 = 32;
const TABLE_MEBIBYTES: usize = 8;
/// The mate search gets its share of the nodes of all threads, counted up to this many times those
/// of the main thread.
const MOST_SHARES: u64 = 4;

/// The mate search of the main thread.
#[derive(Default)]
pub(crate) struct RootMate {
    /// Made when it is first needed.
    solver: Option<Solver>,
    /// Nodes used for it in this search.
    spent: u64,
    /// Whether this search still looks for a mate: none was proved or disproved.
    searches: bool,
    /// The mate proved in this search.
    pub(crate) found: Option<RootLine>,
}

impl RootMate {
    pub(crate) fn begin(&mut self, wanted: bool) {
        (self.spent, self.searches, self.found) = (0, wanted, None);
    }

    /// Forgets earlier games. Makes the memory of the solver resident.
    pub(crate) fn forget(&mut self) {
        self.solver.get_or_insert_with(|| Solver::new(TABLE_MEBIBYTES)).clear();
        self.begin(false);
    }

    /// The mate found in this search, if better than `value`.
    pub(crate) fn better_than(&self, value: Value) -> Option<RootLine> {
        self.found.clone().filter(|mate| mate.value > value)
    }

    /// Looks for a mate by checks unless one is known, with a share of the nodes searched so far.
    /// `depth` is the last iteration.
    pub(crate) fn search<E: Evaluator>(&mut self, worker: &mut Worker<E>, depth: u32) {
        // This thread alone looks for mates, so it does some of the other threads' share.
        let (own, all) = (worker.limiter.nodes, worker.limiter.control.nodes.total());
        let share = all.clamp(own, MOST_SHARES * own) * params::mate_share() as u64 / 1000;
        let positions = share.saturating_sub(self.spent) / NODES_A_POSITION;
        if !self.searches || positions < LEAST_POSITIONS {
            return;
        }
        let solver = self.solver.get_or_insert_with(|| Solver::new(TABLE_MEBIBYTES));
        let mut position = worker.position.clone();
        let verdict = solver.solve(&mut position, &mut |entered| entered < positions && !worker.limiter.is_time_up());
        let cost = solver.nodes() * NODES_A_POSITION;
        self.spent += cost;
        self.searches = verdict == MateResult::Unknown;
        worker.limiter.add_nodes(cost);
        let MateResult::Mate(moves) = verdict else { return };
        let value = MATE - moves.len() as i32;
        if value >= MATE_BOUND && counts(worker, &moves) {
            self.found = Some(RootLine { depth, seldepth: moves.len() as u32, value, moves });
        }
    }
}

/// Whether a mate is valid in the game: it ends before the move limit, begins with an allowed move,
/// and repeats no position for the fourth time. The solver does not know these rules.
fn counts<E: Evaluator>(worker: &Worker<E>, line: &[Move]) -> bool {
    let limit = worker.rules.max_moves;
    let in_time = limit == 0 || worker.position.ply() as usize + line.len() <= limit as usize + 1;
    let mut position = worker.position.clone();
    let mut ends_the_game = |&mv: &Move| {
        position.make(mv);
        position.game_repetition() != GameRepetition::None
    };
    in_time && worker.root_moves.contains(line[0]) && !line.iter().any(&mut ends_the_game)
}

/// Positions that may be searched although an answer is due: a fraction of a millisecond.
pub(super) const UNHURRIED: u64 = 256;

/// The value of a loss in an unknown number of plies: above all mated values, and distinct from all
/// others.
const UNKNOWN_LOSS: Value = 1 - MATE_BOUND;

/// Completes mate lines that the search cut off at a table entry or a mate in one. A line without a
/// proved end gets a value just below all mates: a reported mate needs all of its moves.
pub(super) struct MateLines<'a> {
    position: Position,
    table: &'a TranspositionTable,
    /// Whether an answer is due.
    hurries: &'a dyn Fn() -> bool,
    /// Maximum number of positions.
    most: u64,
    looked_at: u64,
}

impl<'a> MateLines<'a> {
    /// Completes lines from `root`, with at most `most` positions for all of them, and hardly more
    /// than [`UNHURRIED`] once an answer is due.
    pub(super) fn new(
        root: &Position,
        table: &'a TranspositionTable,
        hurries: &'a dyn Fn() -> bool,
        most: u64,
    ) -> Self {
        Self { position: root.clone(), table, hurries, most, looked_at: 0 }
    }

    /// Counts a position; false once the limit is reached.
    fn may_look(&mut self) -> bool {
        if self.looked_at >= UNHURRIED && self.looked_at.is_multiple_of(32) && (self.hurries)() {
            self.most = 0;
        }
        self.looked_at += 1;
        self.looked_at <= self.most
    }

    /// Completes the mate lines among sorted lines, and sorts them again.
    pub(super) fn complete_all(&mut self, lines: &mut [RootLine]) {
        lines.iter_mut().for_each(|line| self.complete(line));
        // A better line is lost no earlier than an unknown loss below it: its length is unknown
        // too.
        if let Some(last) = lines.iter().rposition(|line| line.value == UNKNOWN_LOSS) {
            let is_mated = |line: &&mut RootLine| line.value < UNKNOWN_LOSS;
            lines[..last].iter_mut().filter(is_mated).for_each(|line| line.value = UNKNOWN_LOSS);
        }
        lines.sort_by_key(|line| -line.value);
    }

    /// Completes a mate line; leaves others as they are.
    fn complete(&mut self, line: &mut RootLine) {
        if line.value.abs() < MATE_BOUND {
            return;
        }
        let plies = (MATE - line.value.abs()) as usize;
        line.moves.truncate(plies);
        match self.completed(&line.moves, plies, line.value > 0) {
            Some(moves) => {
                line.value = line.value.signum() * (MATE - moves.len() as i32);
                line.seldepth = line.seldepth.max(moves.len() as u32);
                line.moves = moves;
            }
            None => line.value = -line.value.signum() * UNKNOWN_LOSS,
        }
    }

    /// The line to the mate after `plies`, with as many of the given first moves as possible.
    /// `None` without a mate.
    fn completed(&mut self, moves: &[Move], plies: usize, mates: bool) -> Option<Vec<Move>> {
        for &mv in moves {
            self.position.make(mv);
        }
        let mut found = None;
        for kept in (1..=moves.len()).rev() {
            if found.is_none() {
                let left = plies - kept;
                let mates_next = mates == kept.is_multiple_of(2);
                let rest = if mates_next { self.mate_within(left) } else { self.longest_defence(left) };
                // A shorter line is right only if the defence was free from the first move on.
                found =
                    rest.filter(|rest| rest.len() == left || kept == 1).map(|rest| [&moves[..kept], &rest].concat());
            }
            self.position.unmake();
        }
        found
    }

    /// A mate by the side to move within `plies`.
    fn mate_within(&mut self, plies: usize) -> Option<Vec<Move>> {
        if plies == 0 || !self.may_look() {
            return None;
        }
        if let Some(mv) = self.position.mate_in_one() {
            return Some(vec![mv]);
        }
        if plies < 3 {
            return None;
        }
        let stored = self.table.probe(self.position.key(), 0).mv;
        let mut checks = MoveList::new();
        self.position.all_checks(&mut checks, &CheckInfo::new(&self.position), PromotionChoice::All);
        let first = Some(stored).filter(|&mv| self.position.is_legal(mv));
        let others = checks.iter().copied().filter(|&mv| mv != stored);
        first.into_iter().chain(others).find_map(|mv| {
            self.position.make(mv);
            let rest = self.longest_defence(plies - 1);
            self.position.unmake();
            Some([vec![mv], rest?].concat())
        })
    }

    /// The longest defence of the side to move, if every move is mated within `plies`.
    fn longest_defence(&mut self, plies: usize) -> Option<Vec<Move>> {
        let moves = self.position.legal_moves();
        if plies == 0 && !moves.is_empty() {
            return None;
        }
        let mut longest = Vec::new();
        for &mv in &moves {
            self.position.make(mv);
            let rest = self.mate_within(plies - 1);
            self.position.unmake();
            let rest = rest?;
            if rest.len() >= longest.len() {
                longest = [vec![mv], rest].concat();
            }
        }
        Some(longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::testing::worker;

    /// A completed line, given by its moves and its value.
    fn completed(sfen: &str, moves: &[&str], value: Value, positions: u64) -> (Vec<String>, Value) {
        let root = Position::from_sfen(sfen).unwrap();
        let table = TranspositionTable::new(1).unwrap();
        let mut line = RootLine { depth: 1, seldepth: 1, value, moves: root.legal_line(moves) };
        MateLines::new(&root, &table, &|| false, positions).complete(&mut line);
        (line.moves.iter().map(ToString::to_string).collect(), line.value)
    }

    /// A mate in 3.
    const IN_THREE: &str = "ln1g4l/1rs3S1k/ppppG1bpp/4p4/9/3PP2PP/2GK1GP1L/2S6/9 b RBS3N3Pl3p 125";

    #[test]
    fn the_main_thread_looks_for_mates_for_other_threads_too() {
        let found = |[own, other]: [u64; 2]| {
            let mut worker = worker(IN_THREE, 0);
            worker.limiter.add_nodes(own);
            worker.limiter.publish();
            worker.limiter.control.nodes.publish(1, other);
            let mut mate = RootMate::default();
            mate.begin(true);
            mate.search(&mut worker, 1);
            mate.better_than(0).map(|line| line.moves.len())
        };
        assert_eq!([[2000, 0], [2000, 2000], [500, 100_000]].map(found), [None, Some(3), None]);
    }

    #[test]
    fn a_mate_gets_its_last_moves() {
        let (moves, value) = completed("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", &["G*5b"], MATE - 1, 9);
        assert_eq!((moves.len(), value), (1, MATE - 1));
        for given in [&["S*2a"][..], &["S*2a", "1b2b"]] {
            let (moves, value) = completed(IN_THREE, given, MATE - 3, 1000);
            let mut after = Position::from_sfen(IN_THREE).unwrap();
            assert_eq!(value, MATE - 3);
            for mv in &moves {
                let mv = after.parse_move(mv).unwrap();
                after.make(mv);
            }
            assert!(after.is_checkmate(), "{moves:?}");
            assert_eq!(moves.len(), 3);
        }
    }

    #[test]
    fn an_answer_does_not_wait_for_a_long_search() {
        let root = Position::from_sfen(IN_THREE).unwrap();
        let table = TranspositionTable::new(1).unwrap();
        let mut lines = MateLines::new(&root, &table, &|| true, u64::MAX);
        let moves = vec![root.parse_move("5f5e").unwrap()];
        lines.complete(&mut RootLine { depth: 9, seldepth: 9, value: 16 - MATE, moves });
        assert!(lines.looked_at < UNHURRIED + 1000, "{}", lines.looked_at);
    }

    #[test]
    fn lines_stay_sorted_when_the_end_of_one_is_not_found() {
        let root = Position::from_sfen(IN_THREE).unwrap();
        let table = TranspositionTable::new(1).unwrap();
        let line = |text: &str, value| {
            let moves = vec![root.parse_move(text).unwrap()];
            RootLine { depth: 1, seldepth: 1, value, moves }
        };
        let values = |mut lines: Vec<RootLine>| {
            MateLines::new(&root, &table, &|| false, 1000).complete_all(&mut lines);
            lines.iter().map(|line| (line.moves[0].to_string(), line.value)).collect::<Vec<_>>()
        };
        let reported = values(vec![line("5f5e", MATE - 3), line("S*2a", MATE - 3), line("P*9d", 50)]);
        let expected = [("S*2a", MATE - 3), ("5f5e", -UNKNOWN_LOSS), ("P*9d", 50)];
        assert_eq!(reported, expected.map(|(text, value)| (text.to_owned(), value)));
        let mated = MATE_LOST.map(|(text, value)| line(text, value)).to_vec();
        assert!(values(mated).iter().all(|&(_, value)| value == 50 || value == UNKNOWN_LOSS));
    }

    /// Values that the moves do not have.
    const MATE_LOST: [(&str, Value); 3] = [("P*9d", 50), ("5f5e", 8 - MATE), ("6f6e", 6 - MATE)];

    #[test]
    fn a_mate_without_an_end_is_reported_as_a_value() {
        assert_eq!(completed("4k4/9/9/9/9/9/9/9/4K4 b - 1", &["5i5h"], MATE - 3, 1000).1, MATE_BOUND - 1);
        assert_eq!(completed("4k4/9/9/9/9/9/9/9/4K4 b - 1", &["5i5h"], 4 - MATE, 1000).1, 1 - MATE_BOUND);
        assert_eq!(completed("4k4/9/9/9/9/9/9/9/4K4 b - 1", &["5i5h"], 70, 1000).1, 70);
    }
}
