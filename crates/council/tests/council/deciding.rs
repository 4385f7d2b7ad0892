//! The move that follows.

use std::time::Instant;

use crate::conversation::{Conversation, Script, acts, answers};

/// One reliable member against two others.
fn divided() -> Vec<Script> {
    vec![
        answers("7g7f", "cp 120").with_noise(100.0),
        answers("2g2f", "cp 60").with_noise(250.0),
        answers("2g2f", "cp 55").with_noise(250.0),
    ]
}

#[test]
fn every_rule_decides_as_it_says_and_can_be_chosen_by_option() {
    let mut council = Conversation::ready_with("majority", &divided());
    for (rule, best) in [("majority", "2g2f"), ("optimistic", "7g7f"), ("pessimistic", "2g2f"), ("best", "7g7f")] {
        council.say(&format!("setoption name Rule value {rule}"));
        council.say("position startpos");
        let (answer, lines) = council.go("go nodes 100");
        assert_eq!(answer, format!("bestmove {best}"), "{rule}: {lines:#?}");
        assert!(lines.iter().any(|line| line.contains(&format!("{best} by {rule};"))), "{lines:#?}");
    }
}

#[test]
fn members_candidates_and_weights_are_told() {
    let mut council = Conversation::ready_with("majority", &divided());
    council.say("setoption name MultiPV value 2");
    let (_, lines) = council.go("go nodes 100");
    let of = |words: &str| lines.iter().filter(|line| line.contains(words)).collect::<Vec<_>>();
    assert_eq!(of("info string m").len(), 3, "{lines:#?}");
    assert!(of("info string m1 script 1: 7g7f value 120 depth 5 weight ").len() == 1, "{lines:#?}");
    assert!(of("multipv 1 score cp 60 nodes 300")[0].ends_with("pv 2g2f"), "{lines:#?}");
    assert!(of("multipv 2 score cp 120 nodes 300")[0].ends_with("pv 7g7f"), "{lines:#?}");
}

/// With one line requested, the last score is that of the move.
#[test]
fn as_many_lines_of_play_are_told_as_are_asked_for() {
    let told = "for k in 1 2 3; do set -- 7g7f 2g2f 9g9f; eval mv=\\$$k; \
                echo \"info depth 5 multipv $k score cp 5$k nodes 9 pv $mv\"; done; echo bestmove 7g7f";
    let mut council = Conversation::ready_with("majority", &[acts(told), answers("2g2f", "cp 9"), acts(told)]);
    for (asked, moves) in [(1, &["7g7f"][..]), (3, &["7g7f", "2g2f", "9g9f"]), (2, &["7g7f", "2g2f"])] {
        council.say(&format!("setoption name MultiPV value {asked}"));
        let (answer, lines) = council.go("go nodes 100");
        assert!(answer.starts_with("bestmove 7g7f"), "{answer}");
        let last: Vec<&String> = lines.iter().filter(|line| line.contains(" multipv ")).collect();
        let last = &last[last.len() - moves.len()..];
        let is_line = |(index, mv): (usize, &&str)| {
            last[index].contains(&format!("multipv {} ", index + 1)) && last[index].ends_with(&format!("pv {mv}"))
        };
        assert!(moves.iter().enumerate().all(is_line), "{asked}: {lines:#?}");
        assert!(!lines.iter().any(|line| line.contains(&format!(" multipv {} ", asked + 1))), "{asked}: {lines:#?}");
    }
}

#[test]
fn a_bound_is_not_taken_for_the_value_of_a_move() {
    let says = |scores: &[&str]| {
        let told: Vec<String> =
            scores.iter().map(|score| format!("echo 'info depth 5 score {score} pv 7g7f';")).collect();
        acts(&format!("{} echo bestmove 7g7f", told.join(" ")))
    };
    for (scores, expected) in [
        (&["cp 40", "cp -700 upperbound"][..], "score cp 40 "),
        (&["cp 40 lowerbound"], "score cp 40 "),
        (&["mate 5 lowerbound"], "score mate 5 "),
        (&["mate 5 upperbound"], "score cp 3000 "),
        (&["mate -4 lowerbound"], "score cp -3000 "),
    ] {
        let mut council = Conversation::ready_with("precision", &[says(scores)]);
        let (_, lines) = council.go("go nodes 1");
        let last = lines.last().unwrap();
        assert!(last.contains(expected) && !last.contains("bound"), "{scores:?}: {lines:#?}");
    }
}

#[test]
fn a_proved_mate_decides_and_all_who_resign_resign() {
    let mut members = divided();
    members.push(answers("9g9f", "mate 3").with_noise(900.0));
    let mut council = Conversation::ready_with("majority", &members);
    let (answer, lines) = council.go("go nodes 100");
    assert_eq!(answer, "bestmove 9g9f");
    assert!(lines.iter().any(|line| line.contains("m4 mates in 3 plies")), "{lines:#?}");

    let resigns = || acts("echo 'bestmove resign'");
    let mut council = Conversation::ready_with("majority", &[resigns(), answers("7g7f", "cp -900"), resigns()]);
    assert_eq!(council.go("go nodes 100").0, "bestmove 7g7f");
    let mut council = Conversation::ready_with("majority", &[resigns(), resigns()]);
    assert_eq!(council.go("go nodes 100").0, "bestmove resign");
}

#[test]
fn the_expected_answer_is_that_of_the_strongest_backer_if_it_is_legal() {
    let expects = |noise, ponder: &str| {
        acts(&format!("echo 'info score cp 1 pv 7g7f {ponder}'; echo 'bestmove 7g7f ponder {ponder}'"))
            .with_noise(noise)
    };
    let mut council = Conversation::ready_with("majority", &[expects(200.0, "8c8d"), expects(100.0, "3c3d")]);
    assert_eq!(council.go("go nodes 1").0, "bestmove 7g7f ponder 3c3d");
    let mut council = Conversation::ready_with("majority", &[expects(100.0, "7g7f")]);
    assert_eq!(council.go("go nodes 1").0, "bestmove 7g7f");
}

#[test]
fn illegal_moves_in_a_line_of_play_do_not_reach_the_gui() {
    let told = "echo 'info depth 5 score cp 40 pv 7g7f 5e5d 9a1i'; on_stop='echo bestmove 7g7f'";
    let mut council = Conversation::ready_with("majority", &[acts(told)]);
    council.say("go infinite");
    assert!(council.until("info depth").last().unwrap().ends_with(" pv 7g7f"), "while it searches");
    council.say("stop");
    let lines = council.until("bestmove");
    assert_eq!(lines.last().unwrap(), "bestmove 7g7f");
    assert!(!lines.iter().any(|line| line.contains("5e5d")), "{lines:#?}");
}

#[test]
fn a_council_adds_little_to_its_slowest_member() {
    let mut council = Conversation::ready_with("precision", &divided());
    let mut times: Vec<u128> = (0..30)
        .map(|_| {
            let began = Instant::now();
            council.go("go nodes 100");
            began.elapsed().as_micros()
        })
        .collect();
    times.sort_unstable();
    // The shells take most of this; the median, as tests run beside others.
    assert!(times[15] < 20_000, "{times:?}");
}
