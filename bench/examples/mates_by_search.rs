//! Does the ordinary search, which does not look for mates in particular, find the mates of a table
//! like `tests/fixtures/mate.tsv`?
//!
//! `cargo run --release -p kiki-bench --example mates_by_search -- [FILE [NODES]]`
//!
//! A first move wins if the table lists it, or if a search after it with twenty times the nodes
//! proves a mate. Mate values are proofs, because moves are pruned only once another one is known
//! to avoid mate.

use std::error::Error;

use kiki_board::Position;
use kiki_eval::{Formula, Weights};
use kiki_search::{Action, Limits, Options, RootScore, SearchResult, Searcher};

const AFTERWARDS: u64 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "tests/fixtures/mate.tsv".to_owned());
    let nodes: u64 = arguments.next().map_or(Ok(200_000), |text| text.parse())?;
    let mut searcher = Searcher::<Formula>::new(
        Weights::default(),
        Options { threads: 1, table_mebibytes: 128, ..Options::default() },
    )?;
    let mut look = |position: &Position, nodes: u64| -> Result<SearchResult, Box<dyn Error>> {
        searcher.clear();
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        Ok(searcher.search(position.clone(), limits, &false.into()).result)
    };
    println!("length move    score        first move");
    let (mut won, mut all) = (0, 0);
    for row in std::fs::read_to_string(path)?.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [length, sfen, first_moves, other_moves, ..] = fields[..] else { continue };
        if length == "none" {
            continue;
        }
        let position = Position::from_sfen(sfen)?;
        let result = look(&position, nodes)?;
        all += 1;
        let Action::Play(mv) = result.action else {
            println!("{length:>6} {:<7} {:<12} {:<10}  {sfen}", "none", format!("{:?}", result.score), "NOT PROVED");
            continue;
        };
        let text = mv.to_string();
        let listed = first_moves.split(' ').chain(other_moves.split(' ').filter_map(|other| other.split(':').next()));
        let verdict = if listed.into_iter().any(|listed| listed == text) {
            "listed"
        } else {
            let mut after = position.clone();
            after.make(mv);
            match look(&after, AFTERWARDS * nodes)?.score {
                RootScore::Mate(plies) if plies < 0 => "proved",
                _ => "NOT PROVED",
            }
        };
        won += usize::from(verdict != "NOT PROVED");
        println!("{length:>6} {text:<7} {:<12} {verdict:<10}  {sfen}", format!("{:?}", result.score));
    }
    println!("{won} of {all}, {:.1} percent", 100.0 * f64::from(won as u32) / f64::from(all as u32));
    Ok(())
}
