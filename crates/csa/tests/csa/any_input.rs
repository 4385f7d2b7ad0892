//! Whatever a server sends, nothing panics, and no line of the client's is anything but a legal move or a word of the protocol.

use std::time::{Duration, Instant};

use kiki_board::Position;
use kiki_csa::game::Game;
use kiki_csa::game::{GameAction, GameRules, PonderMode};
use kiki_csa::protocol::{ClientLine, ServerLine};
use kiki_csa::summary::{GameSummary, SummaryReader};
use kiki_record::read_csa_move;
use kiki_usi::{BestMove, Info, set_up};
use proptest::prelude::*;

/// Lines that servers send, and others that look like them.
fn line() -> impl Strategy<Value = String> {
    let known = [
        "",
        "+7776FU,T1",
        "-3334FU,T2",
        "+2726FU",
        "-8384FU,T99999999999999999999",
        "+8822UM,T3",
        "-3122GI,T1",
        "+0055KA,T1",
        "%TORYO",
        "%KACHI,T1",
        "%CHUDAN",
        "#RESIGN",
        "#TIME_UP",
        "#JISHOGI",
        "#MAX_MOVES",
        "#WIN",
        "#CENSORED",
        "START:id",
        "REJECT:id by x",
        "LOGIN:x OK",
        "##[ERROR] x",
        "BEGIN Game_Summary",
        "END Game_Summary",
        "BEGIN Time",
        "END Time",
        "BEGIN Position",
        "END Position",
        "PI",
        "+",
        "-",
        "Total_Time:60",
        "Time_Unit:1min",
        "Byoyomi:99999999999999999999",
        "Increment:10",
        "Delay:3",
        "Name+:a",
        "Name-:b",
        "Your_Turn:+",
        "Your_Turn:-",
        "To_Move:-",
        "Game_ID:id",
        "Max_Moves:-1",
        "P1-KY-KE",
        "P+00AL",
    ];
    prop_oneof![8 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => ".{0,40}"]
}

fn summary(side: char) -> GameSummary {
    let text = format!(
        "Game_ID:id\nName+:b\nName-:w\nYour_Turn:{side}\nBEGIN Time\nTotal_Time:60\nIncrement:1\nEND Time\n\
         BEGIN Position\nPI\n+\nEND Position\nEND Game_Summary"
    );
    let mut reader = SummaryReader::default();
    text.lines().find_map(|line| reader.read(line)).expect("an end").expect("a summary")
}

/// The checks of what a game asks for: moves are legal where they are made, and so are all positions for the engine.
fn check(actions: &[GameAction], position: &Position) -> Result<(), TestCaseError> {
    for action in actions {
        match action {
            GameAction::Send(ClientLine::Move { token, comment }) => {
                prop_assert!(read_csa_move(token.as_bytes(), position).is_ok(), "{}", token);
                prop_assert!(comment.is_ascii() && !comment.contains([',', '\n']), "{}", comment);
            }
            GameAction::Think(task) | GameAction::Ponder(task) => {
                prop_assert!(set_up(&task.position).is_ok(), "{}", task.position);
            }
            _ => {}
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn lines_of_any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = ServerLine::parse(&bytes);
    }

    #[test]
    fn summaries_of_any_lines_are_read_or_refused(lines in prop::collection::vec(line(), 0..60)) {
        let mut reader = SummaryReader::default();
        for line in &lines {
            let _ = reader.read(line);
        }
    }

    #[test]
    fn games_of_any_lines_send_nothing_illegal(
        lines in prop::collection::vec((line(), ".{0,6}", 0_u64..100_000), 0..40),
        is_black in any::<bool>(),
        ponder in prop::sample::select(vec![PonderMode::Off, PonderMode::On, PonderMode::Early]),
    ) {
        let rules = GameRules { margin: Duration::from_millis(500), ponder, declares: true, comments: true };
        let mut game = Game::new(summary(if is_black { '+' } else { '-' }), rules).unwrap();
        let mut now = Instant::now();
        let actions = game.start(now);
        check(&actions, game.position())?;
        for (line, nonsense, wait) in lines {
            now += Duration::from_millis(wait);
            let before = game.position().clone();
            let _ = game.answer(&BestMove::new(&nonsense), &Info { pv: vec![nonsense.clone()], ..Info::default() });
            if let Some(best) = game.fallback(&Info::default()).filter(|_| game.is_thinking()) {
                let actions = game.answer(&best, &Info::default()).unwrap();
                check(&actions, &before)?;
            }
            let actions = game.line(&ServerLine::parse(line.as_bytes()), now);
            check(&actions, game.position())?;
            let _ = (game.deadlines(), game.think_again(now), game.record());
        }
        prop_assert!(kiki_record::to_csa(&game.record()).is_ok());
    }
}
