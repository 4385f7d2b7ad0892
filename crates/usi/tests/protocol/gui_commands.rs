//! One test for each command of a GUI and what reading it promises.

use kiki_usi::{
    BestMove, CheckmateReply, Clocks, Command, CommandError, GameResult, GoSpec, MateLimit, OptionDeclaration,
    OptionEffect, OptionError, OptionSet, PositionError, PositionRoot, PositionSpec, set_up,
};

fn parse(line: &str) -> Command {
    Command::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{line:?}: {error}"))
}

fn go(line: &str) -> GoSpec {
    match parse(line) {
        Command::Go(go) => go,
        other => panic!("{line:?}: {other:?}"),
    }
}

fn position(line: &str) -> PositionSpec {
    match parse(line) {
        Command::Position(spec) => spec,
        other => panic!("{line:?}: {other:?}"),
    }
}

fn set_option(name: &str, value: Option<&str>) -> Command {
    Command::SetOption { name: name.to_owned(), value: value.map(str::to_owned) }
}

fn options() -> OptionSet {
    let mut options = OptionSet::default();
    for declaration in [
        OptionDeclaration::spin("MultiPV", 1, 1, 600),
        OptionDeclaration::filename("EvalDir", "eval"),
        OptionDeclaration::button("Clear_Hash"),
    ] {
        options.declare(declaration).unwrap();
    }
    options
}

#[test]
fn row_01_usi_lists_the_options_in_the_order_of_their_declarations() {
    assert_eq!(parse("usi"), Command::Usi);
    let lines: Vec<_> = options().declarations().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "option name MultiPV type spin default 1 min 1 max 600",
            "option name EvalDir type filename default eval",
            "option name Clear_Hash type button",
        ]
    );
}

#[test]
fn row_02_usi_then_quit_are_two_commands() {
    assert_eq!(["usi\n", "quit\n"].map(parse), [Command::Usi, Command::Quit]);
}

#[test]
fn row_03_setoption_takes_any_value_and_names_in_any_case() {
    assert_eq!(parse("setoption name EvalDir value C:\\my  eval"), set_option("EvalDir", Some("C:\\my  eval")));
    assert_eq!(parse("setoption name EvalDir value 評価"), set_option("EvalDir", Some("評価")));
    assert_eq!(parse("setoption name EvalDir value "), set_option("EvalDir", Some("")));
    assert_eq!(parse("setoption name EvalDir value <empty>\r\n"), set_option("EvalDir", Some("")));
    assert_eq!(parse("setoption name Eval Dir value value x"), set_option("Eval Dir", Some("value x")));
    let mut options = options();
    options.set("EVALDIR", Some("a b")).unwrap();
    assert_eq!(options.text("evaldir"), Ok("a b"));
    assert!(matches!(options.set("USI_Hash", Some("32")), Err(OptionError::Unknown(_))));
}

#[test]
fn row_03_a_value_in_shift_jis_is_read_as_such() {
    let read = Command::parse(b"setoption name EvalDir value C:\\\x95\x5d\x89\xbf\\\x95\x5c\r\n");
    assert_eq!(read, Ok(set_option("EvalDir", Some("C:\\評価\\表"))));
}

#[test]
fn row_03_a_value_that_is_no_text_is_refused_instead_of_changed() {
    let error = Command::parse(b"setoption name EvalDir value \x95\xff").unwrap_err();
    assert!(matches!(error, CommandError::NotText { .. }));
    assert!(error.to_string().is_ascii());
}

#[test]
fn row_04_setoption_without_a_value_presses_a_button() {
    assert_eq!(parse("setoption name Clear_Hash"), set_option("Clear_Hash", None));
    assert_eq!(options().set("Clear_Hash", None).unwrap().effect, OptionEffect::Pressed);
    for line in ["setoption", "setoption name", "setoption name value 3", "setoption MultiPV 3"] {
        assert!(matches!(Command::parse(line.as_bytes()), Err(CommandError::Missing { .. })), "{line}");
    }
}

