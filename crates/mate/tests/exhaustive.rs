//! The solver against an exhaustive search. That one remembers nothing, so it cannot confuse two
//! lines that lead to the same position.

use kiki_board::Position;
use kiki_mate::{MateResult, Solver, is_mate};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// A small position: a bare king or one with a guard, chased by a few pieces, some of them in hand.
fn small_problem(random: &mut StdRng) -> String {
    const ON_BOARD: [&str; 13] = ["P", "L", "N", "S", "G", "B", "R", "+P", "+L", "+N", "+S", "+B", "+R"];
    const IN_HAND: [&str; 7] = ["R", "B", "G", "S", "N", "L", "P"];
    // A digit counts empty squares.
    let mut cells: [String; 81] = std::array::from_fn(|_| "1".to_owned());
    let near = |random: &mut StdRng| random.random_range(0..4) * 9 + random.random_range(0..5);
    cells[near(random)] = "k".to_owned();
    let mut put = |random: &mut StdRng, letters: String| {
        let at = near(random);
        if cells[at] == "1" {
            cells[at] = letters;
        }
    };
    for _ in 0..random.random_range(1..4) {
        let letters = ON_BOARD[random.random_range(0..ON_BOARD.len())].to_owned();
        put(random, letters);
    }
    for _ in 0..random.random_range(0..3) {
        let letters = ON_BOARD[random.random_range(0..ON_BOARD.len())].to_lowercase();
        put(random, letters);
    }
    let ranks: Vec<String> = cells.chunks(9).map(<[String]>::concat).collect();
    let mut hand = String::new();
    for letter in IN_HAND {
        if random.random_range(0..5) == 0 {
            hand += letter;
        }
    }
    for letter in IN_HAND {
        if random.random_range(0..14) == 0 {
            hand += &letter.to_lowercase();
        }
    }
    let hand = if hand.is_empty() { "-" } else { &hand };
    format!("{} b {hand} 1", ranks.join("/"))
}

/// A search of all moves.
struct Exhaustive {
    position: Position,
    /// The attacker's positions on the current line.
    way: Vec<u64>,
    nodes_left: u32,
}

impl Exhaustive {
    /// Whether the attacker, to move, mates within this number of plies; `None` if that takes too
    /// many nodes.
    fn mates(&mut self, plies: u32) -> Option<bool> {
        let key = self.position.key();
        if plies == 0 || self.way.contains(&key) {
            return Some(false);
        }
        self.nodes_left = self.nodes_left.checked_sub(1)?;
        self.way.push(key);
        let mut found = Some(false);
        for &mv in &self.position.legal_moves() {
            self.position.make(mv);
            let after = if self.position.in_check() { self.is_hopeless(plies - 1) } else { Some(false) };
            self.position.unmake();
            if after != Some(false) {
                found = after;
                break;
            }
        }
        self.way.pop();
        found
    }

    /// Whether every answer to a check leads to mate within this number of plies.
    fn is_hopeless(&mut self, plies: u32) -> Option<bool> {
        for &mv in &self.position.legal_moves() {
            if plies == 0 {
                return Some(false);
            }
            self.position.make(mv);
            let mated = self.mates(plies - 1);
            self.position.unmake();
            if mated != Some(true) {
                return mated;
            }
        }
        Some(true)
    }
}

/// The verdict of the exhaustive search, if it is feasible.
fn verdict_by_trying(position: &Position, plies: u32) -> Option<bool> {
    Exhaustive { position: position.clone(), way: Vec::new(), nodes_left: 300 }.mates(plies)
}

#[test]
fn small_problems_are_judged_as_by_trying_everything() {
    let mut random = StdRng::seed_from_u64(20_261_121);
    let mut solver = Solver::new(1);
    let (mut mates, mut others, mut longest) = (0, 0, 0);
    while mates < 60 || others < 400 {
        let Ok(mut position) = Position::from_sfen(&small_problem(&mut random)) else { continue };
        let Some(expected) = verdict_by_trying(&position, u32::MAX) else { continue };
        let sfen = position.to_sfen();
        // Table entries of other problems must not matter.
        match solver.solve(&mut position, &mut |nodes| nodes < 100_000) {
            MateResult::Mate(line) => {
                assert!(expected, "there is no mate in {sfen}, but {line:?}");
                assert!(is_mate(&mut position, &line), "{sfen}: {line:?}");
                mates += 1;
                longest = longest.max(line.len());
                let plies = line.len() as u32;
                if plies > 2 {
                    assert_ne!(
                        verdict_by_trying(&position, plies - 2),
                        Some(true),
                        "there is a shorter mate in {sfen}"
                    );
                }
                assert_ne!(verdict_by_trying(&position, plies), Some(false), "the mate in {sfen} takes longer");
            }
            MateResult::NoMate => {
                assert!(!expected, "there is a mate in {sfen}");
                others += 1;
            }
            MateResult::Unknown => panic!("not solved: {sfen}"),
        }
        for plies in 1..6 {
            let Some(expected) = verdict_by_trying(&position, plies) else { continue };
            let within = solver.solve_within(&mut position, plies as usize, &mut |nodes| nodes < 100_000);
            match within {
                MateResult::Mate(line) => assert!(expected && line.len() <= plies as usize, "{line:?} in {sfen}"),
                other => assert_eq!(other == MateResult::NoMate, !expected, "{plies} plies: {other:?} in {sfen}"),
            }
        }
        assert_eq!(position.to_sfen(), sfen, "the position is left as it was");
    }
    assert!(longest >= 5, "the problems are too easy: {longest} plies");
}
