//! Records are those that another program writes, byte for byte.

use kiki_board::Position;
use kiki_tests::playout::{HANDICAPS, KINGLESS, Manner, SPARSE};
use kiki_train::psv::{PackError, PackedSfen, RecordError, TrainingRecord, UnpackError};

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
fn records_are_written_as_cshogi_writes_them() {
    let lines = golden_lines();
    assert_eq!(lines.len(), 45);
    for line in lines {
        let record = TrainingRecord::new(&line.position, line.mv, line.score, line.result).unwrap();
        assert_eq!(record.to_bytes(), line.bytes, "{}", line.position.to_sfen());
    }
}

#[test]
fn records_that_cshogi_wrote_are_read() {
    for line in golden_lines() {
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
        assert!(matches!(error, PackError::MissingKing(_)));
    }
}

#[test]
fn damaged_bytes_are_named() {
    let good = golden_lines()[0].bytes;
    let changed = |at: usize, byte: u8| {
        let mut bytes = good;
        bytes[at] = byte;
        TrainingRecord::from_bytes(&bytes).check().err().unwrap()
    };
    // Bits 1 to 7 of the first byte: Black's king on the square numbered 127.
    assert!(matches!(changed(0, 0xfe), RecordError::Position(UnpackError::Kings { black: 127, .. })));
    assert!(matches!(changed(34, 0x7f), RecordError::Move { .. }));
    assert_eq!(changed(38, 2), RecordError::Result(2));
    let nothing = TrainingRecord::from_bytes(&[0; TrainingRecord::BYTES]).check().err().unwrap();
    assert!(matches!(nothing, RecordError::Position(UnpackError::Kings { black: 0, white: 0 })));
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
