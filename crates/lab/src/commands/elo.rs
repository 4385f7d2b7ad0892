//! `kiki-lab elo`: what one match says.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use kiki_stats::match_error::{Denominator, IntervalMethod, MatchEstimate, games_needed, likely_run};
use kiki_stats::normal;
use kiki_stats::tally::{DrawPolicy, Tally};
use serde_json::{Map, Value, json};

use crate::numbers::{self, interval, json_interval, json_or_reason, percent, say, signed, table};
use crate::plot::{Axis, Line, LineChart, Style};

const EXAMPLE: &str = "\
Example:
  kiki-lab elo 540 0 460

The rating difference is that of the win rate; +K stands for what the games between two engines cannot show, such as one that
happens to suit the other badly.";

/// The win rate and rating difference of a match, with honest errors
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct EloArgs {
    wins: u64,
    draws: u64,
    losses: u64,
    /// What becomes of draws
    #[arg(long, value_enum, default_value_t = Draws::Half)]
    draw_policy: Draws,
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

/// What becomes of draws where only wins and losses are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Draws {
    /// Each side gets half a win.
    Half,
    /// They are not counted.
    Drop,
}

impl From<Draws> for DrawPolicy {
    fn from(draws: Draws) -> Self {
        match draws {
            Draws::Half => Self::Half,
            Draws::Drop => Self::Drop,
        }
    }
}

/// Half widths in Elo for which the necessary games are told.
const HALF_WIDTHS: [u32; 6] = [50, 20, 10, 5, 2, 1];

const METHODS: [(IntervalMethod, &str, &str); 5] = [
    (IntervalMethod::Wilson, "wilson", "Wilson"),
    (IntervalMethod::ClopperPearson, "clopper_pearson", "Clopper-Pearson"),
    (IntervalMethod::Jeffreys, "jeffreys", "Jeffreys"),
    (IntervalMethod::MinimalBinomial, "minimal_binomial", "smallest binomial"),
    (IntervalMethod::Normal, "normal", "normal"),
];

pub(crate) fn run(arguments: &EloArgs) -> Result<()> {
    let tally = Tally { wins: arguments.wins, draws: arguments.draws, losses: arguments.losses };
    let estimate = MatchEstimate::from(tally.score(arguments.draw_policy.into())?);
    normal::multiplier(arguments.level)?;
    if let Some(folder) = &arguments.curves {
        write_curves(folder)?;
    }
    if arguments.json {
        return numbers::print_json(&value(tally, &estimate, arguments)?);
    }
    print(tally, &estimate, arguments.level)
}

fn print(tally: Tally, estimate: &MatchEstimate, level: f64) -> Result<()> {
    let score = estimate.score();
    say!(
        "+{} ={} -{}: {} points of {} games, win rate {} (standard error {:.4})",
        tally.wins,
        tally.draws,
        tally.losses,
        numbers::points(score.points()),
        score.games(),
        percent(estimate.win_rate()),
        estimate.standard_error()
    );
    let error = if estimate.is_one_sided() {
        "not estimable from a score of 0 % or 100 %: look at the Clopper-Pearson interval".to_owned()
    } else if estimate.first_order_fails() {
        format!("± {:.1}, but that is too much for a first-order error: use an interval", estimate.elo_standard_error())
    } else {
        format!("± {:.1}", estimate.elo_standard_error())
    };
    say!("rating difference {} + K Elo ({error})", signed(estimate.elo()));
    say!(
        "probability of being stronger: {} (normal), {} (Beta posterior, uniform prior)",
        percent(estimate.superiority_normal()),
        percent(estimate.superiority_beta())
    );
    let rows = METHODS.iter().map(|&(method, _, name)| {
        let rates = estimate.interval(method, level);
        let rates = rates.map_or_else(|error| error.to_string(), |ends| format!("{:.4} .. {:.4}", ends.low, ends.high));
        let elo = estimate.elo_interval(method, level).map_or_else(|_| "not estimable".to_owned(), interval);
        let note = if estimate.rounds_down(method) { "half a point rounded down" } else { "" };
        vec![name.to_owned(), rates, elo, note.to_owned()]
    });
    say!("\n{}", table(&[format!("interval, {}", percent(level)).as_str(), "win rate", "Elo", ""], rows));
    let rows = HALF_WIDTHS.iter().map(|&half| {
        let games = games_needed(f64::from(half), estimate.win_rate(), level);
        vec![format!("± {half} Elo"), games.map_or_else(|error| error.to_string(), |games| games.to_string())]
    });
    say!("\n{}", table(&["half width", "games needed at this win rate"], rows));
    Ok(())
}

