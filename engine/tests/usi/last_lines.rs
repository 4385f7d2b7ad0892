//! The last lines before `bestmove`: what GUIs write into records.

use crate::conversation::Conversation;
use crate::thinking::field;

/// Sharp positions, whose values still change when the time is up.
const POSITIONS: [&str; 5] = [
    "position startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d",
    "position sfen l2gkg2+R/2S3s2/p2+Pppnp1/1p6p/b2n1b3/2Pg2P2/PP2PP2P/1Sp2KS2/LN4GNL w R3Pl 84",
    "position sfen l1s1R4/1kg6/1pp1+B1+Npp/p6g1/4+B1p2/2P6/PP3PPPP/2S1K1S2/2R2G1NL b GS2N2L5P 101",
    "position sfen lr5nl/3g1kg2/2n1ppsp1/p1pps1p1p/1p5P1/P1PPSPP1P/1PS1P1N2/2GK1G3/LN5RL b Bb 61",
    "position sfen ln1g4l/1rs3S1k/ppppG1bpp/4p4/9/3PP2PP/2GK1GP1L/2S6/9 w RBS3N3Pl3p 126",
];

/// The lines of a set without counts and times.
fn without_counts(lines: &[String]) -> Vec<String> {
    let part = |line: &String| {
        let score = line.split(" score ").nth(1).map(|rest| rest.split(" nodes ").next().unwrap_or(rest).to_owned());
        format!("{:?} {score:?} {:?}", field(line, "depth"), line.split(" pv ").nth(1))
    };
    lines.iter().map(part).collect()
}

/// A number that is greater for better scores.
fn score_order(line: &str) -> i64 {
    let number = |name| field(line, name).and_then(|text| text.parse::<i64>().ok());
    match (number("cp"), number("mate")) {
        (Some(centipawns), _) => centipawns,
        (None, Some(plies)) => plies.signum() * (1_000_000 - plies.abs()),
        (None, None) => panic!("no score: {line}"),
    }
}

/// Checks the output up to `bestmove` when so many lines are asked for.
fn check(heard: &[String], lines: usize) {
    let best = heard.last().expect("an answer").split(' ').nth(1).expect("a move");
    let infos: Vec<String> = heard.iter().filter(|line| line.contains(" multipv ")).cloned().collect();
    let is_first = |line: &String| field(line, "multipv").as_deref() == Some("1");
    let start = infos.iter().rposition(is_first).expect("a first line, whatever ends the search");
    let (before, last) = infos.split_at(start);
    assert!(last.iter().all(|line| field(line, "depth") == field(&last[0], "depth")), "one depth: {heard:#?}");
    assert!(last.iter().all(|line| !line.contains("bound")), "the last scores are exact: {heard:#?}");
    let ranks: Vec<usize> =
        last.iter().map(|line| field(line, "multipv").expect("a rank").parse().expect("a number")).collect();
    assert_eq!(ranks, (1..=lines).collect::<Vec<_>>(), "{heard:#?}");
    assert_eq!(field(&last[0], "pv").as_deref(), Some(best), "the first line is that of the answer: {heard:#?}");
    assert!(last.is_sorted_by(|one, next| score_order(one) >= score_order(next)), "best first: {heard:#?}");
    if before.len() >= lines {
        let repeated = without_counts(&before[before.len() - lines..]) == without_counts(last)
            && field(&before[before.len() - 1], "nodes") == field(&last[0], "nodes");
        assert!(!repeated, "reported twice: {heard:#?}");
    }
}

#[test]
fn the_last_lines_are_exact_sorted_and_agree_with_the_answer() {
    for (threads, lines, consideration) in
        [(1, 1, false), (1, 1, true), (1, 3, false), (2, 1, false), (2, 3, true), (5, 1, false)]
    {
        let mut engine = Conversation::ready();
        engine.say(&format!("setoption name Threads value {threads}"));
        engine.say(&format!("setoption name MultiPV value {lines}"));
        engine.say(&format!("setoption name ConsiderationMode value {consideration}"));
        for position in POSITIONS {
            for go in
                ["go movetime 30", "go movetime 70", "go nodes 3000", "go depth 5", "go btime 0 wtime 0 byoyomi 40"]
            {
                engine.say(position);
                engine.say(go);
                check(&engine.until("bestmove"), lines);
            }
        }
        engine.leaves();
    }
}

#[test]
fn a_search_that_is_held_at_its_end_tells_its_lines_before_the_stop() {
    let mut engine = Conversation::ready();
    engine.say("position startpos moves 7g7f");
    engine.say("go ponder depth 3");
    let mut heard = engine.until("info depth 3");
    engine.say("stop");
    heard.extend(engine.until("bestmove"));
    check(&heard, 1);
    engine.leaves();
}

#[test]
fn a_game_that_is_over_has_a_score_too() {
    for (sfen, answer, score) in [
        ("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "bestmove resign", " score mate -1 "),
        ("1+R+B1K4/GGGGSS+B2/SSNN5/9/9/9/9/9/4k4 b R4L2N18P 1", "bestmove win", " score mate 1 "),
    ] {
        let mut engine = Conversation::ready();
        engine.say(&format!("position sfen {sfen}"));
        engine.say("go byoyomi 50");
        let heard = engine.until("bestmove");
        assert_eq!(heard.last().map(String::as_str), Some(answer));
        assert!(heard[heard.len() - 2].contains(score), "{heard:#?}");
        assert_eq!(heard[heard.len() - 2].ends_with(" pv win"), answer == "bestmove win", "{heard:#?}");
        engine.leaves();
    }
}
