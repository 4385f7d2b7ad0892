//! The contents of `bestmove`, lines of `info` and scores.

use kiki_usi::{BestMove, Info, ScoreBound, ScoreValue};

use crate::check::{NamedRun, Needs, Run};
use crate::context::CaseContext;
use crate::output_lines::check_info_line;
use crate::pipes::{Line, quoted};
use crate::placement::{CasePosition, MATE_IN_ONE, MATED, MATSURI, ONE_MOVE, START, random_positions};
use crate::session::{Answer, EngineSession, LONGER, SHORT};
use crate::settings::{Outcome, Problem};

const MATES: [&str; 3] =
    [MATED, "position sfen k8/1G7/1P7/9/9/9/9/9/8K w - 1", "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b"];

/// Positions in which Black or White has won by declaration (28 and 27 points).
const DECLARATIONS: [&str; 2] = [
    "position sfen 4+P+P2+S/5PPP1/1N+B+PN+BK+RP/2SN5/4L4/k4L1p1/9/9/9 b 2SN7Pr4g2l3p 1",
    "position sfen 9/9/9/4K4/4+N4/2gn5/+B+p+p4L1/2b2+p1+lg/G3+n+lk+n+p w 2SL14P2rg2s 1",
];

/// Positions in which one condition fails: points, pieces in the camp, a check.
const NO_DECLARATIONS: [&str; 4] = [
    "position sfen +b+P2+P+L2K/1+R3+P1+R1/1+S+PP+PL+P2/9/L8/9/1g2k4/9/9 b BSN3g2s3nl11p 1",
    "position sfen K5+P2/G1+L1+N+L+PB1/2+P+R5/9/9/9/9/4l4/4k4 b RB2S3P3g2s3nl12p 1",
    "position sfen +RG1+P2ps1/lG2G4/K1+P1N1+PS+R/3N2l2/2k6/9/9/3+B4g/7s1 b S2L7Pb2n7p 1",
    "position sfen 9/9/6n2/9/K7n/1n7/1p1+b4+p/kg1+ppl+p2/+r6+l1 w B2G4SN13Prg2l 1",
];

pub(super) const RUNS: &[NamedRun] = &[
    ("bestmove-legal", Run::Ready(bestmove_legal)),
    ("ponder-legal", Run::Ready(ponder_legal)),
    ("resign-mated", Run::Ready(resign_mated)),
    ("win-with-right", Run::Ready(win_with_right)),
    ("info-form", Run::Ready(info_form)),
    ("info-pv-legal", Run::Ready(info_pv_legal)),
    ("info-last-exact", Run::Ready(info_last_exact)),
    ("info-all-lines", Run::Free(Needs::Ready, info_all_lines)),
    ("info-score-side", Run::Ready(info_score_side)),
    ("info-last-line", Run::Free(Needs::Ready, info_last_line)),
];

fn bestmove_legal(session: &mut EngineSession) -> Outcome {
    let placements = random_positions(session.settings().positions);
    for placement in &placements {
        session.think_legally(placement, SHORT)?;
    }
    Ok(Some(format!("{} positions", placements.len())))
}

fn ponder_legal(session: &mut EngineSession) -> Outcome {
    let placements = random_positions((session.settings().positions / 2).max(5));
    let mut told = 0;
    for placement in &placements {
        let answer = session.think(placement, SHORT)?;
        let BestMove::Move { best, ponder: Some(ponder) } = &answer.best else { continue };
        told += 1;
        // Another case checks the move itself.
        if placement.after(best).is_some_and(|after| after.parse_move(ponder).is_err()) {
            let position = placement.position.to_sfen();
            return Err(session.failed(format!("`{}` is illegal after `{best}` in `{position}`", quoted(ponder))));
        }
    }
    Ok(Some(format!("{told} of {} answers", placements.len())))
}

fn resign_mated(session: &mut EngineSession) -> Outcome {
    for command in MATES {
        let answer = session.think(&CasePosition::new(command), SHORT)?;
        if answer.best != BestMove::Resign {
            return Err(session.failed(format!("`{}` where the side to move is mated", answer.line.quoted())));
        }
    }
    Ok(None)
}

