//! Moves of games between weak players, with the reasons why they are bad.

use std::thread::Builder;

use kiki_board::{Move, Position};
use kiki_eval::{DEFAULT_FV_SCALE, NetworkEvaluator};
use kiki_reasons::{Effort, Explainer, Reason, Role};
use kiki_search::SEARCH_STACK_SIZE;

/// What one explainer says of moves in positions, one after the other.
fn told(
    moves: &[(&str, &str)],
    say: impl Fn(&mut Explainer<NetworkEvaluator>, &Position, Move) -> Reason + Sync,
) -> Vec<(Position, Reason)> {
    let effort = Effort { nodes: 10_000, mate_nodes: 20_000 };
    let explain = || {
        let network = kiki_network::embedded(DEFAULT_FV_SCALE).unwrap();
        let mut explainer = Explainer::<NetworkEvaluator>::new(network, effort).unwrap();
        let mut reason = |(sfen, mv): &(&str, &str)| {
            let position = Position::from_sfen(sfen).unwrap();
            let reason = say(&mut explainer, &position, position.parse_move(mv).unwrap());
            (position, reason)
        };
        moves.iter().map(&mut reason).collect()
    };
    std::thread::scope(|scope| {
        let thread = Builder::new().stack_size(SEARCH_STACK_SIZE).spawn_scoped(scope, explain).unwrap();
        thread.join().unwrap()
    })
}

/// Position, move, pattern, and the sentences.
const CASES: [(&str, &str, &str, &str, &str); 12] = [
    (
        "lns2g1nl/1r1gk2s1/p2pppbpp/1p4p2/2p4P1/2PP4P/PPB1PPP2/1S2K2R1/LN1G1GSNL b - 19",
        "5g5f",
        "ignores-threat",
        "前からの狙いの△７六歩を防いでいません: △７六歩▲５九角△６六角▲７八金△３二金▲４八銀△７三桂▲５七銀。",
        "Px7f was threatened, and this does not stop it: Px7f B-5i Bx6f G-7h G-3b S-4h N-7c S-5g.",
    ),
    (
        "ln1g1g1nl/1s2k2s1/p2pp2pp/1pp1bpp2/9/2P6/PP1PPPPPP/3SK2R1/LN1G1GSNL b Rb 19",
        "1g1f",
        "allows-attack",
        "△８八角で９九の香に当てられ、取られます: △８八角▲７九金△９九角成。",
        "B*8h attacks the lance on 9i and wins it: B*8h G-7i Bx9i+.",
    ),
    (
        "ln1g1g1nl/1+Bs3ks1/pp3pbpp/2p1p1p2/4P4/2PP1P3/PP4PPP/2KS1S1R1/LN3G1NL w RPg 36",
        "4a3a",
        "unknown",
        "短い理由は見つかりません。手順をご覧ください。",
        "No short reason: the line shows it.",
    ),
    (
        "l7l/1rsgk1gs1/p2pppnpp/1p4p2/3nP2P1/2pb4P/PP3PP2/1S2KG1R1/LNG1B1SNL b 2p 33",
        "4h3h",
        "allows-exchange",
        "銀と歩を取って角と桂を成られます: △５七桂成▲４九玉△８八角成▲６九金△８七馬。",
        "N-5g+ wins a silver and a pawn and promotes a bishop and a knight: N-5g+ K-4i Bx8h+ G-6i +Bx8g.",
    ),
    (
        "ln1g1g1nl/1s2k2s1/3pp2pp/ppp1bpp2/4b4/2P1P3P/PPSP1PPP1/4K2R1/LN1G1GSNL w R 24",
        "5e3g+",
        "allows-exchange",
        "歩と引き換えに馬を取られます: ▲同桂。",
        "Nx3g wins a horse for a pawn: Nx3g.",
    ),
    (
        "lnsb3n1/1r1gk2sl/p1ppppgp1/8p/1p2B1p2/P1P1P3P/1P1P1PPP1/2G2SKR1/LNS1G2NL w - 26",
        "8b7b",
        "allows-threat-of-mate",
        "▲３三角成が1手の詰めろになります: ▲４二金。",
        "Bx3c+ threatens mate in 1: G*4b.",
    ),
    (
        "ln1g1gs1l/1rs1k4/2ppppn1p/p4bpR1/1p7/P7P/BPPPPPP2/6K2/LNSG1GSNL b Pp 19",
        "1f1e",
        "misses-exchange",
        "角と引き換えに飛と歩を取って飛を成れました: ▲２一飛成△９五歩▲７五角△８六歩▲同角△同飛▲同歩。",
        "R-2a+ could win a rook and a pawn and promote a rook for a bishop: R-2a+ P-9e B-7e P-8f Bx8f Rx8f Px8f.",
    ),
    (
        "l1sg2snl/4kg3/n1pppp1+P1/pr4p1p/2P6/P2SB4/3PPPP1P/2+p1KG1R1/BN1G2SNL b Plp 35",
        "6i7h",
        "allows-exchange",
        "とと引き換えに金と桂を取って飛を成られます: △８九飛成▲３三と△７八竜。",
        "Rx8i+ wins a gold and a knight and promotes a rook for a tokin: Rx8i+ +P-3c +Rx7h.",
    ),
    (
        "1n7/l1r3b1p/pkg1+Pp3/1spp3P1/Ppg1p4/L1lP1+BP2/1PN2PK2/1GG2SN2/1SSLP2N+r w 3P 140",
        "4c4d",
        "misses-threat-of-mate",
        "△２九竜が1手の詰めろでした: △２五桂。",
        "+Rx2i could threaten mate in 1: N*2e.",
    ),
    (
        "5r3/l8/pkn+P2p1p/1spG5/Ppg2p2b/L2Ps2N1/GPPlp1+b+rP/2G1LSN2/KS2P2+p1 w n3p 212",
        "3g3f",
        "allows-exchange",
        "とと引き換えに銀と桂と歩を取られます: ▲５七銀△６二歩▲５六銀△６三歩▲同金△８六桂▲同歩△同歩。",
        "Sx5g wins a silver, a knight and a pawn for a tokin: Sx5g P*6b Sx5f Px6c Gx6c N*8f Px8f Px8f.",
    ),
    (
        "l1sg3nl/3k1s3/n1ppp4/p4pp1p/2P6/PbS1B4/2LPPPP1P/1G1K2GR1/3sG+r1NL w 2Pn2p 58",
        "P*2g",
        "misses-mate",
        "7手詰がありました: △５九竜▲７九玉△８七桂▲同銀△７八銀成▲同玉△６八金。",
        "There was a mate in 7: +Rx5i K-7i N*8g Sx8g S-7h+ Kx7h G*6h.",
    ),
    (
        "ln1g5/1rs1s+N3/pppkp2p1/5G2p/4nB3/2P3PPP/PP1+pPGS2/1S1p5/LNKG4L w RL2Pbp 66",
        "6c7d",
        "allows-mate",
        "11手詰になります: ▲７五飛△８四玉▲８六香△８五角▲同飛△７四玉▲５六角打△６四玉▲６五飛…。",
        "This allows mate in 11: R*7e K-8d L*8f B*8e Rx8e K-7d B*5f K-6d R-6e ….",
    ),
];

