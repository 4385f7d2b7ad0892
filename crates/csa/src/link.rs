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
    /// How much longer than a keep-alive the server may be silent.
    patience: Duration,
    last_received: Instant,
    /// The shortest time from a line to its answer: what longer ones have beside the way is the server's.
    round_trip: Option<Duration>,
    /// Whether the server has ever echoed an empty line. Only then does silence mean anything.
    echoes: bool,
}

impl Link {
    /// `keep_alive` is the time between empty lines.
    pub(crate) fn new(connection: Connection, keep_alive: Option<Duration>) -> Self {
        let (patience, last_received) = (PATIENCE, Instant::now());
        Self { connection, keep_alive, patience, last_received, round_trip: None, echoes: false }
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

    /// So long after a line its answer has come.
    pub(crate) fn measured(&mut self, time: Duration) {
        self.round_trip = Some(self.round_trip.map_or(time, |shortest| shortest.min(time)));
    }

    /// How long the way to the server and back is; nothing until it was measured.
    pub(crate) fn round_trip(&self) -> Duration {
        self.round_trip.unwrap_or_default()
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
        if self.echoes && self.last_received.elapsed() > interval + self.patience {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the server has been silent for too long"));
        }
        if self.connection.last_sent().elapsed() >= interval {
            self.connection.send(&ClientLine::KeepAlive)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::{TcpListener, TcpStream};
    use std::thread::sleep;

    use crossbeam::channel::unbounded;

    use super::*;

    const INTERVAL: Duration = Duration::from_millis(40);

    fn link(patience: Duration) -> (Link, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (sender, _) = unbounded();
        let connection = Connection::open("127.0.0.1", listener.local_addr().unwrap().port(), sender).unwrap();
        let link = Link { patience, ..Link::new(connection, Some(INTERVAL)) };
        (link, listener.accept().unwrap().0)
    }

    #[test]
    fn an_empty_line_is_sent_when_nothing_else_was() {
        let (mut link, mut server) = link(PATIENCE);
        link.look_after().unwrap();
        link.send(&ClientLine::Resign).unwrap();
        sleep(INTERVAL);
        assert!(link.next_look().unwrap() <= Instant::now());
        for _ in 0..3 {
            link.look_after().unwrap();
        }
        drop(link);
        let mut text = String::new();
        server.read_to_string(&mut text).unwrap();
        assert_eq!(text, "%TORYO\n\n");
    }

    #[test]
    fn silence_means_something_only_if_the_server_echoes() {
        let (mut link, _server) = link(Duration::ZERO);
        sleep(INTERVAL + Duration::from_millis(5));
        link.look_after().unwrap();
        link.received(&ServerLine::KeepAlive, "", Instant::now());
        link.look_after().unwrap();
        sleep(INTERVAL + Duration::from_millis(5));
        assert_eq!(link.look_after().unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
