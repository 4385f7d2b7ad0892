//! Files of whole games: they are read back as written, and no bytes end the program.

use std::fs;
use std::path::Path;

use kiki_board::{Color, PackedSfen, Position};
use kiki_tests::playout::{Dice, HANDICAPS, Manner, SPARSE};
use kiki_train::games::{
    BlockGames, GameFile, GameFileNote, GameFileWriter, GamePart, GamePly, PlySource, RecordRule, SelfPlayEnding,
    TrainingGame,
};
use kiki_train::recorded::TrainingFile;
use rand::RngExt as _;

const NOTE: &str = r#"{"program": "test", "records": "all", "score_scale": 700.0, "origin": null}"#;

fn note() -> GameFileNote {
    serde_json::from_str(NOTE).unwrap()
}

/// A game with any moves, scores and sources, from a position or the usual one.
fn game(seed: u64, start: Option<&str>) -> TrainingGame {
    let mut dice = Dice::new(seed, Manner::Any);
    let first = start.map(|sfen| Position::from_sfen(sfen).unwrap());
    let placed = |position: &Position| (PackedSfen::pack(position).unwrap(), position.ply() as u16);
    let mut parts = vec![GamePart { start: first.as_ref().map(placed), plies: Vec::new() }];
    let mut position = first.unwrap_or_else(Position::startpos);
    for _ in 0..dice.rng().random_range(0..200) {
        let Some(mv) = dice.choose(&position) else { break };
        let (source, score) = match dice.rng().random_range(0..5) {
            0 => (PlySource::Unsearched, 0),
            1 => (PlySource::Drawn, dice.rng().random_range(-300..300)),
            2 => (PlySource::Best, if dice.rng().random_bool(0.5) { i16::MIN } else { i16::MAX }),
            _ => (PlySource::Best, dice.rng().random_range(-2000..2000)),
        };
        parts.last_mut().unwrap().plies.push(GamePly { mv, source, score });
        position.make(mv);
        if dice.rng().random_bool(0.01) {
            parts.push(GamePart { start: Some(placed(&position)), plies: Vec::new() });
        }
    }
    let winner = if seed.is_multiple_of(2) { Color::Black } else { Color::White };
    let ending = match seed % 8 {
        0 => SelfPlayEnding::Mate { winner },
        1 => SelfPlayEnding::Adjudication { winner },
        2 => SelfPlayEnding::Declaration { winner },
        3 => SelfPlayEnding::PerpetualCheck { winner },
        4 => SelfPlayEnding::Repetition,
        5 => SelfPlayEnding::MaxPlies,
        6 => SelfPlayEnding::Unknown { winner: None },
        _ => SelfPlayEnding::Unknown { winner: Some(winner) },
    };
    TrainingGame { parts, ending }
}

/// Many games; each tenth is left out.
fn games(count: u64) -> Vec<Option<TrainingGame>> {
    let starts: Vec<&str> = HANDICAPS.into_iter().chain(SPARSE).collect();
    let start = |seed: u64| seed.is_multiple_of(3).then(|| starts[seed as usize % starts.len()]);
    (0..count).map(|seed| (seed % 10 != 7).then(|| game(seed, start(seed)))).collect()
}

fn append(writer: &mut GameFileWriter, games: &[Option<TrainingGame>]) {
    for game in games {
        let records = game.as_ref().map_or(0, |game| game.records(RecordRule::All).unwrap().len());
        writer.append(game.as_ref(), records).unwrap();
    }
}

fn write(path: &Path, games: &[Option<TrainingGame>]) {
    let mut writer = GameFileWriter::create(path, &note()).unwrap();
    append(&mut writer, games);
    writer.finish().unwrap();
}

fn read(path: &Path) -> Vec<Option<TrainingGame>> {
    let mut file = GameFile::open(path).unwrap();
    let mut all = Vec::new();
    for block in file.blocks().to_vec() {
        let before = all.len();
        let mut games = BlockGames::new(file.read(block).unwrap());
        while let Some(game) = games.next_game().unwrap() {
            all.push(game);
        }
        assert_eq!(all.len() - before, block.games as usize);
    }
    all
}

