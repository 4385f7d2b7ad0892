//! What ends a search while it runs: the stop signal, the clock, the limit of nodes; and how threads share processors.

mod limiter;
mod node_budget;
mod search_control;
mod time_slices;

pub(crate) use limiter::Limiter;
pub(crate) use search_control::SearchControl;
