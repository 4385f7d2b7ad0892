//! The program `kiki-csa` against a server that follows section by section what servers say, and takes nothing that they would not
//! expect. Each test is named by the promise that it keeps.

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
