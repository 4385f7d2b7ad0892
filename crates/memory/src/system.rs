//! How much memory there is.

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// The memory of the machine, in MiB.
#[derive(Clone, Copy, Debug)]
pub struct SystemMemory {
    /// What programs may still take without anything else suffering, as the system reports it, or what is left to the container that this program
    /// runs in.
    pub available: usize,
    /// What this program has already.
    pub own: usize,
}

impl SystemMemory {
    /// How much there is at this moment. `None` if the system does not say.
    #[must_use]
    pub fn now() -> Option<Self> {
        let mut system = System::new().ok()?;
        system.refresh_memory();
        let container =
            system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory.saturating_sub(limits.rss));
        let available = system.available_memory().min(container);
        let process = Pid::from_u32(std::process::id());
        let memory = ProcessRefreshKind::nothing().with_memory();
        let _ = system.refresh_processes_specifics(ProcessesToUpdate::Some(&[process]), false, memory);
        let own = system.process(process).map_or(0, |process| process.memory());
        let [available, own] = [available, own].map(|bytes| usize::try_from(bytes >> 20).unwrap_or(usize::MAX));
        // Nothing at all may be left, but a system that says anything has memory.
        (system.total_memory() > 0).then_some(Self { available, own })
    }

    /// What this program may take for something that replaces all that it has.
    #[must_use]
    pub fn usable(self) -> usize {
        self.available.saturating_add(self.own)
    }
}

/// What may be taken of so much memory: a system without any memory left ends programs.
#[must_use]
pub fn all_but_some(mebibytes: usize) -> usize {
    mebibytes - mebibytes / 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_says_how_much_there_is() {
        let memory = SystemMemory::now().expect("this system says");
        assert!(memory.available > 100 && memory.own > 0 && memory.usable() > memory.available, "{memory:?}");
        assert_eq!(all_but_some(1600), 1500);
    }
}
