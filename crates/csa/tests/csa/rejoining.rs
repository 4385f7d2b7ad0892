//! Games that continue after a lost connection, on servers that send a token for it.

use std::time::Duration;

use kiki_record::{EndReason, GameOutcome};

use super::program::{Ended, Plan, Program};
use super::test_server::{START, TestServer, Visitor, summary};

const TOKEN: &str = "0123456789abcdef";

/// The login that requests the game again.
const AGAIN: &str = "LOGIN kiki test-60-1F,secret reconnect:id+0123456789abcdef";

/// The start position after 7g7f, and after 3c3d as well.
const AFTER_ONE: &str = "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\n\
    P4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  * +FU *  *  *  *  *  * \n\
    P7+FU+FU * +FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n-\n";

fn after_two() -> String {
    let moved = AFTER_ONE.replace("P3-FU-FU-FU-FU-FU-FU-FU-FU-FU", "P3-FU-FU-FU-FU-FU-FU * -FU-FU");
    let moved = moved.replace("P4 *  *  *  *  *  *  *  *  * ", "P4 *  *  *  *  *  * -FU *  * ");
    moved.trim_end_matches("-\n").to_owned() + "+\n"
}

fn with_token(position: &str) -> String {
    let text = summary('+', "id", position);
    let turn = if position.ends_with("-\n") { "To_Move:-" } else { "To_Move:+" };
    text.replace("To_Move:+", turn).replace("END Game_Summary", &format!("Reconnect_Token:{TOKEN}\nEND Game_Summary"))
}

fn state(turn: char, black: u64, white: u64) -> String {
    format!(
        "BEGIN Reconnect_State\nCurrent_Turn:{turn}\nBlack_Time_Remaining_Ms:{black}\nWhite_Time_Remaining_Ms:{white}\n\
         END Reconnect_State\n"
    )
}

fn start(engine: &str) -> (TestServer, Program, Visitor) {
    let server = TestServer::new();
    let program = Program::start(server.port, &Plan { engine, ..Plan::default() });
    let mut visitor = server.log_in();
    visitor.start_game("id", &with_token(START));
    (server, program, visitor)
}

/// The client requests its game and gets it.
fn rejoin(server: &TestServer, position: &str, state: &str) -> Visitor {
    let mut visitor = server.accept();
    visitor.expect(AGAIN);
    visitor.send("LOGIN:kiki OK\n");
    visitor.send(&with_token(position));
    visitor.send(state);
    visitor
}

/// Lets the client win, and checks that its record has this number of moves.
fn win(visitor: Visitor, program: Program, moves: usize) -> Ended {
    visitor.resign();
    let ended = program.wait_for_success();
    let record = ended.record();
    assert_eq!((record.outcome, record.reason), (GameOutcome::BlackWins, Some(EndReason::Resignation)));
    assert_eq!(record.moves.len(), moves, "{}", ended.log);
    assert!(ended.output.contains("1 games: 1 won, 0 drawn, 0 lost\n"), "{}", ended.output);
    assert!(!ended.log.contains(TOKEN) && !ended.output.contains(TOKEN), "{}", ended.log);
    let over = ended.engine_lines().iter().filter(|line| line.starts_with("gameover")).count();
    assert_eq!(over, 1, "{:?}", ended.engine_lines());
    ended
}

#[test]
fn a_game_goes_on_that_was_cut_on_the_other_sides_turn() {
    let (server, program, mut visitor) = start("script=7g7f,2g2f");
    visitor.confirm_move("+7776FU", 1);
    visitor.cut();
    let mut visitor = rejoin(&server, AFTER_ONE, &state('-', 41_000, 33_000));
    visitor.send("-3334FU,T3\n");
    visitor.confirm_move("+2726FU", 1);
    let ended = win(visitor, program, 3);
    // The times of the state are those with the increment of the next move.
    let lines = ended.engine_lines();
    let go = lines.iter().rfind(|line| line.starts_with("go ")).unwrap();
    assert_eq!(go, "go btime 39000 wtime 30000 binc 1000 winc 1000");
    assert_eq!(ended.record().moves[0].time_ms, Some(1000));
}

