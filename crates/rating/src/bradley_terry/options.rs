//! What a fit estimates, and on which scale.

/// Where the scale has its zero.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scale {
    /// The anchor has this rating.
    Anchor(f64),
    /// The mean of all rated players is this.
    Mean(f64),
}

#[derive(Clone, PartialEq, Debug)]
pub struct FitOptions {
    /// The player whose strong component is rated; [`super::default_anchor`] if none is named.
    pub anchor: Option<usize>,
    pub scale: Scale,
    /// Further players with known ratings, on the scale of [`Scale::Anchor`].
    pub fixed: Vec<(usize, f64)>,
    /// Whether to estimate what the first move is worth, from the results that record who had it.
    pub first_move: bool,
    /// Whether to estimate the share of draws, by the model of Davidson (1970): a win, a draw and a
    /// loss have the odds 1, `nu exp(-t/2)` and `exp(-t)`, where t is the difference in strength.
    /// A difference of 400 Elo means ten wins for each loss; draws move the expected score towards
    /// one half. Otherwise a draw is two decided halves of a game, and the errors are too large
    /// where many games are drawn.
    pub draws: bool,
}

impl FitOptions {
    pub fn anchored(anchor: usize, rating: f64) -> Self {
        Self { anchor: Some(anchor), scale: Scale::Anchor(rating), ..Self::default() }
    }
}

impl Default for FitOptions {
    /// The default anchor, at 0, no advantage of the first move, and draws as halves.
    fn default() -> Self {
        Self { anchor: None, scale: Scale::Anchor(0.0), fixed: Vec::new(), first_move: false, draws: false }
    }
}
