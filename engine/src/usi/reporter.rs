//! Turns the reports of a search into USI lines.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use kiki_board::Move;
use kiki_mate::MateResult;
use kiki_search::{Action, Bound, Chance, Reporter, RootScore, SearchInfo, SearchResult};
use kiki_usi::{BestMove, CheckmateReply, InfoString};

use crate::output::Output;

#[derive(Clone, Copy)]
pub(super) struct MateProgress {
    pub(super) nodes: u64,
    pub(super) time: Duration,
}

pub(crate) struct UsiReporter {
    output: Arc<Output>,
    resign_value: i32,
    /// Whether the answer says how far the last value may be off.
    show_sigma: bool,
    /// Set when the answer is no longer wanted: the game is over, or another search runs.
    muted: AtomicBool,
    answered: Arc<OnceLock<Instant>>,
}

impl UsiReporter {
    pub(crate) fn new(output: &Arc<Output>, resign_value: i32, show_sigma: bool) -> Self {
        Self {
            output: Arc::clone(output),
            resign_value,
            show_sigma,
            muted: AtomicBool::new(false),
            answered: Arc::default(),
        }
    }

    pub(crate) fn mute(&self) {
        self.muted.store(true, Ordering::Relaxed);
    }

    pub(super) fn answered(&self) -> Arc<OnceLock<Instant>> {
        Arc::clone(&self.answered)
    }

    pub(super) fn mate_progress(&self, progress: MateProgress) {
        self.print(work_done(progress.nodes, progress.time));
    }

    /// The answer to a mating problem, with the work done if known. `is_shortest`: it is proved
    /// that no shorter mate exists.
    pub(super) fn mate_finished(&self, verdict: &MateResult, is_shortest: bool, progress: Option<MateProgress>) {
        let moves: Vec<String> = match verdict {
            MateResult::Mate(line) => line.iter().map(ToString::to_string).collect(),
            MateResult::NoMate | MateResult::Unknown => Vec::new(),
        };
        if let Some(MateProgress { nodes, time }) = progress {
            let plies = moves.len();
            self.print(kiki_usi::Info {
                depth: (plies > 0).then_some(plies as u32),
                score: (plies > 0).then(|| kiki_usi::UsiScore::mate(plies as i32)),
                pv: moves.clone(),
                ..work_done(nodes, time)
            });
        }
        if !moves.is_empty() && !is_shortest {
            self.print(InfoString("this mate is not proved to be the shortest"));
        }
        self.print(match verdict {
            MateResult::Mate(_) => CheckmateReply::Moves(moves),
            MateResult::NoMate => CheckmateReply::NoMate,
            MateResult::Unknown => CheckmateReply::Timeout,
        });
    }

    fn print(&self, line: impl std::fmt::Display) {
        if !self.muted.load(Ordering::Relaxed) {
            self.output.print(line);
        }
    }
}

impl Reporter for UsiReporter {
    fn info(&self, info: &SearchInfo) {
        self.print(line(info));
    }

    fn note(&self, text: &str) {
        self.output.print(InfoString(text));
    }

    fn finished(&self, result: &SearchResult) {
        self.finished_with(&[], result);
    }

    fn finished_with(&self, lines: &[SearchInfo], result: &SearchResult) {
        let mut answer: Vec<String> = lines.iter().map(|info| line(info).to_string()).collect();
        if let Some(sigma) = result.sigma.filter(|_| self.show_sigma) {
            answer.push(InfoString(format_args!("sigma {sigma:.0}")).to_string());
        }
        answer.extend(result.chances.iter().map(|chance| InfoString(chance_text(chance)).to_string()));
        answer.push(best_move(result, self.resign_value).to_string());
        self.print(answer.join("\n"));
        let _ = self.answered.set(Instant::now());
    }
}

fn chance_text(chance: &Chance) -> String {
    let Chance { mv, score, sigma, probability } = chance;
    let score = match score {
        RootScore::Centipawns(value) => format!("value {value}"),
        RootScore::Mate(plies) => format!("mate {plies}"),
    };
    let sigma = sigma.map_or_else(|| "sure".to_owned(), |sigma| format!("sigma {sigma:.0}"));
    format!("chance {mv} {score} {sigma} probability {probability:.4}")
}

/// The fields that every search reports.
fn work_done(nodes: u64, time: Duration) -> kiki_usi::Info {
    kiki_usi::Info {
        nodes: Some(nodes),
        nps: Some((u128::from(nodes) * 1_000_000_000 / time.as_nanos().max(1)) as u64),
        time_ms: Some(time.as_millis() as u64),
        ..kiki_usi::Info::default()
    }
}

fn line(info: &SearchInfo) -> kiki_usi::Info {
    let bound = match info.bound {
        Bound::Exact => kiki_usi::ScoreBound::Exact,
        Bound::Lower => kiki_usi::ScoreBound::Lower,
        Bound::Upper => kiki_usi::ScoreBound::Upper,
    };
    let score = match info.score {
        RootScore::Centipawns(value) => kiki_usi::UsiScore::cp(value),
        RootScore::Mate(plies) => kiki_usi::UsiScore::mate(plies),
    };
    kiki_usi::Info {
        depth: Some(info.depth),
        seldepth: Some(info.seldepth),
        multipv: Some(info.multipv as u32),
        score: Some(score.with_bound(bound)),
        hashfull: Some(info.hashfull),
        pv: line_of_play(&info.pv, info.score == RootScore::Mate(1)),
        ..work_done(info.nodes, info.time)
    }
}

/// The moves of a line; `win` for one that wins without a move, as in `bestmove`.
pub(super) fn line_of_play(moves: &[Move], wins: bool) -> Vec<String> {
    if moves.is_empty() && wins {
        return vec![BestMove::Win.to_string().split_off("bestmove ".len())];
    }
    moves.iter().map(ToString::to_string).collect()
}

fn best_move(result: &SearchResult, resign_value: i32) -> BestMove {
    let hopeless = match result.score {
        RootScore::Centipawns(value) => value <= -resign_value,
        // A mate is below any limit in centipawns, except the one that means never.
        RootScore::Mate(plies) => plies < 0 && resign_value < 30_000,
    };
    match (result.action, result.ponder) {
        (Action::Resign, _) => BestMove::Resign,
        (Action::DeclareWin, _) => BestMove::Win,
        (Action::Play(_), _) if hopeless => BestMove::Resign,
        (Action::Play(mv), Some(ponder)) => BestMove::with_ponder(mv, ponder),
        (Action::Play(mv), None) => BestMove::new(mv),
    }
}
