//! One search after the other, and their times.

use std::time::{Duration, Instant};

use kiki_mock::processes::wait_until;

use crate::conversation::{Conversation, Script, acts, answers};

#[test]
fn stop_reaches_the_search_that_it_is_meant_for() {
    // The member takes a while to end its first search, and ignores a `stop` without a search.
    let slow_to_stop = acts("n=$((n+1)); searches=1").with_start(
        "n=0; on_stop='if [ \"$searches\" ]; then searches=; if [ $n = 1 ]; then sleep 0.3; fi; echo bestmove 9g9f; fi'",
    );
    let mut council = Conversation::ready_with("majority", &[slow_to_stop]);
    council.say("go infinite");
    wait_until("it does not search", || council.heard(1, "go").len() == 1);
    council.say("gameover lose");
    council.say("go infinite");
    council.say("stop");
    let lines = council.until("bestmove");
    assert!(lines.iter().all(|line| !line.contains("left out")), "{lines:#?}");
    assert_eq!(lines.last().unwrap(), "bestmove 9g9f");
}

#[test]
fn a_program_is_not_changed_during_a_search() {
    let mut council = Conversation::ready_with("majority", &[acts("on_stop='echo bestmove 9g9f'")]);
    council.say("go infinite");
    for what in ["Command", "Directory"] {
        council.say(&format!("setoption name m1.{what} value elsewhere"));
        council.until(&format!("info string m1.{what} cannot be set during a search: stop comes first"));
    }
    // Its noise does not concern the program.
    council.say("setoption name m1.Noise value 77");
    council.say("stop");
    assert_eq!(council.answer(), "bestmove 9g9f");
    council.say("usi");
    let lines = council.until("usiok");
    assert!(lines.iter().any(|line| line == "option name m1.Noise type string default 77"), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.contains("elsewhere")), "{lines:#?}");
}

#[test]
fn the_conversation_does_not_wait_for_a_program_that_is_replaced() {
    let stays = answers("9g9f", "cp 1").with_start("on_quit='exec sleep 1000'");
    let mut council = Conversation::ready_with("majority", &[stays]);
    let began = Instant::now();
    council.name_member(2, &answers("2g2f", "cp 1"));
    council.say("setoption name m1.Command value ./no/such/engine");
    council.say("castle");
    council.until("info string unknown command");
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    council.say("setoption name m1.Command value <empty>");
    council.ready();
    assert_eq!(council.go("go nodes 1").0, "bestmove 2g2f");
    // It has ended with the council.
    council.quit();
}

#[test]
fn what_a_member_does_after_it_lost_its_seat_does_not_count() {
    let fails_late = acts("echo bestmove 9g9f").with_ready("sleep 0.5; exit 5");
    let mut council = Conversation::with("majority", &[fails_late]);
    council.say("isready");
    wait_until("it does not load", || council.heard(1, "isready").len() == 1);
    let script = answers("2g2f", "cp 1").write(council.folder.path(), 2);
    council.say(&format!("setoption name m1.Command value {script}"));
    council.say("isready");
    for _ in 0..2 {
        let lines = council.until("readyok");
        assert_eq!(lines, ["readyok"]);
    }
    assert_eq!(council.go("go nodes 1").0, "bestmove 2g2f");
}

/// Ponders, receives another move than expected, and searches that. Returns the answer and its
/// time.
fn after_a_miss(council: &mut Conversation, go: &str) -> (String, Duration) {
    council.say("setoption name Margin value 200");
    council.ready();
    council.say("position startpos\ngo ponder btime 60000 wtime 60000");
    wait_until("they do not search", || (1..=2).all(|number| council.heard(number, "go").len() == 1));
    let began = Instant::now();
    council.say(&format!("stop\nposition startpos moves 7g7f 3c3d\n{go}"));
    council.until("bestmove");
    (council.answer(), began.elapsed())
}

#[test]
fn a_member_that_hangs_while_it_ponders_costs_the_next_move_no_time() {
    let waits = acts("on_stop='echo bestmove 9g9f'");
    let hangs = acts("on_stop='exec sleep 1000'");
    let mut council = Conversation::with("majority", &[waits, hangs]);
    let (answer, took) = after_a_miss(&mut council, "go byoyomi 1000");
    assert_eq!(answer, "bestmove 9g9f");
    // It is due after 800 ms; the rest is for a busy machine.
    assert!(took < Duration::from_millis(1300), "{took:?}");
}

#[test]
fn a_member_that_is_slow_to_end_its_pondering_is_not_started_again() {
    let slow = acts("n=$((n+1)); if [ $n = 2 ]; then echo bestmove 9g9f; fi")
        .with_start("echo >> starts; on_stop='sleep 0.5; echo bestmove 2g2f'");
    let waits = acts("n=$((n+1)); if [ $n = 2 ]; then echo bestmove 9g9f; fi; on_stop='echo bestmove 1g1f'");
    let mut council = Conversation::with("majority", &[slow, waits]);
    let (answer, _) = after_a_miss(&mut council, "go byoyomi 9000");
    assert_eq!((answer.as_str(), council.count("starts")), ("bestmove 9g9f", 1));
    assert_eq!(council.heard(1, "stop").len(), 1, "a second one might end the next search");
}

