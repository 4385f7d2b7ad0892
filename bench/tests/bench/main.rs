//! What holds for the play of the engine at fixed work.

mod levels;
mod mates_by_search;
