//! Games that continue after a lost connection, on servers that send a token for it.

use std::thread::sleep;
use std::time::Duration;

use kiki_record::{EndReason, GameOutcome};

use super::program::{self, Ended, Plan, Program, at_once};
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

/// A game that may be continued.
fn start(plan: &Plan<'_>) -> (TestServer, Program, Visitor) {
    let (server, program) = program::start(plan);
    let visitor = server.begin(&with_token(START));
    (server, program, visitor)
}

fn plan(engine: &str) -> Plan<'_> {
    Plan { engine, ..Plan::default() }
}

/// The client requests its game and gets these lines.
fn rejoin(server: &TestServer, lines: &str) -> Visitor {
    let mut visitor = server.accept();
    visitor.expect(AGAIN);
    visitor.send(&format!("LOGIN:kiki OK\n{lines}"));
    visitor
}

/// Lets the client win, and checks that its record has this number of moves.
fn win(visitor: Visitor, program: Program, moves: usize) -> Ended {
    visitor.resign();
    let ended = program.wait_for_success();
    assert_eq!(ended.end(), (GameOutcome::BlackWins, Some(EndReason::Resignation)));
    assert_eq!(ended.record().moves.len(), moves, "{}", ended.log);
    assert!(ended.output.contains("1 games: 1 won, 0 drawn, 0 lost\n"), "{}", ended.output);
    assert!(!ended.log.contains(TOKEN) && !ended.output.contains(TOKEN), "{}", ended.log);
    assert_eq!(ended.commands(&["gameover"]).len(), 1);
    ended
}

/// The first two numbers of the last `go`.
fn last_times(ended: &Ended) -> [u64; 2] {
    let go = ended.commands(&["go"]).pop().expect("a search");
    let mut numbers = go.split(' ').filter_map(|word| word.parse().ok());
    [(); 2].map(|()| numbers.next().expect("a time"))
}

#[test]
fn a_game_that_is_cut_twice_on_the_other_sides_turn_goes_on_twice() {
    let (server, program, mut visitor) = start(&plan("script=7g7f,2g2f"));
    visitor.play("+7776FU");
    visitor.cut();
    rejoin(&server, &(with_token(AFTER_ONE) + &state('-', 59_000, 59_000))).cut();
    let mut visitor = rejoin(&server, &(with_token(AFTER_ONE) + &state('-', 41_000, 33_000)));
    visitor.send("-3334FU,T3\n");
    visitor.confirm_move("+2726FU", 1);
    let ended = win(visitor, program, 3);
    // The times of the state are those with the increment of the next move.
    assert_eq!(last_times(&ended), [39_000, 30_000]);
    assert_eq!(ended.record().moves[0].time_ms, Some(1000));
}

#[test]
fn a_game_goes_on_that_was_cut_while_the_engine_was_thinking() {
    let cases = [
        (state('+', 31_000, 61_000), 29_000..=29_000),
        // The clock goes on where the server tells no state, or that of the turn's beginning.
        ("START:id\n".to_owned(), 40_000..=58_900),
        (state('+', 61_000, 61_000), 40_000..=58_900),
    ];
    at_once(cases, |(told, left)| {
        let (server, program, visitor) = start(&plan("script=2g2f,7g7f think=2000"));
        program.await_log("engine > go ");
        visitor.cut();
        let mut visitor = server.accept();
        visitor.expect(AGAIN);
        sleep(Duration::from_millis(600));
        visitor.send(&format!("LOGIN:kiki OK\n{}{told}", with_token(START)));
        visitor.confirm_move("+7776FU", 2);
        let [black, white] = last_times(&win(visitor, program, 1));
        assert!(left.contains(&black) && white == 60_000, "{told}: {black} {white}");
    });
}

#[test]
fn a_move_that_never_arrived_is_sent_again() {
    let (server, program, mut visitor) = start(&plan("script=7g7f"));
    let comment = visitor.expect_move("+7776FU");
    visitor.cut();
    let mut visitor = rejoin(&server, &(with_token(START) + &state('+', 59_000, 61_000)));
    assert_eq!(visitor.confirm_move("+7776FU", 1), comment);
    win(visitor, program, 1);
}

