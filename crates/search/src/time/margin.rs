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

/// The shortest time for which a search is worth its start: so much of a clock is used whatever margins are asked for, of the shortest times a quarter.
const LEAST_USEFUL: Duration = Duration::from_millis(10);

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

/// What is left unused before the flag. The default of `NetworkDelay2` is meant for slow clocks and servers far away: it shrinks to the usual margin
/// on fast ones. A delay that the user has chosen is kept, up to [`LEAST_USEFUL`]: a greater one never leaves more time. `NetworkDelay` counts here from
/// its default on: what the way takes usually is lost at the last moment too.
pub(super) fn margin(available: Duration, usual: Duration, options: &TimeOptions, late: Duration) -> Duration {
    let TimeOptions { network_delay, network_delay2, .. } = *options;
    let default = TimeOptions::default();
    let raised = if network_delay > default.network_delay { network_delay } else { Duration::ZERO };
    let (automatic, chosen) = if network_delay2 == default.network_delay2 {
        (network_delay2.min(usual), raised)
    } else {
        (Duration::ZERO, network_delay2.max(raised))
    };
    let most = available.saturating_sub(LEAST_USEFUL.min(available / 4));
    // What the margin covers anyway is no reason for more. Half of the time is left to think, of the shortest times a quarter.
    let against_lateness = (UNSEEN + late).min(available / 2 + SCHEDULER_TICK.min(available / 4));
    automatic.max(chosen.min(most)).max(against_lateness)
}
