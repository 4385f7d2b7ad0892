//! A connection with what is known of its life: when the last lines came and went, and whether a keep-alive is due.

use std::io;
use std::time::{Duration, Instant};

use tracing::{debug, info};

use crate::connection::Connection;
use crate::protocol::{ClientLine, ServerLine};

/// How much longer than a keep-alive a server that echoes them may be silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection that is kept alive.
pub(crate) struct Link {
    connection: Connection,
    keep_alive: Option<Duration>,
    last_received: Instant,
    /// Whether the server has ever echoed an empty line. Only then does silence mean anything.
    echoes: bool,
}

impl Link {
    /// `keep_alive` is the time between empty lines.
    pub(crate) fn new(connection: Connection, keep_alive: Option<Duration>) -> Self {
        Self { connection, keep_alive, last_received: Instant::now(), echoes: false }
    }

    /// Its number, as its events have it.
    pub(crate) fn id(&self) -> u64 {
        self.connection.id()
    }

    /// Sends a line and logs it.
    pub(crate) fn send(&mut self, line: &ClientLine) -> io::Result<()> {
        debug!("> {line}");
        self.connection.send(line)
    }

    /// A line has come.
    pub(crate) fn received(&mut self, line: &ServerLine, text: &str, at: Instant) {
        self.last_received = at;
        if *line == ServerLine::KeepAlive {
            self.echoes = true;
        } else {
            debug!("< {text}");
        }
        if let ServerLine::Other(text) = line
            && text.starts_with("##")
        {
            info!("the server says: {text}");
        }
    }

    /// When to look after it next.
    pub(crate) fn next_look(&self) -> Option<Instant> {
        self.keep_alive.map(|interval| self.connection.last_sent() + interval)
    }

    /// Sends what keeps it alive, if it is time.
    ///
    /// # Errors
    /// It is lost, or a server that should have answered has been silent for long.
    pub(crate) fn look_after(&mut self) -> io::Result<()> {
        let Some(interval) = self.keep_alive else { return Ok(()) };
        if self.echoes && self.last_received.elapsed() > interval + PATIENCE {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the server has been silent for too long"));
        }
        if self.connection.last_sent().elapsed() >= interval {
            self.connection.send(&ClientLine::KeepAlive)?;
        }
        Ok(())
    }
}
