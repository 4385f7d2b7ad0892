//! A disk that is full: nothing is lost, and the match goes on when there is room again.

use std::fs;
use std::process::Command;

use super::test_match::{TestMatch, lab, openings, text};

/// The command with so many blocks of 512 bytes as the greatest size of a file. Writing beyond fails, as it does on a full disk.
fn with_file_limit(command: &Command, blocks: u32) -> Command {
    let mut limited = Command::new("sh");
    // Otherwise a signal would end the program.
    limited.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""));
    limited.arg(command.get_program()).args(command.get_args());
    limited
}

#[test]
fn a_match_on_a_full_disk_stops_with_one_line_and_goes_on_when_there_is_room() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", "seed=1"), contest.engine("b", "seed=2")];
    let few = contest.path("few.sfen");
    let text_of_few: Vec<String> =
        fs::read_to_string(openings()).unwrap().lines().take(10).map(str::to_owned).collect();
    fs::write(&few, text_of_few.join("\n")).unwrap();
    let rest = format!("--games 20 --each nodes=1 --max-plies 60 --openings {}", few.display());
    let command = contest.command(&engines, &rest);
    // Room for all files but for the whole journal.
    let small = with_file_limit(&command, 30);
    let (output, before) = run_until_full(&contest, small);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let complaint = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = complaint.lines().filter(|line| line.contains("games.jsonl")).collect();
    assert!(lines.len() == 1 && !complaint.contains("panicked"), "{complaint}");
    contest.assert_nothing_runs();
    assert!((1..20).contains(&before), "{before} games");

    let resumed = lab().args(["match", "--json", "--resume"]).arg(contest.path("out")).output().unwrap();
    assert!(resumed.status.success(), "{}", text(&resumed));
    let mut numbers: Vec<_> = contest.games().iter().map(|game| game["game"].as_u64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>(), "every game once");
    assert_eq!(fs::read_dir(contest.path("out/csa")).unwrap().count(), 20);
}

/// Runs it to its end; also returns how many games are whole in the journal.
fn run_until_full(contest: &TestMatch, mut command: Command) -> (std::process::Output, usize) {
    let output = command.output().unwrap();
    let journal = fs::read(contest.path("out/games.jsonl")).unwrap_or_default();
    (output, journal.iter().filter(|&&byte| byte == b'\n').count())
}
