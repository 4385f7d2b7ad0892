//! How a match is played: logs of what is said, and CPUs.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

use super::test_match::{TestMatch, text};
use crate::laboratory::{interrupt, wait_until};

#[cfg(unix)]
#[test]
fn what_engines_say_and_are_told_is_logged_as_it_happens() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", "score=5"), contest.engine("b", "hang=4 seed=1")];
    let log = contest.path("log");
    let rest = format!("--games 2 --each nodes=1 --max-plies 6 --patience 600 --log {}", log.display());
    let mut command = contest.command(&engines, &rest);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The game does not come to its end, but its log is there.
    let read = || fs::read_to_string(log.join("000001.log")).unwrap_or_default();
    wait_until("there is no log", || read().matches(" b > go nodes 1\n").count() == 2);
    interrupt(&child);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
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
fn a_log_that_cannot_be_written_is_told_before_the_first_game() {
    let contest = TestMatch::new();
    let file = contest.path("file");
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
    let seen = contest.path("seen");
    let mock = contest.path("mock");
    let engine = |name: &str| {
        let script =
            format!("grep Cpus_allowed_list: /proc/self/status >> {}; exec {}", seen.display(), mock.display());
        format!("name={name} cmd='sh -c \"{script}\"' restart=true")
    };
    let rest = format!("--games 20 --each nodes=1 --max-plies 4 --affinity --concurrency {games}");
    contest.play(&[engine("a"), engine("b")], &rest);
    let text_seen = fs::read_to_string(&seen).unwrap();
    // Two engines are looked at before the first game, without a worker.
    let lists = text_seen.lines().skip(2).map(|line| cpus(line.split_once(':').unwrap().1));
    let (mut shares, mut processes) = (BTreeSet::new(), 0);
    for list in lists {
        assert_eq!(list.len(), allowed.len() / games);
        shares.insert(list);
        processes += 1;
    }
    assert_eq!(processes, 40);
    // One worker may have been fast enough to play all games, but no two shares have a CPU in common.
    assert!((1..=games).contains(&shares.len()));
    assert_eq!(shares.iter().flatten().collect::<BTreeSet<_>>().len(), shares.iter().map(BTreeSet::len).sum::<usize>());
    let rest = format!("--games 20 --each nodes=1 --affinity --concurrency {}", allowed.len() + 1);
    let output = contest.command(&[engine("a"), engine("b")], &rest).arg("--event=other").output().unwrap();
    assert!(!output.status.success(), "{}", text(&output));
    assert!(text(&output).contains(&format!("--affinity: there are {} CPUs for", allowed.len())), "{}", text(&output));
}
