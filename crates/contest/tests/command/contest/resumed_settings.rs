//! What may be given beside `--resume`, and which folders are begun in and gone on with.

use std::fs;

use super::test_match::{TestMatch, lab, text};

/// The settings of the beginning hold; what would be ignored is refused.
#[test]
fn settings_beside_resume_are_refused() {
    let rules = [
        ["--max-plies", "100"],
        ["--declaration", "try"],
        ["--tolerance", "5"],
        ["--patience", "5"],
        ["--resign", "moves=5 score=3000"],
        ["--draw", "moves=8 score=20"],
    ];
    let of_match = [["--format", "gauntlet"], ["--sprt", "elo1=5"]];
    let of_sprt = [
        ["--elo0", "0"],
        ["--elo1", "5"],
        ["--alpha", "0.1"],
        ["--beta", "0.1"],
        ["--model", "logistic"],
        ["--counts", "trinomial"],
    ];
    // No games are played where members are asked.
    let of_calibration = [["--patience", "5"]];
    for (command, rules, own) in [
        (&["match"][..], &rules[..], &of_match[..]),
        (&["sprt"], &rules, &of_sprt),
        (&["spsa"], &rules, &[]),
        (&["ablation"], &rules, &[]),
        (&["council", "calibrate"], &[], &of_calibration),
    ] {
        for option in rules.iter().chain(own) {
            let output = lab().args(command).args(["--resume", "nowhere"]).args(option).output().unwrap();
            let told = text(&output);
            assert_eq!(output.status.code(), Some(2), "{command:?} {option:?}: {told}");
            assert!(told.contains("cannot be used with") && told.contains(option[0]), "{told}");
        }
        // What does not decide which games are played is allowed.
        let output = lab().args(command).args(["--resume", "nowhere", "--start-timeout", "9"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}: {}", text(&output));
    }
}

#[test]
fn a_match_without_a_test_is_not_gone_on_with_as_one() {
    let contest = TestMatch::new();
    let engines = [contest.engine("a", ""), contest.engine("b", "seed=1")];
    contest.play(&engines, "--games 2 --each nodes=1 --max-plies 6");
    let settings = fs::read(contest.path("out/match.json")).unwrap();
    let output = lab().args(["sprt", "--games", "8", "--resume"]).arg(contest.path("out")).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("the match has no sequential test"), "{}", text(&output));
    assert_eq!((contest.games().len(), fs::read(contest.path("out/match.json")).unwrap()), (2, settings));
}

/// A tuning has its openings in a file of the same name, and an analysis its games in a file named as the journal.
#[test]
fn another_kind_of_run_in_the_folder_of_a_match_changes_nothing_there() {
    let contest = TestMatch::new();
    let openings = contest.path("openings.sfen");
    fs::write(&openings, "startpos moves 2g2f\n").unwrap();
    let engines = [contest.engine("a", ""), contest.engine("b", "seed=1")];
    contest.play(&engines, "--games 2 --each nodes=1 --max-plies 6");
    let files = || {
        let read = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().path();
        let mut paths: Vec<_> = fs::read_dir(contest.path("out")).unwrap().map(read).collect();
        paths.sort();
        paths.into_iter().map(|path| (fs::read(&path).unwrap_or_default(), path)).collect::<Vec<_>>()
    };
    let before = files();
    let parameters = contest.path("parameters.toml");
    fs::write(&parameters, "Wisdom = { start = 30, min = 0, max = 100, step = 10 }\n").unwrap();
    let engine = contest.engine("a", "multipv") + " nodes=1";
    let parameters = parameters.to_str().unwrap();
    for arguments in [
        &["spsa", "--updates", "1", "--parameters", parameters][..],
        &["ablation", "--games", "2", "--depth", "0"],
        &["analyze", "--moves", "7g7f"],
    ] {
        let mut lab = lab();
        lab.args(arguments).args(["--engine", &engine]).arg("--output").arg(contest.path("out"));
        if arguments[0] != "analyze" {
            lab.arg("--openings").arg(&openings);
        }
        let output = lab.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", text(&output));
        assert!(text(&output).contains("holds a match already: name another folder"), "{}", text(&output));
        assert!(files() == before, "{arguments:?}");
    }
}
