//! Turns what the search tells into protocol lines.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kiki_mate::MateResult;
use kiki_search::{Answer, Bound, Info, Outcome, Reporter, Score};
use kiki_usi::{BestMove, CheckmateReply, InfoString};

use super::mate::Progress;
use crate::output::Output;

/// Speaks for one search.
pub(crate) struct Herald {
    output: Arc<Output>,
    resign_value: i32,
    /// The game is over or another search takes this one's place: its answer is not wanted.
    silenced: AtomicBool,
}

impl Herald {
    pub(crate) fn new(output: &Arc<Output>, resign_value: i32) -> Self {
        Self { output: Arc::clone(output), resign_value, silenced: AtomicBool::new(false) }
    }

    /// Says nothing from now on.
    pub(crate) fn silence(&self) {
        self.silenced.store(true, Ordering::Relaxed);
    }

    /// A mating problem takes long.
    pub(super) fn searches_for_mate(&self, progress: Progress) {
        self.say(work_done(progress.nodes, progress.time));
    }

    /// The answer to a mating problem, and what it took if that is known.
    pub(super) fn solved(&self, verdict: &MateResult, progress: Option<Progress>) {
        let moves: Vec<String> = match verdict {
            MateResult::Mate(line) => line.iter().map(ToString::to_string).collect(),
            MateResult::NoMate | MateResult::Unknown => Vec::new(),
        };
        if let Some(Progress { nodes, time }) = progress {
            let plies = moves.len();
            self.say(kiki_usi::Info {
                depth: (plies > 0).then_some(plies as u32),
                score: (plies > 0).then(|| kiki_usi::UsiScore::mate(plies as i32)),
                pv: moves.clone(),
                ..work_done(nodes, time)
            });
        }
        self.say(match verdict {
            MateResult::Mate(_) => CheckmateReply::Moves(moves),
            MateResult::NoMate => CheckmateReply::NoMate,
            MateResult::Unknown => CheckmateReply::Timeout,
        });
    }

    fn say(&self, line: impl std::fmt::Display) {
        if !self.silenced.load(Ordering::Relaxed) {
            self.output.line(line);
        }
    }
}

impl Reporter for Herald {
    fn info(&self, info: &Info) {
        self.say(line(info));
    }

    fn note(&self, text: &str) {
        self.output.line(InfoString(text));
    }

    fn finished(&self, outcome: &Outcome) {
        self.say(answer(outcome, self.resign_value));
    }
}

/// The fields that every search tells.
fn work_done(nodes: u64, time: Duration) -> kiki_usi::Info {
    kiki_usi::Info {
        nodes: Some(nodes),
        nps: Some((u128::from(nodes) * 1_000_000_000 / time.as_nanos().max(1)) as u64),
        time_ms: Some(time.as_millis() as u64),
        ..kiki_usi::Info::default()
    }
}

fn line(info: &Info) -> kiki_usi::Info {
    let bound = match info.bound {
        Bound::Exact => kiki_usi::ScoreBound::Exact,
        Bound::Lower => kiki_usi::ScoreBound::Lower,
        Bound::Upper => kiki_usi::ScoreBound::Upper,
    };
    let score = match info.score {
        Score::Centipawns(value) => kiki_usi::UsiScore::cp(value),
        Score::Mate(plies) => kiki_usi::UsiScore::mate(plies),
    };
    kiki_usi::Info {
        depth: Some(info.depth),
        seldepth: Some(info.seldepth),
        multipv: Some(info.multipv as u32),
        score: Some(score.with_bound(bound)),
        hashfull: Some(info.hashfull),
        pv: info.pv.iter().map(ToString::to_string).collect(),
        ..work_done(info.nodes, info.time)
    }
}

fn answer(outcome: &Outcome, resign_value: i32) -> BestMove {
    let hopeless = match outcome.score {
        Score::Centipawns(value) => value <= -resign_value,
        // Mates are beyond any number of centipawns that a user may give, but for the one that means never.
        Score::Mate(plies) => plies < 0 && resign_value < 30_000,
    };
    match (outcome.answer, outcome.ponder) {
        (Answer::Resign, _) => BestMove::Resign,
        (Answer::Declare, _) => BestMove::Win,
        (Answer::Play(_), _) if hopeless => BestMove::Resign,
        (Answer::Play(mv), Some(ponder)) => BestMove::with_ponder(mv, ponder),
        (Answer::Play(mv), None) => BestMove::new(mv),
    }
}
