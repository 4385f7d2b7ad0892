//! How far a shallow search may be off in a position: sigma, the standard deviation of the
//! difference between the values of a deep and a shallow search, as a function of what stands on
//! the board (Kameko 2013, with Gekisashi's features).
//!
//! [`for_each_feature`] turns a position into features. A [`SigmaModel`] weights them for each pair
//! of depths; `kiki-lab sigma fit` learns the weights.

mod features;
mod model;
mod text;

pub use features::{
    ELEMENT_NAMES, FEATURES, FeatureGroup, PROGRESS_ELEMENTS, ProgressWeights, VALUE_FEATURE_NAMES, VALUE_FEATURES,
    feature_name, for_each_feature, progress_elements, value_features,
};
pub use model::{PROGRESS_BANDS, PairModel, SigmaLink, SigmaModel, ValueFit, progress_band};
pub use text::SigmaModelError;
