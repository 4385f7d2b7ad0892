//! Warnings about the results of a contest.

use crate::runner::Contest;

/// Reasons why the results say less than their numbers suggest.
pub(super) fn warnings(contest: &Contest) -> Vec<String> {
    let mut warnings = Vec::new();
    if contest.standings.duplicates() > 0 {
        warnings.push(format!(
            "warning: games that repeat an earlier one move by move, so that not all are independent: {}",
            contest.standings.duplicates()
        ));
    }
    if contest.repeats_openings() {
        warnings.push("warning: there are fewer openings than pairs of games, so some were played again".to_owned());
    }
    warnings
}
