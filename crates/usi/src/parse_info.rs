//! `info` lines of any engine, read as far as they can be understood.

use crate::info::{Info, ScoreBound, UNKNOWN_MATE_PLIES, UsiScore};
use crate::text::{Words, clamped, number};

/// Words that end a line of play.
const KEYWORDS: [&str; 15] = [
    "depth",
    "seldepth",
    "multipv",
    "score",
    "nodes",
    "nps",
    "hashfull",
    "time",
    "currmove",
    "currmovenumber",
    "cpuload",
    "tbhits",
    "refutation",
    "currline",
    "string",
];

impl Info {
    /// Reads what follows the word `info`. What is missing, malformed or unknown is left out.
    pub(crate) fn parse(mut words: Words<'_>) -> Self {
        let mut info = Self::default();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = count(&mut words).or(info.depth),
                "seldepth" => info.seldepth = count(&mut words).or(info.seldepth),
                "multipv" => info.multipv = count(&mut words).or(info.multipv),
                "score" => info.score = score(&mut words).or(info.score),
                "nodes" => info.nodes = large_count(&mut words).or(info.nodes),
                "nps" => info.nps = large_count(&mut words).or(info.nps),
                "hashfull" => info.hashfull = count(&mut words).or(info.hashfull),
                "time" => info.time_ms = large_count(&mut words).or(info.time_ms),
                "currmove" => info.currmove = words.next().map(str::to_owned),
                "pv" => info.pv = line_of_play(&mut words),
                // Some engines put the bound elsewhere than right behind the score.
                "lowerbound" => set_bound(info.score.as_mut(), ScoreBound::Lower),
                "upperbound" => set_bound(info.score.as_mut(), ScoreBound::Upper),
                "string" => {
                    info.string = Some(words.rest().to_owned());
                    break;
                }
                _ => {}
            }
        }
        info
    }
}

fn set_bound(score: Option<&mut UsiScore>, bound: ScoreBound) {
    if let Some(score) = score {
        score.bound = bound;
    }
}

fn count(words: &mut Words<'_>) -> Option<u32> {
    words.next_number().map(|number| clamped(number, 0, u32::MAX))
}

fn large_count(words: &mut Words<'_>) -> Option<u64> {
    words.next_number().map(|number| clamped(number, 0, u64::MAX))
}

fn score(words: &mut Words<'_>) -> Option<UsiScore> {
    match words.peek()? {
        "cp" => {
            words.next();
            let centipawns = words.next_number()?;
            Some(UsiScore::cp(clamped(centipawns, i32::MIN, i32::MAX)))
        }
        "mate" => {
            words.next();
            let plies = mate_plies(words.peek()?)?;
            words.next();
            Some(UsiScore::mate(plies))
        }
        _ => None,
    }
}

/// Reads `5` and `-4`; `+` and `-`, a mate of unknown length; `+0` and `-0`, where the sign says who mates. A bare `0` means that the
/// side to move is mated, which is how [`UsiScore::mate`] takes it.
fn mate_plies(word: &str) -> Option<i32> {
    match word {
        "+" => Some(UNKNOWN_MATE_PLIES),
        "-" => Some(-UNKNOWN_MATE_PLIES),
        _ => match clamped(number(word)?, i32::MIN, i32::MAX) {
            0 if word.starts_with('+') => Some(1),
            plies => Some(plies),
        },
    }
}

fn line_of_play(words: &mut Words<'_>) -> Vec<String> {
    let mut moves = Vec::new();
    while let Some(word) = words.peek().filter(|word| !KEYWORDS.contains(word)) {
        moves.push(word.to_owned());
        words.next();
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Info {
        Info::parse(Words::new(text))
    }

    #[test]
    fn mates_of_every_spelling_keep_their_sign() {
        for (text, plies) in [
            ("5", 5),
            ("+5", 5),
            ("-4", -4),
            ("+", UNKNOWN_MATE_PLIES),
            ("-", -UNKNOWN_MATE_PLIES),
            ("+0", 1),
            ("-0", -1),
            ("0", -1),
            ("00", -1),
            ("-99999999999", i32::MIN),
        ] {
            assert_eq!(parse(&format!("score mate {text} pv 7g7f")).score, Some(UsiScore::mate(plies)), "{text}");
        }
        for text in ["", "?", "pv"] {
            assert_eq!(parse(&format!("score mate {text}")).score, None);
        }
    }

    #[test]
    fn a_bound_may_stand_anywhere_behind_its_score() {
        let bound = |text| parse(text).score.map(|score| score.bound);
        assert_eq!(bound("score cp 5 lowerbound nodes 1"), Some(ScoreBound::Lower));
        assert_eq!(bound("score cp 5 nodes 1 upperbound"), Some(ScoreBound::Upper));
        assert_eq!(bound("lowerbound"), None);
    }

    #[test]
    fn unknown_and_malformed_words_are_skipped() {
        let info = parse("foo depth x seldepth 9 cpuload 500 nps -3 time 99999999999999999999999 score 30 multipv");
        assert_eq!(info, Info { seldepth: Some(9), nps: Some(0), time_ms: Some(u64::MAX), ..Info::default() });
    }

    #[test]
    fn a_line_of_play_ends_where_numbers_go_on() {
        let info = parse("pv 7g7f 3c3d nodes 5 string pv nodes");
        assert_eq!(info.pv, ["7g7f", "3c3d"]);
        assert_eq!(info.nodes, Some(5));
        assert_eq!(info.string.as_deref(), Some("pv nodes"));
    }
}
