//! Connections that are kept alive or lost, servers that are gone, and logins and games that are refused.

use std::path::Path;
use std::time::Duration;
use std::{io, thread};

use kiki_csa::output::{LiveLine, QueuedOutput};
use kiki_csa::session::{Client, Totals};
use kiki_csa::settings::Settings;
use kiki_driver::CancellationToken;
use kiki_record::{EndReason, GameOutcome};

use super::program::{Plan, Program};
use super::test_server::{START, TestServer, Visitor, chat, summary};

const SCRIPT: &str = "script=7g7f/3c3d,2g2f";

fn plan(play: &str) -> Plan<'_> {
    Plan { engine: SCRIPT, play, ..Plan::default() }
}

/// A game of one move that the client wins.
fn win(server: &TestServer, id: &str) {
    let mut visitor = server.log_in();
    visitor.start_game(id, &summary('+', id, START));
    visitor.confirm_move("+7776FU", 1);
    visitor.resign();
}

#[test]
fn a_cut_in_the_middle_of_a_game_keeps_its_record_and_leads_to_the_next_login() {
    let server = TestServer::new();
    let program = Program::start(server.port, &plan("games = 2"));
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 1);
    visitor.send("-3334FU,T1\n");
    visitor.cut();
    win(&server, "next");
    let ended = program.wait_for_success();
    let records = ended.records();
    assert_eq!((records[0].outcome, records[0].reason), (GameOutcome::Unknown, Some(EndReason::Interrupted)));
    assert!(records[0].moves.len() >= 2);
    assert_eq!(records[1].outcome, GameOutcome::BlackWins);
    assert!(ended.log.contains("the connection was lost during the game"), "{}", ended.log);
    assert!(ended.engine_lines().contains(&"gameover lose".to_owned()));
}

#[test]
fn a_cut_in_the_last_game_is_the_end_and_no_attempt_is_waited_for() {
    let server = TestServer::new();
    let program = Program::start(server.port, &plan("games = 1"));
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 1);
    visitor.cut();
    let ended = program.wait_for_success();
    assert!(ended.log.contains("the connection was lost during the game"), "{}", ended.log);
    assert!(!ended.log.contains("next attempt"), "{}", ended.log);
    assert_eq!(ended.record().reason, Some(EndReason::Interrupted));
}

#[test]
fn a_cut_after_the_reason_of_the_end_leaves_the_result() {
    let server = TestServer::new();
    let program = Program::start(server.port, &plan("games = 1"));
    let mut visitor = server.begin('+');
    visitor.confirm_move("+7776FU", 1);
    visitor.send("%TORYO,T5\n#RESIGN\n");
    visitor.cut();
    let ended = program.wait_for_success();
    assert_eq!((ended.record().outcome, ended.record().reason), (GameOutcome::BlackWins, Some(EndReason::Resignation)));
    assert!(ended.output.contains("1 games: 1 won"), "{}", ended.output);
    assert!(ended.engine_lines().contains(&"gameover win".to_owned()));
}

#[test]
fn cuts_before_and_between_the_lines_of_a_summary_lead_to_the_next_login() {
    let server = TestServer::new();
    let program = Program::start(server.port, &plan("games = 1"));
    server.accept().cut();
    let visitor = server.accept_login();
    visitor.cut();
    server.log_in().cut();
    let mut visitor = server.log_in();
    let text = summary('+', "id", START);
    visitor.send(&text[..text.len() / 2]);
    visitor.cut();
    let mut visitor = server.log_in();
    visitor.send(&text);
    visitor.expect("AGREE id");
    visitor.cut();
    win(&server, "id");
    program.wait_for_success();
}

