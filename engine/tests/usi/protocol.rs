//! The order of commands and answers.

use std::time::Duration;

use crate::conversation::Conversation;

#[test]
fn usi_lists_options_without_blanks_in_names_and_defaults_and_quit_leaves_at_once() {
    let mut engine = Conversation::start(&[]);
    engine.say("usi");
    let heard = engine.until("usiok");
    assert!(heard[0].starts_with("id name Kiki"));
    for name in ["Threads", "USI_Hash", "USI_Ponder", "MultiPV", "NetworkDelay2", "EnteringKingRule", "Clear_Hash"] {
        assert!(heard.iter().any(|line| line.starts_with(&format!("option name {name} type"))), "{name}");
    }
    for line in heard.iter().filter(|line| line.starts_with("option")) {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[3], "type", "{line}");
    }
    engine.say("quit");
    assert!(engine.leaves() < Duration::from_secs(2));
}

#[test]
fn the_end_of_the_input_is_quit_even_in_mid_search() {
    let mut engine = Conversation::ready();
    engine.say("position startpos");
    engine.say("go infinite");
    engine.leaves();
}

#[test]
fn every_go_has_exactly_one_bestmove() {
    let mut engine = Conversation::ready();
    for go in
        ["go depth 3", "go nodes 500", "go movetime 20", "go byoyomi 30", "go btime 100 wtime 100 binc 10 winc 10"]
    {
        engine.say("position startpos moves 7g7f");
        engine.say(go);
        let best = engine.answer();
        assert_ne!(best, "resign", "{go}");
        assert!(engine.meanwhile().iter().all(|line| !line.starts_with("bestmove")), "{go}");
    }
    engine.leaves();
}

#[test]
fn isready_is_answered_during_a_search_which_goes_on() {
    let mut engine = Conversation::ready();
    engine.say("position startpos");
    engine.say("go infinite");
    assert!(engine.meanwhile().iter().all(|line| !line.starts_with("bestmove")));
    engine.say("stop");
    engine.answer();
    engine.leaves();
}

#[test]
fn an_infinite_search_answers_only_after_stop_even_with_nothing_to_choose() {
    for position in [
        "position startpos",
        "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
        "position sfen k8/1G7/1P7/9/9/9/9/9/8K w - 1",
    ] {
        let mut engine = Conversation::ready();
        engine.say(position);
        engine.say("go infinite");
        std::thread::sleep(Duration::from_millis(150));
        assert!(engine.meanwhile().iter().all(|line| !line.starts_with("bestmove")), "{position}");
        engine.say("stop");
        engine.answer();
        engine.leaves();
    }
}

