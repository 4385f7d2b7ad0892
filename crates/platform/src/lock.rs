//! Locks of files, which tell whether another process works there.

use std::fs::{File, TryLockError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest wait for a lock, and the time between two attempts.
const PATIENCE: Duration = Duration::from_secs(3);
const TRY_EVERY: Duration = Duration::from_millis(20);

/// Locks a file, and returns whether no other process holds its lock. Waits for it a little, and for
/// a killed process until it has ended: at idle priority that may take minutes. Where the system
/// cannot lock the file, the answer is true without a lock.
pub fn lock_file(file: &File) -> bool {
    let start = Instant::now();
    while let Err(TryLockError::WouldBlock) = file.try_lock() {
        if start.elapsed() >= PATIENCE && !holder::of(file).is_some_and(holder::is_ending) {
            return false;
        }
        sleep(TRY_EVERY);
    }
    true
}

#[cfg(target_os = "linux")]
mod holder {
    use std::fs::{File, read_to_string};
    use std::os::unix::fs::MetadataExt as _;

    /// SIGKILL in a mask of signals (signal(7)).
    const KILL: u64 = 1 << 8;
    /// The kernel's flag of a process that ends (PF_EXITING of its sched.h).
    const EXITING: u64 = 4;

    /// The process that holds the lock of a file.
    pub(super) fn of(file: &File) -> Option<u32> {
        let inode = file.metadata().ok()?.ino().to_string();
        let locks = read_to_string("/proc/locks").ok()?;
        // A waiting process has an arrow in its line.
        let mut held = locks.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let held = held.find(|words| words.get(5).and_then(|place| place.rsplit(':').next()) == Some(&inode))?;
        held[4].parse().ok()
    }

    /// Whether a process was killed and has not ended yet.
    pub(super) fn is_ending(process: u32) -> bool {
        let read = |name: &str| read_to_string(format!("/proc/{process}/{name}")).unwrap_or_default();
        let status = read("status");
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let is_killed =
            field("SigPnd:").and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & KILL != 0);
        // The name of the program may have spaces; six words follow it up to the flags.
        let stat = read("stat");
        let flags = stat
            .rsplit(')')
            .next()
            .and_then(|rest| rest.split_whitespace().nth(6))
            .and_then(|flags| flags.parse::<u64>().ok());
        is_killed || flags.is_some_and(|flags| flags & EXITING != 0)
    }

    #[cfg(test)]
    mod tests {
        use std::process::Command;
        use std::time::{Duration, Instant};

        use super::*;

        #[test]
        fn a_killed_process_is_ending_and_another_is_not() {
            let mut child = Command::new("sleep").arg("60").spawn().unwrap();
            assert!(!is_ending(child.id()));
            child.kill().unwrap();
            // It stays a zombie until somebody waits for it.
            let killed = Instant::now();
            while !is_ending(child.id()) {
                assert!(killed.elapsed() < Duration::from_secs(20));
                std::thread::sleep(Duration::from_millis(5));
            }
            child.wait().unwrap();
            assert!(!is_ending(child.id()));
        }

        #[test]
        fn the_holder_of_a_lock_is_found() {
            let file = tempfile::tempfile().unwrap();
            assert_eq!(of(&file), None);
            file.lock().unwrap();
            assert_eq!(of(&file), Some(std::process::id()));
        }
    }
}

/// Other systems do not tell who holds a lock.
#[cfg(not(target_os = "linux"))]
mod holder {
    pub(super) fn of(_: &std::fs::File) -> Option<u32> {
        None
    }

    pub(super) fn is_ending(_: u32) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_waited_for_until_its_holder_ends() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let held = File::open(path.path()).unwrap();
        assert!(lock_file(&held));
        let holder = std::thread::spawn(move || {
            sleep(Duration::from_millis(200));
            drop(held);
        });
        assert!(lock_file(&File::open(path.path()).unwrap()));
        holder.join().unwrap();
    }
}
