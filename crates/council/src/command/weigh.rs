//! `kiki-lab council weigh`: one decision.

use std::str::FromStr;

use crate::model::{BestValue, CandidateEvidence, Opinion, Weighing, extreme_value, most_votes, weigh};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

use kiki_run::numbers::finite;
use kiki_run::output::{print_json, table};
use kiki_run::say;

const EXAMPLE: &str = "\
Example:
  kiki-lab council weigh --loss 80 --best-value 100 7g7f=120/100 2g2f=60/250 2g2f=55/250

Every opinion is MOVE=VALUE/NOISE: the move that a member names, the value it tells, on a scale that all share, and the standard deviation of its errors.";

/// Choose a move by the moves and values of members
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct WeighArgs {
    /// The members' opinions
    #[arg(required = true, value_name = "MOVE=VALUE/NOISE")]
    opinions: Vec<NamedOpinion>,
    /// The loss of a wrong move, in the unit of values
    #[arg(long)]
    loss: f64,
    /// The value of the best move; unless given, it is predicted from the members' values
    #[arg(long, allow_negative_numbers = true)]
    best_value: Option<f64>,
    /// Predict the value of the best move by a mean that is weighted by precision
    #[arg(long, conflicts_with = "best_value")]
    by_precision: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// `MOVE=VALUE/NOISE`.
#[derive(Clone, Debug)]
struct NamedOpinion {
    name: String,
    value: f64,
    noise: f64,
}

impl FromStr for NamedOpinion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || format!("`{text}` is not MOVE=VALUE/NOISE");
        let (name, numbers) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(form)?;
        let (value, noise) = numbers.split_once('/').ok_or_else(form)?;
        let number = |text: &str| finite(text).ok_or_else(form);
        Ok(Self { name: name.to_owned(), value: number(value)?, noise: number(noise)? })
    }
}

pub(super) fn run(arguments: &WeighArgs) -> Result<()> {
    let named = &arguments.opinions;
    let opinion = |opinion: &NamedOpinion| {
        let candidate = named.iter().position(|other| other.name == opinion.name).unwrap_or(0);
        Opinion { candidate, value: opinion.value, noise: opinion.noise }
    };
    let opinions: Vec<Opinion> = named.iter().map(opinion).collect();
    let best_value = match (arguments.best_value, arguments.by_precision) {
        (Some(value), _) => BestValue::Known(value),
        (None, true) => BestValue::PredictedByPrecision,
        (None, false) => BestValue::Predicted,
    };
    let weighing = weigh(&opinions, arguments.loss, best_value)?;
    let chosen: [(&str, usize); 4] = [
        ("best", weighing.best()),
        ("majority", most_votes(&opinions)?),
        ("optimistic", extreme_value(&opinions, true)?),
        ("pessimistic", extreme_value(&opinions, false)?),
    ];
    if arguments.json { print_as_json(named, &weighing, &chosen) } else { print(named, &weighing, &chosen) }
}

fn print(named: &[NamedOpinion], weighing: &Weighing, chosen: &[(&str, usize)]) -> Result<()> {
    let member = |(opinion, weight): (&NamedOpinion, &f64)| {
        vec![opinion.name.clone(), opinion.value.to_string(), opinion.noise.to_string(), format!("{weight:.6}")]
    };
    say!("{}", table(&["named", "value", "noise", "weight"], named.iter().zip(&weighing.weights).map(member)));
    let rows = weighing.candidates.iter().map(|found| {
        let numbers = [found.score, found.posterior].map(|number| format!("{number:.6}"));
        [named[found.candidate].name.clone(), found.votes.to_string()].into_iter().chain(numbers).collect()
    });
    say!("\n{}", table(&["move", "votes", "score", "posterior"], rows));
    say!("\nvalue of the best move: {:.2}", weighing.best_value);
    for &(rule, candidate) in chosen {
        say!("{rule:<12} {}", named[candidate].name);
    }
    Ok(())
}

fn print_as_json(named: &[NamedOpinion], weighing: &Weighing, chosen: &[(&str, usize)]) -> Result<()> {
    let each = |found: &CandidateEvidence| {
        let CandidateEvidence { candidate, votes, score, posterior } = *found;
        json!({ "move": named[candidate].name, "votes": votes, "score": score, "posterior": posterior })
    };
    let moves: Vec<Value> = weighing.candidates.iter().map(each).collect();
    let mut answer = json!({ "best_value": weighing.best_value, "weights": weighing.weights, "moves": moves });
    for &(rule, candidate) in chosen {
        answer[rule] = json!(named[candidate].name);
    }
    print_json(&answer)
}
