//! The connection to a server. A thread reads its lines into a channel of events, so that no line
//! is missed. Empty lines keep it alive.
//!
//! A user's wish to stop wakes the thread that waits on the same channel, and never queues behind
//! the lines of a server.

use std::io::{self, Read, Write as _};
use std::net::{Shutdown, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, RecvTimeoutError, SendTimeoutError, Sender, bounded};
use kiki_platform::prefer_short_time_slices;
use parking_lot::Mutex;
use tracing::{debug, info};

use crate::protocol::{ClientLine, ServerLine};
use crate::summary::RECONNECT_TOKEN;

/// How long to wait for an address to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How often an attempt to connect, and a reader that waits for the queue, check whether the
/// connection is still wanted.
const POLL: Duration = Duration::from_millis(50);

/// Longest time to send a line. A server that does not read counts as gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

const LONGEST_LINE: usize = 1 << 14;

/// Number of events in the queue. If it is full the reader waits, and so in the end does the
/// server.
const MOST_EVENTS: usize = 256;

/// Number of full buffers in a row, 1 MiB, after which a server is read slowly, because it would
/// take processor time from the engine.
const FULL_BUFFERS: u32 = 256;

const SLOW_READ: Duration = Duration::from_millis(5);

/// Longest silence of a server that echoes empty lines, after one.
const LONGEST_SILENCE: Duration = Duration::from_secs(60);

pub(crate) fn event_channel() -> (Sender<Event>, Receiver<Event>) {
    bounded(MOST_EVENTS)
}

/// An event outside of the engine. Connections have numbers, because events of an earlier one may
/// come late.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    /// A line without its line break, which is not empty, and when it was read.
    Line { connection: u64, at: Instant, bytes: Vec<u8> },
    /// The end of a connection and its reason. No line follows.
    Closed { connection: u64, reason: String },
    /// Another event needs attention, such as [`Interrupts`].
    Wake,
}

/// A connection that empty lines keep alive. Dropping it closes it.
pub(crate) struct Connection {
    stream: TcpStream,
    /// Its number in events.
    pub(crate) id: u64,
    last_sent: Instant,
    shared: Arc<ReaderState>,
    keep_alive: Option<Duration>,
    /// Longest silence of the server after an empty line.
    longest_silence: Duration,
    /// When the first unanswered empty line was sent. Silence without one means nothing, because
    /// none is sent while the engine gets ready.
    unanswered: Option<Instant>,
    /// Whether the server ever echoed an empty line. Otherwise its silence means nothing.
    echoes: bool,
    /// The shortest time from a line to its answer; `None` until one was measured. Longer ones
    /// include the server's own delay.
    round_trip: Option<Duration>,
}

#[derive(Default)]
struct ReaderState {
    /// When the last empty line was read. Empty lines are not events.
    last_empty: Mutex<Option<Instant>>,
    /// Whether the connection was dropped. It ends the reader even if the server never stops
    /// sending.
    is_closed: AtomicBool,
}

impl Connection {
    /// Connects and begins to read. Fails with [`io::ErrorKind::Interrupted`] as soon as
    /// `is_wanted` is false, even while a host does not answer. `keep_alive` is the interval
    /// between empty lines.
    pub(crate) fn open(
        host: &str,
        port: u16,
        keep_alive: Option<Duration>,
        events: Sender<Event>,
        is_wanted: impl Fn() -> bool,
    ) -> io::Result<Self> {
        static OPENED: AtomicU64 = AtomicU64::new(1);
        let stream = connect(host, port, is_wanted)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        let (id, reader) = (OPENED.fetch_add(1, Ordering::Relaxed), stream.try_clone()?);
        let shared = Arc::<ReaderState>::default();
        let of_reader = Arc::clone(&shared);
        thread::spawn(move || {
            prefer_short_time_slices();
            read_lines(reader, id, &events, &of_reader);
        });
        Ok(Self {
            stream,
            id,
            last_sent: Instant::now(),
            shared,
            keep_alive,
            longest_silence: LONGEST_SILENCE,
            unanswered: None,
            echoes: false,
            round_trip: None,
        })
    }

