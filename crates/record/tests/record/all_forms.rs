//! Games come back from every form, with all that the form can hold.

use std::fs;
use std::path::{Path, PathBuf};

use encoding_rs::SHIFT_JIS;
use kiki_board::Position;
use kiki_record::{
    EndReason, Ending, Game, GameOutcome, LostPart, PlayedMove, RecordForm, TextEncoding, Variation, lost_parts,
    read_records, text_of_lost,
};
use proptest::prelude::*;
use rsshogi::records::formats::csa::parse_csa_str;
use rsshogi::records::formats::jkf::parse_jkf_str;
use rsshogi::records::formats::kif::{parse_ki2_str, parse_kif_str};
use rsshogi::types::Color as OtherColor;

use crate::common::{Dice, OUTCOMES, ROOTS, moves, playout, written};

/// The parts of a game that a form may lose.
fn may_lose(form: RecordForm, part: LostPart) -> bool {
    match form {
        RecordForm::Kif | RecordForm::Jkf => false,
        RecordForm::Csa | RecordForm::Csa3 => matches!(part, LostPart::Variations),
        RecordForm::Ki2 | RecordForm::Ki2Digits => matches!(part, LostPart::Times | LostPart::Variations),
        RecordForm::Usi => !matches!(part, LostPart::Moves | LostPart::Root),
    }
}

/// A playout with comments, fields, variations and a result.
fn dressed(seed: u64, plies: usize) -> Game {
    let mut dice = Dice(seed ^ 0xabcd);
    let (mut game, position) = playout(seed, ROOTS[seed as usize % ROOTS.len()], plies);
    game.outcome = OUTCOMES[dice.below(4)];
    game.reason = [None, Some(EndReason::ALL[dice.below(18)])][dice.below(2)];
    game.remark = ["", "engine exited with status 1: panicked", "時間切れ"][dice.below(3)].to_owned();
    if game.reason.is_none() && game.outcome == GameOutcome::Unknown && position.count_legal_moves() == 0 {
        // The mate on the board ends such a game.
        (game.outcome, game.reason) =
            (GameOutcome::win_of(kiki_board::opponent(position.side_to_move())), Some(EndReason::Checkmate));
        game.remark.clear();
    }
    game.ending_time_ms = [None, Some(12_000), Some(12_345)][dice.below(3)];
    game.comment = ["", "before the game", "二行\nof comment"][dice.below(3)].to_owned();
    game.fields.insert("OPENING".to_owned(), "横歩取り".to_owned());
    game.fields.insert("消費時間".to_owned(), "1\n2".to_owned());
    game.fields.insert("NOTE".to_owned(), ["one", "a\\nb\\\\\nc, d", "\\"][dice.below(3)].to_owned());
    for index in 0..game.moves.len() {
        let comment = [
            "",
            "",
            "a comment, with a comma",
            "まで５手\n変化：3手",
            "&bookmark",
            " &x",
            "' * # +7776FU",
            "１ ７六歩(77)",
        ];
        game.moves[index].comment = comment[dice.below(comment.len())].to_owned();
    }
    game.variations = variations(&mut dice, &game);
    game
}

/// Variations of the first moves, some of them nested.
fn variations(dice: &mut Dice, game: &Game) -> Vec<Variation> {
    let mut position = game.root.as_deref().map_or_else(Position::startpos, |sfen| Position::from_sfen(sfen).unwrap());
    let mut variations = Vec::new();
    for after in 0..=game.moves.len().min(6) {
        for _ in 0..dice.below(3) {
            let moves = random_line(dice, &position);
            if let Some(first) = moves.first() {
                let mut next = position.clone();
                next.make(first.mv);
                let nested = random_line(dice, &next);
                let nested = (moves.len() > 1 && !nested.is_empty() && dice.below(2) == 0).then_some(Variation {
                    after: 1,
                    moves: nested,
                    ending: ending(dice),
                    ..Variation::default()
                });
                let variations_of_it = nested.into_iter().collect();
                variations.push(Variation { after, moves, variations: variations_of_it, ending: ending(dice) });
            }
        }
        if let Some(played) = game.moves.get(after) {
            position.make(played.mv);
        }
    }
    variations
}

