//! `position`.

use kiki_board::{Color, GameRepetition};
use kiki_usi::BestMove;

use crate::check::{NamedRun, Run};
use crate::placement::{CasePosition, START, playout};
use crate::session::{EngineSession, SHORT};
use crate::settings::Outcome;

/// The start of a game in SFEN, without the counter of moves.
const START_SFEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

/// Black gives perpetual check with a promoted bishop; begins after a check.
const PERPETUAL_CHECK: &str = "position sfen l+P6l/4+B4/1ppp3pp/2n3k2/5ss2/S7P/PP1PP2+r1/1GKS2g2/6+l1L w G3NPrbg6p 126 \
                               moves 3d4d 5b6b 4d3d 6b5b 3d4d 5b6b 4d3d 6b5b 3d4d 5b6b 4d3d";

pub(super) const RUNS: &[NamedRun] = &[
    ("position-forms", Run::Ready(position_forms)),
    ("position-lenient", Run::Ready(position_lenient)),
    ("position-unpromoted", Run::Ready(position_unpromoted)),
    ("position-repeated", Run::Ready(position_repeated)),
    ("perpetual-check", Run::Ready(perpetual_check)),
    ("position-illegal", Run::New(position_illegal)),
    ("position-illegal-state", Run::New(position_illegal_state)),
    ("position-illegal-told", Run::New(position_illegal_told)),
    ("position-long", Run::Ready(|session| all_legal(session, vec![playout(1, 511), playout(1, 512)]))),
];

/// Each position must have a legal answer. A position with the other side to move comes first, so
/// that an ignored `position` shows.
fn all_legal(session: &mut EngineSession, placements: Vec<CasePosition>) -> Outcome {
    for placement in placements {
        session.say(match placement.position.side_to_move() {
            Color::Black => "position startpos moves 7g7f",
            Color::White => START,
        });
        session.think_legally(&placement, SHORT)?;
    }
    Ok(None)
}

fn position_forms(session: &mut EngineSession) -> Outcome {
    let commands = [
        START.to_owned(),
        format!("{START} moves 7g7f"),
        format!("{START} moves 7g7f 3c3d 8h2b+"),
        format!("position sfen {START_SFEN} 1"),
        format!("position sfen {START_SFEN} 1 moves 7g7f"),
        format!("position sfen {START_SFEN} 200 moves 7g7f 3c3d"),
        "position sfen 4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 7".to_owned(),
        "position sfen 4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1 moves 5i5h".to_owned(),
    ];
    let empty_list = CasePosition::new(START).told_as(format!("{START} moves"));
    all_legal(session, commands.iter().map(|command| CasePosition::new(command)).chain([empty_list]).collect())
}

fn position_lenient(session: &mut EngineSession) -> Outcome {
    let moved = CasePosition::new(&format!("{START} moves 7g7f"));
    let commands = [
        format!("position sfen {START_SFEN} moves 7g7f"),
        format!("position {START_SFEN} 1 moves 7g7f"),
        format!("position {START_SFEN} moves 7g7f"),
        format!("{START} 7g7f"),
    ];
    all_legal(session, commands.into_iter().map(|command| moved.told_as(command)).collect())
}

fn position_unpromoted(session: &mut EngineSession) -> Outcome {
    let commands = [
        // A pawn, a bishop and a rook enter the camp as they are.
        "position sfen 4k4/9/9/2P6/9/9/9/9/4K4 b - 1 moves 7d7c",
        "position sfen 4k4/9/9/2P6/9/9/9/9/4K4 b - 1 moves 7d7c 5a5b 7c7b 5b5a",
        "position sfen 3k5/9/9/9/9/9/9/1B7/4K4 b - 1 moves 8h2b",
        "position sfen 3k5/9/9/9/9/9/9/1B5R1/4K4 b - 1 moves 2h2b",
        "position sfen 4k4/1r5b1/9/9/9/9/9/9/4K4 w - 1 moves 8b8h",
        "position sfen 4k4/1r5b1/9/9/9/9/9/9/4K4 w - 1 moves 2b7g",
    ];
    all_legal(session, commands.iter().map(|command| CasePosition::new(command)).collect())
}

fn position_repeated(session: &mut EngineSession) -> Outcome {
    let round = " 2h3h 8b7b 3h2h 7b8b";
    // The start position has occurred three times; every answer is legal, also one move later.
    let commands = [format!("{START} moves{}", round.repeat(2)), format!("{START} moves{} 2h3h", round.repeat(2))];
    all_legal(session, commands.iter().map(|command| CasePosition::new(command)).collect())
}

fn perpetual_check(session: &mut EngineSession) -> Outcome {
    let placement = CasePosition::new(PERPETUAL_CHECK).lopsided();
    let answer = session.think_legally(&placement, "go btime 0 wtime 0 byoyomi 1000")?;
    let after = answer.mv().and_then(|mv| placement.after(mv));
    if after.is_some_and(|position| position.game_repetition() == GameRepetition::SideToMoveWins) {
        return Err(session.failed(format!("`{}` loses by perpetual check", answer.line.quoted())));
    }
    Ok(None)
}

fn position_illegal(mut session: EngineSession) -> Outcome {
    let start = CasePosition::new(START);
    for command in [
        "position startpos moves 7g7f 7g7f",
        "position startpos moves 7g7f xyz",
        "position startpos moves 5i5a P*5e 0a1b 7g7f+",
        "position sfen 4k4/9/9/9/9/9/9/9/9 w - 1 moves 5a4a",
        "position sfen 9/9/9 b - 1",
        "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL x - 1",
        "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b Q 1",
        "position sfen kk7/9/9/9/9/9/9/9/4K4 b - 1",
        "position sfen",
        "position",
        "position nonsense",
    ] {
        session.say(command);
        session.ready()?;
    }
    session.think_legally(&start, SHORT)?;
    Ok(None)
}

fn position_illegal_state(mut session: EngineSession) -> Outcome {
    let start = CasePosition::new(START);
    for refused in ["position startpos moves 7g7f 7g7f 3c3d", "position sfen 9/9/9 b - 1"] {
        session.think_legally(&start, SHORT)?;
        session.say(refused);
        session.say(SHORT);
        let answer = session.answer()?;
        if let Some(line) = answer.before.iter().find(|line| line.text.contains(" score ")) {
            return Err(session.failed(format!("`{}` is the value of another position", line.text)));
        }
        if answer.best != BestMove::Resign {
            return Err(session.failed(format!("`{}` is an answer for another position", answer.line.text)));
        }
        session.is_through()?;
    }
    session.think_legally(&start, SHORT)?;
    Ok(None)
}

fn position_illegal_told(mut session: EngineSession) -> Outcome {
    session.say("position startpos moves 2g2f 8c8d 5e5d 3c3d");
    let told = session.ready()?;
    if told.iter().any(|line| line.is("info string") && line.text.contains("5e5d")) {
        return Ok(None);
    }
    Err(session.failed("no `info string` names the illegal move `5e5d`"))
}