#[test]
fn a_game_goes_on_that_was_cut_while_the_engine_was_thinking() {
    let (server, program, visitor) = start("script=2g2f,7g7f think=2000");
    program.await_log("engine > go ");
    visitor.cut();
    let mut visitor = rejoin(&server, START, &state('+', 31_000, 61_000));
    visitor.confirm_move("+7776FU", 2);
    let ended = win(visitor, program, 1);
    let go: Vec<String> = ended.engine_lines().into_iter().filter(|line| line.starts_with("go ")).collect();
    assert_eq!(go[1..], ["go btime 29000 wtime 60000 binc 1000 winc 1000"]);
}

#[test]
fn a_move_that_never_arrived_is_sent_again() {
    let (server, program, mut visitor) = start("script=7g7f");
    let comment = visitor.expect_move("+7776FU");
    visitor.cut();
    let mut visitor = rejoin(&server, START, &state('+', 59_000, 61_000));
    assert_eq!(visitor.confirm_move("+7776FU", 1), comment);
    win(visitor, program, 1);
}

#[test]
fn moves_that_were_made_during_the_cut_are_found() {
    for (is_confirmed, ponder) in [(true, "off"), (false, "off"), (true, "on")] {
        let server = TestServer::new();
        let play = format!("games = 1\nponder = \"{ponder}\"");
        let program =
            Program::start(server.port, &Plan { engine: "script=7g7f/8c8d,2g2f", play: &play, ..Plan::default() });
        let mut visitor = server.log_in();
        visitor.start_game("id", &with_token(START));
        visitor.expect_move("+7776FU");
        if is_confirmed {
            visitor.send("+7776FU,T1\n");
            program.await_log("< +7776FU,T1");
        }
        visitor.cut();
        let mut visitor = rejoin(&server, &after_two(), &state('+', 50_000, 50_000));
        visitor.confirm_move("+2726FU", 1);
        let ended = win(visitor, program, 3);
        let moves: Vec<String> = ended.record().moves.iter().map(|mv| mv.mv.to_string()).collect();
        assert_eq!(moves, ["7g7f", "3c3d", "2g2f"]);
    }
}

#[test]
fn the_clock_goes_on_where_the_server_tells_no_state_or_that_of_the_turns_beginning() {
    for told in ["START:id\n", &state('+', 61_000, 61_000)] {
        let (server, program, visitor) = start("script=2g2f,7g7f think=2000");
        program.await_log("engine > go ");
        visitor.cut();
        let mut visitor = server.accept();
        visitor.expect(AGAIN);
        std::thread::sleep(Duration::from_millis(1500));
        visitor.send("LOGIN:kiki OK\n");
        visitor.send(&with_token(START));
        visitor.send(told);
        visitor.confirm_move("+7776FU", 2);
        let ended = win(visitor, program, 1);
        let lines = ended.engine_lines();
        let go = lines.iter().rfind(|line| line.starts_with("go ")).unwrap();
        let left: u64 = go.split(' ').nth(2).unwrap().parse().unwrap();
        assert!((40_000..=58_000).contains(&left), "{told}: {go}");
    }
}

#[test]
fn a_turn_that_has_used_a_part_of_its_increment_has_only_the_rest() {
    // The rest of the increment after the own turn was interrupted, and after the answer came during the cut.
    for (engine, first, position) in
        [("script=2g2f,7g7f think=2000", None, START), ("script=7g7f,2g2f", Some("+7776FU"), &*after_two())]
    {
        let with_ten = |position: &str| with_token(position).replace("Increment:1\n", "Increment:10\n");
        let server = TestServer::new();
        let program = Program::start(server.port, &Plan { engine, ..Plan::default() });
        let mut visitor = server.log_in();
        visitor.start_game("id", &with_ten(START));
        match first {
            Some(mv) => drop(visitor.confirm_move(mv, 1)),
            None => program.await_log("engine > go "),
        }
        visitor.cut();
        let mut visitor = server.accept();
        visitor.expect(AGAIN);
        visitor.send("LOGIN:kiki OK\n");
        visitor.send(&with_ten(position));
        visitor.send(&state('+', 7_000, 70_000));
        visitor.confirm_move(if first.is_some() { "+2726FU" } else { "+7776FU" }, 2);
        let ended = win(visitor, program, if first.is_some() { 3 } else { 1 });
        let lines = ended.engine_lines();
        let go = lines.iter().rfind(|line| line.starts_with("go ")).unwrap();
        // The margin is half a second, and a slow machine has used a little more.
        let rest = go.strip_prefix("go btime 0 wtime 60000 binc ").and_then(|rest| rest.strip_suffix(" winc 10000"));
        assert!((6_000..=6_500).contains(&rest.unwrap().parse::<u64>().unwrap()), "{go}");
    }
}

