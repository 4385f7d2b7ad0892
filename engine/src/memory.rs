//! How much memory there is.

use sysinfo::System;

/// Memory that programs may still take without anything else suffering, in MiB: what the system reports, or what is left to the container
/// that this program runs in. `None` if the system does not say.
pub(crate) fn available_mebibytes() -> Option<usize> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    let container = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory.saturating_sub(limits.rss));
    let bytes = system.available_memory().min(container);
    (bytes > 0).then(|| usize::try_from(bytes >> 20).unwrap_or(usize::MAX))
}
