//! The ratings of some results, as a table and as JSON (docs/rate.md documents the keys).

use anyhow::{Result, ensure};
use clap::ValueEnum;
use kiki_run::output::{or_dash, percent, points, signed, table};
use kiki_run::say;
use kiki_text::printable;
use serde::Serialize;
use serde_json::{Value, json};

use crate::bradley_terry::{
    Covariance, DrawShare, Fit, FitOptions, HoldOut, MonteCarlo, PlayerClass, PlayerScore, Residual, ResultTable,
    SimulatedSpread, fit, residuals,
};
use crate::results::{LeftOutPlayer, Results};

/// Handling of draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DrawOption {
    /// Each side gets half a win.
    Half,
    /// They are not counted.
    Drop,
    /// They are an outcome of their own, whose share is estimated (Davidson 1970).
    Davidson,
}

pub(super) struct RatingReport<'a> {
    pub(super) results: &'a Results,
    /// By `--min-games`.
    pub(super) left_out: Vec<LeftOutPlayer>,
    pub(super) fit: &'a Fit,
    pub(super) covariance: Covariance<'a>,
    pub(super) simulated: Option<MonteCarlo>,
    /// Best first, then those that cannot be rated.
    pub(super) players: Vec<PlayerRow>,
    /// Groups that cannot be compared with the anchor.
    pub(super) others: Vec<OtherComponent>,
    pub(super) hold_out: Option<HoldOut>,
    pub(super) draw_policy: DrawOption,
    /// Number of players named as anchors.
    pub(super) anchors: usize,
    /// Whether errors are relative to the mean, not to the anchor.
    pub(super) is_centred: bool,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct PlayerRow {
    #[serde(skip)]
    pub(super) player: usize,
    pub(super) name: String,
    pub(super) class: PlayerClass,
    pub(super) games: f64,
    /// Points per game, draws counting half; none without games.
    pub(super) score: Option<f64>,
    pub(super) wins: f64,
    pub(super) draws: f64,
    pub(super) losses: f64,
    /// Only for rated players.
    #[serde(flatten)]
    pub(super) rated: Option<PlayerRating>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct PlayerRating {
    pub(super) rank: usize,
    pub(super) rating: f64,
    pub(super) error_anchored: f64,
    pub(super) error_centred: f64,
    pub(super) simulated_anchored: Option<SimulatedSpread>,
    pub(super) simulated_centred: Option<SimulatedSpread>,
    /// Games against rated players.
    #[serde(flatten)]
    pub(super) standing: PlayerScore,
}

impl RatingReport<'_> {
    fn name(&self, player: usize) -> &str {
        &self.results.names()[player]
    }

    pub(super) fn anchor(&self) -> &str {
        self.name(self.fit.classification().anchor)
    }

    /// The error by the Hessian that is shown.
    pub(super) fn error(&self, rated: &PlayerRating) -> f64 {
        if self.is_centred { rated.error_centred } else { rated.error_anchored }
    }

    /// The spread of the replicates that is shown.
    pub(super) fn spread(&self, rated: &PlayerRating) -> Option<SimulatedSpread> {
        if self.is_centred { rated.simulated_centred } else { rated.simulated_anchored }
    }

    /// Games between rated players, without draws that do not count.
    fn fitted_games(&self) -> f64 {
        self.rated().map(|(_, rated)| rated.standing.games).sum::<f64>() / 2.0
    }

    /// The rated players, best first.
    pub(super) fn rated(&self) -> impl Iterator<Item = (&PlayerRow, &PlayerRating)> {
        self.players.iter().filter_map(|row| Some((row, row.rated.as_ref()?)))
    }
}

/// Players that cannot be compared with the anchor, rated among themselves.
#[derive(Clone, Debug, Serialize)]
pub(super) struct OtherComponent {
    anchor: String,
    players: Vec<OtherPlayer>,
}

#[derive(Clone, Debug, Serialize)]
struct OtherPlayer {
    name: String,
    rating: f64,
    error_anchored: f64,
}

impl OtherComponent {
    /// Rates the players, anchored at the first of them.
    pub(super) fn new(table: &ResultTable, players: &[usize], names: &[String]) -> Result<Self> {
        let fit = fit(table, &FitOptions::anchored(players[0], 0.0))?;
        let covariance = Covariance::new(&fit)?;
        let rated = |&player: &usize| -> Result<OtherPlayer> {
            let (rating, error_anchored) = (fit.rating(player)?, covariance.anchored_error(player)?);
            Ok(OtherPlayer { name: names[player].clone(), rating, error_anchored })
        };
        let anchor = names[players[0]].clone();
        Ok(Self { anchor, players: fit.players().iter().map(rated).collect::<Result<_>>()? })
    }

