//! Whether answers come in time.

use std::time::{Duration, Instant};

use crate::case::{Case, Needs, Severity};
use crate::context::Context;
use crate::placement::{MATSURI, Placement, START};
use crate::problem::Outcome;
use crate::session::milliseconds;

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
        name: "clock-movetime",
        row: "go movetime",
        promise: "the answer comes when the time is over",
        why: "analyses take longer than they are told to",
        severity: Severity::Expected,
        needs: Needs::Ready,
        run: |context| in_time(context, &[("go movetime 300", 300)]),
    },
];

/// Each search is answered in its time, in milliseconds, and the tolerance.
fn in_time(context: &mut Context<'_>, searches: &[(&str, u64)]) -> Outcome {
    context.with_ready(|session| {
        let mut measured = Vec::new();
        for &(go, limit) in searches {
            let limit = Duration::from_millis(limit);
            let mut slowest = Duration::ZERO;
            for command in [START, MATSURI] {
                let placement = Placement::new(command);
                session.say(&placement.command);
                let asked = Instant::now();
                session.say(go);
                let took = session.answer()?.line.at.saturating_duration_since(asked);
                if took > limit + session.settings().tolerance {
                    return Err(session.failed(format!("`{go}` was answered after {}", milliseconds(took))));
                }
                slowest = slowest.max(took);
            }
            measured.push(format!("{} of {}", milliseconds(slowest), milliseconds(limit)));
        }
        Ok(Some(measured.join(", ")))
    })
}
