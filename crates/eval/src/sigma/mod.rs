//! How far a shallow search may be off in a position: sigma, the standard deviation of the difference between the values of a deep and a
//! shallow search, as a function of what stands on the board (Kameko 2013, with Gekisashi's features).
//!
//! [`for_each_feature`] turns a position into features; a [`SigmaModel`] holds a weight for each, learned by `kiki-lab sigma fit`, for each
//! pair of depths.

mod features;
mod model;
mod progress;
mod text;
mod values;

pub use features::{FEATURES, FeatureGroup, feature_name, for_each_feature};
pub use model::{PROGRESS_BANDS, PairModel, SigmaLink, SigmaModel, ValueLine, progress_band};
pub use progress::{ELEMENT_NAMES, PROGRESS_ELEMENTS, ProgressWeights, progress_elements};
pub use text::SigmaModelError;
pub use values::{VALUE_FEATURE_NAMES, VALUE_FEATURES, value_features};
