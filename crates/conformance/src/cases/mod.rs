//! The cases. docs/usi-check.md has their texts and their order; each file here has the
//! conversations of a subject.

mod answers;
mod go;
mod handshake;
mod mate;
mod options;
mod ponder;
mod position;
mod quit;
mod stop;
mod streams;

use crate::check::{Case, NamedRun};

const PAGE: &str = include_str!("../../../../docs/usi-check.md");

const RUNS: [&[NamedRun]; 10] = [
    answers::RUNS,
    go::RUNS,
    handshake::RUNS,
    mate::RUNS,
    options::RUNS,
    ponder::RUNS,
    position::RUNS,
    quit::RUNS,
    stop::RUNS,
    streams::RUNS,
];

/// All cases, in the order in which they are run.
#[must_use]
pub fn cases() -> Vec<Case> {
    PAGE.lines().filter_map(case_of_row).collect()
}

/// Reads `| NAME | SEVERITY | ROW | PROMISE | WHY |`. `None` for other lines.
fn case_of_row(line: &'static str) -> Option<Case> {
    let cells: Vec<&str> = line.strip_prefix("| `")?.strip_suffix(" |")?.split(" | ").collect();
    let [name, severity, row, promise, why] = cells[..] else { return None };
    let name = name.strip_suffix('`')?;
    let severity = severity.parse().ok()?;
    let &(_, run) = RUNS.iter().copied().flatten().find(|(known, _)| *known == name)?;
    Some(Case { name, row, promise, why, severity, run })
}

/// Rules that a conversation cannot test, each with the reason.
pub(crate) fn not_tested() -> impl Iterator<Item = String> {
    let section = PAGE.split("\n## ").find_map(|section| section.strip_prefix("Not tested\n")).unwrap_or_default();
    section.split("\n- ").skip(1).map(|item| item.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_has_one_row_of_the_page_and_every_row_a_run() {
        let mut runs: Vec<&str> = RUNS.iter().copied().flatten().map(|&(name, _)| name).collect();
        let mut names: Vec<&str> = cases().iter().map(|case| case.name).collect();
        runs.sort_unstable();
        names.sort_unstable();
        assert_eq!(names, runs);
        let rows = PAGE.lines().filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 4).count();
        assert_eq!((rows, not_tested().count()), (names.len(), 7));
    }
}
