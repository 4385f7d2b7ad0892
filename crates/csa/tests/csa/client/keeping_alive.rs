//! Empty lines that keep a quiet connection alive. Programs take no interval below 30 seconds, so that here the client itself is run.

use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use kiki_csa::output::LiveLine;
use kiki_csa::output::QueuedOutput;
use kiki_csa::session::Client;
use kiki_csa::session::Totals;
use kiki_csa::settings::Settings;
use kiki_driver::CancellationToken;

use super::double::{Double, START, Visitor, summary};

/// The seconds between empty lines.
const INTERVAL: u64 = 1;

/// Less than [`INTERVAL`] by what a busy machine may be late with the line before.
const SHORTEST: Duration = Duration::from_millis(100);

const PATIENCE: Duration = Duration::from_secs(20);

fn settings(port: u16, folder: &Path) -> Settings {
    let text = format!(
        "[server]\nhost = \"127.0.0.1\"\nport = {port}\nname = \"kiki\"\ngame = \"test-60-1F\"\npassword = \"secret\"\n\
         keep_alive = {INTERVAL}\n[engine]\ncommand = '{} script=7g7f think=2500'\n[play]\ngames = 1\n\
         [records]\ndirectory = '{}'\n",
        env!("CARGO_BIN_EXE_kiki-csa-mock"),
        folder.display()
    );
    Settings::parse(&text).expect("settings")
}

fn listen(mut visitor: Visitor) -> Visitor {
    visitor.shortest_keep_alive = SHORTEST;
    visitor
}

#[test]
fn a_quiet_connection_is_kept_alive_before_and_in_a_game() {
    let (server, folder) = (Double::new(), tempfile::tempdir().expect("a folder"));
    let output = LiveLine::new(false, QueuedOutput::new(io::sink()));
    let mut client =
        Client::new(settings(server.port, folder.path()), output, CancellationToken::never()).expect("a client");
    let played = thread::spawn(move || client.run());
    let mut visitor = listen(server.log_in());
    // It waits for a game.
    visitor.expect_keep_alive(PATIENCE);
    visitor.expect_keep_alive(PATIENCE);
    visitor.send(&summary('+', "id", START));
    visitor.expect("AGREE id");
    // It waits for the start.
    visitor.expect_keep_alive(PATIENCE);
    visitor.send("START:id\n");
    // The engine thinks for longer than an interval.
    let before = visitor.keep_alives;
    visitor.confirm_move("+7776FU", 2);
    assert!(visitor.keep_alives > before);
    // The other side thinks.
    visitor.expect_keep_alive(PATIENCE);
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.expect_end();
    let totals = played.join().expect("no panic").expect("games");
    assert_eq!(totals, Totals { won: 1, ..Totals::default() });
}