    pub(crate) fn send(&mut self, line: &ClientLine) -> io::Result<()> {
        debug!("> {line}");
        self.write(line)
    }

    fn write(&mut self, line: &ClientLine) -> io::Result<()> {
        self.last_sent = Instant::now();
        self.stream.write_all(line.wire().as_bytes())
    }

    /// Parses and logs a line that was read at this time. Returns it with its text.
    pub(crate) fn received(&mut self, bytes: &[u8], at: Instant) -> (ServerLine, String) {
        // A line that was read before the empty line was sent does not answer it.
        self.unanswered.take_if(|sent| *sent <= at);
        let (line, text) = (ServerLine::parse(bytes), String::from_utf8_lossy(bytes).into_owned());
        match (&line, text.split_once(':')) {
            // Only one entry, because the log recognises repeated lines only if they follow each
            // other.
            (ServerLine::Other(text), _) if text.starts_with("##") => info!("the server says: {text}"),
            (_, Some((RECONNECT_TOKEN, _))) => debug!("< {RECONNECT_TOKEN}:*****"),
            _ => debug!("< {text}"),
        }
        (line, text)
    }

    /// Notes the time between a line and its answer.
    pub(crate) fn add_round_trip(&mut self, time: Duration) {
        self.round_trip = Some(self.round_trip.map_or(time, |shortest| shortest.min(time)));
    }

    /// The shortest round trip to the server; zero until one was measured.
    pub(crate) fn round_trip(&self) -> Duration {
        self.round_trip.unwrap_or_default()
    }

    pub(crate) fn next_keep_alive(&self) -> Option<Instant> {
        self.keep_alive.map(|interval| self.last_sent + interval)
    }

    /// Sends an empty line if one is due. Fails if a server that echoes empty lines is silent for
    /// too long.
    pub(crate) fn keep_alive_if_due(&mut self) -> io::Result<()> {
        let Some(interval) = self.keep_alive else { return Ok(()) };
        if let Some(at) = *self.shared.last_empty.lock() {
            self.echoes = true;
            self.unanswered.take_if(|sent| *sent <= at);
        }
        if self.echoes && self.unanswered.is_some_and(|sent| sent.elapsed() > self.longest_silence) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the server has been silent for too long"));
        }
        if self.last_sent.elapsed() >= interval {
            self.write(&ClientLine::KeepAlive)?;
            // The moment before sending, because the answer may be read before this line runs.
            self.unanswered.get_or_insert(self.last_sent);
        }
        Ok(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.is_closed.store(true, Ordering::Relaxed);
        // This ends the reader as well. An error means that the stream is closed already.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Connects in a thread of its own, because neither the look-up of a name nor the attempt can be
/// cancelled.
fn connect(host: &str, port: u16, is_wanted: impl Fn() -> bool) -> io::Result<TcpStream> {
    let (sender, connected) = bounded(1);
    let host = host.to_owned();
    thread::Builder::new().spawn(move || {
        // The receiver may be gone.
        let _ = sender.send(connect_to_any(&host, port));
    })?;
    loop {
        match connected.recv_timeout(POLL) {
            Ok(stream) => return stream,
            Err(RecvTimeoutError::Timeout) if is_wanted() => {}
            Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::Interrupted.into()),
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("the thread that connects failed")),
        }
    }
}

