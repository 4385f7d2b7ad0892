//! Runs over workers, with a real server where `nats-server` is installed.

use std::env::consts::EXE_SUFFIX;
use std::fs::File;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::Duration;

use kiki_tests::networks::network_file;
use serde_json::Value;

#[cfg(unix)]
use crate::laboratory::interrupt;
use crate::laboratory::{Folder, MOCK, openings, wait_until};

/// A process that ends with its test. A failed test shows what it said.
struct Ended {
    child: Child,
    said: PathBuf,
}

impl Ended {
    fn start(folder: &Folder, name: &str, command: &mut Command) -> std::io::Result<Self> {
        let said = folder.join(format!("{name}.log"));
        let log = File::create(&said)?;
        let child = command.stdout(log.try_clone()?).stderr(log).spawn()?;
        Ok(Self { child, said })
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            println!("{}:\n{}", self.said.display(), std::fs::read_to_string(&self.said).unwrap_or_default());
        }
    }
}

/// A server with JetStream, and its address; `None` where none is installed.
fn server(folder: &Folder) -> Option<(Ended, String)> {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new("nats-server");
    command.args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"]).arg(folder.join("jetstream"));
    let Ok(server) = Ended::start(folder, "server", &mut command) else {
        println!("nats-server is not installed: runs over workers are not tested");
        return None;
    };
    wait_until("nats-server does not start", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    Some((server, format!("nats://127.0.0.1:{port}")))
}

fn worker(folder: &Folder, url: &str, name: &str, more: &[&str]) -> Ended {
    let words = ["worker", "--nats", url, "--threads", "1", "--cache", "cache", "--name", name];
    Ended::start(folder, name, folder.lab(&words).args(more)).unwrap()
}

/// The games of a match without what a clock writes.
fn games(folder: &Folder, run: &str) -> Vec<Value> {
    let lines = folder.text(format!("{run}/games.jsonl"));
    let game = |line| {
        let mut game: Value = serde_json::from_str(line).unwrap();
        for key in ["times", "started"] {
            game.as_object_mut().unwrap().remove(key);
        }
        game
    };
    lines.lines().map(game).collect()
}

#[test]
fn workers_do_what_one_machine_does() {
    let folder = Folder::new();
    let Some((_server, url)) = server(&folder) else { return };
    let engines = format!("[engines]\none = ['{MOCK}', 'seed=1']\nother = ['{MOCK}', 'seed=2']\n");
    folder.write("engines.toml", engines);
    let _one = worker(&folder, &url, "w1", &["--engines", "engines.toml"]);
    // This one refuses the match, and the other plays it.
    let _other = worker(&folder, &url, "w2", &[]);
    let selfplay = "selfplay --positions 600 --nodes 20 --seed 3 --max-plies 60 --threads 1 --out";
    folder.succeed(&format!("{selfplay} many.games --nats {url}"));
    folder.succeed(&format!("{selfplay} one.games"));
    assert_eq!(folder.bytes("many.games"), folder.bytes("one.games"));
    let [one, other] =
        [("one", 1), ("other", 2)].map(|(name, seed)| format!("name={name} cmd='{MOCK} seed={seed}' nodes=1"));
    let openings = openings();
    let openings = openings.to_str().unwrap();
    let contest =
        ["match", "--engine", &one, "--engine", &other, "--games", "6", "--max-plies", "40", "--openings", openings];
    folder.succeed(&[&contest[..], &["--output", "many", "--nats", &url]].concat());
    folder.succeed(&[&contest[..], &["--output", "one"]].concat());
    assert_eq!(games(&folder, "many"), games(&folder, "one"));
}

/// A match of Kiki against itself, by the network in `eval` that no option names.
fn own_match(folder: &Folder, output: &str, more: &[&str]) -> Command {
    let kiki = PathBuf::from(env!("CARGO_BIN_EXE_kiki-lab")).with_file_name(format!("kiki{EXE_SUFFIX}"));
    assert!(kiki.is_file(), "{} is missing: cargo build builds it", kiki.display());
    let each = format!("cmd='{}' option.Threads=1 option.USI_Hash=1", kiki.display());
    let mut command = folder.lab("match --games 2 --max-plies 44 --output");
    command.arg(output).args(["--engine", "name=more nodes=60", "--engine", "name=less nodes=40", "--each", &each]);
    command.arg("--openings").arg(openings()).args(more);
    command
}

#[test]
fn the_network_that_kiki_finds_by_itself_goes_to_the_workers() {
    let folder = Folder::new();
    let Some((_server, url)) = server(&folder) else { return };
    folder.write("eval/nn.bin", network_file(1, [32, 8, 16]));
    // The worker runs elsewhere, where there is no such folder.
    std::fs::create_dir(folder.join("elsewhere")).unwrap();
    let words = ["worker", "--nats", &url, "--threads", "1", "--cache", "cache"];
    let _worker = Ended::start(&folder, "w1", folder.lab(&words).current_dir(folder.join("elsewhere"))).unwrap();
    for mut command in [own_match(&folder, "many", &["--nats", &url]), own_match(&folder, "one", &[])] {
        assert!(command.status().unwrap().success());
    }
    assert_eq!(games(&folder, "many"), games(&folder, "one"));
}

/// A worker with another Kiki beside its program, as if only `kiki-lab` was built anew.
#[test]
#[cfg(unix)]
fn a_worker_with_another_kiki_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let Some((_server, url)) = server(&folder) else { return };
    let kiki = PathBuf::from(env!("CARGO_BIN_EXE_kiki-lab")).with_file_name("kiki");
    let other = format!("#!/bin/sh\n(echo setoption name Eval value formula; cat) | '{}'\n", kiki.display());
    folder.write("other/kiki", other);
    std::fs::set_permissions(folder.join("other/kiki"), PermissionsExt::from_mode(0o755)).unwrap();
    let program = folder.join("other/kiki-lab");
    std::fs::copy(env!("CARGO_BIN_EXE_kiki-lab"), &program).unwrap();
    let mut worker = Command::new(&program);
    worker.args(["worker", "--nats", &url, "--threads", "1", "--cache", "cache"]).current_dir(&*folder);
    let _worker = Ended::start(&folder, "w1", &mut worker).unwrap();
    let mut run = own_match(&folder, "many", &["--nats", &url]);
    let _coordinator = Ended::start(&folder, "coordinator", &mut run).unwrap();
    let refusal = "engine `more` searches or evaluates differently on this worker";
    wait_until("the worker refuses", || folder.text("coordinator.log").contains(refusal));
}

