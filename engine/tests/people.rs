//! The commands for people: their output and their end.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Output, Stdio};

const MATE_IN_THREE: &str = "ln1g4l/1rs3S1k/ppppG1bpp/4p4/9/3PP2PP/2GK1GP1L/2S6/9 b RBS3N3Pl3p 125";
/// A position with so many checks that the mate search takes very long.
const HARD: &str = "+L2gk4/4l4/2pp+SG2p/pps4b1/1s2K2pP/3P2P2/PP2P1NP1/5G3/+r4L1g+b w 2NL2Prsn3p 145";

fn kiki(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kiki")).args(arguments).output().expect("the program starts")
}

/// The printed lines and the exit status, with nothing on standard error.
fn said(arguments: &[&str]) -> (Vec<String>, Option<i32>) {
    let output = kiki(arguments);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (text.lines().map(str::to_owned).collect(), output.status.code())
}

#[test]
fn the_version_names_commit_and_network() {
    let (lines, status) = said(&["--version"]);
    assert_eq!((lines.len(), status), (3, Some(0)), "{lines:#?}");
    assert_eq!(lines[0], concat!("kiki ", env!("CARGO_PKG_VERSION")));
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let head = Command::new("git").args(["-C", sources, "log", "-1", "--format=commit %H, %cs"]).output();
    // Sources may be in no repository, or in another one.
    if let (Ok(head), true) = (head, std::path::Path::new(sources).join(".git").exists()) {
        assert_eq!(lines[1], String::from_utf8_lossy(&head.stdout).trim_end());
    }
    let network: Vec<&str> = lines[2].split([' ', ',']).collect();
    assert!(
        matches!(network[..], ["network", shape, "", "blake3", sum] if shape.starts_with("SFNN_") && sum.len() == 64),
        "{lines:#?}"
    );
}

#[test]
fn a_mate_is_shown_with_its_moves_and_the_status_says_so() {
    let (lines, status) = said(&["mate", "--sfen", MATE_IN_THREE, "--hash", "1"]);
    assert_eq!(status, Some(0), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with('|')), "the board: {lines:#?}");
    let start = lines
        .iter()
        .position(|line| line == "詰み: 3手 (mate in 3 plies; there is no shorter one)")
        .expect("the verdict");
    let moves = &lines[start + 1..start + 4];
    assert!(moves[0].starts_with("   1 ▲２１"), "{moves:?}");
    assert!(moves[2].ends_with("(N*3d)"), "{moves:?}");
    assert!(lines[start + 4].contains(" nodes, ") && lines.len() == start + 5, "{lines:#?}");
    let (lines, status) = said(&["mate", "--sfen", MATE_IN_THREE, "--moves", "S*2a 1b2b"]);
    assert!(lines.contains(&"詰み: 1手 (mate in 1 ply)".to_owned()) && status == Some(0), "{lines:#?}");
}

#[test]
fn cooks_are_told_with_their_moves() {
    let (lines, status) = said(&["mate", "--sfen", MATE_IN_THREE, "--cooks", "--nodes", "200000"]);
    assert_eq!(status, Some(0), "{lines:#?}");
    assert!(lines.contains(&"余詰あり (cooked: other moves mate too)".to_owned()), "{lines:#?}");
    let short = |line: &&String| line.contains("余詰 (cook), 3手 (at most 3 plies): ▲２１");
    assert_eq!(lines.iter().filter(short).count(), 1, "bishop and silver mate there: {lines:#?}");
    let unique = ["mate", "--sfen", "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", "--cooks"];
    let (lines, _) = said(&unique);
    assert!(lines.contains(&"余詰なし (no cooks: every other check was decided)".to_owned()), "{lines:#?}");
    assert!(lines.contains(&"6 other checks: 0 mate, 6 do not, 0 are open".to_owned()), "{lines:#?}");
    let (lines, status) = said(&[&unique[..], &["--json"]].concat());
    assert_eq!((lines.len(), status), (1, Some(0)), "{lines:#?}");
    let told: serde_json::Value = serde_json::from_str(&lines[0]).expect("JSON");
    assert_eq!(told["moves"], serde_json::json!(["G*5b"]));
    assert_eq!(told["cooks"]["verdict"], "unique");
    assert_eq!(told["cooks"]["refuted"], 6);
}

#[test]
fn a_position_may_be_given_as_it_stands_in_a_command() {
    for (position, moves) in [("startpos", "7g7f 3c3d"), ("position startpos moves 7g7f", "3c3d")] {
        let (lines, _) = said(&["perft", "1", "--divide", "--sfen", position, "--moves", moves]);
        assert!(lines.contains(&"8h2b+: 1".to_owned()), "{lines:#?}");
    }
}

