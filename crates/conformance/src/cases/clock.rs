//! Whether answers come in time.

use std::time::Duration;

use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{MATSURI, Placement, START};
use crate::problem::{Outcome, Problem};
use crate::session::{Session, milliseconds};

/// [`MATSURI`] turned round: Black is to move.
const MATSURI_OF_BLACK: &str = "position sfen lkB4nl/8r/1sg5p/p1p2Bpp1/1Ps2p3/Pp4P1P/3s1PN2/KG1+p5/LN6L b gr5PNSG 1";

pub(super) const CASES: &[Case] = &[
    Case {
        name: "clock-byoyomi",
        row: "go btime wtime byoyomi",
        promise: "with byoyomi 100 and 1000 the answer comes in time",
        why: "the game is lost on time",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            in_time(context, &[("go btime 0 wtime 0 byoyomi 100", 100), ("go btime 0 wtime 0 byoyomi 1000", 1000)])
        },
    },
    Case {
        name: "clock-increment",
        row: "go btime wtime binc winc",
        promise: "the answer comes before btime + binc has passed",
        why: "the game is lost on time under every reading of the clock",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            in_time(
                context,
                &[("go btime 0 wtime 0 binc 1000 winc 1000", 1000), ("go btime 300 wtime 300 binc 300 winc 300", 600)],
            )
        },
    },
    Case {
        name: "clock-sudden-death",
        row: "go btime wtime byoyomi",
        promise: "without byoyomi the answer comes before the clock has run down",
        why: "the game is lost on time",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| in_time(context, &[("go btime 1000 wtime 1000 byoyomi 0", 1000)]),
    },
    Case {
        name: "clock-own",
        row: "go btime wtime byoyomi",
        promise: "the answer comes by the clock of the side to move, however much the other side has left",
        why: "the game is lost on time as soon as the clocks differ",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            by_its_own_clock(context, "go btime 600000 wtime 300 byoyomi 0", "go btime 300 wtime 600000 byoyomi 0")
        },
    },
    Case {
        name: "clock-own-increment",
        row: "go btime wtime binc winc",
        promise: "the answer comes by the clock and the increment of the side to move, however much the other side has",
        why: "the game is lost on time as soon as the clocks differ",
        severity: Severity::Required,
        needs: Needs::Ready,
        run: |context| {
            by_its_own_clock(
                context,
                "go btime 600000 wtime 0 binc 60000 winc 300",
                "go btime 0 wtime 600000 binc 300 winc 60000",
            )
        },
    },
    Case {
        name: "clock-movetime",
        row: "go movetime",
        promise: "the answer comes when the time is over",
        why: "analyses take longer than they are told to",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: |context| in_time(context, &[("go movetime 300", 300)]),
    },
];

/// A search for White and one for Black in which the side to move has 300 ms and the other one has minutes.
fn by_its_own_clock(context: &mut Context<'_>, white: &str, black: &str) -> Outcome {
    context.with_ready(|session| {
        let (mut slowest, limit) = (Duration::ZERO, Duration::from_millis(300));
        for (command, go) in [(MATSURI, white), (MATSURI_OF_BLACK, black)] {
            slowest = slowest.max(search_in_time(session, command, go, limit)?);
        }
        session.in_time("the answer came", slowest, limit)
    })
}

/// How long a search took that is over in this time.
fn search_in_time(session: &mut Session, command: &str, go: &str, limit: Duration) -> Result<Duration, Problem> {
    let placement = Placement::new(command);
    session.say(&placement.command);
    let took = session.timed_answer(&placement, go)?;
    session.in_time(&format!("`{go}` was answered"), took, limit)?;
    Ok(took)
}

/// Each search is answered in its time, in milliseconds, and the tolerance.
fn in_time(context: &mut Context<'_>, searches: &[(&str, u64)]) -> Outcome {
    context.with_ready(|session| {
        let mut measured = Vec::new();
        for &(go, limit) in searches {
            let limit = Duration::from_millis(limit);
            let mut slowest = Duration::ZERO;
            for command in [START, MATSURI] {
                slowest = slowest.max(search_in_time(session, command, go, limit)?);
            }
            measured.push(format!("{} of {}", milliseconds(slowest), milliseconds(limit)));
        }
        Ok(Some(measured.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_position_that_is_turned_round_is_the_same() {
        let [white, black] = [MATSURI, MATSURI_OF_BLACK].map(|command| Placement::new(command).position);
        assert_ne!(white.side_to_move(), black.side_to_move());
        assert_eq!(white.legal_moves().len(), black.legal_moves().len());
    }
}
