//! What a contest leaves beside its journal: games as CSA and PGN, and pictures of the Elo and of
//! the sequential test.

use std::fs;
use std::num::NonZeroI32;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use kiki_board::{Move, Position};
use kiki_play::game::{MATE, PlayedGame};
use kiki_play::openings;
use kiki_plot::{ChartLine, CurveStyle, LineChart};
use kiki_record::{EndReason, GameOutcome, PgnMoves, PlayedMove, ScoreValue, to_csa, to_pgn};
use kiki_run::files::write_atomically;
use kiki_run::journal::Journal;
use kiki_stats::sprt::{CountKind, Counts, Estimates};

use crate::settings::ContestSettings;
use crate::sprt::SprtRun;
use crate::standings::{LEVEL, Standings};

/// The folder of a match with a CSA file of each game.
pub const CSA: &str = "csa";
/// The file of a match with its results for rating programs.
pub const PGN: &str = "games.pgn";

/// Writes a game as CSA. A kill never leaves an incomplete file under this name.
pub(crate) fn csa(journal: &Journal<ContestSettings>, game: &PlayedGame) -> Result<()> {
    let path = csa_path(journal.folder(), game);
    let temporary = path.with_extension("part");
    let text = to_csa(&record(&journal.settings, game)?).with_context(|| format!("game {}", game.game))?;
    // All readers know a resignation; some do not know a mate (python-cshogi reads a draw). A
    // comment keeps the exact end.
    let text = text.replace("\n%TSUMI\n", "\n%TORYO\n");
    // The journal can restore this file, so it is not synchronized with the disk.
    fs::write(&temporary, text).with_context(|| temporary.display().to_string())?;
    fs::rename(&temporary, &path).with_context(|| path.display().to_string())
}

fn csa_path(folder: &Path, game: &PlayedGame) -> PathBuf {
    folder.join(CSA).join(format!("{:06}.csa", game.game))
}

/// Writes the results as PGN, and the CSA files that an interruption prevented.
pub(crate) fn results(journal: &Journal<ContestSettings>, with_csa: bool) -> Result<()> {
    let mut games = String::new();
    journal.replay(|mut game: PlayedGame| {
        if game.voided {
            return Ok(());
        }
        if with_csa && !csa_path(journal.folder(), &game).exists() {
            csa(journal, &game)?;
        }
        // The PGN omits variations, and checking their moves takes longer than checking those of
        // the game.
        game.pvs.clear();
        games += &to_pgn(&record(&journal.settings, &game)?, &game.game.to_string(), PgnMoves::Omitted);
        Ok(())
    })?;
    write_atomically(&journal.folder().join(PGN), games.as_bytes())
}

/// The root and the moves of a game. Refuses a root that is no position, and an illegal move.
pub fn legal_moves(game: &PlayedGame) -> Result<(Position, Vec<Move>)> {
    let (_, root) = openings::position(&game.root)?;
    let moves = root.legal_line(&game.moves);
    match game.moves.get(moves.len()) {
        Some(illegal) => bail!("game {}, move {}: `{illegal}` is illegal", game.game, moves.len() + 1),
        None => Ok((root, moves)),
    }
}

/// As [`legal_moves`], with all that a record holds.
pub fn record(settings: &ContestSettings, game: &PlayedGame) -> Result<kiki_record::Game> {
    let (mut position, played_moves) = legal_moves(game)?;
    let mut moves = Vec::with_capacity(played_moves.len());
    for (index, (mv, text)) in played_moves.into_iter().zip(&game.moves).enumerate() {
        position.make(mv);
        let mut played = PlayedMove::from(mv);
        if let Some(column) = index.checked_sub(game.opening_plies) {
            played.time_ms = game.times.get(column).map(|time| time.as_millis() as u64);
            played.score = game.scores.get(column).copied().flatten().map(score);
            played.depth = game.depths.get(column).copied().flatten();
            played.nodes = game.nodes.get(column).copied().flatten();
            let pv = game.pvs.get(column).and_then(Option::as_deref).unwrap_or_default();
            played.pv = expected_moves(pv, text, &position);
        }
        moves.push(played);
    }
    let time_control = |name: &String| {
        let engine = settings.engines.iter().find(|engine| engine.name == *name);
        engine.map(|engine| engine.limits.to_string()).unwrap_or_default()
    };
    let both = [time_control(&game.black), time_control(&game.white)];
    // The reason in terms that other programs know.
    let reason = match (game.reason, game.outcome) {
        (EndReason::Declaration, GameOutcome::Draw) => EndReason::Impasse,
        (reason, _) => reason.general(),
    };
    Ok(kiki_record::Game {
        black: game.black.clone(),
        white: game.white.clone(),
        event: settings.event.clone(),
        start_time: start_time(&game.started),
        time_control: if both[0] == both[1] { both[0].clone() } else { both.join(" / ") },
        root: game.root.strip_prefix("sfen ").map(str::to_owned),
        moves,
        outcome: game.outcome,
        reason: Some(reason),
        remark: remark(game),
        ..kiki_record::Game::default()
    })
}

/// Legal moves of a principal variation after the move played; empty if it begins with another
/// move.
fn expected_moves(pv: &str, played: &str, position: &Position) -> Vec<Move> {
    let rest = pv.strip_prefix(played).and_then(|rest| rest.strip_prefix(' '));
    rest.map(|rest| position.legal_line(rest.split(' '))).unwrap_or_default()
}

