//! Gives simultaneous games their own CPUs.
//!
//! Processes and threads inherit the CPUs of the thread that starts them. So each worker thread is
//! bound, and no code has to run between the start of a process and its program.

use std::io;

#[derive(Debug, thiserror::Error)]
pub enum AffinityError {
    /// Also if `workers` is 0.
    #[error("there are {cpus} CPUs for {workers} games at a time")]
    TooFewCpus {
        /// CPUs that this process may use.
        cpus: usize,
        workers: usize,
    },
    #[error("{what}: {error}")]
    System {
        /// The operation that failed.
        what: String,
        error: io::Error,
    },
    #[error("it works on Linux only")]
    Unsupported,
}

/// Divides the CPUs of this process into equal shares, one per worker; the rest stay idle. CPUs of
/// one core go to one share where possible.
pub fn shares(workers: usize) -> Result<Vec<Vec<usize>>, AffinityError> {
    system::shares(workers)
}

/// Binds this thread, and the processes that it starts, to CPUs.
pub(crate) fn bind(cpus: &[usize]) -> Result<(), AffinityError> {
    system::bind(cpus)
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    use rustix::io::Errno;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    use crate::affinity::AffinityError;

    fn error(what: String, error: Errno) -> AffinityError {
        AffinityError::System { what, error: error.into() }
    }

    pub(super) fn shares(workers: usize) -> Result<Vec<Vec<usize>>, AffinityError> {
        let allowed = sched_getaffinity(None).map_err(|errno| error("the CPUs of this process".to_owned(), errno))?;
        let mut cpus: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu)).collect();
        if !(1..=cpus.len()).contains(&workers) {
            return Err(AffinityError::TooFewCpus { cpus: cpus.len(), workers });
        }
        cpus.sort_by_key(|&cpu| (topology(cpu, "physical_package_id"), topology(cpu, "core_id"), cpu));
        Ok(cpus.chunks(cpus.len() / workers).take(workers).map(<[usize]>::to_vec).collect())
    }

    /// A number from the kernel's topology of a CPU; 0 if missing, so that CPUs sort by number.
    fn topology(cpu: usize, what: &str) -> u64 {
        let text = fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/topology/{what}"));
        text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    pub(super) fn bind(cpus: &[usize]) -> Result<(), AffinityError> {
        let mut set = CpuSet::new();
        cpus.iter().for_each(|&cpu| set.set(cpu));
        sched_setaffinity(None, &set).map_err(|errno| error(format!("CPUs {cpus:?}"), errno))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use crate::affinity::AffinityError;

    pub(super) fn shares(_workers: usize) -> Result<Vec<Vec<usize>>, AffinityError> {
        Err(AffinityError::Unsupported)
    }

    pub(super) fn bind(_cpus: &[usize]) -> Result<(), AffinityError> {
        Err(AffinityError::Unsupported)
    }
}
