//! The rules that end a game agree with other programs and with a plain record of the game.

use std::collections::BTreeMap;

use kiki_board::{
    COLORS, Color, DeclarationRule, DeclarationVerdict, GameRepetition, HAND_KINDS, HandCounts, Move, MoveError,
    Position, SearchRepetition, Sq,
};
use kiki_tests::diagram::Diagram;
use kiki_tests::fixtures::{self, RuleRow};
use kiki_tests::playout::{Dice, Manner, SPARSE, play};

/// The rows of a category; their number is given, so that none is lost.
fn rows(category: &str, count: usize) -> Vec<RuleRow> {
    let rows: Vec<RuleRow> = fixtures::rules().into_iter().filter(|row| row.category == category).collect();
    assert_eq!(rows.len(), count, "rows of {category}");
    rows
}

#[test]
fn every_row_belongs_to_a_category_that_is_tested() {
    assert_eq!(fixtures::rules().len(), 36 + 26 + 26 + 27 + 40);
}

#[test]
fn repetition_is_judged_at_the_fourth_occurrence() {
    for row in rows("repetition", 36) {
        let mut position = fixtures::position(row.sfen);
        fixtures::play(&mut position, row.moves);
        let black_to_move = position.side_to_move() == Color::Black;
        let verdict = match position.game_repetition() {
            GameRepetition::None => "none",
            GameRepetition::Draw => "draw",
            GameRepetition::SideToMoveLoses if black_to_move => "black-loses",
            GameRepetition::SideToMoveWins if !black_to_move => "black-loses",
            GameRepetition::SideToMoveLoses | GameRepetition::SideToMoveWins => "white-loses",
        };
        assert_eq!(verdict, row.expected, "{}", row.id);
        assert_eq!(Some(position.moves_made()), row.detail("plies").and_then(|n| n.parse().ok()));
    }
}

fn declared(position: &Position, rule: DeclarationRule) -> &'static str {
    match position.declaration(rule) {
        DeclarationVerdict::No => "none",
        DeclarationVerdict::Draw => "draw",
        DeclarationVerdict::Win => "win",
        DeclarationVerdict::WinBy(mv) => panic!("a point rule asks for the move {mv}"),
    }
}

#[test]
fn declarations_are_judged_by_points() {
    for (category, rule) in
        [("declaration-27", DeclarationRule::Points27), ("declaration-24", DeclarationRule::Points24)]
    {
        for row in rows(category, 26) {
            let position = fixtures::position(row.sfen);
            assert_eq!(declared(&position, rule), row.expected, "{}", row.id);
            assert_eq!(declared(&position, DeclarationRule::None), "none", "{}", row.id);
        }
    }
}

/// In a game with a handicap of rook and bishop, White, who gave them, has their ten points from
/// the start.
#[test]
fn missing_pieces_count_for_the_giver_of_a_handicap() {
    use DeclarationRule::{Points24, Points24Handicap, Points27, Points27Handicap};
    let verdicts = |sfen: &str| {
        let position = fixtures::position(sfen);
        [Points24, Points24Handicap, Points27, Points27Handicap].map(|rule| declared(&position, rule))
    };
    // White has ten pieces besides the king in Black's camp and eleven, then ten, in hand.
    let giver = "9/9/9/4K4/9/9/ppppppppp/k3g4/9 w RBG4S4N4L2g9p 1";
    assert_eq!(verdicts(giver), ["none", "win", "none", "win"]);
    let one_less = "9/9/9/4K4/9/9/ppppppppp/k3g4/9 w RBG4S4N4LP2g8p 1";
    assert_eq!(verdicts(one_less), ["none", "draw", "none", "win"]);
    // Black never gives a handicap.
    let taker = Diagram::parse(giver).rotated().to_sfen();
    assert_eq!(verdicts(&taker), ["none"; 4]);
    // In a game with all pieces the rules are the same.
    let even = "9/9/9/4K4/9/9/ppppppppp/k3g4/9 w RBG4S4N4Lrb2g9p 1";
    assert_eq!(verdicts(even), ["win"; 4]);
}