/// A worker serves a run that another program continues.
#[test]
#[cfg(unix)]
fn a_worker_leaves_a_run_that_another_program_continues() {
    let folder = Folder::new();
    let Some((_server, url)) = server(&folder) else { return };
    let words = format!("selfplay --positions 100000000 --nodes 20 --out run.games --nats {url}");
    let mut coordinator = Ended::start(&folder, "coordinator", &mut folder.lab(&words)).unwrap();
    let _worker = worker(&folder, &url, "w1", &[]);
    wait_until("the worker serves the run", || folder.text("w1.log").contains("serves "));
    interrupt(&coordinator.child);
    coordinator.child.wait().unwrap();
    let log = folder.text("w1.log");
    let run = log.split("serves ").nth(1).and_then(|rest| rest.split(':').next()).unwrap();
    let version = r#"{"protocol":1,"program":"another","signature":1}"#;
    let notice = format!(r#"{{"version":{version},"what":"x","kind":"self-play","timed":false,"job":{{}}}}"#);
    Stranger::new(&url).publish(&format!("$KV.kiki-runs.{run}"), &notice);
    wait_until("the worker leaves the run", || {
        let log = folder.text("w1.log");
        log.contains(&format!("leaves {run}")) && log.contains("it wants another, messages 1, search 1")
    });
}

/// A client that publishes what it likes.
struct Stranger(TcpStream);

impl Stranger {
    fn new(url: &str) -> Self {
        let mut connection = TcpStream::connect(url.trim_start_matches("nats://")).unwrap();
        connection.write_all(b"CONNECT {\"verbose\":false}\r\n").unwrap();
        Self(connection)
    }

    fn publish(&mut self, subject: &str, payload: &str) {
        write!(self.0, "PUB {subject} {}\r\n{payload}\r\n", payload.len()).unwrap();
    }

    /// Removes the message of a subject from the queue of a run, as an acknowledgement does.
    fn remove(&mut self, run: &str, subject: &str) {
        let request = format!("{{\"filter\":\"{subject}\"}}");
        self.publish(&format!("$JS.API.STREAM.PURGE.kiki-{run} _INBOX.stranger"), &request);
    }
}

/// A worker reports a message that is no task, and acknowledges it later: until then the queue
/// refuses the task of that number.
#[test]
fn a_task_whose_place_is_taken_is_sent_again() {
    let folder = Folder::new();
    let Some((_server, url)) = server(&folder) else { return };
    let words = format!("selfplay --positions 600 --nodes 20 --max-plies 60 --out run.games --nats {url}");
    let mut coordinator = Ended::start(&folder, "coordinator", &mut folder.lab(&words)).unwrap();
    let on_server = || folder.json(&format!("machines --nats {url}"))["runs"][0].clone();
    wait_until("the tasks are in the queue", || on_server()["queue"]["waiting"].as_u64() > Some(0));
    let run = on_server()["id"].as_str().unwrap().to_owned();
    let [task, result] = ["task", "result"].map(|kind| format!("kiki.{run}.{kind}.0"));
    let mut stranger = Stranger::new(&url);
    stranger.remove(&run, &task);
    stranger.publish(&task, "no task");
    stranger.publish(&result, "no result");
    wait_until("the result is dropped", || folder.text("coordinator.log").contains("a result is dropped"));
    // The coordinator sends the task four times a second.
    std::thread::sleep(Duration::from_secs(1));
    stranger.remove(&run, &task);
    let _worker = worker(&folder, &url, "w1", &[]);
    wait_until("the run ends", || coordinator.child.try_wait().unwrap().is_some_and(|status| status.success()));
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_tells_that_it_goes_on_with_workers() {
    let folder = Folder::new();
    let Some((_server, url)) = server(&folder) else { return };
    let words = format!("selfplay --positions 600 --nodes 20 --out run.games --nats {url}");
    let mut coordinator = Ended::start(&folder, "coordinator", &mut folder.lab(&words)).unwrap();
    let runs = || folder.json(&format!("machines --nats {url}"))["runs"].clone();
    wait_until("the run is on the server", || runs().as_array().is_some_and(|runs| !runs.is_empty()));
    interrupt(&coordinator.child);
    coordinator.child.wait().unwrap();
    let told = folder.text("coordinator.log");
    assert!(told.contains("kiki-lab resume run.games --nats URL\n"), "{told}");
}

#[test]
fn options_for_engines_of_this_machine_are_refused() {
    let folder = Folder::new();
    folder.write("game.sfen", "startpos moves 7g7f");
    for command in ["match --each nodes=1 --engine a --engine b", "analyze game.sfen --engine 'a nodes=1'"] {
        let errors = folder.fail(&format!("{command} --output out --nats nats://127.0.0.1:1 --log logs"));
        assert!(errors.contains("--log and --affinity are for engines of this machine"), "{errors}");
        assert!(!folder.join("out").exists() && !folder.join("logs").exists());
    }
}

#[test]
fn a_run_has_one_coordinator() {
    let folder = Folder::new();
    let Some((_server, url)) = server(&folder) else { return };
    let words = format!("selfplay --out run.games --nodes 20 --nats {url}");
    let _first = Ended::start(&folder, "first", &mut folder.lab(&words)).unwrap();
    let _worker = worker(&folder, &url, "w1", &[]);
    wait_until("the worker serves the run", || folder.text("w1.log").contains("serves "));
    // Without its file only the server knows of the first one.
    std::fs::remove_file(folder.join("run.games")).unwrap();
    let errors = folder.fail(&words);
    assert!(errors.contains("another process coordinates this run: process "), "{errors}");
}
