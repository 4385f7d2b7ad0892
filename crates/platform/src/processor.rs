//! The processor: whether it has the instructions of this build, and how soon it serves a waiting
//! thread.
//!
//! A program that meets an instruction unknown to its processor is killed without a message.
//! [`is_sufficient`] says instead what is missing. `is_x86_feature_detected!` does not serve: it
//! assumes the features that the program is compiled for. Until the answer is known, no code may
//! use the instructions in question, and no attribute enforces that. So the check uses whole
//! numbers, one bit after the other, without formatting. A program's `main` calls it first and does
//! the rest in a function that is not inlined. `.ci/interop` starts the programs on an emulated
//! processor that is too old.

use std::io::Write;

/// Whether this program runs on this processor. If not, one line to `output` says what is missing.
#[inline(never)]
pub fn is_sufficient(program: &str, output: &mut dyn Write) -> bool {
    let Some(feature) = missing_feature() else { return true };
    // Without formatting, which is compiled for the newer processor too.
    for text in [program, ": this program was built for a newer processor: this one lacks ", feature, "\n"] {
        let _ = output.write_all(text.as_bytes());
    }
    false
}

/// The name of a feature that this program was compiled for and the processor lacks; `None` where
/// it can run.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn missing_feature() -> Option<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    let greatest = __cpuid(0).eax;
    let features = __cpuid(1).ecx;
    let extended = if greatest >= 7 { __cpuid_count(7, 0).ebx } else { 0 };
    let amd = if __cpuid(0x8000_0000).eax >= 0x8000_0001 { __cpuid(0x8000_0001).ecx } else { 0 };
    // The features of x86-64-v2, v3 and v4 that compilers use.
    missing(cfg!(target_feature = "ssse3"), features, 9, "SSSE3")
        .or(missing(cfg!(target_feature = "sse4.1"), features, 19, "SSE4.1"))
        .or(missing(cfg!(target_feature = "sse4.2"), features, 20, "SSE4.2"))
        .or(missing(cfg!(target_feature = "popcnt"), features, 23, "POPCNT"))
        .or(missing(cfg!(target_feature = "avx"), features, 28, "AVX"))
        .or(missing(cfg!(target_feature = "fma"), features, 12, "FMA"))
        .or(missing(cfg!(target_feature = "movbe"), features, 22, "MOVBE"))
        .or(missing(cfg!(target_feature = "lzcnt"), amd, 5, "LZCNT"))
        .or(missing(cfg!(target_feature = "bmi1"), extended, 3, "BMI1"))
        .or(missing(cfg!(target_feature = "avx2"), extended, 5, "AVX2"))
        .or(missing(cfg!(target_feature = "bmi2"), extended, 8, "BMI2"))
        .or(missing(cfg!(target_feature = "avx512f"), extended, 16, "AVX-512F"))
        .or(missing(cfg!(target_feature = "avx512dq"), extended, 17, "AVX-512DQ"))
        .or(missing(cfg!(target_feature = "avx512cd"), extended, 28, "AVX-512CD"))
        .or(missing(cfg!(target_feature = "avx512bw"), extended, 30, "AVX-512BW"))
        .or(missing(cfg!(target_feature = "avx512vl"), extended, 31, "AVX-512VL"))
}

/// Other processors have no levels that a release may have been built for.
#[cfg(not(target_arch = "x86_64"))]
fn missing_feature() -> Option<&'static str> {
    None
}

/// The name, if the feature is needed and its bit is not set.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn missing(is_needed: bool, features: u32, bit: u32, name: &'static str) -> Option<&'static str> {
    // Keeps the compiler from testing several bits together, in a vector.
    let is_present = std::hint::black_box(features) & (1 << bit) != 0;
    if is_needed && !is_present { Some(name) } else { None }
}

/// The time slice requested, in nanoseconds: the least that Linux grants.
#[cfg(target_os = "linux")]
const SHORTEST: u64 = 100_000;

/// Asks for short time slices for this thread, but not for threads that it starts.
///
/// From Linux 6.12 on, the scheduler (EEVDF) lets a woken thread preempt one with longer slices. A
/// thread that mostly waits then gets a processor at once instead of at the next tick (every 4 ms
/// at 250 Hz). Its share of the processors stays the same. Older kernels ignore the request.
///
/// A thread with a priority that only an administrator can give keeps its settings: its children
/// would lose that priority.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "system calls that have no safe form")]
pub fn prefer_short_time_slices() {
    let Some(mut attributes) = attributes() else { return };
    if attributes.sched_policy != libc::SCHED_OTHER.cast_unsigned() || attributes.sched_nice < 0 {
        return;
    }
    attributes.sched_flags |= u64::from(libc::SCHED_FLAG_RESET_ON_FORK.cast_unsigned());
    attributes.sched_runtime = SHORTEST;
    // SAFETY: the call reads `size` bytes of the structure, and changes only how this thread is
    // scheduled. A refusal leaves everything as it was.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}

/// Gives this thread, and those that it starts, only time that no other program wants.
///
/// On Linux this is the policy `SCHED_IDLE`. With autogroups it counts only among the programs of
/// one session. So a process that leads its session, as after `setsid`, gives the session the
/// lowest priority too.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "system calls that have no safe form")]
pub fn give_way() {
    if leads_session() {
        // Systems without autogroups have no such file.
        let _ = std::fs::write("/proc/self/autogroup", "19");
    }
    let Some(mut attributes) = attributes() else { return };
    attributes.sched_policy = libc::SCHED_IDLE.cast_unsigned();
    attributes.sched_nice = 19;
    // SAFETY: as above.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}

/// Whether this process leads its session. Then no shell that others use belongs to the session.
#[cfg(target_os = "linux")]
fn leads_session() -> bool {
    // `PID (NAME) STATE PARENT GROUP SESSION ..`, and the name may have any characters.
    let session = std::fs::read_to_string("/proc/self/stat").ok().and_then(|text| {
        let (_, fields) = text.rsplit_once(") ")?;
        fields.split(' ').nth(3)?.parse().ok()
    });
    session == Some(std::process::id())
}

/// Does nothing on other systems.
#[cfg(not(target_os = "linux"))]
pub fn give_way() {}

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
    // SAFETY: the call writes at most `SIZE` bytes, the size of the structure, whose fields are
    // whole numbers: any bytes are valid.
    let outcome = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, SIZE, 0) };
    (outcome == 0).then_some(attributes)
}

/// Does nothing on other systems.
#[cfg(not(target_os = "linux"))]
pub fn prefer_short_time_slices() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_that_runs_the_tests_is_sufficient() {
        let mut said = Vec::new();
        assert!(is_sufficient("program", &mut said) && said.is_empty());
        assert_eq!(missing_feature(), None);
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_feature_is_missing_only_where_it_is_needed() {
        assert_eq!(missing(true, 0b0101, 1, "X"), Some("X"));
        assert_eq!(missing(true, 0b0101, 2, "X"), None);
        assert_eq!(missing(false, 0, 1, "X"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_that_gives_way_is_idle_and_so_are_those_that_it_starts() {
        let policy = || attributes().map(|attributes| attributes.sched_policy);
        let idle = Some(libc::SCHED_IDLE.cast_unsigned());
        let of_child = std::thread::spawn(move || {
            give_way();
            assert_eq!(policy(), idle);
            std::thread::spawn(policy).join().unwrap()
        });
        assert_eq!(of_child.join().unwrap(), idle);
        assert_ne!(policy(), idle, "other threads are as before");
    }

    #[cfg(target_os = "linux")]
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