#[test]
fn the_try_rule_asks_for_a_legal_king_move_to_the_home_of_the_other_king() {
    let verdict = |sfen: &str| fixtures::position(sfen).declaration(DeclarationRule::Try);
    let goal = |from: Sq, rank: usize| DeclarationVerdict::WinBy(Move::board(from, Sq::at(4, rank), false));
    assert_eq!(verdict("9/4K4/9/9/9/9/9/9/k8 b - 1"), goal(Sq::at(4, 1), 0));
    assert_eq!(verdict("9/9/9/9/9/9/9/3k5/8K w - 1"), goal(Sq::at(5, 7), 8));
    // Too far, attacked, occupied by an own piece, and not White's target.
    for sfen in [
        "9/9/4K4/9/9/9/9/9/k8 b - 1",
        "r8/4K4/9/9/9/9/9/9/k8 b - 1",
        "4G4/4K4/9/9/9/9/9/9/k8 b - 1",
        "9/4k4/9/9/9/9/9/9/K8 w - 1",
    ] {
        assert_eq!(verdict(sfen), DeclarationVerdict::No, "{sfen}");
    }
}

#[test]
fn a_side_without_a_legal_move_is_found_out() {
    for row in rows("terminal", 27) {
        let position = fixtures::position(row.sfen);
        let legal = position.legal_moves();
        let verdict = match (legal.is_empty(), position.in_check()) {
            (false, _) => "not-over",
            (true, true) => "checkmate",
            (true, false) => "no-legal-moves",
        };
        assert_eq!(verdict, row.expected, "{}", row.id);
        assert_eq!(position.is_checkmate(), row.expected == "checkmate", "{}", row.id);
        assert_eq!(Some(legal.len()), row.detail("legal").and_then(|n| n.parse().ok()), "{}", row.id);
        if let Some(only) = row.detail("only") {
            let mut moves: Vec<String> = legal.iter().map(ToString::to_string).collect();
            moves.sort();
            assert_eq!(moves.join(","), only, "{}", row.id);
        }
    }
}

#[test]
fn a_pawn_drop_must_not_mate() {
    let rows = rows("pawn-drop-mate", 40);
    for row in &rows {
        let position = fixtures::position(row.sfen);
        let listed = position.legal_moves().iter().any(|mv| mv.to_string() == row.moves);
        assert_eq!(listed, row.expected == "legal", "{}", row.id);
        match position.parse_move(row.moves) {
            Ok(mv) => {
                assert_eq!(row.expected, "legal", "{}", row.id);
                assert!(position.gives_check(mv), "{}", row.id);
            }
            Err(error) => {
                assert_eq!(row.expected, "illegal", "{}", row.id);
                assert!(matches!(error, MoveError::Illegal { ref mv, .. } if mv == row.moves));
            }
        }
    }
    // The rows come in pairs that differ by one small change, so that no constant predicate passes.
    for pair in rows.chunks(2) {
        assert_eq!(pair[0].detail("pair"), pair[1].detail("pair"));
        assert_eq!([pair[0].expected, pair[1].expected], ["illegal", "legal"]);
    }
}

struct Entry {
    board: String,
    hands: [HandCounts; 2],
    /// Whether the move that led here gave check.
    check: bool,
}

#[derive(Default)]
struct Record(Vec<Entry>);

impl Record {
    fn add(&mut self, position: &Position) {
        let sfen = position.to_sfen();
        let board = sfen.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let hands = COLORS.map(|color| position.hand(color));
        let check = !self.0.is_empty() && position.in_check();
        self.0.push(Entry { board, hands, check });
    }

    /// Whether all moves of the side to move (or of its opponent) after the position `from` gave
    /// check.
    fn always_checked(&self, from: usize, by_side_to_move: bool) -> bool {
        // The opponent made the last move.
        let mut after = self.0[from + 1..].iter().rev().skip(usize::from(by_side_to_move)).step_by(2);
        after.all(|entry| entry.check)
    }

    /// The rules: four occurrences draw, but a side that gave check on all moves between loses.
    fn game(&self) -> GameRepetition {
        let now = self.0.last().expect("a position");
        let same: Vec<usize> =
            (0..self.0.len()).filter(|&i| self.0[i].board == now.board && self.0[i].hands == now.hands).collect();
        if same.len() < 4 {
            return GameRepetition::None;
        }
        match (self.always_checked(same[0], true), self.always_checked(same[0], false)) {
            (true, false) => GameRepetition::SideToMoveLoses,
            (false, true) => GameRepetition::SideToMoveWins,
            _ => GameRepetition::Draw,
        }
    }

