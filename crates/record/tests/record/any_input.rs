//! No file made of words from records makes a reader panic, and every game read can be written and
//! read again. The crate `kiki-fuzz-targets` tests the same with noise and damaged records.

use kiki_record::{Game, RecordForm, read_pgn};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::{moves, written};

/// Lines and pieces of lines that get further into the readers than noise.
const CSA_WORDS: &str = "V2.2 N+a N-b $EVENT:x PI PI82HI P1 P5 P+ P- P+00AL P+55OU P-51OU 00FU 00AL 55KI -KY +FU * + - +7776FU -3334FU +2726FU +0055KA \
                         -5551OU +8822UM T T1 T1.5 % %TORYO %KACHI %+ILLEGAL_ACTION # #ILLEGAL_MOVE #DRAW / ' '** '**5 '*info mate -3 nodes '*result \
                         black-wins time: 'summary:toryo:a win:b lose , 歩 \\";
const OTHER_WORDS: &str = "手合割：平手 手合割：その他 手合割：香落ち 先手：a 後手の持駒：飛二　歩十八 |v香v桂v銀v金v玉v金v銀v桂v香|一 |・・・・玉・・・・| +--- 後手番 手番：後手 手数＝74 \
                     手数----指手-- 1 2 3 ７六歩(77) ３四歩(33) 同　銀(31) ２二角成(88) ５五角打 ７六歩 ▲ △ ☗ ▲７六歩 △３四歩 同 銀 左 右 直 上 引 寄 打 成 不成 ( 0:12/00:01:23) (99999999999:99999999999) \
                     (70) 投了 中断 反則負け まで2手で後手の勝ち 変化：2手 変化：1手 変化：99999999999999手 * ** **評価値=35 **読み筋=△３四歩 **info *result # & ' { } [ ] {\"moves\":[ {\"move\":{ \"from\":{\"x\":7,\"y\":7}, \
                     \"to\":{\"x\":7,\"y\":6}, \"piece\":\"FU\" \"color\":0 }} ]} \"forks\":[[ \"special\":\"TORYO\" \"comments\":[\"a\"] \"initial\":{\"preset\":\"2\"} position startpos sfen moves 7g7f resign 歩";
const PGN_WORDS: &str = "[White \"a\"] [Black \"b\"] [Result \"1-0\"] [ ] \" \\\" \\ { } ( ) ; % 1. e4 * 1-0 [Event 歩";

fn text_of(words: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let word = select(words.split(' ').collect::<Vec<_>>()).prop_map(|word| word.as_bytes().to_vec());
    let piece = prop_oneof![12 => word, 1 => vec(any::<u8>(), 0..5)];
    let separator = select(vec!["\n", "\n", "\n", "\r\n", "", " ", "　", ","]);
    vec((piece, separator), 0..40)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, end)| [&piece, end.as_bytes()].concat()).collect())
}

/// Reads bytes as every form. Every form keeps a game's moves, and its own form keeps its root and
/// its outcome.
fn check_bytes(bytes: &[u8]) {
    for (source, game) in
        RecordForm::ALL.iter().copied().flat_map(|form| form.read(bytes).into_iter().map(move |game| (form, game)))
    {
        match game {
            Ok(game) => {
                for &form in RecordForm::ALL {
                    let text = written(form, &game);
                    let is_kept = |read: &Game| {
                        let is_same = (&read.root, read.outcome) == (&game.root, game.outcome);
                        moves(read) == moves(&game) && (is_same || form != source || form == RecordForm::Usi)
                    };
                    assert!(
                        form.read(text.as_bytes()).iter().flatten().any(is_kept),
                        "{source:?} {form:?} {game:?}\n{text}"
                    );
                }
            }
            Err(error) => assert!(error.line > 0 && error.to_string().lines().count() == 1, "{error}"),
        }
    }
}

fn check_pgn(bytes: &[u8]) {
    for error in read_pgn(bytes).into_iter().filter_map(Result::err) {
        assert!(error.line > 0 && error.to_string().lines().count() == 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn nearly_records_are_no_danger(bytes in prop_oneof![text_of(CSA_WORDS), text_of(OTHER_WORDS)]) {
        check_bytes(&bytes);
    }

    #[test]
    fn nearly_pgn_is_no_danger(bytes in text_of(PGN_WORDS)) {
        check_pgn(&bytes);
    }
}