fn connect_to_any(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Sends every line as an event until the end, and notes when empty lines come. A line may come in
/// any number of pieces.
fn read_lines(mut stream: impl Read, connection: u64, events: &Sender<Event>, shared: &ReaderState) {
    let is_closed = || shared.is_closed.load(Ordering::Relaxed);
    let send = |mut event| {
        while !is_closed() {
            match events.send_timeout(event, POLL) {
                Ok(()) => return true,
                Err(SendTimeoutError::Timeout(kept)) => event = kept,
                Err(SendTimeoutError::Disconnected(_)) => return false,
            }
        }
        false
    };
    let mut buffer = [0; 4096];
    let mut line = Vec::new();
    let mut full_buffers = 0;
    let reason = loop {
        match stream.read(&mut buffer) {
            _ if is_closed() => return,
            Ok(0) => break "the server has closed it".to_owned(),
            Ok(count) => {
                let at = Instant::now();
                for &byte in buffer.iter().take(count) {
                    if byte != b'\n' {
                        if line.len() < LONGEST_LINE {
                            line.push(byte);
                        }
                        continue;
                    }
                    let whole = line.trim_ascii_end();
                    if whole.is_empty() {
                        *shared.last_empty.lock() = Some(at);
                    } else if !send(Event::Line { connection, at, bytes: whole.to_owned() }) {
                        return;
                    }
                    line.clear();
                }
                full_buffers = if count == buffer.len() { full_buffers + 1 } else { 0 };
                if full_buffers > FULL_BUFFERS {
                    thread::sleep(SLOW_READ);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break error.to_string(),
        }
    };
    send(Event::Closed { connection, reason });
}

/// Message for a user who asks to stop during a game.
pub(crate) const LAST_GAME: &str = "this is the last game; once more, and the game is given up";

/// How often the user has asked to stop. After the first time the current game is still finished,
/// after the second it is given up. Clones share the count.
#[derive(Clone, Debug)]
pub struct Interrupts {
    count: Arc<AtomicU32>,
    reported: Arc<AtomicU32>,
    events: Sender<Event>,
}

impl Interrupts {
    /// No interrupts yet. The next one wakes the thread that waits on the channel.
    pub(crate) fn new(events: Sender<Event>) -> Self {
        Self { count: Arc::default(), reported: Arc::default(), events }
    }

    pub fn add(&self) -> u32 {
        let count = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        // If the queue is full, no thread sleeps.
        let _ = self.events.try_send(Event::Wake);
        count
    }

    /// The number of interrupts, unless it was reported before.
    pub(crate) fn take_unreported(&self) -> Option<u32> {
        let count = self.count();
        (self.reported.swap(count, Ordering::SeqCst) != count).then_some(count)
    }

    pub(crate) fn count(&self) -> u32 {
        self.count.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::thread::sleep;

    use crossbeam::channel::unbounded;

    use super::*;

    struct InPieces<'a>(&'a [u8], usize);

    impl Read for InPieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buffer[..self.1])
        }
    }

    #[test]
    fn lines_may_come_in_pieces_or_together() {
        let endless = "x".repeat(5 * LONGEST_LINE);
        let text = format!("LOGIN:a OK\n\n+7776FU,T1\r\n{endless}\n#RESIGN\n#WIN\nhalf a line");
        for size in [1, 5, 4096] {
            let (sender, received) = unbounded();
            read_lines(InPieces(text.as_bytes(), size), 7, &sender, &ReaderState::default());
            drop(sender);
            let mut lines = received.iter().map(|event| match event {
                Event::Line { connection: 7, bytes, .. } => String::from_utf8(bytes).unwrap(),
                other => format!("{other:?}"),
            });
            // A line without end takes bounded memory.
            for line in ["LOGIN:a OK", "+7776FU,T1", &endless[..LONGEST_LINE], "#RESIGN", "#WIN"] {
                assert_eq!(lines.next().as_deref(), Some(line), "{size}");
            }
            assert_eq!(lines.next().unwrap(), "Closed { connection: 7, reason: \"the server has closed it\" }");
        }
    }

    #[test]
    fn empty_lines_are_noted_and_no_events() {
        let (sender, received) = bounded(1);
        let shared = ReaderState::default();
        let begun = Instant::now();
        read_lines(&b"\n\r\n  \n".repeat(2000)[..], 7, &sender, &shared);
        assert!(shared.last_empty.lock().is_some_and(|at| at >= begun));
        assert!(matches!(received.try_recv(), Ok(Event::Closed { .. })));
    }

    #[test]
    fn a_reader_waits_for_a_place_and_goes_on_when_there_is_one() {
        let (sender, received) = event_channel();
        let lines = b"x\n".repeat(5 * MOST_EVENTS / 4);
        let reader = thread::spawn(move || read_lines(&lines[..], 7, &sender, &ReaderState::default()));
        let deadline = Instant::now() + Duration::from_secs(20);
        while received.len() < MOST_EVENTS && Instant::now() < deadline {
            thread::yield_now();
        }
        assert!(!reader.is_finished());
        assert_eq!(received.iter().count(), 5 * MOST_EVENTS / 4 + 1);
        reader.join().unwrap();
    }

    #[test]
    fn a_reader_ends_with_its_connection_whatever_the_server_goes_on_to_say() {
        // A server that never ends its line, and one whose line finds no place.
        for server in [Box::new(io::repeat(b'x')) as Box<dyn Read + Send>, Box::new(&b"x\n"[..])] {
            let (sender, _received) = bounded(0);
            let shared = Arc::<ReaderState>::default();
            let of_reader = Arc::clone(&shared);
            let reader = thread::spawn(move || read_lines(server, 7, &sender, &of_reader));
            sleep(2 * POLL);
            assert!(!reader.is_finished());
            shared.is_closed.store(true, Ordering::Relaxed);
            reader.join().unwrap();
        }
    }

    const INTERVAL: Duration = Duration::from_millis(40);

    fn connect_with(longest_silence: Duration) -> (Connection, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, (sender, _)) = (listener.local_addr().unwrap().port(), unbounded());
        let mut connection = Connection::open("127.0.0.1", port, Some(INTERVAL), sender, || true).unwrap();
        connection.longest_silence = longest_silence;
        (connection, listener.accept().unwrap().0)
    }

    /// Sends an empty line, and checks the connection again after a silence of the server.
    fn silence_after_an_empty_line(connection: &mut Connection, silence: Duration) -> io::Result<()> {
        sleep(INTERVAL);
        connection.keep_alive_if_due()?;
        sleep(silence);
        connection.keep_alive_if_due()
    }

    /// Lets the server send an empty line, and waits until it is read.
    fn receive_empty(connection: &Connection, server: &mut TcpStream) {
        let before = Instant::now();
        server.write_all(b"\n").unwrap();
        while connection.shared.last_empty.lock().is_none_or(|at| at < before) {
            assert!(before.elapsed() < Duration::from_secs(20), "it is never read");
            sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn silence_means_something_only_if_the_server_echoes() {
        let (mut connection, mut server) = connect_with(Duration::ZERO);
        silence_after_an_empty_line(&mut connection, INTERVAL / 2).unwrap();
        receive_empty(&connection, &mut server);
        connection.keep_alive_if_due().unwrap();
        let silence = silence_after_an_empty_line(&mut connection, INTERVAL / 2);
        assert_eq!(silence.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn silence_means_nothing_as_long_as_no_empty_line_is_unanswered() {
        let (mut connection, mut server) = connect_with(INTERVAL);
        receive_empty(&connection, &mut server);
        sleep(INTERVAL * 5);
        connection.keep_alive_if_due().unwrap();
        // Any line is an answer, except one that was read before the empty line was sent.
        connection.received(b"LOGOUT:completed", Instant::now());
        sleep(INTERVAL * 2);
        connection.keep_alive_if_due().unwrap();
        connection.received(b"LOGOUT:completed", Instant::now() - INTERVAL);
        sleep(INTERVAL * 2);
        assert_eq!(connection.keep_alive_if_due().unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn an_interrupt_wakes_a_sleeper_and_waits_for_no_place() {
        let (sender, events) = event_channel();
        let interrupts = Interrupts::new(sender.clone());
        assert_eq!((interrupts.add(), events.try_recv()), (1, Ok(Event::Wake)));
        assert_eq!((interrupts.take_unreported(), interrupts.take_unreported()), (Some(1), None));
        while sender.try_send(Event::Wake).is_ok() {}
        assert_eq!((interrupts.add(), interrupts.clone().count()), (2, 2));
    }
}
