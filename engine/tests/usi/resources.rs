//! Resources that the system refuses or takes away are reported in one line, and the engine plays
//! on or leaves. It never uses more memory than there is.

use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::conversation::{Conversation, PATIENCE};

/// A search with much output that ends by itself only after long.
fn searching() -> Conversation {
    let mut engine = Conversation::ready();
    engine.say("position startpos");
    engine.say("go infinite");
    engine.until("info depth 3");
    engine
}

#[test]
fn a_request_to_terminate_ends_the_engine_in_the_middle_of_a_search() {
    let mut engine = searching();
    let sent =
        Command::new("sh").args(["-c", &format!("kill -TERM {}", engine.process())]).status().expect("sh starts");
    assert!(sent.success());
    assert_eq!(engine.ends().signal(), Some(15));
}

#[test]
fn an_output_that_nobody_reads_is_no_reason_to_fall_over() {
    let mut engine = searching();
    engine.stops_reading();
    // The first line is lost in the pipe; the others find it closed.
    for _ in 0..3 {
        engine.say("d");
        sleep(Duration::from_millis(50));
    }
    engine.say("stop");
    engine.say("go movetime 50");
    engine.say("isready");
    engine.say("quit");
}

/// Whether the engine leaves if no one reads its output. A second passes after each text.
fn leaves_unread(texts: &[&str]) -> bool {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_kiki"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    let mut input = engine.stdin.take().expect("a pipe");
    for text in texts {
        input.write_all(text.as_bytes()).expect("the engine listens");
        sleep(Duration::from_secs(1));
    }
    input.write_all(b"quit\n").expect("the engine listens");
    let start = Instant::now();
    while start.elapsed() < PATIENCE && engine.try_wait().expect("a child").is_none() {
        sleep(Duration::from_millis(10));
    }
    let left = engine.try_wait().expect("a child");
    let _ = engine.kill();
    left.is_some_and(|status| status.success())
}

#[test]
fn an_output_that_is_full_keeps_nobody_from_leaving() {
    let lines = "setoption name MultiPV value 600\nsetoption name PvInterval value 0\nisready\nmatsuri\ngo infinite\n";
    assert!(leaves_unread(&[lines]), "in a search");
    // A pipe has sixteen pages, and no line lies in two. `readyok` does not fit behind what comes
    // before it, and the last answer waits for it.
    let ready = Command::new(env!("CARGO_BIN_EXE_kiki")).args(["isready", ",", "quit"]).output().expect("it runs");
    let before = ready.stdout.len() - "readyok\n".len();
    let in_page = |bytes: usize| bytes / "black\n".len();
    let lines = "side\n".repeat(15 * in_page(4096) + in_page(4096 - before)) + "isready\nside\n";
    assert!(leaves_unread(&[&lines, "quit\n"]), "at the second `quit`, with an answer that waits");
}

