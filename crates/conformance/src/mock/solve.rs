//! `go mate`, and the false mates of the faults.

use std::io::Write;
use std::thread;
use std::time::Duration;

use kiki_usi::{CheckmateReply, MateLimit};

use super::moves::mate;
use super::state::{LATE, Mock, Task};

/// An answer with these moves.
fn moves(text: &str) -> CheckmateReply {
    CheckmateReply::Moves(text.split(' ').map(str::to_owned).collect())
}

impl<W: Write> Mock<W> {
    pub(super) fn solve(&mut self, limit: MateLimit) {
        if limit == MateLimit::Infinite && !self.breaks("mate-stopped:false") {
            self.task = Task::Mate;
            return;
        }
        if self.breaks("mate-time") && limit == MateLimit::Ms(400) {
            thread::sleep(Duration::from_millis(400) + LATE);
        }
        let reply = self.false_mate(limit).unwrap_or_else(|| self.mate_reply());
        self.print(reply);
        if self.breaks("mate-no-bestmove") && limit == MateLimit::Ms(300) {
            self.answer();
        }
    }

    /// A mate that is none, by a fault.
    fn false_mate(&self, limit: MateLimit) -> Option<CheckmateReply> {
        let one_ply = mate(&self.position, 1).is_some();
        match (self.fault.as_str(), limit) {
            ("mate-time:false", MateLimit::Ms(400)) if self.position.moves_made() == 0 => Some(moves("7g7f")),
            ("mate-none", MateLimit::Ms(1000)) => Some(moves("P*5b")),
            ("mate-stopped:false", MateLimit::Infinite) => Some(moves("G*1c")),
            // The defender helps, and moves of the attacker give no check.
            ("mate-found:help", _) if one_ply => Some(moves("5i5h 5a6a 5h5i 6a5a G*5b")),
            _ => None,
        }
    }

    fn mate_reply(&self) -> CheckmateReply {
        match mate(&self.position, 3) {
            Some(_) if self.breaks("mate-found:none") => CheckmateReply::NoMate,
            Some(mut line) if self.breaks("mate-found:illegal") => {
                line.push("5e5e".to_owned());
                CheckmateReply::Moves(line)
            }
            Some(line) => CheckmateReply::Moves(line),
            None if self.position.legal_moves().len() < 12 => CheckmateReply::NoMate,
            None => CheckmateReply::Timeout,
        }
    }
}
