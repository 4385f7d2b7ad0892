//! A strict CSA server: it sends what the test orders, and fails the test when the client sends
//! anything unexpected.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use super::program::{PATIENCE, Program};

/// The position lines of a game from the initial position.
pub(crate) const START: &str = "PI\n+\n";

/// A server on the loopback address.
pub(crate) struct TestServer {
    listener: Option<TcpListener>,
    pub(crate) port: u16,
}

/// A client that has connected.
pub(crate) struct Visitor {
    stream: TcpStream,
    /// Bytes read beyond the last line.
    rest: Vec<u8>,
    last_keep_alive: Option<Instant>,
    /// Shortest accepted time between two empty lines.
    pub(crate) shortest_keep_alive: Duration,
    pub(crate) keep_alives: usize,
}

impl TestServer {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        Self { listener: Some(listener), port }
    }

    /// Refuses further connections.
    pub(crate) fn go_down(&mut self) {
        self.listener = None;
    }

    /// Goes down and cuts a connection, until the client has tried to come again.
    #[track_caller]
    pub(crate) fn cut_and_refuse(&mut self, visitor: Visitor, program: &Program) {
        self.go_down();
        visitor.cut();
        program.await_log("Connection refused");
    }

    pub(crate) fn come_up(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        while self.listener.is_none() {
            self.listener = TcpListener::bind(("127.0.0.1", self.port)).ok();
            assert!(Instant::now() < deadline, "the port is not free again");
            sleep(Duration::from_millis(20));
        }
    }

    /// Waits for a client.
    #[track_caller]
    pub(crate) fn accept(&self) -> Visitor {
        self.accept_within(PATIENCE).expect("the client connects")
    }

    /// Nobody connects.
    #[track_caller]
    pub(crate) fn expect_nobody(&self) {
        assert!(self.accept_within(Duration::from_millis(100)).is_none());
    }

    fn accept_within(&self, limit: Duration) -> Option<Visitor> {
        let listener = self.listener.as_ref().expect("the server is up");
        listener.set_nonblocking(true).expect("a listener");
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Ok((stream, _)) = listener.accept() {
                stream.set_nonblocking(false).expect("a stream");
                stream.set_nodelay(true).expect("a stream");
                return Some(Visitor {
                    stream,
                    rest: Vec::new(),
                    last_keep_alive: None,
                    shortest_keep_alive: Duration::from_secs(30),
                    keep_alives: 0,
                });
            }
            sleep(Duration::from_millis(5));
        }
        None
    }

    /// Waits for a client that asks to log in.
    #[track_caller]
    pub(crate) fn accept_login(&self) -> Visitor {
        let mut visitor = self.accept();
        visitor.expect("LOGIN kiki test-60-1F,secret");
        visitor
    }

    /// Waits for a client and refuses its login.
    #[track_caller]
    pub(crate) fn refuse_login(&self) {
        let mut visitor = self.accept_login();
        visitor.send("LOGIN:incorrect\n");
        visitor.expect_end();
    }

    /// Waits for a client and lets it log in.
    #[track_caller]
    pub(crate) fn log_in(&self) -> Visitor {
        let mut visitor = self.accept_login();
        visitor.send("LOGIN:kiki OK\n");
        visitor
    }

    /// Lets a client log in and begins the game of a summary with it.
    #[track_caller]
    pub(crate) fn begin(&self, summary: &str) -> Visitor {
        let mut visitor = self.log_in();
        visitor.start_game(summary);
        visitor
    }

    /// A game of one move that the client wins.
    #[track_caller]
    pub(crate) fn lose(&self, id: &str) {
        let mut visitor = self.begin(&summary('+', id, START));
        visitor.play("+7776FU");
        visitor.resign();
    }
}

/// A summary with 60 seconds and 1 second more for each move.
pub(crate) fn summary(side: char, id: &str, position: &str) -> String {
    format!(
        "BEGIN Game_Summary\nProtocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\n\
         Game_ID:{id}\nName+:black\nName-:white\nYour_Turn:{side}\nRematch_On_Draw:NO\nTo_Move:+\nMax_Moves:256\n\
         BEGIN Time\nTime_Unit:1sec\nTotal_Time:60\nByoyomi:0\nIncrement:1\nLeast_Time_Per_Move:0\nEND Time\n\
         BEGIN Position\n{position}END Position\nEND Game_Summary\n"
    )
}

/// The summary of [`summary`] for the client as Black from the start, with another clock: the lines
/// of its `Time` block.
pub(crate) fn summary_with(times: &str) -> String {
    let usual = "Time_Unit:1sec\nTotal_Time:60\nByoyomi:0\nIncrement:1\n";
    let text = summary('+', "id", START);
    assert!(text.contains(usual));
    text.replace(usual, times)
}

/// Lines that the client shows, no two alike.
pub(crate) fn chat(lines: u32) -> String {
    let hello = "hello ".repeat(20);
    (0..lines).map(|number| format!("##[CHAT][x] {number} {hello}\n")).collect()
}

