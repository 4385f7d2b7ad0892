//! The connection to a server: lines come as events of a channel, read by a thread of its own, so that no line is ever missed.

use std::io::{self, Read, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::Sender;
use kiki_processor::prefer_short_time_slices;

use crate::protocol::ClientLine;

/// How long to wait for an address to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a line may wait to be sent: a server that does not read is as good as gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// Longest part of a line that is kept, in bytes.
const LONGEST_LINE: usize = 1 << 16;

/// What happens outside of the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Something of a connection.
    Connection {
        /// Which one: events of an earlier one may come late.
        id: u64,
        /// What.
        event: ConnectionEvent,
    },
    /// The user wants to stop. The first time the current game is still played to its end.
    Interrupt,
}

/// What happens on a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConnectionEvent {
    /// A line, without its line break, and when it was read.
    Line(Instant, Vec<u8>),
    /// The end, and why. No line comes after it.
    Closed(String),
}

/// A connection. Dropping it closes it.
pub struct Connection {
    stream: TcpStream,
    id: u64,
    last_sent: Instant,
}

impl Connection {
    /// Connects and begins to read.
    ///
    /// # Errors
    /// No address of the host answers.
    pub fn open(host: &str, port: u16, events: Sender<Event>) -> io::Result<Self> {
        static OPENED: AtomicU64 = AtomicU64::new(1);
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for address in (host, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
                    let (id, reader) = (OPENED.fetch_add(1, Ordering::Relaxed), stream.try_clone()?);
                    thread::spawn(move || {
                        prefer_short_time_slices();
                        read_lines(reader, id, &events);
                    });
                    return Ok(Self { stream, id, last_sent: Instant::now() });
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Its number, as its events have it.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// When the last line was sent.
    #[must_use]
    pub fn last_sent(&self) -> Instant {
        self.last_sent
    }

    /// Sends a line.
    ///
    /// # Errors
    /// The connection is lost, or the server has not read for long.
    pub fn send(&mut self, line: &ClientLine) -> io::Result<()> {
        self.last_sent = Instant::now();
        self.stream.write_all(line.wire().as_bytes())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Ends the reader as well. An error means that it is closed already.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Sends every line as an event until the end. A line may come in any number of pieces.
fn read_lines(mut stream: impl Read, id: u64, events: &Sender<Event>) {
    let send = |event| events.send(Event::Connection { id, event }).is_ok();
    let mut buffer = [0; 4096];
    let mut line = Vec::new();
    let reason = loop {
        match stream.read(&mut buffer) {
            Ok(0) => break "the server has closed it".to_owned(),
            Ok(count) => {
                let at = Instant::now();
                for &byte in buffer.iter().take(count) {
                    if byte == b'\n' {
                        let whole = std::mem::take(&mut line);
                        if !send(ConnectionEvent::Line(at, whole.trim_ascii_end().to_owned())) {
                            return;
                        }
                    } else if line.len() < LONGEST_LINE {
                        line.push(byte);
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break error.to_string(),
        }
    };
    send(ConnectionEvent::Closed(reason));
}

#[cfg(test)]
mod tests {
    use crossbeam::channel::unbounded;

    use super::*;

    /// Gives its pieces one by one.
    struct Pieces(Vec<Vec<u8>>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(&piece);
            Ok(piece.len())
        }
    }

    fn events_of(pieces: &[&[u8]]) -> Vec<String> {
        let (sender, received) = unbounded();
        read_lines(Pieces(pieces.iter().map(|piece| piece.to_vec()).collect()), 7, &sender);
        drop(sender);
        let text = |event| match event {
            Event::Connection { id: 7, event: ConnectionEvent::Line(_, line) } => String::from_utf8(line).unwrap(),
            other => format!("{other:?}"),
        };
        received.iter().map(text).collect()
    }

    const CLOSED: &str = "Connection { id: 7, event: Closed(\"the server has closed it\") }";

    #[test]
    fn lines_may_come_in_pieces_or_together() {
        assert_eq!(
            events_of(&[b"LOG", b"IN:a O", b"K\n\n+77", b"76FU,T1\r\n"]),
            ["LOGIN:a OK", "", "+7776FU,T1", CLOSED]
        );
        assert_eq!(events_of(&[b"#RESIGN\n#WIN\n"]), ["#RESIGN", "#WIN", CLOSED]);
    }

    #[test]
    fn half_a_line_at_the_end_is_none() {
        assert_eq!(events_of(&[b"+7776F"]), [CLOSED]);
    }

    #[test]
    fn a_line_without_end_takes_bounded_memory() {
        let flood = vec![b'x'; 4000];
        let mut pieces: Vec<&[u8]> = vec![&flood; 100];
        pieces.push(b"\n#WIN\n");
        let events = events_of(&pieces);
        assert_eq!((events[0].len(), events[1].as_str()), (LONGEST_LINE, "#WIN"));
    }
}
