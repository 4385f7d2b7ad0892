//! The table of options in docs/playing.md is that of the program.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::conversation::Conversation;

/// What the page says where the default is another on every machine.
const THREADS: &str = "logical processors";

/// Options with their types and defaults, as the program declares them. The numbers that only an optimizer sees are left out.
fn declared() -> BTreeMap<String, String> {
    let mut engine = Conversation::start(&[]);
    engine.say("usi");
    let mut options = BTreeMap::new();
    for line in engine.until("usiok").iter().filter(|line| line.starts_with("option name ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let default = words.iter().position(|&word| word == "default").map_or("", |at| words[at + 1]);
        let default = if words[2] == "Threads" { THREADS } else { default };
        options.insert(words[2].to_owned(), default.to_owned());
        // Tunable numbers, in a build with that feature, follow the button.
        if words[4] == "button" {
            break;
        }
    }
    options
}

/// The rows of the table: `| `Name` | default | meaning |`.
fn on_the_page() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/playing.md");
    let page = fs::read_to_string(path).expect("docs/playing.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        assert!(cells.len() == 5 && cells[3].len() > 10, "{row}");
        (cells[1].trim_matches('`').to_owned(), cells[2].trim_matches('`').to_owned())
    })
    .collect()
}

#[test]
fn the_page_lists_every_option_with_its_default_and_no_other() {
    assert_eq!(on_the_page(), declared());
}