#[test]
fn no_mate_and_an_unsolved_problem_have_words_and_statuses_of_their_own() {
    let (lines, status) = said(&["mate"]);
    assert!(lines.contains(&"不詰 (no mate by checks)".to_owned()) && status == Some(1), "{lines:#?}");
    for (limit, reason) in [(["--time", "0.2"], "time limit reached"), (["--nodes", "100"], "node limit reached")] {
        let (lines, status) = said(&["mate", "--sfen", HARD, limit[0], limit[1]]);
        let verdict = format!("未解決 (not solved: {reason})");
        assert!(lines.contains(&verdict) && status == Some(3), "{lines:#?}");
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_the_search_for_a_mate_cleanly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kiki"))
        .args(["mate", "--sfen", HARD])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    // It handles Ctrl-C before it draws the board.
    lines.find(|line| line.ends_with('番')).expect("the board");
    let killed = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().expect("sh starts");
    assert!(killed.success());
    let rest: Vec<String> = lines.collect();
    assert!(rest.contains(&"未解決 (not solved: interrupted)".to_owned()), "{rest:#?}");
    assert_eq!(child.wait().expect("a child").code(), Some(3));
}

#[test]
fn the_board_is_served_at_the_address_that_is_printed_and_a_port_in_use_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Command::new(env!("CARGO_BIN_EXE_kiki"))
        .args(["serve", "--no-open", "--eval", "formula", "--port", "0"])
        .env("XDG_DATA_HOME", folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    // Its other lines need a reader too.
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    lines.read_line(&mut line).expect("a line");
    let (host, path) =
        line.trim().split_once("http://").and_then(|(_, rest)| rest.split_once('/')).expect("an address");
    let mut stream = std::net::TcpStream::connect(host).expect("a server");
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("a request");
    let mut page = String::new();
    stream.read_to_string(&mut page).expect("a page");
    assert!(
        page.starts_with("HTTP/1.1 200") && page.contains("id=\"squares\""),
        "{}",
        page.lines().next().unwrap_or("")
    );
    let kept = std::fs::read_to_string(folder.path().join("kiki/serve-token")).expect("a token");
    assert_eq!(path, format!("{kept}/"));
    let (_, port) = host.split_once(':').expect("a port");
    let refused = kiki(&["serve", "--no-open", "--eval", "formula", "--port", port]);
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && told.contains(port), "{told}");
    child.kill().expect("it runs");
    child.wait().expect("a child");
}

#[test]
fn bad_arguments_are_told_and_the_status_is_2() {
    for arguments in [
        &["mate", "--sfen", "nonsense"][..],
        &["mate", "--moves", "7g7e"],
        &["mate", "--time", "nan"],
        &["mate", "--time", "0"],
        &["analyze", "--time", "inf"],
        &["serve", "--tabs", "0"],
        &["serve", "--port", "70000"],
        &["serve", "--book", "missing.db"],
        &["serve", "--book", "a.db", "--no-book"],
        &["analyze", "--moves", "7g7f 7g7f"],
        &["perft", "101"],
        &["analyse"],
        &["--threads", "4"],
        &["go-infinite", ",", "quit"],
        &["mate", ",", "quit"],
        &["position.txt"],
    ] {
        let output = kiki(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(!complaint.is_empty() && !complaint.contains("panicked"), "{arguments:?}: {complaint}");
        assert!(arguments != ["analyse"] || complaint.contains("a similar subcommand exists: 'analyze'"));
        assert_eq!(output.stdout, b"", "{arguments:?}");
    }
}

#[test]
fn commands_of_usi_may_be_arguments() {
    for arguments in [
        &["usi", ",", "quit"][..],
        &["usi", ",", "nonsense", ",", "quit"],
        &["perft", "1", ",", "usi"],
        &["bench", "1", "1", "1", "current", ",", "usi"],
        &["position", ",", "usi"],
        &["setoption name Eval value formula", "genfens 2 seed 1 book None ", "usi"],
    ] {
        let (lines, status) = said(arguments);
        assert!(lines.contains(&"usiok".to_owned()) && status == Some(0), "{arguments:?}: {lines:#?}");
    }
}

#[test]
fn an_analysis_closes_with_one_line_of_each_rank_in_order() {
    let analyze = ["analyze", "--depth", "8", "--multipv", "4", "--threads", "1", "--hash", "8", "--moves", "7g7f"];
    let (lines, status) = said(&analyze);
    assert_eq!(status, Some(0));
    let best = lines.iter().position(|line| line.starts_with("best: ")).expect("the best move");
    let rank = |line: &String| line.split("(先手) (").nth(1)?.split(')').next()?.parse().ok();
    let ranks: Vec<usize> = lines[..best].iter().filter_map(rank).collect();
    assert!(ranks.len() >= 4, "{lines:#?}");
    assert_eq!(ranks[ranks.len() - 4..], [1, 2, 3, 4], "{lines:#?}");
    let chosen = lines[best].strip_prefix("best: ").expect("found");
    assert!(lines[best - 4].contains(chosen), "{lines:#?}");
    // How far the value may be off: the score of the best line, and a bar around it.
    let bar = &lines[best + 1];
    let score = bar.split(' ').next().expect("a value");
    assert!(lines[best - 4].contains(&format!(" {score} (先手)")), "{lines:#?}");
    assert!(bar.contains(" ± ") && bar.contains('●') && bar.contains('├'), "{bar}");
}

#[test]
fn a_bench_searches_as_the_options_for_probcut_say() {
    let nodes = |mode: &str| {
        let words = format!("setoption name ProbCut value {mode} , bench 4 1 7");
        let (lines, status) = said(&words.split(' ').collect::<Vec<_>>());
        assert_eq!(status, Some(0));
        lines.into_iter().find(|line| line.starts_with("Nodes searched")).expect("a sum")
    };
    let counts = ["off", "constant", "progress", "features", "sigma"].map(nodes);
    assert_eq!(BTreeSet::from(counts.clone()).len(), counts.len(), "{counts:?}");
}

#[test]
fn no_best_moves_cannot_be_asked_for() {
    let output = kiki(&["analyze", "--depth", "1", "--multipv", "0"]);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && complaint.contains("--multipv"), "{complaint}");
}

