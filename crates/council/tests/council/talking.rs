//! The protocol.

use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::conversation::{Conversation, acts, answers};

/// Answers on `stop` and `ponderhit` alone.
fn waits(best: &str) -> crate::conversation::Script {
    acts(&format!("on_stop='echo bestmove {best}'; on_ponderhit='echo bestmove {best}'"))
}

#[test]
fn options_of_members_are_declared_and_handed_on() {
    let mut council = Conversation::with("majority", &[answers("7g7f", "cp 1"), answers("7g7f", "cp 1")]);
    council.say("usi");
    let lines = council.until("usiok");
    for wanted in [
        "id name Kiki council ",
        "option name Rule type combo default majority var majority ",
        "option name m2.Threads type spin default 1 min 1 max 8",
        "option name m2.Noise type string default 100",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(wanted)), "{wanted}: {lines:#?}");
    }
    council.say("setoption name m2.Threads value 4");
    council.say("setoption name m2.Threads value 99");
    council.say("setoption name m2.Wisdom value 4");
    council.say("setoption name m7.Threads value 4");
    council.say("setoption name m1.Noise value loud");
    council.say("isready");
    let said = council.until("readyok").join("\n");
    for wanted in ["Threads", "Wisdom", "there is no such member: m7.Threads", "m1: Noise is `loud`"] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    assert_eq!(council.heard(2, "setoption name Threads"), ["setoption name Threads value 4"]);
    assert_eq!(council.heard(1, "setoption name Threads"), [""; 0]);
}

#[test]
fn members_can_be_named_by_options_alone() {
    let mut council = Conversation::with("majority", &[]);
    assert!(council.go("go byoyomi 300").0.starts_with("bestmove "));
    let script = council.folder.path().join("x.sh");
    fs::write(
        &script,
        "while read l; do case $l in usi) echo usiok;; isready) echo readyok;; go*) echo bestmove 9g9f;; esac; done",
    )
    .unwrap();
    council.say(&format!("setoption name m1.Command value sh {}", script.display()));
    council.ready();
    assert_eq!(council.go("go byoyomi 1000").0, "bestmove 9g9f");
    council.say("setoption name m1.Command value ./no/such/engine");
    council.say("isready");
    assert!(council.until("readyok").iter().any(|line| line.contains("there is no file `./no/such/engine`")));
    assert!(council.go("go byoyomi 300").0.starts_with("bestmove "));
}

#[test]
fn a_search_that_comes_in_one_burst_with_stop_has_an_answer_of_its_own() {
    let mut council = Conversation::with("majority", &[waits("2g2f")]);
    // On a busy machine a member takes its time to answer `stop`.
    council.say("setoption name Margin value 1000");
    council.ready();
    for (go, delay) in [("go ponder btime 60000 wtime 60000 byoyomi 0", 0), ("go infinite", 50)] {
        council.say(&format!("position startpos\n{go}"));
        std::thread::sleep(Duration::from_millis(delay));
        council.say("stop\nposition startpos moves 7g7f 3c3d\ngo infinite");
        assert_eq!(council.answer(), "bestmove 2g2f", "{go}");
        assert!(council.is_silent("bestmove", Duration::from_millis(100)), "{go}: the second one waits for its stop");
        council.say("stop");
        assert_eq!(council.answer(), "bestmove 2g2f", "{go}");
    }
}

#[test]
fn a_search_waits_for_readyok() {
    let loads = answers("9g9f", "cp 1").with_ready("sleep 0.4; echo readyok");
    let mut council = Conversation::with("majority", &[loads]);
    council.say("isready\nusinewgame\nposition startpos\ngo byoyomi 100");
    let lines = council.until("bestmove");
    assert!(lines.contains(&"readyok".to_owned()) && lines.last().unwrap() == "bestmove 9g9f", "{lines:#?}");
}

#[test]
fn nothing_is_answered_before_stop_or_ponderhit() {
    let mut council = Conversation::with("majority", &[waits("7g7f"), waits("7g7f")]);
    // On a busy machine a member takes its time to answer `stop`.
    council.say("setoption name Margin value 1000");
    council.ready();
    for (go, end) in
        [("go infinite", "stop"), ("go ponder byoyomi 5000", "ponderhit"), ("go ponder byoyomi 5000", "stop")]
    {
        council.say("position startpos");
        council.say(go);
        assert!(council.is_silent("bestmove", Duration::from_millis(150)), "{go}");
        council.say(end);
        assert_eq!(council.answer(), "bestmove 7g7f", "{go}, {end}");
    }
    // Longer than the clock that would run after ponderhit.
    council.say("go ponder byoyomi 100");
    assert!(council.is_silent("bestmove", Duration::from_millis(300)));
    council.say("stop");
    let lines = council.until("bestmove");
    assert!(
        lines.last().unwrap() == "bestmove 7g7f" && !lines.iter().any(|line| line.contains("left out")),
        "{lines:#?}"
    );
    // Clocks that come with the expected move reach the members.
    council.say("go ponder");
    council.say("ponderhit btime 9000 wtime 8000 byoyomi 500");
    council.until("bestmove");
    assert_eq!(council.heard(1, "ponderhit ").pop().unwrap(), "ponderhit btime 9000 wtime 8000 byoyomi 500");
    // After the end of a game no answer is awaited.
    council.say("go ponder byoyomi 5000");
    council.say("gameover lose");
    assert!(council.is_silent("bestmove", Duration::from_millis(300)));
    council.ready();
}

#[test]
fn nonsense_is_answered_with_a_reason_and_changes_nothing() {
    let mut council = Conversation::ready_with("majority", &[answers("7g7f", "cp 1")]);
    for line in ["castle", "setoption name Rule value dictator", ""] {
        council.say(line);
    }
    council.say("go mate infinite");
    let lines = council.until("checkmate notimplemented");
    assert_eq!(lines.iter().filter(|line| line.starts_with("info string")).count(), 2, "{lines:#?}");
    council.say("go perft 3");
    council.until("info string a council does not count positions");
    let (answer, lines) = council.go("go nodes 1 quickly");
    assert_eq!(answer, "bestmove 7g7f");
    assert_eq!(lines[0], "info string go: not understood and left out: quickly");
}

#[test]
fn a_file_that_is_no_council_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.toml");
    fs::write(&path, "rule = 'majority'\nlose = 3\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_kiki-council")).arg(&path).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("bad.toml") && said.contains("line 2") && said.contains("lose"), "{said}");
    assert!(output.stdout.is_empty());
}