#[test]
fn row_05_setoption_works_any_number_of_times() {
    let mut options = options();
    for value in ["3", "1", "5"] {
        assert_eq!(options.set("MultiPV", Some(value)).unwrap().effect, OptionEffect::Changed);
    }
    assert_eq!(options.spin("MultiPV"), Ok(5));
}

#[test]
fn row_06_and_08_isready_reads_the_same_at_any_time() {
    for line in ["isready", "isready\r\n", "  isready  "] {
        assert_eq!(parse(line), Command::IsReady);
    }
}

#[test]
fn row_09_a_burst_of_lines_may_come_in_any_order() {
    let burst = "usinewgame\nposition startpos\ngo infinite\nisready\nusinewgame";
    let commands: Vec<_> = burst.lines().map(parse).collect();
    assert_eq!(commands[0], Command::UsiNewGame);
    assert_eq!(commands[1], Command::Position(PositionSpec::startpos()));
    assert_eq!(commands[3..], [Command::IsReady, Command::UsiNewGame]);
}

#[test]
fn row_10_position_tolerates_missing_words() {
    const BARE: &str = "4k4/9/9/9/9/9/9/9/4K4 b G";
    for line in [
        format!("position sfen {BARE} 1 moves 5i5h"),
        format!("position sfen {BARE} moves 5i5h"),
        format!("position {BARE} 1 moves 5i5h"),
        format!("position {BARE} 5i5h"),
    ] {
        let spec = position(&line);
        assert!(matches!(&spec.root, PositionRoot::Sfen(sfen) if sfen.starts_with(BARE)), "{line}");
        assert_eq!(spec.moves, ["5i5h"], "{line}");
        assert_eq!(set_up(&spec).unwrap().ply(), 2);
    }
    assert_eq!(position("position startpos 7g7f"), position("position startpos moves 7g7f"));
}

#[test]
fn row_10_position_keeps_the_history_for_repetition() {
    let shuffle = " 2h3h 8b7b 3h2h 7b8b".repeat(3);
    let position = set_up(&position(&format!("position startpos moves{shuffle}"))).unwrap();
    assert_eq!(position.moves_made(), 12);
}

#[test]
fn row_10_unpromoted_pawns_bishops_and_rooks_are_legal() {
    for (sfen, mv) in [
        ("k8/9/9/4P4/9/9/9/9/4K4 b - 1", "5d5c"),
        ("k8/9/9/9/9/9/9/1B7/4K4 b - 1", "8h2b"),
        ("k8/9/9/9/9/9/9/7R1/4K4 b - 1", "2h2b"),
    ] {
        assert!(set_up(&position(&format!("position sfen {sfen} moves {mv}"))).is_ok(), "{mv}");
    }
}

#[test]
fn row_10_an_illegal_move_is_named_and_the_last_legal_state_kept() {
    let spec = position("position startpos moves 7g7f 3c3d 8h3c 2b8h+");
    let error = set_up(&spec).err().unwrap();
    assert_eq!(error.to_string(), "move 4 of the position command is illegal: 2b8h+");
    let PositionError::IllegalMove { token, ply, reached } = error else { panic!("{error}") };
    assert_eq!((token.as_str(), ply), ("2b8h+", 4));
    assert_eq!((reached.moves_made(), reached.ply()), (3, 4));
}

#[test]
fn row_11_byoyomi_serves_both_sides_and_zeros_are_times() {
    let clocks = go("go btime 0 wtime 5000 byoyomi 0").clocks;
    assert_eq!(clocks, Clocks { btime: Some(0), wtime: Some(5000), byoyomi: Some(0), ..Clocks::default() });
}

