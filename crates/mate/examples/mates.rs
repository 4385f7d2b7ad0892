//! Solves the mating problems of a table like `tests/fixtures/mate.tsv` and prints the cost of
//! each.
//!
//! `cargo run --release -p kiki-mate --example mates -- [FILE [MILLISECONDS [MEBIBYTES]]]`
//!
//! The table's header gives the columns `length` and `sfen`. Where the system provides it, the time
//! is processor time, so that other programs do not count.

use std::error::Error;
use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_mate::{MateResult, Solver};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "tests/fixtures/mate.tsv".to_owned());
    let limit = Duration::from_millis(arguments.next().map_or(Ok(1000), |text| text.parse())?);
    let mebibytes = arguments.next().map_or(Ok(64), |text| text.parse())?;
    println!("length answer nodes ms");
    let (mut solved, mut all) = (0, 0);
    let text = std::fs::read_to_string(path)?;
    let mut rows = text.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let header = rows.next().unwrap_or_default();
    let column = |name| header.iter().position(|&title| title == name).ok_or(format!("no column {name}"));
    let (length_column, sfen_column) = (column("length")?, column("sfen")?);
    for row in rows {
        let (Some(&length), Some(&sfen)) = (row.get(length_column), row.get(sfen_column)) else { continue };
        let mut position = Position::from_sfen(sfen)?;
        let mut solver = Solver::new(mebibytes);
        let clock = Clock::start();
        let verdict = solver.solve(&mut position, &mut |nodes| !nodes.is_multiple_of(1024) || clock.elapsed() < limit);
        let milliseconds = clock.elapsed().as_millis();
        let answer = match &verdict {
            MateResult::Mate(line) if kiki_mate::is_mate(&mut position, line) => line.len().to_string(),
            MateResult::Mate(_) => "WRONG".to_owned(),
            MateResult::NoMate => "none".to_owned(),
            MateResult::Unknown => "unknown".to_owned(),
        };
        all += 1;
        solved += usize::from((answer == "none") == (length == "none") && answer != "unknown");
        println!("{length:>6} {answer:>7} {:>9} {milliseconds:>5}  {sfen}", solver.nodes());
    }
    println!("{solved} of {all}");
    Ok(())
}

/// The processor time of this thread, or the time of the day.
struct Clock {
    start: Instant,
    processor: Option<Duration>,
}

impl Clock {
    fn start() -> Self {
        Self { start: Instant::now(), processor: processor_time() }
    }

    fn elapsed(&self) -> Duration {
        match (self.processor, processor_time()) {
            (Some(start), Some(now)) => now - start,
            _ => self.start.elapsed(),
        }
    }
}

/// Statistics of Linux about this thread.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
