//! Thinking on the other side's time.

use super::double::Double;
use super::program::{Ended, Plan, Program};

/// A game in which the other side plays the expected move once and then another one.
fn play(ponder: &str) -> Ended {
    let server = Double::new();
    let play = format!("games = 1\nponder = \"{ponder}\"");
    let plan = Plan { engine: "script=7g7f/3c3d,2g2f/8c8d,2f2e/8c8d", play: &play, ..Plan::default() };
    let program = Program::start(server.port, &plan);
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 3);
    program.await_log("engine > go ponder");
    visitor.send("-3334FU,T5\n");
    visitor.confirm_move("+2726FU", 0);
    program.await_log("engine > position startpos moves 7g7f 3c3d 2g2f 8c8d");
    visitor.send("-4132KI,T1\n");
    visitor.confirm_move("+2625FU", 0);
    // The game ends while the engine ponders.
    program.await_log("moves 7g7f 3c3d 2g2f 4a3b 2f2e 8c8d");
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.expect_end();
    program.wait_for_success()
}

/// What the engine was told in the game, positions and the end of the program left out.
fn searches(ended: &Ended) -> Vec<String> {
    let words = ["go", "ponderhit", "stop", "gameover"];
    let is_search = |line: &String| words.iter().any(|word| line.split(' ').next() == Some(word));
    ended.engine_lines().into_iter().filter(is_search).collect()
}

#[test]
fn with_the_times_that_the_server_has_confirmed() {
    let ended = play("on");
    assert_eq!(
        searches(&ended),
        [
            "go btime 59000 wtime 60000 binc 1000 winc 1000",
            "go ponder btime 57000 wtime 60000 binc 1000 winc 1000",
            "ponderhit",
            "go ponder btime 58000 wtime 56000 binc 1000 winc 1000",
            "stop",
            "go btime 58000 wtime 56000 binc 1000 winc 1000",
            "go ponder btime 59000 wtime 56000 binc 1000 winc 1000",
            "stop",
            "gameover win",
        ]
    );
    assert!(ended.engine_lines().contains(&"setoption name USI_Ponder value true".to_owned()));
}

#[test]
fn early_and_the_times_come_with_ponderhit() {
    assert_eq!(
        searches(&play("early")),
        [
            "go btime 59000 wtime 60000 binc 1000 winc 1000",
            "go ponder",
            "ponderhit btime 57000 wtime 56000 binc 1000 winc 1000",
            "go ponder",
            "stop",
            "go btime 58000 wtime 56000 binc 1000 winc 1000",
            "go ponder",
            "stop",
            "gameover win",
        ]
    );
}

#[test]
fn an_answer_that_comes_too_early_is_used_only_if_its_position_comes() {
    for (theirs, comes) in [("-3334FU", true), ("-8384FU", false)] {
        let server = Double::new();
        let plan = Plan {
            engine: "script=7g7f/3c3d,2g2f fault=early-answer@3",
            play: "games = 1\nponder = \"on\"",
            ..Plan::default()
        };
        let program = Program::start(server.port, &plan);
        let mut visitor = server.begin('+');
        visitor.confirm_move("+7776FU", 1);
        program.await_log("engine < bestmove 2g2f");
        visitor.send(&format!("{theirs},T1\n"));
        visitor.confirm_move("+2726FU", 1);
        visitor.send("%TORYO\n#RESIGN\n#WIN\n");
        visitor.expect_end();
        let ended = program.wait_for_success();
        let told = searches(&ended);
        assert!(!told.iter().any(|line| line.starts_with("ponderhit")), "{told:?}");
        assert_eq!(told.iter().filter(|line| line.starts_with("go btime")).count(), if comes { 1 } else { 2 });
    }
}