#[test]
fn row_12_increments_are_kept_apart_for_each_side() {
    let clocks = go("go btime 33000 wtime 30000 binc 5000 winc 4000").clocks;
    assert_eq!((clocks.binc, clocks.winc, clocks.byoyomi), (Some(5000), Some(4000), None));
    // ShogiHome sends the time less the increment.
    let clocks = go("go btime -2000 wtime -1500.5 binc 5000 winc 5000").clocks;
    assert_eq!((clocks.btime, clocks.wtime), (Some(-2000), Some(-1501)));
    assert_eq!(parse("ponderhit btime -2000 binc 5000").to_string(), "ponderhit btime -2000 binc 5000");
}

#[test]
fn row_13_go_infinite_has_no_limit() {
    assert_eq!(go("go infinite"), GoSpec { infinite: true, ..GoSpec::default() });
}

#[test]
fn row_14_go_ponder_may_come_without_times() {
    assert_eq!(go("go ponder"), GoSpec { ponder: true, ..GoSpec::default() });
    let with_times = go("go ponder btime 54000 wtime 60000 binc 5000 winc 5000");
    assert!(with_times.ponder && !with_times.clocks.is_empty());
}

#[test]
fn row_15_ponderhit_may_bring_times_and_is_never_lost() {
    assert_eq!(parse("ponderhit"), Command::PonderHit(None));
    let clocks = Clocks { btime: Some(36000), wtime: Some(34000), binc: Some(5000), winc: Some(5000), byoyomi: None };
    assert_eq!(parse("ponderhit btime 36000 wtime 34000 binc 5000 winc 5000"), Command::PonderHit(Some(clocks)));
    let partly = Clocks { btime: Some(0), wtime: Some(3), binc: Some(0), winc: Some(0), ..Clocks::default() };
    assert_eq!(parse("ponderhit btime wtime 3 binc x winc"), Command::PonderHit(Some(partly)));
    assert_eq!(parse("ponderhit btime ?"), Command::PonderHit(Some(Clocks { btime: Some(0), ..Clocks::default() })));
}

#[test]
fn row_16_stop_is_stop_and_go_mate_can_answer_timeout() {
    assert_eq!(parse("stop"), Command::Stop);
    assert_eq!(BestMove::with_ponder("8c8d", "2f2e").to_string(), "bestmove 8c8d ponder 2f2e");
    assert_eq!(CheckmateReply::Timeout.to_string(), "checkmate timeout");
}

#[test]
fn row_17_go_mate_takes_milliseconds_or_infinite() {
    assert_eq!(go("go mate 5000").mate, Some(MateLimit::Ms(5000)));
    assert_eq!(go("go mate infinite").mate, Some(MateLimit::Infinite));
    assert_eq!(go("go mate").mate, Some(MateLimit::Ms(100)), "nothing is endless that does not say so");
    assert!(!go("go mate infinite").infinite);
    assert_eq!(CheckmateReply::NoMate.to_string(), "checkmate nomate");
    assert_eq!(CheckmateReply::NotImplemented.to_string(), "checkmate notimplemented");
}

#[test]
fn row_18_limits_may_be_combined_in_any_order() {
    let limits = go("go nodes 1000 searchmoves 7g7f 2g2f depth 12 movetime 500");
    assert_eq!(limits, go("go searchmoves 7g7f 2g2f movetime 500 nodes 1000 depth 12"));
    assert_eq!((limits.depth, limits.nodes, limits.movetime), (Some(12), Some(1000), Some(500)));
    assert_eq!(limits.searchmoves, ["7g7f", "2g2f"]);
}