/// An end of a line. Half of the lines have none.
fn ending(dice: &mut Dice) -> Ending {
    if dice.below(2) == 0 {
        return Ending::default();
    }
    let reason = [None, Some(EndReason::ALL[dice.below(18)])][dice.below(2)];
    let remark = ["", "封じ手", "a remark: two"][dice.below(3)].to_owned();
    let time_ms = [None, Some(12_000), Some(12_345)][dice.below(3)];
    Ending { outcome: OUTCOMES[dice.below(4)], reason, remark, time_ms }
}

fn random_line(dice: &mut Dice, start: &Position) -> Vec<PlayedMove> {
    dice.moves(start).into_iter().map(PlayedMove::from).collect()
}

/// The winner that the crate rsshogi reads from a text. It must find the same moves, and in CSA the
/// same players.
pub(crate) fn other_winner(form: RecordForm, game: &Game, text: &str) -> Option<OtherColor> {
    let record = match form {
        RecordForm::Csa => parse_csa_str(text).map_err(|error| error.to_string()),
        RecordForm::Kif => parse_kif_str(text).map_err(|error| error.to_string()),
        RecordForm::Ki2 => parse_ki2_str(text).map_err(|error| error.to_string()),
        _ => parse_jkf_str(text).map_err(|error| error.to_string()),
    };
    let record = record.unwrap_or_else(|error| panic!("{form:?}: {error}\n{text}"));
    let read: Vec<String> = record.moves().iter().map(|entry| entry.mv().to_usi()).collect();
    assert_eq!(read.join(" "), moves(game), "{form:?}\n{text}");
    if form == RecordForm::Csa {
        assert_eq!(record.metadata().black_player(), Some(game.black.as_str()));
        assert_eq!(record.metadata().white_player(), Some(game.white.as_str()));
    }
    record.result().winner_color()
}

#[test]
fn other_programs_read_what_is_written() {
    for seed in 0..60 {
        let mut game = dressed(seed, 80);
        // rsshogi refuses bookmarks, and loses variations behind the result.
        game.moves.iter_mut().for_each(|played| played.comment = played.comment.replace('&', ""));
        game.variations.clear();
        let winner = game.outcome.winner().map(|side| match side {
            kiki_board::Color::Black => OtherColor::BLACK,
            kiki_board::Color::White => OtherColor::WHITE,
        });
        for form in [RecordForm::Csa, RecordForm::Kif, RecordForm::Ki2, RecordForm::Jkf] {
            let text = written(form, &game);
            assert_eq!(other_winner(form, &game, &text), winner, "{form:?} {seed}\n{text}");
        }
    }
}

#[test]
fn several_games_make_a_file_of_every_form() {
    for &form in RecordForm::ALL {
        let games: Vec<Game> = (0..12).map(|seed| dressed(seed, 8 * (seed as usize % 4))).collect();
        let bytes = form.write(&games, TextEncoding::Utf8).unwrap();
        let read: Vec<Game> = form.read(&bytes).into_iter().collect::<Result<_, _>>().unwrap();
        let moves = |games: &[Game]| games.iter().map(moves).collect::<Vec<_>>();
        assert_eq!(moves(&read), moves(&games), "{form:?}\n{}", String::from_utf8_lossy(&bytes));
        let detected = RecordForm::detect("x", &bytes).map(RecordForm::extension);
        assert_eq!(detected, Some(form.extension()), "the content alone tells {form:?}");
    }
}