fn win_with_right(session: &mut EngineSession) -> Outcome {
    for command in NO_DECLARATIONS {
        let answer = session.think(&CasePosition::new(command), SHORT)?;
        if answer.best == BestMove::Win {
            return Err(session.failed(format!("`bestmove win` in `{command}`, where the declaration does not count")));
        }
    }
    let mut declared = 0;
    for command in DECLARATIONS {
        // The position may look lost to an engine that does not know declarations.
        let placement = CasePosition::new(command).lopsided();
        let answer = session.think_legally(&placement, SHORT)?;
        declared += usize::from(answer.best == BestMove::Win);
    }
    Ok(Some(format!("declared in {declared} of {}", DECLARATIONS.len())))
}

/// The side to move gets mated, whatever it plays.
const BEING_MATED: &str = "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 w 2GRBrb2g4s4n4l17p 1";

/// Searches of all kinds, each with its answer.
fn searches(session: &mut EngineSession) -> Result<Vec<(CasePosition, Answer)>, Problem> {
    let fixed = [START, MATSURI, MATE_IN_ONE, ONE_MOVE, BEING_MATED].map(CasePosition::new);
    let count = session.settings().positions / 4 + 2;
    let mut searches = Vec::new();
    for placement in fixed.into_iter().chain(random_positions(count)) {
        let answer = session.think(&placement, SHORT)?;
        searches.push((placement, answer));
    }
    let placement = CasePosition::new(START);
    session.go(&placement, "go infinite");
    let before = session.holds("came before `stop`")?;
    let (_, mut answer) = session.stop()?;
    answer.before.splice(0..0, before);
    searches.push((placement, answer));
    Ok(searches)
}

fn infos(lines: &[Line]) -> impl DoubleEndedIterator<Item = (&Line, Info)> {
    lines.iter().filter_map(|line| Some((line, line.info()?)))
}

fn is_bound(info: &Info) -> bool {
    info.score.is_some_and(|score| score.bound != ScoreBound::Exact)
}

fn info_form(session: &mut EngineSession) -> Outcome {
    let mut count = 0;
    for (_, answer) in searches(session)? {
        for line in answer.before.iter().filter(|line| line.is("info")) {
            check_info_line(&line.text).map_err(|fault| session.failed(format!("{fault}: `{}`", line.quoted())))?;
            count += 1;
        }
    }
    Ok(Some(format!("{count} lines")))
}

fn info_pv_legal(session: &mut EngineSession) -> Outcome {
    let mut count = 0;
    for (placement, answer) in searches(session)? {
        for (line, info) in infos(&answer.before) {
            let mut position = placement.position.clone();
            for text in &info.pv {
                let Ok(mv) = position.parse_move(text) else {
                    // Some programs end a line of play with such a word.
                    if matches!(text.as_str(), "resign" | "win" | "rep_draw" | "rep_win" | "rep_lose") {
                        break;
                    }
                    let root = placement.position.to_sfen();
                    return Err(session.failed(format!(
                        "`{}` is illegal in `{}` from `{root}`",
                        quoted(text),
                        line.quoted()
                    )));
                };
                position.make(mv);
            }
            count += usize::from(!info.pv.is_empty());
        }
    }
    Ok(Some(format!("{count} lines")))
}

fn info_last_exact(session: &mut EngineSession) -> Outcome {
    for (_, answer) in searches(session)? {
        let last = infos(&answer.before).rfind(|(_, info)| info.score.is_some());
        if let Some((line, _)) = last.filter(|(_, info)| is_bound(info)) {
            return Err(session.failed(format!(
                "`{}` is the last score before `{}`",
                line.quoted(),
                answer.line.quoted()
            )));
        }
    }
    Ok(None)
}

