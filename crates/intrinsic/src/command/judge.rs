//! `kiki-lab intrinsic judge`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::json;

use crate::{Judging, JudgingSettings, TurnFilter, turns_of};
use kiki_run::files::absolute;
use kiki_run::input_errors::InputErrors;
use kiki_run::interrupt::stop_flag;
use kiki_run::numbers::print_json;
use kiki_run::progress_line::ProgressLine;
use kiki_run::say;
use kiki_run::search_args::{EvaluationArgs, ThreadArgs};
use kiki_run::shell_word::shell_word;

/// Judges the moves of games by a search of many moves to a fixed depth
#[derive(Args, Debug)]
pub(super) struct JudgeArgs {
    /// The folder of what is judged
    folder: PathBuf,
    /// Go on with what was begun before; its settings stay
    #[arg(long, hide = true, conflicts_with_all = ["games", "opening_plies", "per_player", "seed", "depth", "lines", "lopsided", "network", "fv_scale", "table"])]
    resume: bool,
    /// The games; may be given several times: a folder of a match, a game record or a folder of them
    #[arg(long, value_name = "PATH", required_unless_present = "resume")]
    games: Vec<PathBuf>,
    /// Leave so many plies of each game out as the opening
    #[arg(long, value_name = "PLIES", default_value_t = 16)]
    opening_plies: u32,
    /// Draw so many positions of each player at random
    #[arg(long, value_name = "N", default_value_t = 1000)]
    per_player: usize,
    /// What the draw follows from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Plies of each search
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Judge so many of the best moves; the one that was played always is
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..=600))]
    lines: u32,
    /// Leave positions out, before they are searched with all lines, whose value by a search of one line, 3 plies less deep, is beyond this, in centipawns
    #[arg(long, value_name = "CENTIPAWNS", value_parser = clap::value_parser!(i32).range(1..))]
    lopsided: Option<i32>,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Size of each search's transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    table: usize,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &JudgeArgs) -> Result<ExitCode> {
    let threads = arguments.threads.count()?;
    let (mut judging, errors) = if arguments.resume { resume(&arguments.folder)? } else { begin(arguments)? };
    let stop = stop_flag()?;
    let to_judge = judging.to_judge();
    let mut line = ProgressLine::new("positions", to_judge as u64, judging.judgements.len() as u64);
    judging.run(threads, &stop, |done| line.show(done as u64, String::new))?;
    line.finish();
    let done = judging.judgements.len();
    if arguments.json {
        print_json(&json!({
            "ending": if done < to_judge { "interrupted" } else { "complete" },
            "folder": arguments.folder,
            "positions": to_judge,
            "judged": done,
            "left_out": judging.turns.len() - to_judge,
        }))?;
        return Ok(errors.exit_code_of_run(done < to_judge));
    }
    say!("{done} of {to_judge} positions judged, {} left out", judging.turns.len() - to_judge);
    if done < to_judge {
        say!("interrupted; go on with: kiki-lab resume {}", shell_word(&arguments.folder));
    }
    Ok(errors.exit_code_of_run(done < to_judge))
}

fn resume(folder: &Path) -> Result<(Judging, InputErrors)> {
    let judging = Judging::resume(folder)?;
    let errors = InputErrors::of_earlier_run(&judging.settings.left_out);
    Ok((judging, errors))
}

fn begin(arguments: &JudgeArgs) -> Result<(Judging, InputErrors)> {
    ensure!(arguments.per_player > 0, "--per-player 0: there is nothing to judge");
    let filter =
        TurnFilter { opening_plies: arguments.opening_plies, per_player: arguments.per_player, seed: arguments.seed };
    let mut errors = InputErrors::default();
    let turns = turns_of(&arguments.games, filter, &mut errors)?;
    let settings = JudgingSettings {
        sources: absolute(&arguments.games)?,
        opening_plies: arguments.opening_plies,
        evaluation: arguments.evaluation.note()?,
        depth: arguments.depth,
        lines: arguments.lines as usize,
        lopsided: arguments.lopsided,
        table_mebibytes: arguments.table,
        left_out: errors.texts().to_vec(),
    };
    Ok((Judging::begin(&arguments.folder, settings, turns)?, errors))
}