impl Visitor {
    /// Offers the game of a summary and starts it as soon as the client agrees.
    #[track_caller]
    pub(crate) fn start_game(&mut self, summary: &str) {
        let id = summary.lines().find_map(|line| line.strip_prefix("Game_ID:")).expect("a name");
        self.send(summary);
        self.expect(&format!("AGREE {id}"));
        self.send(&format!("START:{id}\n"));
    }

    #[track_caller]
    pub(crate) fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).expect("the client is there");
    }

    /// Sends `line` of 0, 1, 2 .. as fast as the client takes them, as long as it is there.
    pub(crate) fn flood(&self, line: fn(u64) -> String) {
        let mut stream = self.stream.try_clone().expect("a stream");
        thread::spawn(move || {
            for block in 0_u64.. {
                let lines: String = (0..2000).map(|index| line(2000 * block + index)).collect();
                if stream.write_all(lines.as_bytes()).is_err() {
                    break;
                }
            }
        });
    }

    /// Reads the next line, which has to be `line`.
    #[track_caller]
    pub(crate) fn expect(&mut self, line: &str) {
        assert_eq!(self.line().as_deref(), Some(line));
    }

    /// Reads the next line, which has to be this move with or without a comment. Returns the
    /// comment.
    #[track_caller]
    pub(crate) fn expect_move(&mut self, token: &str) -> String {
        let line = self.line().unwrap_or_else(|| panic!("{token} is awaited"));
        let (played, comment) = line.split_once(",'").unwrap_or((&line, ""));
        assert_eq!(played, token);
        assert!(!comment.contains(',') && comment.is_ascii(), "{comment}");
        comment.to_owned()
    }

    /// Waits for this move of the client and confirms it with a time in seconds. Returns the
    /// comment.
    #[track_caller]
    pub(crate) fn confirm_move(&mut self, token: &str, seconds: u32) -> String {
        let comment = self.expect_move(token);
        self.send(&format!("{token},T{seconds}\n"));
        comment
    }

    /// Plays these moves, each in a second: those of the client as Black are awaited and confirmed.
    #[track_caller]
    pub(crate) fn play(&mut self, moves: &str) {
        for token in moves.split(' ') {
            match token.starts_with('+') {
                true => drop(self.confirm_move(token, 1)),
                false => self.send(&format!("{token},T1\n")),
            }
        }
    }

    /// Waits for any move of the client, confirms it with a time in seconds, and returns how long
    /// it took.
    #[track_caller]
    pub(crate) fn confirm_any_move(&mut self, seconds: u32) -> Duration {
        let begun = Instant::now();
        let line = self.line().expect("a move is awaited");
        let elapsed = begun.elapsed();
        let token = line.split(',').next().unwrap_or_default();
        assert!(token.len() == 7 && token.starts_with(['+', '-']), "{line}");
        self.send(&format!("{token},T{seconds}\n"));
        elapsed
    }

    /// The other side resigns, and the client closes the connection.
    #[track_caller]
    pub(crate) fn resign(mut self) {
        self.send("%TORYO\n#RESIGN\n#WIN\n");
        self.expect_end();
    }

    /// The client closes the connection without another line.
    #[track_caller]
    pub(crate) fn expect_end(mut self) {
        assert_eq!(self.line(), None);
    }

    pub(crate) fn cut(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Waits for one more empty line.
    #[track_caller]
    pub(crate) fn expect_keep_alive(&mut self) {
        let (before, deadline) = (self.keep_alives, Instant::now() + PATIENCE);
        while self.keep_alives == before {
            assert!(Instant::now() < deadline, "no empty line for {PATIENCE:?}");
            self.read_some(Duration::from_millis(20));
            assert_eq!(self.take_line(), None);
        }
    }

    /// The next line; `None` at the end. Empty lines are echoed, and must not come too often.
    #[track_caller]
    pub(crate) fn line(&mut self) -> Option<String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(line) = self.take_line() {
                return Some(line);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "the client says nothing for {PATIENCE:?}");
            if !self.read_some(left) {
                return None;
            }
        }
    }

    /// The next line among the bytes read already.
    #[track_caller]
    fn take_line(&mut self) -> Option<String> {
        while let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            let text = String::from_utf8(line).expect("ASCII");
            assert!(text.is_ascii() && !text.contains('\r'), "{text:?}");
            if text != "\n" {
                return Some(text.trim_end().to_owned());
            }
            let now = Instant::now();
            let since = self.last_keep_alive.replace(now).map(|last| now - last);
            assert!(since.is_none_or(|since| since >= self.shortest_keep_alive), "{since:?}");
            self.keep_alives += 1;
            self.send("\n");
        }
        None
    }

    /// Reads bytes for at most this time. Returns `false` if the client has closed the connection.
    #[track_caller]
    fn read_some(&mut self, limit: Duration) -> bool {
        self.stream.set_read_timeout(Some(limit)).expect("a time");
        let mut buffer = [0; 1024];
        match self.stream.read(&mut buffer) {
            Ok(0) => {
                assert!(self.rest.is_empty(), "half a line at the end: {:?}", self.rest);
                return false;
            }
            Ok(count) => self.rest.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return false,
            Err(_) => {}
        }
        true
    }
}