    fn table(&self) -> String {
        let mut players: Vec<&OtherPlayer> = self.players.iter().collect();
        players.sort_by(|a, b| b.rating.total_cmp(&a.rating));
        let row = |player: &OtherPlayer| {
            vec![player.name.clone(), signed(player.rating), format!("{:.1}", player.error_anchored)]
        };
        table(&["player", "rating", "± Hessian"], players.into_iter().map(row)).to_string()
    }
}

/// The players in the order in which they are shown.
pub(super) fn rows(
    results: &Results,
    fit: &Fit,
    covariance: &Covariance<'_>,
    simulated: Option<&MonteCarlo>,
) -> Result<Vec<PlayerRow>> {
    let mut rows: Vec<PlayerRow> = Vec::with_capacity(results.names().len());
    for (player, (name, standing)) in results.names().iter().zip(fit.standings()).enumerate() {
        let rated = match standing {
            Some(standing) => Some(PlayerRating {
                rank: 0,
                rating: fit.rating(player)?,
                error_anchored: covariance.anchored_error(player)?,
                error_centred: covariance.centred_error(player)?,
                simulated_anchored: simulated.and_then(|simulated| simulated.anchored[player]),
                simulated_centred: simulated.and_then(|simulated| simulated.centred[player]),
                standing,
            }),
            None => None,
        };
        let (name, class) = (name.clone(), fit.classification().classes[player]);
        let (games, wins, draws, losses) = (0.0, 0.0, 0.0, 0.0);
        rows.push(PlayerRow { player, name, class, games, score: None, wins, draws, losses, rated });
    }
    for row in &results.rows {
        for (player, wins, losses) in [(row.first, row.wins, row.losses), (row.second, row.losses, row.wins)] {
            rows[player].wins += wins;
            rows[player].losses += losses;
            rows[player].draws += row.draws;
        }
    }
    for row in &mut rows {
        row.games = row.wins + row.draws + row.losses;
        row.score = (row.games > 0.0).then(|| (row.wins + row.draws / 2.0) / row.games);
    }
    let rating = |row: &PlayerRow| row.rated.as_ref().map_or(f64::NEG_INFINITY, |rated| rated.rating);
    rows.sort_by(|a, b| a.class.cmp(&b.class).then(rating(b).total_cmp(&rating(a))).then(a.name.cmp(&b.name)));
    for (index, rated) in rows.iter_mut().filter_map(|row| row.rated.as_mut()).enumerate() {
        rated.rank = index + 1;
    }
    Ok(rows)
}

/// Above this share of dropped replicates the Monte-Carlo errors are too small.
const MAX_DROPPED: f64 = 0.01;

