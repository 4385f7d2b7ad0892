//! How a match is run: logs, CPUs, a full disk, and numbers beyond reason.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::TestMatch;
use crate::laboratory::{interrupted, openings, text};

#[cfg(unix)]
#[test]
fn the_dialogue_with_engines_is_logged_as_it_happens() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", "score=5"), contest.engine("b", "hang=4 seed=1")];
    let log = contest.join("log");
    let rest = format!("--games 2 --each nodes=1 --max-plies 6 --patience 600 --log {}", log.display());
    // The game does not finish, but its log exists.
    let read = || fs::read_to_string(log.join("000001.log")).unwrap_or_default();
    let both_think = || read().matches(" b > go nodes 1\n").count() == 2;
    interrupted(&mut contest.command(&engines, &rest), "there is no log", both_think);
    let lines: Vec<String> = read().lines().map(str::to_owned).collect();
    for line in &lines {
        let (time, rest) = line.split_once(' ').unwrap();
        assert!(humantime::parse_rfc3339(time).is_ok(), "{line}");
        assert!(["a > ", "a < ", "b > ", "b < "].iter().any(|start| rest.starts_with(start)), "{line}");
    }
    let said = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
    assert_eq!(
        (said(" a > usi"), said(" a < usiok"), said(" a < info depth 1 score cp 5"), said(" a > quit")),
        (2, 1, 2, 1)
    );
    assert_eq!((said(" b < bestmove "), said(" a < bestmove ")), (1, 2));
    let before = fs::read_to_string(log.join("handshakes.log")).unwrap();
    assert_eq!((before.matches(" < readyok\n").count(), before.matches(" > go").count()), (2, 0));
}

#[test]
fn more_threads_than_processors_are_worth_a_warning() {
    for (limit, is_told) in [("byoyomi=9000", true), ("nodes=1", false)] {
        let contest = TestMatch::new();
        let engines = [contest.engine("a", "") + " option.Threads=64", contest.engine("b", "")];
        let rest = format!("--games 2 --each {limit} --max-plies 4 --concurrency 64");
        let output = contest.command(&engines, &rest).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(text(&output).contains("want 4096 processors"), is_told, "{}", text(&output));
    }
}

#[test]
fn an_impossible_log_fails_before_the_first_game() {
    let contest = TestMatch::new();
    let file = contest.join("file");
    fs::write(&file, "").unwrap();
    let rest = format!("--games 2 --each nodes=1 --log {}", file.display());
    let output = contest.command(&[contest.engine("a", ""), contest.engine("b", "")], &rest).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("--log") && contest.games().is_empty(), "{}", text(&output));
}

/// The CPUs of a list such as `0-2,5`.
#[cfg(target_os = "linux")]
fn cpus(list: &str) -> BTreeSet<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        first.parse().unwrap()..=last.parse::<usize>().unwrap()
    };
    list.trim().split(',').flat_map(range).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn games_at_the_same_time_have_cpus_of_their_own() {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let allowed = cpus(status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap());
    let games = allowed.len().min(2);
    let contest = TestMatch::new();
    let seen = contest.join("seen");
    let mock = contest.join("mock");
    let engine = |name: &str| {
        let script =
            format!("grep Cpus_allowed_list: /proc/self/status >> {}; exec {}", seen.display(), mock.display());
        format!("name={name} cmd='sh -c \"{script}\"' restart=true")
    };
    let rest = format!("--games 20 --each nodes=1 --max-plies 4 --affinity --concurrency {games}");
    contest.play(&[engine("a"), engine("b")], &rest);
    let text_seen = fs::read_to_string(&seen).unwrap();
    // Two engines are checked before the first game, outside of the workers.
    let lists = text_seen.lines().skip(2).map(|line| cpus(line.split_once(':').unwrap().1));
    let (mut shares, mut processes) = (BTreeSet::new(), 0);
    for list in lists {
        assert_eq!(list.len(), allowed.len() / games);
        shares.insert(list);
        processes += 1;
    }
    assert_eq!(processes, 40);
    // One worker may have been fast enough to play all games, but no two shares have a CPU in
    // common.
    assert!((1..=games).contains(&shares.len()));
    assert_eq!(shares.iter().flatten().collect::<BTreeSet<_>>().len(), shares.iter().map(BTreeSet::len).sum::<usize>());
    let rest = format!("--games 20 --each nodes=1 --affinity --concurrency {}", allowed.len() + 1);
    let output = contest.command(&[engine("a"), engine("b")], &rest).arg("--event=other").output().unwrap();
    assert!(!output.status.success(), "{}", text(&output));
    assert!(text(&output).contains(&format!("--affinity: there are {} CPUs for", allowed.len())), "{}", text(&output));
}

