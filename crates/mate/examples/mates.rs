//! Solves the mating problems of a table like `tests/fixtures/mate.tsv` and tells what each took.
//!
//! `cargo run --release -p kiki-mate --example mates -- [FILE [MILLISECONDS [MEBIBYTES]]]`

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
    for row in std::fs::read_to_string(path)?.lines().skip(1) {
        let mut fields = row.split('\t');
        let (Some(length), Some(sfen)) = (fields.next(), fields.next()) else { continue };
        let mut position = Position::from_sfen(sfen)?;
        let mut solver = Solver::new(mebibytes);
        let start = Instant::now();
        let verdict = solver.solve(&mut position, &mut |_| start.elapsed() < limit);
        let milliseconds = start.elapsed().as_millis();
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
