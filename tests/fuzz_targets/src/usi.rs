//! Text of the USI protocol, from GUIs and engines, and positions in SFEN.

use std::fmt::Display;

use kiki_board::{Position, SfenError};
use kiki_tests::fixtures;
use kiki_usi::{Command, InfoString, Reply, command_lines, set_up};

use crate::common::{check_error, check_position};

/// Both sides read every line or refuse it in one line. A position that was set up is valid, and
/// survives writing and reading.
pub(crate) fn check_usi(bytes: &[u8]) {
    for line in bytes.split(|&byte| byte == b'\n') {
        check_command(line);
        let _ = Reply::parse(line);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        command_lines(text.split(' ')).iter().for_each(|line| check_command(line.as_bytes()));
    }
}

fn check_command(line: &[u8]) {
    match Command::parse(line) {
        Ok(Command::Position(spec)) => {
            let again = Command::parse(spec.to_string().as_bytes());
            assert!(matches!(&again, Ok(Command::Position(again)) if *again == spec), "{spec}: {again:?}");
            match set_up(&spec) {
                Ok(mut position) => check_position(&mut position),
                Err(error) => check_answer(&error),
            }
        }
        Ok(Command::Go(spec)) => spec.warnings.iter().for_each(|warning| check_answer(warning)),
        Ok(_) => {}
        Err(error) => check_answer(&error),
    }
}

/// What an engine tells about a line is short, and ASCII when sent.
fn check_answer(error: &dyn Display) {
    check_error(error);
    let text = error.to_string();
    assert!(text.chars().count() < 300 && InfoString(error).to_string().is_ascii(), "{text:?}");
}

/// Conversations of games.
pub(crate) fn usi_seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = COMMANDS.iter().chain(&ANSWERS).map(|line| line.as_bytes().to_vec()).collect();
    seeds.extend(
        fixtures::rules()
            .iter()
            .step_by(4)
            .map(|row| format!("position sfen {} moves {}", row.sfen, row.moves).into_bytes()),
    );
    seeds.extend(OPENINGS.lines().take(20).map(|line| format!("position {line}").into_bytes()));
    seeds
}

const OPENINGS: &str = include_str!("../../fixtures/openings.sfen");

const COMMANDS: [&str; 10] = [
    "usi\nisready\nusinewgame\nposition startpos moves 7g7f 3c3d\ngo btime 60000 wtime 60000 byoyomi 1000\nstop\nquit",
    "setoption name USI_Hash value 256\nsetoption name BookFile value <empty>\nsetoption name Clear_Hash",
    "go ponder btime 1000 wtime 1000 binc 100 winc 100\nponderhit btime 900 wtime 1000 binc 100 winc 100",
    "go infinite searchmoves 7g7f G*5b 8h2b+\nstop",
    "go mate infinite\ngo mate 5000\ngo nodes 1000 depth 5 movetime 300",
    "go perft 3\nperft 4 divide\nbench 16 1 5 default depth\neval\nd\nmoves\nside\nmatsuri\nhelp\ngetoption Threads",
    "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 7g7f",
    "position lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "gameover win\ngameover lose\ngameover draw\nquit",
    "usi , isready , go nodes 1000 , quit",
];

const ANSWERS: [&str; 6] = [
    "id name Kiki 0.1.0\nid author somebody\noption name USI_Hash type spin default 256 min 1 max 33554432\nusiok\nreadyok",
    "option name EnteringKingRule type combo default CSARule27 var NoEnteringKing var CSARule24 var CSARule27 var TryRule",
    "info depth 12 seldepth 20 multipv 1 score cp -31 lowerbound nodes 123456 nps 1000000 hashfull 12 time 123 pv 7g7f 3c3d 2g2f",
    "info score mate +5 pv G*5b\ninfo score mate -\ninfo string a remark\ninfo currmove 7g7f",
    "bestmove 7g7f ponder 3c3d\nbestmove resign\nbestmove win",
    "checkmate 2b3c G*5b\ncheckmate nomate\ncheckmate timeout\ncheckmate notimplemented",
];

/// A text is a position that supports every operation, or is refused in one line.
pub(crate) fn check_sfen(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Position::from_sfen(text) {
        Ok(mut position) => check_position(&mut position),
        Err(error) => {
            check_error(&error);
            let SfenError::Malformed { token, .. } = error else { return };
            assert!(text.contains(&token), "{token} is no part of {text}");
        }
    }
}

/// Positions of all kinds: of games, of rules, of mates.
pub(crate) fn sfen_seeds() -> Vec<Vec<u8>> {
    let midgame = fixtures::midgame().into_iter().step_by(20).map(|row| row.sfen);
    let rules = fixtures::rules().into_iter().step_by(3).map(|row| row.sfen);
    let mates = fixtures::mates().into_iter().step_by(5).map(|row| row.sfen);
    let legal = fixtures::legal_moves().into_iter().step_by(25).map(|row| row.sfen);
    midgame.chain(rules).chain(mates).chain(legal).map(|sfen| sfen.as_bytes().to_vec()).collect()
}
