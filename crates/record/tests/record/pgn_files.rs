//! Real and broken PGN files, and PGN that Kiki writes.

use kiki_record::{EndReason, GameOutcome, PgnGame, PgnMoves, ReadError, read_pgn, to_pgn};

use crate::common::{OUTCOMES, ROOTS, playout};

/// The games of a file without a fault.
fn games(bytes: &[u8]) -> Vec<PgnGame> {
    let games: Result<_, ReadError> = read_pgn(bytes).into_iter().collect();
    games.unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(bytes)))
}

fn results(text: &str) -> Vec<(String, String, GameOutcome)> {
    games(text.as_bytes()).into_iter().map(|game| (game.black, game.white, game.outcome)).collect()
}

fn stub(white: &str, black: &str, result: &str) -> String {
    format!("[Event \"e\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n")
}

#[test]
fn whites_of_pgn_move_first_and_are_kikis_black() {
    for (result, outcome) in [
        ("1-0", GameOutcome::BlackWins),
        ("0-1", GameOutcome::WhiteWins),
        ("1/2-1/2", GameOutcome::Draw),
        ("*", GameOutcome::Unknown),
    ] {
        assert_eq!(results(&stub("a", "b", result)), [("a".to_owned(), "b".to_owned(), outcome)]);
    }
}

#[test]
fn moves_comments_and_variations_are_skipped() {
    let movetext = "% an escaped line [White \"x\"]\n1. e4 $1 {[White \"c\"]\n } e5 (1... c5 {)} (2. a3 ; )\n) 2. b4) 2. Nf3!? ; [Black \"d\"]\n\
                    ) } 2... Nc6 1-0\n\n";
    let text = stub("a", "b", "1-0") + movetext + &stub("c", "d", "0-1") + movetext + &stub("e", "f", "*");
    let players: Vec<_> = results(&text).into_iter().map(|(black, white, _)| black + &white).collect();
    assert_eq!(players, ["ab", "cd", "ef"]);
    assert_eq!(results(&text.replace('\n', "\r\n")), results(&text));
}

#[test]
fn games_without_moves_are_told_apart() {
    let tight = stub("a", "b", "1-0").replace("\n\n", "\n");
    assert_eq!(results(&tight.repeat(3)).len(), 3);
    assert_eq!(results(&stub("a", "b", "1-0").repeat(3)).len(), 3);
    // A gap inside the tags ends nothing.
    assert_eq!(results("[White \"a\"]\n\n[Black \"b\"]\n\n[Result \"1-0\"]\n").len(), 1);
    // The next game's first tags are not the last one's.
    let games = games(b"[White \"a\"]\n[Black \"b\"]\n[Result \"*\"]\n\n[Event \"2\"]\n[White \"c\"]\n[Black \"d\"]\n[Result \"*\"]\n");
    let events: Vec<_> = games.into_iter().map(|game| (game.event, game.line)).collect();
    assert_eq!(events, [(String::new(), 1), ("2".to_owned(), 5)]);
}

#[test]
fn tags_are_read_leniently() {
    let text = "\u{feff} [ White  \"a \\\"b\\\" \\\\ C:\\d\" ] [Black \"?\"][Result\"1-0\"] 1-0";
    assert_eq!(results(text), [("a \"b\" \\ C:\\d".to_owned(), String::new(), GameOutcome::BlackWins)]);
    let latin1 = games(b"[White \"J\xf6rg\"]\n[Black \"b\"]\n[Result \"*\"]\n");
    assert_eq!(latin1[0].black, "Jörg");
    // A broken byte changes no name on another line.
    let broken = games(&["[White \"エンジン\"]\n[Black \"b\"]\n[Result \"*\"]\n{".as_bytes(), b"\xe3}\n"].concat());
    assert_eq!(broken[0].black, "エンジン");
    assert!(results("").is_empty() && results("{only a comment}\n1. e4\n").is_empty());
}

#[test]
fn errors_name_line_and_token() {
    for (text, expected) in [
        ("\n[White \"a]\n", "line 2: `[White \"a]` is not closed by `\"`"),
        ("[White \"a\"\n", "line 1: `[White \"a\"` is not closed by `]`"),
        ("[White \"a\" b\"]\n", "line 1: `[White \"a\" b\"]` is not closed by `]`"),
        ("[White a]\n", "line 1: `[White a]` is not a tag like [Name \"value\"]"),
        ("[]\n", "line 1: `[]` is not a tag like [Name \"value\"]"),
        ("[White \"a\"]\n[Result \"1-1\"]\n", "line 2: `1-1` is not a result: 1-0, 0-1, 1/2-1/2 or *"),
        ("\n[White \"a\"]\n[Black \"b\"]\n\n1-0\n", "line 2: the game that begins with `[White` has no tag Result"),
        (
            "[Event \"a\"]\n[Black \"b\"]\n[Result \"*\"]\n",
            "line 1: the game that begins with `[Event` has no tag White",
        ),
        ("\n\n{ never\n closed", "line 3: `{ never` is not closed by `}`"),
        ("1. e4 (1. d4\n(\n)", "line 1: `(1. d4` is not closed by `)`"),
    ] {
        let games = read_pgn(text.as_bytes());
        assert_eq!(games[0].as_ref().unwrap_err().to_string(), expected, "{text}");
    }
}

#[test]
fn a_broken_game_does_not_take_the_next_one_with_it() {
    let good = stub("a", "b", "1-0");
    for broken in
        ["[White a]\n[Black \"b\"]\n\n", "[Result \"2-0\"]\n\n1. e4\n\n", "[White \"a\"]\n[Black \"b\"]\n\n1-0\n\n"]
    {
        let text = format!("{good}{broken}{good}{broken}{good}");
        let is_read: Vec<bool> = read_pgn(text.as_bytes()).iter().map(Result::is_ok).collect();
        assert_eq!(is_read, [true, false, true, false, true], "{text}");
    }
    let read = read_pgn(format!("{good}1. e4 {{ never closed\n{good}").as_bytes());
    assert_eq!(read.iter().map(Result::is_ok).collect::<Vec<_>>(), [false]);
    let [unclosed, closed] = ["{ never closed\n", "{the comment of another game} 1-0\n\n"];
    let read =
        games(format!("{good}1. e4 {unclosed}{}{closed}{}", stub("c", "d", "*"), stub("e", "f", "*")).as_bytes());
    assert_eq!(read.iter().map(|game| game.black.as_str()).collect::<Vec<_>>(), ["a", "e"]);
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
        let read = self::games(text.as_bytes());
        assert_eq!(read.len(), games.len());
        for (seed, (read, game)) in read.iter().zip(&games).enumerate() {
            assert_eq!((&read.black, &read.white, read.outcome), (&game.black, &game.white, game.outcome));
            assert_eq!((&read.event, &read.round), (&game.event, &seed.to_string()));
        }
    }
}
