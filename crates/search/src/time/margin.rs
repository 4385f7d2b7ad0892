//! How much of a time is left unused, so that an answer is never late.

use std::time::Duration;

use crate::limits::TimeOptions;

/// Below this a clock is fast play, between programs on one machine.
const FAST: Duration = Duration::from_millis(1000);
/// Below this no server is far away.
const NEAR: Duration = Duration::from_millis(5000);
/// What passes between the clock and this program and back in any case.
pub(super) const UNSEEN: Duration = Duration::from_millis(2);
/// How long a thread may wait for its processor on a busy machine: systems look at it about so often.
const SCHEDULER_TICK: Duration = Duration::from_millis(5);
/// How long a thread waits for its processor now and then on a machine that is too busy: two ticks of a scheduler with 250 a second, and a
/// little. It happens to threads too that were punctual for hundreds of answers.
pub(super) const SELDOM_LATE: Duration = Duration::from_millis(9);

/// What is left unused before the flag on clocks that do not wait for a server: a few milliseconds and some percent, and at the shortest times
/// up to half.
pub(super) fn fast_margin(available: Duration) -> Duration {
    let usual = Duration::from_millis(5) + available.min(FAST) * 7 / 200;
    usual.max(SELDOM_LATE.min(available / 2))
}

/// What is left unused before the flag: more on slow clocks, which may be those of servers far away.
pub(super) fn usual_margin(available: Duration) -> Duration {
    let near = available.min(NEAR).saturating_sub(FAST) / 10;
    let far = available.saturating_sub(NEAR) * 2 / 5;
    fast_margin(available) + near + far
}

/// What is left unused before the flag. A delay that the user has chosen is kept if the clock has room for it. The default is meant for slow clocks
/// and servers far away: less is enough on fast ones.
pub(super) fn margin(available: Duration, usual: Duration, delay: Duration, late: Duration) -> Duration {
    let chosen = delay != TimeOptions::default().network_delay2 && delay < available;
    let margin = if chosen { delay } else { delay.min(usual) };
    // What the margin covers anyway is no reason for more. Half of the time is left to think, of the shortest times a quarter.
    margin.max((UNSEEN + late).min(available / 2 + SCHEDULER_TICK.min(available / 4)))
}
