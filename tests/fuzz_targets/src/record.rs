//! Game records. A reader of another form is a function here, beside its examples, and a line in [`crate::TARGETS`].

use std::fmt::Debug;

use kiki_board::Position;
use kiki_record::{
    EndReason, Game, GameOutcome, MoveScore, PgnMoves, PlayedMove, ReadError, read_csa, read_pgn, to_csa, to_pgn,
};

use crate::error_text::check_error;

/// A text has games that can be written and read again, or a fault whose line is named.
pub fn check_csa(bytes: &[u8]) {
    for game in read_csa(bytes) {
        let Ok(game) = game.inspect_err(check_place) else { continue };
        let text = to_csa(&game).expect("what was read is legal");
        let again = first(read_csa(text.as_bytes()));
        assert_eq!((again.moves, again.outcome, again.root), (game.moves, game.outcome, game.root), "{text}");
    }
    // What programs that want no variations read.
    for game in read_csa(bytes).without_pv().flatten() {
        assert!(game.moves.iter().all(|played| played.pv.is_empty()));
    }
}

/// A text has results, or a fault whose line is named.
pub fn check_pgn(bytes: &[u8]) {
    let _ = read_pgn(bytes).inspect_err(check_place);
}

fn check_place(error: &ReadError) {
    assert!(error.line > 0);
    check_error(error);
}

fn first<T, E: Debug>(mut games: impl Iterator<Item = Result<T, E>>) -> T {
    games.next().expect("a game").expect("what was written can be read")
}

/// Games from openings, their moves with all that a record can say of a move.
fn games() -> Vec<Game> {
    let openings = include_str!("../../fixtures/openings.sfen").lines().step_by(50);
    openings.enumerate().map(|(number, opening)| game(number as u64, opening)).collect()
}

fn game(number: u64, opening: &str) -> Game {
    let mut position = Position::startpos();
    let mut moves = Vec::new();
    for (ply, text) in opening.split(' ').skip(2).enumerate() {
        let mv = position.parse_move(text).expect("openings are legal");
        position.make(mv);
        let pv = position.legal_moves().iter().take(1).copied().collect();
        moves.push(PlayedMove {
            mv,
            time_ms: Some(1000 * ply as u64 + number),
            score: Some(MoveScore::Cp(10 * ply as i32 - 50)),
            depth: Some(7),
            nodes: Some(1234),
            pv,
        });
    }
    Game {
        black: "black".to_owned(),
        white: "白".to_owned(),
        moves,
        outcome: GameOutcome::BlackWins,
        reason: Some(EndReason::Resignation),
        ..Game::default()
    }
}

/// Written by Kiki, and what other programs write.
#[must_use]
pub fn csa_seeds() -> Vec<Vec<u8>> {
    let written = games().into_iter().map(|game| to_csa(&game).expect("a legal game").into_bytes());
    written.chain(CSA.iter().map(|text| text.as_bytes().to_vec())).collect()
}

/// Written by Kiki.
#[must_use]
pub fn pgn_seeds() -> Vec<Vec<u8>> {
    let forms = [PgnMoves::Commented];
    games().iter().flat_map(|game| forms.map(|form| to_pgn(game, "1", form).repeat(2).into_bytes())).collect()
}

const CSA: [&str; 3] = [
    "V2.2\nN+a\nN-b\n$EVENT:x\n$START_TIME:2026/01/31 09:30:00\n$TIME_LIMIT:00:15+10\nPI\n+\n+7776FU,T1\n-3334FU,T2\n+8822UM,T3\n%TORYO\n",
    "V2\nPI82HI22KA\n-\n-3334FU\nT1\n+2726FU,T2.5\n'** 30 -8384FU +2625FU\n'comment\n%SENNICHITE\n/\nPI\n+\n%CHUDAN\n",
    "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\nP4 *  *  *  *  *  *  *  *  * \n\
     P5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \nP7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \n\
     P9+KY+KE+GI+KI+OU+KI+GI+KE+KY\nP+00FU\nP-00AL\n+\n%KACHI\n",
];
