//! Times of moves as servers tell them: with fractions, in another unit than announced, or not at all.

use super::double::{Double, summary, summary_with};
use super::program::{Ended, Plan, Program};

/// The times that the engine was told at its searches: its own and the other side's.
fn told(ended: &Ended) -> Vec<[i64; 2]> {
    let lines = ended.engine_lines();
    let searches = lines.iter().filter(|line| line.starts_with("go btime "));
    let word = |line: &str, index: usize| line.split(' ').nth(index).and_then(|word| word.parse().ok()).unwrap();
    searches.map(|line| [word(line, 2), word(line, 4)]).collect()
}

/// The engine was told these times at its second search, its own less what the way to the server takes.
#[track_caller]
fn assert_told(ended: &Ended, expected: [i64; 2]) {
    let [own, theirs] = told(ended)[1];
    assert!(
        (expected[0] - 100..=expected[0]).contains(&own) && theirs == expected[1],
        "{own} {theirs}, not {expected:?}"
    );
}

/// Plays two moves by a clock. The server says of the client's first move and of the other side's what it took.
fn play(clock: &str, think: u64, own: &str, theirs: &str) -> Ended {
    let server = Double::new();
    let engine = format!("script=7g7f,2g2f think={think}");
    let program =
        Program::start(server.port, &Plan { engine: &engine, play: "games = 1\nmargin = 0", ..Plan::default() });
    let mut visitor = server.log_in();
    visitor.start_game("id", &summary_with(clock));
    visitor.expect_move("+7776FU");
    visitor.send(&format!("+7776FU{own}\n-3334FU{theirs}\n"));
    visitor.expect_move("+2726FU");
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.expect_end();
    program.wait_for_success()
}

const WARNING: &str = "its times are not in the unit that it has announced";

#[test]
fn fractions_are_taken_off() {
    for (clock, own, theirs, expected, times) in [
        ("Total_Time:60\n", ",T2.5", ",T0.125", [57_500, 59_875], [2500, 125]),
        ("Total_Time:60\n", ",T2.", ",T.5", [58_000, 59_500], [2000, 500]),
        ("Total_Time:60.5\nByoyomi:0.5\n", ",T2.25,'x", ",T7.0001", [58_250, 53_499], [2250, 7001]),
        ("Time_Unit:1min\nTotal_Time:10\n", ",T0.5", ",T1", [510_000, 540_000], [30_000, 60_000]),
        ("Time_Unit:1msec\nTotal_Time:60000\n", ",T2500.5", ",T100", [57_499, 59_900], [2500, 100]),
    ] {
        let ended = play(clock, 0, own, theirs);
        assert_told(&ended, expected);
        let recorded: Vec<_> = ended.record().moves.iter().take(2).map(|mv| mv.time_ms).collect();
        assert_eq!(recorded, times.map(Some), "{clock} {own}");
        assert!(!ended.log.contains(WARNING), "{}", ended.log);
    }
}

#[test]
fn fractions_in_a_game_that_goes_on_are_taken_off() {
    let server = Double::new();
    let program = Program::start(server.port, &Plan { engine: "script=2g2f", ..Plan::default() });
    let mut visitor = server.log_in();
    visitor.start_game("id", &summary('+', "id", "PI\n+\n+7776FU,'* 5 -3334FU,T12.5\n-3334FU,T21.25\n"));
    visitor.confirm_move("+2726FU", 2);
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.expect_end();
    let ended = program.wait_for_success();
    // An increment of a second came with each move.
    assert_eq!(told(&ended)[0], [48_000, 39_750]);
    assert_eq!(ended.record().moves[0].time_ms, Some(12_500));
}

#[test]
fn whole_seconds_where_milliseconds_were_announced_are_told_and_taken_for_no_less_than_they_are() {
    let clock = "Time_Unit:1msec\nTotal_Time:10000\nByoyomi:0\n";
    let ended = play(clock, 1500, ",T1", ",T3");
    assert_eq!(ended.log.matches(WARNING).count(), 1, "{}", ended.log);
    let [own, theirs] = told(&ended)[1];
    assert!((7000..=8500).contains(&own), "{own} ms are left");
    assert_eq!(theirs, 7000);
    assert!(ended.output.contains(WARNING), "{}", ended.output);
}

#[test]
fn milliseconds_where_they_were_announced_are_what_they_are() {
    let ended = play("Time_Unit:1msec\nTotal_Time:10000\nByoyomi:0\n", 700, ",T720", ",T3");
    assert!(!ended.log.contains(WARNING), "{}", ended.log);
    assert_told(&ended, [9280, 9997]);
}

#[test]
fn a_time_that_is_none_is_measured() {
    for time in ["", ",Tx", ",T-1", ",T1.x", ",T"] {
        let ended = play("Time_Unit:1msec\nTotal_Time:10000\nByoyomi:0\n", 1500, time, ",T100");
        let [own, theirs] = told(&ended)[1];
        assert!((7000..=8500).contains(&own) && theirs == 9900, "{time}: {own} and {theirs} ms are left");
        assert_eq!(ended.record().moves[0].time_ms, None, "what the server has not told is in no record");
    }
}
