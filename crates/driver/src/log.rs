//! Who wants to hear all that is said.

use std::sync::Arc;

/// Which way a line went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// To the engine.
    Told,
    /// From its standard output.
    Said,
    /// From its standard error.
    Error,
}

/// Hears every line, without its line break, at the moment it is sent or read. It is called from several threads and must not block: as
/// long as it takes, the engine is not heard.
pub type LineLog = Arc<dyn Fn(Direction, &[u8]) + Send + Sync>;