#[cfg(unix)]
#[test]
fn a_number_of_games_that_no_memory_holds_is_played_one_by_one() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", "late=2"), contest.engine("b", "seed=1")];
    let mut command = contest.command(&engines, "--games 9000000000000000000 --each nodes=1 --max-plies 10 --json");
    let journal = contest.join("out/games.jsonl");
    let output = interrupted(&mut command, "the match does not get on", || {
        fs::read_to_string(&journal).is_ok_and(|text| text.lines().count() >= 3)
    });
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["scheduled"], 9_000_000_000_000_000_000_u64);
    assert_eq!(result["games"].as_u64().unwrap(), contest.games().len() as u64);
}

#[test]
fn numbers_beyond_all_counting_are_refused_before_anything_is_written() {
    let contest = TestMatch::new();
    let three = ["a", "b", "c"].map(|name| contest.engine(name, ""));
    for (engines, rest, expected) in [
        (&three[..], "--games 18446744073709551614", "more games than can be counted"),
        (&three[..2], "--games 18446744073709551615", "--games must be even"),
        (&three[..2], "--games 0", "--games: a match needs"),
        (&three[..2], "--games 2 --patience 18446744073709551615", "--patience must be from 1 to"),
        (&three[..2], "--games 2 --ready-timeout 18446744073709551615", "--ready-timeout must be from 1 to"),
        (&three[..2], "--games 2 --concurrency 18446744073709551615", "--concurrency must be at least 1 and at most"),
    ] {
        let output = contest.command(engines, &format!("{rest} --each nodes=1")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains(expected), "{expected}: {}", text(&output));
        assert!(!contest.join("out").exists());
    }
}

/// The command under a limit of file size, in blocks of 512 bytes. Writing beyond it fails, as on a
/// full disk.
#[cfg(target_os = "linux")]
fn with_file_limit(command: &Command, blocks: u32) -> Command {
    let mut limited = Command::new("sh");
    // Otherwise a signal would end the program.
    limited.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""));
    limited.current_dir(command.get_current_dir().unwrap());
    limited.arg(command.get_program()).args(command.get_args());
    limited
}

#[cfg(target_os = "linux")]
#[test]
fn a_match_on_a_full_disk_stops_with_one_line_and_goes_on_when_there_is_room() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", "seed=1"), contest.engine("b", "seed=2")];
    let few = contest.join("few.sfen");
    let text_of_few: Vec<String> =
        fs::read_to_string(openings()).unwrap().lines().take(10).map(str::to_owned).collect();
    fs::write(&few, text_of_few.join("\n")).unwrap();
    let rest = format!("--games 20 --each nodes=1 --max-plies 60 --openings {}", few.display());
    let command = contest.command(&engines, &rest);
    // Room for all files except the whole journal.
    let output = with_file_limit(&command, 30).output().unwrap();
    let journal = fs::read(contest.join("out/games.jsonl")).unwrap_or_default();
    let before = journal.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let complaint = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = complaint.lines().filter(|line| line.contains("games.jsonl")).collect();
    assert!(lines.len() == 1 && !complaint.contains("panicked"), "{complaint}");
    contest.assert_nothing_runs();
    assert!((1..20).contains(&before), "{before} games");

    contest.json("resume out");
    let mut numbers: Vec<_> = contest.games().iter().map(|game| game["game"].as_u64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>(), "every game once");
    assert_eq!(fs::read_dir(contest.join("out/csa")).unwrap().count(), 20);
}
