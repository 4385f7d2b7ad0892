//! `kiki-lab elo`: the rating difference of one match, with its errors.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use comfy_table::Table;
use kiki_contest::sprt::{elo_lines, estimates_value};
use kiki_plot::{ChartLine, CurveStyle, LineChart};
use kiki_run::output::{interval, json_interval, json_or_reason, percent, signed, table};
use kiki_run::{output, say};
use kiki_stats::match_error::{IntervalMethod, games_needed, likely_run, significant_wins};
use kiki_stats::normal;
use kiki_stats::sprt::{CountKind, Counts, Estimates, MeanMethod};
use kiki_stats::tally::{MatchScore, Tally};
use serde::Serialize;
use serde_json::{Map, Value, json};

const EXAMPLE: &str = "\
Examples:
  kiki-lab elo 540 0 460
  kiki-lab elo 300 400 300
  kiki-lab elo --pairs 60,10,260,12,78

The rating difference is that of the win rate. +K stands for what games between two engines cannot show, such as a style that suits
the other badly. The error depends on what is counted: the trinomial error counts draws, the pentanomial one pairs of games on one
opening. The binomial error takes a draw for two decided halves of a game, so it is too large where there are draws.";

/// The win rate and rating difference of a match, with their errors
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct EloArgs {
    #[arg(required_unless_present = "pairs", conflicts_with = "pairs")]
    wins: Option<u64>,
    #[arg(required_unless_present = "pairs")]
    draws: Option<u64>,
    #[arg(required_unless_present = "pairs")]
    losses: Option<u64>,
    /// Pairs of games on one opening with colours exchanged, by points: 0, 1/2, 1, 3/2, 2
    #[arg(long, value_delimiter = ',', num_args = 1..=5, value_name = "COUNTS")]
    pairs: Option<Vec<u64>>,
    /// Handling of draws
    #[arg(long, value_enum, default_value_t = DrawTreatment::Half, conflicts_with = "pairs")]
    draw_policy: DrawTreatment,
    /// The level of the intervals
    #[arg(long, default_value_t = 0.95)]
    level: f64,
    /// Write the curves behind the numbers as SVG into this folder
    #[arg(long, value_name = "FOLDER")]
    curves: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Handling of draws where only wins and losses are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum DrawTreatment {
    /// Each side gets half a win.
    Half,
    /// They are not counted.
    Drop,
}

/// Half widths in Elo for which the necessary number of games is given.
const HALF_WIDTHS: [u32; 6] = [50, 20, 10, 5, 2, 1];

const METHODS: [(IntervalMethod, &str, &str); 5] = [
    (IntervalMethod::Wilson, "wilson", "Wilson"),
    (IntervalMethod::ClopperPearson, "clopper_pearson", "Clopper-Pearson"),
    (IntervalMethod::Jeffreys, "jeffreys", "Jeffreys"),
    (IntervalMethod::MinimalBinomial, "minimal_binomial", "smallest binomial"),
    (IntervalMethod::Normal, "normal", "normal"),
];

struct MatchCounts {
    /// Unknown for pairs, where a pair with one point is two draws, or a win and a loss.
    tally: Option<Tally>,
    counts: Counts,
    /// The score of single games, each draw being half a win.
    binomial: MatchScore,
}

impl MatchCounts {
    fn new(arguments: &EloArgs) -> Result<Self> {
        if let Some(pairs) = &arguments.pairs {
            let pairs: [u64; 5] = pairs.as_slice().try_into().map_err(|_| {
                anyhow!("--pairs: {} counts: give 5, of pairs with 0, 1/2, 1, 3/2 and 2 points", pairs.len())
            })?;
            let counts = Counts::Pentanomial(pairs);
            let (score, _) = counts.moments()?;
            // Halves are exact; the mean is not.
            let points = (2.0 * score * counts.games() as f64).round() / 2.0;
            return Ok(Self { tally: None, counts, binomial: MatchScore::new(points, counts.games())? });
        }
        let [Some(wins), Some(draws), Some(losses)] = [arguments.wins, arguments.draws, arguments.losses] else {
            bail!("give WINS DRAWS LOSSES, or --pairs");
        };
        let tally = Tally { wins, draws, losses };
        let (counts, counted) = match arguments.draw_policy {
            DrawTreatment::Half => (Counts::from(tally), tally),
            DrawTreatment::Drop => (Counts::Bernoulli([losses, wins]), Tally { draws: 0, ..tally }),
        };
        Ok(Self { tally: Some(tally), counts, binomial: counted.score()? })
    }

    fn results(&self) -> String {
        match self.tally {
            Some(Tally { wins, draws, losses }) => format!("+{wins} ={draws} -{losses}"),
            None => format!("{} of games", output::counted(self.counts.observations(), "pair")),
        }
    }

    /// The unit that the estimates count: a word for programs, and a text for people.
    fn kind(&self) -> (&'static str, &'static str) {
        match self.counts.kind() {
            CountKind::Bernoulli => ("bernoulli", "won and lost games (binomial)"),
            CountKind::Trinomial => ("trinomial", "won, drawn and lost games (trinomial)"),
            CountKind::Pentanomial => ("pentanomial", "pairs of games (pentanomial)"),
        }
    }
}

pub fn run(arguments: &EloArgs) -> Result<()> {
    let counted = MatchCounts::new(arguments)?;
    let estimates = counted.counts.estimates(arguments.level)?;
    if let Some(folder) = &arguments.curves {
        write_curves(folder)?;
    }
    if arguments.json {
        return output::print_json(&value(&counted, &estimates, arguments)?);
    }
    print(&counted, &estimates, arguments.level)
}

/// The smallest numbers of wins that equal players reach in a number of games with probability `1 -
/// level` at most: one-sided, and two-sided. `None` if there is no such number.
fn significant(games: u64, level: f64) -> kiki_stats::Result<[Option<u64>; 2]> {
    Ok([significant_wins(games, 1.0 - level)?, significant_wins(games, 0.5 * (1.0 - level))?])
}

fn print(counted: &MatchCounts, estimates: &Estimates, level: f64) -> Result<()> {
    let binomial = &counted.binomial;
    say!(
        "{}: {} of {}, win rate {}, rating difference {} + K Elo",
        counted.results(),
        output::counted(output::points(binomial.points()), "point"),
        output::counted(binomial.games(), "game"),
        percent(binomial.share()),
        signed(binomial.elo())
    );
    say!("\nby {}:", counted.kind().1);
    say!("win rate {:.4} (standard error {:.4})", estimates.score, estimates.standard_error);
    say!("{}", elo_lines(estimates, level));
    let error = if binomial.is_one_sided() {
        "none at a score of 0 % or 100 %".to_owned()
    } else if binomial.first_order_fails() {
        format!("{:.1}, too large for a first-order error", binomial.elo_standard_error())
    } else {
        format!("{:.1}", binomial.elo_standard_error())
    };
    let halves = if counted.counts.kind() == CountKind::Bernoulli { "" } else { ", a draw being two halves of a game" };
    say!("\nby the binomial distribution{halves}:");
    say!("win rate {:.4} (standard error {:.4})", binomial.share(), binomial.standard_error());
    say!("Elo {} (standard error {error})", signed(binomial.elo()));
    let is_normal = estimates.method == MeanMethod::Normal;
    let normal =
        if is_normal { format!("{} (normal), ", percent(binomial.superiority_normal())) } else { String::new() };
    say!("superiority {normal}{} (Beta posterior, uniform prior)", percent(binomial.superiority_beta()));
    if let Some([better, further]) = binomial.p_values() {
        say!("of equal players: p = {better:.4} for a score as good or better, {further:.4} for one as far from even");
    }
    let score = |wins: Option<u64>| {
        let rate = |wins: u64| format!("a score of {wins} ({})", percent(wins as f64 / binomial.games() as f64));
        wins.map_or_else(|| "no score".to_owned(), rate)
    };
    let [one_sided, two_sided] = significant(binomial.games(), level)?.map(score);
    let outside = percent(1.0 - level);
    say!("the {outside} level is reached by {one_sided} one-sided, by {two_sided} two-sided");
    say!("\n{}", binomial_intervals(binomial, level, is_normal));
    let rows = HALF_WIDTHS.iter().map(|&half| {
        let games =
            |games: kiki_stats::Result<u64>| games.map_or_else(|error| error.to_string(), |games| games.to_string());
        let needed = games(counted.counts.games_needed(f64::from(half), level));
        vec![format!("{half} Elo"), needed, games(games_needed(f64::from(half), binomial.share(), level))]
    });
    let half_width = format!("half of the {} interval", percent(level));
    say!("\n{}", table(&[half_width.as_str(), "games needed at this score and spread", "binomial"], rows));
    Ok(())
}

fn binomial_intervals(binomial: &MatchScore, level: f64, is_normal: bool) -> Table {
    let rows = METHODS.iter().map(|&(method, _, name)| {
        let rates = binomial.interval(method, level);
        let rates = rates.map_or_else(|error| error.to_string(), |ends| format!("{:.4} .. {:.4}", ends.low, ends.high));
        let elo = binomial.elo_interval(method, level).map_or_else(|_| "not estimable".to_owned(), interval);
        let note = match method {
            IntervalMethod::Normal if !is_normal => "too short: the results are few or lopsided",
            _ if binomial.rounds_down(method) => "half a point rounded down",
            IntervalMethod::ClopperPearson if !binomial.is_whole() => "half a point rounded outwards",
            _ => "",
        };
        vec![name.to_owned(), rates, elo, note.to_owned()]
    });
    table(&[format!("binomial interval, {}", percent(level)).as_str(), "win rate", "Elo", ""], rows)
}

fn value(counted: &MatchCounts, estimates: &Estimates, arguments: &EloArgs) -> Result<Value> {
    let level = arguments.level;
    let (tally, estimate) = (counted.tally, &counted.binomial);
    let mut intervals = Map::new();
    for (method, key, _) in METHODS {
        let mut entry = json!({
            "win_rate": json_or_reason(&estimate.interval(method, level), |ends| json_interval(*ends)),
            "elo": json_or_reason(&estimate.elo_interval(method, level), |ends| json_interval(*ends)),
            "rounded_down": estimate.rounds_down(method),
        });
        if method == IntervalMethod::MinimalBinomial {
            let run = likely_run(*estimate, level)?;
            entry["wins"] = json!([run.low, run.high]);
            entry["mass"] = json!(run.mass);
        }
        intervals.insert(key.to_owned(), entry);
    }
    let over = |lost| json_or_reason(&estimate.standard_error_with(lost), |value| output::json(*value));
    let needed = |games: &dyn Fn(f64) -> kiki_stats::Result<u64>| -> Map<String, Value> {
        let entry = |half: &u32| (half.to_string(), json_or_reason(&games(f64::from(*half)), |games| json!(games)));
        HALF_WIDTHS.iter().map(entry).collect()
    };
    let p_values = estimate.p_values();
    let rate = |wins: Option<u64>| wins.map(|wins| wins as f64 / estimate.games() as f64);
    let two_sided = normal::level(normal::multiplier(level)?)?;
    Ok(json!({
        "wins": tally.map(|tally| tally.wins),
        "draws": tally.map(|tally| tally.draws),
        "losses": tally.map(|tally| tally.losses),
        "pairs": arguments.pairs,
        "counted": counted.kind().0,
        "estimates": estimates_value(estimates),
        "draw_policy": arguments.draw_policy,
        "points": estimate.points(),
        "games": estimate.games(),
        "win_rate": estimate.share(),
        "standard_error": estimate.standard_error(),
        "standard_error_n_minus_1": over(1.0),
        "standard_error_n_minus_1_5": over(1.5),
        "elo": output::json(estimate.elo()),
        "elo_standard_error": output::json(estimate.elo_standard_error()),
        "first_order_fails": estimate.first_order_fails(),
        "level": level,
        "multiplier": normal::multiplier(level)?,
        "minus_log10_outside": two_sided.minus_log10_outside(),
        "superiority_normal": estimate.superiority_normal(),
        "superiority_beta": estimate.superiority_beta(),
        "p_one_sided": p_values.map(|p| p[0]),
        "p_two_sided": p_values.map(|p| p[1]),
        "significant_win_rates": significant(estimate.games(), level)?.map(rate),
        "intervals": intervals,
        "games_needed": needed(&|half| games_needed(half, estimate.share(), level)),
        "games_needed_as_counted": needed(&|half| counted.counts.games_needed(half, level)),
    }))
}

/// The curves of the spread of one game and of the multiplier of the standard error.
fn write_curves(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let line = |name: &str, points, color| ChartLine::new(name, points, CurveStyle::Solid, color);
    let shares = (0..=200).map(|step| f64::from(step) / 200.0);
    let spread = |p: f64| p * (1.0 - p);
    let chart = LineChart {
        y_range: Some((0.0, 0.55)),
        ..LineChart::new(
            "The spread of one game, by its win rate",
            "win rate p",
            "variance and standard deviation",
            vec![
                line("variance p (1 - p)", shares.clone().map(|p| (p, spread(p))).collect(), 0),
                line("standard deviation", shares.map(|p| (p, spread(p).sqrt())).collect(), 1),
            ],
        )
    };
    chart.write(&folder.join("spread.svg"))?;
    let mut points = Vec::new();
    for step in 1..=160 {
        let r = f64::from(step) / 25.0;
        points.push((normal::level(r)?.minus_log10_outside(), r));
    }
    let chart = LineChart::new(
        "The multiplier r of the standard error, by the probability outside",
        "-log10 of the probability outside (2 is 1 %)",
        "r",
        vec![line("", points, 0)],
    );
    chart.write(&folder.join("multiplier.svg"))
}
