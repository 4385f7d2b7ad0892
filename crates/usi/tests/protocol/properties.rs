//! Properties of every parser: no input makes it panic, errors are short and ASCII, and its output
//! can be read again.

use kiki_usi::{
    BestMove, CheckmateReply, Clocks, Command, GREATEST_INTEGER, GoSpec, Info, InfoString, LONGEST_MILLISECONDS,
    MateLimit, OptionDeclaration, OptionKind, OptionSet, PositionError, PositionRoot, PositionSpec, Reply, ScoreBound,
    UsiScore, command_lines, set_up, settings,
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
    let default = || prop_oneof![Just(String::new()), WORD.prop_map(String::from)];
    let spin = (any::<i64>(), any::<i64>(), any::<i64>()).prop_map(|(a, b, c)| {
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        OptionKind::Spin { min: sorted[0], default: sorted[1], max: sorted[2] }
    });
    let combo = (vec(WORD, 1..5), any::<prop::sample::Index>())
        .prop_map(|(choices, index)| OptionKind::Combo { default: index.get(&choices).clone(), choices });
    let kind = prop_oneof![
        any::<bool>().prop_map(|default| OptionKind::Check { default }),
        spin,
        combo,
        default().prop_map(|default| OptionKind::String { default }),
        default().prop_map(|default| OptionKind::Filename { default }),
        Just(OptionKind::Button),
    ];
    (WORD, kind).prop_map(|(name, kind)| OptionDeclaration { name, kind })
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

/// Lines that are almost commands or replies: they get further into the parsers than noise.
fn nearly_a_line() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(
        "usi isready setoption name value <empty> position startpos sfen moves go ponder infinite mate btime byoyomi nodes depth perft \
         searchmoves ponderhit gameover win getoption bench option type spin default min max combo var check string filename button \
         info score cp mate + - +0 -0 lowerbound pv bestmove resign checkmate nomate checkmatenomate id 5 -3 99999999999999999999 7g7f \
         4k4/9/9/9/9/9/9/9/4K4 b w GG18p # // ,"
            .split(' ')
            .collect::<Vec<_>>(),
    );
    let piece = prop_oneof![4 => words.prop_map(|word| word.as_bytes().to_vec()), 1 => vec(any::<u8>(), 0..6)];
    let separator = prop::sample::select(vec![&b" "[..], b" ", b" ", b"  ", b"\t", b"\0", b""]);
    vec((piece, separator), 0..14).prop_map(|pieces| {
        pieces.into_iter().flat_map(|(piece, separator)| [piece, separator.to_vec()].concat()).collect()
    })
}

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 0..200), nearly_a_line()]
}

/// SFENs that are almost right.
fn nearly_a_position() -> impl Strategy<Value = PositionSpec> {
    let rank = "[1-9]|([1-9]|\\+?[PLNSGBRKplnsgbrk]){0,9}|.{0,3}";
    let board = prop_oneof![
        3 => Just("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL".to_owned()),
        1 => Just("4k4/9/9/9/9/9/9/9/4K4".to_owned()),
        3 => vec(rank, 9).prop_map(|ranks| ranks.join("/")),
        1 => ".{0,40}",
    ];
    let hands = prop_oneof![2 => Just("-".to_owned()), 2 => "([1-9]{0,3}[PLNSGBRplnsgbr]){0,7}", 1 => ".{0,8}"];
    let side = prop_oneof![4 => "[bw]", 1 => ".{0,2}"];
    let counter = prop_oneof![3 => "-?[0-9]{0,25}", 1 => ".{0,4}"];
    let mv = prop_oneof![6 => MOVE, 1 => ".{0,6}", 1 => "\\+?[A-Za-z]\\*?[0-9][a-z]\\+?"];
    (board, side, hands, counter, vec(mv, 0..6)).prop_map(|(board, side, hands, counter, moves)| PositionSpec {
        root: PositionRoot::Sfen(format!("{board} {side} {hands} {counter}")),
        moves,
    })
}

fn assert_can_be_shown(text: &str) {
    assert!(text.is_ascii() && text.len() < 300 && !text.contains('\n'), "{text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn no_line_makes_the_command_parser_panic(line in any_line()) {
        match Command::parse(&line) {
            Ok(Command::Position(spec)) => {
                if let Err(error) = set_up(&spec) {
                    assert_can_be_shown(&error.to_string());
                }
            }
            Ok(command) => {
                let _ = command.to_string();
            }
            Err(error) => assert_can_be_shown(&error.to_string()),
        }
    }

    #[test]
    fn no_line_makes_the_reply_parser_panic(line in any_line()) {
        let _ = Reply::parse(&line);
    }

    #[test]
    fn no_file_makes_the_settings_parser_panic(contents in any_line()) {
        for error in settings(&contents).filter_map(Result::err) {
            assert_can_be_shown(&error.to_string());
        }
    }

    #[test]
    fn no_argument_makes_a_line_with_a_loose_comma(arguments in vec(".{0,20}", 0..6)) {
        for line in command_lines(&arguments) {
            prop_assert!(!line.is_empty() && !line.contains(" , "));
        }
    }

    #[test]
    fn no_position_panics(spec in nearly_a_position()) {
        match set_up(&spec) {
            Ok(position) => prop_assert_eq!(position.moves_made(), spec.moves.len()),
            Err(error) => {
                assert_can_be_shown(&error.to_string());
                if let PositionError::IllegalMove { ply, reached, .. } = error {
                    prop_assert_eq!(reached.moves_made() + 1, ply);
                }
            }
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

    #[test]
    fn a_mate_is_never_written_without_a_number_other_than_zero(plies in any::<i32>()) {
        let text = UsiScore::mate(plies).to_string();
        let number: i64 = text.strip_prefix("mate ").unwrap().parse().unwrap();
        prop_assert!(number != 0);
    }
}
