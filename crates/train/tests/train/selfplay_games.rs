//! Games of self-play follow from settings and number alone, and their records are what they say.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use kiki_eval::SelectedWeights;
use kiki_train::selfplay::{
    GameEntry, SelfPlayEnding, SelfPlayGame, SelfPlayLimit, SelfPlaySettings, SelfPlayer, SettingsError, ShardProgress,
};

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

fn play(player: &mut SelfPlayer, number: u64) -> SelfPlayGame {
    player.play(number, &AtomicBool::new(false)).unwrap().unwrap()
}

#[test]
fn a_game_does_not_depend_on_those_before() {
    let mut used = player(&settings());
    let games: Vec<_> = (0..4).map(|number| play(&mut used, number)).collect();
    assert_eq!(play(&mut player(&settings()), 3), games[3]);
    let hashes: HashSet<_> = games.iter().map(|game| game.hash).collect();
    assert_eq!(hashes.len(), 4);
    let other_seed = SelfPlaySettings { seed: 2, ..settings() };
    assert!(!hashes.contains(&play(&mut player(&other_seed), 0).hash));
}

#[test]
fn records_are_quiet_positions_behind_the_opening_with_the_result_for_their_side() {
    let settings = settings();
    let mut player = player(&settings);
    for number in 0..6 {
        let game = play(&mut player, number);
        assert!(!game.records.is_empty() && game.plies <= settings.max_plies);
        let mut last_ply = settings.min_random_plies + settings.choice_plies;
        for record in game.records {
            let (position, mv) = record.check().unwrap();
            assert!(!position.in_check() && !position.is_tactical(mv));
            assert_eq!(record.result, game.ending.result_for(position.side_to_move()));
            assert!(position.ply() > last_ply && position.ply() <= game.plies);
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
    assert_eq!(player(&settings()).play(0, &AtomicBool::new(true)).unwrap(), None);
}

#[test]
fn settings_without_a_game_are_refused() {
    let refused = |change: fn(&mut SelfPlaySettings)| {
        let mut settings = settings();
        change(&mut settings);
        settings.check().unwrap_err()
    };
    assert_eq!(settings().check(), Ok(()));
    assert!(matches!(refused(|s| s.limit = SelfPlayLimit::Nodes(0)), SettingsError::TooSmall { .. }));
    assert!(matches!(refused(|s| s.choice_lines = 0), SettingsError::TooSmall { .. }));
    assert_eq!(refused(|s| s.min_random_plies = 30), SettingsError::RandomPlies { min: 30, max: 24 });
    assert_eq!(refused(|s| s.max_plies = 28), SettingsError::NoRoom { max_plies: 28, opening: 28 });
}

fn entries(records: &[u32]) -> Vec<u8> {
    let entry = |(hash, &records): (usize, &u32)| {
        GameEntry { hash: hash as u64, records, plies: 100, ending: SelfPlayEnding::Repetition }.to_bytes()
    };
    records.iter().enumerate().flat_map(entry).collect()
}

#[test]
fn only_games_complete_in_journal_and_data_count() {
    let journal = entries(&[3, 0, 5, 2]);
    let games = |journal: &[u8], data_bytes| {
        let progress = ShardProgress::read(journal, data_bytes).unwrap();
        (progress.games.len(), progress.data_bytes(), progress.journal_bytes())
    };
    assert_eq!(games(&journal, 400), (4, 400, 64));
    assert_eq!(games(&journal, 999), (4, 400, 64));
    assert_eq!(games(&journal, 399), (3, 320, 48));
    assert_eq!(games(&journal[..63], 400), (3, 320, 48));
    assert_eq!(games(&journal, 319), (2, 120, 32));
    assert_eq!(games(&[], 400), (0, 0, 0));
    let mut damaged = journal;
    damaged[30] = 9;
    assert_eq!(ShardProgress::read(&damaged, 400).unwrap_err().entry, 1);
}

#[test]
fn entries_of_games_come_back() {
    let mut player = player(&settings());
    for number in 0..3 {
        let game = play(&mut player, number);
        let entry = GameEntry::new(&game, game.records.len());
        assert_eq!(GameEntry::from_bytes(&entry.to_bytes()), Some(entry));
        assert_eq!((entry.hash, entry.ending), (game.hash, game.ending));
    }
}
