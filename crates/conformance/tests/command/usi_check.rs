//! `kiki-lab usi-check` as a command: what it prints, and its exit status.

use std::process::Output;

use serde_json::Value;

use crate::laboratory::{MOCK, lab};

fn check(arguments: &[&str]) -> Output {
    lab().arg("usi-check").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_exit_status_tells_whether_required_cases_fail() {
    let output = check(&[MOCK, "--quick", "--only", "handshake,stop-idle,quit"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains("mock: 3 cases pass, 0 fail, 0 are skipped"), "{output:?}");
    assert!(text(&output.stdout).contains("no required case fails among the 3 selected"), "{output:?}");

    // `go infinite` is answered at once.
    let output = check(&[&format!("name=a cmd='{MOCK} name=hasty'"), "--quick", "--only", "infinite,output-ascii"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let shown = text(&output.stdout);
    assert!(shown.contains("> go infinite") && shown.contains("hasty: "), "the conversation is shown: {shown}");
}

#[test]
fn json_has_the_verdict_of_every_case() {
    let output = check(&[MOCK, "--quick", "--json", "--only", "infinite,ponder-hit,quit"]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&value["passes"], &value["complete"], &value["engine"]), (&false.into(), &true.into(), &"mock".into()));
    assert_eq!(value["all_cases"], false, "--only leaves cases out");
    let verdicts: Vec<&Value> = value["cases"].as_array().unwrap().iter().map(|case| &case["verdict"]).collect();
    assert!(verdicts[0]["fail"].is_string() && verdicts[1]["skipped"].is_string(), "{verdicts:?}");
    assert!(verdicts[2].get("pass").is_some() && value["cases"][0]["conversation"].is_array());
}

#[test]
fn arguments_that_make_no_sense_are_told_in_one_line_with_status_2() {
    let misspelt = format!("name=a cmd='{MOCK}' option.Treads=1");
    for (arguments, expected) in [
        (&[&*misspelt][..], "engine `a`: no such option: Treads"),
        (&["./no/such/engine"], "no file `./no/such/engine`"),
        (&[MOCK, "--only", "ready,nonsense"], "--only nonsense: no such case"),
        (&[""], "empty command"),
        (&["kiki fast=1"], "`fast=1`"),
        (&[MOCK, "--timeout", "0"], "--timeout"),
        (&[], "ENGINE"),
    ] {
        let output = check(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {output:?}");
    }
}

#[test]
fn the_list_shows_every_case_with_its_reason() {
    let shown = text(&check(&["--list"]).stdout);
    assert!(shown.contains("ponder-races") && shown.matches("otherwise: ").count() > 80, "{shown}");
    let list: Value = serde_json::from_slice(&check(&["--list", "--json"]).stdout).unwrap();
    assert!(list.as_array().unwrap().iter().all(|case| case["why"].is_string()));
}

#[test]
fn a_program_that_is_not_there_takes_a_few_lines() {
    let output = check(&["nofile"]);
    let shown = text(&output.stdout);
    assert!(shown.lines().count() < 20 && shown.contains("`nofile` cannot be started"), "{shown}");
    assert!(shown.contains("are skipped") && !shown.contains("go-depth"), "{shown}");
}

/// Programs that are no engines: scripts.
#[cfg(unix)]
mod hostile {
    use std::fs;

    use super::*;
    use crate::laboratory::{interrupted, is_alive};

    #[test]
    fn json_is_whole_whatever_the_program_does() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("engine");
        fs::write(&text, "no program").unwrap();
        for program in [
            text.to_str().unwrap(),
            "sh -c 'head -c 3000000 /dev/urandom; cat > /dev/null'",
            r#"sh -c 'printf "id name \\033[31m\\377\\"\\nusiok\\nreadyok\\nbestmove \\000\\n"; cat > /dev/null'"#,
        ] {
            let times = ["--timeout", "1", "--ready-timeout", "1"];
            let output = check(&[&[program, "--json", "--only", "handshake,go-depth,quit"][..], &times].concat());
            assert_eq!(output.status.code(), Some(1), "{program}: {output:?}");
            let value: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(value["cases"].as_array().unwrap().len(), 3, "{program}");
            assert!(
                text_is_plain(&output.stdout) && value["complete"] == true && value["passes"] == false,
                "{program}"
            );
        }
    }

    /// Whether a text can be shown on any terminal.
    fn text_is_plain(bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~'))
    }

    #[test]
    fn an_interruption_ends_it_with_json_and_no_process_left() {
        let folder = tempfile::tempdir().unwrap();
        let number = folder.path().join("number");
        let engine = format!("sh -c 'sleep 1000 & echo $! > {}; cat > /dev/null'", number.display());
        let check = ["usi-check", &engine, "--json", "--only", "go-depth", "--ready-timeout", "3600"];
        let is_started = || fs::read_to_string(&number).is_ok_and(|text| text.ends_with('\n'));
        let output = interrupted(lab().args(check), "the engine was not started", is_started);
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(value["complete"] == false && value["cases"].as_array().unwrap().is_empty(), "{value}");
        assert!(!is_alive(&number), "a process is left");
    }
}
