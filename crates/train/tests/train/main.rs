//! Training data: records are those that another program writes, byte for byte; games of self-play
//! depend on settings and number alone.

mod games;

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use kiki_board::{PackedSfen, Position};
use kiki_eval::SelectedWeights;
use kiki_tests::playout::{HANDICAPS, KINGLESS, Manner, SPARSE};
use kiki_train::games::{PlySource, RecordRule, SelfPlayEnding, TrainingGame, is_tactical};
use kiki_train::psv::TrainingRecord;
use kiki_train::selfplay::{SelfPlayLimit, SelfPlaySettings, SelfPlayer};

/// One line of `psv_golden.tsv`.
struct GoldenLine {
    position: Position,
    mv: kiki_board::Move,
    score: i16,
    ply: u16,
    result: i8,
    bytes: [u8; TrainingRecord::BYTES],
}

fn golden_lines() -> Vec<GoldenLine> {
    let lines = include_str!("psv_golden.tsv").lines().filter(|line| !line.starts_with('#'));
    let line = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let position = Position::from_sfen(fields[0]).unwrap();
        let mv = position.parse_move(fields[1]).unwrap();
        let byte = |at: usize| u8::from_str_radix(&fields[5][2 * at..2 * at + 2], 16).unwrap();
        GoldenLine {
            position,
            mv,
            score: fields[2].parse().unwrap(),
            ply: fields[3].parse().unwrap(),
            result: fields[4].parse().unwrap(),
            bytes: std::array::from_fn(byte),
        }
    };
    lines.map(line).collect()
}

#[test]
fn records_are_written_and_read_as_cshogi_writes_them() {
    let lines = golden_lines();
    assert_eq!(lines.len(), 45);
    for line in lines {
        let record = TrainingRecord::new(&line.position, line.mv, line.score, line.result).unwrap();
        assert_eq!(record.to_bytes(), line.bytes, "{}", line.position.to_sfen());
        let record = TrainingRecord::from_bytes(&line.bytes);
        assert_eq!((record.score, record.ply, record.result), (line.score, line.ply, line.result));
        let (position, mv) = record.check().unwrap();
        assert_eq!((position.to_sfen(), mv), (line.position.to_sfen(), line.mv));
    }
}

#[test]
fn every_position_of_random_games_comes_back_with_every_move() {
    let starts =
        HANDICAPS.iter().chain(&SPARSE).chain(&["lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"]);
    let mut positions = 0;
    for (seed, start) in starts.enumerate() {
        let mut dice = kiki_tests::playout::Dice::new(seed as u64, Manner::Any);
        let mut position = Position::from_sfen(start).unwrap();
        for _ in 0..200 {
            let moves = position.legal_moves();
            for &mv in &*moves {
                let record = TrainingRecord::new(&position, mv, -1, 1).unwrap();
                assert_eq!(TrainingRecord::from_bytes(&record.to_bytes()), record);
                assert_eq!(record.played(), mv);
            }
            let again = PackedSfen::pack(&position).unwrap().position(position.ply() as u16).unwrap();
            assert_eq!(again.to_sfen(), position.to_sfen());
            positions += 1;
            let Some(mv) = dice.choose(&position) else { break };
            position.make(mv);
        }
    }
    assert!(positions > 1000, "{positions}");
}

#[test]
fn a_position_without_a_king_is_refused() {
    for sfen in KINGLESS {
        let error = PackedSfen::pack(&Position::from_sfen(sfen).unwrap()).unwrap_err();
        assert!(error.to_string().contains("lacks a king"), "{error}");
    }
}

#[test]
fn damaged_bytes_are_named() {
    let good = golden_lines()[0].bytes;
    let changed = |at: usize, byte: u8| {
        let mut bytes = good;
        bytes[at] = byte;
        bytes
    };
    let error = |bytes| format!("{:#}", TrainingRecord::from_bytes(&bytes).check().err().unwrap());
    // Bits 1 to 7 of the first byte: Black's king on the square numbered 127.
    assert!(error(changed(0, 0xfe)).contains("the squares numbered 127 and"));
    assert!(error(changed(34, 0x7f)).contains("(none) is illegal in the position"));
    assert!(error(changed(38, 2)).contains("the result 2 is not one of"));
    assert!(error([0; TrainingRecord::BYTES]).contains("the squares numbered 0 and 0"));
}

/// No bytes, however damaged, end the program.
#[test]
fn any_change_of_a_bit_is_a_position_or_an_error() {
    let (mut positions, mut errors) = (0, 0);
    for line in golden_lines() {
        for bit in 0..256 {
            let mut bytes = line.bytes;
            bytes[bit / 8] ^= 1 << (bit % 8);
            match TrainingRecord::from_bytes(&bytes).position() {
                Ok(_) => positions += 1,
                Err(_) => errors += 1,
            }
        }
    }
    assert!(positions > 0 && errors > 0);
}