#[test]
fn moves_that_were_made_during_the_cut_are_found() {
    for (is_confirmed, play) in [(true, "games = 1"), (false, "games = 1"), (true, "games = 1\nponder = \"on\"")] {
        let (server, program, mut visitor) = start(&Plan { play, ..plan("script=7g7f/8c8d,2g2f") });
        visitor.expect_move("+7776FU");
        if is_confirmed {
            visitor.send("+7776FU,T1\n");
            program.await_log("< +7776FU,T1");
        }
        visitor.cut();
        let mut visitor = rejoin(&server, &(with_token(&after_two()) + &state('+', 50_000, 50_000)));
        visitor.play("+2726FU");
        let ended = win(visitor, program, 3);
        let moves: Vec<String> = ended.record().moves.iter().map(|mv| mv.mv.to_string()).collect();
        assert_eq!(moves, ["7g7f", "3c3d", "2g2f"]);
    }
}

#[test]
fn a_turn_that_has_used_a_part_of_its_increment_has_only_the_rest() {
    // The own turn was interrupted, or the answer came during the cut.
    for (engine, first, position, second) in [
        ("script=2g2f,7g7f think=2000", None, START, "+7776FU"),
        ("script=7g7f,2g2f", Some("+7776FU"), &*after_two(), "+2726FU"),
    ] {
        let with_ten = |position: &str| with_token(position).replace("Increment:1\n", "Increment:10\n");
        let (server, program) = program::start(&plan(engine));
        let mut visitor = server.begin(&with_ten(START));
        match first {
            Some(mv) => visitor.play(mv),
            None => program.await_log("engine > go "),
        }
        visitor.cut();
        let mut visitor = rejoin(&server, &(with_ten(position) + &state('+', 7_000, 70_000)));
        visitor.confirm_move(second, 2);
        let ended = win(visitor, program, if first.is_some() { 3 } else { 1 });
        let go = ended.commands(&["go"]).pop().unwrap();
        // The margin is half a second, and a slow machine has used a little more.
        let rest = go.strip_prefix("go btime 0 wtime 60000 binc ").and_then(|rest| rest.strip_suffix(" winc 10000"));
        assert!((6_000..=6_500).contains(&rest.unwrap().parse::<u64>().unwrap()), "{go}");
    }
}

#[test]
fn a_result_that_came_during_the_cut_counts() {
    let (server, program, mut visitor) = start(&plan("script=7g7f"));
    visitor.play("+7776FU");
    visitor.cut();
    win(rejoin(&server, "%TORYO\n#RESIGN\n"), program, 1);
}

#[test]
fn a_server_that_is_not_there_yet_is_asked_again_and_one_that_refuses_is_believed_in_the_end() {
    let (mut server, program, mut visitor) = start(&plan("script=7g7f"));
    visitor.play("+7776FU");
    server.cut_and_refuse(visitor, &program);
    server.come_up();
    for _ in 0..3 {
        let mut visitor = server.accept();
        visitor.expect(AGAIN);
        visitor.send("LOGIN:incorrect reconnect_rejected\n");
        visitor.expect_end();
    }
    let ended = program.wait_for_success();
    assert_eq!(ended.end(), (GameOutcome::Unknown, Some(EndReason::Interrupted)));
    assert!(ended.output.contains("1 games: 0 won, 0 drawn, 0 lost, 1 without a result"), "{}", ended.output);
    assert_eq!(ended.commands(&["gameover"]), ["gameover lose"]);
}

#[test]
fn a_position_that_cannot_follow_is_not_played_on() {
    let (server, program, mut visitor) = start(&plan("script=7g7f"));
    visitor.play("+7776FU");
    visitor.cut();
    let other = after_two().replace("P9+KY+KE+GI+KI+OU+KI+GI+KE+KY", "P9+KY+KE+GI * +OU+KI+GI+KE+KY");
    rejoin(&server, &(with_token(&other) + &state('+', 50_000, 50_000))).expect_end();
    let ended = program.wait_for_success();
    assert_eq!((ended.record().moves.len(), ended.end().0), (1, GameOutcome::Unknown));
    assert!(ended.log.contains("from a position that cannot follow"), "{}", ended.log);
}

#[cfg(unix)]
#[test]
fn one_who_gives_up_during_the_cut_has_lost() {
    let (mut server, program, mut visitor) = start(&plan("script=7g7f"));
    visitor.play("+7776FU");
    server.cut_and_refuse(visitor, &program);
    program.interrupt_game();
    program.interrupt();
    assert_eq!(program.wait_for_success().end(), (GameOutcome::WhiteWins, Some(EndReason::Forfeit)));
}
