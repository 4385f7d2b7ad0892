//! Everything that is known about the ratings of some results.

use crate::bradley_terry::{Covariance, DrawShare, Fit, HoldOut, MonteCarlo};
use clap::ValueEnum;

use super::rows::PlayerRow;
use crate::results::{LeftOutPlayer, Results};

/// What becomes of draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum DrawOption {
    /// Each side gets half a win.
    Half,
    /// They are not counted.
    Drop,
    /// They are an outcome of their own, whose share is estimated (Davidson 1970).
    Davidson,
}

impl DrawOption {
    /// In one word, as in JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Drop => "drop",
            Self::Davidson => "davidson",
        }
    }
}

/// Everything that is known about the ratings.
pub(super) struct RatingReport<'a> {
    pub(super) results: &'a Results,
    /// By `--min-games`.
    pub(super) left_out: Vec<LeftOutPlayer>,
    pub(super) fit: &'a Fit,
    pub(super) covariance: Covariance<'a>,
    pub(super) simulated: Option<MonteCarlo>,
    /// Best first, then those that cannot be rated.
    pub(super) players: Vec<PlayerRow>,
    /// Ratings of groups of players that have no comparison with the anchor.
    pub(super) others: Vec<Fit>,
    pub(super) hold_out: Option<HoldOut>,
    pub(super) draw_policy: DrawOption,
    pub(super) draw_share: Option<DrawShare>,
    /// How many players were named as anchors.
    pub(super) anchors: usize,
    /// Whether errors are those of the difference to the mean, not to the anchor.
    pub(super) is_centred: bool,
}
