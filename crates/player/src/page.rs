//! The report as one HTML page.

use kiki_page::{HEADER, HEADING, MOVES, Page, RULES, SQUARES, SQUARES_STYLE};

use crate::report::PlayerReport;

/// In the order in which the browser reads them.
const PROGRAM: [&str; 9] = [
    HEADING,
    include_str!("page/texts.js"),
    SQUARES,
    MOVES,
    RULES,
    include_str!("page/study.js"),
    include_str!("page/overview.js"),
    include_str!("page/quiz.js"),
    include_str!("page/main.js"),
];

pub(crate) fn html(report: &PlayerReport) -> serde_json::Result<String> {
    let json = serde_json::to_string(report)?;
    let page = Page {
        title: &report.name,
        policy: "",
        style: &[SQUARES_STYLE, include_str!("page/style.css")],
        body: &[HEADER, include_str!("page/body.html")].concat(),
        data: Some(("report", &json)),
        program: &PROGRAM,
    };
    Ok(page.html())
}