#[test]
fn a_thousand_threads_or_as_many_as_there_is_memory_for_play() {
    let mut engine = Conversation::start(&[]);
    engine.set("USI_Hash", 16);
    engine.set("Threads", 1024);
    let heard = engine.get_ready();
    // Fewer where memory does not suffice.
    let fewer = heard.iter().find_map(|line| line.strip_prefix("info string 1024 threads do not fit in memory: "));
    let used = fewer.map_or("1024", |told| told.split(' ').next().expect("a number"));
    let ready = format!("info string ready with {used} threads, ");
    assert!(heard.iter().any(|line| line.starts_with(&ready)), "{heard:?}");
    for _ in 0..2 {
        engine.say("position startpos moves 7g7f");
        assert_ne!(engine.play("go movetime 200"), "resign");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn threads_that_cannot_be_started_are_told_and_fewer_play() {
    // Every thread takes 16 MiB of the address space.
    let mut engine = Conversation::start_limited(900 << 10);
    engine.set("USI_Hash", 16);
    engine.set("Threads", 1024);
    let heard = engine.get_ready();
    let told: Vec<&String> = heard.iter().filter(|line| line.contains("threads cannot be started: ")).collect();
    assert!(matches!(&told[..], [line] if line.starts_with("info string 1024 threads")), "{heard:#?}");
    let used = told[0].rsplit(": ").next().and_then(|words| words.split(' ').next()).expect("a number");
    let ready = format!("info string ready with {used} threads, ");
    assert!(heard.iter().any(|line| line.starts_with(&ready)), "what is told is in force: {heard:#?}");
    engine.say("position startpos moves 7g7f");
    assert_ne!(engine.play("go nodes 3000"), "resign");
}

#[test]
#[cfg(target_os = "linux")]
fn a_log_on_a_full_disk_ends_and_the_engine_plays_on() {
    let mut engine = Conversation::ready();
    engine.say("setoption name DebugLogFile value /dev/full");
    let heard = engine.get_ready();
    let told = heard.iter().filter(|line| line.starts_with("info string DebugLogFile: ")).count();
    assert_eq!(told, 1, "{heard:?}");
    engine.play("go nodes 100");
    assert_eq!(engine.meanwhile(), [""; 0], "told once");
}

/// A field of a process's status, in MiB.
#[cfg(target_os = "linux")]
fn status(engine: &Conversation, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", engine.process())).expect("a status");
    let line = status.lines().find(|line| line.starts_with(name)).expect("the field");
    line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).expect("a number") >> 10
}

#[cfg(target_os = "linux")]
fn get_ready(engine: &mut Conversation, mebibytes: u64) -> Vec<String> {
    engine.set("USI_Hash", mebibytes);
    engine.get_ready()
}

#[test]
#[cfg(target_os = "linux")]
fn the_table_is_resident_when_the_engine_is_ready_and_not_before() {
    let mut engine = Conversation::start(&[]);
    engine.say("usi");
    engine.until("usiok");
    let before = status(&engine, "VmRSS");
    // The network is built in, but decompressed only when needed.
    assert!(before < 32, "{before} MiB at usiok");
    let heard = get_ready(&mut engine, 100);
    let ready = status(&engine, "VmRSS");
    assert!(ready >= 100, "{ready} MiB at readyok");
    let told: Vec<&String> = heard.iter().filter(|line| line.starts_with("info string ready with ")).collect();
    assert!(matches!(&told[..], [one] if one.contains(" threads, hash 100 MiB, evaluation network ")), "{heard:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_replaced_table_is_given_back() {
    let mut engine = Conversation::start(&[]);
    engine.set("Threads", 3);
    let sizes: Vec<u64> = [200, 1, 200, 1]
        .into_iter()
        .map(|mebibytes| {
            get_ready(&mut engine, mebibytes);
            engine.say("position startpos");
            engine.play("go nodes 500");
            status(&engine, "VmRSS")
        })
        .collect();
    assert!(sizes[0] >= 200 && sizes[2] < sizes[0] + 60, "{sizes:?}");
    assert!(sizes[1] + 150 < sizes[0] && sizes[3] < sizes[1] + 60, "{sizes:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_table_that_does_not_fit_becomes_the_largest_that_does_and_the_engine_plays() {
    // A limit for the whole process.
    let mut engine = Conversation::start_limited(600 << 10);
    engine.set("Threads", 1);
    let heard = get_ready(&mut engine, 33_554_432);
    let complaint = heard.iter().find(|line| line.contains("USI_Hash")).unwrap_or_else(|| panic!("{heard:#?}"));
    let used: u64 = complaint.split(": ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).expect("a size");
    assert!((100..600).contains(&used), "{complaint}");
    let heard = engine.search_in("startpos moves 7g7f", "go nodes 3000");
    assert!(heard.iter().any(|line| line.contains(" nodes ")), "it searches: {heard:#?}");
}

#[test]
#[cfg(target_os = "linux")]
fn another_option_keeps_a_table_that_did_not_fit() {
    let mut engine = Conversation::start_limited(600 << 10);
    engine.set("Threads", 1);
    get_ready(&mut engine, 33_554_432);
    engine.say("position startpos");
    engine.play("go nodes 200000");
    engine.set("MultiPV", 2);
    engine.set("MultiPV", 1);
    engine.set("PvInterval", 0);
    let heard = engine.search("go nodes 2000");
    assert!(!heard.iter().any(|line| line.contains("USI_Hash")), "{heard:#?}");
}

#[test]
#[cfg(target_os = "linux")]
fn mates_are_solved_in_the_place_of_the_search_and_in_a_game_beside_it() {
    const MATE: &str = "position sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
    let mut engine = Conversation::start(&[]);
    get_ready(&mut engine, 200);
    engine.say(MATE);
    engine.say("go mate infinite");
    engine.until("checkmate G*5b");
    let alone = status(&engine, "VmRSS");
    // Most of it is the network's weights.
    assert!(alone < 66, "{alone} MiB beside an empty table of proofs");
    engine.play("go nodes 100");
    let searched = status(&engine, "VmRSS");
    assert!(searched >= 100, "the search is there again: {searched} MiB");
    engine.say("go mate infinite");
    engine.until("checkmate G*5b");
    let both = status(&engine, "VmRSS");
    assert!(both + 10 > searched, "a game keeps its table: {both} of {searched} MiB");
}

/// The time slices of the threads with this name, in nanoseconds; none where the system does not
/// report them.
#[cfg(target_os = "linux")]
fn time_slices(process: u32, name: &str) -> Vec<u64> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("the engine runs");
    let slice = |thread: PathBuf| {
        let text = fs::read_to_string(thread.join("sched")).ok()?;
        text.lines().find(|line| line.starts_with("se.slice"))?.split_once(':')?.1.trim().parse().ok()
    };
    let is_meant =
        |thread: &PathBuf| fs::read_to_string(thread.join("comm")).is_ok_and(|comm| comm.trim().starts_with(name));
    threads.flatten().map(|thread| thread.path()).filter(is_meant).filter_map(slice).collect()
}

/// Whether the system reports time slices of threads.
#[cfg(target_os = "linux")]
fn has_time_slices() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let numbers: Vec<u32> = release.split(['.', '-']).map_while(|number| number.parse().ok()).take(2).collect();
    numbers >= vec![6, 12] && fs::read_to_string("/proc/self/sched").is_ok_and(|text| text.contains("se.slice"))
}

#[test]
#[cfg(target_os = "linux")]
fn threads_that_wait_go_before_those_that_search() {
    if !has_time_slices() {
        return;
    }
    let engine = searching();
    let slices = |name| time_slices(engine.process(), name);
    let [reader, coordinator, search] = [slices("kiki"), slices("coordinator"), slices("search")];
    assert!(!search.is_empty() && search.iter().all(|&slice| slice > 100_000), "{search:?}");
    assert_eq!((reader, coordinator), (vec![100_000], vec![100_000]));
}
