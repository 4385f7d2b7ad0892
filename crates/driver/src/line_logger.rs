//! The callback that receives every line between this program and an engine.

use std::sync::Arc;

/// Which stream a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineDirection {
    /// Sent to the engine.
    ToEngine,
    /// From its standard output.
    FromEngine,
    /// From its standard error.
    StandardError,
}

/// Receives every line, without its line break, when it is sent or read. It is called from several threads and must not block: while it
/// runs, nothing more of the engine's output is read.
pub type LineLogger = Arc<dyn Fn(LineDirection, &[u8]) + Send + Sync>;
