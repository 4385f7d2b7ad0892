//! Messages between the council and the thread of a member: commands, events, options of the
//! program and lines of play.

use std::mem;

use crossbeam::channel::Sender;
use kiki_driver::{EngineError, EngineIdentity, SetOptionError, UsiEngine};
use kiki_usi::{BestMove, Clocks, GameResult, GoSpec, Info, OptionKind, PositionSpec, Reply, ScoreBound, ScoreValue};

/// The number of a search, from 1: a member may still be busy with an earlier one.
pub(crate) type SearchNumber = u64;

/// The number of a request that a member reports when it is done.
pub(crate) type RequestNumber = u64;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum MemberCommand {
    /// Start, if it does not run, and report.
    Start(RequestNumber),
    SetOption(ProgramOption),
    /// Start, if it does not run, and get ready; report if a request has a number.
    Ready(Option<RequestNumber>),
    NewGame,
    GameOver(GameResult),
    Search(SearchNumber, PositionSpec, Box<GoSpec>),
    /// The expected move was played, with the times that came with it, if any.
    PonderHit(SearchNumber, Option<Clocks>),
    Stop(SearchNumber),
    /// The answer of this search is unused: do not begin it, or end it.
    Forget(SearchNumber),
    /// Kill the process that got this search, and start a new one.
    Restart(SearchNumber),
    Quit,
}

