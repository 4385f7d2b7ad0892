//! Whatever a GUI says, in whatever order: the engine neither falls over nor falls silent, and gives no more answers than it was asked for.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::conversation::Conversation;

/// What GUIs say, in any order, and some words that they do not.
const LINES: [&str; 63] = [
    "usi",
    "isready",
    "usinewgame",
    "position startpos",
    "position startpos moves 7g7f 3c3d 2g2f",
    "position startpos moves 7g7f 7g7f",
    "position sfen 4k4/9/9/9/9/9/9/9/4K4 b RB2G2S2N2L9Prb2g2s2n2l9p 1",
    "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
    "position sfen 9/9/9/9/9/9/9/9/9 b - 1",
    "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 999999999",
    "position sfen 8k/8P/7+R1/9/9/9/9/9/K8 w - 1",
    "go",
    "go nodes 200",
    "go nodes 0",
    "go depth 3",
    "go depth 0",
    "go movetime 20",
    "go movetime 0",
    "go byoyomi 30",
    "go btime 100 wtime 100 binc 10 winc 10",
    "go btime 0 wtime 0",
    "go infinite",
    "go btime abc wtime 100",
    "go depth",
    "go movetime 5000 btime 40 wtime 40",
    "go mate soon",
    "go ponder byoyomi 30",
    "go ponder btime 1000 wtime 1000 byoyomi 50",
    "go mate 30",
    "go mate infinite",
    "go searchmoves 7g7f nodes 100",
    "go searchmoves 5e5d",
    "go perft 2",
    "perft 20",
    "bench 1 1 1",
    "bench 1 1 60",
    "stop",
    "stop",
    "stop",
    "ponderhit",
    "ponderhit btime 100 wtime 100 byoyomi 10",
    "gameover win",
    "gameover lose",
    "setoption name Threads value 1",
    "setoption name Threads value 3",
    "setoption name USI_Hash value 1",
    "setoption name USI_Hash value 9",
    "setoption name MultiPV value 3",
    "setoption name Eval value formula",
    "setoption name Eval value network",
    "setoption name EvalFile value no/such/file",
    "setoption name GambleMove value on",
    "setoption name ProbCut value sigma",
    "setoption name Stochastic_Ponder value true",
    "setoption name Clear_Hash",
    "setoption name BookFile value no such.db",
    "setoption name USI_OwnBook value false",
    "setoption name BookOnTheFly value true",
    "d",
    "eval",
    "moves",
    "matsuri",
    "\u{6b69} nonsense",
];

/// How many conversations, unless `PROPTEST_CASES` says.
const CASES: u32 = 8;

fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { CASES };
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 64, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_order_of_commands_is_too_much(lines in vec(select(LINES.to_vec()), 1..40)) {
        let mut engine = Conversation::ready();
        for line in &lines {
            engine.say(line);
        }
        engine.say("stop");
        let mut heard = engine.meanwhile();
        // What was stopped says its last words.
        engine.say("go nodes 10");
        heard.extend(engine.until("bestmove"));
        heard.extend(engine.meanwhile());
        let asked = 1 + lines.iter().filter(|line| line.starts_with("go") && !line.contains("perft") && !line.contains("gameover")).count();
        let answers = heard.iter().filter(|line| line.starts_with("bestmove ") || line.starts_with("checkmate ")).count();
        prop_assert!(answers <= asked, "{answers} answers: {heard:#?}");
        let failed = heard.iter().find(|line| line.contains("panicked") || line.contains("failed"));
        prop_assert!(failed.is_none(), "{failed:?}");
        engine.leaves();
    }
}