#[test]
fn ponderhit_without_pondering_does_not_lengthen_a_search() {
    let mut council = Conversation::with("majority", &[acts("on_stop='echo bestmove 9g9f'")]);
    // On a busy machine a member takes its time to answer `stop`.
    council.say("setoption name Margin value 400");
    council.ready();
    let began = Instant::now();
    council.say("go byoyomi 3000");
    std::thread::sleep(Duration::from_millis(700));
    council.say("ponderhit");
    assert_eq!(council.answer(), "bestmove 9g9f");
    // It is stopped after 2200 ms; from `ponderhit` on it would be 2900.
    assert!(began.elapsed() < Duration::from_millis(2850), "{:?}", began.elapsed());
}

/// Prints these lines of play, best first, and then acts.
fn tells(lines: &[(&str, i32)], then: &str) -> Script {
    let told: Vec<String> = lines
        .iter()
        .enumerate()
        .map(|(index, (pv, value))| format!("echo 'info depth 5 multipv {} score cp {value} pv {pv}';", index + 1))
        .collect();
    acts(&format!("{} {then}", told.join(" ")))
}

#[test]
fn lines_that_begin_with_an_illegal_move_do_not_count() {
    let answers = tells(&[("9g9f", 50), ("7g7c", 3000), ("2g2f", 20)], "echo bestmove 9g9f");
    let mut council = Conversation::ready_with("mean", &[answers]);
    assert_eq!(council.go("go nodes 1").0, "bestmove 9g9f");
    // They do not hide the lines after them either.
    let hangs = tells(&[("7g7c", 50), ("9g9f", 20)], "exec sleep 1000");
    let mut council = Conversation::ready_with("majority", &[hangs]);
    assert_eq!(council.go("go byoyomi 400").0, "bestmove 9g9f");
}

#[test]
fn a_move_that_is_chosen_by_its_mean_has_a_line_of_play() {
    let members = [
        tells(&[("7g7f", 50), ("2g2f 8c8d", 45)], "echo bestmove 7g7f").with_noise(200.0),
        tells(&[("9g9f", 50), ("2g2f 3c3d", 40)], "echo bestmove 9g9f").with_noise(100.0),
    ];
    let mut council = Conversation::ready_with("mean", &members);
    council.say("setoption name MultiPV value 3");
    let (answer, lines) = council.go("go nodes 1");
    assert_eq!(answer, "bestmove 2g2f ponder 3c3d");
    let of = |words: &str| lines.iter().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{lines:#?}"));
    assert!(of("multipv 1 ").contains(" score cp 41 ") && of("multipv 1 ").ends_with("pv 2g2f 3c3d"), "{lines:#?}");
    assert!(of("multipv 2 ").contains(" score cp 50 ") && of("multipv 3 ").contains(" score cp 50 "), "{lines:#?}");
}

#[test]
fn members_that_do_not_know_searchmoves_are_left_out() {
    let ignores = || tells(&[("2g2f", 90), ("9g9f", 80)], "echo bestmove 2g2f").with_start("echo >> starts");
    let mut council = Conversation::ready_with("majority", &[ignores(), ignores(), answers("7g7f", "cp 1")]);
    council.say("setoption name MultiPV value 3");
    let (answer, lines) = council.go("go nodes 1 searchmoves 7g7f 1g1f");
    assert_eq!(answer, "bestmove 7g7f", "{lines:#?}");
    let left_out = |line: &&String| line.contains("left out, `bestmove 2g2f` is not among searchmoves");
    assert_eq!(lines.iter().filter(left_out).count(), 2, "{lines:#?}");
    assert!(!lines.iter().any(|line| line.contains(" pv 2g2f") || line.contains(" pv 9g9f")), "{lines:#?}");
    // They continue to play without a restart.
    assert_eq!((council.go("go nodes 1").0.as_str(), council.count("starts")), ("bestmove 2g2f", 2));
    // If no member knows the word, one of the moves is played.
    let hangs = tells(&[("2g2f", 90)], "exec sleep 1000");
    let mut council = Conversation::ready_with("majority", &[ignores(), hangs]);
    assert_eq!(council.go("go byoyomi 400 searchmoves 1g1f").0, "bestmove 1g1f");
}

#[test]
fn a_position_that_is_refused_is_resigned_and_no_member_is_asked() {
    let mut council = Conversation::ready_with("majority", &[answers("9g9f", "cp 7")]);
    for refused in ["position startpos moves 5e5e", "position", "position sfen 9/9/9 b - 1"] {
        let asked = council.heard(1, "go").len();
        council.say(refused);
        let (answer, lines) = council.go("go byoyomi 400");
        assert_eq!(answer, "bestmove resign", "{refused}");
        assert_eq!(lines.iter().filter(|line| line.contains("no position is set up")).count(), 1, "{lines:#?}");
        assert!(lines.iter().all(|line| !line.contains("score")), "{lines:#?}");
        for (go, end) in [("go infinite", "stop"), ("go ponder", "ponderhit"), ("go ponder", "stop")] {
            council.say(go);
            council.until("info string no position is set up");
            council.say(end);
            assert_eq!(council.until("bestmove").len(), 1, "{go}, {end}");
        }
        assert_eq!(council.heard(1, "go").len(), asked, "{refused}");
        council.say("position startpos");
        assert_eq!(council.go("go byoyomi 400").0, "bestmove 9g9f");
    }
}