#[test]
fn an_engine_learns_that_the_game_is_over_that_cannot_be_agreed_to() {
    let server = TestServer::new();
    let engine = "script=7g7f ready=500";
    let program = Program::start(server.port, &Plan { engine, ..plan("games = 1") });
    let mut visitor = server.accept();
    visitor.send("LOGIN:kiki OK\n");
    visitor.send(&summary('+', "id", START));
    program.await_log("< END Game_Summary");
    // The engine gets ready. The line that was never read makes the end a reset, so that the next line cannot be sent.
    drop(visitor);
    program.await_log("the connection is lost: ");
    win(&server, "next");
    let lines = program.wait_for_success().engine_lines();
    let games: Vec<&str> =
        lines.iter().filter_map(|line| line.split(' ').next()).filter(|word| word.contains("game")).collect();
    assert_eq!(games, ["usinewgame", "gameover", "usinewgame", "gameover"]);
}

#[test]
fn a_server_that_is_restarted_is_found_again() {
    let mut server = TestServer::new();
    let program = Program::start(server.port, &plan("games = 2"));
    win(&server, "before");
    let mut visitor = server.log_in();
    server.go_down();
    visitor.send("\n");
    visitor.cut();
    program.await_log("Connection refused");
    server.come_up();
    win(&server, "after");
    let records = program.wait_for_success().records();
    assert_eq!(records.iter().map(|game| game.event.as_str()).collect::<Vec<_>>(), ["after", "before"]);
}

#[test]
fn waits_between_attempts_grow() {
    let mut server = TestServer::new();
    server.go_down();
    let program = Program::start(server.port, &plan("games = 1"));
    for wait in ["next attempt in 0.2 s", "next attempt in 0.4 s"] {
        program.await_log(wait);
    }
    server.come_up();
    win(&server, "id");
    let log = program.wait_for_success().log;
    assert!(log.find("in 0.2 s") < log.find("in 0.4 s") && !log.contains("in 0.8 s"), "{log}");
}

#[test]
fn a_game_that_the_other_side_rejects_leads_to_the_next_login() {
    let server = TestServer::new();
    let program = Program::start(server.port, &plan("games = 1"));
    let mut visitor = server.log_in();
    visitor.send(&summary('+', "id", START));
    visitor.expect("AGREE id");
    visitor.send("REJECT:id by other\n");
    visitor.expect_end();
    win(&server, "next");
    let ended = program.wait_for_success();
    assert!(ended.log.contains("id was rejected by other"), "{}", ended.log);
    assert_eq!(ended.records().len(), 1);
}

#[test]
fn a_game_that_the_other_side_never_agrees_to_is_given_up() {
    let server = TestServer::new();
    let program = Program::start(server.port, &Plan { server: "start_within = 0.5", ..plan("games = 1") });
    let mut visitor = server.log_in();
    visitor.send(&summary('+', "id", START));
    for line in ["AGREE id", "REJECT id", "LOGOUT"] {
        visitor.expect(line);
    }
    visitor.expect_end();
    // The wait for half a summary also ends.
    let mut visitor = server.log_in();
    visitor.send("BEGIN Game_Summary\nGame_ID:half\n");
    visitor.expect_end();
    win(&server, "next");
    let ended = program.wait_for_success();
    assert!(ended.log.contains("id did not start within 0.5 s and is given up"), "{}", ended.log);
    assert_eq!(ended.engine_lines().iter().filter(|line| line.starts_with("gameover")).count(), 2);
    assert_eq!(ended.records().len(), 1);
}

#[test]
fn a_login_that_is_not_answered_is_tried_again() {
    let server = TestServer::new();
    let program = Program::start(server.port, &Plan { server: "login_within = 0.5", ..plan("games = 1") });
    let mut visitor = server.accept_login();
    visitor.send("hello\n");
    visitor.expect_end();
    win(&server, "next");
    let log = program.wait_for_success().log;
    assert!(log.contains("the server does not answer the login"), "{log}");
}

#[test]
fn a_summary_of_no_use_is_rejected_and_the_next_one_played() {
    let server = TestServer::new();
    let program = Program::start(server.port, &plan("games = 1"));
    let mut visitor = server.log_in();
    visitor.send(&summary('+', "bad", "PI\n+\n+7775FU,T1\n"));
    visitor.expect("REJECT bad");
    visitor.start_game("good", &summary('+', "good", START));
    visitor.confirm_move("+7776FU", 1);
    visitor.resign();
    let log = program.wait_for_success().log;
    assert!(
        log.contains("bad is rejected: the position of the summary: line 3: the move `+7775FU` is illegal"),
        "{log}"
    );
}

