//! A USI engine as a child process, driven from outside.
//!
//! Real engines crash, hang, flood their output, print debug text that looks like an answer, answer twice and stay after `quit`. None of
//! this may harm the program that drives them: every wait has an end, memory is bounded whatever they print, the end of a process is seen
//! whoever holds its pipes, all that an engine has started dies with its [`Engine`] (on Linux also what has left its process group), and
//! every [`Failure`] carries the last lines that the engine said.
//!
//! ```no_run
//! use std::time::{Duration, Instant};
//!
//! use kiki_driver::{Cancel, Engine, Program, Timeouts};
//! use kiki_usi::{GoSpec, PositionSpec};
//!
//! let program = Program::from_words(["target/release/kiki"])?;
//! let mut engine = Engine::start(&program, Timeouts::default(), &Cancel::never())?;
//! engine.set_option("Threads", "1")?;
//! engine.ready()?;
//! engine.new_game()?;
//! let go = GoSpec { nodes: Some(10_000), ..GoSpec::default() };
//! engine.go(&PositionSpec::startpos(), &go)?;
//! let answer = engine.answer(Some(Instant::now() + Duration::from_secs(10)))?;
//! println!("{} after {:?}", answer.best, answer.elapsed);
//! engine.quit();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cancel;
mod descendants;
mod engine;
mod failure;
mod log;
mod process;
mod program;
mod reader;
mod tail;

pub use cancel::{Cancel, Canceller};
pub use descendants::{kill_started_by, run_marker};
pub use engine::{Answer, Departure, Engine, Identity, Timeouts};
pub use failure::{Failure, OptionRefusal};
pub use log::{Direction, LineLog};
pub use program::{Program, ProgramError};
