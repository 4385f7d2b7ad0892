//! The numbers that an optimizer may change: options of a build with the feature `tune`, and of no other.

use crate::conversation::Conversation;

#[cfg(not(feature = "tune"))]
#[test]
fn a_usual_build_announces_no_number_and_takes_none() {
    let mut engine = Conversation::ready();
    engine.say("usi_tunables");
    assert_eq!(engine.until("usi_tunablesok").len(), 1);
    engine.say("setoption name material_pawn value 200");
    let heard = engine.meanwhile();
    assert!(heard.len() == 1 && heard[0].contains("material_pawn"), "{heard:?}");
    engine.leaves();
}

#[cfg(feature = "tune")]
mod with_the_feature {
    use super::*;
    use crate::thinking::field;

    /// Two kings far from each other, and pawns in Black's hand.
    const PAWNS_IN_HAND: &str = "position sfen 8k/9/9/9/9/9/9/9/K8 b 4P 1";

    /// Centipawns of a search by one ply.
    fn searched(engine: &mut Conversation) -> i32 {
        engine.say(PAWNS_IN_HAND);
        engine.say("go depth 1");
        let heard = engine.until("bestmove");
        let score = heard.iter().rev().find_map(|line| field(line, "cp")).unwrap_or_else(|| panic!("{heard:#?}"));
        score.parse().expect("a number")
    }

    #[test]
    fn the_numbers_of_search_and_formula_are_announced_and_are_options() {
        let mut engine = Conversation::start(&[]);
        engine.say("usi");
        let options = engine.until("usiok");
        engine.say("usi_tunables");
        let heard = engine.until("usi_tunablesok");
        for (name, default, min, max) in [("razor_base", 337, 50, 900), ("enemy_distance_3", 200, 0, 1300)] {
            let option = format!("option name {name} type spin default {default} min {min} max {max}");
            assert!(options.contains(&option), "{option}: {options:#?}");
            let entry = format!(r#""option":"{name}","value_type":"int","encoding":"integer","default":{default},"#);
            assert!(heard[0].contains(&entry), "{entry}: {heard:?}");
        }
        engine.leaves();
    }

    #[test]
    fn a_number_of_the_formula_reaches_the_search_and_eval_with_and_without_isready() {
        let mut engine = Conversation::ready();
        engine.say("setoption name Eval value formula");
        // Nothing but the pawns counts.
        for name in ["own_effect", "enemy_effect", "board_discount", "home_pawn", "camp_pawn"] {
            engine.say(&format!("setoption name {name} value 0"));
        }
        assert_eq!(searched(&mut engine), 4 * 113);
        engine.say("setoption name material_pawn value 200");
        assert_eq!(searched(&mut engine), 4 * 200);
        engine.say("setoption name material_pawn value 50");
        engine.meanwhile();
        assert_eq!(searched(&mut engine), 4 * 50);
        engine.say("eval");
        let heard = engine.until("total for Black");
        assert_eq!(heard.last().map(String::as_str), Some("total for Black: 200 centipawns"));
        engine.leaves();
    }

    /// `probcut_search_margin` above 0 gives nodes of 6 plies and more check searches, `probcut_search_max` below that none again.
    #[test]
    fn a_number_of_probcut_counts_although_it_is_the_last() {
        let nodes = |numbers: &[(&str, &str)]| {
            let mut engine = Conversation::start(&[]);
            for (name, value) in [("Threads", "1"), ("USI_Hash", "16")].iter().chain(numbers) {
                engine.say(&format!("setoption name {name} value {value}"));
            }
            engine.say("position startpos");
            engine.say("go depth 11");
            let heard = engine.until("bestmove");
            engine.leaves();
            heard.iter().rev().find_map(|line| field(line, "nodes")).expect("nodes")
        };
        let usual = nodes(&[]);
        assert_eq!(usual, nodes(&[]));
        let (max, margin) = (("probcut_search_max", "0"), ("probcut_search_margin", "100"));
        let with_checks = nodes(&[margin]);
        assert_ne!(with_checks, usual);
        assert_eq!(nodes(&[margin, max]), usual);
        assert_eq!(nodes(&[max, margin]), usual);
        assert_eq!(nodes(&[max, margin, ("probcut_search_max", "20")]), with_checks);
    }

    #[test]
    fn a_number_out_of_its_range_is_refused() {
        let mut engine = Conversation::ready();
        engine.say("setoption name own_effect value 251");
        let heard = engine.meanwhile();
        assert!(heard.len() == 1 && heard[0].contains("own_effect"), "{heard:?}");
        engine.leaves();
    }
}
