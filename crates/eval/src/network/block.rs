//! How the weights of a layer lie in memory.

/// Inputs that are multiplied at once.
pub(super) const GROUP: usize = 4;
/// Outputs that are summed at once.
pub(super) const LANES: usize = 8;
