//! Checks that an engine keeps to USI: every rule that GUIs and tools rely on is a case, a scripted
//! conversation with a real process.
//!
//! An engine that fails, crashes, hangs or floods ends its case and nothing else: every wait has an
//! end, memory is bounded, and all that the engine has started dies with its case. Legality is
//! decided by the board of `kiki_board`.
//!
//! ```no_run
//! use kiki_conformance::{CheckSettings, EngineUnderTest, cases, check};
//! use kiki_driver::{CancellationToken, Program};
//!
//! let program = Program::from_words(["target/release/kiki"])?;
//! let engine = EngineUnderTest { program, options: vec![("Threads".to_owned(), "1".to_owned())] };
//! let report = check(&engine, &cases(), &CheckSettings::default(), &CancellationToken::never(), &mut |_| {});
//! assert!(report.passes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cases;
mod check;
pub mod command;
mod context;
mod output_lines;
mod pipes;
mod placement;
mod session;
mod settings;

pub use cases::cases;
pub use check::{Case, CaseResult, CheckReport, Severity, check, check_at_once};
pub use settings::{CheckSettings, EngineUnderTest, Failure, Verdict};
