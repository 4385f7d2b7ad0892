//! The report as one HTML page.

use kiki_page::{GRAPH, HEADER, HEADING, MOVES, Page, RULES, SQUARES, SQUARES_STYLE};

use crate::report::GameReport;

/// In the order in which the browser reads them.
const PROGRAM: [&str; 16] = [
    HEADING,
    include_str!("page/texts.js"),
    include_str!("page/words.js"),
    SQUARES,
    MOVES,
    GRAPH,
    RULES,
    include_str!("page/values.js"),
    include_str!("page/graph.js"),
    include_str!("page/panels.js"),
    include_str!("page/lists.js"),
    include_str!("page/summary.js"),
    include_str!("page/tools.js"),
    include_str!("page/quiz.js"),
    include_str!("page/own.js"),
    include_str!("page/main.js"),
];

pub fn html(report: &GameReport) -> serde_json::Result<String> {
    let json = serde_json::to_string(report)?;
    let page = Page {
        title: &title(report),
        policy: "",
        style: &[SQUARES_STYLE, include_str!("page/page.css")],
        body: &[HEADER, include_str!("page/body.html")].concat(),
        data: Some(("report", &json)),
        program: &PROGRAM,
    };
    Ok(page.html())
}

/// `☗Black ☖White`, or the name of the game.
fn title(report: &GameReport) -> String {
    let game = &report.game.head;
    if game.black.is_empty() && game.white.is_empty() {
        return game.name.clone();
    }
    let name = |name: &str| if name.is_empty() { "?".to_owned() } else { name.to_owned() };
    format!("☗{} ☖{}", name(&game.black), name(&game.white))
}
