//! The solver: problems in, verdicts out.

use kiki_board::{Move, Position, Sq};

use crate::hand::Hand;
use crate::proof::{Knowledge, UNLIMITED};
use crate::search::{Search, Terms, mix};
use crate::table::Table;

/// Lines of more plies than this are not followed, unless [`Solver::set_most_plies`] says otherwise.
const MOST_PLIES: usize = 2000;

/// The answer to a mating problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The attacker mates, whatever the defender does. The moves of both sides, the last one mate: so an odd number. The defender puts
    /// up the longest resistance that the proof knows of; the mate need not be the shortest.
    Mate(Vec<Move>),
    /// There is no mate by checks. This is proven.
    NoMate,
    /// The search was ended before it could tell, or met its limit of plies.
    Unknown,
}

/// Solves mating problems: whether the side to move can mate by giving check with every move.
///
/// All defences count, interpositions that only delay the mate included. A line that comes back to a position is no mate. The
/// attacker may be in check, and needs no king.
///
/// What was found out about positions stays in the table for later problems of the same game.
pub struct Solver {
    table: Table,
    mebibytes: usize,
    most_plies: usize,
    nodes: u64,
}

impl Solver {
    /// A solver with a table of `mebibytes`, at least one. Memory is first used when it is needed.
    #[must_use]
    pub fn new(mebibytes: usize) -> Self {
        Self { table: Table::new(mebibytes), mebibytes, most_plies: MOST_PLIES, nodes: 0 }
    }

    /// Forgets what earlier problems left in the table.
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// The size of the table that was asked for, in MiB.
    #[must_use]
    pub fn mebibytes(&self) -> usize {
        self.mebibytes
    }

    /// Sets how many plies a line may have. If longer ones were cut off, a problem without a mate is [`Verdict::Unknown`].
    ///
    /// ```
    /// use kiki_board::Position;
    /// use kiki_mate::{Solver, Verdict};
    ///
    /// // A rook's checks from afar are blocked by pieces that protect each other, one after the other.
    /// let mut position = Position::from_sfen("k8/9/9/9/9/9/9/9/1+R7 b R2b4g4s4n4l18p 1")?;
    /// let mut solver = Solver::new(16);
    /// solver.set_most_plies(2);
    /// assert_eq!(solver.solve(&mut position, &mut |_| true), Verdict::Unknown);
    /// solver.set_most_plies(50);
    /// assert!(matches!(solver.solve(&mut position, &mut |_| true), Verdict::Mate(_)));
    /// # Ok::<(), kiki_board::SfenError>(())
    /// ```
    pub fn set_most_plies(&mut self, plies: usize) {
        self.most_plies = plies.clamp(1, 10_000);
    }

    /// The number of positions entered in the last problem.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Solves a problem. `proceed` is asked every few dozen positions, with the number of positions entered so far, whether to go on.
    /// (If a mate is known by then and a shorter one is being looked for, the known one is told.) The position is left as it was.
    ///
    /// ```
    /// use kiki_board::Position;
    /// use kiki_mate::{Solver, Verdict};
    ///
    /// let mut position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1")?;
    /// let Verdict::Mate(line) = Solver::new(1).solve(&mut position, &mut |nodes| nodes < 1000) else { panic!("a mate") };
    /// assert_eq!(line[0].to_string(), "G*5b");
    /// # Ok::<(), kiki_board::SfenError>(())
    /// ```
    pub fn solve(&mut self, position: &mut Position, proceed: &mut dyn FnMut(u64) -> bool) -> Verdict {
        self.nodes = 0;
        let attacker = position.side_index();
        if position.king(1 - attacker) == Sq::NONE {
            return Verdict::NoMate;
        }
        self.table.age();
        let terms = Terms { attacker, salt: salt(position), most_plies: self.most_plies };
        let mut search = Search::new(position, &mut self.table, proceed, terms);
        let verdict = match search.run(UNLIMITED).0 {
            Knowledge::Proven { length, .. } => search.shortest_line(length).map_or(Verdict::Unknown, Verdict::Mate),
            Knowledge::Disproven { dependency, .. } if dependency.is_none() => Verdict::NoMate,
            _ => Verdict::Unknown,
        };
        self.nodes = search.nodes;
        verdict
    }
}

/// Tells problems apart in which the attacker's hand and the board do not give the defender's hand: those with other pieces in play.
fn salt(position: &Position) -> u64 {
    let mut pieces = Hand::from(position.hand(0)).together(position.hand(1).into());
    for sq in position.occupied() {
        let kind = position.cell(sq).hand_kind_index();
        if kind > 0 {
            pieces = pieces.plus(kind);
        }
    }
    mix(mix(pieces.bits()) ^ position.side_index() as u64)
}
