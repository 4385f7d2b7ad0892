//! The program `kiki-csa` against a strict server. Each test is named after the promise that it
//! checks.

mod failing;
#[cfg(target_os = "linux")]
mod flooding;
#[cfg(unix)]
mod leaving;
mod playing;
mod program;
mod reconnecting;
mod rejoining;
mod test_server;
