//! Members that fail.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kiki_mock::processes::{runs, wait_until};

use crate::conversation::{Conversation, acts, answers};

#[test]
fn a_member_that_crashes_is_left_out_and_started_again() {
    let crashes_once =
        acts("if [ -e crashed ]; then echo 'bestmove 2g2f'; else touch crashed; exit 3; fi").with_noise(1.0);
    let mut council = Conversation::ready_with("pessimistic", &[answers("7g7f", "cp 50"), crashes_once]);
    let (answer, lines) = council.go("go nodes 100");
    assert_eq!(answer, "bestmove 7g7f");
    assert!(
        lines.iter().any(|line| line.contains("m2 ") && line.contains("left out, exited with status 3")),
        "{lines:#?}"
    );
    council.ready();
    // A member without a value counts with the mean; of equal values that of the member with less
    // noise counts.
    assert_eq!(council.go("go nodes 100").0, "bestmove 2g2f");
}

#[test]
fn a_member_that_hangs_neither_costs_the_game_nor_stays() {
    let hangs = acts("echo $$ > hanging; exec sleep 1000");
    let mut council = Conversation::with("majority", &[answers("7g7f", "cp 50"), hangs]);
    council.say("setoption name Margin value 300");
    council.ready();
    let began = Instant::now();
    let (answer, lines) = council.go("go byoyomi 1000");
    assert!(began.elapsed() < Duration::from_millis(1000), "{:?}", began.elapsed());
    assert_eq!(answer, "bestmove 7g7f");
    assert!(lines.iter().any(|line| line == "info string m2: left out, it does not answer"), "{lines:#?}");
    council.ready();
    assert!(!runs(&fs::read_to_string(council.folder.path().join("hanging")).unwrap()));
}

#[test]
fn patience_ends_the_wait_for_one_of_many_when_much_time_is_left() {
    let hangs = acts("exec sleep 1000");
    let mut council = Conversation::with("majority", &[answers("7g7f", "cp 50"), hangs]);
    council.say("setoption name Patience value 100");
    council.ready();
    let began = Instant::now();
    assert_eq!(council.go("go btime 60000 wtime 60000").0, "bestmove 7g7f");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn with_nobody_left_the_last_line_of_play_counts_and_else_any_legal_move() {
    let tells_and_hangs = acts("echo 'info depth 3 score cp 7 pv 2g2f'; exec sleep 1000");
    let mut council = Conversation::ready_with("majority", &[tells_and_hangs]);
    assert_eq!(council.go("go byoyomi 400").0, "bestmove 2g2f");
    let mut council = Conversation::ready_with("majority", &[acts("exit 1"), acts("exit 1")]);
    let (answer, lines) = council.go("go byoyomi 1000");
    assert!(lines.iter().any(|line| line.ends_with("no member has an answer: any legal move")), "{lines:#?}");
    let best = answer.strip_prefix("bestmove ").unwrap();
    assert!(kiki_board::Position::startpos().parse_move(best).is_ok(), "{answer}");
    // A mated side has none.
    council.say("position sfen 9/9/9/9/9/9/4k4/4+r4/4K4 b - 1");
    assert_eq!(council.go("go byoyomi 400").0, "bestmove resign");
}

#[test]
fn quit_leaves_no_process_behind() {
    let tells_its_number = || acts("sleep 1000 & echo $! > \"child$$\"; wait").with_start("echo $$ > \"number$$\"");
    let mut council = Conversation::ready_with("majority", &[tells_its_number(), tells_its_number()]);
    council.say("go infinite");
    let written = || -> Vec<String> {
        let files = fs::read_dir(council.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let is_number = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with("number") || name.starts_with("child")
        };
        let numbers = files.filter(is_number).map(|path| fs::read_to_string(path).unwrap());
        numbers.filter(|number| number.ends_with('\n')).collect()
    };
    wait_until("not all of them begin", || written().len() >= 4);
    let numbers = written();
    assert_eq!(numbers.len(), 4);
    // A program that is just being started has no command line for a moment.
    wait_until("they do not run", || numbers.iter().all(|number| runs(number)));
    council.quit();
    assert!(!numbers.iter().any(|number| runs(number)));
}

#[test]
fn members_that_stay_do_not_keep_the_council_from_ending() {
    let stays = || answers("7g7f", "cp 1").with_start("trap '' HUP PIPE; on_quit='exec sleep 1000'");
    let loads = acts("echo bestmove 7g7f").with_ready("exec sleep 1000");
    let mut council = Conversation::with("majority", &[stays(), stays(), loads]);
    council.say("isready");
    wait_until("they do not load", || (1..=3).all(|number| !council.heard(number, "isready").is_empty()));
    // GUIs wait a second; the rest is for a busy machine.
    let took = council.quit();
    assert!(took < Duration::from_millis(1500), "{took:?}");
}

/// A member that stays when its input ends, as some programs do.
#[cfg(target_os = "linux")]
#[test]
fn a_request_to_terminate_ends_the_members_too() {
    for signal in ["-TERM", "-INT", "-HUP"] {
        let stays = answers("7g7f", "cp 1").with_start("echo $$ >pid; trap '' HUP PIPE; on_quit='exec sleep 1000'");
        // `nohup` may have started the test.
        let mut council = Conversation::started_by(&["env", "--default-signal=HUP"], &[stays]);
        council.ready();
        council.say("go infinite");
        let member = fs::read_to_string(council.folder.path().join("pid")).unwrap();
        assert!(runs(&member));
        council.terminate(signal);
        wait_until("the member stays", || !runs(&member));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_council_that_nohup_started_outlives_the_terminal() {
    let mut council = Conversation::started_by(&["nohup"], &[answers("7g7f", "cp 1")]);
    council.ready();
    council.signal("-HUP");
    assert_eq!(council.go("go nodes 1").0, "bestmove 7g7f");
    council.quit();
}
