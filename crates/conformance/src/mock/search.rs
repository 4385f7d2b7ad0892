//! `go`, `stop`, `ponderhit`, and what they are answered.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use kiki_board::{DeclarationRule, DeclarationVerdict};
use kiki_usi::{BestMove, CheckmateReply, Clocks, GoSpec, PositionSpec};

use super::moves::{after, choose, material};
use super::state::{LATE, Mock, TOLERATED, Task};
use crate::placement::{BARE_KINGS, MATE_IN_ONE};

/// Which searches a fault does not answer.
fn is_forgotten(fault: &str, spec: &GoSpec) -> bool {
    let clocks = &spec.clocks;
    let nothing = [clocks.btime, clocks.wtime, clocks.byoyomi].map(Option::unwrap_or_default) == [0; 3];
    match fault {
        "go-byoyomi" => clocks.btime == Some(500) && clocks.wtime == Some(0),
        "go-increment" => clocks.binc.is_some_and(|time| time > 0) && clocks.winc == Some(0),
        "go-zero" => nothing && clocks.btime.is_some() && clocks.binc.unwrap_or(0) == 0,
        "go-depth" => spec.depth.is_some() && *spec == GoSpec { depth: spec.depth, ..GoSpec::default() },
        "go-nodes" => spec.nodes.is_some() && *spec == GoSpec { nodes: spec.nodes, ..GoSpec::default() },
        "go-movetime" => spec.movetime == Some(1),
        "go-negative" => clocks.byoyomi == Some(200),
        "go-first-limit" => spec.depth.is_some() && spec.movetime.is_some(),
        _ => false,
    }
}

/// The time of a search that a fault answers late.
fn time_of_late(fault: &str, spec: &GoSpec) -> Option<u64> {
    let clocks = &spec.clocks;
    let (is_late, time) = match fault {
        "clock-byoyomi" => (clocks.byoyomi == Some(1000), 1000),
        "clock-increment" => (clocks.binc == Some(300) && clocks.winc == Some(300), 600),
        "clock-sudden-death" => (clocks.btime == Some(1000) && clocks.byoyomi == Some(0), 1000),
        "clock-own" => (clocks.byoyomi == Some(0) && clocks.wtime == Some(300), 300),
        "clock-own-increment" => (clocks.binc == Some(300) && clocks.winc == Some(60_000), 300),
        "clock-movetime" => (spec.movetime == Some(300), 300),
        "go-negative:late" => (clocks.byoyomi == Some(200), 200),
        "go-negative:increment" => (clocks.btime == Some(-2000), 500),
        _ => (false, 0),
    };
    is_late.then_some(time)
}

impl<W: Write> Mock<W> {
    pub(super) fn go(&mut self, spec: GoSpec) {
        self.task = Task::Idle;
        if let Some(limit) = spec.mate {
            return self.solve(limit);
        }
        let is_dropped = self.breaks("go-while-loading:dropped") && std::mem::take(&mut self.loading);
        if is_dropped || is_forgotten(&self.fault, &spec) {
            return;
        }
        if let Some(time) = time_of_late(&self.fault, &spec) {
            thread::sleep(Duration::from_millis(time) + LATE);
        }
        let early = if spec.ponder { self.is_impatient_pondering(&spec) } else { spec.infinite && self.is_impatient() };
        if early || !(spec.ponder || spec.infinite) {
            return self.answer_with(&spec.searchmoves);
        }
        self.task = if spec.ponder { Task::Ponder(spec) } else { Task::Infinite(Instant::now()) };
    }

    /// Whether pondering is answered at once, by a fault.
    fn is_impatient_pondering(&self, spec: &GoSpec) -> bool {
        match self.fault.as_str() {
            "ponder-waits" => spec.clocks.btime == Some(1000) && self.position.ply() == 3,
            "ponder-waits:one-move" => self.position.legal_moves().len() == 1,
            "ponder-waits:deepest" => self.spec.to_string().ends_with(BARE_KINGS.trim_start_matches("position ")),
            "ponder-ended:early" => spec.clocks.byoyomi == Some(5000),
            _ => false,
        }
    }

    /// Whether a search without limits is answered at once, by a fault.
    fn is_impatient(&self) -> bool {
        let place = format!("position {}", self.spec).replace("position position", "position");
        let moves = self.position.legal_moves().len();
        match self.fault.as_str() {
            "infinite" => self.position.moves_made() == 3,
            "infinite-book" => place == "position startpos moves 2g2f 8c8d",
            "infinite-mated" => moves == 0,
            "infinite-one-move" => moves == 1,
            "infinite-mate-found" => place == MATE_IN_ONE,
            "infinite-deepest" => place == BARE_KINGS,
            _ => false,
        }
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

    /// Lines of `info` and the answer, one of these moves if there are any.
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
        match self.fault.as_str() {
            "info-form:mate" => self.print("info depth 1 score mate +"),
            "info-form:number" => self.print("info depth 1 nodes 1.5"),
            "info-pv-legal" => self.print("info depth 1 pv 5e5e"),
            _ => {}
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
}
