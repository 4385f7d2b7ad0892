//! Arguments of `kiki-lab book make`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use kiki_book::{ColourRule, CountFilter, ExpansionSettings};
use kiki_run::ensure_usage;
use kiki_run::evaluation::{SearcherArgs, ThreadArgs};

use crate::games::GameSelection;
use crate::settings::{BookSearchSettings, BookTask};

const EXAMPLE: &str = "\
Example:
  kiki-lab book make --from results/round-robin --plies 24 --winners --output games.db
  kiki-lab book make --from records/*.csa --minimum-games 3 --evaluate nodes=50000 --network nn.bin --output valued.db
  kiki-lab book make --expand --positions 2000 --nodes 20000 --network nn.bin --output searched.db
  kiki-lab resume searched.db.searches --positions 4000

The folder FILE.searches keeps finished searches. Ctrl-C stops cleanly (exit status 130); `kiki-lab resume` continues and makes the same book as
without a stop. The book does not depend on the number of threads.";

/// Make a book from games, or by search
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(super) struct MakeArgs {
    /// Count the moves of games: the folder of a match, a game record of any form, or a folder of them
    #[arg(long, value_name = "PATH", num_args = 1.., required_unless_present = "expand")]
    pub(super) from: Vec<PathBuf>,
    /// Search positions, always next the one that good play reaches most likely
    #[arg(long, conflicts_with = "from")]
    pub(super) expand: bool,
    /// The file of the book: in the binary form if its name ends with .ybb
    #[arg(long, value_name = "FILE", required = true)]
    pub(super) output: PathBuf,
    /// The folder for the searches [default: FILE.searches]
    #[arg(long, value_name = "FOLDER")]
    pub(super) journal: Option<PathBuf>,
    /// The last ply whose moves are in the book [default: 40 with --from, 100 with --expand]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) plies: Option<u32>,
    #[command(flatten)]
    pub(super) counting: CountingArgs,
    #[command(flatten)]
    pub(super) expanding: ExpandingArgs,
    #[command(flatten)]
    pub(super) search: SearcherArgs,
}

/// Which moves of games count.
#[derive(Args, Debug)]
pub(super) struct CountingArgs {
    /// Leave out moves played in fewer games
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "expand")]
    minimum_games: u64,
    /// Leave out moves with a smaller share of the points, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, conflicts_with = "expand")]
    minimum_points: f64,
    #[command(flatten)]
    pub(super) selection: GameSelection,
    /// Keep a position apart from the same one with colours exchanged
    #[arg(long, conflicts_with = "expand")]
    keep_colours: bool,
    /// Write the results of the moves as a table too
    #[arg(long, value_name = "FILE", conflicts_with = "expand")]
    pub(super) results: Option<PathBuf>,
    /// Give the moves values from a search with this number of nodes per position
    #[arg(long, value_name = "nodes=N", value_parser = nodes, conflicts_with = "expand")]
    pub(super) evaluate: Option<u64>,
}

impl CountingArgs {
    pub(super) fn filter(&self) -> Result<CountFilter> {
        let percent = self.minimum_points;
        ensure_usage!((0.0..=100.0).contains(&percent), "--minimum-points {percent}: expected 0 to 100");
        Ok(CountFilter { games: self.minimum_games, points: percent / 100.0 })
    }

    pub(super) fn colours(&self) -> ColourRule {
        if self.keep_colours { ColourRule::Apart } else { ColourRule::Merge }
    }
}

/// Where a book grows.
#[derive(Args, Debug)]
pub(super) struct ExpandingArgs {
    /// Number of positions to search [default: 1000]
    #[arg(long, value_name = "N", conflicts_with = "from")]
    pub(super) positions: Option<usize>,
    /// Grow from these openings instead of the start of a game
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    pub(super) openings: Option<PathBuf>,
    /// Cost of each ply of a line in centipawns, added to the loss of its moves: a low cost gives
    /// long lines, a high one many moves
    #[arg(long, value_name = "CP", default_value_t = 10, conflicts_with = "from")]
    ply_cost: u32,
    /// Do not search positions with a greater value for either side, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 600, conflicts_with = "from")]
    value_limit: u32,
    /// Leave out moves that are worse than the best one by more, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 200, conflicts_with = "from")]
    margin: u32,
    /// Number of best moves of a position that get values
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=600), conflicts_with = "from")]
    lines: u32,
    /// Nodes per position [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "from")]
    nodes: Option<u64>,
}

#[derive(Args, Debug)]
pub struct MakeResumeArgs {
    /// Number of positions to search [default: as before]
    #[arg(long, value_name = "N")]
    pub(super) positions: Option<usize>,
    #[command(flatten)]
    pub(super) threads: ThreadArgs,
}

impl MakeArgs {
    pub(super) fn expansion(&self) -> BookTask {
        let ExpandingArgs { positions, ply_cost, value_limit, margin, .. } = self.expanding;
        let settings = ExpansionSettings { ply_cost, value_limit, last_ply: self.plies.unwrap_or(100) };
        BookTask::Expand { settings, positions: positions.unwrap_or(1000), margin }
    }

    /// How the positions of an expansion are searched.
    pub(super) fn search(&self) -> Result<BookSearchSettings> {
        self.search_of(self.expanding.nodes.unwrap_or(20_000), self.expanding.lines as usize)
    }

    pub(super) fn search_of(&self, nodes: u64, lines: usize) -> Result<BookSearchSettings> {
        let SearcherArgs { table, evaluation, .. } = &self.search;
        ensure_usage!((1..=1 << 20).contains(table), "--table {table}: expected 1 to 1048576");
        Ok(BookSearchSettings { evaluation: evaluation.note()?, nodes, lines, table_mebibytes: *table })
    }
}

fn nodes(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix("nodes=").and_then(|number| number.parse().ok());
    number.filter(|&nodes| nodes > 0).ok_or_else(|| "expected nodes=N with a number above 0".to_owned())
}