fn settings() -> SelfPlaySettings {
    SelfPlaySettings {
        limit: SelfPlayLimit::Nodes(60),
        max_plies: 120,
        table_mebibytes: 1,
        ..SelfPlaySettings::default()
    }
}

fn player(settings: &SelfPlaySettings) -> SelfPlayer {
    SelfPlayer::new(SelectedWeights::default(), settings.clone()).unwrap()
}

fn play(player: &mut SelfPlayer, number: u64) -> TrainingGame {
    player.play(number, &AtomicBool::new(false)).unwrap()
}

#[test]
fn a_game_does_not_depend_on_those_before() {
    let mut used = player(&settings());
    let games: Vec<_> = (0..4).map(|number| play(&mut used, number)).collect();
    assert_eq!(play(&mut player(&settings()), 3), games[3]);
    let hashes: HashSet<_> = games.iter().map(TrainingGame::hash).collect();
    assert_eq!(hashes.len(), 4);
    let other_seed = SelfPlaySettings { seed: 2, ..settings() };
    assert!(!hashes.contains(&play(&mut player(&other_seed), 0).hash()));
}

#[test]
fn records_are_quiet_positions_behind_the_opening_with_the_result_for_their_side() {
    let settings = settings();
    let mut player = player(&settings);
    for number in 0..6 {
        let game = play(&mut player, number);
        let records = game.records(RecordRule::Quiet).unwrap();
        let plies = game.parts[0].plies.len();
        assert!(!records.is_empty() && plies <= settings.max_plies as usize);
        let mut last_ply = settings.min_random_plies + settings.choice_plies;
        for record in records {
            let (position, mv) = record.check().unwrap();
            assert!(!position.in_check() && !is_tactical(&position, mv));
            assert_eq!(record.result, game.ending.result_for(position.side_to_move()));
            assert!(position.ply() > last_ply && position.ply() as usize <= plies);
            last_ply = position.ply();
        }
    }
}

#[test]
fn games_end_at_the_longest_length_and_by_values() {
    let short = SelfPlaySettings { max_plies: 40, ..settings() };
    let endings: Vec<_> = (0..4).map(|number| play(&mut player(&short), number).ending).collect();
    assert!(endings.contains(&SelfPlayEnding::MaxPlies), "{endings:?}");
    let impatient = SelfPlaySettings { win_score: 300, win_plies: 2, ..settings() };
    let game = play(&mut player(&impatient), 0);
    assert!(matches!(game.ending, SelfPlayEnding::Adjudication { .. }), "{:?}", game.ending);
}

#[test]
fn a_cancelled_game_leaves_nothing() {
    assert_eq!(player(&settings()).play(0, &AtomicBool::new(true)), None);
}

#[test]
fn settings_without_a_game_are_refused() {
    settings().check().unwrap();
    for (settings, expected) in [
        (SelfPlaySettings { limit: SelfPlayLimit::Nodes(0), ..settings() }, "the limit of a search must be at least 1"),
        (SelfPlaySettings { choice_lines: 0, ..settings() }, "the number of lines to choose among"),
        (SelfPlaySettings { min_random_plies: 30, ..settings() }, "30 random plies at least and 24 at most"),
        (SelfPlaySettings { max_plies: 28, ..settings() }, "at most 28 plies have no room for 28 random"),
        (SelfPlaySettings { handicaps: 1.5, ..settings() }, "a share of handicaps of 1.5"),
    ] {
        let error = settings.check().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_share_of_the_games_begins_with_a_handicap() {
    let settings = SelfPlaySettings { handicaps: 0.5, limit: SelfPlayLimit::Nodes(10), max_plies: 40, ..settings() };
    let mut player = player(&settings);
    let games: Vec<_> = (0..20).map(|number| play(&mut player, number)).collect();
    let starts: Vec<_> = games.iter().filter_map(|game| game.parts[0].start).collect();
    assert!((4..17).contains(&starts.len()), "{} of 20 games", starts.len());
    for (sfen, ply) in starts {
        let position = sfen.position(ply).unwrap();
        assert!(position.to_sfen().ends_with(" w - 1"), "White lacks pieces and moves: {}", position.to_sfen());
    }
    let plies = games.iter().flat_map(|game| &game.parts[0].plies);
    let of = |source| plies.clone().filter(|ply| ply.source == source).count();
    assert_eq!(of(PlySource::Drawn), 20 * settings.choice_plies as usize);
    assert!(of(PlySource::Unsearched) >= 80);
}
