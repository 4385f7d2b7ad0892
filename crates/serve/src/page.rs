//! The page.

use kiki_page::{GRAPH, MOVES, Page, SQUARES, SQUARES_STYLE};
use serde_json::json;

use crate::settings::{MOST_MESSAGE, Settings};

const BODY: &str = include_str!("page/body.html");
const STYLE: [&str; 4] =
    [SQUARES_STYLE, include_str!("page/serve.css"), include_str!("page/stands.css"), include_str!("page/cards.css")];
/// In the order in which the browser reads them.
const PROGRAM: [&str; 21] = [
    include_str!("page/texts.js"),
    include_str!("page/server.js"),
    include_str!("page/tree.js"),
    SQUARES,
    MOVES,
    GRAPH,
    include_str!("page/input.js"),
    include_str!("page/look.js"),
    include_str!("page/views.js"),
    include_str!("page/why.js"),
    include_str!("page/play.js"),
    include_str!("page/watch.js"),
    include_str!("page/start.js"),
    include_str!("page/banner.js"),
    include_str!("page/analyze.js"),
    include_str!("page/problems.js"),
    include_str!("page/solve.js"),
    include_str!("page/kept.js"),
    include_str!("page/own.js"),
    include_str!("page/transfer.js"),
    include_str!("page/main.js"),
];
/// Mating problems from games of Kiki against itself, one a line: an SFEN whose move number is the
/// length of the mate, of one length the easiest first. `docs/mates.md` tells how they were made.
const PROBLEMS: &str = include_str!("problems.sfen");

/// `hosts` are the names of the server in requests.
pub(crate) fn html(hosts: &[String], settings: &Settings) -> String {
    let sockets: Vec<String> = hosts.iter().map(|host| format!("ws://{host}")).collect();
    let handicaps = kiki_record::handicaps().map(|sfen| {
        let (japanese, english) = kiki_record::handicap_names(sfen).unwrap_or_default();
        json!({"sfen": sfen, "japanese": japanese, "english": english})
    });
    let data = json!({
        "program": settings.program,
        "levels": kiki_search::FULL_SKILL,
        "thresholds": kiki_judgement::Thresholds::default(),
        "tabs": settings.tabs,
        "message": MOST_MESSAGE,
        "handicaps": handicaps.collect::<Vec<_>>(),
        "problems": PROBLEMS.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>(),
    });
    let page = Page {
        title: "Kiki",
        policy: &format!("connect-src {}", sockets.join(" ")),
        style: &STYLE,
        body: BODY,
        data: Some(("settings", &data.to_string())),
        program: &PROGRAM,
    };
    page.html()
}

#[cfg(test)]
mod tests {
    use kiki_board::Position;
    use kiki_mate::{MateResult, Solver};

    use super::*;

    #[test]
    fn every_problem_has_one_solution_of_its_length() {
        let mut solver = Solver::new(16);
        solver.set_shortest(true);
        let lines: Vec<&str> = PROBLEMS.lines().collect();
        assert!(lines.len() >= 400, "{}", lines.len());
        let mut lengths = Vec::new();
        for line in lines {
            let mut position = Position::from_sfen(line).unwrap();
            let MateResult::Mate(solution) = solver.solve(&mut position, &mut |_| true) else {
                panic!("no mate: {line}")
            };
            assert!(solver.is_shortest() && solution.len() == position.ply() as usize, "{line}");
            let cooks = solver.cooks(&mut position, &solution, &mut |_| true);
            assert!(cooks.alternatives.is_empty() && cooks.open.is_empty(), "{line}");
            lengths.push(solution.len());
        }
        assert!(lengths.is_sorted());
        for length in [1, 3, 5, 7, 9, 11] {
            assert!(lengths.iter().filter(|&&found| found == length).count() >= 50, "{length}");
        }
    }
}
