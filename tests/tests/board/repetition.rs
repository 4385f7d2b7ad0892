//! Repetition is judged as a plain record of the game says, in the rules and in the search.

use std::collections::BTreeMap;

use kiki_board::{COLORS, Color, GameRepetition, HAND_KINDS, HandCounts, Position, SearchRepetition};
use kiki_tests::fixtures;
use kiki_tests::playout::{Dice, Manner, SPARSE, play};

/// A position of the record.
struct Entry {
    /// Board and side to move, as text.
    board: String,
    hands: [HandCounts; 2],
    /// Whether the move that led here gave check.
    check: bool,
}

/// The game so far.
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

    /// Whether all moves of the side to move (or of its opponent) after the position `from` gave check.
    fn always_checked(&self, from: usize, by_side_to_move: bool) -> bool {
        // The last entry was reached by a move of the opponent.
        let mut after = self.0[from + 1..].iter().rev().skip(usize::from(by_side_to_move)).step_by(2);
        after.all(|entry| entry.check)
    }

    /// The laws: four times the same, the checker of all the way round loses.
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

    /// What the search concludes `ply` plies after its root: within the tree the latest recurrence of the board decides, if the hands
    /// can be compared; before the root the rules count.
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

/// Rooks that chase kings, and pieces that are offered in exchange for others of the same kind.
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

/// A rook that chases a king along two files: with the checker to move, and with its opponent to move.
const CHASES: [(&str, &str, &str); 2] = [
    ("7k1/9/9/9/9/9/9/9/K7R b - 1", "1i2i 2a1a 2i1i 1a2a", "1i3i 2a1a 3i1i 1a2a"),
    ("7k1/9/9/9/9/9/9/9/K6R1 w - 1", "2a1a 2i1i 1a2a 1i2i", "2a1a 2i3i 1a2a 3i2i"),
];

/// Between the first and the fourth occurrence lie three laps, and a quiet move in any of them makes a draw.
#[test]
fn perpetual_check_is_lost_only_if_every_lap_was_checks_alone() {
    for (start, checks, quiet) in CHASES {
        for laps in 0..8 {
            let mut position = fixtures::position(start);
            for lap in 0..3 {
                assert_eq!(position.game_repetition(), GameRepetition::None, "before the fourth occurrence");
                fixtures::play(&mut position, if laps >> lap & 1 == 1 { quiet } else { checks });
            }
            let expected = match (laps, position.side_to_move()) {
                (0, Color::Black) => GameRepetition::SideToMoveLoses,
                (0, Color::White) => GameRepetition::SideToMoveWins,
                _ => GameRepetition::Draw,
            };
            assert_eq!(position.game_repetition(), expected, "quiet laps {laps:03b} from {start}");
        }
    }
}

/// Each side has a gold next to its king, and a silver and a pawn to offer to the other's gold.
const OFFERS: &str = "k8/g8/9/9/9/9/9/8G/8K b SPsp 1";

#[test]
fn a_piece_lost_or_won_on_the_way_round_makes_the_same_board_worse_or_better() {
    let verdict = |moves: &str| {
        let mut position = fixtures::position(OFFERS);
        fixtures::play(&mut position, moves);
        position.search_repetition(position.moves_made())
    };
    let lose_pawn = "P*9c 9b9c 1h2h 9c9b 2h1g 9a8a 1g1h 8a9a";
    assert_eq!(verdict(lose_pawn), SearchRepetition::Inferior);
    let win_pawn = "1i2i P*1g 1h1g 9b8b 1g1h 8b9c 2i1i 9c9b";
    assert_eq!(verdict(win_pawn), SearchRepetition::Superior);
    // A pawn for a silver cannot be compared.
    let silver_for_pawn = "S*9c 9b9c 1i2i P*1g 1h1g 9c9b 1g1h 9a8a 2i1i 8a9a";
    assert_eq!(verdict(silver_for_pawn), SearchRepetition::None);
    // Exchanged back, the position is that of the start, behind one that cannot be compared.
    let pawn_for_silver = "P*9c 9b9c 1i2i S*1g 1h1g 9c9b 1g1h 9a8a 2i1i 8a9a";
    assert_eq!(verdict(&format!("{silver_for_pawn} {pawn_for_silver}")), SearchRepetition::Draw);
    // The latest recurrence decides: after a lost pawn, a lap without loss.
    let idle = "1i2i 9a8a 2i1i 8a9a";
    assert_eq!(verdict(&format!("{lose_pawn} {idle}")), SearchRepetition::Draw);
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

#[test]
fn what_lies_before_the_root_counts_as_the_rules_count_it() {
    let mut position = Position::startpos();
    let lap = "5i5h 5a5b 5h5i 5b5a";
    fixtures::play(&mut position, lap);
    assert_eq!(position.search_repetition(4), SearchRepetition::Draw, "the root itself belongs to the tree");
    assert_eq!(position.search_repetition(3), SearchRepetition::None, "the second occurrence");
    fixtures::play(&mut position, lap);
    assert_eq!(position.search_repetition(3), SearchRepetition::None, "the third");
    fixtures::play(&mut position, lap);
    assert_eq!(position.search_repetition(1), SearchRepetition::Draw, "the fourth");
}

#[test]
fn a_quiet_lap_before_a_lap_of_checks_makes_a_draw() {
    let rook_chases_king = "9/9/9/9/9/9/R8/9/1k6K b - 1";
    let checks = "9g8g 8i9i 8g9g 9i8i";
    let mut position = fixtures::position(rook_chases_king);
    fixtures::play(&mut position, checks);
    assert_eq!(position.search_repetition(4), SearchRepetition::Loss);
    let mut position = fixtures::position(rook_chases_king);
    fixtures::play(&mut position, "1i2i 8i8h 2i1i 8h8i");
    fixtures::play(&mut position, checks);
    assert_eq!(position.search_repetition(4), SearchRepetition::Draw);
}
