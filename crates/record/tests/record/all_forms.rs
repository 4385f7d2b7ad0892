//! Games go through every form and come back; no bytes make a reader panic.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Dice, ROOTS, playout};
use kiki_board::Position;
use kiki_record::{
    EndReason, Ending, Game, GameOutcome, LostPart, PlayedMove, RecordForm, TextEncoding, Variation, lost_parts,
    read_records,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rsshogi::records::formats::jkf::parse_jkf_str;
use rsshogi::records::formats::kif::{parse_ki2_str, parse_kif_str};
use rsshogi::types::Color as OtherColor;

const OUTCOMES: [GameOutcome; 4] =
    [GameOutcome::BlackWins, GameOutcome::WhiteWins, GameOutcome::Draw, GameOutcome::Unknown];

/// What a form may lose of a game.
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
        // Such a game is over without a word.
        (game.outcome, game.reason) =
            (GameOutcome::win_of(kiki_board::opponent(position.side_to_move())), Some(EndReason::Checkmate));
        game.remark.clear();
    }
    game.comment = ["", "before the game", "二行\nof comment"][dice.below(3)].to_owned();
    game.fields.insert("OPENING".to_owned(), "横歩取り".to_owned());
    game.fields.insert("消費時間".to_owned(), "1\n2".to_owned());
    game.fields.insert("NOTE".to_owned(), ["one", "a\\nb\\\\\nc, d", "\\"][dice.below(3)].to_owned());
    for index in 0..game.moves.len() {
        let comment =
            ["", "", "a comment, with a comma", "まで５手\n変化：3手", "&bookmark", "' * # +7776FU", "１ ７六歩(77)"];
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

/// Half of the lines do not tell how they end.
fn ending(dice: &mut Dice) -> Ending {
    if dice.below(2) == 0 {
        return Ending::default();
    }
    let reason = [None, Some(EndReason::ALL[dice.below(18)])][dice.below(2)];
    let remark = ["", "封じ手", "a remark: two"][dice.below(3)].to_owned();
    Ending { outcome: OUTCOMES[dice.below(4)], reason, remark }
}

fn random_line(dice: &mut Dice, start: &Position) -> Vec<PlayedMove> {
    dice.moves(start).into_iter().map(PlayedMove::from).collect()
}

/// The winner that another program reads, and the moves.
fn other_reader(form: RecordForm, text: &str) -> Option<(Option<OtherColor>, Vec<String>)> {
    let record = match form {
        RecordForm::Kif => parse_kif_str(text).map_err(|error| error.to_string()),
        RecordForm::Ki2 => parse_ki2_str(text).map_err(|error| error.to_string()),
        RecordForm::Jkf => parse_jkf_str(text).map_err(|error| error.to_string()),
        _ => return None,
    };
    let record = record.unwrap_or_else(|error| panic!("{form:?}: {error}\n{text}"));
    let moves = record.moves().iter().map(|entry| entry.mv().to_usi()).collect();
    Some((record.result().winner_color(), moves))
}

#[test]
fn other_programs_read_what_is_written() {
    for seed in 0..30 {
        let mut game = dressed(seed, 50);
        // It refuses bookmarks, and attaches variations otherwise: see kif_files.rs.
        game.moves.iter_mut().for_each(|played| played.comment = played.comment.replace('&', ""));
        game.variations.clear();
        let winner = game.outcome.winner().map(|side| match side {
            kiki_board::Color::Black => OtherColor::BLACK,
            kiki_board::Color::White => OtherColor::WHITE,
        });
        let moves: Vec<String> = game.moves.iter().map(|played| played.mv.to_string()).collect();
        for form in [RecordForm::Kif, RecordForm::Ki2, RecordForm::Jkf] {
            let text = String::from_utf8(form.write(std::slice::from_ref(&game), TextEncoding::Utf8).unwrap()).unwrap();
            assert_eq!(other_reader(form, &text), Some((winner, moves.clone())), "{form:?} {seed}\n{text}");
        }
    }
}

#[test]
fn several_games_make_a_file_of_every_form() {
    for form in RecordForm::ALL {
        let games: Vec<Game> = (0..12).map(|seed| dressed(seed, 8 * (seed as usize % 4))).collect();
        let bytes = form.write(&games, TextEncoding::Utf8).unwrap();
        let read: Vec<Game> = form.read(&bytes).into_iter().collect::<Result<_, _>>().unwrap();
        let moves = |games: &[Game]| -> Vec<Vec<String>> {
            games.iter().map(|game| game.moves.iter().map(|played| played.mv.to_string()).collect()).collect()
        };
        assert_eq!(moves(&read), moves(&games), "{form:?}\n{}", String::from_utf8_lossy(&bytes));
        let detected = RecordForm::detect("x", &bytes).map(RecordForm::extension);
        assert_eq!(detected, Some(form.extension()), "the content alone tells {form:?}");
    }
}

#[test]
fn line_ends_blank_lines_and_byte_order_marks_change_nothing() {
    for seed in 0..10 {
        let game = dressed(seed, 20);
        for form in RecordForm::ALL {
            let bytes = form.write(std::slice::from_ref(&game), TextEncoding::Utf8).unwrap();
            let expected = form.read(&bytes);
            let text = String::from_utf8(bytes).unwrap();
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
fn an_encoding_that_lacks_letters_loses_them_and_says_so() {
    let game = Game { black: "☗한국 山田".to_owned(), ..Game::default() };
    let lost = |form| lost_parts(form, &game, TextEncoding::ShiftJis).unwrap();
    assert_eq!(lost(RecordForm::Kif), [LostPart::Players]);
    assert_eq!(lost_parts(RecordForm::Kif, &game, TextEncoding::Utf8).unwrap(), []);
    let error = RecordForm::Jkf.write(&[game], TextEncoding::ShiftJis).unwrap_err();
    assert_eq!(error.to_string(), "JKF is always UTF-8");
}

fn check(form: RecordForm, game: &Game, encoding: TextEncoding) {
    let lost = lost_parts(form, game, encoding).unwrap();
    if let Some(part) = lost.iter().find(|&&part| !may_lose(form, part)) {
        let text = form.write(std::slice::from_ref(game), TextEncoding::Utf8).unwrap();
        panic!("{form:?} loses {part}: {game:?}\n{}", String::from_utf8_lossy(&text));
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
            for form in RecordForm::ALL {
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

/// With `--nocapture` behind it the command tells how many games there were. A match has its records in its folder `csa`; beside them lies JSON that is no game.
#[test]
#[ignore = "needs a folder of records: KIKI_GAMES=FOLDER cargo test -p kiki-record --test record -- --ignored"]
fn records_of_a_folder_go_through_every_form() {
    let folder = std::env::var("KIKI_GAMES").expect("KIKI_GAMES is the folder");
    let count = check_files(Path::new(&folder));
    println!("{count} games");
    assert!(count > 0);
}

/// Words that reach further into the readers than noise does.
const WORDS: &str = "手合割：平手 手合割：その他 手合割：香落ち 先手：a 後手の持駒：飛二　歩十八 |v香v桂v銀v金v玉v金v銀v桂v香|一 |・・・・玉・・・・| +--- 後手番 手番：後手 手数＝74 \
                     手数----指手-- 1 2 3 ７六歩(77) ３四歩(33) 同　銀(31) ２二角成(88) ５五角打 ７六歩 ▲ △ ☗ ▲７六歩 △３四歩 同 銀 左 右 直 上 引 寄 打 成 不成 ( 0:12/00:01:23) (99999999999:99999999999) \
                     (70) 投了 中断 反則負け まで2手で後手の勝ち 変化：2手 変化：1手 変化：99999999999999手 * ** **評価値=35 **読み筋=△３四歩 **info *result # & ' { } [ ] {\"moves\":[ {\"move\":{ \"from\":{\"x\":7,\"y\":7}, \
                     \"to\":{\"x\":7,\"y\":6}, \"piece\":\"FU\" \"color\":0 }} ]} \"forks\":[[ \"special\":\"TORYO\" \"comments\":[\"a\"] \"initial\":{\"preset\":\"2\"} position startpos sfen moves 7g7f resign 歩";

fn text_of_words() -> impl Strategy<Value = Vec<u8>> {
    let word = select(WORDS.split(' ').collect::<Vec<_>>()).prop_map(|word| word.as_bytes().to_vec());
    let piece = prop_oneof![12 => word, 1 => vec(any::<u8>(), 0..5)];
    let separator = select(vec!["\n", "\n", "\r\n", "", " ", "　"]);
    vec((piece, separator), 0..40)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, end)| [&piece, end.as_bytes()].concat()).collect())
}

/// A written game with bytes changed.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let edits = vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..6);
    (0..50_u64, select(RecordForm::ALL.to_vec()), edits).prop_map(|(seed, form, edits)| {
        let mut bytes = form.write(&[dressed(seed, 20)], TextEncoding::Utf8).unwrap();
        for (at, byte, kind) in edits {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => {
                    bytes.remove(at);
                }
            }
        }
        bytes
    })
}

fn check_bytes(bytes: &[u8]) {
    let forms = RecordForm::ALL.into_iter().chain(RecordForm::detect("", bytes));
    for game in forms.flat_map(|form| form.read(bytes)) {
        match game {
            Ok(game) => {
                for form in RecordForm::ALL {
                    let written =
                        form.write(std::slice::from_ref(&game), TextEncoding::Utf8).expect("what was read is legal");
                    let read = form.read(&written);
                    let moves = |game: &Game| game.moves.iter().map(|played| played.mv).collect::<Vec<_>>();
                    assert!(
                        read.iter().flatten().any(|read| moves(read) == moves(&game)),
                        "{form:?} {}",
                        String::from_utf8_lossy(&written)
                    );
                }
            }
            Err(error) => assert!(error.line > 0 && error.to_string().lines().count() == 1, "{error}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn playouts_go_through_every_form(seed in any::<u64>(), plies in 0..80_usize) {
        let game = dressed(seed, plies);
        for form in RecordForm::ALL {
            check(form, &game, TextEncoding::Utf8);
            if form != RecordForm::Jkf {
                check(form, &game, TextEncoding::ShiftJis);
            }
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn noise_is_no_danger(bytes in vec(any::<u8>(), 0..300)) {
        check_bytes(&bytes);
    }

    #[test]
    fn nearly_records_are_no_danger(bytes in text_of_words()) {
        check_bytes(&bytes);
    }

    #[test]
    fn damaged_records_are_no_danger(bytes in damaged()) {
        check_bytes(&bytes);
    }
}