/// An event of a member. Each search ends by `Answered` or `Failed`, unless it was forgotten or
/// ended by a restart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum MemberEvent {
    Started(EngineIdentity),
    Ready,
    /// A request to start or to get ready has ended, well or not.
    Reported(RequestNumber),
    Answered(SearchNumber, BestMove),
    /// Its process has failed. If it starts again, `Ready` or `Unavailable` follows.
    Failed {
        search: Option<SearchNumber>,
        reason: String,
        starts_again: bool,
    },
    /// A new process does not start or does not get ready, for this reason. The next `Ready` or
    /// `Search` tries again.
    Unavailable(String),
    /// A message for the user, such as a refused option.
    Problem(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MemberReport {
    /// Index of the slot, from 0.
    pub(crate) member: usize,
    /// Generation of the member: unique among all that have had a slot.
    pub(crate) generation: u64,
    pub(crate) event: MemberEvent,
}

/// Reports the events of one member.
pub(crate) struct MemberReporter {
    /// Index of the slot, from 0.
    pub(crate) member: usize,
    pub(crate) generation: u64,
    pub(crate) sender: Sender<MemberReport>,
}

impl MemberReporter {
    pub(crate) fn send(&self, event: MemberEvent) {
        let Self { member, generation, .. } = *self;
        let _ = self.sender.send(MemberReport { member, generation, event });
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ProgramOption {
    pub(crate) name: String,
    pub(crate) value: String,
    /// Whether all members get it. It is not sent where it is in force already, or to a program
    /// that lacks it.
    pub(crate) shared: bool,
}

/// Options in the order in which they were set. A running process has them in force; without one,
/// some may still be refused.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgramOptions {
    given: Vec<ProgramOption>,
}

impl ProgramOptions {
    pub(crate) fn new(options: impl Iterator<Item = (String, String)>) -> Self {
        Self { given: options.map(|(name, value)| ProgramOption { name, value, shared: false }).collect() }
    }

    /// Keeps an option for the next process, and the value before it, because the new one may be
    /// refused.
    pub(crate) fn keep(&mut self, option: ProgramOption) {
        if option.shared {
            self.given.retain(|known| !(known.shared && is_same(known, &option)));
        }
        self.given.push(option);
    }

    /// Sets an option in the running process. A refused value leaves the one before it in force. A
    /// value that makes the process fail is set again in the next one.
    pub(crate) fn set(&mut self, engine: &mut UsiEngine, option: ProgramOption) -> Result<(), SetOptionError> {
        let is_button = is_button(engine, &option.name);
        let sent = match option.shared {
            true => engine.offer_option(&option.name, &option.value),
            false => engine.set_option(&option.name, &option.value).map(|()| true),
        };
        match sent {
            Ok(false) => Ok(()),
            Err(error @ SetOptionError::Invalid { .. }) => Err(error),
            result => {
                if !is_button {
                    self.given.retain(|known| !is_same(known, &option));
                    self.given.push(option);
                }
                result.map(|_| ())
            }
        }
    }

    /// Sets all options in a new process. Returns why some were refused, and forgets these. If the
    /// process fails, the others are kept for the next.
    pub(crate) fn set_all(&mut self, engine: &mut UsiEngine) -> Result<Vec<String>, EngineError> {
        let mut refused = Vec::new();
        let mut given = mem::take(&mut self.given).into_iter();
        while let Some(option) = given.next() {
            match self.set(engine, option) {
                Ok(()) => {}
                Err(SetOptionError::Failed(error)) => {
                    self.given.extend(given);
                    return Err(error);
                }
                Err(error) => refused.push(error.to_string()),
            }
        }
        Ok(refused)
    }
}

fn is_same(known: &ProgramOption, option: &ProgramOption) -> bool {
    known.name.eq_ignore_ascii_case(&option.name)
}

fn is_button(engine: &UsiEngine, name: &str) -> bool {
    let mut options = engine.identity().options.iter();
    options.any(|option| option.is_named(name) && option.kind == OptionKind::Button)
}

const MOST_LINES: usize = 64;

/// The last line of play of each rank in one search.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchLines {
    search: SearchNumber,
    /// Number of the process, because the output of an ended one may still arrive.
    process: u64,
    lines: Vec<Info>,
    nodes: u64,
    /// Whether the search continues; lines after `bestmove` do not count.
    open: bool,
}

impl SearchLines {
    pub(crate) fn begin(&mut self, search: SearchNumber, process: u64) {
        *self = Self { search, process, open: true, ..Self::default() };
    }

    pub(crate) fn record(&mut self, process: u64, line: &[u8]) {
        if !self.open || process != self.process {
            return;
        }
        if line.starts_with(b"bestmove") {
            self.open = false;
        }
        if !line.starts_with(b"info ") {
            return;
        }
        let Reply::Info(info) = Reply::parse(line) else { return };
        self.nodes = info.nodes.unwrap_or(0).max(self.nodes);
        if info.pv.is_empty() || info.score.is_none() {
            return;
        }
        let rank = info.multipv.unwrap_or(1).max(1) as usize - 1;
        if let Some(kept) = self.lines.get_mut(rank) {
            if replaces(&info, kept) {
                *kept = *info;
            }
        } else if rank == self.lines.len() && rank < MOST_LINES {
            self.lines.push(*info);
        }
    }

    /// The lines of this search, best first; empty during another one.
    pub(crate) fn ranked(&self, search: SearchNumber) -> &[Info] {
        if search == self.search { &self.lines } else { &[] }
    }

    pub(crate) fn nodes(&self, search: SearchNumber) -> u64 {
        if search == self.search { self.nodes } else { 0 }
    }
}

/// Whether a later line replaces the kept one. A bound on the same move says less than its value,
/// unless it proves a mate. A bound on another move shows that the member has changed its mind.
fn replaces(info: &Info, kept: &Info) -> bool {
    let is_exact = |info: &Info| info.score.is_none_or(|score| score.bound == ScoreBound::Exact);
    let proves_mate = info.score.is_some_and(|score| match score.value {
        ScoreValue::Mate(plies) => score.bound == if plies.get() > 0 { ScoreBound::Lower } else { ScoreBound::Upper },
        ScoreValue::Cp(_) => false,
    });
    is_exact(info) || !is_exact(kept) || proves_mate || info.pv.first() != kept.pv.first()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn firsts(lines: &SearchLines, search: SearchNumber) -> Vec<&str> {
        lines.ranked(search).iter().map(|info| info.pv[0].as_str()).collect()
    }

    #[test]
    fn the_last_line_of_each_rank_is_kept() {
        let mut lines = SearchLines::default();
        lines.begin(1, 1);
        for line in [
            "info depth 1 score cp 5 pv 7g7f",
            "info depth 2 multipv 1 score cp 9 nodes 70 pv 2g2f 8c8d",
            "info depth 2 multipv 2 score cp 3 nodes 90 pv 7g7f",
            "info depth 3 nodes 100 currmove 2g2f",
            "info string the score cp 7 pv 9g9f",
            "sent: info depth 9 score cp 9 pv 9g9f",
        ] {
            lines.record(1, line.as_bytes());
        }
        assert_eq!((firsts(&lines, 1), lines.nodes(1)), (vec!["2g2f", "7g7f"], 100));
    }

    #[test]
    fn a_bound_takes_the_place_of_bounds_and_of_other_moves() {
        let cases = [
            ("cp 40 pv 7g7f", "cp -700 upperbound pv 7g7f", "cp 40"),
            ("cp 40 pv 7g7f", "cp 90 lowerbound pv 2g2f", "cp 90 lowerbound"),
            ("cp 40 pv 7g7f", "cp 50 pv 7g7f", "cp 50"),
            ("cp 40 lowerbound pv 7g7f", "cp 90 lowerbound pv 7g7f", "cp 90 lowerbound"),
            ("cp 40 lowerbound pv 7g7f", "cp 50 pv 7g7f", "cp 50"),
            ("cp 40 pv 7g7f", "mate 5 lowerbound pv 7g7f", "mate 5 lowerbound"),
            ("cp 40 pv 7g7f", "mate 5 upperbound pv 7g7f", "cp 40"),
        ];
        for (first, second, expected) in cases {
            let mut lines = SearchLines::default();
            lines.begin(1, 1);
            for line in [first, second] {
                lines.record(1, format!("info depth 5 score {line}").as_bytes());
            }
            let score = lines.ranked(1)[0].score.map(|score| score.to_string());
            assert_eq!(score.as_deref(), Some(expected), "{first}, {second}");
        }
    }

    #[test]
    fn lines_of_another_search_or_process_do_not_count() {
        let mut lines = SearchLines::default();
        lines.record(0, b"info score cp 1 nodes 1 pv 1g1f");
        lines.begin(4, 2);
        lines.record(2, b"info score cp 5 nodes 7 pv 7g7f");
        lines.record(1, b"info score cp 9 nodes 9 pv 9g9f");
        lines.record(2, b"bestmove 7g7f");
        lines.record(2, b"info score cp 2 nodes 8 pv 2g2f");
        assert_eq!((firsts(&lines, 4), lines.nodes(4)), (vec!["7g7f"], 7));
        for other in [0, 3, 5] {
            assert_eq!((lines.ranked(other), lines.nodes(other)), (&[][..], 0));
        }
        lines.begin(5, 2);
        assert!(lines.ranked(5).is_empty() && lines.ranked(4).is_empty());
    }
}