#[test]
fn line_ends_blank_lines_and_byte_order_marks_change_nothing() {
    for seed in 0..10 {
        let game = dressed(seed, 20);
        for &form in RecordForm::ALL {
            let text = written(form, &game);
            let expected = form.read(text.as_bytes());
            for changed in [
                text.replace('\n', "\r\n"),
                format!("\u{feff}{text}"),
                text.trim_end().to_owned(),
                format!("\n\n{text}\n\n"),
            ] {
                assert_eq!(form.read(changed.as_bytes()), expected, "{form:?}\n{changed}");
            }
        }
    }
}

#[test]
fn letters_that_an_encoding_lacks_have_others_or_are_named() {
    let marked =
        read_records("a.kifu", &fs::read("tests/odd/comment-like-a-bookmark.kifu").unwrap()).remove(0).unwrap();
    let text = |game: &Game| {
        let bytes = RecordForm::Kif.write(std::slice::from_ref(game), TextEncoding::ShiftJis).unwrap();
        SHIFT_JIS.decode(&bytes).0.into_owned()
    };
    assert!(text(&marked).contains("\n*▲好手 ～ ここまで\n"), "{}", text(&marked));
    let comment = "☖⛊⛉ −1 — ¥ 𠮷".to_owned();
    let game = Game { black: "☗한국 山田".to_owned(), comment, ..Game::default() };
    assert!(text(&game).contains("\n先手：▲&#54620;&#44397; 山田\n"), "{}", text(&game));
    assert!(text(&game).contains("\n*△▲△ －1 ― ￥ 吉\n"), "{}", text(&game));
    let lost = |form, game, encoding| -> Vec<String> {
        lost_parts(form, game, encoding).unwrap().iter().map(LostPart::to_string).collect()
    };
    let named = ["the letter 국 in Shift_JIS, written as &#44397;", "the letter 한 in Shift_JIS, written as &#54620;"];
    for form in [RecordForm::Kif, RecordForm::Ki2, RecordForm::Csa, RecordForm::Csa3] {
        assert_eq!(lost(form, &game, TextEncoding::ShiftJis), named, "{form:?}");
        assert_eq!(lost(form, &marked, TextEncoding::ShiftJis), lost(form, &marked, TextEncoding::Utf8), "{form:?}");
    }
    assert_eq!(lost(RecordForm::Kif, &game, TextEncoding::Utf8), [""; 0]);
    assert_eq!(lost(RecordForm::Usi, &game, TextEncoding::ShiftJis), ["names of players", "comments"]);
    let said = |count: usize| {
        let black = ('가'..).take(count).collect();
        let game = Game { black, event: "e".to_owned(), ..Game::default() };
        let lost = lost_parts(RecordForm::Ki2, &game, TextEncoding::ShiftJis).unwrap().into_iter();
        text_of_lost(&lost.chain([LostPart::Times]).collect())
    };
    assert_eq!(said(1), "times, the letter 가 in Shift_JIS, written as &#44032;");
    assert_eq!(said(10).matches("the letter").count(), 10);
    let more = said(12);
    assert!(more.ends_with(", the letter 갉 in Shift_JIS, written as &#44041;, and 2 more"), "{more}");
    let error = RecordForm::Jkf.write(&[game], TextEncoding::ShiftJis).unwrap_err();
    assert_eq!(error.to_string(), "JKF is always UTF-8");
}

fn check(form: RecordForm, game: &Game, encoding: TextEncoding) {
    let lost = lost_parts(form, game, encoding).unwrap();
    if let Some(part) = lost.iter().find(|&&part| !may_lose(form, part)) {
        panic!("{form:?} loses {part}: {game:?}\n{}", written(form, game));
    }
}

/// The files of a folder and of those below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn check_files(folder: &Path) -> usize {
    let mut count = 0;
    for path in files(folder) {
        let Some(_) = RecordForm::of_extension(path.to_str().unwrap()) else { continue };
        for game in read_records(path.to_str().unwrap(), &fs::read(&path).unwrap()) {
            let game = game.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            for &form in RecordForm::ALL {
                check(form, &game, TextEncoding::Utf8);
            }
            count += 1;
        }
    }
    count
}

