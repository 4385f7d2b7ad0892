//! Gives simultaneous games their own CPUs.
//!
//! Processes and threads inherit the CPUs of the thread that starts them. So each worker thread is
//! bound, and no code has to run between the start of a process and its program.

/// Why CPUs cannot be divided, or a thread cannot be bound to them.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AffinityError(String);

pub(crate) use system::bind;
pub use system::shares;

#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    use crate::affinity::AffinityError;

    /// Divides the CPUs of this process into equal shares, one per worker; the rest stay idle. CPUs
    /// of one core go to one share where possible.
    pub fn shares(workers: usize) -> Result<Vec<Vec<usize>>, AffinityError> {
        let allowed = sched_getaffinity(None);
        let allowed = allowed.map_err(|error| AffinityError(format!("the CPUs of this process: {error}")))?;
        let mut cpus: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu)).collect();
        if !(1..=cpus.len()).contains(&workers) {
            return Err(AffinityError(format!("there are {} CPUs for {workers} games at a time", cpus.len())));
        }
        cpus.sort_by_key(|&cpu| (topology(cpu, "physical_package_id"), topology(cpu, "core_id"), cpu));
        Ok(cpus.chunks(cpus.len() / workers).take(workers).map(<[usize]>::to_vec).collect())
    }

    /// A number from the kernel's topology of a CPU; 0 if missing, so that CPUs sort by number.
    fn topology(cpu: usize, what: &str) -> u64 {
        let text = fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/topology/{what}"));
        text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    /// Binds this thread, and the processes that it starts, to CPUs.
    pub(crate) fn bind(cpus: &[usize]) -> Result<(), AffinityError> {
        let mut set = CpuSet::new();
        cpus.iter().for_each(|&cpu| set.set(cpu));
        sched_setaffinity(None, &set).map_err(|error| AffinityError(format!("CPUs {cpus:?}: {error}")))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use crate::affinity::AffinityError;

    pub fn shares(_workers: usize) -> Result<Vec<Vec<usize>>, AffinityError> {
        Err(AffinityError("it works on Linux only".to_owned()))
    }

    pub(crate) fn bind(_cpus: &[usize]) -> Result<(), AffinityError> {
        Err(AffinityError("it works on Linux only".to_owned()))
    }
}
