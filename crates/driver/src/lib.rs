//! Runs a USI engine as a child process.
//!
//! Real engines crash, hang, flood their output, print debug text that looks like an answer, answer
//! twice, and stay after `quit`. None of this may harm the program that runs them:
//!
//! - Every wait has an end, and each engine takes at most some megabytes of memory, whatever it
//!   prints.
//! - The end of a process is noticed even if others hold its pipes.
//! - All processes that an engine has started die with its [`UsiEngine`], on Linux also those
//!   outside its process group.
//! - Every [`EngineError`] carries the last lines of the engine's output.
//!
//! ```no_run
//! use std::time::{Duration, Instant};
//!
//! use kiki_driver::{CancellationToken, UsiEngine, Program, Timeouts};
//! use kiki_usi::{GoSpec, PositionSpec};
//!
//! let program = Program::from_words(["target/release/kiki"])?;
//! let mut engine = UsiEngine::start(&program, Timeouts::default(), &CancellationToken::never(), None)?;
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

#![warn(missing_docs)]

mod answers;
mod cancellation;
mod descendants;
mod engine;
mod error;
mod process;
mod program;
mod reader;

pub use cancellation::{CancellationSource, CancellationToken};
pub use descendants::{kill_started_by, run_marker};
pub use engine::{AnswerOr, EngineAnswer, EngineIdentity, EngineSpec, QuitOutcome, Timeouts, UsiEngine};
pub use error::{EngineError, SetOptionError, StartError};
pub use process::{Process, RawStreams, describe};
pub use program::{Program, ProgramError, split_words};
pub use reader::{LineDirection, LineLogger, read_lines};