#[test]
fn a_login_that_is_always_refused_is_an_error() {
    let server = TestServer::new();
    let program = Program::start(server.port, &plan("games = 1"));
    for _ in 0..3 {
        server.refuse_login();
    }
    let ended = program.wait();
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.output.contains("the server refuses the login"), "{}", ended.output);
    assert!(!ended.output.contains("secret") && !ended.log.contains("secret"));
}

#[test]
fn a_program_whose_output_nobody_reads_ends_all_the_same() {
    let server = TestServer::new();
    let program = Program::start_unheard(server.port, &plan("games = 1"));
    for _ in 0..3 {
        let mut visitor = server.accept_login();
        // More than a pipe holds.
        visitor.send(&chat(1000));
        visitor.send("LOGIN:incorrect\n");
        visitor.expect_end();
    }
    assert_eq!(program.wait().status.code(), Some(1));
}

#[test]
fn a_login_that_is_refused_because_the_last_one_is_not_over_is_tried_again() {
    let server = TestServer::new();
    let program = Program::start(server.port, &plan("games = 2"));
    win(&server, "first");
    for _ in 0..4 {
        server.refuse_login();
    }
    win(&server, "second");
    assert_eq!(program.wait_for_success().records().len(), 2);
}

#[cfg(unix)]
#[test]
fn a_server_that_cannot_be_reached_is_no_end() {
    let mut server = TestServer::new();
    server.go_down();
    let program = Program::start(server.port, &plan("games = 1"));
    program.await_log("next attempt in 0.4 s");
    program.interrupt();
    program.wait_for_success();
    server.come_up();
    assert!(server.accept_within(Duration::from_millis(100)).is_none(), "it has ended");
}

/// The seconds between empty lines.
const INTERVAL: u64 = 1;

/// Shorter than [`INTERVAL`], because a busy machine may be late with the line before.
const SHORTEST: Duration = Duration::from_millis(100);

const PATIENCE: Duration = Duration::from_secs(20);

fn settings(port: u16, folder: &Path) -> Settings {
    let text = format!(
        "[server]\nhost = \"127.0.0.1\"\nport = {port}\nname = \"kiki\"\ngame = \"test-60-1F\"\npassword = \"secret\"\n\
         keep_alive = {INTERVAL}\n[engine]\ncommand = '{} script=7g7f think=2500'\n[play]\ngames = 1\n\
         [records]\ndirectory = '{}'\n",
        env!("CARGO_BIN_EXE_kiki-csa-mock"),
        folder.display()
    );
    Settings::parse(&text).expect("settings")
}

fn listen(mut visitor: Visitor) -> Visitor {
    visitor.shortest_keep_alive = SHORTEST;
    visitor
}

#[test]
fn a_quiet_connection_is_kept_alive_before_and_in_a_game() {
    let (server, folder) = (TestServer::new(), tempfile::tempdir().expect("a folder"));
    let output = LiveLine::new(false, QueuedOutput::new(io::sink()));
    let mut client =
        Client::new(settings(server.port, folder.path()), output, CancellationToken::never()).expect("a client");
    let played = thread::spawn(move || client.run());
    let mut visitor = listen(server.log_in());
    // It waits for a game.
    visitor.expect_keep_alive(PATIENCE);
    visitor.expect_keep_alive(PATIENCE);
    visitor.send(&summary('+', "id", START));
    visitor.expect("AGREE id");
    // It waits for the start.
    visitor.expect_keep_alive(PATIENCE);
    visitor.send("START:id\n");
    // The engine thinks for longer than an interval.
    let before = visitor.keep_alives;
    visitor.confirm_move("+7776FU", 2);
    assert!(visitor.keep_alives > before);
    // The other side thinks.
    visitor.expect_keep_alive(PATIENCE);
    visitor.resign();
    let totals = played.join().expect("no panic").expect("games");
    assert_eq!(totals, Totals { won: 1, ..Totals::default() });
}
