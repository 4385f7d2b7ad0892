//! Reports of a search, whatever ends it: at least the first iteration, lines of one set at one
//! depth, and complete mates. No reported mate is refuted by a move that the search left out.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use kiki_board::{DeclarationRule, Position};
use kiki_eval::{Formula, Weights};
use kiki_search::{
    Action, ClockTimes, Limits, Options, Reporter, RootScore, Rules, SearchInfo, SearchResult, Searcher, Skill,
};

/// Black mates by a gold in front of the king; the lances may promote instead.
const MATE_IN_ONE: &str = "4k4/9/4P4/9/9/9/9/9/L3K3L b GLLrb 1";
/// All pieces can be captured back and forth: hundreds of moves, with captures after each.
const MANY_MOVES: &str = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1";
const WILD: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

struct Listener(mpsc::Sender<Said>);

enum Said {
    Line(SearchInfo),
    Finished(SearchResult),
}

impl Reporter for Listener {
    fn info(&self, info: &SearchInfo) {
        let _ = self.0.send(Said::Line(info.clone()));
    }

    fn note(&self, text: &str) {
        panic!("{text}");
    }

    fn finished(&self, result: &SearchResult) {
        let _ = self.0.send(Said::Finished(result.clone()));
    }
}

fn options(threads: usize, multipv: usize) -> Options {
    Options { threads, table_mebibytes: 16, multipv, ..Options::default() }
}

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).expect("an SFEN")
}

/// The sets of lines that a search reports, and its answer.
fn search(
    searcher: &mut Searcher<Formula>,
    sfen: &str,
    limits: Limits,
    stopped: bool,
) -> (Vec<Vec<SearchInfo>>, SearchResult) {
    let searched = searcher.search(position(sfen), limits, &stopped.into());
    assert!(searched.notes.is_empty(), "{:?}", searched.notes);
    let sets = searched.lines.chunk_by(|_, next| next.multipv > 1).map(<[SearchInfo]>::to_vec).collect();
    (sets, searched.result)
}

fn searcher(threads: usize, multipv: usize) -> Searcher<Formula> {
    Searcher::new(Weights::default(), options(threads, multipv)).expect("threads")
}

/// Checks that a set has `lines` lines, all of one depth and best first, and that mates are
/// complete.
fn check_set(sfen: &str, set: &[SearchInfo], lines: usize) {
    assert_eq!(set.iter().map(|line| line.multipv).collect::<Vec<_>>(), (1..=lines).collect::<Vec<_>>(), "{set:#?}");
    assert!(set.iter().all(|line| line.depth == set[0].depth && line.depth > 0), "{sfen}: {set:#?}");
    for line in set {
        let RootScore::Mate(plies) = line.score else { continue };
        if plies == 1 && line.pv.is_empty() {
            // A declaration.
            continue;
        }
        assert_eq!(line.pv.len(), plies.unsigned_abs() as usize, "{sfen}: {line:?}");
        let mut position = position(sfen);
        for &mv in &line.pv {
            assert!(position.is_legal(mv), "{sfen}: {line:?}");
            position.make(mv);
        }
        assert!(position.is_checkmate(), "{sfen}: {line:?}");
    }
    let order = |line: &SearchInfo| match line.score {
        RootScore::Centipawns(value) => i64::from(value),
        RootScore::Mate(plies) => i64::from(plies.signum()) * (1_000_000 - i64::from(plies.abs())),
    };
    assert!(set.is_sorted_by_key(|line| -order(line)), "{sfen}: {set:#?}");
}

