//! Input from a CSA server: summaries of games, moves, results.

use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_csa::game::{CsaGame, GameAction};
use kiki_csa::protocol::{ClientLine, ServerLine};
use kiki_csa::settings::{PlaySettings, PonderMode};
use kiki_csa::summary::{GameSummary, SummaryReader};
use kiki_record::{read_csa_move, to_csa};
use kiki_usi::{BestMove, Info, set_up};

use crate::common::check_error;

/// Whatever a server sends, the client sends only legal moves and protocol words. The first byte
/// chooses how the client plays. Before the game begins, lines belong to a summary. A line that
/// begins with `?` is the engine's answer.
pub(crate) fn check(bytes: &[u8]) {
    let Some((&mode, bytes)) = bytes.split_first() else { return };
    let mut lines = bytes.split(|&byte| byte == b'\n');
    let Some(summary) = read_summary(&mut lines) else { return };
    let ponder = [PonderMode::Off, PonderMode::On, PonderMode::Early][usize::from(mode % 3)];
    let settings = PlaySettings { ponder, declare: mode & 4 == 0, ..PlaySettings::default() };
    let mut game = CsaGame::new(summary, settings);
    let mut now = Instant::now();
    let actions = game.start(now);
    check_actions(&actions, &game.position);
    for line in lines {
        now += Duration::from_millis(10 * line.len() as u64);
        let before = game.position.clone();
        if let Some(word) = line.strip_prefix(b"?") {
            if let Ok(actions) = answer(&mut game, &String::from_utf8_lossy(word)) {
                check_actions(&actions, &before);
            }
        } else {
            let actions = game.line(&ServerLine::parse(line), now);
            check_actions(&actions, &game.position);
        }
        let _ = (game.deadlines(), game.think_again(now));
    }
    to_csa(&game.record()).expect("the record is legal");
}

fn read_summary<'a>(lines: &mut impl Iterator<Item = &'a [u8]>) -> Option<GameSummary> {
    let mut reader = SummaryReader::default();
    let read = lines.find_map(|line| reader.read(&String::from_utf8_lossy(line)))?;
    read.inspect_err(|error| check_error(&format!("{error:#}"))).ok()
}

/// The engine answers with a word, or, without one, with a move that the client would accept.
fn answer(game: &mut CsaGame, word: &str) -> Result<Vec<GameAction>, ()> {
    let info = Info { pv: vec![word.to_owned()], ..Info::default() };
    let best = match word {
        "" => game.fallback(&info).filter(|_| game.is_thinking()),
        word => Some(BestMove::new(word)),
    };
    best.map_or(Err(()), |best| game.answer(&best, &info).map_err(|_| ()))
}

/// Moves are legal where they are made, and so are all positions for the engine.
fn check_actions(actions: &[GameAction], position: &Position) {
    for action in actions {
        match action {
            GameAction::Send(ClientLine::Move { token, comment }) => {
                assert!(read_csa_move(token, position).is_ok(), "{token}");
                assert!(comment.is_ascii() && !comment.contains([',', '\n']), "{comment}");
            }
            GameAction::Think(task) | GameAction::Ponder(task) => {
                assert!(set_up(&task.position).is_ok(), "{}", task.position);
            }
            _ => {}
        }
    }
}

/// Whole games: by each way to play, for each side, as floodgate and shogi-server send them.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let times = [
        "Total_Time:60\nIncrement:1",
        "Time_Unit:1min\nTotal_Time:1\nByoyomi:1\nLeast_Time_Per_Move:0",
        "Time_Unit:1msec\nTotal_Time:300000\nIncrement:10000\nDelay:3",
    ];
    let mut seeds = Vec::new();
    for mode in [0, 1, 2, 5, 6] {
        for (side, time) in ["+", "-", "+"].into_iter().zip(times) {
            let text = format!(
                "BEGIN Game_Summary\nProtocol_Version:1.2\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\nGame_ID:id\nName+:b\nName-:w\nYour_Turn:{side}\n\
                 Rematch_On_Draw:NO\nTo_Move:+\nMax_Moves:256\nBEGIN Time\n{time}\nEND Time\nBEGIN Position\nPI\n+\nEND Position\nEND Game_Summary\n\
                 START:id\n{GAME}"
            );
            seeds.push([&[mode], text.as_bytes()].concat());
        }
    }
    seeds
}

const GAME: &str = "?7g7f\n+7776FU,T1\n?3c3d\n-3334FU,T2\n?8h2b+\n+8822UM,T3\n?3a2b\n-3122GI,T1\n?B*5e\n+0055KA,T1\n?\n?resign\n\
                    -2255GI,T9\n%TORYO\n#RESIGN\n#WIN\n";
