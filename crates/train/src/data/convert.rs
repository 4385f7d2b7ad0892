//! `kiki-lab data convert`: games as records of 40 bytes, and records as games.

use anyhow::{Context as _, Result};
use clap::Args;
use kiki_board::{Move, PackedSfen, Position, opponent};
use kiki_run::{PROGRAM, say};
use serde_json::json;

use super::result_file::{RewriteArgs, folder_of, refuse_existing, write_records};
use super::returns::centipawns;
use super::sources::Sources;
use crate::games::{
    GameFileNote, GameFileWriter, GamePart, GamePly, PlySource, RecordRule, SelfPlayEnding, TrainingGame,
};
use crate::psv::{TrainingRecord, is_psv};

#[derive(Args, Debug)]
pub(super) struct DataConvertArgs {
    #[command(flatten)]
    paths: RewriteArgs,
    /// The score in records that means 75 percent of the points; it goes into the note of the games
    #[arg(long, value_name = "CP", default_value_t = 1000.0, value_parser = centipawns)]
    score_scale: f64,
}

pub(super) fn run(arguments: &DataConvertArgs) -> Result<()> {
    let DataConvertArgs { paths: RewriteArgs { files, out }, score_scale } = arguments;
    let sources = Sources::open(files)?;
    if is_psv(out) {
        let positions = write_records(out, "data convert", |result| {
            let records = |game: &[TrainingRecord]| game.iter().map(TrainingRecord::to_bytes).collect::<Vec<_>>();
            Ok((sources.read_sound(|_, game| result.write(&records(game)))?, json!({})))
        })?;
        say!("{}: {positions} records", out.display());
        return Ok(());
    }
    refuse_existing(out)?;
    let named = || out.display().to_string();
    let note = GameFileNote {
        program: PROGRAM.to_owned(),
        records: RecordRule::All,
        score_scale: *score_scale,
        origin: json!({ "made_by": "data convert", "files": files }),
    };
    // The file gets its name when it is complete.
    let unfinished = tempfile::Builder::new().tempdir_in(folder_of(out)).with_context(named)?;
    let path = unfinished.path().join("games");
    let mut writer = GameFileWriter::create(&path, &note).with_context(named)?;
    let (mut games, mut positions) = (0_u64, 0);
    sources.read_sound(|place, records| {
        let game = game_of(records).with_context(|| place.to_string())?;
        games += 1;
        positions += records.len();
        writer.append(Some(&game), records.len()).with_context(named)
    })?;
    writer.finish().with_context(named)?;
    std::fs::rename(&path, out).with_context(named)?;
    let bytes = std::fs::metadata(out).with_context(named)?.len();
    let each = bytes as f64 / positions.max(1) as f64;
    say!("{}: {positions} positions of {games} games, {bytes} bytes, {each:.2} a position", out.display());
    Ok(())
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
