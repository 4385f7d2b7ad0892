//! How long the time slices of the engine's threads are.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::PathBuf;

use crate::conversation::Conversation;

/// The slices of the threads with this name, in nanoseconds; none where the system does not tell.
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

/// Whether the system knows slices of threads, and tells them.
fn has_time_slices() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let numbers: Vec<u32> = release.split(['.', '-']).map_while(|number| number.parse().ok()).take(2).collect();
    numbers >= vec![6, 12] && fs::read_to_string("/proc/self/sched").is_ok_and(|text| text.contains("se.slice"))
}

#[test]
fn threads_that_wait_go_before_those_that_search() {
    if !has_time_slices() {
        return;
    }
    let mut engine = Conversation::ready();
    engine.say("position startpos");
    engine.say("go infinite");
    engine.until("info depth 3");
    let slices = |name| time_slices(engine.process(), name);
    let [reader, coordinator, search] = [slices("kiki"), slices("coordinator"), slices("search")];
    assert!(!search.is_empty() && search.iter().all(|&slice| slice > 100_000), "{search:?}");
    assert_eq!((reader, coordinator), (vec![100_000], vec![100_000]));
}