/// `2026-11-21T12:00:00.000Z` as CSA writes it.
fn start_time(started: &str) -> String {
    started.chars().take(19).collect::<String>().replace('-', "/").replace('T', " ")
}

/// Centipawns or a mate, of a score as a journal has it.
pub(crate) fn score(score: i32) -> ScoreValue {
    // Scores within 2000 plies of a mate are mates; centipawns of engines are smaller.
    const MATES: i32 = MATE - 2000;
    let plies = match score {
        _ if score >= MATES => NonZeroI32::new(MATE - score),
        _ if score <= -MATES => NonZeroI32::new(-MATE - score),
        _ => None,
    };
    plies.map_or(ScoreValue::Cp(score), ScoreValue::Mate)
}

fn remark(game: &PlayedGame) -> String {
    let rule = match game.reason {
        EndReason::ResignRule => "by the rule on hopeless scores",
        EndReason::DrawRule => "by the rule on level scores",
        _ => "",
    };
    game.fault.as_ref().map_or_else(|| rule.to_owned(), |fault| format!("{}: {}", fault.engine, fault.detail))
}

const MAX_POINTS: usize = 1000;

/// Writes `elo.svg` for two engines, and `llr.svg` if there is a test.
pub(crate) fn pictures(folder: &Path, standings: &Standings, sprt: Option<&SprtRun>) -> Result<()> {
    if standings.names.len() == 2 {
        elo(folder, standings)?;
    }
    sprt.filter(|sprt| !sprt.llrs.is_empty()).map_or(Ok(()), |sprt| llr(folder, sprt))
}

/// Writes `elo.svg` if the curve has two points or more.
fn elo(folder: &Path, standings: &Standings) -> Result<()> {
    let (points, low, high) = curves(standings);
    if points.len() < 2 {
        return Ok(());
    }
    let (first, second) = (&standings.names[0], &standings.names[1]);
    let interval = format!("{} % interval", 100.0 * LEVEL);
    let chart = LineChart::new(
        format!("{first} against {second}"),
        "games",
        "Elo",
        vec![
            ChartLine::new(interval, low.into_iter().chain(high.into_iter().rev()).collect(), CurveStyle::Area, 0),
            ChartLine::new("estimate", points, CurveStyle::Solid, 0),
        ],
    );
    chart.write(&folder.join("elo.svg"))
}

type Points = Vec<(f64, f64)>;

/// Estimate after every pair of games, and the ends of its interval.
fn curves(standings: &Standings) -> (Points, Points, Points) {
    let mut counts = Counts::empty(CountKind::Pentanomial);
    let (mut points, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
    let step = every(standings.played() / 2);
    for pair in 0.. {
        let Some([first, second]) = standings.pair(pair) else { break };
        counts.record(first + second);
        let shown = (pair + 1).is_multiple_of(step) || standings.pair(pair + 1).is_none();
        let estimates = if shown { counts.estimates(LEVEL).ok() } else { None };
        // The wide intervals of the first pairs would dwarf all others.
        let (Some(Estimates { elo, elo_interval, .. }), true) = (estimates, pair >= 4) else { continue };
        if [elo, elo_interval.low, elo_interval.high].iter().all(|value| value.is_finite()) {
            let games = counts.games() as f64;
            points.push((games, elo));
            low.push((games, elo_interval.low));
            high.push((games, elo_interval.high));
        }
    }
    (points, low, high)
}

fn every(points: usize) -> usize {
    points.div_ceil(MAX_POINTS).max(1)
}

fn llr(folder: &Path, sprt: &SprtRun) -> Result<()> {
    let pairs = sprt.llrs.len();
    let step = every(pairs);
    let shown = sprt.llrs.iter().enumerate().filter(|(pair, _)| (pair + 1).is_multiple_of(step) || pair + 1 == pairs);
    let llrs = shown.map(|(pair, &llr)| (2.0 * (pair + 1) as f64, llr)).collect();
    let bounds = sprt.bounds();
    let level = |llr: f64| vec![(0.0, llr), (2.0 * pairs as f64, llr)];
    let (elo0, elo1) = (sprt.settings.elo0, sprt.settings.elo1);
    let chart = LineChart::new(
        format!("Sequential test of {elo0} against {elo1} Elo"),
        "games",
        "log-likelihood ratio",
        vec![
            ChartLine::new("log-likelihood ratio", llrs, CurveStyle::Solid, 0),
            ChartLine::new(format!("accept H1: {elo1} Elo"), level(bounds.upper), CurveStyle::Dashed, 2),
            ChartLine::new(format!("accept H0: {elo0} Elo"), level(bounds.lower), CurveStyle::Dashed, 1),
        ],
    );
    chart.write(&folder.join("llr.svg"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variation_is_told_from_the_answer_on() {
        let mut position = Position::startpos();
        position.make(position.parse_move("7g7f").unwrap());
        let told = |pv| expected_moves(pv, "7g7f", &position).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(told("7g7f 3c3d 2g2f 2g2f"), ["3c3d", "2g2f"]);
        for nothing in ["", "7g7f", "2g2f 3c3d", "7g7f+ 3c3d", "7g7f  3c3d"] {
            assert!(told(nothing).is_empty(), "{nothing}");
        }
    }

    #[test]
    fn a_moment_is_written_in_the_form_of_csa() {
        assert_eq!(start_time("2026-11-21T12:00:00.123Z"), "2026/11/21 12:00:00");
    }
}