fn value(tally: Tally, estimate: &MatchEstimate, arguments: &EloArgs) -> Result<Value> {
    let level = arguments.level;
    let mut intervals = Map::new();
    for (method, key, _) in METHODS {
        let mut entry = json!({
            "win_rate": json_or_reason(&estimate.interval(method, level), |ends| json_interval(*ends)),
            "elo": json_or_reason(&estimate.elo_interval(method, level), |ends| json_interval(*ends)),
            "rounded_down": estimate.rounds_down(method),
        });
        if method == IntervalMethod::MinimalBinomial {
            let run = likely_run(estimate.score(), level)?;
            entry["wins"] = json!([run.low, run.high]);
            entry["mass"] = json!(run.mass);
        }
        intervals.insert(key.to_owned(), entry);
    }
    let over = |denominator| json_or_reason(&estimate.standard_error_over(denominator), |value| numbers::json(*value));
    let needed = HALF_WIDTHS.iter().map(|&half| {
        let games = games_needed(f64::from(half), estimate.win_rate(), level);
        (half.to_string(), json_or_reason(&games, |games| json!(games)))
    });
    let two_sided = normal::level(normal::multiplier(level)?)?;
    Ok(json!({
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "draw_policy": if arguments.draw_policy == Draws::Half { "half" } else { "drop" },
        "points": estimate.score().points(),
        "games": estimate.score().games(),
        "win_rate": estimate.win_rate(),
        "standard_error": estimate.standard_error(),
        "standard_error_n_minus_1": over(Denominator::GamesMinusOne),
        "standard_error_n_minus_1_5": over(Denominator::GamesMinusThreeHalves),
        "elo": numbers::json(estimate.elo()),
        "elo_standard_error": numbers::json(estimate.elo_standard_error()),
        "first_order_fails": estimate.first_order_fails(),
        "level": level,
        "multiplier": normal::multiplier(level)?,
        "minus_log10_outside": two_sided.minus_log10_outside(),
        "superiority_normal": estimate.superiority_normal(),
        "superiority_beta": estimate.superiority_beta(),
        "intervals": intervals,
        "games_needed": needed.collect::<Map<_, _>>(),
    }))
}

/// The two curves that show where errors of matches come from.
fn write_curves(folder: &PathBuf) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let line = |name: &str, points, color| Line { name: name.to_owned(), points, style: Style::Solid, color };
    let shares = (0..=200).map(|step| f64::from(step) / 200.0);
    let spread = |p: f64| p * (1.0 - p);
    let chart = LineChart {
        title: "The spread of one game, by its win rate".to_owned(),
        x_label: "win rate p".to_owned(),
        y_label: "variance and standard deviation".to_owned(),
        axis: Axis::Linear,
        lines: vec![
            line("variance p (1 - p)", shares.clone().map(|p| (p, spread(p))).collect(), 0),
            line("standard deviation", shares.map(|p| (p, spread(p).sqrt())).collect(), 1),
        ],
        y_range: Some((0.0, 0.55)),
    };
    chart.write(&folder.join("spread.svg"))?;
    let mut points = Vec::new();
    for step in 1..=160 {
        let r = f64::from(step) / 25.0;
        points.push((normal::level(r)?.minus_log10_outside(), r));
    }
    let chart = LineChart {
        title: "The multiplier r of the standard error, by the probability outside".to_owned(),
        x_label: "-log10 of the probability outside (2 is 1 %)".to_owned(),
        y_label: "r".to_owned(),
        axis: Axis::Linear,
        lines: vec![line("", points, 0)],
        y_range: None,
    };
    chart.write(&folder.join("multiplier.svg"))
}
