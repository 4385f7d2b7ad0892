//! Connections that are kept alive or lost, servers that are gone, and logins and games that are
//! refused.

use std::time::Duration;
use std::{io, thread};

use kiki_csa::output::{LiveLine, QueuedOutput};
use kiki_csa::session::{Client, GameTotals};
use kiki_csa::settings::ClientSettings;
use kiki_driver::CancellationToken;
use kiki_record::{EndReason, GameOutcome};

use super::program::{Plan, Program, start};
use super::test_server::{START, TestServer, summary};

fn plan(play: &str) -> Plan<'_> {
    Plan { engine: "script=7g7f/3c3d,2g2f", play, ..Plan::default() }
}

#[test]
fn a_cut_in_the_middle_of_a_game_keeps_its_record() {
    let none = (GameOutcome::Unknown, Some(EndReason::Interrupted));
    for (lines, games, end, over) in [
        ("-3334FU,T1\n", 2, none, "gameover lose"),
        ("", 1, none, "gameover lose"),
        // The reason of the end had come.
        ("%TORYO,T5\n#RESIGN\n", 1, (GameOutcome::BlackWins, Some(EndReason::Resignation)), "gameover win"),
    ] {
        let (server, program) = start(&plan(&format!("games = {games}")));
        let mut visitor = server.begin(&summary('+', "id", START));
        visitor.play("+7776FU");
        visitor.send(lines);
        visitor.cut();
        if games == 2 {
            server.lose("next");
        }
        let ended = program.wait_for_success();
        let record = &ended.records()[0];
        assert_eq!((record.outcome, record.reason), end);
        let moves = if lines.starts_with('-') { 2 } else { 1 };
        assert!(record.moves.len() >= moves, "{}", ended.log);
        assert_eq!(ended.commands(&["gameover"])[0], over);
        assert!(ended.log.contains("the connection was lost during the game"), "{}", ended.log);
        assert_eq!(ended.log.contains("next attempt"), games == 2, "nobody waits after the last game: {}", ended.log);
    }
}

#[test]
fn cuts_before_and_between_the_lines_of_a_summary_lead_to_the_next_login() {
    let (mut server, program) = start(&plan("games = 1"));
    server.accept().cut();
    server.accept_login().cut();
    // The server is restarted.
    let visitor = server.log_in();
    server.cut_and_refuse(visitor, &program);
    server.come_up();
    let mut visitor = server.log_in();
    let text = summary('+', "id", START);
    visitor.send(&text[..text.len() / 2]);
    visitor.cut();
    let mut visitor = server.log_in();
    visitor.send(&text);
    visitor.expect("AGREE id");
    visitor.cut();
    server.lose("id");
    program.wait_for_success();
}

#[test]
fn a_game_that_does_not_begin_is_given_up() {
    let (server, program) = start(&Plan { server: "start_within = 0.5", ..plan("games = 1") });
    let whole = summary('+', "id", START);
    let problems = [
        (&*whole, &["AGREE id"][..], "REJECT:id by other\n", "id was rejected by other"),
        (&whole, &["AGREE id", "REJECT id", "LOGOUT"], "", "id did not start within 0.5 s and is given up"),
        ("BEGIN Game_Summary\nGame_ID:half\n", &[], "", "the summary of a game does not end"),
    ];
    for (offer, answers, reply, _) in problems {
        let mut visitor = server.log_in();
        visitor.send(offer);
        answers.iter().for_each(|line| visitor.expect(line));
        visitor.send(reply);
        visitor.expect_end();
    }
    server.lose("next");
    let ended = program.wait_for_success();
    for (.., problem) in problems {
        assert!(ended.log.contains(problem), "{}", ended.log);
    }
    assert_eq!(ended.commands(&["gameover"]).len(), 3, "the engine learns that its game is over");
    assert_eq!(ended.records().len(), 1);
}

#[test]
fn a_summary_of_no_use_is_rejected_and_the_next_one_played() {
    let (server, program) = start(&plan("games = 1"));
    let mut visitor = server.log_in();
    visitor.send(&summary('+', "bad", "PI\n+\n+7775FU,T1\n"));
    visitor.expect("REJECT bad");
    visitor.start_game(&summary('+', "good", START));
    visitor.play("+7776FU");
    visitor.resign();
    let log = program.wait_for_success().log;
    let problem = "bad is rejected: the position of the summary: line 3: the move `+7775FU` is illegal";
    assert!(log.contains(problem), "{log}");
}

#[test]
fn a_login_that_is_always_refused_is_an_error() {
    let (server, program) = start(&plan("games = 1"));
    (0..3).for_each(|_| server.refuse_login());
    let ended = program.wait();
    assert_eq!(ended.status.code(), Some(1));
    assert!(ended.output.contains("the server refuses the login"), "{}", ended.output);
    assert!(!ended.output.contains("secret") && !ended.log.contains("secret"));
}

#[test]
fn a_login_that_is_refused_because_the_last_one_is_not_over_is_tried_again() {
    let (server, program) = start(&plan("games = 2"));
    server.refuse_login();
    server.lose("first");
    (0..4).for_each(|_| server.refuse_login());
    server.lose("second");
    let ended = program.wait_for_success();
    assert_eq!(ended.records().len(), 2);
    assert_eq!(ended.log.matches("next attempt in 0.2 s").count(), 2, "a game makes the waits short: {}", ended.log);
}

#[cfg(unix)]
#[test]
fn a_server_that_cannot_be_reached_is_no_end() {
    let mut server = TestServer::new();
    server.go_down();
    let program = Program::start(server.port, &plan("games = 1"));
    // The waits double.
    program.await_log("next attempt in 0.2 s");
    program.await_log("next attempt in 0.4 s");
    program.interrupt();
    program.wait_for_success();
    server.come_up();
    server.expect_nobody();
}

#[test]
fn a_quiet_connection_is_kept_alive_before_and_in_a_game() {
    let (server, folder) = (TestServer::new(), tempfile::tempdir().expect("a folder"));
    // No file may have so short an interval.
    let text = format!(
        "[server]\nhost = \"127.0.0.1\"\nport = {}\nname = \"kiki\"\ngame = \"test-60-1F\"\npassword = \"secret\"\n\
         keep_alive = 0.2\n[engine]\ncommand = '{} script=7g7f think=1000'\n[play]\ngames = 1\n\
         [records]\ndirectory = '{}'\n",
        server.port,
        env!("CARGO_BIN_EXE_kiki-csa-mock"),
        folder.path().display()
    );
    let settings = ClientSettings::parse(&text).expect("settings");
    let output = LiveLine::new(false, QueuedOutput::new(io::sink()));
    let mut client = Client::new(settings, output, CancellationToken::never()).expect("a client");
    let played = thread::spawn(move || client.run());
    let mut visitor = server.log_in();
    // A busy machine may be late with the line before.
    visitor.shortest_keep_alive = Duration::from_millis(10);
    // It waits for a game.
    visitor.expect_keep_alive();
    visitor.expect_keep_alive();
    visitor.send(&summary('+', "id", START));
    visitor.expect("AGREE id");
    // It waits for the start.
    visitor.expect_keep_alive();
    visitor.send("START:id\n");
    // The engine thinks for longer than an interval.
    let before = visitor.keep_alives;
    visitor.confirm_move("+7776FU", 2);
    assert!(visitor.keep_alives > before);
    // The other side thinks.
    visitor.expect_keep_alive();
    visitor.resign();
    let totals = played.join().expect("no panic").expect("games");
    assert_eq!(totals, GameTotals { won: 1, ..GameTotals::default() });
}