    /// What the search concludes `ply` plies after its root. Within the tree the latest recurrence
    /// of the board decides, if the hands are comparable; before the root the rules count.
    fn search(&self, us: Color, ply: usize) -> SearchRepetition {
        let now = self.0.last().expect("a position");
        let last = self.0.len() - 1;
        let same: Vec<usize> =
            (0..last).filter(|&i| self.0[i].board == now.board && self.0[i].hands == now.hands).collect();
        let verdict = || match (self.always_checked(same[0], true), self.always_checked(same[0], false)) {
            (true, false) => SearchRepetition::Loss,
            (false, true) => SearchRepetition::Win,
            _ => SearchRepetition::Draw,
        };
        for i in (last.saturating_sub(ply)..last).rev().filter(|&i| self.0[i].board == now.board) {
            let counts =
                |entry: &Entry| HAND_KINDS.into_iter().map(|kind| entry.hands[us.array_index()].count(kind)).collect();
            let (then, held): (Vec<usize>, Vec<usize>) = (counts(&self.0[i]), counts(now));
            if then == held {
                assert_eq!(self.0[i].hands, now.hands, "what one side lacks, the other has");
                return verdict();
            }
            let mut pairs = held.iter().zip(&then);
            if pairs.clone().all(|(held, then)| held >= then) {
                return SearchRepetition::Superior;
            }
            if pairs.all(|(held, then)| held <= then) {
                return SearchRepetition::Inferior;
            }
        }
        if same.len() >= 3 { verdict() } else { SearchRepetition::None }
    }
}

/// Rooks that chase kings, and pieces offered for others of the same kind.
const TIGHT: [&str; 4] = [
    "8k/9/9/9/9/9/9/9/KR7 b - 1",
    "7kp/7gl/9/9/9/9/9/R8/K8 b - 1",
    "k8/g8/9/9/9/9/9/8G/8K b 9P9p 1",
    "k8/9/g8/9/9/9/8G/9/8K w 2S4P2s4p 1",
];

#[test]
fn repetition_agrees_with_a_plain_record_of_the_game() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for start in SPARSE.into_iter().chain(TIGHT) {
        for seed in 0..200 {
            let mut record = Record::default();
            let mut dice = Dice::new(seed, Manner::Returning);
            play(fixtures::position(start), 60, &mut dice, |position, _| {
                record.add(position);
                let game = position.game_repetition();
                let sfen = position.to_sfen();
                assert_eq!(game, record.game(), "the rules, seed {seed} from {start}: {sfen}");
                *seen.entry(format!("game {game:?}")).or_default() += 1;
                for ply in [0, 1, 4, 7, 12, position.moves_made()] {
                    let (search, expected) =
                        (position.search_repetition(ply), record.search(position.side_to_move(), ply));
                    assert_eq!(search, expected, "the search at ply {ply}, seed {seed} from {start}: {sfen}");
                    let place = if ply < 4 { "before the root" } else { "search" };
                    *seen.entry(format!("{place} {search:?}")).or_default() += 1;
                }
            });
        }
    }
    let verdicts = [
        "game Draw",
        "game SideToMoveLoses",
        "game SideToMoveWins",
        "search Draw",
        "search Loss",
        "search Win",
        "search Inferior",
        "search Superior",
        "before the root Draw",
        "before the root Loss",
        "before the root Win",
    ];
    for verdict in verdicts {
        assert!(seen.contains_key(verdict), "no game came to the verdict {verdict}: {seen:?}");
    }
}

#[test]
fn the_search_does_not_look_across_a_null_move() {
    let mut position = Position::startpos();
    let at = |position: &Position| position.search_repetition(position.moves_made());
    fixtures::play(&mut position, "2h3h");
    position.make_null();
    fixtures::play(&mut position, "3h2h");
    position.make_null();
    assert_eq!(at(&position), SearchRepetition::None, "the start again, by two null moves");
    fixtures::play(&mut position, "2h3h 8b7b 3h2h");
    assert_eq!(at(&position), SearchRepetition::None);
    fixtures::play(&mut position, "7b8b");
    assert_eq!(at(&position), SearchRepetition::Draw, "a lap after the null move");
    for _ in 0..4 {
        position.unmake();
    }
    position.unmake_null();
    position.unmake();
    position.unmake_null();
    fixtures::play(&mut position, "8b7b 3h2h 7b8b");
    assert_eq!(at(&position), SearchRepetition::Draw, "a lap without null moves");
}