#[test]
fn the_first_iteration_is_reported_and_its_move_played_whatever_ends_the_search() {
    let clock = ClockTimes::default();
    let position = position(MATE_IN_ONE);
    let asked = || vec![position.parse_move("9i9c+").expect("a move"), position.parse_move("G*5b").expect("a move")];
    let limits = [
        Limits::default(),
        Limits { nodes: Some(1), ..Limits::default() },
        Limits { nodes: Some(0), ..Limits::default() },
        Limits { depth: Some(0), ..Limits::default() },
        Limits { movetime: Some(Duration::ZERO), ..Limits::default() },
        Limits { movetime: Some(Duration::from_millis(1)), ..Limits::default() },
        Limits { movetime: Some(Duration::from_millis(5)), elapsed: Duration::from_secs(5), ..Limits::default() },
        Limits { clocks: Some(clock), ..Limits::default() },
        Limits { ponder: true, ..Limits::default() },
        Limits { search_moves: asked(), ..Limits::default() },
        Limits { nodes: Some(1), skill: Skill::new(0, 1), ..Limits::default() },
    ];
    for (threads, multipv) in [(1, 1), (1, 3), (4, 1), (4, 2)] {
        let mut searcher = searcher(threads, multipv);
        for limits in &limits {
            for _ in 0..5 {
                let (sets, result) = search(&mut searcher, MATE_IN_ONE, limits.clone(), true);
                assert!(result.depth > 0, "{limits:?}");
                let last = sets.last().expect("a line");
                assert_eq!(result.action, Action::Play(last[0].pv[0]), "{limits:?}: {last:?}");
                if limits.skill.is_none() {
                    let lines = if limits.search_moves.is_empty() { multipv } else { multipv.min(2) };
                    check_set(MATE_IN_ONE, last, lines);
                    assert!(matches!(result.action, Action::Play(mv) if mv.to_string() == "G*5b"), "{limits:?}");
                }
            }
        }
    }
}

#[test]
fn the_first_iteration_is_short_in_wild_positions_too() {
    for sfen in [MANY_MOVES, WILD] {
        for multipv in [1, 500] {
            let mut searcher = searcher(1, multipv);
            searcher.clear();
            let start = Instant::now();
            let (sets, result) = search(&mut searcher, sfen, Limits::default(), true);
            let moves = position(sfen).legal_moves().len() as u64;
            assert!(result.nodes < 2048 + 3 * moves, "{sfen}: {} nodes", result.nodes);
            assert!(result.depth > 0 && start.elapsed() < Duration::from_secs(5));
            assert!(!sets.is_empty());
        }
    }
}

/// Mates near and far, for and against the side to move.
const MATES: [&str; 5] = [
    MATE_IN_ONE,
    "4k4/9/3GP4/9/9/9/9/9/9 b G2r2b2g4s4n4l17p 1",
    WILD,
    "lnsgk1snl/1r4gb1/p1pppp2p/6pp1/1p7/2P4P1/PP1PPPP1P/1BG4R1/LNS1KGSNL b - 1",
    "8k/9/7G1/8N/9/9/9/9/K8 w GS 1",
];

#[test]
fn sets_are_complete_and_of_one_depth_wherever_the_search_ends() {
    for multipv in [1, 2, 3, 10] {
        let mut searcher = searcher(1, multipv);
        for sfen in MATES {
            let position = position(sfen);
            for nodes in [1, 50, 200, 1_000, 3_000, 10_000] {
                searcher.clear();
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                let (sets, result) = search(&mut searcher, sfen, limits, false);
                let lines = multipv.min(position.legal_moves().len());
                for set in &sets {
                    // Moves without promotion are reported only where they may save the game.
                    check_set(sfen, set, set.len());
                    assert!(set.len() == lines || set.len() + 5 > lines, "{sfen}: {set:#?}");
                }
                let last = sets.last().expect("a set");
                assert_eq!(result.action, Action::Play(last[0].pv[0]));
            }
        }
    }
}

/// An entered king with enough pieces.
const ENTERED: &str = "1+R+B1K4/GGGGSS+B2/SSNN5/9/9/9/9/9/4k4 b R4L2N18P 1";

#[test]
fn a_win_by_declaration_is_the_first_line_and_the_others_are_searched_on() {
    let mut one = searcher(1, 1);
    let (sets, result) = search(&mut one, ENTERED, Limits { depth: Some(6), ..Limits::default() }, false);
    assert_eq!((result.action, result.nodes, sets.len()), (Action::DeclareWin, 0, 1), "nothing is searched");
    // Moves that are asked for are searched.
    let asked = Limits { depth: Some(2), search_moves: vec!["5a4a".parse().unwrap()], ..Limits::default() };
    let (_, result) = search(&mut one, ENTERED, asked.clone(), false);
    assert_eq!(result.action, Action::Play(asked.search_moves[0]));
    let mut three = searcher(1, 3);
    let (sets, result) = search(&mut three, ENTERED, Limits { depth: Some(5), ..Limits::default() }, false);
    assert_eq!(result.action, Action::DeclareWin);
    for set in &sets {
        check_set(ENTERED, set, 3);
        assert_eq!((set[0].score, set[0].pv.len()), (RootScore::Mate(1), 0));
    }
    assert_eq!(sets.iter().map(|set| set[0].depth).collect::<Vec<_>>(), (1..=5).collect::<Vec<_>>());
}

