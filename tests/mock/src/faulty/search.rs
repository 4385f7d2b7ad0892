//! `go`, `stop`, `ponderhit`, and their answers.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use kiki_board::{DeclarationRule, DeclarationVerdict};
use kiki_usi::{BestMove, CheckmateReply, Clocks, GoSpec, MateLimit, PositionSpec};

use super::{FaultyEngine, LATE, TOLERATED, Task};
use crate::moves::{after, choose, mate, material};

/// Mate with the next move.
const MATE_IN_ONE: &str = "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
/// Nothing is left to search.
const BARE_KINGS: &str = "position sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1";

/// Searches that a fault does not answer.
fn forgotten(spec: &GoSpec) -> [(&'static str, bool); 8] {
    let clocks = &spec.clocks;
    let nothing = [clocks.btime, clocks.wtime, clocks.byoyomi].map(Option::unwrap_or_default) == [0; 3];
    [
        ("go-byoyomi", clocks.btime == Some(500) && clocks.wtime == Some(0)),
        ("go-increment", clocks.binc.is_some_and(|time| time > 0) && clocks.winc == Some(0)),
        ("go-zero", nothing && clocks.btime.is_some() && clocks.binc.unwrap_or(0) == 0),
        ("go-depth", spec.depth.is_some() && *spec == GoSpec { depth: spec.depth, ..GoSpec::default() }),
        ("go-nodes", spec.nodes.is_some() && *spec == GoSpec { nodes: spec.nodes, ..GoSpec::default() }),
        ("go-movetime", spec.movetime == Some(1)),
        ("go-negative", clocks.byoyomi == Some(200)),
        ("go-first-limit", spec.depth.is_some() && spec.movetime.is_some()),
    ]
}

/// Searches that a fault answers late, and their time in milliseconds.
fn late(spec: &GoSpec) -> [(&'static str, bool, u64); 8] {
    let clocks = &spec.clocks;
    [
        ("clock-byoyomi", clocks.byoyomi == Some(1000), 1000),
        ("clock-increment", clocks.binc == Some(300) && clocks.winc == Some(300), 600),
        ("clock-sudden-death", clocks.btime == Some(1000) && clocks.byoyomi == Some(0), 1000),
        ("clock-own", clocks.byoyomi == Some(0) && clocks.wtime == Some(300), 300),
        ("clock-own-increment", clocks.binc == Some(300) && clocks.winc == Some(60_000), 300),
        ("clock-movetime", spec.movetime == Some(300), 300),
        ("go-negative:late", clocks.byoyomi == Some(200), 200),
        ("go-negative:increment", clocks.btime == Some(-2000), 500),
    ]
}

/// A `checkmate` with these moves.
fn checkmate(text: &str) -> CheckmateReply {
    CheckmateReply::Moves(text.split(' ').map(str::to_owned).collect())
}

impl<W: Write> FaultyEngine<W> {
    pub(super) fn go(&mut self, spec: GoSpec) {
        self.task = Task::Idle;
        if let Some(limit) = spec.mate {
            return self.solve(limit);
        }
        let is_dropped = self.breaks("go-while-loading:dropped") && std::mem::take(&mut self.loading);
        if is_dropped || self.breaks_any(&forgotten(&spec)) {
            return;
        }
        if let Some((.., time)) = late(&spec).iter().find(|(fault, is_met, _)| *is_met && self.breaks(fault)) {
            thread::sleep(Duration::from_millis(*time) + LATE);
        }
        let early = if spec.ponder { self.is_impatient_pondering(&spec) } else { spec.infinite && self.is_impatient() };
        if early || !(spec.ponder || spec.infinite) {
            return self.answer_with(&spec.searchmoves);
        }
        self.task = if spec.ponder { Task::Ponder(spec) } else { Task::Infinite(Instant::now()) };
    }

    /// Whether a fault answers pondering at once.
    fn is_impatient_pondering(&self, spec: &GoSpec) -> bool {
        let is_deepest = self.spec.to_string().ends_with(BARE_KINGS.trim_start_matches("position "));
        self.breaks_any(&[
            ("ponder-waits", spec.clocks.btime == Some(1000) && self.position.ply() == 3),
            ("ponder-waits:one-move", self.position.legal_moves().len() == 1),
            ("ponder-waits:deepest", is_deepest),
            ("ponder-ended:early", spec.clocks.byoyomi == Some(5000)),
        ])
    }

    /// Whether a fault answers a search without limits at once.
    fn is_impatient(&self) -> bool {
        let place = format!("position {}", self.spec).replace("position position", "position");
        let moves = self.position.legal_moves().len();
        self.breaks_any(&[
            ("infinite", self.position.moves_made() == 3),
            ("infinite-book", place == "position startpos moves 2g2f 8c8d"),
            ("infinite-mated", moves == 0),
            ("infinite-one-move", moves == 1),
            ("infinite-mate-found", place == MATE_IN_ONE),
            ("infinite-deepest", place == BARE_KINGS),
        ])
    }

    pub(super) fn stop(&mut self) {
        let task = std::mem::replace(&mut self.task, Task::Idle);
        let was_stopped = std::mem::replace(&mut self.stopped, task != Task::Idle);
        match task {
            Task::Idle => {
                let is_extra = (self.breaks("stop-idle") && self.last == "isready")
                    || (self.breaks("stop-twice") && self.last == "stop" && was_stopped)
                    || (self.breaks("ponder-races") && self.last == "ponderhit");
                if is_extra {
                    self.answer();
                }
            }
            Task::Mate if self.breaks("mate-stopped") => {}
            Task::Mate if self.breaks("mate-stopped:nomate") => self.print(CheckmateReply::NoMate),
            Task::Mate => self.print(CheckmateReply::Timeout),
            Task::Infinite(since) => {
                let one_move = self.position.legal_moves().len() == 1;
                if since.elapsed() < Duration::from_millis(25) {
                    match self.answered.clone() {
                        _ if self.breaks("stop-races") && one_move => return,
                        _ if self.breaks("stop-races:null") => return self.print(BestMove::new("0000")),
                        Some(answered) if self.breaks("stop-races:stale") => return self.print(answered),
                        _ => {}
                    }
                }
                if self.breaks("stop-time") && self.position.legal_moves().len() == 207 {
                    thread::sleep(LATE);
                }
                if self.breaks("stop-time:tolerated") && self.position.legal_moves().len() == 207 {
                    thread::sleep(TOLERATED);
                }
                self.answer();
            }
            Task::Ponder(spec)
                if self.burst && self.breaks("ponder-miss-burst") && spec.clocks.btime == Some(60_000) => {}
            Task::Ponder(spec) => {
                self.answer();
                if self.breaks("ponder-miss") && !self.burst && spec.clocks.btime == Some(60_000) {
                    self.answer();
                }
            }
        }
    }

    pub(super) fn ponderhit(&mut self, clocks: Option<&Clocks>) {
        let Task::Ponder(spec) = std::mem::replace(&mut self.task, Task::Idle) else {
            let after_stop = self.last == "stop" && self.stopped;
            let is_extra = (self.breaks("ponderhit-idle") && self.last == "isready")
                || (self.breaks("ponderhit-idle:stopped") && after_stop && self.spec == PositionSpec::matsuri())
                || (self.breaks("ponder-races:stop-first") && after_stop && self.spec == PositionSpec::startpos());
            if is_extra {
                self.answer();
            }
            return;
        };
        let byoyomi = clocks.and_then(|clocks| clocks.byoyomi);
        let is_forgotten = (self.breaks("ponder-hit") && byoyomi == Some(100))
            || (self.breaks("ponder-ended") && spec.clocks.byoyomi == Some(5000));
        if is_forgotten {
            return;
        }
        if self.breaks("ponder-ended:byoyomi") && clocks.is_none() && self.position.legal_moves().is_empty() {
            thread::sleep(Duration::from_millis(spec.clocks.byoyomi.unwrap_or_default().unsigned_abs()));
        }
        if self.breaks("ponder-races:illegal") && self.burst {
            return self.print(BestMove::new("5e5e"));
        }
        if self.breaks("ponder-early") && clocks.is_some_and(|clocks| clocks.binc.is_some()) {
            thread::sleep(Duration::from_millis(500) + LATE);
        }
        if self.breaks("ponder-times") && byoyomi == Some(200) {
            thread::sleep(Duration::from_millis(200) + LATE);
        }
        self.answer();
    }

    pub(super) fn answer(&mut self) {
        self.answer_with(&[]);
    }

    /// Prints lines of `info` and the answer, which is one of these moves if there are any.
    fn answer_with(&mut self, searchmoves: &[String]) {
        if self.lost {
            if self.breaks("position-illegal-state:value") {
                self.print("info depth 1 score cp 0 pv 2g2f");
            }
            return self.print(BestMove::Resign);
        }
        let allowed = if self.breaks("go-searchmoves") { &[] } else { searchmoves };
        let best = self.best(allowed);
        self.answered = Some(best.clone());
        if let BestMove::Move { .. } = &best
            && let Some(first) = choose(&self.position, allowed, self.breaks("perpetual-check"))
        {
            self.inform(&first);
        }
        match best {
            BestMove::Resign if self.breaks("resign-mated") && self.last == "position" => {
                self.print("bestmove none");
            }
            best => self.print(best),
        }
        if self.breaks("go-while-loading:early") && std::mem::take(&mut self.loading) {
            self.print("readyok");
        }
    }

    fn best(&self, allowed: &[String]) -> BestMove {
        let points = self.spec.to_string();
        let declares = self.position.declaration(DeclarationRule::Points27) == DeclarationVerdict::Win
            || (self.breaks("win-with-right") && points.contains(" b BSN3g2s3nl11p 1"));
        if declares {
            return BestMove::Win;
        }
        let Some(best) = choose(&self.position, allowed, self.breaks("perpetual-check")) else {
            return BestMove::Resign;
        };
        if self.breaks("position-forms:resign") && points.ends_with(" 8h2b+") {
            return BestMove::Resign;
        }
        if self.breaks("infinite:illegal") && points.ends_with(" 7g7f 3c3d 2g2f") {
            return BestMove::new("5e5e");
        }
        if self.breaks("bestmove-legal") && (60..=150).contains(&self.position.moves_made()) {
            return BestMove::new("5e5e");
        }
        match after(&self.position, &best).and_then(|after| choose(&after, &[], false)) {
            Some(_) if self.breaks("ponder-legal") => BestMove::with_ponder(best, "5e5e"),
            Some(ponder) => BestMove::with_ponder(best, ponder),
            None => BestMove::new(best),
        }
    }

    fn inform(&mut self, best: &str) {
        if self.breaks("info-last-line") && self.options.get("pvinterval").is_some_and(|value| value == "100000") {
            return;
        }
        if self.breaks("info-all-lines:none") && self.lines() == 3 && self.position.legal_moves().len() == 1 {
            return;
        }
        for (fault, line) in [
            ("info-form:mate", "info depth 1 score mate +"),
            ("info-form:number", "info depth 1 nodes 1.5"),
            ("info-pv-legal", "info depth 1 pv 5e5e"),
        ] {
            if self.breaks(fault) {
                self.print(line);
            }
        }
        let mut moves: Vec<String> = self.position.legal_moves().iter().map(ToString::to_string).collect();
        moves.retain(|text| text != best);
        moves.insert(0, best.to_owned());
        moves.truncate(self.lines());
        let ahead = material(&self.position);
        let score = if self.breaks("info-score-side") { ahead.abs() } else { ahead };
        let mut lines: Vec<String> = Vec::new();
        for (index, mv) in moves.iter().enumerate() {
            lines
                .push(format!("info depth 1 seldepth 1 multipv {} score cp {score} nodes 1 time 1 pv {mv}", index + 1));
        }
        if self.breaks("info-all-lines") && lines.len() == 3 {
            lines.swap(0, 1);
        }
        if self.breaks("info-last-exact") {
            lines.push(format!("info depth 2 multipv {} score cp 5 lowerbound pv {best}", lines.len()));
        }
        for line in lines {
            self.print(line);
        }
    }

    fn solve(&mut self, limit: MateLimit) {
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

    /// A false mate, if a fault requires it.
    fn false_mate(&self, limit: MateLimit) -> Option<CheckmateReply> {
        let one_ply = mate(&self.position, 1).is_some();
        let lines = [
            ("mate-time:false", limit == MateLimit::Ms(400) && self.position.moves_made() == 0, "7g7f"),
            ("mate-none", limit == MateLimit::Ms(1000), "P*5b"),
            ("mate-stopped:false", limit == MateLimit::Infinite, "G*1c"),
            // The defender cooperates, and some attacker's moves give no check.
            ("mate-found:help", one_ply, "5i5h 5a6a 5h5i 6a5a G*5b"),
        ];
        let line = lines.iter().find(|(fault, is_met, _)| *is_met && self.breaks(fault));
        line.map(|(.., moves)| checkmate(moves))
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