#[test]
fn games_come_back_as_they_were_with_the_records_of_their_plies() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let written = games(800);
    write(&path, &written);
    assert_eq!(read(&path), written);
    let file = GameFile::open(&path).unwrap();
    assert!(file.blocks().len() > 2, "{} blocks", file.blocks().len());
    assert_eq!((file.note(), file.torn()), (&note(), 0));
    let expected: Vec<_> = written
        .iter()
        .flatten()
        .map(|game| game.records(RecordRule::All).unwrap())
        .filter(|game| !game.is_empty())
        .collect();
    let recorded: Vec<_> = TrainingFile::open(&path).unwrap().into_games().map(Result::unwrap).collect();
    assert_eq!(recorded, expected);
    assert_eq!(file.records(), expected.iter().flatten().count() as u64);
}

#[test]
fn a_file_gone_on_with_is_the_file_made_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let [once, parts] = ["once", "parts"].map(|name| folder.path().join(name));
    let all = games(500);
    write(&once, &all);
    let (first, rest) = all.split_at(123);
    write(&parts, first);
    // A process that ended while it wrote a block, then one that ended with whole games.
    let mut torn = fs::read(&parts).unwrap();
    torn.extend(b"GAME\x10\0\0\0\x01\0");
    fs::write(&parts, torn).unwrap();
    assert_eq!(GameFile::open(&parts).unwrap().torn(), 10);
    assert_eq!(read(&parts), first);
    for games in [&rest[..1], &rest[1..]] {
        let (mut writer, ()) = GameFileWriter::resume(&parts, || Ok(())).unwrap();
        append(&mut writer, games);
        let other = GameFileWriter::resume(&parts, || -> anyhow::Result<()> { unreachable!("it is not read") });
        assert!(other.is_err_and(|error| error.to_string().contains("another process")));
        writer.finish().unwrap();
    }
    assert!(fs::read(&parts).unwrap() == fs::read(&once).unwrap());
}

#[test]
fn damage_is_named_by_its_block() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    write(&path, &games(500));
    let (bytes, blocks) = (fs::read(&path).unwrap(), GameFile::open(&path).unwrap().blocks().to_vec());
    let opened = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut changed = bytes.clone();
        change(&mut changed);
        fs::write(&path, changed).unwrap();
        let games = TrainingFile::open(&path).and_then(|file| file.into_games().collect::<Result<Vec<_>, _>>());
        games.err().map(|error| error.to_string())
    };
    assert_eq!(opened(&|_| {}), None);
    let second = blocks[1].offset as usize;
    let named = Some(format!("the block from byte {second} on is damaged"));
    for at in [second, second + 8, second + 12, second + 20, second + 24, second + 5000] {
        assert_eq!(opened(&|bytes| bytes[at] ^= 64), named, "byte {at}");
    }
    assert_eq!(opened(&|bytes| bytes[30] ^= 1), Some("the note at its start is damaged".to_owned()));
    assert_eq!(opened(&|bytes| bytes.truncate(20)), Some("the note at its start is damaged".to_owned()));
    assert_eq!(opened(&|bytes| bytes.truncate(second + 100)), None, "a torn end");
}

/// The sums are right, the games are not: each bit is changed once.
#[test]
fn any_bits_are_games_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    write(&path, &games(4));
    let mut file = GameFile::open(&path).unwrap();
    let block = file.blocks()[0];
    let bytes = file.read(block).unwrap().to_vec();
    let (mut games, mut errors) = (0, 0);
    for bit in 0..8 * bytes.len() {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let mut block_games = BlockGames::new(&changed);
        let end = loop {
            match block_games.next_game() {
                Ok(Some(_)) => games += 1,
                end => break end,
            }
        };
        errors += usize::from(end.is_err());
    }
    assert!(games > 1000 && errors > 1000, "{games}, {errors}");
}
