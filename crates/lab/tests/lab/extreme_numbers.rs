//! Calculators with huge, tiny and missing numbers: an answer or one clear line, at once.

use std::time::{Duration, Instant};

use crate::laboratory::Folder;

/// Far above what an answer takes on a machine with other work, far below what adding up every game
/// would take.
const AT_ONCE: Duration = Duration::from_secs(60);

/// What a command says: its answer, or its error.
fn answer(line: &str, folder: &Folder) -> (bool, String) {
    let start = Instant::now();
    let (status, said, errors) = folder.run(line);
    assert!(start.elapsed() < AT_ONCE, "{line}: {:?}", start.elapsed());
    assert!(matches!(status, Some(0..=2)), "{line}: {status:?} {errors}");
    let said = if status == Some(0) { said } else { errors };
    (status == Some(0), said)
}

#[test]
fn many_games_are_answered_and_more_than_anybody_plays_refused() {
    let folder = Folder::new();
    for (line, expected) in [
        // Without draws Gaffke's bounds are those of Clopper and Pearson.
        ("elo 10000000 0 1", "[+2501.6, +3438.6]"),
        ("elo 0 1000000000000 0", "Elo +0.0"),
        ("elo --pairs 1000000,0,0,0,1", "Gaffke's bounds"),
        ("elo 1000000000000 0 1000000000000", "superiority 50.0 % (normal)"),
        ("llr 1000000000000,2,3", "Gaffke's bounds"),
        ("llr 1,2,3 --elo1 1e-300", "the hypotheses are too close"),
        ("ab 10000000000 9999999000 9999999000 10000000000", "A better"),
        ("ab 3 0 5 0", "A better"),
        ("ab 1000000001 1000000000 1000000000 1000000000", "would take about"),
        ("lengths --model 0.02,0,0", "greatest difference"),
        ("lengths --model 0.05,10000,10000 --simulate 2", "greatest difference"),
        ("coverage -n 10,1000000 --curve 10,20", "n = 1000000"),
        ("tree --moves 2 --depth 127 --largest 1000", "best order"),
    ] {
        let (is_answered, said) = answer(line, &folder);
        assert!(is_answered && said.contains(expected), "{line}: {said}");
        assert!(!said.contains("NaN"), "{line}: {said}");
    }
    let count = u64::MAX;
    for (line, expected) in [
        (format!("elo {count} 0 1"), "the number of games is 1.8446744073709552e19, but must be at most"),
        (format!("elo {count} {count} {count}"), "the number of games"),
        (format!("elo --pairs {count},1,1,1,{count}"), "the number of games"),
        (format!("llr {count},2,{count}"), "the number of games"),
        (format!("llr {count},{count}"), "the number of games"),
        (format!("ab {count} {count} {count} {count}"), "a number of wins is 1.8446744073709552e19"),
        ("ab 1e308 1 1 1".to_owned(), "a number of wins is 1e308"),
        ("ab 1 1 1 1 --prior 1e308,1e308".to_owned(), "the alpha of a prior"),
        (format!("ab 1 1 1 1 --peek {count},1"), "--peek"),
        (format!("ab 1 1 1 1 --peek 1000,{count}"), "the number of games"),
        (format!("ab 1 1 1 1 --peek 10,10 --replicates {count}"), "fewer looks or replicates"),
        (format!("coverage -n {count} --curve 10,20"), "the number of games"),
        ("coverage -n 1000000000 --curve 10,20".to_owned(), "1,000,000 games or fewer"),
        (format!("coverage --curve 10,{count}"), "100,000 games or fewer"),
        (format!("llr --elo1 50 --simulate {count}"), "from 1 to 100,000"),
        ("llr 1,2,3 --counts pentanomial".to_owned(), "3 counts are those of single games"),
        ("llr 1,2,3,4,5 --counts trinomial".to_owned(), "5 counts are those of pairs"),
    ] {
        let (is_answered, said) = answer(&line, &folder);
        assert!(!is_answered && said.contains(expected) && said.lines().count() == 1, "{line}: {said}");
    }
}

#[test]
fn other_numbers_without_end_are_refused_in_one_line() {
    let folder = Folder::new();
    folder.write("games", "A B 1 0\nB C 1 0\nC A 1 0\n");
    folder.write("sums", "A B 9999999999999 5 0\n");
    for (line, expected) in [
        ("tree --trees 4000000000", "the number of trees"),
        ("tree --trees 1000000", "fewer trees, moves or plies"),
        ("tree --largest 1e300 --moves 30 --depth 20", "fewer trees, moves or plies"),
        ("tree --largest nan", "--largest"),
        ("lengths --model 0.2,1e308,1", "the mean of the other plies is 1e308"),
        ("lengths --model 0.2,1,1e308", "the deviation of the other plies is 1e308"),
        ("lengths --moments 1e308,1", "the mean length is 1e308"),
        ("lengths --model 1e308,1,1", "the step is 1e308"),
        ("council simulate --candidates 4000000000 --runs 2", "the number of candidates"),
        ("council simulate --strongest 1e308 --runs 2", "a member's noise is 1e308"),
        ("council simulate --noises 1e-308 --runs 2", "a member's noise is 1e-308"),
        ("council weigh --loss 1e308 a=1/2 b=2/3", "the loss of a wrong move is 1e308"),
        ("council weigh --loss 80 a=1e308/1 b=2/3", "a member's value is 1e308"),
        ("council weigh --loss 80 a=1/1e-308", "a member's noise is 1e-308"),
        ("council weigh --loss 80 --best-value 1e308 a=1/1", "the value of the best move is 1e308"),
        ("series games --k 1e308", "K is 1e308"),
        ("series games --initial 1e308", "the initial rating is 1e308"),
        ("rate games --mean 1e308", "a rating is 1e308"),
        ("rate games --anchor A=1e308", "a rating is 1e308"),
        ("rate sums --replicates 0 --pgn sums.pgn", "games are too many"),
        ("rate games --anchor A=nan", "a rating is NaN"),
        ("rate games --replicates 18446744073709551615", "the number of replicates"),
    ] {
        let (is_answered, said) = answer(line, &folder);
        assert!(!is_answered && said.contains(expected) && said.lines().count() == 1, "{line}: {said}");
    }
    for line in
        ["council weigh --loss 80 a=1e12/1e-6 b=-1e12/1", "council weigh --loss 1e-6 --by-precision a=1/1e12 b=2/1e12"]
    {
        let (is_answered, said) = answer(line, &folder);
        assert!(is_answered && !said.contains("NaN") && !said.contains("inf"), "{line}: {said}");
    }
}
