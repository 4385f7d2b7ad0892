//! Finds and kills all processes that an engine has started.
//!
//! A signal to a process group misses children that left it (`setsid`), and the tree of processes misses those whose parent has ended. So
//! every engine is started with a variable in its environment that names it; whatever it starts inherits the variable, and on Linux
//! /proc shows it. A child can be lost only if it leaves the group, loses its parent and clears its environment, all three.

use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The environment variable. Its value is a list with commas, because this program may itself have been started by one that sets it.
pub(crate) const VARIABLE: &str = "KIKI_DRIVER_PROCESS";

/// Identifies one engine among all that were ever started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ProcessMarker(String);

impl ProcessMarker {
    /// A marker that no other engine has.
    pub(crate) fn new() -> Self {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        Self(format!("{}-{}", run_marker(), STARTED.fetch_add(1, Ordering::Relaxed)))
    }

    /// The value of the variable for this engine.
    pub(crate) fn value(&self) -> String {
        match std::env::var(VARIABLE) {
            Ok(outer) if !outer.is_empty() => format!("{outer},{}", self.0),
            _ => self.0.clone(),
        }
    }
}

/// The prefix of the markers of all engines that this process starts.
#[must_use]
pub fn run_marker() -> &'static str {
    static RUN: OnceLock<String> = OnceLock::new();
    RUN.get_or_init(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        format!("{}-{since}", process::id())
    })
}

/// Kills everything that was started, directly or not, by the process with this [`run_marker`]; for use by another process. Does nothing
/// on systems other than Linux.
pub fn kill_started_by(run_marker: &str) {
    system::kill(&|marker| marker.strip_prefix(run_marker).is_some_and(|rest| rest.starts_with('-')), &[]);
}

/// Kills all processes with the marker and those of `tree`, and waits until they are gone.
pub(crate) fn kill(marker: &ProcessMarker, tree: &[TreeProcess]) {
    system::kill(&|found| found == marker.0, tree);
}

pub(crate) use system::{TreeProcess, tree};

#[cfg(not(target_os = "linux"))]
mod system {
    /// A process of a tree. On these systems only the process group or the job is known.
    pub(crate) type TreeProcess = ();

    pub(crate) fn tree(_root: u32) -> Vec<TreeProcess> {
        Vec::new()
    }

    pub(super) fn kill(_is_ours: &dyn Fn(&str) -> bool, _tree: &[TreeProcess]) {}
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::HashMap;
    use std::fs;
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

    use crate::descendants::VARIABLE;

    /// How long to wait until killed processes are gone. One that waits for a disk may stay longer.
    const KILL_TIMEOUT: Duration = Duration::from_secs(2);

    /// A process: its number, and when it started, because numbers are used again.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) struct TreeProcess {
        pid: i32,
        start: u64,
    }

    /// The living processes below a process.
    pub(crate) fn tree(root: u32) -> Vec<TreeProcess> {
        let mut children: HashMap<i32, Vec<TreeProcess>> = HashMap::new();
        for (member, parent) in pids().filter_map(stat) {
            children.entry(parent).or_default().push(member);
        }
        let mut found = Vec::new();
        let mut parents = vec![root as i32];
        while let Some(parent) = parents.pop() {
            // A number that was used again while the list was read could close a circle.
            for child in children.remove(&parent).unwrap_or_default() {
                parents.push(child.pid);
                found.push(child);
            }
        }
        found
    }

    /// Kills all processes with such a marker, and those of a tree, until none is left: one may start another in the meantime.
    pub(super) fn kill(is_ours: &dyn Fn(&str) -> bool, tree: &[TreeProcess]) {
        let deadline = Instant::now() + KILL_TIMEOUT;
        let mut pause = Duration::from_micros(200);
        let in_tree =
            |pid| tree.iter().any(|member| member.pid == pid && stat(pid).is_some_and(|(now, _)| now == *member));
        let is_target = |pid| is_marked(pid, is_ours) || in_tree(pid);
        loop {
            let targets: Vec<i32> = pids().filter(|&pid| is_target(pid)).collect();
            if targets.is_empty() || Instant::now() >= deadline {
                return;
            }
            for pid in targets {
                kill_one(pid, &is_target);
            }
            thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(20));
        }
    }

    /// Kills a process if it still is what it was taken for: its number may belong to another one by now.
    fn kill_one(pid: i32, is_target: &dyn Fn(i32) -> bool) {
        let Some(number) = Pid::from_raw(pid) else { return };
        match pidfd_open(number, PidfdFlags::empty()) {
            Ok(process) if is_target(pid) => {
                let _ = pidfd_send_signal(process, Signal::KILL);
            }
            // Kernels before 5.3, and sandboxes that forbid what they do not know.
            Err(Errno::NOSYS | Errno::PERM) => {
                let _ = kill_process(number, Signal::KILL);
            }
            _ => {}
        }
    }

    /// The numbers of all processes; none where there is no /proc.
    fn pids() -> impl Iterator<Item = i32> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
    }

    /// A living process and the number of its parent.
    fn stat(pid: i32) -> Option<(TreeProcess, i32)> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name of the program stands in brackets and may hold anything.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let (&state, &parent, &start) = (fields.first()?, fields.get(1)?, fields.get(19)?);
        let is_alive = !matches!(state, "Z" | "X");
        is_alive.then_some((TreeProcess { pid, start: start.parse().ok()? }, parent.parse().ok()?))
    }

    /// Whether the environment of a living process has one of the markers. Processes of other users cannot be looked into.
    fn is_marked(pid: i32, is_ours: &dyn Fn(&str) -> bool) -> bool {
        let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { return false };
        let value = environment.split(|&byte| byte == 0).find_map(|entry| {
            let text = std::str::from_utf8(entry).ok()?;
            text.strip_prefix(VARIABLE)?.strip_prefix('=')
        });
        value.is_some_and(|value| value.split(',').any(is_ours))
    }
}