#[test]
fn every_pattern_has_its_sentence_and_a_line_that_can_be_played() {
    let moves: Vec<(&str, &str)> = CASES.iter().map(|case| (case.0, case.1)).collect();
    let reasons = told(&moves, Explainer::explain);
    // All of them, to be copied where the search has changed them.
    for ((position, reason), (sfen, mv)) in reasons.iter().zip(moves) {
        let told = reason.told(position);
        println!("{:?},", (sfen, mv, told.pattern, told.japanese, told.english));
    }
    for ((position, reason), (sfen, mv, pattern, japanese, english)) in reasons.into_iter().zip(CASES) {
        let told = reason.told(&position);
        assert_eq!(told.pattern, pattern, "{sfen} {mv}");
        assert_eq!((told.japanese.as_str(), told.english.as_str()), (japanese, english));
        // Each language has the other's notation, and nothing of its own beside it.
        let kanji =
            |words: &str| words.contains(['▲', '△']) || words.contains(|letter| ('１'..='９').contains(&letter));
        assert!(kanji(&told.japanese) == kanji(&told.english_kanji), "{told:?}");
        assert!(kanji(&told.english_kanji) || pattern == "unknown", "{told:?}");
        assert!(!kanji(&told.english) && !kanji(&told.japanese_western), "{told:?}");
        assert!(told.pv_western.iter().all(|name| !told.english_kanji.contains(name.as_str())), "{told:?}");
        let mut now = position.clone();
        for &mv in &reason.line {
            assert!(now.is_legal(mv), "{sfen}: {mv}");
            now.make(mv);
        }
        assert_eq!(reason.line[0].to_string() == mv, reason.role == Role::Allows);
    }
}

#[test]
fn a_good_move_has_its_merit() {
    let moves = [
        ("4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1", "G*5b"),
        ("ln1g1gs1l/1rs1k4/2ppppn1p/p4bpR1/1p7/P7P/BPPPPPP2/6K2/LNSG1GSNL b Pp 19", "2d2a+"),
        ("lnsb3n1/2rgk2sl/p1ppppgp1/8p/1p2B1p2/P1P1P3P/1P1P1PPP1/2G2SKR1/LNS1G2NL b - 27", "5e3c+"),
        ("5r3/l8/pkn+P2p1p/1spG5/Ppg2p2b/L2Ps2N1/GPPlp1+b+rP/2G1LSN2/KS2P2+p1 w n3p 212", "3g4h"),
    ];
    let patterns = ["does-mate", "does-exchange", "does-threat-of-mate", "does-capture"];
    // The gold mates too, where the solver finds the rook first.
    let (position, reason) = told(&[("7k1/9/6GP1/9/9/9/9/9/4K4 b GR 1", "3c2b")], Explainer::merit).remove(0);
    assert_eq!(reason.told(&position).english, "It is mate in 1: G-2b.");
    for ((position, reason), pattern) in told(&moves, Explainer::merit).into_iter().zip(patterns) {
        println!("{:?}", reason.told(&position));
        assert_eq!(reason.pattern(), pattern);
    }
}

/// White threatened to drop the gold on 5h. The move of the king meets that, and allows another mate.
#[test]
fn a_mate_that_a_move_opens_was_no_threat() {
    let moves = [("4k4/9/9/9/9/9/4pp3/9/4K4 b g 1", "5i4i"), ("4k4/9/9/9/9/9/4p4/9/4K4 b gP 1", "P*1f")];
    let patterns: Vec<String> = told(&moves, Explainer::explain).iter().map(|(_, reason)| reason.pattern()).collect();
    assert_eq!(patterns, ["allows-mate", "ignores-mate"]);
}

#[test]
fn a_move_may_stop_what_the_other_side_would_do() {
    // White threatens G*5h, and a move of the king goes away.
    let moves = [("4k4/9/9/9/9/9/4p4/9/4K4 b g 1", "5i4h")];
    let (position, reason) = told(&moves, Explainer::merit).remove(0);
    assert_eq!((reason.role, reason.pattern().as_str()), (Role::Stops, "stops-mate"));
    let told = reason.told(&position);
    assert_eq!(told.english, "It stops this: mate in 1: G*5h.");
    assert_eq!(told.japanese_western, "これを防ぎます: 1手詰になります: G*5h。");
}
