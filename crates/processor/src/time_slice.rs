//! How soon a thread that was waiting gets a processor where all of them are busy.

/// The length that is asked for, in nanoseconds: the least that Linux grants.
#[cfg(target_os = "linux")]
const SHORTEST: u64 = 100_000;

/// Asks for short time slices for this thread, not for those that it starts. From 6.12 on, the scheduler of Linux (EEVDF) lets a thread that is woken
/// preempt one with longer slices, so one that mostly waits has a processor at once instead of at the next tick of the scheduler (4 ms, where
/// there are 250 a second). Its share of the processors stays the same. Older kernels ignore it.
///
/// Nothing is asked for where the thread has a priority that only an administrator can give: the threads that it starts would not have it.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "system calls that have no safe form")]
pub fn prefer_short_time_slices() {
    let Some(mut attributes) = attributes() else { return };
    if attributes.sched_policy != libc::SCHED_OTHER.cast_unsigned() || attributes.sched_nice < 0 {
        return;
    }
    attributes.sched_flags |= u64::from(libc::SCHED_FLAG_RESET_ON_FORK.cast_unsigned());
    attributes.sched_runtime = SHORTEST;
    // SAFETY: the call reads as many bytes as the structure says that it has, and changes how this thread is scheduled, nothing else. A refusal
    // leaves everything as it was.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}

/// How this thread is scheduled.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "system calls that have no safe form")]
fn attributes() -> Option<libc::sched_attr> {
    const SIZE: u32 = size_of::<libc::sched_attr>() as u32;
    let mut attributes = libc::sched_attr {
        size: SIZE,
        sched_policy: 0,
        sched_flags: 0,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: 0,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the call writes at most the size that it is given, which is that of the structure; any bytes are a value of its whole numbers.
    let outcome = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, SIZE, 0) };
    (outcome == 0).then_some(attributes)
}

/// Other systems decide for themselves.
#[cfg(not(target_os = "linux"))]
pub fn prefer_short_time_slices() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_gets_short_slices_and_those_that_it_starts_do_not() {
        let before = attributes().unwrap().sched_runtime;
        std::thread::spawn(move || {
            prefer_short_time_slices();
            let own = attributes().unwrap();
            // Before 6.12 Linux knows no slices of threads.
            assert!(own.sched_runtime == SHORTEST || own.sched_runtime == 0, "{}", own.sched_runtime);
            let started = std::thread::spawn(|| attributes().unwrap()).join().unwrap();
            assert_eq!((started.sched_runtime, started.sched_nice), (before, own.sched_nice));
        })
        .join()
        .unwrap();
        assert_eq!(attributes().unwrap().sched_runtime, before);
    }
}
