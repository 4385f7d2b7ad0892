//! The commands for people: what they print and how they end.

use std::process::{Command, Output};

fn kiki(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kiki")).args(arguments).output().expect("the program starts")
}

/// The lines printed and the exit status, with nothing on standard error.
fn said(arguments: &[&str]) -> (Vec<String>, Option<i32>) {
    let output = kiki(arguments);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (text.lines().map(str::to_owned).collect(), output.status.code())
}

#[test]
fn bad_arguments_are_told_and_the_status_is_2() {
    for arguments in
        [&["analyze", "--time", "inf"][..], &["analyze", "--moves", "7g7f 7g7f"], &["perft", "101"], &["bench", "many"]]
    {
        let output = kiki(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(!complaint.is_empty() && !complaint.contains("panicked"), "{arguments:?}: {complaint}");
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
    // A line without the time that it took.
    let content = |line: &String| {
        let depth = line.split_once('/')?.0;
        Some((depth.to_owned(), line.split_once("s ")?.1.to_owned()))
    };
    let last: Vec<_> = lines[best - 4..best].iter().map(content).collect();
    assert!(lines[..best - 4].iter().all(|line| !last.contains(&content(line))), "twice: {lines:#?}");
    let chosen = lines[best].strip_prefix("best: ").expect("found");
    assert!(lines[best - 4].contains(chosen), "{lines:#?}");
}
