//! What several of the commands are told.

use anyhow::{Context as _, Result, ensure};
use clap::{Args, ValueEnum};
use kiki_eval::sigma::SigmaLink;

use crate::dataset::DepthPair;
use crate::fitting::FitSettings;

/// How sigma follows from the sum of weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum LinkChoice {
    /// Sigma is the sum
    Linear,
    /// The sum is the logarithm of sigma
    Log,
}

/// How weights are fitted.
#[derive(Args, Debug)]
pub(super) struct FitOptions {
    /// How sigma follows from the sum of weights
    #[arg(long, value_enum, default_value_t = LinkChoice::Linear)]
    link: LinkChoice,
    /// How large weights are thought to be beside the constant, in parts of sigma: a smaller number draws those of rare features to 0
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    spread: f64,
}

impl FitOptions {
    pub(super) fn settings(&self) -> Result<FitSettings> {
        ensure!(self.spread > 0.0 && self.spread.is_finite(), "--spread {}: expected a number above 0", self.spread);
        let link = match self.link {
            LinkChoice::Linear => SigmaLink::Linear,
            LinkChoice::Log => SigmaLink::Log,
        };
        Ok(FitSettings { link, spread: self.spread })
    }
}

/// A pair of depths such as `4-8`.
pub(super) fn parse_pair(text: &str) -> Result<DepthPair> {
    let parts = text.split_once('-').and_then(|(shallow, deep)| Some((shallow.parse().ok()?, deep.parse().ok()?)));
    let (shallow, deep) = parts.with_context(|| format!("`{text}` is no pair of depths such as `4-8`"))?;
    ensure!(shallow > 0 && shallow < deep, "`{text}`: the first depth is at least 1 and less than the second");
    Ok(DepthPair { shallow, deep })
}