pub(super) fn print(rating: &RatingReport<'_>, matrix: bool, residuals: bool) -> Result<()> {
    say!("{}", players(rating));
    say!("{}", remarks(rating));
    for other in &rating.others {
        say!("\nPlayers that cannot be compared with these, on a scale of their own:\n{}", other.table());
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

const COLUMNS: [&str; 13] = [
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

fn players(rating: &RatingReport<'_>) -> String {
    table(&COLUMNS, rating.players.iter().map(|row| player(rating, row))).to_string()
}

fn player(rating: &RatingReport<'_>, row: &PlayerRow) -> Vec<String> {
    let rated = row.rated.as_ref();
    let spread = rated.and_then(|rated| rating.spread(rated));
    vec![
        row.name.clone(),
        or_dash(rated.map(|rated| rated.rank)),
        or_dash(rated.map(|rated| signed(rated.rating))),
        or_dash(spread.map(|spread| format!("{:.1}", spread.deviation))),
        or_dash(rated.map(|rated| format!("{:.1}", rating.error(rated)))),
        points(row.games),
        points(row.wins),
        points(row.draws),
        points(row.losses),
        or_dash(row.score.map(percent)),
        or_dash(rated.map(|rated| signed(rated.standing.mean_opponent))),
        or_dash(spread.map(|spread| signed(spread.bias))),
        row.class.to_string(),
    ]
}

fn remarks(rating: &RatingReport<'_>) -> String {
    let relation = match rating.anchors {
        _ if rating.is_centred => "the mean of all rated players".to_owned(),
        0 | 1 => format!("the anchor, {}", rating.anchor()),
        several => format!("the {several} anchors"),
    };
    let (all, fitted) = (rating.results.games(), rating.fitted_games());
    let of_all = if fitted == all { String::new() } else { format!(" of {}", points(all)) };
    let is_alone = rating.rated().count() < 2;
    let result = if is_alone {
        format!("nobody can be rated beside {}: a rating needs points won and points lost", rating.anchor())
    } else {
        format!("errors are standard errors in relation to {relation}; ln P = {:.6}", rating.fit.ln_likelihood())
    };
    let mut lines = vec![format!("{}{of_all} games; {result}", points(fitted))];
    if rating.results.unfinished > 0 {
        lines.push(format!("{} games without a result were left out", rating.results.unfinished));
    }
    lines.extend(rating.results.repeats.warnings());
    lines.extend(left_out(rating));
    if let Some(advantage) = rating.fit.first_move_advantage() {
        let error = rating.covariance.first_move_error().unwrap_or(f64::NAN);
        lines.push(format!("the first move is worth {} ± {error:.1} Elo", signed(advantage)));
    }
    if let Some(DrawShare { share, error }) = rating.covariance.draw_share() {
        lines.push(format!(
            "equal players draw {} ± {} of their games; 400 Elo are ten wins for a loss, whatever is drawn",
            percent(share),
            percent(error)
        ));
    }
    if let Some(simulated) = rating.simulated.as_ref().filter(|_| !is_alone) {
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
    let MonteCarlo { replicates, used, dropped, relative_error, .. } = simulated;
    let Some(error) = *relative_error else {
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

fn better(rating: &RatingReport<'_>) -> Result<String> {
    let number = rating.rated().count();
    ensure!(number <= MAX_IN_MATRIX, "--matrix: {number} players are too many for a matrix");
    let header: Vec<&str> = [""].into_iter().chain(rating.rated().map(|(row, _)| row.name.as_str())).collect();
    let mut rows = Vec::new();
    for (row, _) in rating.rated() {
        let mut line = vec![row.name.clone()];
        for (column, _) in rating.rated() {
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
    let rows = residuals(rating.fit).into_iter().map(|residual| {
        let [a, b] = residual.players.map(|player| rating.name(player));
        vec![
            format!("{a} - {b}"),
            points(residual.games),
            points(residual.observed),
            format!("{:.2}", residual.expected),
            format!("{:+.2}", residual.z),
        ]
    });
    table(&["pair", "games", "points", "expected", "z"], rows).to_string()
}

/// Maximum number of players for which all pairs are given: a larger matrix is of no use, and each
/// entry needs a system of equations solved.
pub(super) const MAX_IN_MATRIX: usize = 200;

pub(super) fn value(rating: &RatingReport<'_>) -> Result<Value> {
    let named = |residual: Residual| {
        let mut value = json!(residual);
        value["players"] = json!(residual.players.map(|player| rating.name(player)));
        value
    };
    let residuals: Vec<Value> = residuals(rating.fit).into_iter().map(named).collect();
    let draw_share = rating.covariance.draw_share();
    Ok(json!({
        "anchor": rating.anchor(),
        "scale": if rating.is_centred { "mean" } else { "anchor" },
        "draw_policy": rating.draw_policy,
        "draw_share": draw_share.map(|draws| draws.share),
        "draw_share_error": draw_share.map(|draws| draws.error),
        "games": rating.results.games(),
        "unfinished": rating.results.unfinished,
        "repeated": rating.results.repeats,
        "left_out": rating.left_out,
        "ln_likelihood": rating.fit.ln_likelihood(),
        "largest_gradient": rating.fit.largest_gradient(),
        "first_move_advantage": rating.fit.first_move_advantage(),
        "first_move_error": rating.covariance.first_move_error(),
        "players": rating.players,
        "pairs": pairs(rating)?,
        "residuals": residuals,
        "simulation": rating.simulated,
        "other_components": rating.others,
        "hold_out": rating.hold_out,
    }))
}

/// Every two rated players: the error of their difference, the covariance of their anchored
/// ratings, and the probability that the first is better.
fn pairs(rating: &RatingReport<'_>) -> Result<Value> {
    if rating.rated().count() > MAX_IN_MATRIX {
        return Ok(Value::Null);
    }
    let mut pairs = Vec::new();
    for (index, (a, _)) in rating.rated().enumerate() {
        for (b, _) in rating.rated().skip(index + 1) {
            pairs.push(json!({
                "players": [a.name, b.name],
                "difference_error": rating.covariance.difference_error(a.player, b.player)?,
                "covariance_anchored": rating.covariance.anchored(a.player, b.player)?,
                "first_better": rating.covariance.probability_better(a.player, b.player)?,
            }));
        }
    }
    Ok(pairs.into())
}
