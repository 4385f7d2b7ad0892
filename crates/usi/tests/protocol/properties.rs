//! What is written can be read again, and no value upsets an option. `tests/fuzz_targets` gives the
//! parsers lines of every kind.

use kiki_usi::{
    BestMove, CheckmateReply, Clocks, Command, GREATEST_INTEGER, GoSpec, Info, InfoString, LONGEST_MILLISECONDS,
    MateLimit, OptionDeclaration, OptionKind, OptionSet, OptionValue, PositionRoot, PositionSpec, Reply, ScoreBound,
    UsiScore, command_lines,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

const WORD: &str = "[!-;=-~]{1,12}";
const MOVE: &str = "[1-9][a-i][1-9][a-i]\\+?|[PLNSGBR]\\*[1-9][a-i]";

fn time() -> impl Strategy<Value = Option<i64>> {
    of(0..=LONGEST_MILLISECONDS)
}

/// The remaining time of a clock may be negative.
fn time_left() -> impl Strategy<Value = Option<i64>> {
    of(-LONGEST_MILLISECONDS..=LONGEST_MILLISECONDS)
}

fn clocks() -> impl Strategy<Value = Clocks> {
    (time_left(), time_left(), time(), time(), time()).prop_map(|(btime, wtime, byoyomi, binc, winc)| Clocks {
        btime,
        wtime,
        byoyomi,
        binc,
        winc,
    })
}

fn go_spec() -> impl Strategy<Value = GoSpec> {
    let mate = of(prop_oneof![Just(MateLimit::Infinite), (0..=LONGEST_MILLISECONDS).prop_map(MateLimit::Ms)]);
    let flags = (any::<bool>(), any::<bool>());
    let counts = (of(any::<u64>()), of(any::<u32>()), of(any::<u32>()));
    (vec(MOVE, 0..4), flags, mate, clocks(), time(), counts).prop_map(
        |(searchmoves, (ponder, infinite), mate, clocks, movetime, (nodes, depth, perft))| GoSpec {
            searchmoves,
            ponder,
            infinite,
            mate,
            clocks,
            movetime,
            nodes,
            depth,
            perft,
            warnings: Vec::new(),
        },
    )
}

fn position_spec() -> impl Strategy<Value = PositionSpec> {
    let sfen = ("[1-9a-zA-Z/+]{1,30}", "[bw]", "-|[1-9PLNSGBRplnsgbr]{1,8}", of(any::<u32>()))
        .prop_filter("a root is not a keyword", |(board, ..)| !["sfen", "startpos", "moves"].contains(&board.as_str()))
        .prop_map(|(board, side, hands, counter)| {
            let counter = counter.map_or(String::new(), |counter| format!(" {counter}"));
            PositionRoot::Sfen(format!("{board} {side} {hands}{counter}"))
        });
    (prop_oneof![Just(PositionRoot::Startpos), sfen], vec(MOVE, 0..6))
        .prop_map(|(root, moves)| PositionSpec { root, moves })
}

fn declaration() -> impl Strategy<Value = OptionDeclaration> {
    let text = || prop_oneof![Just(String::new()), WORD.prop_map(String::from)].prop_map(OptionValue::Text);
    let spin = (any::<i64>(), any::<i64>(), any::<i64>()).prop_map(|(a, b, c)| {
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        (OptionKind::Spin { min: sorted[0], max: sorted[2] }, OptionValue::Spin(sorted[1]))
    });
    let combo = (vec(WORD, 1..5), any::<prop::sample::Index>()).prop_map(|(choices, index)| {
        let default = OptionValue::Text(index.get(&choices).clone());
        (OptionKind::Combo { choices }, default)
    });
    let kind = prop_oneof![
        any::<bool>().prop_map(|default| (OptionKind::Check, OptionValue::Check(default))),
        spin,
        combo,
        text().prop_map(|default| (OptionKind::String, default)),
        text().prop_map(|default| (OptionKind::Filename, default)),
        Just((OptionKind::Button, OptionValue::Button)),
    ];
    (WORD, kind).prop_map(|(name, (kind, default))| OptionDeclaration { name, kind, default })
}

fn info() -> impl Strategy<Value = Info> {
    let bound = prop_oneof![Just(ScoreBound::Exact), Just(ScoreBound::Lower), Just(ScoreBound::Upper)];
    let value = prop_oneof![any::<i32>().prop_map(UsiScore::cp), any::<i32>().prop_map(UsiScore::mate)];
    let score = of((value, bound).prop_map(|(score, bound)| score.with_bound(bound)));
    let small = (of(any::<u32>()), of(any::<u32>()), of(any::<u32>()), of(any::<u32>()));
    let count = || of(0..=GREATEST_INTEGER.unsigned_abs());
    let large = (count(), count(), count());
    (small, large, score, of(MOVE), vec(MOVE, 0..6), of("[!-~]( ?[!-~]){0,20}")).prop_map(
        |((depth, seldepth, multipv, hashfull), (nodes, nps, time_ms), score, currmove, pv, string)| Info {
            depth,
            seldepth,
            multipv,
            score,
            nodes,
            nps,
            hashfull,
            time_ms,
            currmove,
            pv,
            string,
            has_impossible_count: false,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn no_argument_makes_a_line_with_a_loose_comma(arguments in vec(".{0,20}", 0..6)) {
        for line in command_lines(&arguments) {
            prop_assert!(!line.is_empty() && !line.contains(" , "));
        }
    }

    #[test]
    fn no_value_makes_an_option_set_panic(
        declaration in declaration(), name in ".{0,20}", value in of(".{0,20}"),
    ) {
        let mut options = OptionSet::default();
        let named = declaration.name.clone();
        if options.declare(declaration).is_ok() {
            for name in [&name, &named] {
                match options.set(name, value.as_deref()) {
                    Ok(change) => prop_assert_eq!(&change.name, &named),
                    Err(error) => assert!(error.to_string().is_ascii()),
                }
            }
            prop_assert!(options.get(&named).unwrap().to_string().is_ascii());
        }
    }

    #[test]
    fn an_info_string_is_one_line_of_ascii(text in any::<String>()) {
        let line = InfoString(&text).to_string();
        prop_assert!(line.bytes().all(|byte| matches!(byte, b' '..=b'~')));
    }

    #[test]
    fn go_is_read_as_it_was_written(go in go_spec()) {
        prop_assert_eq!(Command::parse(go.to_string().as_bytes()), Ok(Command::Go(go)));
    }

    #[test]
    fn ponderhit_is_read_as_it_was_written(clocks in clocks()) {
        let command = Command::PonderHit(Some(clocks).filter(|clocks| !clocks.is_empty()));
        prop_assert_eq!(Command::parse(command.to_string().as_bytes()), Ok(command));
    }

    #[test]
    fn position_is_read_as_it_was_written(spec in position_spec()) {
        prop_assert_eq!(Command::parse(spec.to_string().as_bytes()), Ok(Command::Position(spec)));
    }

    #[test]
    fn setoption_is_read_as_it_was_written(name in WORD, value in of("[^\\x00-\\x20\\x7f<](.{0,20}[^\\x00-\\x20\\x7f])?|")) {
        prop_assume!(name != "value");
        let command = Command::SetOption { name, value };
        prop_assert_eq!(Command::parse(command.to_string().as_bytes()), Ok(command));
    }

    #[test]
    fn options_are_read_as_they_were_written(declaration in declaration()) {
        prop_assert_eq!(declaration.check_words(), Ok(()));
        prop_assert_eq!(Reply::parse(declaration.to_string().as_bytes()), Reply::Option(declaration));
    }

    #[test]
    fn info_is_read_as_it_was_written(info in info()) {
        prop_assert_eq!(Reply::parse(info.to_string().as_bytes()), Reply::Info(Box::new(info)));
    }

    #[test]
    fn answers_are_read_as_they_were_written(best in MOVE, ponder in of(MOVE), moves in vec(MOVE, 1..9)) {
        let best = BestMove::Move { best, ponder };
        prop_assert_eq!(Reply::parse(best.to_string().as_bytes()), Reply::BestMove(best));
        let mate = CheckmateReply::Moves(moves);
        prop_assert_eq!(Reply::parse(mate.to_string().as_bytes()), Reply::Checkmate(mate));
    }

}