fn info_all_lines(context: &mut CaseContext<'_>) -> Outcome {
    context.most_lines()?;
    let mut session = context.fresh()?;
    session.set_option("MultiPV", "3");
    for command in [START, MATSURI, ONE_MOVE, "position sfen 8k/9/7G1/9/9/9/9/9/4K4 w - 1"] {
        let placement = CasePosition::new(command);
        let mut ranks = ranks_told(&mut session, &placement, SHORT)?;
        if !are_whole(&ranks, &placement) {
            // The search may have been too short for all lines.
            ranks = ranks_told(&mut session, &placement, LONGER)?;
        }
        if !are_whole(&ranks, &placement) {
            let shown: Vec<String> = ranks.iter().map(u32::to_string).collect();
            let shown = if shown.is_empty() {
                "no lines came".to_owned()
            } else {
                format!("the lines came in the order {}", shown.join(" "))
            };
            return Err(session.failed(format!("{shown} in `{command}`")));
        }
    }
    session.is_through()?;
    Ok(None)
}

/// The `multipv` ranks of a search's lines of play, in the order in which they came.
fn ranks_told(session: &mut EngineSession, placement: &CasePosition, go: &str) -> Result<Vec<u32>, Problem> {
    let answer = session.think(placement, go)?;
    let told = infos(&answer.before).filter(|(_, info)| info.score.is_some() && !info.pv.is_empty());
    let mut ranks: Vec<u32> = told.map(|(_, info)| info.multipv.unwrap_or(1)).collect();
    // A bound precedes the line that it belongs to, or replaces it.
    ranks.dedup();
    Ok(ranks)
}

/// Whether lines come in complete groups: of three, or of all legal moves if these are fewer.
fn are_whole(ranks: &[u32], placement: &CasePosition) -> bool {
    let most = placement.position.legal_moves().len().min(3);
    let is_multiple = !ranks.is_empty() && ranks.len().is_multiple_of(most);
    is_multiple && ranks.iter().copied().eq((1..=most as u32).cycle().take(ranks.len()))
}

/// Positions in which one side has all rooks and bishops; the score's sign for the side to move.
const FAR_AHEAD: [(&str, i32); 4] = [
    ("position sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b RB 1", 1),
    ("position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/LNSGKGSNL w rb 1", 1),
    ("position sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w RB 1", -1),
    ("position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/LNSGKGSNL b rb 1", -1),
];

/// The last score that a search reports with a line. A busy machine may need the longer search.
fn last_score(session: &mut EngineSession, placement: &CasePosition) -> Result<Option<i32>, Problem> {
    let mut score = None;
    for go in [SHORT, LONGER] {
        let answer = session.think(placement, go)?;
        let exact = infos(&answer.before).filter(|(_, info)| !info.pv.is_empty() && !is_bound(info));
        score = exact.filter_map(|(_, info)| info.score).next_back().map(|score| match score.value {
            ScoreValue::Cp(centipawns) => centipawns,
            ScoreValue::Mate(plies) => plies.get(),
        });
        if score.is_some() {
            break;
        }
    }
    Ok(score)
}

fn info_score_side(session: &mut EngineSession) -> Outcome {
    let mut told = Vec::new();
    for (command, sign) in FAR_AHEAD {
        let Some(score) = last_score(session, &CasePosition::new(command))? else {
            return Err(Problem::skipped("the engine tells no score"));
        };
        if score.signum() != sign {
            let who = if sign > 0 { "the side to move" } else { "the other side" };
            return Err(session.failed(format!("the score is {score} in `{command}`, where {who} is far ahead")));
        }
        told.push(score.to_string());
    }
    Ok(Some(told.join(", ")))
}

fn info_last_line(context: &mut CaseContext<'_>) -> Outcome {
    let rarest = context.largest("PvInterval");
    let mut session = context.fresh()?;
    if let Some(rarest) = rarest {
        session.set_option("PvInterval", &rarest.to_string());
    }
    match last_score(&mut session, &CasePosition::new(MATSURI))? {
        Some(_) => Ok(rarest.map(|rarest| format!("PvInterval {rarest}"))),
        None => Err(session.failed("no line of play with a score came before `bestmove`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_count_where_they_should() {
        assert!(DECLARATIONS.iter().all(|command| CasePosition::new(command).may_declare()));
        assert!(NO_DECLARATIONS.iter().all(|command| !CasePosition::new(command).may_declare()));
    }
}