#[test]
fn moves_may_be_japanese() {
    let diagram = |moves: &str| {
        said(&["analyze", "--depth", "1", "--hash", "1", "--threads", "1", "--moves", moves]).0[..14].to_vec()
    };
    assert_eq!(diagram("７六歩 △3四歩 ▲２二角成 同銀"), diagram("7g7f 3c3d 8h2b+ 3a2b"));
    for (moves, reason) in [
        ("７六歩 ７六歩", "kiki: the move `７六歩` is illegal in the position "),
        ("歩", "kiki: `歩` is not a move like ７六歩, 同銀右上成 or 5五角打\n"),
        ("7g7f 7g7f", "kiki: move 2 of the position command is illegal: 7g7f\n"),
    ] {
        let output = kiki(&["mate", "--moves", moves]);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(complaint.starts_with(reason) && !output.status.success(), "{moves}: {complaint}");
    }
    let output = kiki(&["analyze", "--sfen", "startpos moves ７六歩"]);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(complaint, "kiki: move 1 of the position command is illegal: ７六歩\n");
}

#[test]
fn positions_of_a_bench_may_begin_with_a_mark_of_their_encoding() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("positions");
    std::fs::write(&path, "\u{feff}startpos\r\n").expect("it is written");
    let (lines, status) = said(&["bench", "4", "1", "3", path.to_str().expect("text")]);
    assert_eq!(status, Some(0), "{lines:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_printed_is_no_reason_to_fall_over() {
    let commands = [&["perft", "2", "--divide"][..], &["mate", "--sfen", MATE_IN_THREE, "--hash", "1"]];
    for arguments in commands {
        let run = |output: Stdio| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_kiki"));
            command.args(arguments).stdout(output).stderr(Stdio::piped()).output().expect("the program starts")
        };
        let full = run(std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device").into());
        let complaint = String::from_utf8_lossy(&full.stderr);
        assert_eq!(full.status.code(), Some(1), "{arguments:?}: {complaint}");
        assert!(complaint.starts_with("kiki: standard output: ") && complaint.lines().count() == 1, "{complaint}");
        // The reader stops before the first line.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let closed = run(writer.into());
        assert_eq!((closed.status.code(), closed.stderr.len()), (Some(0), 0), "{arguments:?}");
    }
}

#[test]
fn a_mate_that_is_not_proved_to_be_the_shortest_says_why() {
    let sfen = "9/9/9/1+P1+B5/1p2S4/+pn7/1k2G4/s8/+l1L+p1+B3 b 3G2r2s3n2l14p 1";
    let (lines, status) = said(&["mate", "--sfen", sfen, "--nodes", "1000"]);
    let verdict = "詰み: 11手 (mate in 11 plies; node limit reached before a shorter one was ruled out)";
    assert!(lines.iter().any(|line| line == verdict) && status == Some(0), "{lines:#?}");
}
