//! What the scores of a search mean.

use crate::answer::{LONGER, SHORT};
use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::info_line::read_info;
use crate::placement::{MATSURI, Placement};
use crate::problem::{Outcome, Problem};
use crate::session::Session;

/// One side has all rooks and bishops; the sign of the score for the side to move.
const FAR_AHEAD: [(&str, i64); 4] = [
    ("position sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b RB 1", 1),
    ("position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/LNSGKGSNL w rb 1", 1),
    ("position sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB 1", -1),
    ("position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/LNSGKGSNL b rb 1", -1),
];

pub(super) const CASES: &[Case] = &[
    Case {
        name: "info-score-side",
        row: "info score",
        promise: "scores are those of the side to move: who is far ahead has a positive one, with either color",
        why: "graphs, adjudication and records in which one side is far ahead say the opposite",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: info_score_side,
    },
    Case {
        name: "info-last-line",
        row: "info pv",
        promise: "a search tells a line of play with a score before `bestmove`, also where PvInterval lets none through",
        why: "GUIs and records show no value of the move, or that of an older search",
        severity: Severity::Recommended,
        needs: Needs::Ready,
        run: info_last_line,
    },
];

/// The last score that a search tells with a line of play. If a short search tells none, a longer one is asked: the machine may be busy.
fn last_score(session: &mut Session, placement: &Placement) -> Result<Option<i64>, Problem> {
    let mut score = None;
    for go in [SHORT, LONGER] {
        let answer = session.think(placement, go)?;
        let infos = answer.before.iter().filter_map(|line| read_info(&line.text)?.ok());
        score = infos.filter(|info| !info.pv.is_empty() && !info.bound).filter_map(|info| info.score).next_back();
        if score.is_some() {
            break;
        }
    }
    Ok(score)
}

fn info_score_side(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        let mut told = Vec::new();
        for (command, sign) in FAR_AHEAD {
            let Some(score) = last_score(session, &Placement::new(command))? else {
                return Err(Problem::skipped("the engine tells no score"));
            };
            if score.signum() != sign {
                let who = if sign > 0 { "the side to move" } else { "the other side" };
                return Err(session.failed(format!("the score is {score} in `{command}`, where {who} is far ahead")));
            }
            told.push(score.to_string());
        }
        Ok(Some(told.join(", ")))
    })
}

fn info_last_line(context: &mut Context<'_>) -> Outcome {
    let rarest = context.largest("PvInterval");
    let mut session = context.fresh()?;
    if let Some(rarest) = rarest {
        session.set_option("PvInterval", &rarest.to_string());
    }
    match last_score(&mut session, &Placement::new(MATSURI))? {
        Some(_) => Ok(rarest.map(|rarest| format!("PvInterval {rarest}"))),
        None => Err(session.failed("no line of play with a score came before `bestmove`")),
    }
}
