//! `kiki-lab council majority`: when does a majority of three beat its strongest member? (LFICS,
//! 3五角, the appendix)

use anyhow::Result;
use clap::Args;
use kiki_run::ensure_usage;
use kiki_run::output::{print_json, table};
use kiki_run::say;
use serde_json::json;

use crate::model::SimpleCouncil;

/// When does a majority of three beat its strongest member?
#[derive(Args, Debug)]
pub(crate) struct MajorityArgs {
    /// The number of candidates
    #[arg(long, value_name = "N", default_value_t = 3)]
    candidates: u32,
    /// How often the strongest member names the best candidate
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    strongest: f64,
    /// How much less often the other two name it; prints how often the majority is right
    #[arg(long, value_name = "DELTA,..", value_delimiter = ',')]
    behind: Vec<f64>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &MajorityArgs) -> Result<()> {
    let council = SimpleCouncil::new(arguments.candidates, arguments.strongest)?;
    let most = arguments.strongest;
    let majority = |&behind: &f64| {
        ensure_usage!((0.0..=most).contains(&behind), "--behind {behind}: expected 0 to {most}");
        Ok((behind, council.majority(behind)))
    };
    let majorities: Vec<(f64, f64)> = arguments.behind.iter().map(majority).collect::<Result<_>>()?;
    if arguments.json {
        return print_json(&json!({
            "advantage": council.advantage(),
            "threshold": council.threshold(),
            "first_order_threshold": council.first_order_threshold(),
            "majorities": majorities,
        }));
    }
    say!("the strongest member beats chance by alpha = {:.4}", council.advantage());
    say!(
        "a majority beats the strongest while the others are behind by delta < {:.4}; to first order alpha / 2 = {:.4}",
        council.threshold(),
        council.first_order_threshold()
    );
    if !majorities.is_empty() {
        let cells = majorities.iter().map(|(behind, share)| vec![format!("{behind:.4}"), format!("{share:.4}")]);
        say!("{}", table(&["delta", "majority right"], cells));
    }
    Ok(())
}