#[test]
fn what_is_known_at_once_is_told_before_stop() {
    for (rule, position, line, answer) in [
        ("CSARule27", "sfen 1+R+B1K4/GGGGSS+B2/SSNN5/9/9/9/9/9/4k4 b R4L2N18P 1", "score mate 1", "win"),
        ("TryRule", "sfen 9/4K4/9/9/9/9/9/4k4/9 b 2r2b4g4s4n4l18p 1", "score mate 1", "5b5a"),
        ("CSARule27", "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "score mate -1", "resign"),
        ("CSARule27", "sfen k8/1G7/1P7/9/9/9/9/9/8K w - 1", "score mate -1", "resign"),
        ("CSARule27", "sfen k7R/9/1P7/9/9/9/9/9/8K w - 1", "pv 9a9b", "9a9b"),
    ] {
        for (go, end) in [("go infinite", "stop"), ("go ponder", "ponderhit"), ("go ponder byoyomi 100", "stop")] {
            let mut engine = Conversation::ready();
            engine.say(&format!("setoption name EnteringKingRule value {rule}"));
            engine.say(&format!("position {position}"));
            engine.say(go);
            let mut heard = Vec::new();
            while !heard.iter().any(|heard: &String| heard.contains(line)) {
                heard.extend(engine.until("info"));
            }
            assert!(heard.iter().all(|line| !line.starts_with("bestmove")), "{go}: {heard:#?}");
            assert!(engine.meanwhile().iter().all(|line| !line.starts_with("bestmove")), "{go}");
            engine.say(end);
            let heard = engine.until("bestmove");
            assert_eq!(heard.last().and_then(|best| best.split(' ').nth(1)), Some(answer), "{go}: {heard:#?}");
            engine.leaves();
        }
    }
}

#[test]
fn pondering_answers_after_a_hit_or_a_stop_and_not_before() {
    for times in ["", " btime 1000 wtime 1000 byoyomi 100"] {
        let mut engine = Conversation::ready();
        engine.say("position startpos moves 7g7f 3c3d");
        engine.say(&format!("go ponder{times}"));
        std::thread::sleep(Duration::from_millis(100));
        assert!(engine.meanwhile().iter().all(|line| !line.starts_with("bestmove")));
        engine.say("ponderhit btime 500 wtime 500 byoyomi 100");
        engine.answer();
        engine.say("go ponder");
        engine.say("stop");
        engine.answer();
        engine.leaves();
    }
}

#[test]
fn stochastic_ponder_searches_the_opponents_choice_and_answers_for_the_position_that_came() {
    let mut engine = Conversation::ready();
    engine.say("setoption name Stochastic_Ponder value true");
    engine.say("position startpos moves 7g7f 3c3d");
    engine.say("go ponder byoyomi 100");
    std::thread::sleep(Duration::from_millis(50));
    engine.say("ponderhit");
    let best = engine.answer();
    let mover = best.split(' ').next().expect("a move").to_owned();
    engine.say("moves");
    assert!(engine.until("").join(" ").split(' ').any(|mv| mv == mover), "{mover} is Black's");
    engine.leaves();
}

#[test]
fn stochastic_ponder_goes_back_from_what_the_board_knows() {
    let mut engine = Conversation::ready();
    engine.say("setoption name Stochastic_Ponder value true");
    for (moves, side) in [("7g7f 3c3d 2g2f", "black"), ("7g7f 3c3d", "white"), ("2g2f", "black")] {
        // Of another length and another beginning than the line that follows.
        engine.say("position startpos moves 9g9f 1c1d 9f9e 1d1e 9e9d");
        engine.say(&format!("position startpos moves {moves}"));
        engine.say("go ponder btime 1000 wtime 1000");
        let heard = engine.until("info depth 4");
        let line = heard.last().expect("found");
        let first = line.split(" pv ").nth(1).and_then(|pv| pv.split(' ').next()).expect("a move").to_owned();
        engine.say("stop");
        engine.answer();
        let made = moves.rsplit_once(' ').map_or("", |(made, _)| made);
        engine.say(&format!("position startpos moves {made}"));
        engine.say("side");
        assert_eq!(engine.until("").last().map(String::as_str), Some(side), "{moves}");
        engine.say("moves");
        assert!(engine.until("").join(" ").split(' ').any(|mv| mv == first), "{moves}: {line}");
    }
    engine.leaves();
}

#[test]
fn after_gameover_a_search_ends_silently() {
    let mut engine = Conversation::ready();
    engine.say("position startpos");
    engine.say("go ponder");
    engine.say("gameover win");
    assert!(engine.meanwhile().iter().all(|line| !line.starts_with("bestmove")));
    engine.is_silent_for(Duration::from_millis(100));
    engine.leaves();
}

#[test]
fn a_lost_position_is_resigned_and_an_entered_king_declares() {
    let mut engine = Conversation::ready();
    engine.say("position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1");
    engine.say("go byoyomi 100");
    assert_eq!(engine.answer(), "resign");
    engine.say("position sfen 1+R+B1K4/GGGGSS+B2/SSNN5/9/9/9/9/9/4k4 b R4L2N18P 1");
    engine.say("go byoyomi 100");
    assert_eq!(engine.answer(), "win");
    engine.leaves();
}

#[test]
fn commands_may_come_as_arguments() {
    let mut engine = Conversation::start(&["usi", ",", "isready", ",", "go", "nodes", "1000", ",", "quit"]);
    let heard = engine.until("bestmove");
    for word in ["usiok", "readyok"] {
        assert!(heard.iter().any(|line| line == word), "{word}");
    }
    engine.leaves();
}

#[test]
fn developer_words_answer_in_ascii() {
    let mut engine = Conversation::ready();
    engine.say("matsuri");
    engine.say("moves");
    assert_eq!(engine.until("").join(" ").split(' ').count(), 207);
    engine.say("side");
    assert_eq!(engine.until(""), ["white"]);
    engine.say("position startpos");
    engine.say("perft 3");
    assert_eq!(engine.until("Nodes searched").last().map(String::as_str), Some("Nodes searched: 25470"));
    engine.say("go perft 2");
    assert!(engine.until("Nodes searched").contains(&"7g7f: 30".to_owned()));
    engine.say("eval");
    let value = engine.until("info string eval value ");
    assert!(matches!(&value[..], [line] if line.contains(" in centipawns for black, who is to move, by the network ")));
    engine.say("eval formula");
    assert_eq!(engine.until("info string eval value "), value, "that in force comes first");
    engine.until("total for Black: 0");
    engine.say("setoption name Eval value formula");
    engine.say("eval");
    let value = engine.until("info string eval value ").pop();
    assert_eq!(
        value.as_deref(),
        Some("info string eval value 0 in centipawns for black, who is to move, by the formula")
    );
    engine.until("total for Black: 0");
    engine.say("getoption threads");
    assert_eq!(engine.until(""), ["threads = 1"]);
    engine.leaves();
}

/// Every first word that the help shows is known: none is answered by a complaint about an unknown command.
#[test]
fn help_lists_the_commands_in_plain_lines() {
    let mut engine = Conversation::ready();
    engine.say("help");
    let heard = engine.meanwhile();
    assert!(heard.len() > 10 && heard.iter().all(|line| line.len() <= 100), "{heard:#?}");
    let answers = ["info", "bestmove", "option", "id ", "error", "readyok", "usiok"];
    assert!(heard.iter().all(|line| !answers.iter().any(|word| line.starts_with(word))), "{heard:#?}");
    let words = heard.iter().filter_map(|line| line.strip_prefix("  ")?.split([' ', ',']).next());
    let listed: Vec<&str> = words.collect();
    for word in ["usi", "position", "go", "stop", "quit", "d", "eval", "moves", "side", "perft", "bench", "help"] {
        assert!(listed.contains(&word), "{word}: {listed:?}");
    }
    for word in listed.into_iter().filter(|&word| word != "quit" && word != "bench") {
        engine.say(word);
        engine.say("stop");
        assert!(engine.meanwhile().iter().all(|line| !line.contains("unknown")), "{word}");
    }
    engine.leaves();
}
