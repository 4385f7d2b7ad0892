//! Finds and kills all processes that an engine has started.
//!
//! A signal to a process group misses children that left it (`setsid`), and a walk of the process
//! tree misses children whose parent has ended. So every engine gets an environment variable that
//! identifies it. Its children inherit the variable, and on Linux /proc shows it. A child escapes
//! only if it leaves the group, loses its parent and clears its environment.

use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The environment variable. Its value is a comma-separated list, because this program may itself
/// run under one that sets it.
pub(crate) const VARIABLE: &str = "KIKI_DRIVER_PROCESS";

/// Identifies one engine among all ever started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ProcessMarker(String);

impl ProcessMarker {
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

/// Kills everything started, directly or not, by the process with this [`run_marker`]. For use by
/// another process. Does nothing on systems other than Linux.
pub fn kill_started_by(run_marker: &str) {
    let is_ours = |marker: &str| marker.strip_prefix(run_marker).is_some_and(|rest| rest.starts_with('-'));
    system::kill(&is_ours, &Descendants::default());
}

/// Kills all processes with the marker and those of `tree`, and waits until they are gone.
pub(crate) fn kill(marker: &ProcessMarker, tree: &Descendants) {
    system::kill(&|found| found == marker.0, tree);
}

pub(crate) use system::Descendants;

#[cfg(not(target_os = "linux"))]
mod system {
    /// The processes below an engine. On these systems only the process group or the job is known.
    #[derive(Default)]
    pub(crate) struct Descendants;

    impl Descendants {
        pub(crate) fn of(_root: u32) -> Self {
            Self
        }
    }

    pub(super) fn kill(_is_ours: &dyn Fn(&str) -> bool, _tree: &Descendants) {}
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::HashMap;
    use std::fs::{self, File};
    use std::io::{self, Read as _};
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

    use crate::descendants::VARIABLE;

    /// Time for killed processes to disappear. One that waits for a disk may take longer.
    const KILL_TIMEOUT: Duration = Duration::from_secs(2);

    /// A process: its number and its start time in clock ticks, because numbers are reused.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct ProcessId {
        pid: i32,
        start: u64,
    }

    struct ProcessStat {
        id: ProcessId,
        parent: i32,
        is_alive: bool,
    }

    /// The living processes below an engine. The default belongs to an unknown engine.
    #[derive(Default)]
    pub(crate) struct Descendants {
        processes: Vec<ProcessId>,
        /// When the engine started. Its descendants are no older, so most processes need no check.
        since: u64,
    }

    impl Descendants {
        pub(crate) fn of(root: u32) -> Self {
            let root = root as i32;
            let mut since = 0;
            let mut children: HashMap<i32, Vec<ProcessId>> = HashMap::new();
            for process in processes() {
                if process.id.pid == root {
                    since = process.id.start;
                }
                if process.is_alive {
                    children.entry(process.parent).or_default().push(process.id);
                }
            }
            let mut found = Vec::new();
            let mut parents = vec![root];
            while let Some(parent) = parents.pop() {
                // A number reused while the list was read could close a cycle.
                for child in children.remove(&parent).unwrap_or_default() {
                    parents.push(child.pid);
                    found.push(child);
                }
            }
            Self { processes: found, since }
        }

        fn contains(&self, process: ProcessId) -> bool {
            self.processes.contains(&process)
        }
    }

    /// Kills all processes with a matching marker and those of a tree, repeatedly until none is
    /// left: one may start others meanwhile.
    pub(super) fn kill(is_ours: &dyn Fn(&str) -> bool, tree: &Descendants) {
        let deadline = Instant::now() + KILL_TIMEOUT;
        let mut pause = Duration::from_micros(200);
        let is_target = |process: &ProcessStat| {
            let may_be = process.is_alive && process.id.start >= tree.since;
            may_be && (tree.contains(process.id) || is_marked(process.id.pid, is_ours))
        };
        loop {
            let targets: Vec<ProcessStat> = processes().filter(is_target).collect();
            if targets.is_empty() || Instant::now() >= deadline {
                return;
            }
            for target in targets {
                kill_one(target.id);
            }
            thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(20));
        }
    }

    /// Kills a process, unless its number now belongs to another.
    fn kill_one(process: ProcessId) {
        let Some(number) = Pid::from_raw(process.pid) else { return };
        match pidfd_open(number, PidfdFlags::empty()) {
            Ok(handle) if stat(process.pid).is_some_and(|now| now.id == process) => {
                let _ = pidfd_send_signal(handle, Signal::KILL);
            }
            // Kernels before 5.3, and sandboxes that forbid unknown calls.
            Err(Errno::NOSYS | Errno::PERM) => {
                let _ = kill_process(number, Signal::KILL);
            }
            _ => {}
        }
    }

    /// All processes; none without /proc.
    fn processes() -> impl Iterator<Item = ProcessStat> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| stat(entry.file_name().to_str()?.parse().ok()?))
    }

    fn stat(pid: i32) -> Option<ProcessStat> {
        let bytes = read_proc_file(pid, "stat").ok()?;
        let text = String::from_utf8_lossy(&bytes);
        // The program name is in brackets and may contain anything.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let (&state, &parent, &start) = (fields.first()?, fields.get(1)?, fields.get(19)?);
        let id = ProcessId { pid, start: start.parse().ok()? };
        Some(ProcessStat { id, parent: parent.parse().ok()?, is_alive: !matches!(state, "Z" | "X") })
    }

    /// Whether the environment of a living process has one of the markers. Processes of other users
    /// are not readable.
    fn is_marked(pid: i32, is_ours: &dyn Fn(&str) -> bool) -> bool {
        let Ok(environment) = read_proc_file(pid, "environ") else { return false };
        let value = environment.split(|&byte| byte == 0).find_map(|entry| {
            let text = std::str::from_utf8(entry).ok()?;
            text.strip_prefix(VARIABLE)?.strip_prefix('=')
        });
        value.is_some_and(|value| value.split(',').any(is_ours))
    }

    /// Reads a file of /proc. These files report no length, so small reads would take many calls.
    fn read_proc_file(pid: i32, name: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(1 << 13);
        File::open(format!("/proc/{pid}/{name}"))?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
