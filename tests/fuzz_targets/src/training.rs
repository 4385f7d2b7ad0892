//! Games of training data.

use kiki_board::Position;
use kiki_tests::playout::{Dice, Manner};
use kiki_train::games::{BlockGames, GamePart, GamePly, PlySource, RecordRule, SelfPlayEnding, TrainingGame, encode};
use rand::RngExt as _;

/// Any bits are games or an error. Games read survive writing and reading, and their records are
/// valid.
pub(super) fn check_games(bytes: &[u8]) {
    let mut games = BlockGames::new(bytes);
    while let Ok(Some(game)) = games.next_game() {
        let written = encode(game.as_ref()).unwrap();
        assert_eq!(BlockGames::new(&written).next_game().unwrap(), Some(game.clone()));
        let records = game.iter().flat_map(|game| game.records(RecordRule::All).unwrap());
        records.for_each(|record| assert!(record.check().is_ok()));
    }
}

/// Random games of three lengths, with scores from the twentieth ply on.
pub(super) fn games_seeds() -> Vec<Vec<u8>> {
    [3, 60, 200].map(seed).to_vec()
}

fn seed(length: u64) -> Vec<u8> {
    let mut dice = Dice::new(length, Manner::Any);
    let mut position = Position::startpos();
    let mut part = GamePart::default();
    for ply in 0..length {
        let Some(mv) = dice.choose(&position) else { break };
        let (source, score) = match ply {
            ..20 => (PlySource::Unsearched, 0),
            20..24 => (PlySource::Drawn, 7),
            _ => (PlySource::Best, dice.rng().random_range(-900..900)),
        };
        part.plies.push(GamePly { mv, source, score });
        position.make(mv);
    }
    encode(Some(&TrainingGame { parts: vec![part], ending: SelfPlayEnding::Repetition })).unwrap()
}
