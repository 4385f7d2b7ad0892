//! `kiki-lab book show`.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use kiki_board::Position;
use kiki_book::{BookKey, BookMove};
use kiki_record::{japanese_diagram, japanese_moves};
use kiki_run::output::{or_dash, print_warning, table};
use kiki_run::position_text::position;
use kiki_run::say;

use super::book_file::open_book;
use super::statistics;

/// Show a position of a book, or a summary of the book
#[derive(Args, Debug)]
pub(super) struct BookShowArgs {
    /// The book
    #[arg(value_name = "FILE")]
    book: PathBuf,
    /// Show this position: an SFEN, or `startpos`, with or without moves
    #[arg(long)]
    sfen: Option<String>,
    /// Show the position after these moves, in USI, separated by blanks; from the start of a game
    /// without --sfen
    #[arg(long)]
    moves: Option<String>,
}

pub(super) fn run(arguments: &BookShowArgs) -> Result<()> {
    if arguments.sfen.is_none() && arguments.moves.is_none() {
        return statistics::print(&arguments.book);
    }
    let position = position(arguments.sfen.as_deref(), arguments.moves.as_deref())?;
    say!("{}", japanese_diagram(&position));
    say!("sfen {}", position.to_sfen());
    let path = &arguments.book;
    let book = open_book(path)?;
    let key = BookKey::new(&position.to_sfen()).context("the position has no SFEN")?;
    // Where an engine looks: at its ply, at any, and with colours exchanged.
    let looks = [
        ("at this ply:", book.moves(&key, false)),
        ("at another ply (IgnoreBookPly finds it):", book.moves(&key, true)),
        ("with colours exchanged (FlippedBook finds it):", book.moves_of_either_colour(&key, true)),
    ];
    if let Some(damage) = book.damage() {
        print_warning(&format!("{}: {damage}", path.display()));
    }
    for (words, moves) in looks {
        let moves = moves.with_context(|| path.display().to_string())?;
        if !moves.is_empty() {
            say!("{words}\n{}", moves_table(&position, &moves));
            return Ok(());
        }
    }
    say!("the position is not in the book");
    Ok(())
}

fn moves_table(position: &Position, moves: &[BookMove]) -> comfy_table::Table {
    let row = |book_move: &BookMove| {
        let line: Vec<_> = std::iter::once(&book_move.mv).chain(&book_move.ponder).collect();
        let names = names(position, &line);
        vec![
            book_move.mv.clone(),
            names.first().cloned().unwrap_or_else(|| "illegal".to_owned()),
            or_dash(book_move.value.map(|value| format!("{value:+}"))),
            or_dash(book_move.depth),
            or_dash(book_move.count),
            or_dash(names.get(1).or(book_move.ponder.as_ref())),
        ]
    };
    table(&["move", "", "value", "depth", "count", "reply"], moves.iter().map(row))
}

/// Moves in Japanese notation, up to the first that is illegal.
fn names(position: &Position, line: &[&String]) -> Vec<String> {
    japanese_moves(position, &position.legal_line(line))
}
