//! What `bestmove` says.

use kiki_usi::BestMove;

use crate::answer::SHORT;
use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{MATED, Placement};
use crate::playout::random_positions;
use crate::problem::Outcome;
use crate::transcript::quoted;

/// Positions in which the side to move is mated.
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

pub(super) const CASES: &[Case] = &[
    Case {
        name: "bestmove-legal",
        row: "bestmove",
        promise: "in positions from all parts of games the answer is a legal move",
        why: "an illegal move loses the game",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: bestmove_legal,
    },
    Case {
        name: "ponder-legal",
        row: "bestmove ponder",
        promise: "the move after `ponder` is legal after the move",
        why: "the GUI ponders on a position that cannot be, or reports an error",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: ponder_legal,
    },
    Case {
        name: "resign-mated",
        row: "bestmove resign",
        promise: "who is mated answers `bestmove resign`, never `none` or a move",
        why: "ShogiArena stops at `bestmove none`, ShogiGUI at an illegal move",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: resign_mated,
    },
    Case {
        name: "win-with-right",
        row: "bestmove win",
        promise: "`bestmove win` is said only where the declaration counts by the rule of 27 points",
        why: "a false declaration loses the game",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: win_with_right,
    },
];

fn bestmove_legal(context: &mut Context<'_>) -> Outcome {
    let placements = random_positions(context.settings.positions);
    context.with_ready(|session| {
        for placement in &placements {
            session.think_legally(placement, SHORT)?;
        }
        Ok(Some(format!("{} positions", placements.len())))
    })
}

fn ponder_legal(context: &mut Context<'_>) -> Outcome {
    let placements = random_positions((context.settings.positions / 2).max(5));
    context.with_ready(|session| {
        let mut told = 0;
        for placement in &placements {
            let answer = session.think(placement, SHORT)?;
            let BestMove::Move { best, ponder: Some(ponder) } = &answer.best else { continue };
            told += 1;
            // Whether the move itself is legal is another case.
            if placement.after(best).is_some_and(|after| after.parse_move(ponder).is_err()) {
                let position = placement.position.to_sfen();
                return Err(session.failed(format!("`{}` is illegal after `{best}` in `{position}`", quoted(ponder))));
            }
        }
        Ok(Some(format!("{told} of {} answers", placements.len())))
    })
}

fn resign_mated(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        for command in MATES {
            let answer = session.think(&Placement::new(command), SHORT)?;
            if answer.best != BestMove::Resign {
                return Err(session.failed(format!("`{}` where the side to move is mated", answer.line.quoted())));
            }
        }
        Ok(None)
    })
}

fn win_with_right(context: &mut Context<'_>) -> Outcome {
    context.with_ready(|session| {
        for command in NO_DECLARATIONS {
            let answer = session.think(&Placement::new(command), SHORT)?;
            if answer.best == BestMove::Win {
                return Err(
                    session.failed(format!("`bestmove win` in `{command}`, where the declaration does not count"))
                );
            }
        }
        let mut declared = 0;
        for command in DECLARATIONS {
            // To an engine that does not know declarations it may look lost.
            let placement = Placement::new(command).lopsided();
            let answer = session.think_legally(&placement, SHORT)?;
            declared += usize::from(answer.best == BestMove::Win);
        }
        Ok(Some(format!("declared in {declared} of {}", DECLARATIONS.len())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_what_their_names_say() {
        for command in MATES {
            let position = Placement::new(command).position;
            assert!(position.in_check() && position.legal_moves().is_empty(), "{command}");
        }
        assert!(DECLARATIONS.iter().all(|command| Placement::new(command).may_declare()));
        assert!(NO_DECLARATIONS.iter().all(|command| !Placement::new(command).may_declare()));
    }
}