#[test]
fn a_result_that_came_during_the_cut_counts() {
    let (server, program, mut visitor) = start("script=7g7f");
    visitor.confirm_move("+7776FU", 1);
    visitor.cut();
    let mut visitor = server.accept();
    visitor.expect(AGAIN);
    visitor.send("LOGIN:kiki OK\n%TORYO\n#RESIGN\n");
    win(visitor, program, 1);
}

#[test]
fn a_server_that_is_not_there_yet_is_asked_again_and_one_that_refuses_is_believed_in_the_end() {
    let (mut server, program, mut visitor) = start("script=7g7f");
    visitor.confirm_move("+7776FU", 1);
    server.go_down();
    visitor.cut();
    program.await_log("Connection refused");
    server.come_up();
    for _ in 0..3 {
        let mut visitor = server.accept();
        visitor.expect(AGAIN);
        visitor.send("LOGIN:incorrect reconnect_rejected\n");
        visitor.expect_end();
    }
    let ended = program.wait_for_success();
    let record = ended.record();
    assert_eq!((record.outcome, record.reason), (GameOutcome::Unknown, Some(EndReason::Interrupted)));
    assert!(ended.output.contains("1 games: 0 won, 0 drawn, 0 lost, 1 without a result"), "{}", ended.output);
    assert!(ended.engine_lines().contains(&"gameover lose".to_owned()));
}

#[test]
fn a_position_that_cannot_follow_is_not_played_on() {
    let (server, program, mut visitor) = start("script=7g7f");
    visitor.confirm_move("+7776FU", 1);
    visitor.cut();
    let other = after_two().replace("P9+KY+KE+GI+KI+OU+KI+GI+KE+KY", "P9+KY+KE+GI * +OU+KI+GI+KE+KY");
    rejoin(&server, &other, &state('+', 50_000, 50_000)).expect_end();
    let ended = program.wait_for_success();
    assert_eq!((ended.record().moves.len(), ended.record().outcome), (1, GameOutcome::Unknown));
    assert!(ended.log.contains("from a position that cannot follow"), "{}", ended.log);
}

#[test]
fn a_game_that_is_cut_twice_goes_on_twice() {
    let (server, program, mut visitor) = start("script=7g7f,2g2f");
    visitor.confirm_move("+7776FU", 1);
    visitor.cut();
    rejoin(&server, AFTER_ONE, &state('-', 59_000, 59_000)).cut();
    let mut visitor = rejoin(&server, AFTER_ONE, &state('-', 58_000, 58_000));
    visitor.send("-3334FU,T3\n");
    visitor.confirm_move("+2726FU", 1);
    win(visitor, program, 3);
}

#[cfg(unix)]
#[test]
fn one_who_gives_up_during_the_cut_has_lost() {
    let (mut server, program, mut visitor) = start("script=7g7f");
    visitor.confirm_move("+7776FU", 1);
    server.go_down();
    visitor.cut();
    program.await_log("Connection refused");
    program.interrupt();
    program.await_log("this is the last game");
    program.interrupt();
    let record = program.wait_for_success().record();
    assert_eq!((record.outcome, record.reason), (GameOutcome::WhiteWins, Some(EndReason::Forfeit)));
}
