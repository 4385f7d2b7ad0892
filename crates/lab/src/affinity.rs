//! CPUs of their own for the games that are played at the same time.
//!
//! A thread that is bound to some CPUs hands that down to the processes that it starts and to all their threads, before they do anything. So
//! it is the worker that is bound, and nothing has to run between the start of a process and its program.

use anyhow::Result;

/// The CPUs of each of so many workers: the CPUs that this process may use, in equal shares; what is left over stays idle. CPUs that share a
/// core stand together.
///
/// # Errors
/// Fewer CPUs than workers, or a system other than Linux.
pub(crate) fn shares(workers: usize) -> Result<Vec<Vec<usize>>> {
    system::shares(workers)
}

/// Binds this thread, and what it will start, to CPUs.
///
/// # Errors
/// The system refuses.
pub(crate) fn bind(cpus: &[usize]) -> Result<()> {
    system::bind(cpus)
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    use anyhow::{Context as _, Result, ensure};
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    pub(super) fn shares(workers: usize) -> Result<Vec<Vec<usize>>> {
        let allowed = sched_getaffinity(None).context("--affinity: the CPUs of this process")?;
        let mut cpus: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu)).collect();
        ensure!(
            (1..=cpus.len()).contains(&workers),
            "--affinity: there are {} CPUs for {workers} games at a time",
            cpus.len()
        );
        cpus.sort_by_key(|&cpu| (topology(cpu, "physical_package_id"), topology(cpu, "core_id"), cpu));
        Ok(cpus.chunks(cpus.len() / workers).take(workers).map(<[usize]>::to_vec).collect())
    }

    /// A number that the kernel tells of a CPU; 0 where it tells nothing, which leaves the order of the CPUs' own numbers.
    fn topology(cpu: usize, what: &str) -> u64 {
        let text = fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/topology/{what}"));
        text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    pub(super) fn bind(cpus: &[usize]) -> Result<()> {
        let mut set = CpuSet::new();
        cpus.iter().for_each(|&cpu| set.set(cpu));
        sched_setaffinity(None, &set).with_context(|| format!("--affinity: CPUs {cpus:?}"))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use anyhow::{Result, bail};

    pub(super) fn shares(_workers: usize) -> Result<Vec<Vec<usize>>> {
        bail!("--affinity works on Linux only")
    }

    pub(super) fn bind(_cpus: &[usize]) -> Result<()> {
        bail!("--affinity works on Linux only")
    }
}