#[test]
fn row_18_numbers_with_a_fraction_are_rounded_down() {
    assert_eq!(go("go movetime 1000.0"), go("go movetime 1000"));
    assert_eq!(go("go nodes 5e4 depth 7.9 byoyomi 999.5"), go("go nodes 50000 depth 7 byoyomi 999"));
    assert_eq!(go("go btime 60000.25 wtime 1e3 binc 0.5 winc 2000."), go("go btime 60000 wtime 1000 binc 0 winc 2000"));
    assert_eq!(go("go mate 5000.0").mate, Some(MateLimit::Ms(5000)));
    assert_eq!(go("go perft 2.0").perft, Some(2));
    assert_eq!(parse("perft 3.0 divide"), Command::Perft { depth: 3, divide: true });
    assert_eq!(parse("ponderhit byoyomi 100.5"), parse("ponderhit byoyomi 100"));
    let mut options = options();
    options.set("MultiPV", Some("3.0")).unwrap();
    assert_eq!(options.spin("MultiPV"), Ok(3));
}

#[test]
fn row_19_gameover_is_over_whatever_the_result() {
    assert_eq!(parse("gameover win"), Command::GameOver(GameResult::Win));
    assert_eq!(parse("gameover lose"), Command::GameOver(GameResult::Lose));
    assert_eq!(parse("gameover draw"), Command::GameOver(GameResult::Draw));
    assert_eq!(parse("gameover"), Command::GameOver(GameResult::Unknown));
}

#[test]
fn row_20_quit_is_quit_whatever_surrounds_it() {
    for line in ["quit", "quit\r\n", "\0quit\0", "\u{feff}quit", "quit now"] {
        assert_eq!(parse(line), Command::Quit);
    }
}

#[test]
fn row_21_the_end_of_input_may_cut_the_last_line_break() {
    assert_eq!(parse("quit"), parse("quit\n"));
}

#[test]
fn row_22_blank_lines_are_ignored_and_unknown_words_named() {
    for line in ["", "\n", "\r\n", " \t\0 \r\n"] {
        assert_eq!(parse(line), Command::Blank);
    }
    let error = Command::parse(b"hello world\r\n").unwrap_err();
    assert_eq!(error.to_string(), "unknown command `hello`");
    let long = [b"\xe6\xad\xa9".repeat(700_000), b"\r\n".to_vec()].concat();
    let error = Command::parse(&long).unwrap_err().to_string();
    assert!(error.is_ascii() && error.len() < 80, "{error}");
}

#[test]
fn row_22_a_line_of_megabytes_is_read_like_any_other() {
    let line = format!("position startpos moves{}", " 7g7f".repeat(400_000));
    assert_eq!(position(&line).moves.len(), 400_000);
    assert!(matches!(set_up(&position(&line)), Err(PositionError::IllegalMove { ply: 2, .. })));
}

#[test]
fn row_23_paths_are_handed_on_as_they_were_written() {
    for path in ["eval", "./eval/nn.bin", "..\\eval", "C:\\Program Files\\eval", "/a/b c//d"] {
        assert_eq!(parse(&format!("setoption name EvalDir value {path}\r\n")), set_option("EvalDir", Some(path)));
    }
}

#[test]
fn developer_commands_are_understood() {
    for (line, command) in [
        ("d", Command::Display),
        ("display", Command::Display),
        ("eval", Command::Eval { formula: false }),
        ("eval formula", Command::Eval { formula: true }),
        ("moves", Command::Moves),
        ("side", Command::Side),
        ("perft 5", Command::Perft { depth: 5, divide: false }),
        ("perft 5 divide", Command::Perft { depth: 5, divide: true }),
        ("matsuri", Command::Matsuri),
        ("getoption MultiPV", Command::GetOption("MultiPV".to_owned())),
        ("bench 64 1", Command::Bench(vec!["64".to_owned(), "1".to_owned()])),
        ("usi_tunables", Command::UsiTunables),
        ("help", Command::Help),
    ] {
        assert_eq!(parse(line), command);
    }
    assert_eq!(go("go perft 3").perft, Some(3));
    assert_eq!(Command::parse(b"perft").unwrap_err().to_string(), "`perft` needs a number");
    assert_eq!(Command::parse(b"perft x").unwrap_err().to_string(), "`perft` needs a number, not `x`");
    assert!(Command::parse(b"getoption").is_err());
}