#[test]
fn a_try_is_the_first_line_with_its_move() {
    let rules = Rules { declaration: DeclarationRule::Try, ..Rules::default() };
    let options = Options { rules, ..options(1, 3) };
    let mut searcher = Searcher::<Formula>::new(Weights::default(), options).expect("threads");
    let sfen = "9/4K4/9/9/9/9/9/9/8k b P 1";
    let (sets, result) = search(&mut searcher, sfen, Limits { depth: Some(3), ..Limits::default() }, false);
    let last = sets.last().expect("a set");
    assert_eq!((last.len(), last[0].score), (3, RootScore::Mate(1)));
    assert_eq!(last[0].pv.iter().map(ToString::to_string).collect::<Vec<_>>(), ["5b5a"]);
    assert!(matches!(result.action, Action::Play(mv) if mv == last[0].pv[0]));
    assert!(last[1..].iter().all(|line| line.pv[0] != last[0].pv[0] && line.depth == last[0].depth), "{last:#?}");
}

#[test]
fn a_result_known_at_once_is_reported_before_the_stop() {
    for sfen in [ENTERED, "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"] {
        let mut searcher = searcher(1, 1);
        let (sender, said) = mpsc::channel();
        searcher.go(position(sfen), Limits::default(), Arc::new(Listener(sender)));
        let first = said.recv_timeout(Duration::from_secs(20));
        assert!(matches!(first, Ok(Said::Line(line)) if matches!(line.score, RootScore::Mate(1 | -1))), "{sfen}");
        searcher.stop();
    }
}

