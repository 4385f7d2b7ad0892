//! Mating problems: whether there is a mate by checks, and the defence against one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use kiki_board::{Move, Position};
use kiki_mate::{MateResult, Solver};
use kiki_search::SEARCH_STACK_SIZE;

use crate::facts::{named_line, named_move};
use crate::outgoing::TabQuestion;
use crate::protocol::{MateDefence, MateVerdict, TabReply};

/// Size of the solver's table, in MiB.
const TABLE: usize = 32;
/// The longest search for a mate, in seconds.
const MOST_SECONDS: f64 = 600.0;
/// The time for a defence, all answers together.
const DEFENCE_TIME: Duration = Duration::from_secs(5);

/// What a tab has proved in a thread of its own: mates, defences, reasons.
#[derive(Default)]
pub(crate) struct ProofThread(Option<(Arc<AtomicBool>, JoinHandle<()>)>);

impl ProofThread {
    /// Ends the search before and begins another.
    pub(crate) fn solve(&mut self, question: TabQuestion, seconds: f64) -> std::io::Result<()> {
        let time = Duration::from_secs_f64(if seconds > 0.0 { seconds.min(MOST_SECONDS) } else { 0.0 });
        self.begin(question, move |id, mut position, stopped| {
            let end = Instant::now() + time;
            let mut solver = Solver::new(TABLE);
            let proceed = |_: u64| !stopped.load(Ordering::Relaxed) && Instant::now() < end;
            let (verdict, line) = match solver.solve(&mut position, &mut { proceed }) {
                MateResult::Mate(line) => (MateVerdict::Mate, line),
                MateResult::NoMate => (MateVerdict::NoMate, Vec::new()),
                MateResult::Unknown => (MateVerdict::Unknown, Vec::new()),
            };
            TabReply::Mate { id, verdict, moves: named_line(&position, &line), nodes: solver.nodes() }
        })
    }

    /// As [`Self::solve`], for the best defence of the side to move.
    pub(crate) fn defend(&mut self, question: TabQuestion) -> std::io::Result<()> {
        self.begin(question, move |id, mut position, stopped| {
            let end = Instant::now() + DEFENCE_TIME;
            let proceed = || !stopped.load(Ordering::Relaxed) && Instant::now() < end;
            TabReply::Defence { id, defence: defence(&mut position, &proceed) }
        })
    }

    /// Ends the work before and begins another: from the number of the request, the position and a
    /// flag that is set to stop it.
    pub(crate) fn begin(
        &mut self,
        TabQuestion { id, position, outgoing }: TabQuestion,
        work: impl FnOnce(u64, Position, &AtomicBool) -> TabReply + Send + 'static,
    ) -> std::io::Result<()> {
        self.end();
        let stopped = Arc::<AtomicBool>::default();
        let flag = Arc::clone(&stopped);
        let answer = move || outgoing.send(&work(id, position, &flag));
        let thread =
            std::thread::Builder::new().name("proof".to_owned()).stack_size(SEARCH_STACK_SIZE).spawn(answer)?;
        self.0 = Some((stopped, thread));
        Ok(())
    }

    /// Tells the work in progress to end, and does not wait for it: a reason is not interrupted, and a
    /// game must not wait for one.
    pub(crate) fn stop(&self) {
        if let Some((stopped, _)) = &self.0 {
            stopped.store(true, Ordering::Relaxed);
        }
    }

    fn end(&mut self) {
        self.stop();
        if let Some((_, thread)) = self.0.take() {
            // A thread that panicked has sent no reply; the next work has its own thread.
            let _ = thread.join();
        }
    }
}

impl Drop for ProofThread {
    fn drop(&mut self) {
        self.end();
    }
}

/// The best defence against mates by checks: the first move that ends them, else one that makes the
/// mate as long as possible. Restores the position.
fn defence(position: &mut Position, proceed: &dyn Fn() -> bool) -> MateDefence {
    if !position.in_check() {
        return MateDefence::Refuted { mv: None };
    }
    let mut solver = Solver::new(TABLE);
    solver.set_shortest(true);
    let mut longest: Option<(Move, usize)> = None;
    for &mv in &position.legal_moves() {
        position.make(mv);
        let result = solver.solve(position, &mut |_| proceed());
        let is_futile = matches!(result, MateResult::Mate(_)) && mv.is_drop() && falls_with_mate(position, mv, proceed);
        position.unmake();
        let line = match result {
            MateResult::Mate(line) => line,
            MateResult::NoMate => return MateDefence::Refuted { mv: Some(named_move(position, mv)) },
            MateResult::Unknown => return MateDefence::Unknown,
        };
        if !is_futile && longest.is_none_or(|(_, plies)| line.len() > plies) {
            longest = Some((mv, line.len()));
        }
    }
    longest.map_or(MateDefence::Mated, |(mv, plies)| MateDefence::Reply { mv: named_move(position, mv), plies })
}

/// Whether the attacker mates by taking the piece just dropped. Composers of problems do not count
/// such drops (無駄合い).
fn falls_with_mate(position: &mut Position, drop: Move, proceed: &dyn Fn() -> bool) -> bool {
    position.legal_moves().iter().filter(|taking| taking.to() == drop.to()).any(|&taking| {
        position.make(taking);
        let is_mate = defence(position, proceed) == MateDefence::Mated;
        position.unmake();
        is_mate
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(sfen: &str, mv: &str) -> MateDefence {
        let mut position = Position::from_sfen(sfen).unwrap();
        position.make(position.parse_move(mv).unwrap());
        defence(&mut position, &|| true)
    }

    #[test]
    fn the_defender_is_mated_or_finds_the_longest_way_or_the_refutation() {
        let head = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
        assert_eq!(answer(head, "G*5b"), MateDefence::Mated);
        assert!(matches!(answer(head, "G*4b"), MateDefence::Refuted { mv: Some(_) }));
        assert_eq!(answer(head, "G*9i"), MateDefence::Refuted { mv: None });
        // The king can only go to the corner, where the second gold mates.
        let corner = "7k1/9/6GP1/9/9/9/9/9/9 b Gr2b2g4s4n4l17p 1";
        assert!(matches!(answer(corner, "G*2b"), MateDefence::Mated));
        let two = "7k1/7p1/6P2/7N1/9/9/9/9/9 b 2G2r2b2g4s3n4l16p 1";
        let MateDefence::Reply { mv, plies } = answer(two, "G*3b") else { panic!("a longer mate") };
        assert_eq!((mv.mv.as_str(), plies), ("2a1a", 1));
    }

    #[test]
    fn a_drop_that_is_taken_with_mate_is_no_defence() {
        // The rook mates along the rank; pieces dropped between it and the king fall.
        let sfen = "k8/2R6/PPN6/9/9/9/9/9/9 b r2b4g4s3n4l16p 1";
        let mut position = Position::from_sfen(sfen).unwrap();
        let mv = position.parse_move("7b7a+").unwrap();
        position.make(mv);
        assert!(position.legal_moves().iter().any(|mv| mv.is_drop()), "there are drops");
        assert_eq!(defence(&mut position, &|| true), MateDefence::Mated);
    }
}
