//! Requests to end: Ctrl-C, and signals.

use std::io;

/// Calls a function, on a thread of its own, at each Ctrl-C and each request to terminate (SIGTERM;
/// on Windows closing the console). On Unix the end of the terminal (SIGHUP) counts too, but not in
/// a program that `nohup` started. Two signals at the same time may count as one. To be called once
/// in a process.
#[cfg(unix)]
pub fn on_interruption(mut handler: impl FnMut() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let hangup = (!ignores(SIGHUP)).then_some(SIGHUP);
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup))?;
    let name = "signals".to_owned();
    std::thread::Builder::new().name(name).spawn(move || signals.forever().for_each(|_| handler()))?;
    Ok(())
}

#[cfg(windows)]
pub fn on_interruption(handler: impl FnMut() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(handler).map_err(io::Error::other)
}

/// Whether this program was told to ignore a signal when it started. Only Linux answers without
/// `unsafe` code; elsewhere the answer is no.
#[cfg(unix)]
fn ignores(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
