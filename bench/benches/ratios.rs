//! How much faster Kiki's board is than a rival: medians of paired runs, printed as a table.
//!
//! On a shared machine speeds drift by tens of percent from minute to minute, but the ratio of two
//! adjacent runs hardly does. So the two run in turn, and the median ratio counts. Only the running
//! time of the thread is measured, where the system reports it.

mod boards;

use std::time::{Duration, Instant};

use boards::{Forest, Haitaka, Kiki, LastPly, PerftBoard};

const PAIRS: usize = 7;
/// Shorter trees are walked again until this much time has passed.
const SHORTEST_RUN: Duration = Duration::from_millis(300);

/// Measures the running time of this thread (on Linux), or else wall-clock time.
struct ThreadClock {
    wall: Instant,
    running: Option<Duration>,
}

impl ThreadClock {
    fn start() -> Self {
        Self { wall: Instant::now(), running: Self::running() }
    }

    fn elapsed(&self) -> Duration {
        match (self.running, Self::running()) {
            (Some(then), Some(now)) => now - then,
            _ => self.wall.elapsed(),
        }
    }

    /// The first number of this file is the thread's processor time, in nanoseconds.
    fn running() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
    }
}

/// One program on one forest.
struct Runner<'a, B> {
    forest: &'a Forest,
    last_ply: LastPly,
    roots: Vec<B>,
}

impl<'a, B: PerftBoard> Runner<'a, B> {
    fn new(forest: &'a Forest, last_ply: LastPly) -> Self {
        Self { forest, last_ply, roots: forest.roots() }
    }

    /// Millions of nodes per second.
    fn speed(&mut self) -> f64 {
        let watch = ThreadClock::start();
        let mut nodes = 0;
        loop {
            nodes += self.forest.walk(&mut self.roots, self.last_ply);
            let elapsed = watch.elapsed();
            if elapsed >= SHORTEST_RUN {
                return nodes as f64 / elapsed.as_secs_f64() / 1e6;
            }
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The table row of one forest.
fn compare(forest: &Forest, last_ply: LastPly) -> String {
    let mut kiki = Runner::<Kiki>::new(forest, last_ply);
    let mut rival = Runner::<Haitaka>::new(forest, last_ply);
    let speeds: Vec<[f64; 2]> = (0..PAIRS)
        .map(|pair| {
            // Each goes first in turn.
            if pair % 2 == 0 {
                let first = kiki.speed();
                [first, rival.speed()]
            } else {
                let first = rival.speed();
                [kiki.speed(), first]
            }
        })
        .collect();
    let ratios: Vec<f64> = speeds.iter().map(|[kiki, rival]| kiki / rival).collect();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    format!(
        "| {}, depth {} | {} | {:.1} | {:.1} | {:.2} | {least:.2} to {most:.2} |",
        forest.name,
        forest.depth(last_ply),
        last_ply.name(),
        median(speeds.iter().map(|[kiki, _]| *kiki).collect()),
        median(speeds.iter().map(|[_, rival]| *rival).collect()),
        median(ratios),
    )
}

fn main() {
    println!("Perft, one thread; millions of nodes per second, medians of {PAIRS} paired runs.\n");
    println!("| tree | way | {} | {} | ratio | range |", Kiki::NAME, Haitaka::NAME);
    println!("|---|---|---|---|---|---|");
    for last_ply in LastPly::BOTH {
        for forest in &Forest::all() {
            println!("{}", compare(forest, last_ply));
        }
    }
}