/// The reported scores of the best line, in order.
fn scores(sfen: &str, limits: Limits, multipv: usize) -> Vec<RootScore> {
    let (sets, _) = search(&mut searcher(1, multipv), sfen, limits, false);
    sets.iter().map(|set| set[0].score).collect()
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// A mate in 5 with a bishop that does not promote, so that the pawn drop is legal. After all other
/// moves Black is mated.
const BLACK_MATES: &str = "5B1n1/8k/6Rpp/9/9/9/1+p7/9/K8 b rb4g4s3n4l15p 1";
/// The same position for White.
const WHITE_MATES: &str = "k8/9/1+P7/9/9/9/6rPP/8K/5b1N1 w RB4G4S3N4L15P 1";

#[test]
fn the_side_that_mates_by_not_promoting_is_not_reported_as_mated() {
    for sfen in [BLACK_MATES, WHITE_MATES] {
        for multipv in [1, 3] {
            let scores = scores(sfen, nodes(2_000_000), multipv);
            assert!(!scores.iter().any(|score| matches!(score, RootScore::Mate(..0))), "{sfen}: {scores:?}");
            // With several lines it takes longer to find.
            assert!(multipv > 1 || scores.contains(&RootScore::Mate(5)), "{sfen}: {scores:?}");
        }
    }
}

#[test]
fn no_mate_is_reported_where_the_other_side_mates_by_not_promoting() {
    // White's only allowed move leads to the position above.
    let position = position("5B1n1/8k/6Rpp/9/9/1+p7/9/9/K8 w rb4g4s3n4l15p 1");
    let limits = Limits { search_moves: vec![position.parse_move("8f8g").expect("a move")], ..nodes(2_000_000) };
    let scores = scores(&position.to_sfen(), limits, 1);
    assert!(!scores.iter().any(|score| matches!(score, RootScore::Mate(1..))), "{scores:?}");
    assert!(scores.contains(&RootScore::Mate(-6)), "{scores:?}");
}

/// A mate in 17 plies by checks. The search finds it after 100,000 nodes, most of them not the
/// solver's; alpha-beta alone finds one in 23 plies after 8 million.
const LONG_MATE: &str = "+S5skl/2+R2g3/p4+Lnpb/1p1pG1p1p/PPp5P/K2PpPLP1/2P3P2/4bS1R1/1NS4NL b 2GN2P 113";

/// A search in progress with the lines reported so far.
struct Session {
    searcher: Searcher<Formula>,
    said: mpsc::Receiver<Said>,
    lines: Vec<SearchInfo>,
}

impl Session {
    fn new(multipv: usize, limits: Limits) -> Self {
        Self::of(position(LONG_MATE), multipv, limits)
    }

    fn of(position: Position, multipv: usize, limits: Limits) -> Self {
        let mut searcher = searcher(1, multipv);
        let (sender, said) = mpsc::channel();
        searcher.go(position, limits, Arc::new(Listener(sender)));
        Self { searcher, said, lines: Vec::new() }
    }

    /// Receives the next line or the answer within a minute; returns the answer.
    fn next(&mut self) -> Option<SearchResult> {
        match self.said.recv_timeout(Duration::from_secs(60)).expect("the search continues") {
            Said::Line(line) => self.lines.push(line),
            Said::Finished(result) => return Some(result),
        }
        None
    }

    /// Waits for a mate on the first line, in an iteration of at least this depth.
    fn wait_for_mate(&mut self, depth: u32) -> SearchInfo {
        loop {
            let answer = self.next();
            assert_eq!(answer, None, "nothing ends the search");
            if let Some(line) = self.lines.last().filter(|line| is_mate(line.score) && line.depth >= depth) {
                assert_eq!(line.multipv, 1);
                return line.clone();
            }
            assert!(self.lines.last().is_some_and(|line| line.depth < 60), "no mate was found");
        }
    }

    fn answer(&mut self) -> SearchResult {
        loop {
            if let Some(result) = self.next() {
                return result;
            }
        }
    }
}

fn is_mate(score: RootScore) -> bool {
    matches!(score, RootScore::Mate(plies) if plies > 0)
}

#[test]
fn an_analysis_reports_the_mate_first_and_continues() {
    for multipv in [1, 3] {
        let mut session = Session::new(multipv, Limits::default());
        let depth = session.wait_for_mate(0).depth;
        // The mate stays first after later iterations and after an interrupted one.
        session.wait_for_mate(depth + 2);
        session.searcher.stop();
        let result = session.answer();
        let last = &session.lines[session.lines.len() - multipv..];
        assert!(is_mate(result.score) && is_mate(last[0].score), "{result:?} {last:?}");
        assert_eq!(result.action, Action::Play(last[0].pv[0]));
        let mut moves: Vec<_> = last.iter().map(|line| line.pv[0].to_string()).collect();
        assert_eq!(last.iter().map(|line| line.multipv).collect::<Vec<_>>(), (1..=multipv).collect::<Vec<_>>());
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), multipv, "{last:?}");
    }
}

#[test]
fn the_time_that_a_ponderhit_has_waited_is_charged() {
    let clock = ClockTimes { byoyomi: Duration::from_secs(6), ..ClockTimes::default() };
    let mut session = Session::of(Position::startpos(), 1, Limits { ponder: true, ..Limits::default() });
    std::thread::sleep(Duration::from_millis(5500));
    let hit = Instant::now();
    session.searcher.ponderhit(Some(clock), Duration::from_millis(5500));
    session.answer();
    assert!(hit.elapsed() < Duration::from_secs(2), "{:?}", hit.elapsed());
}

#[test]
fn a_mate_found_while_pondering_is_played_at_a_hit_that_brings_the_times() {
    let mut session = Session::new(1, Limits { ponder: true, ..Limits::default() });
    let mate = session.wait_for_mate(0);
    // Alpha-beta alone needs 8 million.
    assert!(mate.nodes < 1_000_000, "{mate:?}");
    let clock = ClockTimes { byoyomi: Duration::from_secs(1), ..ClockTimes::default() };
    session.searcher.ponderhit(Some(clock), Duration::ZERO);
    let result = session.answer();
    assert_eq!((result.action, is_mate(result.score)), (Action::Play(mate.pv[0]), true), "{result:?}");
}
