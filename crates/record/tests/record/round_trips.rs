//! What is written can be read again, by Kiki and by others.

use crate::common::{Dice, ROOTS, playout};
use kiki_board::{GameRepetition, Position};
use kiki_record::{EndReason, Game, GameOutcome, PgnMoves, read_csa, read_pgn, to_csa, to_pgn};
use rsshogi::records::formats::csa::parse_csa_str;
use rsshogi::types::Color as OtherColor;

const OUTCOMES: [GameOutcome; 4] =
    [GameOutcome::BlackWins, GameOutcome::WhiteWins, GameOutcome::Draw, GameOutcome::Unknown];

fn read_one(text: &str) -> Game {
    let games: Vec<_> = read_csa(text.as_bytes()).collect();
    assert_eq!(games.len(), 1, "{text}");
    games.into_iter().next().unwrap().unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What an independent reader makes of a text: the winner, and that it finds the same names and moves.
fn other_winner(game: &Game, text: &str) -> Option<OtherColor> {
    let other = parse_csa_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let moves: Vec<_> = other.moves().iter().map(|entry| entry.mv().to_usi()).collect();
    assert_eq!(moves, game.moves.iter().map(|played| played.mv.to_string()).collect::<Vec<_>>());
    assert_eq!(other.metadata().black_player(), Some(game.black.as_str()));
    assert_eq!(other.metadata().white_player(), Some(game.white.as_str()));
    other.result().winner_color()
}

#[test]
fn playouts_with_every_result_survive_csa() {
    let mut dice = Dice(1);
    for seed in 0..400 {
        let (mut game, position) = playout(seed, ROOTS[seed as usize % ROOTS.len()], dice.below(150));
        game.outcome = OUTCOMES[dice.below(4)];
        game.reason = [None, Some(EndReason::ALL[dice.below(13)])][dice.below(2)];
        game.remark = ["", "engine exited with status 1: panicked", "時間切れ"][dice.below(3)].to_owned();
        if game.reason.is_none() && position.count_legal_moves() == 0 {
            // Such a game is over without a word.
            continue;
        }
        let text = to_csa(&game).unwrap();
        assert!(read_one(&text) == game, "seed {seed}:\n{text}");
        other_winner(&game, &text);
    }
}

#[test]
fn every_reason_gives_other_readers_the_right_winner() {
    for plies in [0, 6, 7] {
        for reason in EndReason::ALL {
            for outcome in OUTCOMES {
                let (mut game, _) = playout(7, None, plies);
                (game.outcome, game.reason) = (outcome, Some(reason));
                let text = to_csa(&game).unwrap();
                let winner = match outcome {
                    GameOutcome::BlackWins => Some(OtherColor::BLACK),
                    GameOutcome::WhiteWins => Some(OtherColor::WHITE),
                    GameOutcome::Draw | GameOutcome::Unknown => None,
                };
                assert_eq!(other_winner(&game, &text), winner, "{text}");
                // Without Kiki's own comment, the statement alone tells the same outcome.
                let plain: String =
                    text.lines().filter(|line| !line.starts_with("'*")).map(|line| format!("{line}\n")).collect();
                assert_eq!(read_one(&plain).outcome, outcome, "{plain}");
            }
        }
    }
}

#[test]
fn the_usual_ends_are_written_as_csa_names_them() {
    let usual = [
        (EndReason::Resignation, GameOutcome::WhiteWins, "%TORYO"),
        (EndReason::Checkmate, GameOutcome::WhiteWins, "%TSUMI"),
        (EndReason::Declaration, GameOutcome::BlackWins, "%KACHI"),
        (EndReason::FailedDeclaration, GameOutcome::WhiteWins, "%ILLEGAL_MOVE"),
        (EndReason::IllegalMove, GameOutcome::WhiteWins, "%ILLEGAL_MOVE"),
        (EndReason::Time, GameOutcome::WhiteWins, "%TIME_UP"),
        (EndReason::Time, GameOutcome::BlackWins, "%-ILLEGAL_ACTION"),
        (EndReason::Forfeit, GameOutcome::WhiteWins, "%+ILLEGAL_ACTION"),
        (EndReason::Forfeit, GameOutcome::BlackWins, "%-ILLEGAL_ACTION"),
        (EndReason::Sennichite, GameOutcome::Draw, "%SENNICHITE"),
        (EndReason::PerpetualCheck, GameOutcome::BlackWins, "%-ILLEGAL_ACTION"),
        (EndReason::Impasse, GameOutcome::Draw, "%JISHOGI"),
        (EndReason::MaxPlies, GameOutcome::Draw, "%MAX_MOVES"),
        (EndReason::Adjudication, GameOutcome::WhiteWins, "%TORYO"),
        (EndReason::Adjudication, GameOutcome::Draw, "%HIKIWAKE"),
        (EndReason::Interrupted, GameOutcome::Unknown, "%CHUDAN"),
    ];
    for (reason, outcome, statement) in usual {
        let game = Game { outcome, reason: Some(reason), ..Game::default() };
        let text = to_csa(&game).unwrap();
        assert_eq!(text, format!("V2.2\nPI\n+\n{statement}\n'*result {outcome} {reason}\n"));
    }
    assert_eq!(to_csa(&Game::default()).unwrap(), "V2.2\nPI\n+\n");
}

#[test]
fn odd_texts_do_not_break_a_file() {
    let odd =
        ["a,b", "two\nlines\r\n%TORYO", " \u{2028}/\n/ ", "歩, と金", "\0\u{85}", "'x", "\"]\\", "{}();%[White \"z\"]"];
    for text in odd {
        let (mut game, _) = playout(3, None, 5);
        let fields = [
            &mut game.black,
            &mut game.white,
            &mut game.event,
            &mut game.site,
            &mut game.time_control,
            &mut game.remark,
        ];
        fields.into_iter().for_each(|field| text.clone_into(field));
        (game.outcome, game.reason) = (GameOutcome::Draw, Some(EndReason::Sennichite));
        let csa = to_csa(&game).unwrap();
        assert!(csa.lines().all(|line| !line.contains(',')), "{csa}");
        let read = read_one(&csa);
        assert_eq!((&read.moves, read.outcome, read.reason), (&game.moves, game.outcome, game.reason), "{csa}");
        assert_eq!([&read.white, &read.remark], [&read.black; 2]);
        assert_eq!(parse_csa_str(&csa).unwrap().moves().len(), 5, "{csa}");

        for moves in [PgnMoves::Omitted, PgnMoves::Commented] {
            let pgn = to_pgn(&game, text, moves).repeat(2);
            let games = read_pgn(pgn.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{pgn}"));
            assert_eq!(games.len(), 2, "{pgn}");
            assert_eq!(
                (games[1].outcome, &games[1].black, &games[0].round),
                (GameOutcome::Draw, &games[0].white, &games[0].black)
            );
        }
    }
}

#[test]
fn several_games_make_a_file() {
    let games: Vec<Game> = (0..20).map(|seed| playout(seed, ROOTS[seed as usize % 5], 20).0).collect();
    let texts: Vec<_> = games.iter().map(|game| to_csa(game).unwrap()).collect();
    let file = texts.join("/\n").replace('\n', "\r\n");
    assert_eq!(read_csa(file.as_bytes()).collect::<Result<Vec<_>, _>>().unwrap(), games);
}

#[test]
fn results_survive_pgn() {
    for moves in [PgnMoves::Omitted, PgnMoves::Commented] {
        let mut games = Vec::new();
        let mut text = String::new();
        for (seed, outcome) in OUTCOMES.into_iter().cycle().take(40).enumerate() {
            let (mut game, _) = playout(seed as u64, ROOTS[seed % 5], 100);
            (game.outcome, game.reason) = (outcome, Some(EndReason::ALL[seed % 13]));
            text += &to_pgn(&game, &seed.to_string(), moves);
            games.push(game);
        }
        assert!(text.lines().all(|line| line.chars().count() < 100));
        let read = read_pgn(text.as_bytes()).unwrap();
        assert_eq!(read.len(), games.len());
        for (seed, (read, game)) in read.iter().zip(&games).enumerate() {
            assert_eq!((&read.black, &read.white, read.outcome), (&game.black, &game.white, game.outcome));
            assert_eq!((&read.event, &read.round), (&game.event, &seed.to_string()));
        }
    }
}

#[test]
fn perpetual_check_is_seen_on_the_board() {
    // Black's dragon checks for ever; in the second line White's evasion makes the fourth occurrence.
    let root = "7k1/9/7R1/9/9/9/9/9/K8 w 2b4g4s4n4l18pr 1";
    for moves in [["2a1a", "2c1c", "1a2a", "1c2c"], ["2a3a", "2c3c", "3a2a", "3c2c"]] {
        let mut position = Position::from_sfen(root).unwrap();
        let mut game = Game { root: Some(root.to_owned()), ..Game::default() };
        for mv in moves.into_iter().cycle() {
            let mv = position.parse_move(mv).unwrap();
            position.make(mv);
            game.moves.push(mv.into());
            if position.game_repetition() != GameRepetition::None {
                break;
            }
        }
        (game.outcome, game.reason) = (GameOutcome::WhiteWins, Some(EndReason::PerpetualCheck));
        let text = to_csa(&game).unwrap();
        assert!(text.contains("%+ILLEGAL_ACTION\n"));
        for end in ["%+ILLEGAL_ACTION", "#OUTE_SENNICHITE"] {
            let plain = text.replace("%+ILLEGAL_ACTION\n'*result white-wins perpetual-check", end);
            let read = read_one(&plain);
            assert_eq!((read.outcome, read.reason), (game.outcome, game.reason), "{plain}");
        }
    }
}

#[test]
fn games_that_cannot_be_played_are_not_written() {
    let (mut game, _) = playout(1, None, 10);
    game.moves[3].mv = game.moves[2].mv;
    let error = to_csa(&game).unwrap_err().to_string();
    assert!(error.starts_with("move 4 of the game, "), "{error}");
    game.root = Some("9/9 b".to_owned());
    assert!(to_csa(&game).unwrap_err().to_string().starts_with("the root of the game is not a position: "));
}
