//! `kiki-lab data convert`: games as records of 40 bytes, and records as games.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::games::{
    GameFileNote, GameFileWriter, GamePart, GamePly, PlySource, RecordRule, SelfPlayEnding, TrainingGame,
};
use crate::psv::TrainingRecord;
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use kiki_board::{Move, PackedSfen, Position, opponent};
use serde::Serialize;

use super::result_file::{ResultCounts, ResultFile, write_note};
use super::returns::centipawns;
use super::sources::{SourceFile, Sources};
use kiki_run::interrupt::exit_code;
use kiki_run::say;

#[derive(Args, Debug)]
pub(super) struct ConvertArgs {
    /// Files of games, or of records in the order of their games
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file for the result: records if its name ends in .psv, games otherwise; it must not
    /// exist yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The score in records that means 75 percent of the points; it goes into the note of the games
    #[arg(long, value_name = "CP", default_value_t = 1000.0, value_parser = centipawns)]
    score_scale: f64,
}

/// The note beside records.
#[derive(Serialize)]
struct ConvertedNote<'a> {
    made_by: &'static str,
    sources: &'a [SourceFile],
    #[serde(flatten)]
    counts: ResultCounts,
}

pub(super) fn run(arguments: &ConvertArgs) -> Result<ExitCode> {
    if arguments.out.extension().is_some_and(|extension| extension == "psv") {
        to_records(arguments)
    } else {
        to_games(arguments)
    }
}

fn to_records(arguments: &ConvertArgs) -> Result<ExitCode> {
    let sources = Sources::open(&arguments.files)?;
    let mut result = ResultFile::new(&arguments.out)?;
    let read =
        sources.read_sound(|_, game| result.write(&game.iter().map(TrainingRecord::to_bytes).collect::<Vec<_>>()))?;
    let Some(read) = read else { return Ok(exit_code(true)) };
    let counts = result.publish()?;
    let positions = counts.positions;
    write_note(&arguments.out, &ConvertedNote { made_by: "data convert", sources: &read, counts })?;
    say!("{}: {positions} records", arguments.out.display());
    Ok(ExitCode::SUCCESS)
}

fn to_games(arguments: &ConvertArgs) -> Result<ExitCode> {
    let ConvertArgs { files, out, score_scale } = arguments;
    let named = || out.display().to_string();
    ensure!(!out.exists(), "{} exists already", out.display());
    let sources = Sources::open(files)?;
    let note = GameFileNote {
        program: concat!("kiki-lab ", env!("CARGO_PKG_VERSION")).to_owned(),
        records: RecordRule::All,
        score_scale: *score_scale,
        origin: serde_json::json!({ "made_by": "data convert", "files": files }),
    };
    // The file gets its name when it is complete.
    let unfinished = tempfile::Builder::new().tempdir_in(super::result_file::folder_of(out)).with_context(named)?;
    let path = unfinished.path().join("games");
    let mut writer = GameFileWriter::create(&path, &note).with_context(named)?;
    let (mut games, mut positions) = (0_u64, 0);
    let read = sources.read_sound(|place, records| {
        let game = game_of(records).with_context(|| place.to_string())?;
        games += 1;
        positions += records.len();
        writer.append(Some(&game), records.len()).with_context(named)
    })?;
    if read.is_none() {
        return Ok(exit_code(true));
    }
    writer.finish().with_context(named)?;
    std::fs::rename(&path, out).with_context(named)?;
    let bytes = std::fs::metadata(out).with_context(named)?.len();
    let each = bytes as f64 / positions.max(1) as f64;
    say!("{}: {positions} positions of {games} games, {bytes} bytes, {each:.2} a position", out.display());
    Ok(ExitCode::SUCCESS)
}

/// Rebuilds a game from its records. One missing ply between two records is found by the position
/// it leads to. After a longer gap another part begins.
fn game_of(records: &[TrainingRecord]) -> Result<TrainingGame> {
    let mut parts: Vec<GamePart> = Vec::new();
    let mut reached: Option<Position> = None;
    for record in records {
        let (position, mv) = record.check()?;
        let missing = reached.as_mut().and_then(|reached| missing_plies(reached, record));
        match (missing, parts.iter_mut().last()) {
            (Some(missing), Some(part)) => part.plies.extend(missing),
            _ => {
                let is_usual = position.to_sfen() == Position::startpos().to_sfen();
                let start = (!is_usual).then_some((record.sfen, record.ply));
                parts.push(GamePart { start, plies: Vec::new() });
                reached = Some(position);
            }
        }
        let ply = GamePly { mv, source: PlySource::Best, score: record.score };
        parts.iter_mut().last().into_iter().for_each(|part| part.plies.push(ply));
        reached.iter_mut().for_each(|reached| {
            reached.make(mv);
        });
    }
    let winner = records.first().and_then(|record| match record.result {
        0 => None,
        1 => Some(record.side_to_move()),
        _ => Some(opponent(record.side_to_move())),
    });
    Ok(TrainingGame { parts, ending: SelfPlayEnding::Unknown { winner } })
}

/// Plays the ply, if any, from `reached` to a record; `None` if one ply does not lead there.
fn missing_plies(reached: &mut Position, record: &TrainingRecord) -> Option<Option<GamePly>> {
    let arrived = |position: &Position| PackedSfen::pack(position).is_ok_and(|sfen| sfen == record.sfen);
    match u32::from(record.ply).checked_sub(reached.ply())? {
        0 => arrived(reached).then_some(None),
        1 => {
            let moves = reached.legal_moves();
            let leads_there = |&mv: &Move| {
                reached.make(mv);
                let found = arrived(reached);
                reached.unmake();
                found
            };
            let mv = moves.iter().copied().find(leads_there)?;
            reached.make(mv);
            Some(Some(GamePly { mv, source: PlySource::Unsearched, score: 0 }))
        }
        _ => None,
    }
}
