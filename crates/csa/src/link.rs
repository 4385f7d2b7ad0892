//! A connection with what is known of its life: when the last lines came and went, and whether a keep-alive is due.

use std::io;
use std::time::{Duration, Instant};

use tracing::{debug, info};

use crate::connection::Connection;
use crate::protocol::{ClientLine, ServerLine};
use crate::summary::RECONNECT_TOKEN;

/// How long a server that echoes empty lines may be silent after one.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection that is kept alive.
pub(crate) struct Link {
    connection: Connection,
    keep_alive: Option<Duration>,
    /// How long the server may be silent after an empty line.
    patience: Duration,
    /// When the first empty line was sent since which nothing has come. Silence without one means nothing: none is sent while the engine
    /// gets ready, however long that takes.
    unanswered: Option<Instant>,
    /// The shortest time from a line to its answer: what longer ones have beside the way is the server's.
    round_trip: Option<Duration>,
    /// Whether the server has ever echoed an empty line. Only then does silence mean anything.
    echoes: bool,
}

impl Link {
    /// `keep_alive` is the time between empty lines.
    pub(crate) fn new(connection: Connection, keep_alive: Option<Duration>) -> Self {
        Self { connection, keep_alive, patience: PATIENCE, unanswered: None, round_trip: None, echoes: false }
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
        // One that was read before the empty line was sent is no answer to it.
        self.unanswered.take_if(|sent| *sent <= at);
        match (line, text.split_once(':')) {
            // One entry: of two in turn none would repeat.
            (ServerLine::Other(text), _) if text.starts_with("##") => info!("the server says: {text}"),
            (_, Some((RECONNECT_TOKEN, _))) => debug!("< {RECONNECT_TOKEN}:*****"),
            _ => debug!("< {text}"),
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
        if let Some(at) = self.connection.last_empty_line() {
            self.echoes = true;
            self.unanswered.take_if(|sent| *sent <= at);
        }
        if self.echoes && self.unanswered.is_some_and(|sent| sent.elapsed() > self.patience) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the server has been silent for too long"));
        }
        if self.connection.last_sent().elapsed() >= interval {
            self.connection.send(&ClientLine::KeepAlive)?;
            // The moment before it was sent: the answer may be read before this is done.
            self.unanswered.get_or_insert(self.connection.last_sent());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::thread::sleep;

    use crossbeam::channel::unbounded;

    use super::*;

    const INTERVAL: Duration = Duration::from_millis(40);

    fn link(patience: Duration) -> (Link, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (sender, _) = unbounded();
        let connection = Connection::open("127.0.0.1", listener.local_addr().unwrap().port(), sender, || true).unwrap();
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

    /// Sends an empty line and looks after the link once more when the server has been silent for so long.
    fn silence_after_an_empty_line(link: &mut Link, silence: Duration) -> io::Result<()> {
        sleep(INTERVAL);
        link.look_after()?;
        sleep(silence);
        link.look_after()
    }

    /// The server sends an empty line, and it is read.
    fn receive_empty(link: &Link, server: &mut TcpStream) {
        let before = Instant::now();
        server.write_all(b"\n").unwrap();
        while link.connection.last_empty_line().is_none_or(|at| at < before) {
            assert!(before.elapsed() < Duration::from_secs(20), "it is never read");
            sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn silence_means_something_only_if_the_server_echoes() {
        let (mut link, mut server) = link(Duration::ZERO);
        silence_after_an_empty_line(&mut link, INTERVAL / 2).unwrap();
        receive_empty(&link, &mut server);
        link.look_after().unwrap();
        let silence = silence_after_an_empty_line(&mut link, INTERVAL / 2);
        assert_eq!(silence.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn silence_means_nothing_as_long_as_no_empty_line_is_unanswered() {
        let (mut link, mut server) = link(INTERVAL);
        receive_empty(&link, &mut server);
        // The engine gets ready.
        sleep(INTERVAL * 5);
        link.look_after().unwrap();
        // Any line is an answer, but one that was read before the empty line was sent.
        link.received(&ServerLine::LoggedOut, "", Instant::now());
        sleep(INTERVAL * 2);
        link.look_after().unwrap();
        link.received(&ServerLine::LoggedOut, "", Instant::now() - INTERVAL);
        sleep(INTERVAL * 2);
        assert_eq!(link.look_after().unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
