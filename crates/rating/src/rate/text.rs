//! Ratings as people read them.

use crate::bradley_terry::{Covariance, DrawShare, Fit, MonteCarlo, residuals};
use anyhow::{Result, ensure};
use kiki_board::printable;

use super::json::MAX_IN_MATRIX;
use super::rating::RatingReport;
use super::rows::PlayerRow;
use kiki_run::numbers::{percent, points, signed, table};
use kiki_run::say;

/// Above this share of dropped replicates the Monte-Carlo errors are too small.
const MAX_DROPPED: f64 = 0.01;

pub(super) fn print(rating: &RatingReport<'_>, matrix: bool, residuals: bool) -> Result<()> {
    say!("{}", players(rating));
    say!("{}", remarks(rating));
    for fit in &rating.others {
        say!("\nPlayers that cannot be compared with these, on a scale of their own:\n{}", other(rating, fit)?);
    }
    if matrix {
        say!("\nProbability that the player of the line is better than that of the column:\n{}", better(rating)?);
    }
    if residuals {
        say!("\nWhat each pair scored, seen from the first:\n{}", residual_table(rating));
    }
    if let Some(hold_out) = &rating.hold_out {
        say!(
            "\n{:.0} games kept aside ({:.0} more could not be predicted): log loss {:.4} a game",
            hold_out.games,
            hold_out.unrated_games,
            hold_out.log_loss
        );
        let rows = hold_out
            .calibration
            .iter()
            .map(|bin| vec![points(bin.games), percent(bin.predicted), percent(bin.observed)]);
        say!("{}", table(&["games", "predicted", "observed"], rows));
    }
    Ok(())
}

fn players(rating: &RatingReport<'_>) -> String {
    let header = [
        "player",
        "rank",
        "rating",
        "± MC",
        "± Hessian",
        "games",
        "won",
        "drawn",
        "lost",
        "score",
        "opponents",
        "bias",
        "class",
    ];
    table(&header, rating.players.iter().map(|row| player(row, rating.is_centred))).to_string()
}

fn player(row: &PlayerRow, is_centred: bool) -> Vec<String> {
    let missing = || "-".to_owned();
    let rated = row.rated.as_ref();
    let spread = rated.and_then(|rated| if is_centred { rated.simulated_centred } else { rated.simulated_anchored });
    let error = rated.map(|rated| if is_centred { rated.centred_error } else { rated.anchored_error });
    vec![
        row.name.clone(),
        rated.map_or_else(missing, |rated| rated.rank.to_string()),
        rated.map_or_else(missing, |rated| signed(rated.rating)),
        spread.map_or_else(missing, |spread| format!("{:.1}", spread.deviation)),
        error.map_or_else(missing, |error| format!("{error:.1}")),
        points(row.games()),
        points(row.wins),
        points(row.draws),
        points(row.losses),
        row.share().map_or_else(missing, percent),
        rated.map_or_else(missing, |rated| signed(rated.standing.mean_opponent)),
        spread.map_or_else(missing, |spread| signed(spread.bias)),
        row.class.name().to_owned(),
    ]
}

fn remarks(rating: &RatingReport<'_>) -> String {
    let names = rating.results.names();
    let anchor = &names[rating.fit.classification().anchor];
    let relation = match rating.anchors {
        _ if rating.is_centred => "the mean of all rated players".to_owned(),
        0 | 1 => format!("the anchor, {anchor}"),
        several => format!("the {several} anchors"),
    };
    let mut lines = vec![format!(
        "{} games; errors are standard errors in relation to {relation}; ln P = {:.6}",
        points(rating.results.games()),
        rating.fit.ln_likelihood()
    )];
    if rating.results.unfinished > 0 {
        lines.push(format!("{} games without a result were left out", rating.results.unfinished));
    }
    lines.extend(rating.results.repeats.warnings());
    lines.extend(left_out(rating));
    if let Some(advantage) = rating.fit.first_move_advantage() {
        let error = rating.covariance.first_move_error().unwrap_or(f64::NAN);
        lines.push(format!("the first move is worth {} ± {error:.1} Elo", signed(advantage)));
    }
    if let Some(DrawShare { share, error }) = rating.draw_share {
        lines.push(format!(
            "equal players draw {} ± {} of their games; 400 Elo are ten wins for a loss, whatever is drawn",
            percent(share),
            percent(error)
        ));
    }
    if let Some(simulated) = &rating.simulated {
        lines.extend(replicates(simulated));
    }
    lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n")
}

