//! Lines of `info`.

use crate::answer::{Answer, LONGER, SHORT};
use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::info_line::{InfoLine, read_info};
use crate::pipes::Line;
use crate::placement::{MATE_IN_ONE, MATSURI, ONE_MOVE, Placement, START};
use crate::playout::random_positions;
use crate::problem::{Outcome, Problem};
use crate::session::Session;
use crate::transcript::quoted;

/// A position with a mate against the side to move, whatever it does.
const BEING_MATED: &str = "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 w 2GRBrb2g4s4n4l17p 1";

pub(super) const CASES: &[Case] = &[
    Case {
        name: "info-form",
        row: "info",
        promise: "numbers are whole numbers, and `score` is `cp` or `mate` with a number",
        why: "cshogi fails at `mate +`, ShogiGUI shows `mate -0` as a win",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: info_form,
    },
    Case {
        name: "info-pv-legal",
        row: "info pv",
        promise: "the moves of a line of play are legal",
        why: "GUIs show the line on a board, and stop at the first illegal move or report an error",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: info_pv_legal,
    },
    Case {
        name: "info-last-exact",
        row: "info score",
        promise: "the last score before `bestmove` is no bound",
        why: "records, graphs and adjudication take the last score for the value of the move",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: info_last_exact,
    },
    Case {
        name: "info-all-lines",
        row: "MultiPV",
        promise: "with MultiPV 3 the lines come together, from 1 on, also where there are fewer moves; the last ones too",
        why: "GUIs show the lines of an older search beside the new first one",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: info_all_lines,
    },
];

/// Searches of all kinds, each with its answer.
fn searches(session: &mut Session) -> Result<Vec<(Placement, Answer)>, Problem> {
    let fixed = [START, MATSURI, MATE_IN_ONE, ONE_MOVE, BEING_MATED].map(Placement::new);
    let count = session.settings().positions / 4 + 2;
    let mut searches = Vec::new();
    for placement in fixed.into_iter().chain(random_positions(count)) {
        let answer = session.think(&placement, SHORT)?;
        searches.push((placement, answer));
    }
    let placement = Placement::new(START);
    session.go(&placement, "go infinite");
    let before = session.holds("came before `stop`")?;
    let (_, mut answer) = session.stop()?;
    answer.before.splice(0..0, before);
    searches.push((placement, answer));
    Ok(searches)
}

/// The `info` lines that can be read.
fn readable(lines: &[Line]) -> impl DoubleEndedIterator<Item = (&Line, InfoLine<'_>)> {
    lines.iter().filter_map(|line| Some((line, read_info(&line.text)?.ok()?)))
}

fn info_form(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        let mut count = 0;
        for (_, answer) in searches(session)? {
            for line in &answer.before {
                match read_info(&line.text) {
                    Some(Err(fault)) => return Err(session.failed(format!("{fault}: `{}`", line.quoted()))),
                    Some(Ok(_)) => count += 1,
                    None => {}
                }
            }
        }
        Ok(Some(format!("{count} lines")))
    })
}

fn info_pv_legal(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        let mut count = 0;
        for (placement, answer) in searches(session)? {
            for (line, info) in readable(&answer.before) {
                let mut position = placement.position.clone();
                for text in &info.pv {
                    let Ok(mv) = position.parse_move(text) else {
                        // Some programs close a line with such a word.
                        if matches!(*text, "resign" | "win" | "rep_draw" | "rep_win" | "rep_lose") {
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
    })
}

fn info_last_exact(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        for (_, answer) in searches(session)? {
            let last = readable(&answer.before).rfind(|(_, info)| info.score.is_some());
            if let Some((line, _)) = last.filter(|(_, info)| info.bound) {
                return Err(session.failed(format!(
                    "`{}` is the last score before `{}`",
                    line.quoted(),
                    answer.line.quoted()
                )));
            }
        }
        Ok(None)
    })
}

fn info_all_lines(context: &mut Context<'_>) -> Outcome {
    context.most_lines()?;
    let mut session = context.fresh()?;
    session.set_option("MultiPV", "3");
    for command in [START, MATSURI, ONE_MOVE, "position sfen 8k/9/7G1/9/9/9/9/9/4K4 w - 1"] {
        let placement = Placement::new(command);
        let mut ranks = ranks_told(&mut session, &placement, SHORT)?;
        if !are_whole(&ranks, &placement) {
            // It may have been too short for all lines.
            ranks = ranks_told(&mut session, &placement, LONGER)?;
        }
        if !are_whole(&ranks, &placement) {
            let shown: Vec<String> = ranks.iter().map(u64::to_string).collect();
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

/// The numbers of the lines of play of a search, in their order.
fn ranks_told(session: &mut Session, placement: &Placement, go: &str) -> Result<Vec<u64>, Problem> {
    let answer = session.think(placement, go)?;
    let told = readable(&answer.before).filter(|(_, info)| info.score.is_some() && !info.pv.is_empty());
    let mut ranks: Vec<u64> = told.map(|(_, info)| info.multipv.unwrap_or(1)).collect();
    // A bound stands before the line that it is a bound of, or in its place.
    ranks.dedup();
    Ok(ranks)
}

/// Whether groups of three lines, or of as many as there are moves, come whole.
fn are_whole(ranks: &[u64], placement: &Placement) -> bool {
    let most = placement.position.legal_moves().len().min(3);
    let is_multiple = !ranks.is_empty() && ranks.len().is_multiple_of(most);
    is_multiple && ranks.iter().copied().eq((1..=most as u64).cycle().take(ranks.len()))
}
