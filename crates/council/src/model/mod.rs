//! Councils: several engines name a move each, and a rule chooses among them (LFICS, councils).
//!
//! The model: a position has several candidates. One is the best; all others are worse by the same
//! loss. Every member sees the value of each candidate with a normal error of its own. It names the
//! candidate that looks best to it and reports the value it saw. The standard deviation of these
//! errors is the member's noise. Only the ratios of noises and loss matter.
//!
//! ```
//! use kiki_council::model::{BestValue, CouncilModel, Opinion, weigh};
//!
//! // Three engines with noises of twice, three and three times the loss of a wrong move, and two candidates.
//! let model = CouncilModel::new(vec![2.0, 3.0, 3.0], 2)?;
//! assert!((model.single(0) - 0.638163).abs() < 1e-6);
//! assert!((model.majority() - 0.659851).abs() < 1e-6);
//!
//! // A reliable engine against two unreliable ones, in centipawns.
//! let opinion = |candidate, value, noise| Opinion { candidate, value, noise };
//! let opinions = [opinion(0, 120.0, 100.0), opinion(1, 60.0, 250.0), opinion(1, 55.0, 250.0)];
//! let weighing = weigh(&opinions, 80.0, BestValue::Known(100.0))?;
//! assert_eq!(weighing.best(), 0);
//! # Ok::<(), kiki_stats::StatsError>(())
//! ```

mod exact;
mod opinion;
mod simulation;
mod weighing;

pub use exact::{CouncilModel, SimpleCouncil, crossing};
pub(crate) use opinion::{MemberLines, greatest_mean, mean_value, most_votes, strongest};
pub use opinion::{Opinion, extreme_value};
pub use simulation::{Accuracy, SimulatedRates, simulate};
pub use weighing::{BestValue, CandidateEvidence, Weighing, weigh};