/// The first of the players that were left out for too few games.
fn left_out(rating: &RatingReport<'_>) -> Option<String> {
    const MAX_NAMES: usize = 8;
    let number = rating.left_out.len();
    let names = rating.left_out.iter().take(MAX_NAMES).map(|left| format!("{} ({})", left.name, points(left.games)));
    let names = names.collect::<Vec<_>>().join(", ");
    let more = if number > MAX_NAMES { format!(" and {} more", number - MAX_NAMES) } else { String::new() };
    (number > 0).then(|| format!("left out for too few games, {number} in all: {names}{more}"))
}

/// The replicates behind the Monte-Carlo errors, and warnings if they are few.
fn replicates(simulated: &MonteCarlo) -> Vec<String> {
    let MonteCarlo { replicates, used, dropped, .. } = simulated;
    let Some(error) = simulated.relative_error() else {
        return vec![format!(
            "warning: the games are few: in {dropped} of {replicates} replicates the players could not be rated together, so that there \
             are no Monte-Carlo errors; those by the Hessian hold for many games"
        )];
    };
    let mut lines = vec![format!("{used} replicates, Monte-Carlo errors good to {}", percent(error))];
    let share = *dropped as f64 / *replicates as f64;
    if share > MAX_DROPPED {
        lines.push(format!(
            "warning: in {dropped} of {replicates} replicates ({}) the players could not be rated together; the Monte-Carlo errors are \
             those of the others, and too small",
            percent(share)
        ));
    }
    lines
}

fn other(rating: &RatingReport<'_>, fit: &Fit) -> Result<String> {
    let names = rating.results.names();
    let covariance = Covariance::new(fit)?;
    let mut rows = Vec::new();
    for &player in fit.players() {
        let error = covariance.anchored_error(player)?;
        rows.push((
            fit.rating(player)?,
            vec![names[player].clone(), signed(fit.rating(player)?), format!("{error:.1}")],
        ));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(table(&["player", "rating", "± Hessian"], rows.into_iter().map(|(_, row)| row)).to_string())
}

fn better(rating: &RatingReport<'_>) -> Result<String> {
    let rated: Vec<&PlayerRow> = rating.players.iter().filter(|row| row.rated.is_some()).collect();
    ensure!(rated.len() <= MAX_IN_MATRIX, "--matrix: {} players are too many for a matrix", rated.len());
    let header: Vec<&str> = [""].into_iter().chain(rated.iter().map(|row| row.name.as_str())).collect();
    let mut rows = Vec::new();
    for row in &rated {
        let mut line = vec![row.name.clone()];
        for column in &rated {
            line.push(if row.player == column.player {
                "-".to_owned()
            } else {
                percent(rating.covariance.probability_better(row.player, column.player)?)
            });
        }
        rows.push(line);
    }
    Ok(table(&header, rows).to_string())
}

fn residual_table(rating: &RatingReport<'_>) -> String {
    let names = rating.results.names();
    let rows = residuals(rating.fit).into_iter().map(|residual| {
        let [a, b] = residual.players;
        vec![
            format!("{} - {}", names[a], names[b]),
            points(residual.games),
            points(residual.observed),
            format!("{:.2}", residual.expected),
            format!("{:+.2}", residual.z),
        ]
    });
    table(&["pair", "games", "points", "expected", "z"], rows).to_string()
}
