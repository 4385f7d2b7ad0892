//! Who learns the password.

use super::double::{Double, START, summary};
use super::program::{Plan, Program};

#[test]
fn a_password_of_the_environment_goes_to_the_server_and_not_to_the_engine() {
    let server = Double::new();
    // The engine of these tests refuses to start with the variable, also when it is started again.
    let engine = "script=7g7f fault=crash@1 marker={folder}/marker";
    let program = Program::start_with_password(server.port, &Plan { engine, ..Plan::default() }, "secret-of-mine");
    let mut visitor = server.accept();
    visitor.expect("LOGIN kiki test-60-1F,secret-of-mine");
    visitor.send("LOGIN:kiki OK\n");
    visitor.start_game("id", &summary('+', "id", START));
    visitor.confirm_move("+7776FU", 1);
    visitor.send("%TORYO\n#RESIGN\n#WIN\n");
    visitor.expect_end();
    let log = program.wait_for_success().log;
    assert!(log.contains("the engine was started again"), "{log}");
}