#[test]
fn real_records_go_through_every_form() {
    assert_eq!(check_files(Path::new("tests/fixtures")), 3);
}

/// With `--nocapture`, prints the number of games. For a match, name its folder `csa`: the JSON
/// files next to it are not games.
#[test]
#[ignore = "needs a folder of records: KIKI_GAMES=FOLDER cargo test -p kiki-record --test record -- --ignored"]
fn records_of_a_folder_go_through_every_form() {
    let folder = std::env::var("KIKI_GAMES").expect("KIKI_GAMES is the folder");
    let count = check_files(Path::new(&folder));
    println!("{count} games");
    assert!(count > 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn playouts_go_through_every_form(seed in any::<u64>(), plies in 0..80_usize) {
        let game = dressed(seed, plies);
        for &form in RecordForm::ALL {
            check(form, &game, TextEncoding::Utf8);
            if form != RecordForm::Jkf {
                check(form, &game, TextEncoding::ShiftJis);
            }
        }
    }
}

#[test]
fn a_root_is_the_same_in_every_form() {
    // The initial position as some programs write it, and hands in another order.
    for (sfen, root) in [
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", None),
        ("4k4/9/9/9/9/9/9/9/4K4 b p2PgR 1", Some("4k4/9/9/9/9/9/9/9/4K4 b R2Pgp 1")),
    ] {
        let game = RecordForm::Usi.read(format!("position sfen {sfen}").as_bytes()).remove(0).unwrap();
        assert_eq!(game.root.as_deref(), root);
        for &form in RecordForm::ALL {
            assert_eq!(lost_parts(form, &game, TextEncoding::Utf8).unwrap(), [], "{form:?}");
        }
    }
}

#[test]
fn times_over_an_hour_are_told_by_every_form_that_tells_times() {
    let (mut game, _) = playout(3, ROOTS[0], 4);
    for (played, time_ms) in game.moves.iter_mut().zip([3_599_000, 3_600_500, 100 * 3_600_000, 7]) {
        *played = PlayedMove { time_ms: Some(time_ms), ..PlayedMove::from(played.mv) };
    }
    for form in [RecordForm::Csa, RecordForm::Csa3, RecordForm::Kif, RecordForm::Jkf] {
        assert_eq!(lost_parts(form, &game, TextEncoding::Utf8).unwrap(), [], "{form:?}");
    }
    let text = written(RecordForm::Kif, &game);
    assert!(text.contains("(59:59/00:59:59)") && text.contains("(6000:00/100:59:59)"), "{text}");
}

#[test]
fn comments_that_look_like_notes_stay_comments() {
    let (mut game, _) = playout(5, ROOTS[0], 2);
    game.moves.iter_mut().for_each(|played| *played = PlayedMove::from(played.mv));
    game.comment = include_str!("comments_like_notes.txt").trim_end().to_owned();
    game.moves[0].comment = game.comment.clone();
    for form in RecordForm::ALL.iter().copied().filter(|&form| form != RecordForm::Usi) {
        let text = written(form, &game);
        let mut read = form.read(text.as_bytes());
        assert_eq!(read.len(), 1, "{form:?}");
        let read = read.remove(0).unwrap();
        assert_eq!((&read.comment, &read.moves), (&game.comment, &game.moves), "{form:?}\n{text}");
        assert_eq!((read.outcome, read.reason), (GameOutcome::Unknown, None), "{form:?}\n{text}");
    }
}

#[test]
fn half_width_kana_in_shift_jis_are_not_taken_for_utf_8() {
    // These bytes are a Latin letter in UTF-8.
    let game = Game {
        black: "ﾂｱ".to_owned(), white: "山田".to_owned(), comment: "ﾂｱ".to_owned(), ..Game::default()
    };
    for form in [RecordForm::Csa, RecordForm::Csa3, RecordForm::Kif] {
        assert_eq!(lost_parts(form, &game, TextEncoding::ShiftJis).unwrap(), [], "{form:?}");
    }
}
