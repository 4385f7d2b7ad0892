//! The end of a process, on every system.

use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use kiki_driver::{Process, Program};

#[test]
fn a_process_that_has_ended_can_be_asked_again_and_again() {
    // This very program, which lists its tests. It works without the ending `.exe`.
    let this = std::env::current_exe().unwrap().with_extension("");
    let program = Program::from_words([this.to_str().unwrap(), "--list"]).unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let (mut process, _streams) = Process::start_raw(&program, Stdio::null()).unwrap();
        while !process.has_ended() {
            thread::sleep(Duration::from_millis(1));
        }
        assert!((0..5).all(|_| process.has_ended()));
        sender.send((process.end(), process.end())).unwrap();
    });
    let (first, second) = receiver.recv_timeout(Duration::from_secs(60)).expect("an end that does not come");
    assert!(first.is_some_and(|status| status.success()), "{first:?}");
    assert_eq!(second, first);
}
